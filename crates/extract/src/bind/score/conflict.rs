//! What counts if a page contradicts itself: its data for machines states one value and its text another.
//!
//! For the price, the availability and codes, what a reader sees wins if the page labels it: shops forget to
//! update the data that no reader sees, and a price with its sign or a code after its label cannot be
//! mistaken for another text. For other fields, and without a label, the data for machines wins: it says
//! what it means, while the text only stands somewhere. Either wins only if the model finds it nearly as
//! likely as the other. The value that loses stays among the proofs of the field.

use super::options::{ValueOption, is_structured};
use super::page_facts::PageFacts;
use super::segment_names::NamePlace;
use crate::bind::MIN_CONFIDENCE;
use crate::bind::target::TargetField;
use crate::normalise::ValueForm;
use crate::typed::currency_sign;

/// A value wins against a likelier one only if its probability is at least this share of the other's.
const MIN_SHARE: f32 = 0.6;

/// The options of a field, the one to choose first.
#[derive(Debug)]
pub(crate) struct Ranking {
    /// The numbers of the options, best first.
    pub(crate) order: Vec<usize>,
    /// The option that states another value than the first, by the other kind of evidence.
    pub(crate) opposed: Option<usize>,
}

/// Ranks the options of a field by their probabilities, and settles a conflict between what a reader sees
/// and the data for machines.
pub(crate) fn rank(
    page: &PageFacts<'_, '_>,
    field: usize,
    target: &TargetField<'_>,
    options: &[ValueOption],
    probabilities: &[f32],
    bounds: &[f32],
) -> Ranking {
    let of = |number: &usize| probabilities.get(*number).copied().unwrap_or_default();
    let mut order: Vec<usize> = (0..options.len()).collect();
    // The sort is stable: between equals, the rules' order counts.
    order.sort_by(|left, right| of(right).total_cmp(&of(left)));
    let first = |wanted: &dyn Fn(&ValueOption) -> bool| {
        order.iter().copied().find(|number| options.get(*number).is_some_and(wanted))
    };
    let stated = first(&ValueOption::is_structured);
    let shown = first(&|option| !option.is_structured() && is_shown(page, option));
    let (Some(stated), Some(shown)) = (stated, shown) else { return Ranking { order, opposed: None } };
    let seen_counts = options.get(shown).is_some_and(|option| is_labelled(page, field, target, option));
    let (winner, loser) = if seen_counts { (shown, stated) } else { (stated, shown) };
    let is_above_bound = |number: usize| bounds.get(number).is_some_and(|bound| of(&number) >= *bound);
    let is_likely = is_above_bound(winner) && of(&winner) >= MIN_SHARE * of(&loser);
    if is_likely && order.first() == Some(&loser) {
        order.retain(|number| *number != winner);
        order.insert(0, winner);
    }
    let other = if order.first() == Some(&shown) { stated } else { shown };
    let is_known = options.get(other).is_some_and(|option| option.rule_score() >= MIN_CONFIDENCE);
    let is_first = order.first().is_some_and(|first| *first == stated || *first == shown);
    let opposed = Some(other).filter(|_| is_first && (is_known || is_above_bound(other)));
    Ranking { order, opposed }
}

/// Whether a reader sees the value in a part of the page that is about its main entity.
fn is_shown(page: &PageFacts<'_, '_>, option: &ValueOption) -> bool {
    let mut segments = option.segments.iter().filter_map(|at| page.segment(*at));
    let mut proofs = option.choice.iter().flat_map(|choice| &choice.proofs);
    segments.any(|(segment, facts)| segment.range.is_some() && !facts.is_unrelated)
        || proofs.any(|proof| !is_structured(proof.method) && proof.html_range.is_some())
}

/// Whether the page labels a value that a reader sees, for a field of a kind where that counts.
fn is_labelled(
    page: &PageFacts<'_, '_>,
    field: usize,
    target: &TargetField<'_>,
    option: &ValueOption,
) -> bool {
    let is_price = target.has_concept("price");
    let counts =
        is_price || matches!(target.form, ValueForm::Availability | ValueForm::Code | ValueForm::Gtin);
    if !counts {
        return false;
    }
    let names = option.segments.iter().filter_map(|at| page.segment(*at));
    let mut names = names.filter(|(segment, _)| segment.range.is_some()).flat_map(|(_, facts)| &facts.names);
    let by_name = names.any(|name| {
        let is_own = page.names.relation(name.meaning, field).is_own();
        is_own && matches!(name.place, NamePlace::Label | NamePlace::Property | NamePlace::Element(0))
    });
    let quotes = option.choice.iter().flat_map(|choice| &choice.proofs).map(|proof| proof.quote.as_str());
    let texts = option.segments.iter().filter_map(|at| page.segments.get(*at));
    let is_signed = |text: &str| text.len() <= 80 && currency_sign(text).is_some();
    by_name
        || option.choice.iter().flat_map(|choice| &choice.proofs).any(|proof| proof.method.is_beside_label())
        || is_price && quotes.chain(texts.map(|segment| segment.text.as_str())).any(is_signed)
}
