//! Character references such as `&amp;` and `&#38;` (HTML Standard, 13.2.5.72 onwards).

use std::borrow::Cow;

use html5ever::data::NAMED_ENTITIES;
use memchr::memchr;

/// The longest name in the standard's table has 32 letters and a semicolon.
const LONGEST_NAME: usize = 33;

/// Legacy names that may lack a semicolon in running text.
const LEGACY_NAMES: [&str; 5] = ["amp", "lt", "gt", "quot", "nbsp"];

/// Decodes all character references in `raw`.
pub(crate) fn decode(raw: &str) -> Cow<'_, str> {
    if memchr(b'&', raw.as_bytes()).is_none() {
        return Cow::Borrowed(raw);
    }
    let mut out = String::with_capacity(raw.len());
    let mut rest = raw;
    while let Some(at) = memchr(b'&', rest.as_bytes()) {
        let (before, reference) = rest.split_at_checked(at).unwrap_or((rest, ""));
        out.push_str(before);
        let body = reference.get(1..).unwrap_or_default();
        let taken = if let Some(digits) = body.strip_prefix('#') {
            numeric(digits, &mut out).map_or(0, |taken| taken + 1)
        } else {
            named(body, &mut out)
        };
        if taken == 0 {
            out.push('&');
        }
        rest = body.get(taken..).unwrap_or_default();
    }
    out.push_str(rest);
    Cow::Owned(out)
}

/// Decodes a numeric reference; returns the bytes consumed after `#`.
fn numeric(text: &str, out: &mut String) -> Option<usize> {
    let hexadecimal = text.starts_with(['x', 'X']);
    let (radix, start) = if hexadecimal { (16, 1) } else { (10, 0) };
    let digits = text.get(start..)?;
    let length = digits.bytes().take_while(|byte| char::from(*byte).is_digit(radix)).count();
    if length == 0 {
        return None;
    }
    let value = digits
        .bytes()
        .take(length)
        .filter_map(|byte| char::from(byte).to_digit(radix))
        .fold(0_u32, |sum, digit| sum.saturating_mul(radix).saturating_add(digit));
    out.push(char::from_u32(value).filter(|found| *found != '\0').unwrap_or('\u{FFFD}'));
    let closed = digits.as_bytes().get(length) == Some(&b';');
    Some(start + length + usize::from(closed))
}

/// Decodes a named reference; returns the bytes consumed after `&`, 0 if it is not a name.
fn named(text: &str, out: &mut String) -> usize {
    let length = text.bytes().take(LONGEST_NAME).take_while(u8::is_ascii_alphanumeric).count();
    if text.as_bytes().get(length) == Some(&b';') {
        let codes = text.get(..=length).and_then(|name| NAMED_ENTITIES.get(name));
        if let Some((first, second)) = codes.filter(|(first, _)| *first != 0) {
            out.extend([*first, *second].into_iter().filter(|code| *code != 0).filter_map(char::from_u32));
            return length + 1;
        }
    }
    for bare in LEGACY_NAMES {
        if text.starts_with(bare) && length == bare.len() {
            let codes = NAMED_ENTITIES.get(bare);
            out.extend(codes.and_then(|(first, _)| char::from_u32(*first)));
            return bare.len();
        }
    }
    0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn references_are_decoded() {
        let rows = [
            ("a &amp; b", "a & b"),
            ("&#65;&#x42;", "AB"),
            ("&euro;5&nbsp;x", "€5\u{a0}x"),
            ("&unknown; & &;", "&unknown; & &;"),
            ("?a=1&copy=2", "?a=1&copy=2"),
            ("&#0;&#99999999999;", "\u{FFFD}\u{FFFD}"),
            ("AT&amp T", "AT& T"),
        ];
        for (raw, expected) in rows {
            assert_eq!(decode(raw), expected, "{raw}");
        }
    }
}
