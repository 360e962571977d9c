//! JSON Schemas: read into the shape that extraction fills, rewritten for what a provider takes, and validated.
//!
//! The user's schema is never sent as it is nor changed: [`Shape`] is what is filled, [`WireSchema`] what a provider
//! sees, and the result is validated against the user's own text.

mod shape;
mod wire;

pub use shape::{Field, MAX_SHAPE_DEPTH, MAX_SHAPE_FIELDS, Shape, ShapeKind};
pub use wire::{Dialect, MAX_WIRE_BYTES, WireSchema};

use serde_json::{Map, Value, json};

use crate::error::Error;

/// Properties of the schema that an error proposes.
const MAX_EXAMPLE_PROPERTIES: usize = 5;
/// Longest name of one of them.
const MAX_EXAMPLE_BYTES: usize = 60;

/// What one regular expression of a schema may take when it is compiled, in bytes.
const MAX_SCHEMA_PATTERN_BYTES: usize = 1 << 20;

/// Faults of a result that are told.
pub const MAX_SCHEMA_FAULTS: usize = 20;

/// Is this a JSON Schema, and does it ask for anything?
///
/// `{"name": "string"}` is a valid schema too, as keywords that JSON Schema does not know are no fault of it; but it names no property, so that
/// nothing could ever be found for it.
///
/// # Errors
/// [`ErrorKind::Schema`](crate::ErrorKind::Schema) with what is wrong, and for a schema without properties what would be right.
pub fn check_schema(schema: &Value) -> Result<(), Error> {
    validator(schema)?;
    if asks_for_something(&Shape::from_schema(schema)?) {
        return Ok(());
    }
    Err(Error::schema(format!("it names no property; right would be {}", example(schema))))
}

/// Is there a property, or a list of plain values?
fn asks_for_something(shape: &Shape) -> bool {
    let mut waiting = vec![shape];
    let mut is_root = true;
    while let Some(shape) = waiting.pop() {
        match &shape.kind {
            ShapeKind::Object(fields) => waiting.extend(fields.iter().map(|field| &field.shape)),
            ShapeKind::List(inner) => waiting.push(inner),
            _ if !is_root => return true,
            _ => {}
        }
        is_root = false;
    }
    false
}

/// A schema that asks for what this one may have meant: `{"name": "string"}` for a property `name`.
fn example(schema: &Value) -> Value {
    const TYPES: [&str; 5] = ["string", "number", "integer", "boolean", "array"];
    let mut properties = Map::new();
    for (name, kind) in schema.as_object().into_iter().flatten() {
        if let Some(kind) = kind.as_str().filter(|kind| TYPES.contains(kind) && name != "type")
            && properties.len() < MAX_EXAMPLE_PROPERTIES
            && name.len() <= MAX_EXAMPLE_BYTES
        {
            properties.insert(name.clone(), json!({ "type": kind }));
        }
    }
    if properties.is_empty() {
        properties.insert("name".to_owned(), json!({ "type": "string" }));
    }
    json!({ "properties": properties })
}

/// What keeps `data` from being valid against the user's schema, at most [`MAX_SCHEMA_FAULTS`]; empty where it is valid.
///
/// # Errors
/// [`ErrorKind::Schema`](crate::ErrorKind::Schema) where the schema is none.
pub fn schema_faults(schema: &Value, data: &Value) -> Result<Vec<String>, Error> {
    let validator = validator(schema)?;
    Ok(validator
        .iter_errors(data)
        .take(MAX_SCHEMA_FAULTS)
        .map(|fault| format!("{}: {}", fault.instance_path(), crate::page::cut(&fault.to_string(), 300)))
        .collect())
}

fn validator(schema: &Value) -> Result<jsonschema::Validator, Error> {
    jsonschema::options()
        .with_pattern_options(jsonschema::PatternOptions::regex().size_limit(MAX_SCHEMA_PATTERN_BYTES))
        .build(schema)
        .map_err(|fault| Error::schema(crate::page::cut(&fault.to_string(), 500)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_schema_must_ask_for_something() {
        let rows = [
            (json!({ "properties": { "name": {} } }), None),
            (json!({ "type": "array", "items": { "type": "string" } }), None),
            (json!({ "type": "array", "items": { "properties": { "a": {} } } }), None),
            (json!({ "properties": { "a": { "type": "object", "properties": { "b": {} } } } }), None),
            (
                json!({ "name": "string", "price": "number" }),
                Some(r#"{"properties":{"name":{"type":"string"},"price":{"type":"number"}}}"#),
            ),
            (json!({}), Some(r#"{"properties":{"name":{"type":"string"}}}"#)),
            (
                json!({ "type": "object", "properties": {} }),
                Some(r#"{"properties":{"name":{"type":"string"}}}"#),
            ),
            (json!({ "type": "string" }), Some(r#"{"properties":{"name":{"type":"string"}}}"#)),
            (json!({ "type": "array", "items": { "type": "object" } }), Some("names no property")),
        ];
        for (schema, expected) in rows {
            let told = check_schema(&schema).err().map(|error| error.to_string());
            assert_eq!(told.is_some(), expected.is_some(), "{schema}: {told:?}");
            assert!(told.unwrap_or_default().contains(expected.unwrap_or_default()), "{schema}");
        }
    }
}
