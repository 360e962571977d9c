//! Tests cheaply whether a text of the page may state a value of a field, and how well its type fits.

use serde_json::Value;

use super::page_facts::SegmentFacts;
use crate::bind::shop::is_condition;
use crate::bind::target::TargetField;
use crate::markup::Tree;
use crate::normalise::ValueForm;
use crate::schema::ShapeKind;
use crate::segment::{Origin, PLACE_FEATURES, Places, Segment, TextShape, ValueType, is_image_address};

/// Longest text of an amount, a number, a code or a date, in bytes.
const MAX_TYPED_BYTES: usize = 120;
/// Longest text of a yes or no, in bytes.
const MAX_BOOLEAN_BYTES: usize = 24;
/// Longest text of a name or a term, in bytes.
const MAX_TEXT_BYTES: usize = 300;
/// Fewest digits of a telephone number.
const MIN_PHONE_DIGITS: usize = 6;
/// Lengths of the names of users, in bytes.
const MIN_USER_BYTES: usize = 3;
const MAX_USER_BYTES: usize = 32;
/// The weight at which a name of the site is certain enough.
const FULL_SITE_WEIGHT: f32 = 4.0;
/// The highest score of a scale that need not be named.
const HIGHEST_PLAIN_SCORE: f64 = 10.0;
/// Fewest digits of a GTIN.
const MIN_GTIN_DIGITS: usize = 8;

/// Last words of the names of fields whose value is one or more paragraphs.
const LONG_TEXTS: [&str; 22] = [
    "description",
    "body",
    "summary",
    "abstract",
    "text",
    "content",
    "answer",
    "bio",
    "biography",
    "about",
    "instructions",
    "directions",
    "responsibilities",
    "requirements",
    "qualifications",
    "synopsis",
    "plot",
    "introduction",
    "intro",
    "overview",
    "review",
    "details",
];

/// Whether the value of a field is one or more paragraphs.
pub(crate) fn is_long_text(target: &TargetField<'_>) -> bool {
    let name = match target.concept {
        Some(concept) => concept.plainest_name(),
        None => target.folded.as_str(),
    };
    target.form == ValueForm::Text
        && target.shape.choices.is_empty()
        && name.rsplit(' ').next().is_some_and(|last| LONG_TEXTS.contains(&last))
}

/// Whether a field asks for the address of an image.
pub(crate) fn is_image(target: &TargetField<'_>) -> bool {
    target.form == ValueForm::Url && (target.has_concept("image") || target.has_concept("logo"))
}

/// Concepts beside which a name is that of a person or an organisation, by plainest names.
const OF_PERSONS_AND_ORGANISATIONS: [&str; 14] = [
    "phone",
    "fax",
    "email",
    "opening hours",
    "founded",
    "founder",
    "employees",
    "vat id",
    "legal name",
    "industry",
    "department",
    "birth date",
    "nationality",
    "biography",
];
/// Concepts beside which it is the name of something else.
const OF_OTHER_THINGS: [&str; 10] = [
    "price",
    "sku",
    "availability",
    "author",
    "date published",
    "start date",
    "venue",
    "company",
    "article body",
    "ingredients",
];

/// Whether a field asks for the name of a person or an organisation, by the fields beside it. Such a name has
/// the form of one: the slogan in the heading is none.
pub(super) fn is_proper_name(target: &TargetField<'_>, targets: &[TargetField<'_>]) -> bool {
    let beside = |names: &[&str]| {
        let of_object = targets.iter().filter(|other| other.scope == target.scope);
        of_object.filter_map(|other| other.concept).any(|concept| names.contains(&concept.plainest_name()))
    };
    target.concept.is_some_and(|concept| concept.plainest_name() == "name")
        && beside(&OF_PERSONS_AND_ORGANISATIONS)
        && !beside(&OF_OTHER_THINGS)
}

/// Whether the object of a field is a person.
pub(super) fn asks_for_person(target: &TargetField<'_>, targets: &[TargetField<'_>]) -> bool {
    let own = ["job title", "first name", "last name", "birth date", "nationality", "biography"];
    let beside = targets.iter().filter(|other| other.scope == target.scope);
    beside.filter_map(|other| other.concept).any(|concept| own.contains(&concept.plainest_name()))
}

/// Names of mailboxes that are rarely one person's.
const SHARED_MAILBOXES: [&str; 20] = [
    "info",
    "contacto",
    "contato",
    "contatti",
    "office",
    "support",
    "service",
    "help",
    "press",
    "presse",
    "media",
    "sales",
    "admin",
    "webmaster",
    "privacy",
    "noreply",
    "boxoffice",
    "tickets",
    "jobs",
    "newsletter",
];

/// Whether an e-mail address belongs to an office and not to a person.
pub(super) fn is_shared_mailbox(address: &str) -> bool {
    let local = address.split(['@', '+']).next().unwrap_or_default();
    SHARED_MAILBOXES.iter().any(|known| known.eq_ignore_ascii_case(local))
}

