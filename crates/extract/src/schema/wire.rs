//! Rewrites a shape into the schema that a model provider accepts.

use hashbrown::HashSet;

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};

use super::{Field, Shape, ShapeKind};

/// Upper bound on the size of a schema that is sent to a model, in bytes.
pub const MAX_WIRE_BYTES: usize = 64 << 10;

/// The form of JSON Schema that a provider's structured output accepts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub enum Dialect {
    /// Every property is required, no additional ones, null by a list of types: OpenAI's strict mode.
    Strict,
    /// Ordinary JSON Schema: Anthropic's tools, Ollama, llama.cpp and vLLM grammars.
    JsonSchema,
    /// The OpenAPI 3.0 subset: `nullable` in place of a list of types, `propertyOrdering`: Gemini.
    OpenApi,
}

/// The schema of a model's answer: for every leaf of the user's shape, the value with its proof.
///
/// A leaf is sent as `{"value", "quote"}`, so that the verifier can derive the value from the quote. Property
/// names stay as they are, since the model reads them. Characters that a provider does not allow in a name
/// are replaced, and [`WireSchema::restore`] restores the user's names.
#[derive(Debug, Clone, PartialEq)]
pub struct WireSchema {
    schema: Value,
}

impl WireSchema {
    /// Rewrites a shape for a provider.
    #[must_use]
    pub fn new(shape: &Shape, dialect: Dialect) -> Self {
        Self { schema: write(shape, dialect) }
    }

    /// The JSON Schema to send.
    #[must_use]
    pub const fn as_value(&self) -> &Value {
        &self.schema
    }

    /// Restores the user's names in an answer. Properties that the shape does not have are dropped.
    #[must_use]
    pub fn restore(shape: &Shape, answer: Value) -> Value {
        restore(shape, answer)
    }
}

/// The name of a property as sent: letters, digits, `_`, `.` and `-`, at most 64 characters (the strictest
/// provider's rule). A changed name ends in its index among its siblings, so that no two changed names are
/// equal.
fn wire_name(name: &str, index: usize) -> String {
    let fits = |found: char| found.is_ascii_alphanumeric() || matches!(found, '_' | '.' | '-');
    if !name.is_empty() && name.len() <= 64 && name.chars().all(fits) {
        return name.to_owned();
    }
    let replaced: String = name.chars().map(|found| if fits(found) { found } else { '_' }).take(48).collect();
    format!("{replaced}__{index}")
}

/// The wire names of an object's fields, without duplicates: a changed name gives way to a field that already
/// has it.
fn wire_names(fields: &[Field]) -> Vec<String> {
    let own: HashSet<&str> = fields.iter().map(|field| field.name.as_str()).collect();
    let unique_name = |(index, field): (usize, &Field)| {
        let changed = wire_name(&field.name, index);
        if changed == field.name || !own.contains(changed.as_str()) {
            return changed;
        }
        // There are more candidates than fields, so one of them is free.
        let mut others = (0..=fields.len()).map(|attempt| format!("_{index}__{attempt}x"));
        others.find(|other| !own.contains(other.as_str())).unwrap_or(changed)
    };
    fields.iter().enumerate().map(unique_name).collect()
}

fn write(shape: &Shape, dialect: Dialect) -> Value {
    let mut out = match &shape.kind {
        ShapeKind::Object(fields) => {
            let mut properties = Map::new();
            let mut names = Vec::new();
            for (field, name) in fields.iter().zip(wire_names(fields)) {
                properties.insert(name.clone(), write(&field.shape, dialect));
                names.push(name);
            }
            match dialect {
                Dialect::OpenApi => {
                    json!({ "type": "object", "properties": properties, "propertyOrdering": names })
                }
                _ => json!({
                    "type": "object", "properties": properties, "required": names,
                    "additionalProperties": false,
                }),
            }
        }
        ShapeKind::List(inner) => json!({ "type": "array", "items": write(inner, dialect) }),
        leaf => {
            let name = match leaf {
                ShapeKind::Number => "number",
                ShapeKind::Integer => "integer",
                ShapeKind::Boolean => "boolean",
                _ => "string",
            };
            let mut value = nullable(name, dialect);
            if let Some(object) = value.as_object_mut()
                && !shape.choices.is_empty()
            {
                let mut choices = shape.choices.clone();
                if dialect != Dialect::OpenApi {
                    choices.push(Value::Null);
                }
                object.insert("enum".to_owned(), Value::Array(choices));
            }
            let quote = nullable("string", dialect);
            match dialect {
                Dialect::OpenApi => {
                    json!({ "type": "object", "properties": { "value": value, "quote": quote } })
                }
                _ => json!({
                    "type": "object", "properties": { "value": value, "quote": quote },
                    "required": ["value", "quote"], "additionalProperties": false,
                }),
            }
        }
    };
    if let Some(object) = out.as_object_mut()
        && !shape.description.is_empty()
    {
        object.insert("description".to_owned(), Value::from(shape.description.as_str()));
    }
    out
}

