//! A field to fill, with its names, its concept and the form of its value.

use hashbrown::HashMap;
use hashbrown::hash_map::Entry;
use std::borrow::Cow;

use super::concept::{Concept, concept_of, nested_concept_of};
use super::concepts::siblings;
use super::words::{folded, joined};
use crate::normalise::ValueForm;
use crate::schema::{Field, Shape, ShapeKind};

/// A leaf field of the schema, with its names and its concept.
#[derive(Debug)]
pub(crate) struct TargetField<'s> {
    /// The RFC 6901 pointer of the field.
    pub(crate) pointer: String,
    /// The names of the enclosing objects, outermost first, in words.
    pub(crate) scope: Vec<String>,
    pub(crate) name: &'s str,
    /// The name in folded words.
    pub(crate) folded: String,
    pub(crate) shape: &'s Shape,
    pub(crate) concept: Option<&'static Concept>,
    pub(crate) form: ValueForm,
}

impl<'s> TargetField<'s> {
    pub(crate) fn new(pointer: String, scope: Vec<String>, field: &'s Field) -> Self {
        let (name, shape) = (field.name.as_str(), &field.shape);
        let concept = match scope.last() {
            Some(object) => nested_concept_of(object, name, &shape.description),
            None => concept_of(name, &shape.description),
        };
        let folded = folded(name);
        let form = form_of(concept, &folded, shape);
        Self { pointer, scope, name, folded, shape, concept, form }
    }

    /// Whether its values are words rather than a figure, a code or an address.
    pub(crate) const fn is_textual(&self) -> bool {
        matches!(self.form, ValueForm::Text | ValueForm::Names | ValueForm::Place | ValueForm::Term)
    }

    /// Whether it asks for the concept with this plainest name, or for a special case of it.
    pub(crate) fn has_concept(&self, name: &str) -> bool {
        self.concept.is_some_and(|concept| concept.is(name))
    }

    /// Decides what names mean that depend on the fields beside them: beside a person's name, a title is
    /// neither a heading nor a name.
    pub(crate) fn resolve_by_siblings(targets: &mut [Self]) {
        let decided = siblings::resolve(targets);
        for (target, concept) in targets.iter_mut().zip(decided) {
            if concept.is_some() {
                target.concept = concept;
                target.form = form_of(concept, &target.folded, target.shape);
            }
        }
    }

    /// Whether this is one of its names, in folded words.
    pub(crate) fn has_name(&self, name: &str) -> bool {
        !name.is_empty()
            && (self.folded == name || self.concept.is_some_and(|concept| concept.names.contains(&name)))
    }

    /// Paths in an entity, with their weights; the property's own name comes first if it has no concept or is
    /// nested.
    pub(crate) fn paths(&self) -> Vec<(String, f64)> {
        let mut own: Vec<String> = self.scope.iter().map(|name| folded(name)).collect();
        own.push(self.folded.clone());
        let own = own.join(".");
        let mut paths = Vec::new();
        let Some(concept) = self.concept.filter(|concept| !concept.paths.is_empty()) else {
            let others = self.paths_of_object().into_iter().filter(|path| *path != own);
            paths.extend(others.map(|path| (path, 0.9)));
            paths.insert(0, (own, 1.0));
            return paths;
        };
        if !self.scope.is_empty() {
            paths.push((own.clone(), 1.0));
        }
        // Of the properties of the entity itself, the one with the field's own name comes first.
        let named = concept.paths.iter().position(|path| *path == self.folded);
        let first = concept.paths.iter().position(|path| !path.contains('.'));
        let mut order: Vec<&String> = concept.paths.iter().collect();
        if let (Some(named), Some(first)) = (named, first) {
            let moved = order.remove(named);
            order.insert(first, moved);
        }
        let mut weight = 1.0;
        for path in order {
            if paths.first().is_none_or(|(first, _)| first != path) {
                paths.push((path.clone(), weight));
            }
            weight *= 0.93;
        }
        if !paths.iter().any(|(path, _)| *path == own) {
            paths.push((own, 0.9));
        }
        paths
    }

    /// The paths of a nested property below those of its object: `author.url` is also `creator.url`.
    fn paths_of_object(&self) -> Vec<String> {
        let object = self.scope.last().and_then(|object| concept_of(object, ""));
        let mut paths: Vec<String> = Vec::new();
        for path in object.iter().flat_map(|concept| &concept.paths) {
            let above = path.strip_suffix(".name").unwrap_or(path);
            let path = format!("{above}.{}", self.folded);
            if !paths.contains(&path) {
                paths.push(path);
            }
        }
        paths
    }
}

/// How the values of a field are read.
fn form_of(concept: Option<&Concept>, name: &str, shape: &Shape) -> ValueForm {
    let form = concept.map_or_else(|| form_by_name(name, shape), |concept| concept.form);
    match form {
        ValueForm::Price | ValueForm::Number | ValueForm::Duration | ValueForm::Rating | ValueForm::Count => {
            form
        }
        // The schema asks for a number under the name of a text, so the concept's form does not apply.
        _ if matches!(shape.kind, ShapeKind::Number | ShapeKind::Integer) => ValueForm::Number,
        ValueForm::Currency if asks_for_code(name, shape) => ValueForm::CurrencyCode,
        _ => form,
    }
}

