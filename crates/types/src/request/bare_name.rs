//! Values that are a name or an object, such as `"pdf"` and `{"type": "pdf", "maxPages": 5}`.
//!
//! Serde has no representation for this. Alternative: an untagged enum over a string and an object. It would
//! need every variant twice, and would report a small mistake inside an object as "did not match any
//! variant". Instead, the types derive only the tagged form (with `#[serde(remote = "Self")]`, which does not
//! implement the traits), and a bare name is read as an object with only a tag.

use schemars::Schema;
use serde::Serialize;
use serde::de::{Deserialize, Deserializer, Error as _};
use serde::ser::{Error as _, Serializer};
use serde_json::{Map, Value, json};

/// Converts a string to `{key: string}`, and leaves any other value unchanged.
pub(crate) fn object_form<'de, D: Deserializer<'de>>(deserializer: D, key: &str) -> Result<Value, D::Error> {
    let value = Value::deserialize(deserializer)?;
    Ok(match value {
        Value::String(text) => Value::Object(Map::from_iter([(key.to_owned(), Value::String(text))])),
        other => other,
    })
}

/// Reads the tagged form with `read`, after [`object_form`].
pub(crate) fn deserialize<'de, D, T>(
    deserializer: D,
    key: &str,
    read: fn(Value) -> Result<T, serde_json::Error>,
) -> Result<T, D::Error>
where
    D: Deserializer<'de>,
{
    read(object_form(deserializer, key)?).map_err(D::Error::custom)
}

/// Writes an object with only `key` as a bare string, and any other value unchanged.
pub(crate) fn serialize<S: Serializer>(
    object: Result<Value, serde_json::Error>,
    key: &str,
    serializer: S,
) -> Result<S::Ok, S::Error> {
    match object.map_err(S::Error::custom)? {
        Value::Object(fields) if fields.len() == 1 && fields.get(key).is_some_and(Value::is_string) => {
            fields.get(key).serialize(serializer)
        }
        other => other.serialize(serializer),
    }
}

/// Widens the schema of a tagged enum: tags without required fields are also allowed as bare strings.
pub(crate) fn allow_names(schema: &mut Schema) {
    let names: Vec<Value> = schema
        .get("oneOf")
        .and_then(Value::as_array)
        .into_iter()
        .flatten()
        .filter(|branch| branch.get("required") == Some(&json!(["type"])))
        .filter_map(|branch| branch.get("properties")?.get("type")?.get("const").cloned())
        .collect();
    widen(schema, json!({ "type": "string", "enum": names }));
}

/// Widens the schema of a webhook: a bare URL is allowed in place of an object with only `url`.
pub(crate) fn allow_url(schema: &mut Schema) {
    widen(schema, json!({ "type": "string" }));
}

fn widen(schema: &mut Schema, text: Value) {
    let object = std::mem::take(schema.ensure_object());
    let mut widened = Map::new();
    if let Some(description) = object.get("description") {
        widened.insert("description".to_owned(), description.clone());
    }
    widened.insert("anyOf".to_owned(), json!([text, object]));
    *schema.ensure_object() = widened;
}

/// Implements `Serialize` and `Deserialize` over the derived tagged form.
macro_rules! name_or_object {
    ($name:ident, $key:literal) => {
        impl serde::Serialize for $name {
            fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                crate::request::bare_name::serialize(
                    $name::serialize(self, serde_json::value::Serializer),
                    $key,
                    serializer,
                )
            }
        }

        impl<'de> serde::Deserialize<'de> for $name {
            fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                crate::request::bare_name::deserialize(deserializer, $key, |value| $name::deserialize(value))
            }
        }
    };
}
pub(crate) use name_or_object;
