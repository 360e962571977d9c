use std::borrow::Cow;

use serde_json::{Map, Value};

use super::MAX_ITEMS;
use super::item::{Item, types_of};
use crate::json::parse_prefix;
use crate::markup::decode;
use crate::page::Method;

/// Reads the entities of one `application/ld+json` script, forgiving what pages do to it: comments, CDATA marks,
/// trailing commas, several values in a row, raw line ends in texts, a value broken off in the middle of a list.
///
/// Entities of a `@graph` refer to each other by `@id`; one level of such references is filled in.
pub(crate) fn read(text: &str, items: &mut Vec<Item>) {
    let mut rest = text;
    let mut roots = Vec::new();
    while roots.len() < 64 {
        let Some(start) = rest.find(['{', '[']) else { break };
        let here = rest.get(start..).unwrap_or_default();
        match parse_prefix(here) {
            Ok(parsed) => {
                roots.push(parsed.value);
                rest = here.get(parsed.end..).unwrap_or_default();
            }
            Err(broken) => rest = here.get(broken.at.max(1)..).unwrap_or_default(),
        }
    }
    // Each list and each graph holds entities of its own rank.
    let mut waiting: Vec<Value> = roots.into_iter().rev().collect();
    let mut found: Vec<Map<String, Value>> = Vec::new();
    while let Some(value) = waiting.pop() {
        match value {
            Value::Array(list) => waiting.extend(list.into_iter().rev()),
            Value::Object(mut object) => {
                if let Some(graph) = object.remove("@graph") {
                    waiting.push(graph);
                }
                // A page that says what it is about.
                let wrapper = types_of(&object).iter().any(|name| name.ends_with("Page"));
                for about in ["mainEntity", "mainEntityOfPage", "itemReviewed"] {
                    if wrapper && object.get(about).is_some_and(Value::is_object) {
                        waiting.extend(object.remove(about));
                    }
                }
                if found.len() < MAX_ITEMS {
                    found.push(object);
                }
            }
            _ => {}
        }
    }
    let by_id: Vec<(String, Map<String, Value>)> = found
        .iter()
        .filter(|object| object.len() > 1)
        .filter_map(|object| Some((object.get("@id")?.as_str()?.to_owned(), object.clone())))
        .take(200)
        .collect();
    for mut object in found {
        for value in object.values_mut() {
            resolve(value, &by_id);
        }
        clean(&mut object);
        items.extend(Item::from_object(Method::JsonLd, object));
    }
}

/// `{"@id": "x"}` becomes the entity `x`.
fn resolve(value: &mut Value, by_id: &[(String, Map<String, Value>)]) {
    let references: Vec<&mut Value> = match value {
        Value::Array(list) => list.iter_mut().take(64).collect(),
        other => vec![other],
    };
    for reference in references {
        let id = match reference {
            Value::Object(object) if object.len() == 1 => object.get("@id").and_then(Value::as_str),
            _ => None,
        };
        if let Some((_, entity)) = id.and_then(|id| by_id.iter().find(|(known, _)| known == id)) {
            *reference = Value::Object(entity.clone());
        }
    }
}

/// Texts in JSON-LD are often escaped once too often: `Elo&iacute;sa`.
fn clean(object: &mut Map<String, Value>) {
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
    fn what_pages_write_is_read() {
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
    fn references_within_a_graph_are_filled_in() {
        let mut items = Vec::new();
        let text = r##"{"@graph":[{"@type":"Product","offers":{"@id":"#o"}},{"@type":"Offer","@id":"#o","price":"5"}]}"##;
        read(text, &mut items);
        assert_eq!(items[0].properties["offers"]["price"], "5");
    }
}