/// The form that a property's own name asks for: `shipping insurance price` is an amount.
fn form_by_name(name: &str, shape: &Shape) -> ValueForm {
    match name.rsplit(' ').next().unwrap_or_default() {
        "url" | "link" | "href" | "uri" | "website" | "homepage" => ValueForm::Url,
        "email" => ValueForm::Email,
        "phone" | "telephone" | "fax" => ValueForm::Phone,
        "date" => ValueForm::Date,
        "price" => ValueForm::Price,
        "duration" => ValueForm::Duration,
        _ if matches!(shape.format.as_deref(), Some("uri" | "url")) => ValueForm::Url,
        _ => ValueForm::Text,
    }
}

/// Whether the schema asks for a currency code.
fn asks_for_code(name: &str, shape: &Shape) -> bool {
    let description = folded(&shape.description);
    name.split(' ').any(|word| matches!(word, "code" | "iso"))
        || description.split(' ').any(|word| matches!(word, "code" | "iso" | "4217"))
}

/// The fields with one name, with the weight of the name for each.
#[derive(Debug)]
enum NamedFields {
    One((usize, f64)),
    Several(Vec<(usize, f64)>),
}

impl NamedFields {
    fn as_slice(&self) -> &[(usize, f64)] {
        match self {
            Self::One(field) => std::slice::from_ref(field),
            Self::Several(fields) => fields,
        }
    }

    /// Adds a field, if it is not the last one. Fields are added one after the other.
    fn push(&mut self, field: (usize, f64)) {
        if self.as_slice().last().is_some_and(|(last, _)| *last == field.0) {
            return;
        }
        match self {
            Self::One(first) => *self = Self::Several(vec![*first, field]),
            Self::Several(fields) => fields.push(field),
        }
    }
}

/// Weight of a name that is ambiguous because it is short, such as `id`.
const SHORT_NAME_WEIGHT: f64 = 0.45;
/// Longest name that counts as short, in bytes.
const MAX_SHORT_NAME: usize = 2;
/// Weight of a label that means something else as the name of a property.
const AMBIGUOUS_LABEL_WEIGHT: f64 = 0.8;
/// Lower bound on the weight of the other names.
const MIN_NAME_WEIGHT: f64 = 0.9;

/// An index from names to the fields that have them, with the weight of each name.
#[derive(Debug)]
pub(crate) struct NameIndex {
    by_name: HashMap<Cow<'static, str>, NamedFields>,
    metas: HashMap<&'static str, Vec<(usize, f64)>>,
}

