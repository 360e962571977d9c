//! Structured data as a Rust type of the caller.

use std::any::type_name;
use std::ops::Deref;

use gleaner_runtime::Error;
use gleaner_types::request::ExtractRequest;
use schemars::{JsonSchema, SchemaGenerator, generate::SchemaSettings};
use serde::de::DeserializeOwned;

use super::result::ExtractResult;

/// Structured data as a Rust type of the caller. It derefs to its [`ExtractResult`].
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct Typed<T> {
    /// The data.
    pub value: T,
    /// The same data as JSON, with its proofs and its cost.
    pub result: ExtractResult,
}

impl<T> Deref for Typed<T> {
    type Target = ExtractResult;

    fn deref(&self) -> &ExtractResult {
        &self.result
    }
}

/// Data that does not fill the requested type.
#[derive(Debug)]
#[non_exhaustive]
pub struct Incomplete {
    /// A message that names what is missing.
    pub text: String,
    /// The data that was found.
    pub found: Box<ExtractResult>,
}

impl<T: DeserializeOwned> Typed<T> {
    /// Deserializes the data of a result.
    ///
    /// # Errors
    /// If the data does not fill the type.
    pub fn of(result: ExtractResult) -> Result<Self, Incomplete> {
        match T::deserialize(&result.data) {
            Ok(value) => Ok(Self { value, result }),
            Err(cause) => {
                let text = format!(
                    "the pages do not state all fields of `{}`: {cause}; \
                     make fields that may be empty an `Option`",
                    short_name::<T>()
                );
                Err(Incomplete { text, found: Box::new(result) })
            }
        }
    }
}

/// The request with the schema of a type.
///
/// # Errors
/// If the request already has a schema, or the type is not a struct.
pub fn with_schema_of<T: JsonSchema>(request: ExtractRequest) -> Result<ExtractRequest, Error> {
    if request.schema.is_some() {
        let text = "`schema` comes from the requested type: leave it out of the request";
        return Err(Error::fault("schema", text));
    }
    let schema = SchemaGenerator::new(SchemaSettings::draft2020_12()).into_root_schema_for::<T>();
    if schema.as_object().is_none() {
        let text = format!("the schema of `{}` is not an object: use a struct", short_name::<T>());
        return Err(Error::fault("schema", &text));
    }
    Ok(request.schema(schema))
}

fn short_name<T>() -> &'static str {
    let name = type_name::<T>();
    name.rsplit("::").next().unwrap_or(name)
}
