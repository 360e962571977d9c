//! Decodes character references: `&amp;`, `&#38;`, `&#x26;` (HTML Standard, from 13.2.5.72).

use std::borrow::Cow;

use html5ever::data::{C1_REPLACEMENTS, NAMED_ENTITIES};
use memchr::memchr;

/// The length of the longest name in the standard's table: 32 letters and a semicolon.
const LONGEST_NAME: usize = 33;

/// Decodes all references in `raw`. `attribute` applies the rule for attribute values, where `&copy=1` stays
/// unchanged.
pub(crate) fn decode(raw: &str, attribute: bool) -> Cow<'_, str> {
    if memchr(b'&', raw.as_bytes()).is_none() {
        return Cow::Borrowed(raw);
    }
    let mut out = String::with_capacity(raw.len());
    decode_into(raw, attribute, &mut out);
    Cow::Owned(out)
}

/// Like [`decode`], appended to `out`.
pub(crate) fn decode_into(raw: &str, attribute: bool, out: &mut String) {
    let mut rest = raw;
    while let Some(at) = memchr(b'&', rest.as_bytes()) {
        let (before, reference) = rest.split_at_checked(at).unwrap_or((rest, ""));
        out.push_str(before);
        let taken = decode_one(reference, attribute, out);
        if taken == 0 {
            out.push('&');
        }
        rest = reference.get(taken.max(1)..).unwrap_or_default();
    }
    out.push_str(rest);
}

/// Decodes the reference at the start of `text` into `out`. Returns the bytes it takes, 0 if it is none.
fn decode_one(text: &str, attribute: bool, out: &mut String) -> usize {
    let bytes = text.as_bytes();
    match bytes.get(1) {
        Some(b'#') => numeric(bytes, out),
        Some(byte) if byte.is_ascii_alphanumeric() => named(text, attribute, out),
        _ => 0,
    }
}

fn numeric(bytes: &[u8], out: &mut String) -> usize {
    let (radix, start) = if matches!(bytes.get(2), Some(b'x' | b'X')) { (16, 3) } else { (10, 2) };
    let mut at = start;
    let mut value: u32 = 0;
    while let Some(digit) = bytes.get(at).and_then(|byte| char::from(*byte).to_digit(radix)) {
        value = value.saturating_mul(radix).saturating_add(digit);
        at += 1;
    }
    if at == start {
        return 0;
    }
    let replaced =
        (0x80..0xA0).contains(&value).then(|| C1_REPLACEMENTS.get(value as usize - 0x80).copied().flatten());
    let character =
        replaced.flatten().or_else(|| char::from_u32(value)).filter(|character| *character != '\0');
    out.push(character.unwrap_or('\u{FFFD}'));
    if bytes.get(at) == Some(&b';') { at + 1 } else { at }
}

fn named(text: &str, attribute: bool, out: &mut String) -> usize {
    let name = text.get(1..).unwrap_or_default();
    let length = name.bytes().take(LONGEST_NAME).take_while(u8::is_ascii_alphanumeric).count();
    let with_semicolon = name.as_bytes().get(length) == Some(&b';');
    let mut end = if with_semicolon { length + 1 } else { length };
    // Most references end in a semicolon and match at once. Some legacy names need no semicolon.
    while end > 1 {
        let candidate = name.get(..end).unwrap_or_default();
        if let Some((first, second)) = NAMED_ENTITIES.get(candidate)
            && *first != 0
        {
            let next = name.as_bytes().get(end);
            let bare = !candidate.ends_with(';');
            if attribute && bare && next.is_some_and(|byte| *byte == b'=' || byte.is_ascii_alphanumeric()) {
                return 0;
            }
            out.extend([*first, *second].into_iter().filter(|code| *code != 0).filter_map(char::from_u32));
            return 1 + end;
        }
        end -= 1;
    }
    0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn references_decode_as_in_browsers() {
        let rows = [
            ("a &amp; b", "a & b"),
            ("&lt;p&gt;", "<p>"),
            ("&nbsp;", "\u{a0}"),
            ("&amp", "&"),
            ("&notit;", "¬it;"),
            ("&notin;", "∉"),
            ("&#65;&#x42;&#X43", "ABC"),
            ("&#128;", "€"),
            ("&#0;&#xD800;&#99999999999;", "\u{FFFD}\u{FFFD}\u{FFFD}"),
            ("&#;&#x;&;& &", "&#;&#x;&;& &"),
            ("&unknown;", "&unknown;"),
            ("&ngE;", "≧\u{338}"),
        ];
        for (raw, expected) in rows {
            assert_eq!(decode(raw, false), expected, "{raw}");
        }
        assert_eq!(decode("?a=1&copy=2&amp;b", true), "?a=1&copy=2&b");
        assert_eq!(decode("?a&copy", true), "?a©");
    }
}
