//! Normalizes text for the tokenizer.

use std::borrow::Cow;

use memchr::memchr2;

/// Replaces CR and CRLF by LF, and removes NUL, as the tokenizer expects.
pub(crate) fn prepare(text: Cow<'_, str>) -> Cow<'_, str> {
    if memchr2(b'\r', 0, text.as_bytes()).is_none() {
        return text;
    }
    let mut out = String::with_capacity(text.len());
    let mut rest = &*text;
    while let Some(at) = memchr2(b'\r', 0, rest.as_bytes()) {
        let (before, after) = rest.split_at_checked(at).unwrap_or((rest, ""));
        out.push_str(before);
        if after.starts_with('\r') && !after.starts_with("\r\n") {
            out.push('\n');
        }
        rest = after.get(1..).unwrap_or_default();
    }
    out.push_str(rest);
    Cow::Owned(out)
}
