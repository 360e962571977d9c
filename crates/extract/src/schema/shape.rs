use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::error::Error;

/// Levels of a schema that are filled; what is deeper stays null. It also ends cycles of `$ref`.
pub const MAX_SHAPE_DEPTH: usize = 12;
/// Properties of a schema that are filled, all levels together.
pub const MAX_SHAPE_FIELDS: usize = 2_000;

/// What a schema asks for: its references followed, its alternatives decided, its keywords that only validate left out.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Shape {
    /// What kind of value.
    pub kind: ShapeKind,
    /// What the schema says about it.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub description: String,
    /// May it be null? Where it may not, an unknown value is left out of its object.
    pub nullable: bool,
    /// The values that are allowed, null aside; empty where any is.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub choices: Vec<Value>,
    /// The `format` keyword, such as `date`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub format: Option<String>,
}

/// Kinds of values.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub enum ShapeKind {
    /// An object with these properties, in the schema's order.
    Object(Vec<Field>),
    /// A list of such values.
    List(Box<Shape>),
    /// A text.
    Text,
    /// A number.
    Number,
    /// A whole number.
    Integer,
    /// True or false.
    Boolean,
    /// The schema does not say.
    Any,
}

/// A property of an object.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Field {
    /// Its name.
    pub name: String,
    /// What it holds.
    pub shape: Shape,
    /// Is it listed as required?
    pub required: bool,
}

impl Shape {
    /// Reads a JSON Schema. Local references are followed; anything a schema may say that does not change what is asked for
    /// is left to validation.
    ///
    /// # Errors
    /// [`ErrorKind::Schema`](crate::ErrorKind::Schema) where the root is no schema, a reference points nowhere, or it is too large.
    pub fn from_schema(schema: &Value) -> Result<Self, Error> {
        let mut fields = 0;
        Self::read(schema, schema, 0, &mut fields)
    }

    /// Is it an object or a list, so that leaves are below it?
    #[must_use]
    pub const fn is_branch(&self) -> bool {
        matches!(self.kind, ShapeKind::Object(_) | ShapeKind::List(_))
    }

    /// The fields of an object; none for other shapes.
    #[must_use]
    pub fn fields(&self) -> &[Field] {
        match &self.kind {
            ShapeKind::Object(fields) => fields,
            _ => &[],
        }
    }

    /// Does it name neither a property with a value nor a list of plain values, so that nothing could ever be found for it?
    #[must_use]
    pub fn asks_for_nothing(&self) -> bool {
        let mut waiting = vec![self];
        let mut is_root = true;
        while let Some(shape) = waiting.pop() {
            match &shape.kind {
                ShapeKind::Object(fields) => waiting.extend(fields.iter().map(|field| &field.shape)),
                ShapeKind::List(inner) => waiting.push(inner),
                _ if !is_root => return false,
                _ => {}
            }
            is_root = false;
        }
        true
    }

    /// Completes data of this shape: what an object leaves out is null then, an object of the same, or an empty list.
    ///
    /// An [`Extraction`](crate::Extraction) leaves out what is unknown and may not be null by the schema. Some readers rely on
    /// each property being there, and check for null.
    pub fn complete(&self, data: &mut Value) {
        match (&self.kind, data) {
            (ShapeKind::Object(fields), Value::Object(object)) => {
                for field in fields {
                    match object.get_mut(&field.name) {
                        Some(inner) => field.shape.complete(inner),
                        None => drop(object.insert(field.name.clone(), crate::bind::empty(&field.shape))),
                    }
                }
            }
            (ShapeKind::List(inner), Value::Array(list)) => {
                list.iter_mut().for_each(|element| inner.complete(element));
            }
            _ => {}
        }
    }

    fn any() -> Self {
        Self {
            kind: ShapeKind::Any,
            description: String::new(),
            nullable: true,
            choices: Vec::new(),
            format: None,
        }
    }

