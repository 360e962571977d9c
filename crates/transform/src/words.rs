//! Words of short texts such as titles and sentences, for comparing two of them.
//!
//! Nothing depends on the language. In scripts without spaces between words, each pair of neighbouring
//! characters counts as a word.

/// True for characters of scripts without spaces between words.
pub(crate) const fn is_unspaced(c: char) -> bool {
    quarters_of_word(c) > 0
}

/// The part of a word that a character of a script without spaces stands for, in quarters; 0 for other
/// scripts. A word has about two characters of Han and Kana. It has about four of alphabets, whose vowels and
/// tones are characters of their own: Thai, Lao, Tibetan, Burmese, Khmer, and those of the Tai languages.
pub(crate) const fn quarters_of_word(c: char) -> u32 {
    match c {
        '\u{0E00}'..='\u{0FFF}'
        | '\u{1000}'..='\u{109F}'
        | '\u{1780}'..='\u{17FF}'
        | '\u{1950}'..='\u{19FF}'
        | '\u{1A20}'..='\u{1AAF}'
        | '\u{A9E0}'..='\u{A9FF}'
        | '\u{AA60}'..='\u{AA7F}' => 1,
        '\u{3005}'..='\u{3007}'
        | '\u{3041}'..='\u{30FA}'
        | '\u{30FC}'..='\u{30FF}'
        | '\u{31F0}'..='\u{31FF}'
        | '\u{3400}'..='\u{9FFF}'
        | '\u{F900}'..='\u{FAFF}'
        | '\u{FF66}'..='\u{FF9F}'
        | '\u{20000}'..='\u{323AF}' => 2,
        _ => 0,
    }
}

/// The number of words of a text. In scripts without spaces it is estimated by the characters.
pub(crate) fn count(text: &str) -> usize {
    if text.is_ascii() {
        return text.split_ascii_whitespace().count();
    }
    let unspaced = |run: &str| run.chars().map(quarters_of_word).sum::<u32>() as usize / 4;
    text.split_whitespace().map(|run| 1 + unspaced(run)).sum()
}

/// True if the character can be part of a word. Thai and related scripts write vowels as marks, which are not
/// letters.
pub(crate) fn is_of_word(c: char) -> bool {
    c.is_alphanumeric() || is_unspaced(c)
}

/// The words of a text, lower-case and in order. Scripts without spaces give pairs of characters.
pub(crate) fn words(text: &str) -> Vec<String> {
    if text.is_ascii() {
        let runs = text.split(|c: char| !c.is_ascii_alphanumeric()).filter(|word| !word.is_empty());
        return runs.map(str::to_ascii_lowercase).collect();
    }
    let mut words = Vec::new();
    for word in text.split(|c: char| !is_of_word(c)).filter(|word| !word.is_empty()) {
        if !word.chars().any(is_unspaced) {
            words.push(word.to_lowercase());
            continue;
        }
        let characters: Vec<char> = word.chars().collect();
        if let [one] = characters.as_slice() {
            words.push(one.to_string());
        }
        words.extend(characters.windows(2).map(|pair| pair.iter().collect::<String>().to_lowercase()));
    }
    words
}

/// Only the letters and digits of a text, lower-case.
pub(crate) fn letters(text: &str) -> String {
    if text.is_ascii() {
        let mut letters = String::with_capacity(text.len());
        let kept = text.bytes().filter(u8::is_ascii_alphanumeric);
        letters.extend(kept.map(|byte| char::from(byte.to_ascii_lowercase())));
        return letters;
    }
    text.chars().filter(|c| is_of_word(*c)).flat_map(char::to_lowercase).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_found_in_any_script() {
        let rows: [(&str, &[&str]); 6] = [
            ("Ann's 3 Kilns", &["ann", "s", "3", "kilns"]),
            ("高温焼成", &["高温", "温焼", "焼成"]),
            ("窯 hot", &["窯", "hot"]),
            ("เตาเผา", &["เต", "ตา", "าเ", "เผ", "ผา"]),
            ("가마 온도", &["가마", "온도"]),
            ("…", &[]),
        ];
        for (text, expected) in rows {
            assert_eq!(words(text), expected, "{text}");
        }
        assert_eq!(letters("Straße, 1!"), "straße1");
    }

    #[test]
    fn words_are_counted_in_any_script() {
        let rows = [
            ("", 0),
            ("The kiln is hot.", 4),
            ("Où est le four ?", 5),
            ("窯は熱い。土は、冷たい。", 5),
            ("窑炉 1200 度", 4),
            ("เตาเผาร้อนมาก", 4),
            ("가마가 뜨겁다", 2),
            ("الفرن ساخن جدا", 3),
        ];
        for (text, expected) in rows {
            assert_eq!(count(text), expected, "{text}");
        }
    }
}
