use std::cmp::Reverse;
use std::collections::{BinaryHeap, HashMap};

use super::conflict::Ranking;
use super::options::ValueOption;
use super::page_facts::PageFacts;
use crate::bind::concept::Concept;
use crate::bind::target::TargetField;
use crate::markup::NodeId;
use crate::normalise::ValueForm;
use crate::schema::ShapeKind;

/// The probability above which a text may be the value of two fields, such as a title that is only a brand.
const NEAR_CERTAIN: f32 = 0.9;
/// The highest bound of a value that an entity of the page states. Bounds are set on pages without structured
/// data, where wrong values are likelier.
const STATED_BOUND: f32 = 0.3;
/// Upper bound on the fields with one text that another field is compared with.
const MAX_COMPARED: usize = 32;

/// The rated options of one field.
#[derive(Debug)]
pub(crate) struct RatedField {
    pub(crate) options: Vec<ValueOption>,
    /// In the order of the options.
    pub(crate) probabilities: Vec<f32>,
    pub(crate) ranking: Ranking,
    /// The probability below which nothing is chosen.
    pub(crate) bound: f32,
}

impl RatedField {
    /// An option by its place in the ranking, with its number and its probability, if that is not below the
    /// bound.
    fn ranked(&self, place: usize) -> Option<(usize, &ValueOption, f32)> {
        let number = *self.ranking.order.get(place)?;
        let probability = *self.probabilities.get(number)?;
        let option = self.options.get(number)?;
        let bound = if option.is_stated() { self.bound.min(STATED_BOUND) } else { self.bound };
        (probability >= bound).then_some((number, option, probability))
    }

    /// The best option, whatever the other fields are.
    pub(crate) fn best(&self) -> Option<usize> {
        self.ranked(0).map(|(number, ..)| number)
    }
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
    let turn = |field: usize, place: usize| {
        let (_, _, probability) = fields.get(field)?.ranked(place)?;
        Some((probability.to_bits(), Reverse(field), place))
    };
    let mut waiting: BinaryHeap<_> = (0..fields.len()).filter_map(|field| turn(field, 0)).collect();
    while let Some((_, Reverse(field), at)) = waiting.pop() {
        let ranked = fields.get(field).and_then(|rated| rated.ranked(at));
        let (Some((number, option, probability)), Some(target)) = (ranked, targets.get(field)) else {
            continue;
        };
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
