//! What a schema asks for.

use serde_json::{Map, Value, json};

use super::kinds::{Kind, Property};
use super::names::names;
use super::site::hash;

/// The share of the properties that a varied schema has, in per cent.
const SHARE: u64 = 75;
/// Lower bound on the properties of a varied schema.
const MIN_PROPERTIES: usize = 2;
/// A varied schema asks for the price as text once in this many pages.
const TEXT_PRICES: u64 = 4;

/// A property under the name that a schema gives it.
#[derive(Debug, Clone, Copy)]
pub(super) struct AskedProperty {
    pub(super) property: &'static Property,
    /// `list.field` is a field of the objects in a list.
    pub(super) name: &'static str,
    /// Empty if the schema describes it by its name only.
    description: &'static str,
    /// Whether it is a text, whatever its form.
    is_text: bool,
}

impl AskedProperty {
    const fn fixed(property: &'static Property) -> Self {
        Self { property, name: property.name, description: "", is_text: false }
    }

    /// The property as the user of a page writes it.
    fn varied(kind: &Kind, property: &'static Property, page: &str) -> Self {
        let all = names(kind.name, property.name);
        let count = u64::try_from(all.len()).unwrap_or(1).max(1);
        let at = usize::try_from(draw(page, property.name, "name") % count).unwrap_or_default();
        let written = all.get(at).copied().unwrap_or(property.name);
        let (name, description) = written.split_once(": ").unwrap_or((written, ""));
        let is_text =
            property.name == "price" && draw(page, property.name, "text").is_multiple_of(TEXT_PRICES);
        Self { property, name, description, is_text }
    }

    /// The schema of one value.
    fn value_schema(&self) -> Value {
        let mut schema = if self.is_text || self.property.is_list {
            json!({ "type": ["string", "null"] })
        } else {
            self.property.form.schema()
        };
        if let Some(schema) = schema.as_object_mut().filter(|_| !self.description.is_empty()) {
            schema.insert("description".to_owned(), self.description.into());
        }
        schema
    }
}

/// The properties that a user asks for.
#[derive(Debug)]
pub(super) struct Asked(Vec<AskedProperty>);

impl Asked {
    /// All properties of a kind under their own names.
    pub(super) fn fixed(kind: &'static Kind) -> Self {
        Self(kind.properties.iter().map(AskedProperty::fixed).collect())
    }

    /// The schema that the user of one page writes: three quarters of the properties, each under one of its
    /// names. The same page has the same schema on every machine.
    pub(super) fn varied(kind: &'static Kind, page: &str) -> Self {
        let luck = |property: &Property| draw(page, property.name, "is asked for") % 100;
        let mut order: Vec<&Property> = kind.properties.iter().collect();
        order.sort_by_key(|property| luck(property));
        let certain: Vec<&str> = order.iter().take(MIN_PROPERTIES).map(|property| property.name).collect();
        let is_asked =
            |property: &&'static Property| luck(property) < SHARE || certain.contains(&property.name);
        let properties = kind.properties.iter().filter(is_asked);
        Self(properties.map(|property| AskedProperty::varied(kind, property, page)).collect())
    }

    pub(super) fn properties(&self) -> &[AskedProperty] {
        &self.0
    }

    /// The JSON Schema.
    pub(super) fn schema(&self) -> Value {
        let mut properties = Map::new();
        let mut rows: Map<String, Value> = Map::new();
        for asked in &self.0 {
            match asked.name.split_once('.') {
                Some((list, field)) => {
                    rows.insert(field.to_owned(), asked.value_schema());
                    let items = json!({ "type": "object", "properties": rows });
                    properties.insert(list.to_owned(), json!({ "type": "array", "items": items }));
                }
                None if asked.property.is_list => {
                    let list = json!({ "type": "array", "items": { "type": "string" } });
                    properties.insert(asked.name.to_owned(), list);
                }
                None => {
                    properties.insert(asked.name.to_owned(), asked.value_schema());
                }
            }
        }
        json!({ "type": "object", "properties": properties })
    }
}

/// A number for a page, a property and what is decided, the same on every machine.
fn draw(page: &str, property: &str, what: &str) -> u64 {
    let mut mixed = hash(&format!("{page}\n{property}\n{what}"));
    // The last bits of an FNV hash depend on the last bits of the text only.
    for _ in 0..2 {
        mixed = (mixed ^ (mixed >> 32)).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    }
    mixed ^ (mixed >> 32)
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;
    use crate::fields::kinds::{KINDS, by_name};
    use gleaner_extract::check_schema;

    #[test]
    fn every_kind_has_a_schema_that_extraction_can_fill() {
        for kind in &KINDS {
            let fixed = Asked::fixed(kind);
            assert_eq!(fixed.properties().len(), kind.properties.len());
            assert!(!check_schema(&fixed.schema()).unwrap().asks_for_nothing(), "{}", kind.name);
            for page in ["a", "b", "c"] {
                let schema = Asked::varied(kind, page).schema();
                assert!(!check_schema(&schema).unwrap().asks_for_nothing(), "{} {schema}", kind.name);
            }
        }
        let rows = Asked::fixed(by_name("Faq").unwrap()).schema();
        assert!(rows.pointer("/properties/questions/items/properties/answer").is_some());
    }

    #[test]
    fn schemas_vary_from_page_to_page() {
        let job = by_name("JobPosting").unwrap();
        let pages: Vec<Asked> = (0..200).map(|page| Asked::varied(job, &format!("page {page}"))).collect();
        let asked: usize = pages.iter().map(|page| page.properties().len()).sum();
        let share = asked as f64 / (200 * job.properties.len()) as f64;
        assert!((share - 0.75).abs() < 0.05, "{share}");
        let of_company = |page: &Asked| {
            page.properties().iter().find(|asked| asked.property.name == "company").map(|asked| asked.name)
        };
        let names: BTreeSet<Option<&str>> = pages.iter().map(of_company).collect();
        assert_eq!(names.len(), names_of_company() + 1, "{names:?}");
        let again = Asked::varied(job, "page 7").schema();
        assert_eq!(again, pages.get(7).unwrap().schema());
        assert!(pages.iter().all(|page| page.properties().len() >= MIN_PROPERTIES));
    }

    fn names_of_company() -> usize {
        names("JobPosting", "company").len()
    }
}
