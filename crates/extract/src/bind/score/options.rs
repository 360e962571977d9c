//! Collects the values that each field may have, from the rules and the segments of the page.

use hashbrown::HashMap;
use std::cmp::Ordering;

use serde_json::Value;

use super::clean_values::{asks_for_book, clean};
use super::fit::{
    asks_for_person, asks_for_year, is_proper_name, is_score_without_scale, is_shared_mailbox, name_weight,
    type_weight, user_name,
};
use super::meaning::Relation;
use super::page_facts::{PageFacts, SegmentFacts};
use super::range_end::value_in;
use super::segment_names::{NamePlace, SegmentName};
use super::unlikely_names;
use crate::bind::MIN_CONFIDENCE;
use crate::bind::pool::{Choice, agreement_key};
use crate::bind::target::TargetField;
use crate::normalise::ValueForm;
use crate::page::Method;
use crate::segment::{Origin, Segment};
use crate::template::recurring;
use crate::typed::{dates, is_name, money_amounts};

/// Upper bound on the options of one field.
pub(crate) const MAX_OPTIONS: usize = 28;
/// Upper bound on the options of all fields of a schema, if it has many fields.
const MAX_ALL_OPTIONS: usize = 4_000;
/// Every field has at least this many options, however many fields there are.
const MIN_OPTIONS: usize = 2;
/// Upper bound on the options of a field that come from the rules.
const MAX_RULE_OPTIONS: usize = 16;
/// The texts that are normalised for a field are at most this many times its options.
const NORMALISED_PER_OPTION: usize = 3;
/// Upper bound on the segments that are kept of those that state one value.
pub(crate) const MAX_STATING: usize = 3;

/// A value that a field may have, with what states it.
#[derive(Debug)]
pub(crate) struct ValueOption {
    pub(crate) value: Value,
    /// Equal for values that differ only in notation.
    pub(crate) key: String,
    /// What the rules say about the value.
    pub(crate) choice: Option<Choice>,
    /// The numbers of the segments that state it, best first; at most [`MAX_STATING`].
    pub(crate) segments: Vec<usize>,
    /// All segments found to state it.
    pub(crate) stating: usize,
    /// How well the first segment fits at first sight; 0 without one.
    pub(crate) prior: f32,
}

impl ValueOption {
    /// The score by the rules; 0 if they do not know the value.
    pub(crate) fn rule_score(&self) -> f64 {
        self.choice.as_ref().map_or(0.0, |choice| choice.score)
    }

    /// Whether it may be the value of the field, and is not just a text of the page: the rules propose it, a name
    /// of the field stands beside it, or its form tells what it is.
    pub(crate) fn is_candidate(&self, page: &PageFacts<'_, '_>, field: usize, form: ValueForm) -> bool {
        let is_named = |at: &usize| {
            page.segment(*at).is_some_and(|(_, facts)| {
                facts.names.iter().any(|name| page.names.relation(name.meaning, field).is_own())
            })
        };
        self.choice.is_some() || has_own_form(form) || self.segments.iter().any(is_named)
    }

    /// Whether data for machines states it, by the rules surely enough.
    pub(crate) fn is_stated(&self) -> bool {
        let is_sure = |choice: &&Choice| choice.score >= MIN_CONFIDENCE;
        let mut proofs = self.choice.iter().filter(is_sure).flat_map(|choice| &choice.proofs);
        proofs.any(|proof| is_structured(proof.method))
    }

    /// Whether data for machines states it.
    pub(crate) fn is_structured(&self) -> bool {
        self.choice.iter().flat_map(|choice| &choice.proofs).any(|proof| is_structured(proof.method))
    }
}

/// Whether a method reads data for machines.
pub(crate) const fn is_structured(method: Method) -> bool {
    matches!(method, Method::JsonLd | Method::Microdata | Method::Rdfa | Method::Meta | Method::EmbeddedState)
}

