//! JSON Schemas: checked, read into the shape that extraction fills, and rewritten for what a provider takes.
//!
//! The user's schema is never sent as it is: [`Shape`] is what extraction fills, [`WireSchema`] is what a
//! provider sees.

mod flat_schema;
mod shape;
mod validity;
mod wire;

pub use shape::{Field, MAX_SHAPE_DEPTH, MAX_SHAPE_FIELDS, Shape, ShapeKind};
pub use wire::{Dialect, MAX_WIRE_BYTES, WireSchema};

use serde_json::{Map, Value, json};

use crate::error::Error;

/// Upper bound on the properties of the schema that the remark proposes.
const MAX_EXAMPLE_PROPERTIES: usize = 5;
/// Longest property name that the remark repeats, in bytes.
const MAX_EXAMPLE_BYTES: usize = 60;

/// What a JSON Schema asks for, if it is a schema that extraction can fill.
///
/// # Errors
/// [`ErrorKind::Schema`](crate::ErrorKind::Schema) with the reason.
pub fn check_schema(schema: &Value) -> Result<Shape, Error> {
    validity::check(schema)?;
    Shape::from_schema(schema)
}

/// The answer to a schema that [asks for nothing](Shape::asks_for_nothing), with a remark for its reader;
/// `None` for other schemas.
///
/// `{"name": "string"}` is such a schema: JSON Schema allows unknown keywords, but the schema names no
/// property. The remark shows a schema that would work.
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

/// A schema with the properties that this one may have meant: `{"name": "string"}` for a property `name`.
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_schema_without_properties_has_an_empty_answer_with_a_remark() {
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
            let (_, remark) = answer.unwrap_or_default();
            assert!(remark.contains(expected.unwrap_or_default()), "{schema}: {remark}");
        }
        let data = |schema: Value| empty_answer(&schema).map(|(data, _)| data);
        assert_eq!(data(json!({})), Some(json!({})));
        assert_eq!(data(json!({ "type": "array", "items": {} })), None, "a list of whatever is something");
        assert_eq!(data(json!({ "type": "array", "items": { "type": "object" } })), Some(json!([])));
        assert!(check_schema(&json!({ "type": 7 })).is_err());
    }
}
