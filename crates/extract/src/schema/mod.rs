//! JSON Schemas: read into the shape that extraction fills, rewritten for what a provider takes, and validated.
//!
//! The user's schema is never sent as it is nor changed: [`Shape`] is what is filled, [`WireSchema`] what a provider
//! sees, and the result is validated against the user's own text.

mod shape;
mod wire;

pub use shape::{Field, MAX_SHAPE_DEPTH, MAX_SHAPE_FIELDS, Shape, ShapeKind};
pub use wire::{Dialect, MAX_WIRE_BYTES, WireSchema};

use serde_json::Value;

use crate::error::Error;

/// Faults of a result that are told.
pub const MAX_SCHEMA_FAULTS: usize = 20;

/// Is this a JSON Schema at all?
///
/// # Errors
/// [`ErrorKind::Schema`](crate::ErrorKind::Schema) with what is wrong.
pub fn check_schema(schema: &Value) -> Result<(), Error> {
    validator(schema).map(drop)
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
        .with_pattern_options(jsonschema::PatternOptions::regex())
        .build(schema)
        .map_err(|fault| Error::schema(crate::page::cut(&fault.to_string(), 500)))
}
