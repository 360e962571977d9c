//! The features of an option: what the model reads of a value that a field may have.
//!
//! Each part states its features as pairs of a name and a number, so that names and numbers cannot come out
//! of step. The names go to the training, and the file of the model says how many there were.

mod codes;
mod concept_names;
mod field;
mod images;
mod names;
mod relative;
mod rules;
mod value;

pub(crate) use field::SchemaFacts;

use self::codes::CodeOverview;
use self::images::ImageOverview;
use self::relative::OptionRanks;
use self::rules::RuleOverview;
use super::options::ValueOption;
use super::page_facts::PageFacts;
use crate::bind::target::TargetField;
use crate::segment::PLACE_FEATURES;

/// The number of features of an option.
pub(crate) const WIDTH: usize = field::WIDTH
    + rules::WIDTH
    + value::WIDTH
    + names::WIDTH
    + PLACE_FEATURES.len()
    + relative::WIDTH
    + images::WIDTH
    + codes::WIDTH;

/// Features with their names.
type Named<const N: usize> = [(&'static str, f32); N];

/// The names of all features, in order.
pub(crate) fn feature_names() -> Vec<String> {
    let mut out = field::names();
    let mut add = |part: &str, names: &[(&'static str, f32)]| {
        out.extend(names.iter().map(|(name, _)| format!("{part}_{name}")));
    };
    add("rules", &rules::RuleFacts::default().named());
    add("value", &value::ValueFacts::default().named());
    add("names", &names::NameFacts::default().named());
    add("place", &PLACE_FEATURES.map(|name| (name, 0.0)));
    add("relative", &relative::RelativeFacts::default().named());
    add("image", &images::ImageFacts::default().named());
    add("code", &codes::CodeFacts::default().named());
    out
}

/// The features of the options of a field: [`WIDTH`] numbers for each option.
pub(crate) fn rows(
    page: &PageFacts<'_, '_>,
    schema: &SchemaFacts,
    field: usize,
    targets: &[TargetField<'_>],
    options: &[ValueOption],
) -> Vec<f32> {
    let Some(target) = targets.get(field) else { return Vec::new() };
    let of_field = field::row(schema, field, targets);
    let words = names::FieldWords::read(target);
    let overview = RuleOverview::read(options);
    let ranks = OptionRanks::read(page, options);
    let images = ImageOverview::read(page, target, options);
    let codes = CodeOverview::read(page, field, target, options);
    let mut out = Vec::with_capacity(options.len() * WIDTH);
    for (at, option) in options.iter().enumerate() {
        out.extend_from_slice(&of_field);
        extend(&mut out, &rules::RuleFacts::read(&overview, option, at).named());
        extend(&mut out, &value::ValueFacts::read(option).named());
        extend(&mut out, &names::NameFacts::read(page, field, &words, option).named());
        let segment = option.segments.first().and_then(|at| page.segments.get(*at));
        match segment.and_then(|segment| page.places.of(segment)) {
            Some(place) => out.extend_from_slice(&place.0),
            None => out.resize(out.len() + PLACE_FEATURES.len(), 0.0),
        }
        extend(&mut out, &relative::RelativeFacts::read(page, field, &ranks, option, at).named());
        extend(&mut out, &images::ImageFacts::read(page, &images, option, at).named());
        extend(&mut out, &codes::CodeFacts::read(&codes, at).named());
    }
    out
}

fn extend(row: &mut Vec<f32>, values: &[(&'static str, f32)]) {
    row.extend(values.iter().map(|(_, value)| *value));
}

/// A count; all above 65,535 are equal.
fn count(value: usize) -> f32 {
    f32::from(u16::try_from(value).unwrap_or(u16::MAX))
}

fn flag(value: bool) -> f32 {
    f32::from(u8::from(value))
}

/// A number with the precision of a feature.
#[expect(clippy::cast_possible_truncation, reason = "a feature needs few digits")]
const fn narrow(value: f64) -> f32 {
    value as f32
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    #[test]
    fn each_feature_has_a_name_of_its_own() {
        let names = feature_names();
        assert_eq!(names.len(), WIDTH);
        assert_eq!(names.iter().collect::<BTreeSet<_>>().len(), WIDTH);
    }
}
