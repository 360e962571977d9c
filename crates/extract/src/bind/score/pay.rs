//! Which sums of money are a pay: one that a label or an element calls so, a range, or one for a period of
//! work. `From` and `up to` bound one end only.

use super::options::ValueOption;
use super::page_facts::PageFacts;
use super::segment_names::NamePlace;
use crate::bind::target::TargetField;
use crate::bind::words::folded;
use crate::typed::{NumberStyle, money_range};

/// Words before the lowest pay.
const FROM: [&str; 13] = [
    "from",
    "ab",
    "starting at",
    "starting from",
    "at least",
    "minimum",
    "min",
    "à partir de",
    "desde",
    "a partir de",
    "vanaf",
    "från",
    "od",
];
/// Words before the highest pay.
const UP_TO: [&str; 11] =
    ["up to", "bis zu", "maximum", "max", "jusqu à", "hasta", "fino a", "até", "tot", "upp till", "op til"];

/// Whether a field asks for a pay.
pub(super) fn is_asked(target: &TargetField<'_>) -> bool {
    ["salary", "salary min", "salary max"].iter().any(|name| target.has_concept(name))
}

/// Whether a value may be the pay that a field asks for.
pub(super) fn may_be(
    page: &PageFacts<'_, '_>,
    field: usize,
    target: &TargetField<'_>,
    option: &ValueOption,
) -> bool {
    if option.is_structured() {
        return true;
    }
    let quotes = option.choice.iter().flat_map(|choice| &choice.proofs).map(|proof| proof.quote.as_str());
    let segments = option.segments.iter().filter_map(|at| page.segments.get(*at));
    let texts: Vec<&str> = quotes.chain(segments.map(|segment| segment.text.as_str())).collect();
    let (is_lowest, is_highest) = (target.has_concept("salary min"), target.has_concept("salary max"));
    let is_range = texts
        .iter()
        .any(|text| money_range(text, NumberStyle::Prose).is_some_and(|(_, high, _)| high.is_some()));
    let is_other_end =
        |text: &&str| (is_highest && is_after(text, &FROM)) || (is_lowest && is_after(text, &UP_TO));
    if !is_range && texts.iter().any(is_other_end) {
        return false;
    }
    let is_paid = texts.iter().any(|text| {
        let is_of_period =
            money_range(text, NumberStyle::Prose).is_some_and(|(_, _, period)| period.is_some());
        is_of_period && (!is_highest || is_after(text, &UP_TO))
    });
    is_range || is_paid || is_named(page, field, option)
}

/// Whether a label or an element calls an option what the field asks for.
fn is_named(page: &PageFacts<'_, '_>, field: usize, option: &ValueOption) -> bool {
    let mut proofs = option.choice.iter().flat_map(|choice| &choice.proofs);
    let mut facts = option.segments.iter().filter_map(|at| page.facts.get(*at));
    proofs.any(|proof| proof.method.is_beside_label())
        || facts.any(|facts| {
            let own = |place: NamePlace| {
                matches!(place, NamePlace::Label | NamePlace::Property | NamePlace::Element(0))
            };
            facts
                .names
                .iter()
                .any(|name| own(name.place) && page.names.relation(name.meaning, field).is_own())
        })
}

/// Whether one of these words stands before the first sum of a text.
fn is_after(text: &str, words: &[&str]) -> bool {
    let Some((sum, ..)) = money_range(text, NumberStyle::Prose) else { return false };
    let before = folded(text.get(..sum.range.start).unwrap_or_default());
    words
        .iter()
        .any(|word| before.strip_suffix(*word).is_some_and(|rest| rest.is_empty() || rest.ends_with(' ')))
}
