//! Classifies an amount of money by the words around it: the price, an old price, a delivery cost, a rate, or
//! a price per unit.

use std::sync::LazyLock;

use aho_corasick::AhoCorasick;

use super::price_words::{AFTER, AFTER_TOTAL, BEFORE, BEFORE_UNSPACED, GROSS, NET, NIGHTS, PriceRole, UNITS};
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

    /// Where the last of them ends.
    fn last_in(&self, text: &str) -> Option<usize> {
        let search = self.0.as_ref()?;
        search.find_overlapping_iter(text).map(|found| found.end()).max()
    }
}

static BEFORE_PHRASES: LazyLock<Vec<(PriceRole, Phrases)>> =
    LazyLock::new(|| BEFORE.iter().map(|(role, phrases)| (*role, Phrases::new(phrases))).collect());
static NET_PHRASES: LazyLock<Phrases> = LazyLock::new(|| Phrases::new(NET));
static GROSS_PHRASES: LazyLock<Phrases> = LazyLock::new(|| Phrases::new(GROSS));
/// Starts of the text after a price for a unit.
const PER: [&str; 9] = ["per ", "pro ", "je ", "par ", "al ", "por ", "za ", "a ", "na "];

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
    if BEFORE_PHRASES.iter().any(|(_, phrases)| phrases.occur_in(&before))
        || BEFORE_UNSPACED.iter().any(|word| before.contains(word))
        || is_rate_or_old_price(&before)
    {
        return 0.0;
    }
    let ends = |text: &str| AFTER.iter().flat_map(|(_, words)| *words).any(|word| text.starts_with(word));
    if ends(after.trim_start()) {
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
        if ends(unit.trim_start()) {
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

/// What an amount is by the words around it, and whether the words after it say so. `before` and `after` are
/// as for [`context_weight`].
pub(crate) fn role_of(before: &str, after: &str) -> (PriceRole, bool) {
    let before = plain(tail(before, 60));
    let after_text = after.trim_start_matches([')', '*', ' ', '\u{a0}']);
    let after = plain(truncate(after_text, 40));
    let after = after.trim_start();
    let unit = after_text.strip_prefix('/').map(plain);
    let unit = unit.as_deref().map(str::trim_start);
    let unit = unit.or_else(|| PER.iter().find_map(|word| after.strip_prefix(word)));
    let starts = |text: &str, words: &[&str]| {
        words.iter().any(|word| text.strip_prefix(word).is_some_and(|rest| rest.starts_with(' ')))
    };
    let (first, _) = after.split_once(' ').unwrap_or((after, ""));
    if unit.is_some_and(|unit| starts(unit, NIGHTS)) || first == "nightly" {
        return (PriceRole::Night, true);
    }
    if unit.is_some_and(|unit| starts(unit, UNITS)) {
        return (PriceRole::PerUnit, true);
    }
    let ends = |(_, words): &&(PriceRole, &[&str])| {
        words.iter().any(|word| after.starts_with(word) || unit.is_some_and(|unit| unit.starts_with(word)))
    };
    if let Some((role, _)) = AFTER.iter().find(ends) {
        return (*role, true);
    }
    if starts(after, AFTER_TOTAL) {
        return (PriceRole::Total, true);
    }
    let last = |(role, phrases): &(PriceRole, Phrases)| Some((phrases.last_in(&before)?, *role));
    if let Some((_, role)) = BEFORE_PHRASES.iter().filter_map(last).max_by_key(|(end, _)| *end) {
        return (role, false);
    }
    if is_rate_or_old_price(&before) {
        let is_old = matches!(before.trim(), "de" | "van");
        return (if is_old { PriceRole::Former } else { PriceRole::Instalment }, false);
    }
    if BEFORE_UNSPACED.iter().any(|word| before.contains(word)) {
        return (PriceRole::Other, false);
    }
    (PriceRole::Asked, false)
}

/// Whether the words around an amount say that it is with tax (`true`) or without it (`false`).
pub(crate) fn with_tax(before: &str, after: &str) -> Option<bool> {
    let of = |text: &str| {
        let is_net = NET_PHRASES.occur_in(text) || text.contains("税抜") || text.contains("税別");
        let is_gross = GROSS_PHRASES.occur_in(text) || text.contains("税込");
        (is_net != is_gross).then_some(is_gross)
    };
    of(&plain(truncate(after, 40))).or_else(|| of(&plain(tail(before, 60))))
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
    fn the_words_around_an_amount_tell_its_role() {
        let rows = [
            ("", "", PriceRole::Asked),
            ("Our price ", "", PriceRole::Asked),
            ("Was ", " inc. VAT", PriceRole::Former),
            ("RRP ", "", PriceRole::Recommended),
            ("UVP: ", "", PriceRole::Recommended),
            ("Save ", "", PriceRole::Saving),
            ("", " off", PriceRole::Saving),
            ("Delivery: ", "", PriceRole::Shipping),
            ("zzgl. Versand ", "", PriceRole::Shipping),
            ("", " / month", PriceRole::Instalment),
            ("ou 12x de ", " sem juros", PriceRole::Instalment),
            ("", " / kg", PriceRole::PerUnit),
            ("", " per night", PriceRole::Night),
            ("", " / Nacht", PriceRole::Night),
            ("", " a night", PriceRole::Night),
            ("", " total for 3 nights", PriceRole::Total),
            ("Total: ", "", PriceRole::Total),
            ("Free delivery over ", "", PriceRole::Other),
            ("Deposit ", "", PriceRole::Deposit),
            ("De: ", "", PriceRole::Former),
            ("", " / piece", PriceRole::Asked),
        ];
        for (before, after, expected) in rows {
            assert_eq!(role_of(before, after).0, expected, "{before:?} {after:?}");
        }
        let taxes =
            [(" ex. VAT", Some(false)), (" inc. VAT", Some(true)), (" bez DPH", Some(false)), ("", None)];
        for (after, expected) in taxes {
            assert_eq!(with_tax("", after), expected, "{after}");
        }
    }

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
