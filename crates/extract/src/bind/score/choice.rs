//! Assigns rated options to fields, the surest first, so that two fields rarely share a text.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use hashbrown::HashMap;

use super::conflict::Ranking;
use super::options::ValueOption;
use super::page_facts::PageFacts;
use super::segment_names::SegmentName;
use super::unlikely_names::is_title_without_site;
use crate::bind::MIN_CONFIDENCE;
use crate::bind::concept::Concept;
use crate::bind::target::TargetField;
use crate::markup::NodeId;
use crate::normalise::ValueForm;
use crate::schema::ShapeKind;
use crate::segment::Origin;

/// The probability above which a text may be the value of two fields, such as a title that is only a brand.
const NEAR_CERTAIN: f32 = 0.9;
/// The highest bound of a value that data for machines states. Bounds are set on pages without such data, where
/// wrong values are likelier.
const STATED_BOUND: f32 = 0.3;
/// The lowest bound of a text without the name of the field beside it, if the name is all that is known of the
/// field.
const NAMELESS_BOUND: f32 = 0.95;
/// The lowest bound of a price that the rules do not take: it may be of another thing, or of its delivery.
const DOUBTED_PRICE_BOUND: f32 = 0.82;
/// Segments of a page that is hardly more than one thing.
const FEW_SEGMENTS: usize = 40;
/// The highest bound there of a value that the rules propose, too, and of a name that the title has beside that of
/// the site: the model knows few pages of this size, and they have little to mistake the value for.
const SMALL_PAGE_BOUND: f32 = 0.3;
/// The highest bound there of what a title has beside the texts that recur on the pages of its site.
const OWN_TITLE_BOUND: f32 = 0.2;
/// The lowest score by the rules of such a value.
const SMALL_PAGE_SCORE: f64 = 0.2;
/// Upper bound on the fields with one text that another field is compared with.
const MAX_COMPARED: usize = 32;

/// The rated options of one field.
#[derive(Debug)]
pub(crate) struct RatedField {
    pub(crate) options: Vec<ValueOption>,
    /// In the order of the options.
    pub(crate) probabilities: Vec<f32>,
    pub(crate) ranking: Ranking,
    /// The probability below which an option is not chosen, in the order of the options.
    pub(crate) bounds: Vec<f32>,
    /// Whether one of the options may be the value, and is not just a text of the page.
    pub(crate) has_candidates: bool,
}

impl RatedField {
    /// The next option of the ranking, from a place on, that is not below its bound: its place, its number and
    /// its probability.
    fn next(&self, from: usize) -> Option<(usize, usize, f32)> {
        let places = self.ranking.order.iter().enumerate().skip(from);
        let mut options = places.filter_map(|(place, number)| {
            let probability = *self.probabilities.get(*number)?;
            let bound = *self.bounds.get(*number)?;
            (probability >= bound).then_some((place, *number, probability))
        });
        options.next()
    }

    /// The best option, whatever the other fields are.
    pub(crate) fn best(&self) -> Option<usize> {
        self.next(0).map(|(_, number, _)| number)
    }
}

/// The probability below which an option is not chosen, if its field has this bound.
pub(crate) fn bound_of(
    page: &PageFacts<'_, '_>,
    field: usize,
    target: &TargetField<'_>,
    option: &ValueOption,
    bound: f32,
) -> f32 {
    if option.is_stated() {
        return bound.min(STATED_BOUND);
    }
    if target.concept.is_none() && !is_named(page, field, option) {
        return bound.max(NAMELESS_BOUND);
    }
    let is_withheld = target.has_concept("price") && page.is_on_request;
    let mut segments = option.segments.iter().filter_map(|at| page.segments.get(*at));
    let is_name = target.has_concept("name");
    let is_title = is_name && segments.clone().any(|segment| is_title_without_site(page, segment));
    let is_proposed = option.rule_score() >= SMALL_PAGE_SCORE || is_title;
    if page.segments.len() <= FEW_SEGMENTS && is_proposed && !is_withheld {
        // Other pages of the site have taught which part of the title is its own.
        let is_taught = page.evidence.recurring.is_some();
        let is_own = is_taught && is_name && segments.any(|segment| segment.origin == Origin::TitlePart);
        return bound.min(if is_own { OWN_TITLE_BOUND } else { SMALL_PAGE_BOUND });
    }
    let is_doubted = target.has_concept("price") && option.rule_score() < MIN_CONFIDENCE;
    if is_doubted { bound.max(DOUBTED_PRICE_BOUND) } else { bound }
}