impl NameIndex {
    pub(crate) fn new(targets: &[TargetField<'_>]) -> Self {
        let names = targets.iter().filter_map(|target| target.concept).map(|concept| concept.names.len());
        let capacity = targets.len() + names.sum::<usize>();
        let mut index = Self { by_name: HashMap::with_capacity(capacity), metas: HashMap::new() };
        for (at, target) in targets.iter().enumerate() {
            index.add(Cow::Owned(target.folded.clone()), (at, 1.0));
            let Some(concept) = target.concept else { continue };
            let mut weight = 1.0;
            for (nth, name) in concept.names.iter().enumerate() {
                let is_ambiguous = nth >= concept.property_names && concept.property_names > 0;
                let name_weight = if name.len() <= MAX_SHORT_NAME {
                    SHORT_NAME_WEIGHT
                } else if is_ambiguous {
                    AMBIGUOUS_LABEL_WEIGHT
                } else {
                    weight
                };
                index.add(Cow::Borrowed(*name), (at, name_weight));
                weight = f64::max(weight - 0.01, MIN_NAME_WEIGHT);
            }
            let mut weight = 1.0;
            for meta in concept.metas {
                index.metas.entry(*meta).or_default().push((at, weight));
                weight *= 0.95;
            }
        }
        index
    }

    fn add(&mut self, name: Cow<'static, str>, field: (usize, f64)) {
        match self.by_name.entry(name) {
            Entry::Vacant(slot) => {
                slot.insert(NamedFields::One(field));
            }
            Entry::Occupied(mut slot) => slot.get_mut().push(field),
        }
    }

    /// The fields with exactly this name, in folded words.
    pub(crate) fn exactly(&self, folded: &str) -> &[(usize, f64)] {
        self.by_name.get(folded).map_or(&[], NamedFields::as_slice)
    }

    /// The fields that a `meta` element of this name states.
    pub(crate) fn of_meta(&self, name: &str) -> &[(usize, f64)] {
        self.metas.get(name.to_lowercase().as_str()).map_or(&[], Vec::as_slice)
    }

    /// The fields whose name occurs in a run of words, longest names first.
    pub(crate) fn within(&self, words: &[String]) -> Vec<(usize, f64)> {
        let mut found: Vec<(usize, f64)> = Vec::new();
        let mut name = String::new();
        for length in (1..=words.len().min(3)).rev() {
            for run in words.windows(length) {
                for (target, weight) in self.exactly(joined(run, &mut name)) {
                    if !found.iter().any(|(known, _)| known == target) {
                        found.push((*target, *weight));
                    }
                }
            }
        }
        found
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::{Value, json};

    /// The plainest name of what a field means among the fields of its object, and its form.
    fn meaning(properties: &Value, name: &str) -> (Option<&'static str>, ValueForm) {
        let shape = Shape::from_schema(&json!({ "properties": properties })).unwrap();
        let mut targets: Vec<TargetField<'_>> =
            shape.fields().iter().map(|field| TargetField::new(String::new(), Vec::new(), field)).collect();
        TargetField::resolve_by_siblings(&mut targets);
        let target = targets.iter().find(|target| target.name == name).unwrap();
        (target.concept.map(Concept::plainest_name), target.form)
    }

    #[test]
    fn the_fields_beside_a_name_decide_what_it_means() {
        let rows: [(&[&str], &str); 21] = [
            (&["title", "company", "salary"], "vacancy"),
            (&["title", "price"], "name"),
            (&["title", "name", "email"], "job title"),
            (&["role", "full_name"], "job title"),
            (&["role", "company", "location"], "vacancy"),
            (&["date", "title", "author"], "date published"),
            (&["date", "title", "venue"], "start date"),
            (&["date", "title", "company", "location"], "date published"),
            (&["location", "title", "start_date", "address"], "venue"),
            (&["location", "title", "start_date"], "location"),
            (&["location", "name", "opening_hours"], "address"),
            (&["company_name", "phone", "email"], "organization"),
            (&["company_name", "title", "email"], "company"),
            (&["item", "rating", "reviewer"], "item reviewed"),
            (&["item", "price", "rating"], "name"),
            (&["type", "company", "salary"], "employment type"),
            (&["type", "rooms", "price"], "property type"),
            (&["reference", "employment_type"], "job id"),
            (&["reference", "price"], "sku"),
            (&["text", "rating", "author"], "review body"),
            (&["course", "servings", "cuisine"], "category"),
        ];
        for (names, expected) in rows {
            let properties = names.iter().map(|name| ((*name).to_owned(), json!({ "type": "string" })));
            let found = meaning(&Value::Object(properties.collect()), names[0]);
            assert_eq!(found.0, Some(expected), "{names:?}");
        }
        // A place in a table is no job.
        let place = json!({ "position": { "type": "integer" }, "name": { "type": "string" } });
        assert_eq!(meaning(&place, "position"), (None, ValueForm::Number));
    }

    #[test]
    fn names_and_types_decide_the_form() {
        let rows = [
            ("prep_time", "integer", ValueForm::Duration),
            ("rating", "number", ValueForm::Rating),
            ("weight", "number", ValueForm::Number),
            ("weight", "string", ValueForm::Text),
            ("insurance_price", "number", ValueForm::Price),
            ("manual_url", "string", ValueForm::Url),
            ("start_date", "string", ValueForm::Moment),
        ];
        for (name, kind, expected) in rows {
            let found = meaning(&json!({ name: { "type": kind } }), name);
            assert_eq!(found.1, expected, "{name}: {kind}");
        }
    }

    #[test]
    fn paths_start_with_what_the_field_is_called() {
        let rows: [(&[&str], &str, &[&str]); 5] = [
            (&[], "price", &["offers.price"]),
            (&[], "headline", &["headline", "name"]),
            (&[], "motto", &["motto"]),
            (&["author"], "name", &["author.name", "author"]),
            (&["author"], "motto", &["author.motto", "creator.motto"]),
        ];
        for (scope, name, expected) in rows {
            let shape = Shape::from_schema(&json!({ "type": "string" })).unwrap();
            let field = Field { name: name.to_owned(), shape, required: false };
            let scope = scope.iter().map(|name| (*name).to_owned()).collect();
            let paths = TargetField::new(String::new(), scope, &field).paths();
            let found: Vec<&str> = paths.iter().map(|(path, _)| path.as_str()).take(expected.len()).collect();
            assert_eq!(found, expected, "{name}");
        }
    }

    #[test]
    fn ambiguous_names_weigh_less() {
        let shape = Shape::from_schema(&json!({ "properties": { "sku": { "type": "string" } } })).unwrap();
        let field = &shape.fields()[0];
        let index = NameIndex::new(&[TargetField::new(String::new(), Vec::new(), field)]);
        let weight = |name: &str| index.exactly(name)[0].1;
        assert!(weight("id") < weight("ref") && weight("ref") < weight("artikelnummer"));
        assert!(index.exactly("art").is_empty() && index.exactly("type").is_empty());
        assert_eq!(index.of_meta("Product:SKU").len(), 1);
    }
}
