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

/// What a JSON Schema asks for, where it is one that can be filled.
///
/// # Errors
/// [`ErrorKind::Schema`](crate::ErrorKind::Schema) with what is wrong.
pub fn check_schema(schema: &Value) -> Result<Shape, Error> {
    validator(schema)?;
    Shape::from_schema(schema)
}

/// The answer to a schema that [asks for nothing](Shape::asks_for_nothing), and what its reader should know; `None` for
/// other schemas.
///
/// `{"name": "string"}` is such a schema: keywords that JSON Schema does not know are no fault of it, but it names no
/// property. The remark says what would be right.
#[must_use]
pub fn empty_answer(schema: &Value) -> Option<(Value, String)> {
    let shape = Shape::from_schema(schema).ok().filter(Shape::asks_for_nothing)?;
    let data = match shape.kind {
        ShapeKind::Object(_) | ShapeKind::Any => json!({}),
        ShapeKind::List(_) => json!([]),
        _ => Value::Null,
    };
    let remark = format!(
        "the schema names no property, so nothing was looked for; right would be {}",
        example(schema)
    );
    Some((data, remark))
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
    fn a_schema_that_names_no_property_has_an_empty_answer_that_says_so() {
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
            assert!(check_schema(&schema).is_ok(), "{schema}");
            let answer = empty_answer(&schema);
            assert_eq!(answer.is_some(), expected.is_some(), "{schema}: {answer:?}");
            let (data, told) = answer.unwrap_or_default();
            assert!(told.contains(expected.unwrap_or_default()), "{schema}: {told}");
            assert!(told.is_empty() || schema_faults(&schema, &data).is_ok(), "{schema}");
        }
        let data = |schema: Value| empty_answer(&schema).map(|(data, _)| data);
        assert_eq!(data(json!({})), Some(json!({})));
        assert_eq!(data(json!({ "type": "array", "items": {} })), None, "a list of whatever is something");
        assert_eq!(data(json!({ "type": "array", "items": { "type": "object" } })), Some(json!([])));
        assert!(check_schema(&json!({ "type": 7 })).is_err());
    }
}