/// Whether the rules or the names beside it connect an option with its field.
fn is_named(page: &PageFacts<'_, '_>, field: usize, option: &ValueOption) -> bool {
    let mut segments = option.segments.iter().filter_map(|at| page.facts.get(*at));
    let is_own = |name: &SegmentName| page.names.relation(name.meaning, field).is_own();
    option.choice.is_some() || segments.any(|facts| facts.names.iter().any(is_own))
}

/// A text of the page that is a field's value.
#[derive(Debug)]
struct TakenText<'o> {
    field: usize,
    key: &'o str,
    probability: f32,
}

/// A place on the page: an element and the part of the visible text.
type Place = (NodeId, Option<(usize, usize)>);

/// Chooses an option for each field, the surest first. `None` if no option is sure enough.
///
/// Two fields of different concepts do not take the same text, unless both are nearly certain of it: the
/// less sure one falls back to its next option.
pub(crate) fn assign(
    page: &PageFacts<'_, '_>,
    targets: &[TargetField<'_>],
    fields: &[RatedField],
) -> Vec<Option<usize>> {
    let mut chosen: Vec<Option<usize>> = fields.iter().map(|_| None).collect();
    let mut taken: HashMap<Place, Vec<TakenText<'_>>> = HashMap::new();
    // Positive numbers are in the order of their bits.
    let turn = |field: usize, from: usize| {
        let (place, _, probability) = fields.get(field)?.next(from)?;
        Some((probability.to_bits(), Reverse(field), place))
    };
    let mut waiting: BinaryHeap<_> = (0..fields.len()).filter_map(|field| turn(field, 0)).collect();
    while let Some((_, Reverse(field), at)) = waiting.pop() {
        let (Some(rated), Some(target)) = (fields.get(field), targets.get(field)) else { continue };
        let Some((_, number, probability)) = rated.next(at) else { continue };
        let Some(option) = rated.options.get(number) else { continue };
        let text = place_of(page, option).filter(|_| !option.is_structured());
        let is_taken = text.is_some_and(|text| {
            taken.get(&text).into_iter().flatten().take(MAX_COMPARED).any(|other| {
                let both = f32::min(other.probability, probability);
                let other_target = targets.get(other.field);
                other.key == option.key
                    && both < NEAR_CERTAIN
                    && other_target.is_some_and(|other| !may_share(target, other))
            })
        });
        if is_taken {
            waiting.extend(turn(field, at + 1));
            continue;
        }
        if let Some(text) = place_of(page, option) {
            taken.entry(text).or_default().push(TakenText { field, key: &option.key, probability });
        }
        if let Some(slot) = chosen.get_mut(field) {
            *slot = Some(number);
        }
    }
    chosen
}

/// Where the best segment of an option stands.
fn place_of(page: &PageFacts<'_, '_>, option: &ValueOption) -> Option<Place> {
    let segment = option.segments.first().and_then(|at| page.segments.get(*at))?;
    Some((segment.node, segment.range.as_ref().map(|range| (range.start, range.end))))
}

/// Whether two fields may have the same text: a text that is a date may state two dates, and one that names
/// a price also names its currency.
fn may_share(one: &TargetField<'_>, other: &TargetField<'_>) -> bool {
    let plainest = |target: &TargetField<'_>| target.concept.map(Concept::plainest_name);
    let is_free = |target: &TargetField<'_>| {
        !target.shape.choices.is_empty()
            || target.shape.kind == ShapeKind::Boolean
            || matches!(
                target.form,
                ValueForm::Currency | ValueForm::CurrencyCode | ValueForm::Availability | ValueForm::Url
            )
    };
    let same_concept = plainest(one).is_some() && plainest(one) == plainest(other);
    let is_date = |target: &TargetField<'_>| matches!(target.form, ValueForm::Date | ValueForm::Moment);
    let dates = is_date(one) && is_date(other);
    same_concept || dates || is_free(one) || is_free(other)
}
