//! What kind of sum it is that stands on a page: the words around it tell the price from what it was, from what delivery
//! costs, from a rate and from a price by the kilogram.

use std::ops::Range;

use super::sum_words::{AFTER, BEFORE, BEFORE_UNSPACED, NET, UNITS};
use crate::evidence::Evidence;
use crate::markup::{Kind, NodeId};
use crate::page::cut;

/// A sum without tax: a shop that shows it first sells to other firms, and it is the price there.
pub(crate) const NET_STANDING: f64 = 0.8;
/// A sum in brackets or of a unit.
const ASIDE_STANDING: f64 = 0.45;

/// How much a sum counts for the words around it: 1 for a plain one, 0 for one that is surely another.
///
/// `before` is what stands on the line in front of it, `after` what stands behind it, both up to the next sum.
pub(crate) fn standing(before: &str, after: &str) -> f64 {
    // What stands in brackets is said by the way.
    let blocking = before.rfind('(') > before.rfind(')');
    let before = plain(before.get(before.len() - tail(before, 60)..).unwrap_or_default());
    let after_text = after.trim_start_matches([')', '*', ' ', '\u{a0}']);
    let after = plain(cut(after_text, 40));
    if BEFORE.iter().any(|word| before.contains(&format!(" {word} ")))
        || BEFORE_UNSPACED.iter().any(|word| before.contains(word))
        || is_part(&before)
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
            return ASIDE_STANDING;
        }
        if AFTER.iter().any(|word| unit.trim_start().starts_with(word)) {
            return 0.0;
        }
    }
    if blocking {
        return ASIDE_STANDING;
    }
    let around = format!("{before}{after}");
    if NET.iter().any(|word| around.contains(&format!(" {word} ")))
        || around.contains("税抜")
        || around.contains("税別")
    {
        return NET_STANDING;
    }
    1.0
}

/// `3 x`, `12x de`: a rate. `De:` and `van` alone on the line: what it was.
fn is_part(before: &str) -> bool {
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

/// Bytes of the last part of a text that is at most so long, ended between two characters.
fn tail(text: &str, bytes: usize) -> usize {
    let mut start = text.len().saturating_sub(bytes);
    while !text.is_char_boundary(start) {
        start += 1;
    }
    text.len() - start
}

/// Lower-case words, one space around each.
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

/// The texts of a page with their places, for finding which element a part of the visible text comes from.
#[derive(Debug, Default)]
pub(crate) struct Texts {
    /// In order.
    texts: Vec<(Range<usize>, NodeId)>,
}

impl Texts {
    pub(crate) fn read(evidence: &Evidence<'_>) -> Self {
        let tree = &evidence.tree;
        let text = |node: &NodeId| matches!(tree.kind(*node), Some(Kind::Text { .. }));
        let texts = tree.nodes().filter(text).map(|node| (tree.text_range(node), node)).collect();
        Self { texts }
    }

    /// The texts that stand in a part of the visible text.
    pub(crate) fn within(&self, range: &Range<usize>) -> &[(Range<usize>, NodeId)] {
        let start = self.texts.partition_point(|(text, _)| text.end <= range.start);
        let end = self.texts.partition_point(|(text, _)| text.start < range.end);
        self.texts.get(start..end).unwrap_or_default()
    }

    /// Where a decimal point belongs that the page leaves to its style sheet: `24<sup>90</sup>` is 24.90. `None` where the sum
    /// is written in full.
    pub(crate) fn cents(&self, visible: &str, range: &Range<usize>) -> Option<usize> {
        let parts = self.within(range);
        let (last, _) = parts.iter().rev().find(|(text, _)| {
            visible.get(text.clone()).is_some_and(|text| text.bytes().any(|byte| byte.is_ascii_digit()))
        })?;
        let point = last.start.checked_sub(range.start).filter(|point| *point > 0)?;
        let sum = visible.get(range.clone())?;
        let (whole, cents) = sum.split_at_checked(point)?;
        let digits = cents.bytes().take_while(u8::is_ascii_digit).count();
        let ended = !cents.get(digits..)?.starts_with(['.', ',', '\'']);
        let tail = whole.rsplit(['.', ',', '\'', '’', ' ', '\u{a0}']).next().unwrap_or_default();
        let separated = whole.contains(['.', ',']) && tail.bytes().filter(u8::is_ascii_digit).count() < 3;
        (digits == 2 && ended && !separated && whole.ends_with(|found: char| found.is_ascii_digit()))
            .then_some(point)
    }
}

/// A sum written with the point that [`Texts::cents`] found.
pub(crate) fn with_cents(sum: &str, point: usize) -> String {
    let (whole, cents) = sum.split_at_checked(point).unwrap_or((sum, ""));
    let whole: String =
        whole.chars().filter(|found| !matches!(found, '.' | ',' | '\'' | '’' | ' ' | '\u{a0}')).collect();
    format!("{whole}.{cents}")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::page::Page;
    use crate::typed::moneys;

    #[test]
    fn the_words_around_a_sum_tell_what_it_is() {
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
            ("", " / kg", ASIDE_STANDING),
            ("", " pro 100 g", ASIDE_STANDING),
            ("12 € (", "", ASIDE_STANDING),
            ("(new) ", "", 1.0),
            ("", " / piece", 1.0),
            ("", " excl. btw", NET_STANDING),
            ("Brez DDV: ", "", NET_STANDING),
            ("Approximately ", "", 0.0),
            ("通常価格", "", 0.0),
        ];
        for (before, after, expected) in rows {
            let found = standing(before, after);
            assert!((found - expected).abs() < 1e-9, "{before:?} {after:?}: {found}");
        }
    }

    #[test]
    fn cents_in_an_element_of_their_own_are_cents() {
        let rows = [
            ("<p>€24<sup>90</sup>", Some("€24.90")),
            ("<p><b>1.299</b><sup>50</sup> €", Some("1299.50 €")),
            ("<p>€24.<sup>90</sup>", None),
            ("<p>24,90 €", None),
            ("<p>€2<b>490</b>", None),
        ];
        for (html, expected) in rows {
            let page = Page::new("https://shop.example/".parse().unwrap(), html);
            let evidence = Evidence::read(&page);
            let texts = Texts::read(&evidence);
            let text = evidence.tree.text();
            let range = moneys(text).next().unwrap().range;
            let found = texts.cents(text, &range).map(|point| with_cents(text.get(range).unwrap(), point));
            assert_eq!(found.as_deref(), expected, "{html}");
        }
    }
}
