//! Structured data as a type of the caller's.

use std::any::type_name;
use std::ops::Deref;

use gleaner_runtime::Error;
use gleaner_types::request::ExtractRequest;
use schemars::{JsonSchema, SchemaGenerator, generate::SchemaSettings};
use serde::de::DeserializeOwned;

use super::result::ExtractResult;

/// Structured data as a type of the caller's, with all that is known about it.
///
/// It derefs to the [`ExtractResult`] that it was made of.
#[derive(Debug, Clone, PartialEq)]
pub struct Typed<T> {
    /// The data.
    pub value: T,
    /// The same as JSON, with its proofs and what it cost.
    pub result: ExtractResult,
}

impl<T> Deref for Typed<T> {
    type Target = ExtractResult;

    fn deref(&self) -> &ExtractResult {
        &self.result
    }
}

/// Data that does not fill the type that was asked for.
#[derive(Debug)]
pub struct Incomplete {
    /// What is missing, for people.
    pub text: String,
    /// What was found.
    pub found: Box<ExtractResult>,
}

impl<T: DeserializeOwned> Typed<T> {
    /// Fits the data of a result to the type.
    ///
    /// # Errors
    /// Where the data does not fill the type.
    pub fn of(result: ExtractResult) -> Result<Self, Incomplete> {
        match T::deserialize(&result.data) {
            Ok(value) => Ok(Self { value, result }),
            Err(why) => {
                let text = format!(
                    "the pages do not state all that `{}` needs: {why}; a field that may be empty should be an `Option`",
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
/// Where the request has a schema of its own, or the type is no struct.
pub fn with_schema_of<T: JsonSchema>(request: ExtractRequest) -> Result<ExtractRequest, Error> {
    if request.schema.is_some() {
        let text = "`schema` is that of the type that is asked for: leave it out of the request";
        return Err(Error::fault("schema", text));
    }
    let schema = SchemaGenerator::new(SchemaSettings::draft2020_12()).into_root_schema_for::<T>();
    if schema.as_object().is_none() {
        let text = format!("the schema of `{}` is no object: ask for a struct", short_name::<T>());
        return Err(Error::fault("schema", &text));
    }
    Ok(request.schema(schema))
}

fn short_name<T>() -> &'static str {
    let name = type_name::<T>();
    name.rsplit("::").next().unwrap_or(name)
}
