use std::collections::HashMap;

use super::concept::{Concept, TITLE_OF_PERSON, concept_of};
use super::words::folded;
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
    pub(crate) shape: &'s Shape,
    pub(crate) concept: Option<&'static Concept>,
    pub(crate) form: ValueForm,
}

impl<'s> TargetField<'s> {
    pub(crate) fn new(pointer: String, scope: Vec<String>, field: &'s Field) -> Self {
        // `author.name` is an author, not a title.
        let own = folded(&field.name);
        let scoped =
            scope.last().filter(|_| matches!(own.as_str(), "name" | "value" | "text" | "title" | "id"));
        let concept = match scoped {
            Some(above) => concept_of(above, ""),
            None => concept_of(&field.name, &field.shape.description),
        };
        let numeric = matches!(field.shape.kind, ShapeKind::Number | ShapeKind::Integer);
        let form = match (concept.map(|concept| concept.form), numeric) {
            (Some(form @ (ValueForm::Price | ValueForm::Number)), true) => form,
            // The schema asks for a number under the name of a text, so the concept does not apply.
            (_, true) => ValueForm::Number,
            (Some(ValueForm::Currency), false) if asks_for_code(&own, field) => ValueForm::CurrencyCode,
            (Some(form), false) => form,
            (None, false) if is_url(&own, field) => ValueForm::Url,
            (None, false) => ValueForm::Text,
        };
        Self { pointer, scope, name: &field.name, shape: &field.shape, concept, form }
    }

    pub(crate) fn has_concept(&self, name: &str) -> bool {
        self.concept.is_some_and(|concept| concept.names.first() == Some(&name))
    }

    /// Distinguishes the title of a person from that of a thing: beside a person's name, a title is neither a
    /// heading nor a name.
    pub(crate) fn resolve_titles(targets: &mut [Self]) {
        const PERSONS: [&str; 6] = ["name", "full name", "person", "person name", "first name", "last name"];
        const THEIRS: [&str; 9] =
            ["email", "phone", "role", "position", "department", "company", "bio", "office", "team"];
        let named: Vec<(Vec<String>, String)> =
            targets.iter().map(|target| (target.scope.clone(), folded(target.name))).collect();
        for target in targets {
            let own = folded(target.name);
            let has = |names: &[&str]| {
                named.iter().any(|(scope, name)| *scope == target.scope && names.contains(&name.as_str()))
            };
            let is_title = matches!(own.as_str(), "job title" | "position title" | "work title");
            if has(&PERSONS) && (is_title || (own == "title" && has(&THEIRS))) {
                target.concept = Some(&TITLE_OF_PERSON);
                target.form = ValueForm::Text;
            }
        }
    }

    /// Whether this is one of its names, in folded words.
    pub(crate) fn has_name(&self, name: &str) -> bool {
        !name.is_empty()
            && (folded(self.name) == name
                || self.concept.is_some_and(|concept| concept.names.contains(&name)))
    }

    /// Paths in an entity, with their weights; the property's own name comes first if it has no concept or is
    /// nested.
    pub(crate) fn paths(&self) -> Vec<(String, f64)> {
        let mut paths = Vec::new();
        let scope = self.scope.iter().map(|name| super::words::words(name).join(" "));
        let mut own: Vec<String> = scope.collect();
        own.push(folded(self.name));
        let concept = self.concept.map_or(&[][..], |concept| concept.paths);
        if concept.is_empty() || !self.scope.is_empty() {
            paths.push((own.join("."), 1.0));
        }
        let mut weight = 1.0;
        for path in concept {
            let path: Vec<String> = path
                .split('.')
                .map(|part| if part == "@id" { part.to_owned() } else { folded(part) })
                .collect();
            paths.push((path.join("."), weight));
            weight *= 0.93;
        }
        if !concept.is_empty() {
            paths.push((own.join("."), 0.9));
        }
        paths
    }
}

/// Whether the schema asks for a currency code.
fn asks_for_code(name: &str, field: &Field) -> bool {
    let description = folded(&field.shape.description);
    name.split(' ').any(|word| matches!(word, "code" | "iso"))
        || description.split(' ').any(|word| matches!(word, "code" | "iso" | "4217"))
}

/// Whether the schema asks for a URL.
fn is_url(name: &str, field: &Field) -> bool {
    let last = name.rsplit(' ').next().unwrap_or_default();
    matches!(last, "url" | "link" | "href" | "uri" | "website" | "homepage")
        || matches!(field.shape.format.as_deref(), Some("uri" | "url"))
}

/// An index from names to the fields that have them, with the weight of each name.
#[derive(Debug)]
pub(crate) struct NameIndex {
    by_name: HashMap<String, Vec<(usize, f64)>>,
    metas: HashMap<String, Vec<(usize, f64)>>,
}

impl NameIndex {
    pub(crate) fn new(targets: &[TargetField<'_>]) -> Self {
        let mut by_name: HashMap<String, Vec<(usize, f64)>> = HashMap::new();
        let mut metas: HashMap<String, Vec<(usize, f64)>> = HashMap::new();
        for (at, target) in targets.iter().enumerate() {
            let mut add = |name: String, weight: f64| {
                let known = by_name.entry(name).or_default();
                if !known.iter().any(|(other, _)| *other == at) {
                    known.push((at, weight));
                }
            };
            add(folded(target.name), 1.0);
            let Some(concept) = target.concept else { continue };
            let mut weight = 1.0;
            for name in concept.names {
                // Short names such as `id` and `ref` are ambiguous.
                let name_weight = if name.len() <= 2 { 0.45 } else { weight };
                add((*name).to_owned(), name_weight);
                weight = f64::max(weight - 0.01, 0.9);
            }
            let mut weight = 1.0;
            for meta in concept.metas {
                metas.entry((*meta).to_owned()).or_default().push((at, weight));
                weight *= 0.95;
            }
        }
        Self { by_name, metas }
    }

    /// The fields with exactly this name, in folded words.
    pub(crate) fn exactly(&self, folded: &str) -> &[(usize, f64)] {
        self.by_name.get(folded).map_or(&[], Vec::as_slice)
    }

    /// The fields that a `meta` element of this name states.
    pub(crate) fn of_meta(&self, name: &str) -> &[(usize, f64)] {
        self.metas.get(&name.to_lowercase()).map_or(&[], Vec::as_slice)
    }

    /// The fields whose name occurs in a run of words, longest names first.
    pub(crate) fn within(&self, words: &[String]) -> Vec<(usize, f64)> {
        let mut found: Vec<(usize, f64)> = Vec::new();
        for length in (1..=words.len().min(3)).rev() {
            for run in words.windows(length) {
                for (target, weight) in self.exactly(&run.join(" ")) {
                    if !found.iter().any(|(known, _)| known == target) {
                        found.push((*target, *weight));
                    }
                }
            }
        }
        found
    }
}
