//! Features of the field: its form, its concept, and the other properties of the schema.

use super::concept_names::CONCEPT_NAMES;
use super::{count, flag};
use crate::bind::target::TargetField;
use crate::bind::words::folded;
use crate::normalise::ValueForm;
use crate::schema::{Field, ShapeKind};

/// The forms with a feature of their own.
const FORMS: [(ValueForm, &str); 19] = [
    (ValueForm::Text, "text"),
    (ValueForm::Names, "names"),
    (ValueForm::Place, "place"),
    (ValueForm::Term, "term"),
    (ValueForm::Price, "price"),
    (ValueForm::Currency, "currency"),
    (ValueForm::CurrencyCode, "currency_code"),
    (ValueForm::Code, "code"),
    (ValueForm::Gtin, "gtin"),
    (ValueForm::Availability, "availability"),
    (ValueForm::Url, "url"),
    (ValueForm::Date, "date"),
    (ValueForm::Moment, "moment"),
    (ValueForm::Duration, "duration"),
    (ValueForm::Number, "number"),
    (ValueForm::Count, "count"),
    (ValueForm::Rating, "rating"),
    (ValueForm::Email, "email"),
    (ValueForm::Phone, "phone"),
];

/// Properties that tell what kind of thing a schema is about: the name of the feature, and the names of
/// properties and the plainest names of concepts that have it.
const SIBLINGS: [(&str, &[&str]); 34] = [
    ("price", &["price"]),
    ("sku", &["sku", "mpn"]),
    ("gtin", &["gtin"]),
    ("isbn", &["isbn", "isbn13", "isbn 13", "isbn10", "isbn 10"]),
    ("availability", &["availability"]),
    ("brand", &["brand"]),
    ("ingredients", &["ingredients"]),
    ("preparation", &["prep time", "cook time", "total time"]),
    ("servings", &["servings"]),
    ("company", &["company"]),
    ("employment_type", &["employment type"]),
    ("salary", &["salary", "salary min"]),
    ("vacancy", &["vacancy"]),
    ("start_date", &["start date"]),
    ("venue", &["venue"]),
    ("pages", &["pages"]),
    ("publisher", &["publisher"]),
    ("author", &["author"]),
    ("headline", &["headline"]),
    ("date_published", &["date published"]),
    ("article_body", &["article body"]),
    ("rating", &["rating"]),
    ("question", &["question"]),
    ("answer", &["answer", "accepted answer", "answer count"]),
    ("phone", &["phone"]),
    ("email", &["email"]),
    ("address", &["address", "street address", "city", "postal code"]),
    ("opening_hours", &["opening hours"]),
    ("director", &["director", "actors"]),
    ("vehicle", &["mileage", "fuel", "transmission"]),
    ("rooms", &["rooms", "bedrooms", "area"]),
    ("provider", &["provider", "instructor", "course code"]),
    ("person", &["job title", "first name", "last name", "birth date", "nationality"]),
    ("organisation", &["founded", "founder", "employees", "vat id", "legal name"]),
];

/// The names of the features that are neither flags of a form, a concept nor a sibling.
const OTHERS: [&str; 16] = [
    "no_concept",
    "other_concept",
    "is_text",
    "is_number",
    "is_integer",
    "is_boolean",
    "is_any",
    "is_nullable",
    "choices",
    "has_format",
    "has_description",
    "name_words",
    "depth",
    "fields",
    "same_form_before",
    "same_form",
];

/// The number of features of this part.
pub(super) const WIDTH: usize = FORMS.len() + CONCEPT_NAMES.len() + SIBLINGS.len() + OTHERS.len();

/// Upper bound on the properties of a schema that are searched for siblings.
const MAX_PROPERTIES: usize = 2_000;

/// What a schema is about.
#[derive(Debug)]
pub(crate) struct SchemaFacts {
    siblings: [f32; SIBLINGS.len()],
}

impl SchemaFacts {
    /// Reads the names of all properties with the lists among them, and the concepts of single fields.
    pub(crate) fn read(fields: &[Field], targets: &[TargetField<'_>]) -> Self {
        let mut facts = Self { siblings: [0.0; SIBLINGS.len()] };
        for concept in targets.iter().filter_map(|target| target.concept) {
            facts.add(concept.plainest_name());
        }
        // Without the properties of the objects in a list, which are other things.
        let mut waiting: Vec<&Field> = fields.iter().collect();
        let mut left = MAX_PROPERTIES;
        while let Some(field) = waiting.pop()
            && left > 0
        {
            left -= 1;
            facts.add(&folded(&field.name));
            waiting.extend(field.shape.fields());
        }
        facts
    }

    fn add(&mut self, name: &str) {
        for ((_, names), slot) in SIBLINGS.iter().zip(&mut self.siblings) {
            if names.contains(&name) {
                *slot = 1.0;
            }
        }
    }
}

/// The names of the features, in order.
pub(super) fn names() -> Vec<String> {
    let forms = FORMS.iter().map(|(_, name)| format!("form_{name}"));
    let concepts = CONCEPT_NAMES.iter().map(|name| format!("concept_{name}"));
    let siblings = SIBLINGS.iter().map(|(name, _)| format!("sibling_{name}"));
    let others = OTHERS.iter().map(|name| format!("field_{name}"));
    forms.chain(concepts).chain(siblings).chain(others).map(|name| name.replace(' ', "_")).collect()
}

/// The features of a field, the same for all its options.
pub(super) fn row(schema: &SchemaFacts, field: usize, targets: &[TargetField<'_>]) -> Vec<f32> {
    let mut row = Vec::with_capacity(WIDTH);
    let Some(target) = targets.get(field) else {
        row.resize(WIDTH, 0.0);
        return row;
    };
    let is_known = target.concept.is_some_and(|concept| CONCEPT_NAMES.contains(&concept.plainest_name()));
    let kind = &target.shape.kind;
    row.extend(FORMS.iter().map(|(form, _)| flag(*form == target.form)));
    row.extend(CONCEPT_NAMES.iter().map(|name| flag(target.has_concept(name))));
    row.extend(schema.siblings);
    let is_alike = |other: &&TargetField<'_>| other.form == target.form;
    let before = targets.iter().take(field).filter(is_alike).count();
    let others: [f32; OTHERS.len()] = [
        flag(target.concept.is_none()),
        flag(target.concept.is_some() && !is_known),
        flag(*kind == ShapeKind::Text),
        flag(*kind == ShapeKind::Number),
        flag(*kind == ShapeKind::Integer),
        flag(*kind == ShapeKind::Boolean),
        flag(*kind == ShapeKind::Any),
        flag(target.shape.nullable),
        count(target.shape.choices.len()).ln_1p(),
        flag(target.shape.format.is_some()),
        flag(!target.shape.description.is_empty()),
        count(target.folded.split(' ').count()),
        count(target.scope.len()),
        count(targets.len()),
        count(before),
        count(targets.iter().filter(is_alike).count()),
    ];
    row.extend(others);
    row
}
