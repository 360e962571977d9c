//! The learned choice of single values.
//!
//! Each field has options: the values that the rules propose, and the texts of the page that state a value of
//! its type ([`options`]). Each option has features ([`features`]), and the model makes a probability of them
//! ([`model`]). The likeliest option above the bound of the field's group is chosen, with two restrictions:
//! a page that contradicts itself ([`conflict`]), and a text that several fields want ([`choice`]). With an
//! empty model the rules choose alone ([`rules`]).

mod choice;
mod clean_values;
mod conflict;
mod features;
mod fit;
mod groups;
mod meaning;
mod model;
mod options;
mod own_site;
mod page_facts;
mod page_segments;
mod proof;
mod range_end;
mod rules;
mod segment_names;
mod unlikely_names;
mod whole_text;

pub(crate) use features::{WIDTH, feature_names};
pub(crate) use fit::is_long_text;
pub(crate) use groups::{GROUPS, group_of};
pub(crate) use model::Model;
pub(crate) use options::is_structured;
pub(crate) use page_segments::PageSegments;

use std::ops::Range;

use self::choice::{RatedField, bound_of};
use self::features::SchemaFacts;
use self::meaning::MeaningTable;
use self::options::ValueOption;
use self::page_facts::PageFacts;
use self::rules::RulePools;
use super::MIN_CONFIDENCE;
use super::pool::Choice;
use super::target::TargetField;
use crate::leaf::MissingReason;
use crate::schema::Field;
use crate::segment::LabelKind;

/// The probability of every price is multiplied by this if the page says that the price is on request.
const ON_REQUEST_FACTOR: f32 = 0.4;

/// Chooses the best value for each field of an object.
pub(crate) fn choose(
    page: &PageSegments<'_, '_>,
    fields: &[Field],
    targets: &[TargetField<'_>],
    model: &Model,
) -> Vec<Result<Choice, MissingReason>> {
    let evidence = page.evidence();
    if model.is_empty() {
        return rules::choose(evidence, targets);
    }
    let names = MeaningTable::new(targets);
    let mut rules = RulePools::collect(evidence, targets);
    let facts = PageFacts::read(evidence, page.segments(), &rules, targets, &names);
    let schema = SchemaFacts::read(fields, targets);
    let rate = |field: usize, target: &TargetField<'_>, choices: Vec<Choice>, factor: f32| {
        let options = options::read(&facts, field, targets, choices);
        let rows = features::rows(&facts, &schema, field, targets, &options);
        let mut probabilities = model.probabilities(&rows);
        probabilities.iter_mut().for_each(|probability| *probability *= factor);
        if fit::is_proper_name(target, targets) {
            own_site::prefer(&facts, &options, &mut probabilities);
        }
        if is_long_text(target) {
            whole_text::prefer(&options, &mut probabilities);
        }
        let bound = model.bound(group_of(target));
        let bounds: Vec<f32> =
            options.iter().map(|option| bound_of(&facts, field, target, option, bound)).collect();
        let ranking = conflict::rank(&facts, field, target, &options, &probabilities, &bounds);
        let has_candidates = options.iter().any(|option| option.is_candidate(&facts, field, target.form));
        RatedField { options, probabilities, ranking, bounds, has_candidates }
    };
    let chosen_option = |rated: &RatedField, number: usize| {
        let probability = rated.probabilities.get(number).copied()?;
        let opposed = rated.ranking.opposed.filter(|_| rated.ranking.order.first() == Some(&number));
        let opposed = opposed.and_then(|number| rated.options.get(number));
        Some(proof::choice(&facts, rated.options.get(number)?, probability, opposed))
    };
    // The price first: the currency is the sign beside it.
    let mut price = None;
    if let Some(at) = rules.price
        && let Some(target) = targets.get(at)
    {
        let factor = if rules.is_on_request { ON_REQUEST_FACTOR } else { 1.0 };
        price = Some(rate(at, target, rules.take(at), factor));
    }
    let chosen_price = price.as_ref().and_then(|rated| chosen_option(rated, rated.best()?));
    rules.follow_price(evidence, targets, chosen_price.as_ref());
    let mut rated = Vec::with_capacity(targets.len());
    for (at, target) in targets.iter().enumerate() {
        let of_price = if rules.price == Some(at) { price.take() } else { None };
        rated.push(match of_price {
            Some(price) => price,
            None => rate(at, target, rules.take(at), 1.0),
        });
    }
    let chosen = choice::assign(&facts, targets, &rated);
    let chosen = rated.iter().zip(chosen).map(|(rated, number)| match number {
        Some(number) => chosen_option(rated, number).ok_or(MissingReason::Unsure),
        None if rated.has_candidates => Err(MissingReason::Unsure),
        None => Err(MissingReason::NotFound),
    });
    chosen.collect()
}