    // The depth is bounded by a constant and not by the input, so the call stack is too.
    fn read(root: &Value, schema: &Value, depth: usize, count: &mut usize) -> Result<Self, Error> {
        if depth > MAX_SHAPE_DEPTH {
            return Ok(Self::any());
        }
        let object = match schema {
            Value::Object(object) => object,
            Value::Bool(true) => return Ok(Self::any()),
            _ => return Err(Error::schema("a schema must be an object")),
        };
        let object = &flatten(root, object)?;
        let types: Vec<&str> = match object.get("type") {
            Some(Value::String(one)) => vec![one],
            Some(Value::Array(list)) => list.iter().filter_map(Value::as_str).collect(),
            _ => Vec::new(),
        };
        let mut choices: Vec<Value> =
            object.get("enum").and_then(Value::as_array).cloned().unwrap_or_default();
        choices.extend(object.get("const").cloned());
        let nullable = types.contains(&"null")
            || choices.iter().any(Value::is_null)
            || object.get("nullable") == Some(&Value::Bool(true))
            || (types.is_empty() && choices.is_empty() && !object.contains_key("properties"));
        choices.retain(|choice| !choice.is_null());
        let stated = types.iter().copied().find(|name| *name != "null");
        let stated = stated.or_else(|| {
            if object.contains_key("properties") {
                Some("object")
            } else if object.contains_key("items") {
                Some("array")
            } else if choices.iter().any(Value::is_string) {
                Some("string")
            } else {
                None
            }
        });
        let kind = match stated {
            Some("object") => {
                let required = object.get("required").and_then(Value::as_array);
                let mut fields = Vec::new();
                for (name, inner) in object.get("properties").and_then(Value::as_object).into_iter().flatten()
                {
                    *count += 1;
                    if *count > MAX_SHAPE_FIELDS {
                        return Err(Error::schema(format!("it has more than {MAX_SHAPE_FIELDS} properties")));
                    }
                    let shape = Self::read(root, inner, depth + 1, count)?;
                    let required = required.is_some_and(|list| list.iter().any(|item| item == name));
                    fields.push(Field { name: name.clone(), shape, required });
                }
                ShapeKind::Object(fields)
            }
            Some("array") => {
                let items = object.get("items").or_else(|| object.get("prefixItems")?.get(0));
                let inner = match items {
                    Some(Value::Array(list)) => list.first(),
                    other => other,
                };
                let inner = inner
                    .map_or_else(|| Ok(Self::any()), |inner| Self::read(root, inner, depth + 1, count))?;
                ShapeKind::List(Box::new(inner))
            }
            Some("string") => ShapeKind::Text,
            Some("number") => ShapeKind::Number,
            Some("integer") => ShapeKind::Integer,
            Some("boolean") => ShapeKind::Boolean,
            _ => ShapeKind::Any,
        };
        let text = |key: &str| object.get(key).and_then(Value::as_str);
        let description = text("description").or_else(|| text("title")).unwrap_or_default().to_owned();
        Ok(Self { kind, description, nullable, choices, format: text("format").map(str::to_owned) })
    }
}

/// Follows references, merges `allOf`, and takes the first alternative that is not null.
fn flatten(root: &Value, object: &Map<String, Value>) -> Result<Map<String, Value>, Error> {
    let mut object = object.clone();
    for _ in 0..MAX_SHAPE_DEPTH {
        if let Some(reference) = object.remove("$ref") {
            let target = reference
                .as_str()
                .and_then(|reference| reference.strip_prefix('#'))
                .map(|pointer| if pointer.is_empty() { Some(root) } else { root.pointer(pointer) });
            let Some(Some(Value::Object(target))) = target else {
                return Err(Error::schema(format!(
                    "`$ref` {reference} points to nothing in the schema itself"
                )));
            };
            for (key, value) in target {
                object.entry(key.clone()).or_insert_with(|| value.clone());
            }
        } else if let Some(Value::Array(parts)) = object.remove("allOf") {
            for part in parts.iter().filter_map(Value::as_object) {
                merge(&mut object, part);
            }
        } else if let Some(Value::Array(list)) = object.remove("anyOf").or_else(|| object.remove("oneOf")) {
            let is_null = |one: &Value| one.get("type").is_some_and(|kind| kind == "null");
            let nullable = list.iter().any(is_null);
            if let Some(Value::Object(first)) = list.iter().find(|one| !is_null(one)) {
                merge(&mut object, first);
            }
            if nullable {
                object.insert("nullable".to_owned(), Value::Bool(true));
            }
        } else {
            break;
        }
    }
    Ok(object)
}

