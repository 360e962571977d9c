//! An entity that a page declares, in one form for all notations.

use serde_json::{Map, Value};

use crate::page::Method;

/// An entity with its types and properties, in whatever notation the page uses.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Item {
    pub(crate) method: Method,
    /// Names of schema.org types without their URL, such as `Product`.
    pub(crate) types: Vec<String>,
    /// Properties by name, without their vocabulary. Nested entities are objects, repeated values are lists.
    pub(crate) properties: Map<String, Value>,
}

impl Item {
    /// The entity that an object describes; `None` if it has no properties.
    pub(crate) fn from_object(method: Method, mut properties: Map<String, Value>) -> Option<Self> {
        let types = types_of(&properties);
        properties.remove("@context");
        (!properties.is_empty()).then_some(Self { method, types, properties })
    }
}

/// The types of an object.
pub(crate) fn types_of(object: &Map<String, Value>) -> Vec<String> {
    let kind = object.get("@type").or_else(|| object.get("type"));
    let stated = match kind {
        Some(Value::Array(list)) => list.iter().filter_map(Value::as_str).collect(),
        Some(Value::String(one)) => vec![one.as_str()],
        _ => Vec::new(),
    };
    stated.into_iter().take(8).map(|name| local_name(name).to_owned()).collect()
}

/// `http://schema.org/Product`, `schema:Product` and `Product` are all `Product`.
pub(crate) fn local_name(name: &str) -> &str {
    name.trim().rsplit(['/', '#', ':']).next().unwrap_or_default()
}

/// Adds a value to a property; several values make a list.
pub(crate) fn add(properties: &mut Map<String, Value>, name: &str, value: Value) {
    match properties.get_mut(name) {
        None => {
            properties.insert(name.to_owned(), value);
        }
        Some(Value::Array(list)) => list.push(value),
        Some(found) => {
            let first = found.take();
            *found = Value::Array(vec![first, value]);
        }
    }
}
