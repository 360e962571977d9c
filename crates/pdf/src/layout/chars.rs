//! Characters: what they are, and which ones stand for others.

use std::borrow::Cow;

use icu_normalizer::ComposingNormalizer;

/// A text as it is written: without ligatures, presentation forms and characters that show nothing.
pub(super) fn plain(text: &str) -> Cow<'_, str> {
    if text.is_ascii() && !text.bytes().any(|byte| byte.is_ascii_control()) {
        return Cow::Borrowed(text);
    }
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '\u{00A0}' | '\u{2000}'..='\u{200A}' | '\u{202F}' | '\u{205F}' | '\t' | '\n' | '\r' => {
                out.push(' ');
            }
            '\u{FFFD}' | '\u{FEFF}' | '\u{200B}' | '\u{2060}' | '\u{FFFE}' | '\u{FFFF}' => {}
            c if c.is_control() => {}
            '\u{F0B7}' => out.push('•'),
            // Boxes and ticks of the symbols of office programs.
            '\u{F0A8}' => out.push('◻'),
            '\u{F06F}' => out.push('□'),
            '\u{F071}' => out.push('❑'),
            '\u{F072}' => out.push('❒'),
            '\u{F0FB}' => out.push('✗'),
            '\u{F0FD}' | '\u{F078}' => out.push('☒'),
            '\u{F0FE}' => out.push('☑'),
            '\u{F0A7}' | '\u{F06E}' => out.push('▪'),
            '\u{F0D8}' => out.push('➢'),
            '\u{F0FC}' => out.push('✓'),
            '\u{FB00}'..='\u{FB17}' => push_letters(c, &mut out),
            c => out.push(c),
        }
    }
    Cow::Owned(out)
}

/// A text in reading order without the presentation forms of Hebrew and Arabic letters, which may stand for
/// several letters.
pub(super) fn without_forms(text: &str) -> Cow<'_, str> {
    let is_form = |c: char| matches!(c, '\u{FB1D}'..='\u{FDFF}' | '\u{FE70}'..='\u{FEFC}');
    if !text.chars().any(is_form) {
        return Cow::Borrowed(text);
    }
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        if is_form(c) { push_letters(c, &mut out) } else { out.push(c) }
    }
    Cow::Owned(out)
}

/// Writes the letters that a ligature or form stands for.
fn push_letters(c: char, out: &mut String) {
    let mut buffer = [0; 4];
    out.push_str(&ComposingNormalizer::new_nfkc().normalize(c.encode_utf8(&mut buffer)));
}

/// Whether most of a text has no character: the file does not say what its codes mean.
pub(super) fn is_replacement_text<'t>(texts: impl Iterator<Item = &'t str>) -> bool {
    let (mut unknown, mut known) = (0_usize, 0_usize);
    for c in texts.flat_map(str::chars).filter(|c| !c.is_whitespace() && !c.is_control()) {
        if c == '\u{FFFD}' {
            unknown += 1;
        } else {
            known += 1;
        }
    }
    unknown > known
}

/// The text for comparisons: lower-case letters and digits, `#` for each number.
pub(crate) fn key(text: &str) -> String {
    let mut key = String::with_capacity(text.len());
    for c in text.chars() {
        if c.is_numeric() {
            if !key.ends_with('#') {
                key.push('#');
            }
        } else if c.is_alphabetic() {
            key.extend(c.to_lowercase());
        }
    }
    key
}

/// Whether words of this script are written without spaces.
pub(super) const fn is_unspaced(c: char) -> bool {
    matches!(
        c,
        '\u{2E80}'..='\u{312F}'
            | '\u{31A0}'..='\u{A4CF}'
            | '\u{F900}'..='\u{FAFF}'
            | '\u{FE30}'..='\u{FE4F}'
            | '\u{FF00}'..='\u{FF9F}'
            | '\u{20000}'..='\u{3FFFF}'
    )
}

/// Whether this is a letter of a script that is written from right to left.
pub(super) const fn is_right_to_left(c: char) -> bool {
    matches!(
        c,
        '\u{0590}'..='\u{08FF}'
            | '\u{FB1D}'..='\u{FDFF}'
            | '\u{FE70}'..='\u{FEFC}'
            | '\u{10800}'..='\u{10FFF}'
            | '\u{1E800}'..='\u{1EFFF}'
    ) && !is_mark(c)
        && !is_arabic_digit(c)
}

/// Whether this is a digit of Arabic scripts, or a separator in its numbers: they go from left to right.
const fn is_arabic_digit(c: char) -> bool {
    matches!(c, '\u{060C}' | '\u{0660}'..='\u{0669}' | '\u{066B}' | '\u{066C}' | '\u{06F0}'..='\u{06F9}')
}

/// Whether this is a mark on the letter before it.
pub(super) const fn is_mark(c: char) -> bool {
    matches!(
        c,
        '\u{0300}'..='\u{036F}'
            | '\u{0591}'..='\u{05BD}'
            | '\u{05BF}'
            | '\u{05C1}'
            | '\u{05C2}'
            | '\u{05C4}'
            | '\u{05C5}'
            | '\u{05C7}'
            | '\u{0610}'..='\u{061A}'
            | '\u{064B}'..='\u{065F}'
            | '\u{0670}'
            | '\u{06D6}'..='\u{06DC}'
            | '\u{06DF}'..='\u{06E4}'
            | '\u{06E7}'
            | '\u{06E8}'
            | '\u{06EA}'..='\u{06ED}'
            | '\u{1AB0}'..='\u{1AFF}'
            | '\u{1DC0}'..='\u{1DFF}'
            | '\u{20D0}'..='\u{20FF}'
            | '\u{FE20}'..='\u{FE2F}'
    )
}

/// The superscript of a character, if it has one.
pub(super) const fn superscript(c: char) -> Option<char> {
    Some(match c {
        '0' => '⁰',
        '1' => '¹',
        '2' => '²',
        '3' => '³',
        '4' => '⁴',
        '5' => '⁵',
        '6' => '⁶',
        '7' => '⁷',
        '8' => '⁸',
        '9' => '⁹',
        '+' => '⁺',
        '-' | '\u{2212}' => '⁻',
        _ => return None,
    })
}

/// The subscript of a character, if it has one.
pub(super) const fn subscript(c: char) -> Option<char> {
    Some(match c {
        '0' => '₀',
        '1' => '₁',
        '2' => '₂',
        '3' => '₃',
        '4' => '₄',
        '5' => '₅',
        '6' => '₆',
        '7' => '₇',
        '8' => '₈',
        '9' => '₉',
        '+' => '₊',
        '-' | '\u{2212}' => '₋',
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn characters_are_written_as_letters() {
        for (text, expected) in [
            ("plain", "plain"),
            ("o\u{FB03}ce", "office"),
            ("a\u{00A0}b\u{0007}\u{FFFD}", "a b"),
            ("\u{F0B7} item", "• item"),
        ] {
            assert_eq!(plain(text), expected, "{text:?}");
        }
        assert_eq!(without_forms("\u{FE8D}\u{FEFB}"), "\u{0627}\u{0644}\u{0627}");
    }

    #[test]
    fn texts_without_characters_are_noticed() {
        assert!(is_replacement_text(["\u{FFFD}\u{FFFD} ", "a"].into_iter()));
        assert!(!is_replacement_text(["\u{FFFD}", "ab"].into_iter()));
        assert!(!is_replacement_text(std::iter::empty()));
    }

    #[test]
    fn keys_have_no_numbers() {
        assert_eq!(key("Page 12 of 345"), "page#of#");
        assert_eq!(key("– 7 –"), "#");
    }
}
