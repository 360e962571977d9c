//! Classifies an amount of money by the words around it: the price, an old price, a delivery cost, a rate, or
//! a price per unit.

use std::sync::LazyLock;

use aho_corasick::AhoCorasick;

use super::price_words::{AFTER, BEFORE, BEFORE_UNSPACED, NET, UNITS};
use crate::page::{tail, truncate};

/// Weight of an amount without tax. A shop that shows it first sells to other firms, and it is the price
/// there.
pub(crate) const NET_WEIGHT: f64 = 0.8;
/// Weight of an amount in brackets or per unit.
const SECONDARY_WEIGHT: f64 = 0.45;

/// Finds phrases as whole words in texts in the form of [`plain`].
#[derive(Debug)]
struct Phrases(Option<AhoCorasick>);

impl Phrases {
    fn new(phrases: &[&str]) -> Self {
        Self(AhoCorasick::new(phrases.iter().map(|phrase| format!(" {phrase} "))).ok())
    }

    fn occur_in(&self, text: &str) -> bool {
        self.0.as_ref().is_some_and(|search| search.is_match(text))
    }
}

static BEFORE_PHRASES: LazyLock<Phrases> = LazyLock::new(|| Phrases::new(BEFORE));
static NET_PHRASES: LazyLock<Phrases> = LazyLock::new(|| Phrases::new(NET));

/// The weight of an amount by the words around it: 1 for a plain amount, 0 for one that is certainly not the
/// price.
///
/// `before` is the text before it on its line, `after` the text after it, both up to the next amount.
pub(crate) fn context_weight(before: &str, after: &str) -> f64 {
    // An amount in brackets is a side remark.
    let in_brackets = before.rfind('(') > before.rfind(')');
    let before = plain(tail(before, 60));
    let after_text = after.trim_start_matches([')', '*', ' ', '\u{a0}']);
    let after = plain(truncate(after_text, 40));
    if BEFORE_PHRASES.occur_in(&before)
        || BEFORE_UNSPACED.iter().any(|word| before.contains(word))
        || is_rate_or_old_price(&before)
    {
        return 0.0;
    }
    if AFTER.iter().any(|word| after.trim_start().starts_with(word)) {
        return 0.0;
    }
    let unit = after_text.strip_prefix('/').map(plain).or_else(|| {
        let rest = ["per ", "pro ", "je ", "par ", "al ", "por ", "za "].iter();
        rest.into_iter().find_map(|word| after.trim_start().strip_prefix(word)).map(|rest| format!(" {rest}"))
    });
    if let Some(unit) = unit {
        if UNITS.iter().any(|known| unit.starts_with(&format!(" {known} "))) {
            return SECONDARY_WEIGHT;
        }
        if AFTER.iter().any(|word| unit.trim_start().starts_with(word)) {
            return 0.0;
        }
    }
    if in_brackets {
        return SECONDARY_WEIGHT;
    }
    let around = format!("{before}{after}");
    if NET_PHRASES.occur_in(&around) || around.contains("税抜") || around.contains("税別") {
        return NET_WEIGHT;
    }
    1.0
}

/// Whether the text before an amount makes it a rate (`3 x`, `12x de`) or, alone on the line, an old price
/// (`De:`, `van`).
fn is_rate_or_old_price(before: &str) -> bool {
    let words: Vec<&str> = before.split_whitespace().collect();
    let times = |word: &str| {
        word == "x"
            || word.strip_suffix('x').is_some_and(|count| count.len() < 3 && count.parse::<u8>().is_ok())
    };
    match words.as_slice() {
        ["de" | "van"] => true,
        [.., last] if times(last) => true,
        [.., last, "de" | "à" | "da" | "of" | "po"] if times(last) => true,
        _ => false,
    }
}

/// The words of a text in lower case, with one space around each.
fn plain(text: impl AsRef<str>) -> String {
    let mut out = String::from(" ");
    for found in text.as_ref().chars() {
        if found == '×' {
            out.push('x');
        } else if found.is_alphanumeric() {
            out.extend(found.to_lowercase());
        } else if !out.ends_with(' ') {
            out.push(' ');
        }
    }
    if !out.ends_with(' ') {
        out.push(' ');
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_words_around_an_amount_classify_it() {
        let rows = [
            ("", "", 1.0),
            ("Price: ", "", 1.0),
            ("nur ", " inkl. MwSt.", 1.0),
            ("à partir de ", "", 1.0),
            ("was ", "", 0.0),
            ("statt ", "", 0.0),
            ("De: ", "", 0.0),
            ("ou 3x de ", " sem juros", 0.0),
            ("12 × ", "", 0.0),
            ("Najniższa cena z 30 dni przed obniżką: ", "", 0.0),
            ("Free delivery on orders over ", "", 0.0),
            ("", " off", 0.0),
            ("", " / month", 0.0),
            ("", " per month", 0.0),
            ("", " / kg", SECONDARY_WEIGHT),
            ("", " pro 100 g", SECONDARY_WEIGHT),
            ("12 € (", "", SECONDARY_WEIGHT),
            ("(new) ", "", 1.0),
            ("", " / piece", 1.0),
            ("", " excl. btw", NET_WEIGHT),
            ("Brez DDV: ", "", NET_WEIGHT),
            ("Approximately ", "", 0.0),
            ("通常価格", "", 0.0),
        ];
        for (before, after, expected) in rows {
            let found = context_weight(before, after);
            assert!((found - expected).abs() < 1e-9, "{before:?} {after:?}: {found}");
        }
    }
}
