//! Reads JSON-LD scripts, tolerates their common faults, and resolves references in graphs.

use std::borrow::Cow;

use serde_json::{Map, Value};

use super::MAX_ITEMS;
use super::item::{Item, types_of};
use crate::json::parse_prefix;
use crate::markup::decode;
use crate::page::Method;

/// Upper bound on the JSON size of the entities that replace references: many references may point to one
/// large entity.
const MAX_FILLED_BYTES: usize = 16 << 20;

/// Reads the entities of one `application/ld+json` script. It accepts the faults that pages have: comments,
/// CDATA marks, trailing commas, several values in a row, raw line ends in strings, a value that breaks off
/// in the middle of a list.
///
/// Entities of a `@graph` refer to each other by `@id`; one level of such references is filled in. Returns
/// the number of entities that were dropped.
pub(crate) fn read(text: &str, items: &mut Vec<Item>) -> usize {
    let mut rest = text;
    let mut roots = Vec::new();
    while roots.len() < 64 {
        let Some(start) = rest.find(['{', '[']) else { break };
        let candidate = rest.get(start..).unwrap_or_default();
        match parse_prefix(candidate) {
            Ok(parsed) => {
                roots.push(parsed.value);
                rest = candidate.get(parsed.end..).unwrap_or_default();
            }
            Err(error) => rest = candidate.get(error.at.max(1)..).unwrap_or_default(),
        }
    }
    // The elements of lists and graphs are entities of their own.
    let mut waiting: Vec<Value> = roots.into_iter().rev().collect();
    let mut found: Vec<Map<String, Value>> = Vec::new();
    let mut dropped = 0;
    while let Some(value) = waiting.pop() {
        match value {
            Value::Array(list) => waiting.extend(list.into_iter().rev()),
            Value::Object(mut object) => {
                if let Some(graph) = object.remove("@graph") {
                    waiting.push(graph);
                }
                // A page entity contains the entity that the page is about.
                let wrapper = types_of(&object).iter().any(|name| name.ends_with("Page"));
                for about in ["mainEntity", "mainEntityOfPage", "itemReviewed"] {
                    if wrapper && object.get(about).is_some_and(Value::is_object) {
                        waiting.extend(object.remove(about));
                    }
                }
                if items.len() + found.len() < MAX_ITEMS {
                    found.push(object);
                } else {
                    dropped += 1;
                }
            }
            _ => {}
        }
    }
    let by_id: Vec<(String, Map<String, Value>, usize)> = found
        .iter()
        .filter(|object| object.len() > 1)
        .filter_map(|object| Some((object.get("@id")?.as_str()?.to_owned(), object.clone())))
        .take(200)
        .map(|(id, object)| {
            let size = serde_json::to_string(&object).map_or(usize::MAX, |text| text.len());
            (id, object, size)
        })
        .collect();
    let mut left = MAX_FILLED_BYTES;
    for mut object in found {
        for value in object.values_mut() {
            resolve(value, &by_id, &mut left);
        }
        decode_texts(&mut object);
        items.extend(Item::from_object(Method::JsonLd, object));
    }
    dropped
}

/// Replaces `{"@id": "x"}` by the entity `x`, within the remaining bytes.
fn resolve(value: &mut Value, by_id: &[(String, Map<String, Value>, usize)], left: &mut usize) {
    let references: Vec<&mut Value> = match value {
        Value::Array(list) => list.iter_mut().take(64).collect(),
        other => vec![other],
    };
    for reference in references {
        let id = match reference {
            Value::Object(object) if object.len() == 1 => object.get("@id").and_then(Value::as_str),
            _ => None,
        };
        let known = id.and_then(|id| by_id.iter().find(|(known, ..)| known == id));
        if let Some((_, entity, size)) = known
            && let Some(rest) = left.checked_sub(*size)
        {
            *left = rest;
            *reference = Value::Object(entity.clone());
        }
    }
}

/// Decodes texts, which JSON-LD often escapes once too often: `Elo&iacute;sa`.
fn decode_texts(object: &mut Map<String, Value>) {
    let mut waiting: Vec<&mut Value> = object.values_mut().collect();
    while let Some(value) = waiting.pop() {
        match value {
            Value::String(text) => {
                if let Cow::Owned(decoded) = decode(text) {
                    *text = decoded;
                }
            }
            Value::Array(list) => waiting.extend(list.iter_mut()),
            Value::Object(inner) => waiting.extend(inner.values_mut()),
            _ => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn types(text: &str) -> Vec<String> {
        let mut items = Vec::new();
        read(text, &mut items);
        items.into_iter().flat_map(|item| item.types).collect()
    }

    #[test]
    fn json_ld_of_pages_is_read() {
        let rows: [(&str, &[&str]); 7] = [
            (r#"{"@type":"Product","name":"a"}"#, &["Product"]),
            (r#"/*<![CDATA[*/ {"@type":"Product","name":"a",} /*]]>*/"#, &["Product"]),
            (r#"[{"@type":"A","x":1},{"@type":["B","http://schema.org/C"],"x":1}]"#, &["A", "B", "C"]),
            (r#"{"@context":"x","@graph":[{"@type":"A","x":1}]}"#, &["A"]),
            (r#"{"@type":"WebPage","mainEntity":{"@type":"Product"}}"#, &["WebPage", "Product"]),
            (r#"{"broken": } {"@type":"A","x":1}"#, &["A"]),
            ("", &[]),
        ];
        for (text, expected) in rows {
            assert_eq!(types(text), expected, "{text}");
        }
    }

    #[test]
    fn a_large_entity_replaces_a_bounded_number_of_references() {
        let large = format!(r##"{{"@type":"A","@id":"#a","text":"{}"}}"##, "x".repeat(1 << 20));
        let holders = r##"{"@type":"B","of":{"@id":"#a"}},"##.repeat(100);
        let mut items = Vec::new();
        assert_eq!(read(&format!("[{holders}{large}]"), &mut items), 0);
        let filled =
            items.iter().filter(|item| item.properties.get("of").is_some_and(|of| of.get("text").is_some()));
        assert_eq!((items.len(), filled.count()), (101, 15));
    }

    #[test]
    fn references_within_a_graph_are_filled_in() {
        let mut items = Vec::new();
        let text = r##"{"@graph":[{"@type":"Product","offers":{"@id":"#o"}},{"@type":"Offer","@id":"#o","price":"5"}]}"##;
        read(text, &mut items);
        assert_eq!(items[0].properties["offers"]["price"], "5");
    }
}
