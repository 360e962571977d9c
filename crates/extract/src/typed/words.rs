//! Vocabularies: words in one form, and tables of them.

use hashbrown::{HashMap, HashSet};

/// A word in the form of the tables: lower case, without accents and signs that writers leave out.
///
/// Signs that tell words apart, such as the vowels of Hindi and Thai, stay.
pub(super) fn fold(word: &str) -> String {
    let mut out = String::with_capacity(word.len());
    for found in word.chars() {
        if found.is_ascii() {
            out.push(found.to_ascii_lowercase());
        } else if !is_optional(found) {
            out.extend(found.to_lowercase().filter(|lower| !is_optional(*lower)).map(plain_letter));
        }
    }
    out
}

/// Whether this is a combining sign that writers leave out, or an invisible character.
fn is_optional(found: char) -> bool {
    is_invisible(found)
        || matches!(found,
            '\u{300}'..='\u{36f}' | '\u{591}'..='\u{5c7}' | '\u{640}' | '\u{64b}'..='\u{652}' | '\u{93c}')
}

/// Whether this character has no width: a soft hyphen, a joiner, a mark of direction, a variation selector.
pub(super) const fn is_invisible(found: char) -> bool {
    matches!(found, '\u{ad}' | '\u{200b}'..='\u{200f}' | '\u{2060}' | '\u{fe00}'..='\u{fe0f}' | '\u{feff}')
}

/// A lower-case letter without its accent.
const fn plain_letter(found: char) -> char {
    match found {
        'à'..='å' | 'ā' | 'ă' | 'ą' | '\u{1ea0}'..='\u{1eb7}' => 'a',
        'ç' | 'ć' | 'ĉ' | 'ċ' | 'č' => 'c',
        'ď' | 'đ' => 'd',
        'è'..='ë' | 'ē' | 'ĕ' | 'ė' | 'ę' | 'ě' | '\u{1eb8}'..='\u{1ec7}' => 'e',
        'ĝ' | 'ğ' | 'ġ' | 'ģ' => 'g',
        'ì'..='ï' | 'ĩ' | 'ī' | 'ĭ' | 'į' | 'ı' | '\u{1ec8}'..='\u{1ecb}' => 'i',
        'ķ' => 'k',
        'ĺ' | 'ļ' | 'ľ' | 'ł' => 'l',
        'ñ' | 'ń' | 'ņ' | 'ň' => 'n',
        'ò'..='ö' | 'ø' | 'ō' | 'ŏ' | 'ő' | 'ơ' | '\u{1ecc}'..='\u{1ee3}' => 'o',
        'ŕ' | 'ŗ' | 'ř' => 'r',
        'ś' | 'ŝ' | 'ş' | 'š' | 'ș' => 's',
        'ţ' | 'ť' | 'ț' => 't',
        'ù'..='ü' | 'ũ' | 'ū' | 'ŭ' | 'ů' | 'ű' | 'ų' | 'ư' | '\u{1ee4}'..='\u{1ef1}' => 'u',
        'ý' | 'ÿ' | '\u{1ef2}'..='\u{1ef9}' => 'y',
        'ź' | 'ż' | 'ž' => 'z',
        'ά' => 'α',
        'έ' => 'ε',
        'ή' => 'η',
        'ί' | 'ϊ' | 'ΐ' => 'ι',
        'ό' => 'ο',
        'ύ' | 'ϋ' | 'ΰ' => 'υ',
        'ώ' => 'ω',
        'ς' => 'σ',
        'ё' => 'е',
        'أ' | 'إ' | 'آ' => 'ا',
        'ى' => 'ي',
        '\u{95e}' => 'फ',
        other => other,
    }
}

/// The phrases of lines such as `by|written by`, each with the value of its line.
pub(super) fn index<T: Copy>(lines: &[(T, &'static str)]) -> HashMap<&'static str, T> {
    lines.iter().flat_map(|(value, line)| line.split('|').map(|phrase| (phrase, *value))).collect()
}

/// The phrases of lines such as `by|written by`.
pub(super) fn phrases(lines: &[&'static str]) -> HashSet<&'static str> {
    lines.iter().flat_map(|line| line.split('|')).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_have_one_form() {
        let rows = [
            ("AOÛT", "aout"),
            ("Ağustos", "agustos"),
            ("HAZİRAN", "haziran"),
            ("Μάρτιος", "μαρτιοσ"),
            ("ΜΑΡΤΙΟΣ", "μαρτιοσ"),
            ("e\u{301}te\u{301}", "ete"),
            ("phút", "phut"),
            ("giờ", "gio"),
            ("أغسطس", "اغسطس"),
            ("फ़रवरी", "फरवरी"),
            ("มี", "มี"),
            ("soft\u{ad}ware", "software"),
        ];
        for (word, expected) in rows {
            assert_eq!(fold(word), expected, "{word}");
        }
    }
}
