//! Maps ranges of the visible text to text nodes, and restores decimal points that a style sheet draws.

use std::ops::Range;

use crate::evidence::Evidence;
use crate::markup::{Kind, NodeId};

/// The text nodes of a page with their positions, for finding the element that a part of the visible text
/// comes from.
#[derive(Debug, Default)]
pub(crate) struct TextNodes {
    /// In page order.
    texts: Vec<(Range<usize>, NodeId)>,
}

impl TextNodes {
    pub(crate) fn read(evidence: &Evidence<'_>) -> Self {
        let tree = &evidence.tree;
        let text = |node: &NodeId| matches!(tree.kind(*node), Some(Kind::Text { .. }));
        let texts = tree.nodes().filter(text).map(|node| (tree.text_range(node), node)).collect();
        Self { texts }
    }

    /// The text nodes in a part of the visible text.
    pub(crate) fn within(&self, range: &Range<usize>) -> &[(Range<usize>, NodeId)] {
        let start = self.texts.partition_point(|(text, _)| text.end <= range.start);
        let end = self.texts.partition_point(|(text, _)| text.start < range.end);
        self.texts.get(start..end).unwrap_or_default()
    }

    /// The position of a decimal point that comes from the style sheet: `24<sup>90</sup>` is 24.90. `None` if
    /// the amount is written in full.
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

/// An amount with the decimal point that [`TextNodes::cents`] found.
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
    use crate::typed::money_amounts;

    #[test]
    fn cents_in_their_own_element_get_a_decimal_point() {
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
            let texts = TextNodes::read(&evidence);
            let text = evidence.tree.text();
            let range = money_amounts(text).next().unwrap().range;
            let found = texts.cents(text, &range).map(|point| with_cents(text.get(range).unwrap(), point));
            assert_eq!(found.as_deref(), expected, "{html}");
        }
    }
}
