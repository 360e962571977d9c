//! Texts in the forms in which they are compared.

use std::collections::BTreeMap;

use crate::dom;

/// A text with more words is long: it is right if its words have [`LONG_F1`] with the truth.
pub(super) const LONG_WORDS: usize = 20;
/// Lower bound on the word F1 of a long text.
const LONG_F1: f64 = 0.9;

/// The text in lower case with folded white space and one form of quotes and dashes.
pub(super) fn folded(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for found in text.chars() {
        match found {
            '\u{200b}' | '\u{200e}' | '\u{200f}' | '\u{ad}' | '\u{feff}' => {}
            '‘' | '’' | '‚' | '′' | '`' | '´' => out.push('\''),
            '“' | '”' | '„' | '«' | '»' | '″' => out.push('"'),
            '‐' | '‑' | '–' | '—' | '−' => out.push('-'),
            '…' => out.push_str("..."),
            blank if blank.is_whitespace() => {
                if !out.is_empty() && !out.ends_with(' ') {
                    out.push(' ');
                }
            }
            other => out.extend(other.to_lowercase()),
        }
    }
    out.truncate(out.trim_end().len());
    out
}

/// The words of a text in lower case.
pub(super) fn words(text: &str) -> Vec<String> {
    let lower = folded(text);
    lower
        .split(|found: char| !found.is_alphanumeric())
        .filter(|word| !word.is_empty())
        .map(str::to_owned)
        .collect()
}

/// The letters and digits of a text in lower case.
pub(super) fn letters_and_digits(text: &str) -> String {
    text.chars().filter(|found| found.is_alphanumeric()).flat_map(char::to_lowercase).collect()
}

/// Whether a text is in a script that writes no blanks between words.
pub(super) fn is_unspaced(text: &str) -> bool {
    text.chars().any(|found| found >= '\u{3000}')
}

/// The text without tags and character references, which texts in JSON-LD often have.
pub(super) fn plain(text: &str) -> String {
    let text = if text.contains(['<', '&']) { dom::text(text) } else { text.to_owned() };
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// F1 of the words of two texts, with repeats.
pub(super) fn word_f1(left: &[String], right: &[String]) -> f64 {
    let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
    for word in right {
        *counts.entry(word).or_default() += 1;
    }
    let mut shared = 0;
    for word in left {
        if let Some(count) = counts.get_mut(word.as_str()).filter(|count| **count > 0) {
            *count -= 1;
            shared += 1;
        }
    }
    ratio(2 * shared, left.len() + right.len())
}

/// Whether a text has the words of the truth or, if the truth is long, almost the same ones. Case and signs
/// do not count. In scripts that write no blanks between words, only letters and digits count.
pub(super) fn same_text(given: &str, truth: &str) -> bool {
    if folded(given) == folded(truth) {
        return true;
    }
    if is_unspaced(truth) && letters_and_digits(given) == letters_and_digits(truth) {
        return true;
    }
    let (given, truth) = (words(given), words(truth));
    (!truth.is_empty() && given == truth) || (truth.len() > LONG_WORDS && word_f1(&given, &truth) >= LONG_F1)
}

/// A share; 0 of nothing.
pub(super) fn ratio(part: usize, whole: usize) -> f64 {
    if whole == 0 { 0.0 } else { part as f64 / whole as f64 }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_are_compared_without_case_and_signs() {
        let rows = [
            ("Cups: a guide", "Cups - A Guide", true),
            ("Red  Cup", "red cup", true),
            ("It’s “new”", "it's \"new\"", true),
            ("Red cup", "Red cup: shop.example", false),
            ("By Ada Holm", "Ada Holm", false),
            ("海辺の家。 静かな日", "海辺の家。静かな日", true),
        ];
        for (given, truth, expected) in rows {
            assert_eq!(same_text(given, truth), expected, "{given}");
        }
        let long = "word ".repeat(40);
        assert!(same_text(&format!("{long} more"), &long));
        assert!(!same_text(&"word ".repeat(20), &long));
        assert_eq!(plain("a &amp; <b>c</b>"), "a & c");
    }
}