fn nullable(name: &str, dialect: Dialect) -> Value {
    match dialect {
        Dialect::OpenApi => json!({ "type": name, "nullable": true }),
        _ => json!({ "type": [name, "null"] }),
    }
}

fn restore(shape: &Shape, answer: Value) -> Value {
    match (&shape.kind, answer) {
        (ShapeKind::Object(fields), Value::Object(mut answer)) => {
            let mut out = Map::new();
            for (field, sent) in fields.iter().zip(wire_names(fields)) {
                if let Some(value) = answer.remove(&sent).or_else(|| answer.remove(&field.name)) {
                    out.insert(field.name.clone(), restore(&field.shape, value));
                }
            }
            Value::Object(out)
        }
        (ShapeKind::List(inner), Value::Array(list)) => {
            Value::Array(list.into_iter().map(|item| restore(inner, item)).collect())
        }
        (_, answer) => answer,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shape() -> Shape {
        Shape::from_schema(&json!({ "properties": {
            "price (€)": { "type": "number" }, "price_€_": { "type": "number" },
            "tags": { "type": "array", "items": { "type": "string" } },
            "state": { "enum": ["new", "used"] },
        } }))
        .unwrap()
    }

    #[test]
    fn names_survive_the_round_trip() {
        let shape = shape();
        let wire = WireSchema::new(&shape, Dialect::Strict);
        let sent: Vec<&String> = wire.as_value()["properties"].as_object().unwrap().keys().collect();
        assert_eq!(sent.len(), 4);
        let answer: Map<String, Value> =
            sent.iter().map(|name| ((*name).clone(), json!({ "value": name, "quote": "q" }))).collect();
        let back = WireSchema::restore(&shape, Value::Object(answer));
        for field in shape.fields() {
            assert!(back.get(&field.name).is_some(), "{}", field.name);
        }
    }

    #[test]
    fn a_changed_name_gives_way_to_an_existing_one() {
        let schema = json!({ "properties": { "": {}, "é": {}, "___1": {}, "_1__0x": {}, "__0": {} } });
        let shape = Shape::from_schema(&schema).unwrap();
        let sent = wire_names(shape.fields());
        assert_eq!(sent.iter().collect::<HashSet<_>>().len(), 5, "{sent:?}");
        let wire = WireSchema::new(&shape, Dialect::Strict);
        assert_eq!(wire.as_value()["properties"].as_object().map(Map::len), Some(5));
        let answer: Map<String, Value> = sent.into_iter().map(|name| (name, Value::Null)).collect();
        let back = WireSchema::restore(&shape, Value::Object(answer));
        assert!(shape.fields().iter().all(|field| back.get(&field.name).is_some()), "{back}");
    }

    #[test]
    fn each_dialect_has_its_form_of_null() {
        let shape = shape();
        let leaf = |dialect| {
            WireSchema::new(&shape, dialect).schema["properties"]["state"]["properties"]["value"].clone()
        };
        assert_eq!(
            leaf(Dialect::Strict),
            json!({ "type": ["string", "null"], "enum": ["new", "used", null] })
        );
        assert_eq!(
            leaf(Dialect::OpenApi),
            json!({ "type": "string", "nullable": true, "enum": ["new", "used"] })
        );
    }
}