/// The options of one field with their features.
#[derive(Debug)]
pub(crate) struct OptionTable {
    pub(crate) options: Vec<ValueOption>,
    /// [`WIDTH`] numbers for each option.
    pub(crate) rows: Vec<f32>,
}

/// The options of each field of an object, as a model would see them after the rules have chosen the price.
pub(crate) fn option_tables(
    page: &PageSegments<'_, '_>,
    fields: &[Field],
    targets: &[TargetField<'_>],
) -> Vec<OptionTable> {
    let schema = SchemaFacts::read(fields, targets);
    with_options(page, targets, |facts, at, options| {
        let rows = features::rows(facts, &schema, at, targets, &options);
        OptionTable { options, rows }
    })
}

/// A value that a field may have, with where the page states it, for a reader that chooses.
#[derive(Debug)]
pub(crate) struct OfferedValue {
    /// The value with its proofs; its score is the one of the rules, 0 if they do not know the value.
    pub(crate) choice: Choice,
    /// The label that the page gives it, in folded words; empty if there is none.
    pub(crate) label: String,
    /// The range of the text that states it, in the visible text.
    pub(crate) range: Option<Range<usize>>,
    /// How well that text fits the field at first sight.
    pub(crate) prior: f32,
}

/// The values that each field of an object may have, without the features that a learned model needs.
pub(crate) fn offered_values(
    page: &PageSegments<'_, '_>,
    targets: &[TargetField<'_>],
) -> Vec<Vec<OfferedValue>> {
    let evidence = page.evidence();
    let heading = evidence.heading.map(|node| crate::bind::folded(evidence.tree.text_of(node)));
    let page_heading = heading.unwrap_or_default();
    with_options(page, targets, |facts, _, options| {
        let offered = options.iter().map(|option| {
            let segment = option.segments.first().and_then(|at| facts.segments.get(*at));
            // A heading is above all texts of its section.
            let label = segment.and_then(|segment| segment.label.as_ref()).filter(|label| {
                let is_above = matches!(label.kind, LabelKind::HeadingAbove | LabelKind::LineAbove);
                !is_above && !page_heading.contains(&label.words)
            });
            let choice = proof::choice(facts, option, 0.0, None);
            OfferedValue {
                choice: Choice { score: option.rule_score(), ..choice },
                label: label.map(|label| label.words.clone()).unwrap_or_default(),
                range: segment.and_then(|segment| segment.range.clone()),
                prior: option.prior,
            }
        });
        offered.collect()
    })
}

/// Reads the options of each field after the rules have chosen the price. `read` gets the number of the field
/// and its options.
fn with_options<T>(
    page: &PageSegments<'_, '_>,
    targets: &[TargetField<'_>],
    mut read: impl FnMut(&PageFacts<'_, '_>, usize, Vec<ValueOption>) -> T,
) -> Vec<T> {
    let evidence = page.evidence();
    let names = MeaningTable::new(targets);
    let mut rules = RulePools::collect(evidence, targets);
    let facts = PageFacts::read(evidence, page.segments(), &rules, targets, &names);
    let mut prices = rules.price.map(|at| rules.take(at));
    let price = prices.clone().and_then(|prices| rules.choose_price(evidence, prices));
    rules.follow_price(evidence, targets, price.filter(|price| price.score >= MIN_CONFIDENCE).as_ref());
    let mut out = Vec::with_capacity(targets.len());
    for at in 0..targets.len() {
        let of_price = if rules.price == Some(at) { prices.take() } else { None };
        let choices = of_price.unwrap_or_else(|| rules.take(at));
        out.push(read(&facts, at, options::read(&facts, at, targets, choices)));
    }
    out
}

#[cfg(test)]
mod tests;
