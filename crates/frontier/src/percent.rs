//! Normalization of percent-encoding (RFC 3986, section 6.2.2).
//!
//! Two spellings of one URL can differ in the case of hex digits, in octets that need no escape (`%7E` for
//! `~`), and in octets that are not escaped but should be. This module normalizes all three. A `%` that
//! starts no escape becomes `%25`: otherwise `%%341` would turn into a new escape (`%41`), and a second pass
//! would give another result.

/// How an octet is written in normalized text.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Class {
    /// Letters, digits, `-._~`: never escaped.
    Unreserved,
    /// `!$&'()*+,;=:@/?`: the raw and the escaped form differ in meaning, so both stay as they are.
    Reserved,
    /// Everything else: always escaped.
    Escaped,
}

const fn class_of(byte: u8) -> Class {
    match byte {
        b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'-' | b'.' | b'_' | b'~' => Class::Unreserved,
        b'!' | b'$' | b'&' | b'\'' | b'(' | b')' | b'*' | b'+' | b',' | b';' | b'=' | b':' | b'@' | b'/'
        | b'?' => Class::Reserved,
        _ => Class::Escaped,
    }
}

/// Whether each octet must be escaped. A table, because this is looked up for every octet of every link.
const ESCAPED: [bool; 256] = {
    let mut table = [false; 256];
    let mut byte = u8::MIN;
    loop {
        #[expect(
            clippy::indexing_slicing,
            reason = "a byte is always within the table, and the code runs at compile time"
        )]
        {
            table[byte as usize] = matches!(class_of(byte), Class::Escaped);
        }
        if byte == u8::MAX {
            break;
        }
        byte += 1;
    }
    table
};

/// True if [`push_normalised`] would change nothing.
pub(crate) fn is_normalised(text: &[u8]) -> bool {
    !text.iter().any(|&byte| ESCAPED.get(usize::from(byte)).copied().unwrap_or(true))
}

/// Appends the normalized `text`. Also escapes reserved octets for which `also_escape` is true.
pub(crate) fn push_normalised(out: &mut String, text: &[u8], also_escape: impl Fn(u8) -> bool) {
    let mut rest = text;
    while let Some((&byte, tail)) = rest.split_first() {
        rest = tail;
        if byte == b'%' {
            let Some(value) = escaped_octet(tail) else {
                push_escape(out, b'%');
                continue;
            };
            rest = tail.get(2..).unwrap_or_default();
            if class_of(value) == Class::Unreserved {
                out.push(char::from(value));
            } else {
                push_escape(out, value);
            }
        } else if class_of(byte) == Class::Escaped || also_escape(byte) {
            push_escape(out, byte);
        } else {
            out.push(char::from(byte));
        }
    }
}

/// The octet that the two hex digits at the start of `digits` encode.
pub(crate) fn escaped_octet(digits: &[u8]) -> Option<u8> {
    let hex = |byte: u8| char::from(byte).to_digit(16).and_then(|digit| u8::try_from(digit).ok());
    Some(hex(*digits.first()?)? << 4 | hex(*digits.get(1)?)?)
}

/// `text` with all escapes decoded; `None` if it has no escape or the result is not UTF-8.
pub(crate) fn decoded(text: &str) -> Option<String> {
    if !text.contains('%') {
        return None;
    }
    let mut out = Vec::with_capacity(text.len());
    let mut rest = text.as_bytes();
    while let Some((&byte, tail)) = rest.split_first() {
        rest = tail;
        match escaped_octet(tail).filter(|_| byte == b'%') {
            Some(value) => {
                out.push(value);
                rest = tail.get(2..).unwrap_or_default();
            }
            None => out.push(byte),
        }
    }
    String::from_utf8(out).ok()
}

pub(crate) fn push_escape(out: &mut String, byte: u8) {
    const DIGITS: [char; 16] =
        ['0', '1', '2', '3', '4', '5', '6', '7', '8', '9', 'A', 'B', 'C', 'D', 'E', 'F'];
    out.push('%');
    for nibble in [byte >> 4, byte & 15] {
        out.push(DIGITS.get(usize::from(nibble)).copied().unwrap_or('0'));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn normalised(text: &str) -> String {
        let mut out = String::new();
        push_normalised(&mut out, text.as_bytes(), |_| false);
        out
    }

    #[test]
    fn text_is_normalised() {
        for (name, input, expected) in [
            ("unreserved octets are unescaped", "/%7Euser/%61%2D%2e", "/~user/a-."),
            ("hex digits are upper case", "/a%2fb%c3%bc", "/a%2Fb%C3%BC"),
            ("reserved octets keep their form", "/a%2Fb/c;d=e", "/a%2Fb/c;d=e"),
            ("octets outside the grammar are escaped", "/a|b[1]^\u{fc}", "/a%7Cb%5B1%5D%5E%C3%BC"),
            ("a lone percent sign is escaped", "/100%", "/100%25"),
            ("no new escape arises", "/%%34%31", "/%2541"),
            ("escape cut short", "/%4", "/%254"),
        ] {
            assert_eq!(normalised(input), expected, "{name}");
            assert_eq!(normalised(expected), expected, "{name}: twice");
        }
    }

    #[test]
    fn decoding() {
        assert_eq!(decoded("/%C3%BCber%20uns").as_deref(), Some("/\u{fc}ber uns"));
        assert_eq!(decoded("/plain"), None);
        assert_eq!(decoded("/%FF"), None, "not UTF-8");
        assert_eq!(decoded("/100%").as_deref(), Some("/100%"));
    }
}