fn merge(object: &mut Map<String, Value>, part: &Map<String, Value>) {
    for (key, value) in part {
        match (object.get_mut(key), value) {
            (Some(Value::Object(known)), Value::Object(more)) if key == "properties" => {
                for (name, inner) in more {
                    known.entry(name.clone()).or_insert_with(|| inner.clone());
                }
            }
            (Some(Value::Array(known)), Value::Array(more)) if key == "required" => {
                known.extend(more.iter().cloned());
            }
            (Some(_), _) => {}
            (None, _) => {
                object.insert(key.clone(), value.clone());
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn references_and_alternatives_are_decided() {
        let schema = json!({
            "$defs": { "price": { "type": "number", "description": "in euros" } },
            "properties": {
                "price": { "$ref": "#/$defs/price" },
                "name": { "anyOf": [{ "type": "null" }, { "type": "string" }] },
                "tags": { "type": "array", "items": { "type": "string" } },
                "stock": { "enum": ["yes", "no", null] },
            },
            "required": ["price"],
        });
        let shape = Shape::from_schema(&schema).unwrap();
        let fields: std::collections::BTreeMap<&str, &Field> =
            shape.fields().iter().map(|field| (field.name.as_str(), field)).collect();
        assert_eq!(fields["price"].shape.kind, ShapeKind::Number);
        assert!(fields["price"].required && fields["price"].shape.description == "in euros");
        assert!(fields["name"].shape.nullable && fields["name"].shape.kind == ShapeKind::Text);
        assert!(
            matches!(&fields["tags"].shape.kind, ShapeKind::List(inner) if inner.kind == ShapeKind::Text)
        );
        assert_eq!((fields["stock"].shape.choices.len(), fields["stock"].shape.nullable), (2, true));
    }

    #[test]
    fn completed_data_has_every_property() {
        let schema = json!({ "properties": {
            "name": { "type": "string" },
            "maker": { "type": "object", "properties": { "city": { "type": "string" }, "year": { "type": "integer" } } },
            "tags": { "type": "array", "items": { "type": "string" } },
            "offers": { "type": "array", "items": { "properties": { "price": { "type": "number" }, "sku": { "type": "string" } } } },
        } });
        let shape = Shape::from_schema(&schema).unwrap();
        for (data, completed) in [
            (
                json!({}),
                json!({ "name": null, "maker": { "city": null, "year": null }, "tags": [], "offers": [] }),
            ),
            (
                json!({ "name": "Cup", "maker": { "year": 1907 }, "tags": ["a"], "offers": [{ "price": 1 }, { "sku": "x" }] }),
                json!({
                    "name": "Cup", "maker": { "city": null, "year": 1907 }, "tags": ["a"],
                    "offers": [{ "price": 1, "sku": null }, { "price": null, "sku": "x" }],
                }),
            ),
            (
                json!({ "maker": null, "more": 1 }),
                json!({ "name": null, "maker": null, "tags": [], "offers": [], "more": 1 }),
            ),
            (json!(null), json!(null)),
        ] {
            let mut found = data.clone();
            shape.complete(&mut found);
            assert_eq!(found, completed, "{data}");
        }
    }

    #[test]
    fn cycles_end_and_size_is_bounded() {
        let schema = json!({ "properties": { "child": { "$ref": "#" }, "name": { "type": "string" } } });
        assert!(Shape::from_schema(&schema).is_ok());
        let twins = json!({ "properties": { "a": { "$ref": "#" }, "b": { "$ref": "#" } } });
        assert!(Shape::from_schema(&twins).is_err_and(|error| error.is_request()));
        let selfish = json!({ "$ref": "#" });
        assert!(Shape::from_schema(&selfish).is_ok());
        assert!(Shape::from_schema(&json!({ "$ref": "#/nowhere" })).is_err());
        assert!(Shape::from_schema(&json!(7)).is_err());
    }
}
