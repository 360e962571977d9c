//! The text of bytes that may not be UTF-8.

use std::borrow::Cow;

use crate::percent::push_escape;

/// The text of `bytes`. Bytes that are not UTF-8 are percent-encoded: an address that holds them goes back to the
/// server as it came. The text is at most three times as long as the bytes.
pub(crate) fn to_text(bytes: &[u8]) -> Cow<'_, str> {
    if let Ok(text) = std::str::from_utf8(bytes) {
        return Cow::Borrowed(text);
    }
    let mut text = String::with_capacity(bytes.len());
    for chunk in bytes.utf8_chunks() {
        text.push_str(chunk.valid());
        for byte in chunk.invalid() {
            push_escape(&mut text, *byte);
        }
    }
    Cow::Owned(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_of_another_encoding_stay_what_they_are() {
        assert_eq!(to_text("/café".as_bytes()), "/café");
        assert_eq!(to_text(b"/caf\xe9/\xc3"), "/caf%E9/%C3");
    }
}