/// Whether a field asks for a date, by its form or by the format of the schema.
fn is_date(target: &TargetField<'_>) -> bool {
    matches!(target.form, ValueForm::Date | ValueForm::Moment)
        || matches!(target.shape.format.as_deref(), Some("date" | "date-time" | "time"))
}

/// Whether the text of a segment may state a value of the field's type. A cheap test before the normaliser.
pub(crate) fn fits(
    tree: &Tree<'_>,
    target: &TargetField<'_>,
    is_long: bool,
    segment: &Segment,
    facts: &SegmentFacts,
) -> bool {
    let text = segment.text.as_str();
    let is_short = text.len() <= MAX_TYPED_BYTES;
    let has = |kind: ValueType| segment.types.has(kind);
    // `Tell me when it is in stock` states nothing.
    if target.form == ValueForm::Availability && is_short && is_condition(text) {
        return false;
    }
    if !target.shape.choices.is_empty() {
        return is_short;
    }
    if is_date(target) {
        return is_short && facts.digits > 0;
    }
    let is_of_image = || tree.is(segment.node, &["img", "source", "picture", "image", "amp-img"]);
    match (&target.shape.kind, target.form) {
        (_, ValueForm::Availability | ValueForm::Currency | ValueForm::CurrencyCode) => is_short,
        (ShapeKind::Boolean, _) => text.len() <= MAX_BOOLEAN_BYTES,
        (_, ValueForm::Duration) => is_short && (facts.digits > 0 || has(ValueType::Duration)),
        (_, ValueForm::Rating) => {
            is_short && facts.digits > 0 && !is_time_or_ratio(text) && !is_score_without_scale(text)
        }
        // The figures of a date or of hours are no amount.
        (_, ValueForm::Price) => {
            let is_of_time = has(ValueType::Date) || has(ValueType::Duration);
            let is_sum = has(ValueType::Money) || !is_of_time;
            is_short && facts.digits > 0 && is_sum && !is_time_or_ratio(text)
        }
        (ShapeKind::Number | ShapeKind::Integer, _) | (_, ValueForm::Number | ValueForm::Count) => {
            // Those of a date are no count either, except for its year.
            let is_of_date = has(ValueType::Date) && !asks_for_year(target);
            is_short && facts.digits > 0 && !is_of_date && !is_time_or_ratio(text)
        }
        (_, ValueForm::Code) => is_short && facts.digits > 0,
        (_, ValueForm::Email) => text.contains('@'),
        (_, ValueForm::Phone) => is_short && facts.digits >= MIN_PHONE_DIGITS,
        (_, ValueForm::Gtin) => is_short && facts.digits >= MIN_GTIN_DIGITS,
        (_, ValueForm::Url) if is_image(target) => {
            matches!(segment.origin, Origin::Attribute) && (is_of_image() || is_image_address(text))
        }
        (_, ValueForm::Url) => {
            let is_image = is_of_image() || is_image_address(text);
            text.contains(['/', '.']) && !text.contains(char::is_whitespace) && !is_image
        }
        (_, ValueForm::Text) if is_long => matches!(segment.origin, Origin::Paragraphs),
        (_, ValueForm::Place) if asks_for_address(target) => {
            text.len() <= MAX_TEXT_BYTES && (facts.digits > 0 || text.matches([',', '，', '、']).count() > 1)
        }
        _ => text.len() <= MAX_TEXT_BYTES && !matches!(segment.origin, Origin::Paragraphs),
    }
}

/// Whether a field asks for an address, which has a number or several parts.
fn asks_for_address(target: &TargetField<'_>) -> bool {
    target.has_concept("address") || target.has_concept("street address")
}

/// Whether a field asks for a year, which a date has.
pub(super) fn asks_for_year(target: &TargetField<'_>) -> bool {
    target.folded.split(' ').any(|word| word == "year")
        || target.has_concept("year")
        || target.has_concept("year built")
}

/// Whether a text is only a number that is too high for a scale that nobody names: what a lone `93` is out of
/// is anybody's guess.
pub(super) fn is_score_without_scale(text: &str) -> bool {
    let text = text.trim();
    let is_number = text.chars().all(|found| found.is_ascii_digit() || matches!(found, '.' | ','));
    is_number && text.replace(',', ".").parse::<f64>().is_ok_and(|score| score > HIGHEST_PLAIN_SCORE)
}

/// Whether all numbers of a text are parts of a time or a ratio: `10:30`.
fn is_time_or_ratio(text: &str) -> bool {
    let is_digit = |found: Option<char>| found.is_some_and(char::is_numeric);
    let is_one = |word: &str| {
        word.match_indices(':').any(|(at, _)| {
            let (before, behind) = word.split_at_checked(at).unwrap_or_default();
            is_digit(before.chars().next_back()) && is_digit(behind.chars().nth(1))
        })
    };
    text.split_whitespace().filter(|word| word.contains(char::is_numeric)).all(is_one)
}

