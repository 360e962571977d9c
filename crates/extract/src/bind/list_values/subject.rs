//! Decides how well a heading, a label or a class names the list that a property asks for.

use hashbrown::HashMap;

use super::vocabulary::{self, ItemKind};
use crate::bind::target::TargetField;
use crate::bind::words::words;

/// Longest label or heading that may name a list, in words.
const MAX_LABEL_WORDS: usize = 7;
/// How well a text fits that begins or ends with a name.
const EDGE_FIT: f64 = 0.75;
/// How well a label fits with a name in its middle.
const INNER_FIT: f64 = 0.35;
/// How well a class fits with a name in its middle.
const INNER_CLASS_FIT: f64 = 0.7;
/// Names of a property that do not say what its list contains.
const EMPTY_NAMES: &str = "\
    items|values|list|data|results|names|links|urls|texts|entries|elements|objects|rows|array|content|text|\
    body|name|title|description|url|link|article|item|part|id|date|section|sections";

/// What a property asks for: the names of the list and the kind of its items.
#[derive(Debug)]
pub(super) struct Subject {
    pub(super) kind: ItemKind,
    /// The names by their first word.
    names: HashMap<String, Vec<Vec<String>>>,
    /// Names of one word in scripts that write no blanks between words.
    unspaced: Vec<String>,
}

impl Subject {
    /// What a property asks for; `None` if its name does not say it.
    pub(super) fn new(field_name: &str, target: &TargetField<'_>) -> Option<Self> {
        let own = words(field_name);
        let known = vocabulary::known(&own);
        let kind = known.map_or(ItemKind::Any, |(kind, _)| *kind);
        let mut subject = Self { kind, names: HashMap::new(), unspaced: Vec::new() };
        for name in known.into_iter().flat_map(|(_, names)| names.split('|')) {
            subject.add(name.split(' ').map(str::to_owned).collect());
        }
        let says_nothing = |name: &[String]| is_empty_name(&name.join(" "));
        if known.is_none() && !says_nothing(&own) {
            // The other names of a concept are ambiguous labels.
            let names = target.concept.and_then(|concept| concept.names.get(..concept.property_names));
            let clear = |name: &&&str| name.len() > 3 && !is_empty_name(name);
            for name in names.unwrap_or_default().iter().filter(clear) {
                subject.add(name.split(' ').map(str::to_owned).collect());
            }
        }
        if !says_nothing(&own) {
            numbers(&own).into_iter().for_each(|name| subject.add(name));
        }
        (!subject.names.is_empty()).then_some(subject)
    }

    fn add(&mut self, name: Vec<String>) {
        let Some(first) = name.first() else { return };
        if name.len() == 1 && is_unspaced(first) {
            self.unspaced.push(first.clone());
        }
        let known = self.names.entry(first.clone()).or_default();
        if !known.contains(&name) {
            known.push(name);
        }
    }

    /// How well a label or a heading names the list, 0 to 1. Numbers in it do not count: "Ingredients (12)".
    pub(super) fn fit(&self, label: &str) -> f64 {
        let mut own = words(label);
        own.retain(|word| !word.bytes().all(|byte| byte.is_ascii_digit()));
        if own.len() > MAX_LABEL_WORDS {
            return 0.0;
        }
        let fit = self.run_fit(&own, INNER_FIT);
        let first = own.first().map_or("", String::as_str);
        let begins = self.unspaced.iter().any(|name| first.starts_with(name.as_str()));
        if begins { f64::max(fit, EDGE_FIT) } else { fit }
    }

    /// How well a class, an id or another name of an element names the list, 0 to 1.
    pub(super) fn class_fit(&self, class: &[String]) -> f64 {
        self.run_fit(class, INNER_CLASS_FIT)
    }

    fn run_fit(&self, own: &[String], inside: f64) -> f64 {
        let mut best = 0.0;
        for (at, word) in own.iter().enumerate() {
            let Some(names) = self.names.get(word) else { continue };
            let rest = own.get(at..).unwrap_or_default();
            for name in names.iter().filter(|name| rest.starts_with(name)) {
                let fit = if name.len() == own.len() {
                    1.0
                } else if at == 0 || name.len() == rest.len() {
                    EDGE_FIT
                } else {
                    inside
                };
                best = f64::max(best, fit);
            }
        }
        best
    }

    /// Whether a label or a heading names another kind of list.
    pub(super) fn is_other(&self, label: &str) -> bool {
        let mut own = words(label);
        own.retain(|word| !word.bytes().all(|byte| byte.is_ascii_digit()));
        !own.is_empty() && self.run_fit(&own, 0.0) < EDGE_FIT && vocabulary::exact(&own).is_some()
    }
}

fn is_empty_name(name: &str) -> bool {
    EMPTY_NAMES.split('|').any(|known| known == name)
}

/// Whether a word is in a script that writes no blanks between words.
fn is_unspaced(word: &str) -> bool {
    word.chars().any(|found| found >= '\u{2e80}')
}

/// A name in the singular and in the plural, as English writes them.
fn numbers(name: &[String]) -> Vec<Vec<String>> {
    let Some((last, rest)) = name.split_last() else { return Vec::new() };
    if !last.is_ascii() || last.len() < 4 {
        return vec![name.to_vec()];
    }
    let other = if let Some(stem) = last.strip_suffix("ies") {
        format!("{stem}y")
    } else if let Some(stem) = last.strip_suffix('s').filter(|stem| !stem.ends_with('s')) {
        stem.to_owned()
    } else {
        format!("{last}s")
    };
    vec![name.to_vec(), rest.iter().cloned().chain([other]).collect()]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::schema::{Field, Shape};
    use serde_json::json;

    fn subject(name: &str) -> Option<Subject> {
        let shape = Shape::from_schema(&json!({ "type": "string" })).unwrap();
        let field = Field { name: name.to_owned(), shape, required: false };
        Subject::new(name, &TargetField::new(String::new(), Vec::new(), &field))
    }

    #[test]
    fn labels_name_lists_in_any_language() {
        let rows = [
            ("ingredients", "Ingredients (12)", 1.0),
            ("ingredients", "Zutaten:", 1.0),
            ("recipe_ingredients", "Ingredients for the cake", EDGE_FIT),
            ("ingredients", "材料（2人分）", EDGE_FIT),
            ("ingredients", "Why the ingredients matter here", INNER_FIT),
            ("ingredients", "All about our ingredients and where on earth they come from", 0.0),
            ("side_effects", "Side effects", 1.0),
            ("side_effects", "Side effect", 1.0),
            ("side_effects", "Effects", 0.0),
            ("allergies", "Allergy", 1.0),
        ];
        for (name, label, expected) in rows {
            assert!((subject(name).unwrap().fit(label) - expected).abs() < 1e-9, "{name}: {label}");
        }
        assert!(subject("items").is_none());
        assert!(subject("ingredients").unwrap().is_other("Method"));
        assert!(!subject("ingredients").unwrap().is_other("For the sauce"));
    }
}
