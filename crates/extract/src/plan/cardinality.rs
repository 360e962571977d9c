//! Decides whether a request asks for one thing or for many.

use serde::{Deserialize, Serialize};

use super::terms::stem;
use crate::bind::words;
use crate::schema::{Shape, ShapeKind};

/// The number of things that a request asks for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub enum Cardinality {
    /// One thing: every page contributes to the same object.
    One,
    /// A list of things: every page contributes rows.
    Many,
    /// An object of single values beside a list of things.
    OneWithLists,
}

/// Words of a prompt that ask for all things of a kind.
const MANY: [&str; 8] = ["all", "every", "each", "list", "alle", "tous", "todos", "catalogue"];

impl Cardinality {
    /// Decides by rules. The schema decides if there is one. A prompt alone asks for many if it says so or
    /// names a plural first.
    #[must_use]
    pub fn of(shape: Option<&Shape>, prompt: Option<&str>) -> Self {
        if let Some(shape) = shape {
            let records =
                |shape: &Shape| matches!(&shape.kind, ShapeKind::List(inner) if !inner.fields().is_empty());
            if matches!(shape.kind, ShapeKind::List(_)) {
                return Self::Many;
            }
            let lists = shape.fields().iter().filter(|field| records(&field.shape)).count();
            return match (lists, shape.fields().len() - lists) {
                (0, _) => Self::One,
                (_, 0) => Self::Many,
                _ => Self::OneWithLists,
            };
        }
        let prompt_words = words(crate::page::truncate(prompt.unwrap_or_default(), 200));
        let verbs = ["extract", "get", "find", "give", "me", "collect", "scrape", "the", "fetch", "show"];
        let first = prompt_words.iter().find(|word| !verbs.contains(&word.as_str()));
        let plural = first.is_some_and(|word| word.len() > 3 && stem(word) != **word);
        if plural || prompt_words.iter().any(|word| MANY.contains(&word.as_str())) {
            Self::Many
        } else {
            Self::One
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn schemas_and_prompts_decide_the_cardinality() {
        let item = json!({ "type": "object", "properties": { "name": { "type": "string" } } });
        let list = json!({ "type": "array", "items": item });
        let tags = json!({ "type": "array", "items": { "type": "string" } });
        let rows = [
            (Some(json!({ "properties": { "name": {}, "tags": tags } })), None, Cardinality::One),
            (Some(json!({ "properties": { "jobs": list } })), None, Cardinality::Many),
            (Some(list.clone()), None, Cardinality::Many),
            (Some(json!({ "properties": { "name": {}, "jobs": list } })), None, Cardinality::OneWithLists),
            (None, Some("Extract all products"), Cardinality::Many),
            (None, Some("Get the products with prices"), Cardinality::Many),
            (None, Some("Find the founding year of the firm"), Cardinality::One),
            (Some(json!({ "properties": { "name": {} } })), Some("all"), Cardinality::One),
        ];
        for (schema, prompt, expected) in rows {
            let shape = schema.as_ref().map(|schema| Shape::from_schema(schema).unwrap());
            assert_eq!(Cardinality::of(shape.as_ref(), prompt), expected, "{schema:?} {prompt:?}");
        }
    }
}