/// How much a segment that is a name of the site, or that links to a person, speaks for the field, 0 to 3.
pub(super) fn name_weight(places: &Places<'_, '_>, target: &TargetField<'_>, segment: &Segment) -> f32 {
    let asks = |names: &[&str]| names.iter().any(|name| target.has_concept(name));
    let person = if asks(&["author"]) && places.links_to_person_or_author(segment) { 1.0 } else { 0.0 };
    let site = if asks(&["publisher", "organization", "company", "provider", "seller", "legal name"]) {
        3.0
    } else if asks(&["name", "author", "brand", "developer", "organizer"]) {
        1.5
    } else {
        return person;
    };
    let weight = places.site(segment).map_or(0.0, |found| found.weight);
    person + site * (weight / FULL_SITE_WEIGHT).min(1.0)
}

/// The name that a user of the site has, if a segment links to that user or has the label of the field: such a
/// name need not look like one.
pub(super) fn user_name(
    places: &Places<'_, '_>,
    target: &TargetField<'_>,
    segment: &Segment,
    is_labelled: bool,
) -> Option<Value> {
    let text = segment.text.as_str();
    let is_user_name = (MIN_USER_BYTES..=MAX_USER_BYTES).contains(&text.len())
        && text.contains(char::is_alphabetic)
        && text.chars().all(|found| found.is_alphanumeric() || matches!(found, '_' | '-' | '.' | '@'));
    let asks = target.form == ValueForm::Names
        && target.has_concept("author")
        && target.shape.kind == ShapeKind::Text
        && target.shape.choices.is_empty();
    (asks && is_user_name && (is_labelled || places.feature(segment, LINK_PERSON) > 0.0))
        .then(|| Value::from(text))
}

/// How much the type of a segment speaks for the field, 0 to 1.5.
pub(super) fn type_weight(places: &Places<'_, '_>, target: &TargetField<'_>, segment: &Segment) -> f32 {
    let types = &segment.types;
    let weigh = |weight: f32, is_so: bool| if is_so { weight } else { 0.0 };
    let has_shape = |shape: TextShape| places.has_shape(segment, shape);
    if is_date(target) {
        return weigh(1.2, types.has(ValueType::Date));
    }
    let is_number = types.is_whole(ValueType::Number);
    match target.form {
        ValueForm::Duration => weigh(1.2, types.has(ValueType::Duration)),
        ValueForm::Price | ValueForm::Currency | ValueForm::CurrencyCode => {
            weigh(1.0, types.has(ValueType::Money))
        }
        ValueForm::Rating => weigh(1.0, types.has(ValueType::Rating)),
        ValueForm::Count => weigh(0.8, types.has(ValueType::Count) || is_number),
        ValueForm::Number => weigh(0.5, is_number),
        ValueForm::Phone => weigh(1.0, types.has(ValueType::Phone)),
        ValueForm::Code => weigh(0.5, types.is_code()),
        ValueForm::Gtin => weigh(1.5, types.is_gtin()),
        ValueForm::Names => weigh(0.6, has_shape(TextShape::Name)),
        ValueForm::Place => weigh(0.6, has_shape(TextShape::Place)),
        ValueForm::Term if target.has_concept("employment type") => {
            weigh(1.5, has_shape(TextShape::Employment))
        }
        ValueForm::Term | ValueForm::Text if target.has_concept("language") => {
            weigh(1.0, has_shape(TextShape::Language))
        }
        _ => 0.0,
    }
}

const LINK_PERSON: usize = feature("link_person");

/// The index of a feature of the place. A name that none has does not compile.
pub(super) const fn feature(name: &str) -> usize {
    let mut rest: &[&str] = &PLACE_FEATURES;
    let mut at = 0;
    while let Some((first, others)) = rest.split_first() {
        if is_same(first.as_bytes(), name.as_bytes()) {
            break;
        }
        rest = others;
        at += 1;
    }
    assert!(at < PLACE_FEATURES.len(), "no feature has this name");
    at
}

/// Whether two texts are the same, for constants.
const fn is_same(mut left: &[u8], mut right: &[u8]) -> bool {
    while let (Some((one, left_rest)), Some((other, right_rest))) = (left.split_first(), right.split_first())
    {
        if *one != *other {
            return false;
        }
        left = left_rest;
        right = right_rest;
    }
    left.is_empty() && right.is_empty()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_high_score_needs_its_scale() {
        let of = |texts: &[&'static str]| {
            texts.iter().map(|text| is_score_without_scale(text)).collect::<Vec<_>>()
        };
        assert_eq!(of(&["93", " 10,5 "]), [true, true]);
        assert_eq!(of(&["4,5", "10", "93/100", "93 %", "Score: 93"]), [false; 5]);
    }
}