/// Whether values of this form tell what they are, so that one may be the value of a field without its name.
const fn has_own_form(form: ValueForm) -> bool {
    matches!(
        form,
        ValueForm::Price
            | ValueForm::Gtin
            | ValueForm::Date
            | ValueForm::Moment
            | ValueForm::Email
            | ValueForm::Phone
            | ValueForm::Duration
            | ValueForm::Rating
    )
}

/// Upper bound on the options of each field of a schema with this many fields.
pub(crate) fn options_per_field(fields: usize) -> usize {
    (MAX_ALL_OPTIONS / fields.max(1)).clamp(MIN_OPTIONS, MAX_OPTIONS)
}

/// The options of a field: the rules' choices, then the values of the segments that fit best at first sight.
pub(crate) fn read(
    page: &PageFacts<'_, '_>,
    field: usize,
    targets: &[TargetField<'_>],
    choices: Vec<Choice>,
) -> Vec<ValueOption> {
    let Some(target) = targets.get(field) else { return Vec::new() };
    let limit = options_per_field(targets.len());
    let is_proper_name = is_proper_name(target, targets);
    let is_of_book = asks_for_book(targets);
    let mut by_key: HashMap<String, usize> = HashMap::new();
    let mut options: Vec<ValueOption> = Vec::new();
    for choice in choices.into_iter().take(MAX_RULE_OPTIONS.min(limit)) {
        let is_labelled = choice.proofs.iter().any(|proof| recurring::is_labelled(proof.method));
        let text = choice.value.as_str().unwrap_or_default();
        let is_data = choice.proofs.iter().any(|proof| is_structured(proof.method));
        // The year of a date is no amount.
        let is_year = matches!(target.form, ValueForm::Price | ValueForm::Number)
            && !asks_for_year(target)
            && !is_data
            && is_year_of_date(&choice);
        let has_no_scale = target.form == ValueForm::Rating
            && choice.proofs.iter().all(|proof| is_score_without_scale(&proof.quote));
        if recurring::is_wrong(page.evidence, target, text, is_labelled)
            || (is_proper_name && !is_labelled && !is_data && !is_name(text))
            || (has_no_scale && !is_data)
            || is_year
        {
            continue;
        }
        let value = clean(target, is_of_book, choice.value.clone());
        let key = agreement_key(&value);
        if let Some(known) = by_key.get(&key).and_then(|at| options.get_mut(*at)) {
            known.choice.iter_mut().for_each(|known| known.proofs.extend_from_slice(&choice.proofs));
            continue;
        }
        by_key.insert(key.clone(), options.len());
        options.push(ValueOption {
            value,
            key,
            choice: Some(choice),
            segments: Vec::new(),
            stating: 0,
            prior: 0.0,
        });
    }
    for (prior, at) in fitting(page, field, targets, limit * NORMALISED_PER_OPTION) {
        let Some((segment, facts)) = page.segment(at) else { continue };
        if page.evidence.tree.interrupt().spend(1 + segment.text.len() / 64) {
            break;
        }
        // The name of the site stands in its menus, too.
        let is_named = segment.label.is_some() || segment.origin == Origin::SiteName;
        if recurring::is_wrong(page.evidence, target, &segment.text, is_named)
            || (is_proper_name && !is_named && !is_name(&segment.text))
        {
            continue;
        }
        let value = value_in(&segment.text, target).or_else(|| {
            let is_own = |name: &SegmentName| {
                let relation = page.names.relation(name.meaning, field);
                name.place == NamePlace::Label && name.is_whole && relation.is_own()
            };
            user_name(page.places, target, segment, facts.names.iter().any(is_own))
        });
        let Some(value) = value.map(|value| clean(target, is_of_book, value)) else { continue };
        let key = agreement_key(&value);
        if let Some(option) = by_key.get(&key).and_then(|at| options.get_mut(*at)) {
            option.stating += 1;
            if option.segments.is_empty() {
                option.prior = prior;
            }
            if option.segments.len() < MAX_STATING {
                option.segments.push(at);
            }
        } else if options.len() < limit {
            by_key.insert(key.clone(), options.len());
            options.push(ValueOption { value, key, choice: None, segments: vec![at], stating: 1, prior });
        }
    }
    if is_proper_name {
        options.retain(|option| !unlikely_names::is_of_page(option.value.as_str().unwrap_or_default()));
    } else if target.has_concept("name") {
        unlikely_names::leave_out(page, targets, &mut options);
    }
    if target.form == ValueForm::Email && asks_for_person(target, targets) {
        options.retain(|option| {
            option.is_structured() || !is_shared_mailbox(option.value.as_str().unwrap_or_default())
        });
    }
    options
}

/// Whether a number is a year, and each text that states it has a date and no sum.
fn is_year_of_date(choice: &Choice) -> bool {
    let text = choice.value.as_str().map_or_else(|| choice.value.to_string(), str::to_owned);
    let is_year = text.len() == 4 && (text.starts_with("19") || text.starts_with("20"));
    let has_sum = |quote: &str| money_amounts(quote).any(|money| money.currency.is_some());
    is_year && choice.proofs.iter().all(|proof| !dates(&proof.quote).is_empty() && !has_sum(&proof.quote))
}

/// The segments that may state a value of the field, the most likely first, with how well they fit.
fn fitting(
    page: &PageFacts<'_, '_>,
    field: usize,
    targets: &[TargetField<'_>],
    limit: usize,
) -> Vec<(f32, usize)> {
    let Some(target) = targets.get(field) else { return Vec::new() };
    let fitting = page.fitting.get(field).into_iter().flatten().copied();
    let interrupt = page.evidence.tree.interrupt();
    let rated = fitting.take_while(|_| !interrupt.spend(1)).filter_map(|at| {
        let (segment, facts) = page.segment(at)?;
        Some((prior(page, field, target, segment, facts), at))
    });
    let mut found: Vec<(f32, usize)> = rated.collect();
    let better = |left: &(f32, usize), right: &(f32, usize)| -> Ordering {
        right.0.total_cmp(&left.0).then(left.1.cmp(&right.1))
    };
    if found.len() > limit {
        found.select_nth_unstable_by(limit, better);
        found.truncate(limit);
    }
    found.sort_unstable_by(better);
    found
}

/// How well a segment fits a field at first sight: by the names beside it, then by its type, its nearness to
/// the heading and the way it is cut out of the page.
fn prior(
    page: &PageFacts<'_, '_>,
    field: usize,
    target: &TargetField<'_>,
    segment: &Segment,
    facts: &SegmentFacts,
) -> f32 {
    let mut label: f32 = 0.0;
    let mut name: f32 = 0.0;
    for found in &facts.names {
        let (whole, part) = match found.place {
            NamePlace::Label => (4.0, 2.0),
            NamePlace::Property => (3.0, 1.5),
            NamePlace::Heading => (0.8, 0.4),
            NamePlace::Element(0) => (3.0, 1.5),
            NamePlace::Element(1) => (1.5, 0.8),
            NamePlace::Element(2) => (0.8, 0.4),
            NamePlace::Element(_) => (0.4, 0.2),
        };
        let weight = if found.is_whole { whole } else { part };
        let slot = if found.place == NamePlace::Label { &mut label } else { &mut name };
        match page.names.relation(found.meaning, field) {
            Relation::OwnName | Relation::OwnConcept => *slot = f32::max(*slot, weight),
            // A label of something else is a reason against it, if only a weak one.
            Relation::OtherField | Relation::OtherConcept
                if *slot == 0.0 && found.is_whole && found.place == NamePlace::Label =>
            {
                *slot = -0.4;
            }
            Relation::OtherField | Relation::OtherConcept => {}
        }
    }
    let origin = match segment.origin {
        Origin::Paragraphs | Origin::AfterLabel => 0.3,
        Origin::Typed if target.form != ValueForm::Text => 0.3,
        Origin::AfterPrefix | Origin::Element | Origin::TitlePart | Origin::Breadcrumb => 0.2,
        _ => 0.0,
    };
    let unrelated = if facts.is_unrelated { 0.6 } else { 0.0 };
    let typed = type_weight(page.places, target, segment) + name_weight(page.places, target, segment);
    label + name + facts.nearness + typed + origin - unrelated
}
