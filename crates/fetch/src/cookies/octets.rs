//! The bytes of cookies as text.
//!
//! A server may use any bytes but control characters in a cookie (RFC 6265bis section 5.6), and gets the same
//! ones back. Most are UTF-8. The others have a place in text as in the encoding `x-user-defined` of the
//! Encoding Standard: U+F780 to U+F7FF.

/// The character for the byte 0x80.
const FIRST: u32 = 0xf780;
/// The character for the byte 0xFF.
const LAST: u32 = 0xf7ff;

/// The text of a header's bytes.
pub(super) fn to_text(bytes: &[u8]) -> String {
    let mut text = String::with_capacity(bytes.len());
    for chunk in bytes.utf8_chunks() {
        for char in chunk.valid().chars() {
            if (FIRST..=LAST).contains(&u32::from(char)) {
                // Not to be taken for a byte on its way back.
                char.encode_utf8(&mut [0; 4]).bytes().for_each(|byte| push_byte(&mut text, byte));
            } else {
                text.push(char);
            }
        }
        chunk.invalid().iter().for_each(|byte| push_byte(&mut text, *byte));
    }
    text
}

/// Adds the character for a byte that is not ASCII.
fn push_byte(text: &mut String, byte: u8) {
    text.extend(char::from_u32(FIRST + u32::from(byte & 0x7f)));
}

/// The bytes of a text, as they came.
pub(crate) fn to_bytes(text: &str) -> Vec<u8> {
    let mut bytes = Vec::with_capacity(text.len());
    for char in text.chars() {
        match u32::from(char) {
            code @ FIRST..=LAST => bytes.extend(u8::try_from(code - FIRST + 0x80)),
            _ => bytes.extend_from_slice(char.encode_utf8(&mut [0; 4]).as_bytes()),
        }
    }
    bytes
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn utf8_stays_readable() {
        assert_eq!(to_text("region=Münster".as_bytes()), "region=Münster");
        assert_eq!(to_text(b"stadt=K\xf6ln"), "stadt=K\u{f7f6}ln");
    }

    proptest! {
        #[test]
        fn bytes_come_back(bytes in proptest::collection::vec(any::<u8>(), 0..40), char in any::<char>()) {
            let bytes = [&bytes[..], char.to_string().as_bytes(), "\u{f780}\u{f7ff}".as_bytes()].concat();
            prop_assert_eq!(to_bytes(&to_text(&bytes)), bytes);
        }
    }
}
