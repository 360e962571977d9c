//! Features of names: how labels, headings, classes and ids around a value fit the field.

use std::collections::BTreeSet;

use super::super::meaning::Relation;
use super::super::options::ValueOption;
use super::super::page_facts::PageFacts;
use super::super::segment_names::{LEVELS, NamePlace};
use super::{Named, count, flag};
use crate::bind::target::TargetField;
use crate::bind::words::words;
use crate::segment::LabelKind;

/// The number of features of this part.
pub(super) const WIDTH: usize = 23 + 4 * LEVELS;

/// Shortest word of a description that counts, in characters; shorter ones are articles and prepositions.
const MIN_WORD_CHARS: usize = 4;
/// Upper bound on the words of a description that count.
const MAX_DESCRIPTION_WORDS: usize = 60;

/// The words that a schema uses for a field.
#[derive(Debug)]
pub(super) struct FieldWords {
    name: BTreeSet<String>,
    description: BTreeSet<String>,
}

impl FieldWords {
    pub(super) fn read(target: &TargetField<'_>) -> Self {
        let description = words(&target.shape.description);
        let long = description.into_iter().filter(|word| word.chars().count() >= MIN_WORD_CHARS);
        Self {
            name: words(target.name).into_iter().collect(),
            description: long.take(MAX_DESCRIPTION_WORDS).collect(),
        }
    }
}

/// How the names at one place fit the field.
#[derive(Debug, Default, Clone, Copy)]
struct Match {
    /// A name of the field or its concept is the whole name.
    whole: f32,
    /// It is a part of the name.
    part: f32,
    /// The whole name is that of another field.
    other_field: f32,
    /// The whole name is that of another concept.
    other_concept: f32,
}

impl Match {
    fn add(&mut self, relation: Relation, is_whole: bool) {
        let slot = match (relation, is_whole) {
            (Relation::OwnName | Relation::OwnConcept, true) => &mut self.whole,
            (Relation::OwnName | Relation::OwnConcept, false) => &mut self.part,
            (Relation::OtherField, true) => &mut self.other_field,
            (Relation::OtherConcept, true) => &mut self.other_concept,
            (Relation::OtherField | Relation::OtherConcept, false) => return,
        };
        *slot = 1.0;
    }
}

/// How the names beside an option fit the field.
#[derive(Debug, Default)]
pub(super) struct NameFacts {
    label: Match,
    /// The label is the field's own name.
    label_own: f32,
    has_label: f32,
    label_words: f32,
    /// Share of the label's words that are in the field's name.
    label_shares: f32,
    /// Share of the label's words that are in the field's description.
    label_described: f32,
    kinds: [f32; 7],
    heading: Match,
    property: Match,
    elements: [Match; LEVELS],
    /// Of all segments that state the value, those whose label fits.
    any_label: f32,
    /// Like `any_label`, for the names of their elements.
    any_element: f32,
}

impl NameFacts {
    pub(super) fn read(
        page: &PageFacts<'_, '_>,
        field: usize,
        field_words: &FieldWords,
        option: &ValueOption,
    ) -> Self {
        let mut facts = Self::default();
        for (nth, (segment, of_segment)) in
            option.segments.iter().filter_map(|at| page.segment(*at)).enumerate()
        {
            for name in &of_segment.names {
                let relation = page.names.relation(name.meaning, field);
                let fits = name.is_whole && relation.is_own();
                match name.place {
                    NamePlace::Label if fits => facts.any_label = 1.0,
                    NamePlace::Property | NamePlace::Element(0 | 1) if fits => facts.any_element = 1.0,
                    _ => {}
                }
                if nth > 0 {
                    continue;
                }
                let slot = match name.place {
                    NamePlace::Label => Some(&mut facts.label),
                    NamePlace::Heading => Some(&mut facts.heading),
                    NamePlace::Property => Some(&mut facts.property),
                    NamePlace::Element(level) => facts.elements.get_mut(level),
                };
                if let Some(slot) = slot {
                    slot.add(relation, name.is_whole);
                }
                if name.place == NamePlace::Label && name.is_whole && relation == Relation::OwnName {
                    facts.label_own = 1.0;
                }
            }
            if let Some(label) = segment.label.as_ref().filter(|_| nth == 0) {
                let words: Vec<&str> = label.words.split(' ').filter(|word| !word.is_empty()).collect();
                let share = |known: &BTreeSet<String>| {
                    let shared = words.iter().filter(|word| known.contains(**word)).count();
                    count(shared) / count(words.len()).max(1.0)
                };
                facts.has_label = 1.0;
                facts.label_words = count(words.len());
                facts.label_shares = share(&field_words.name);
                facts.label_described = share(&field_words.description);
                facts.kinds = [
                    flag(matches!(label.kind, LabelKind::Colon)),
                    flag(matches!(label.kind, LabelKind::Term)),
                    flag(matches!(label.kind, LabelKind::Sibling)),
                    flag(matches!(label.kind, LabelKind::LineAbove)),
                    flag(matches!(label.kind, LabelKind::HeadingAbove)),
                    flag(matches!(label.kind, LabelKind::Attribute)),
                    flag(matches!(label.kind, LabelKind::Inline)),
                ];
            }
        }
        facts
    }

    pub(super) fn named(&self) -> Named<WIDTH> {
        let [colon, term, sibling, line_above, heading_above, attribute, inline] = self.kinds;
        let [own, first, second, third] = self.elements;
        [
            ("label_whole", self.label.whole),
            ("label_part", self.label.part),
            ("label_other_field", self.label.other_field),
            ("label_other_concept", self.label.other_concept),
            ("label_own", self.label_own),
            ("has_label", self.has_label),
            ("label_words", self.label_words),
            ("label_shares", self.label_shares),
            ("label_described", self.label_described),
            ("label_colon", colon),
            ("label_term", term),
            ("label_sibling", sibling),
            ("label_line_above", line_above),
            ("label_heading_above", heading_above),
            ("label_attribute", attribute),
            ("label_inline", inline),
            ("heading_whole", self.heading.whole),
            ("heading_part", self.heading.part),
            ("heading_other", f32::max(self.heading.other_field, self.heading.other_concept)),
            ("property_fits", f32::max(self.property.whole, self.property.part)),
            ("property_other", f32::max(self.property.other_field, self.property.other_concept)),
            ("element_whole", own.whole),
            ("element_part", own.part),
            ("element_other_field", own.other_field),
            ("element_other_concept", own.other_concept),
            ("first_above_whole", first.whole),
            ("first_above_part", first.part),
            ("first_above_other_field", first.other_field),
            ("first_above_other_concept", first.other_concept),
            ("second_above_whole", second.whole),
            ("second_above_part", second.part),
            ("second_above_other_field", second.other_field),
            ("second_above_other_concept", second.other_concept),
            ("third_above_whole", third.whole),
            ("third_above_part", third.part),
            ("third_above_other_field", third.other_field),
            ("third_above_other_concept", third.other_concept),
            ("any_label", self.any_label),
            ("any_element", self.any_element),
        ]
    }
}
