//! The fields and types that a schema asks for, and the completion of data to that shape.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::flat_schema::{FlatSchema, SchemaCost};
use crate::error::Error;
use crate::page::truncate;

/// Upper bound on the levels of a schema that are filled; deeper values stay null. It also ends cycles of
/// `$ref`.
pub const MAX_SHAPE_DEPTH: usize = 12;
/// Upper bound on the properties of a schema, on all levels together.
pub const MAX_SHAPE_FIELDS: usize = 2_000;
/// Upper bound on the bytes that completing the data of one page adds.
const MAX_ADDED_BYTES: usize = 16 << 20;
/// Approximate size of a property without its name.
const ADDED_BYTES: usize = 64;
/// Descriptions are truncated to this length, in bytes.
const MAX_TEXT_BYTES: usize = 4_000;

/// What a schema asks for: references are followed, alternatives decided, keywords that only validate left
/// out.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Shape {
    /// The kind of value.
    pub kind: ShapeKind,
    /// The schema's description.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub description: String,
    /// Whether it may be null. If not, an unknown value is left out of its object.
    pub nullable: bool,
    /// The allowed values without null; empty if any value is allowed.
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
    /// A list of values of this shape.
    List(Box<Shape>),
    /// A text.
    Text,
    /// A number.
    Number,
    /// A whole number.
    Integer,
    /// True or false.
    Boolean,
    /// The schema does not state a type.
    Any,
}

/// A property of an object.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Field {
    /// Its name.
    pub name: String,
    /// Its shape.
    pub shape: Shape,
    /// Whether it is listed as required.
    pub required: bool,
}

impl Shape {
    /// Reads a JSON Schema. Local references are followed. Keywords that do not change what is asked for are
    /// ignored.
    ///
    /// # Errors
    /// [`ErrorKind::Schema`](crate::ErrorKind::Schema) if the root is not a schema, a reference points
    /// nowhere, or the schema is too large.
    pub fn from_schema(schema: &Value) -> Result<Self, Error> {
        Self::read(schema, schema, 0, &mut SchemaCost::default())
    }

    /// Whether it is an object or a list, so that leaves are below it.
    #[must_use]
    pub const fn is_branch(&self) -> bool {
        matches!(self.kind, ShapeKind::Object(_) | ShapeKind::List(_))
    }

    /// The fields of an object; empty for other shapes.
    #[must_use]
    pub fn fields(&self) -> &[Field] {
        match &self.kind {
            ShapeKind::Object(fields) => fields,
            _ => &[],
        }
    }

    /// The number of requested values, with a list counted as one row; at least 1.
    #[must_use]
    pub fn places(&self) -> usize {
        let (mut places, mut waiting) = (0, vec![self]);
        while let Some(shape) = waiting.pop() {
            match &shape.kind {
                ShapeKind::Object(fields) => waiting.extend(fields.iter().map(|field| &field.shape)),
                ShapeKind::List(inner) => waiting.push(inner),
                _ => places += 1,
            }
        }
        places.max(1)
    }

    /// Whether it names neither a property with a value nor a list of plain values, so that nothing can ever
    /// be found for it.
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

    /// Completes data of this shape: fields that an object leaves out become null, an object of the same
    /// kind, or an empty list.
    ///
    /// An [`Extraction`](crate::Extraction) leaves out values that are unknown and must not be null by the
    /// schema. Some readers rely on each property and check for null. The size of the addition is bounded: in
    /// many records of many properties, the last ones stay as they are.
    pub fn complete(&self, data: &mut Value) {
        let mut left = MAX_ADDED_BYTES;
        self.fill(data, &mut left);
    }

    // The recursion is as deep as the shape, which a constant bounds.
    fn fill(&self, data: &mut Value, left: &mut usize) {
        match (&self.kind, data) {
            (ShapeKind::Object(fields), Value::Object(object)) => {
                for field in fields {
                    if !object.contains_key(&field.name) {
                        *left = left.saturating_sub(field.name.len() + ADDED_BYTES);
                        if *left == 0 {
                            return;
                        }
                        let empty = match field.shape.kind {
                            ShapeKind::Object(_) => Value::Object(Map::new()),
                            ShapeKind::List(_) => Value::Array(Vec::new()),
                            _ => Value::Null,
                        };
                        object.insert(field.name.clone(), empty);
                    }
                    if let Some(inner) = object.get_mut(&field.name) {
                        field.shape.fill(inner, left);
                    }
                }
            }
            (ShapeKind::List(inner), Value::Array(list)) => {
                for element in list {
                    if *left == 0 {
                        return;
                    }
                    inner.fill(element, left);
                }
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

    // A constant bounds the depth, and so the call stack, whatever the input.
    fn read(root: &Value, schema: &Value, depth: usize, cost: &mut SchemaCost) -> Result<Self, Error> {
        if depth > MAX_SHAPE_DEPTH {
            return Ok(Self::any());
        }
        let object = match schema {
            Value::Object(object) => object,
            Value::Bool(true) => return Ok(Self::any()),
            _ => return Err(Error::schema("a schema must be an object")),
        };
        let flat = FlatSchema::of(root, object, cost)?;
        let types: Vec<&str> = match flat.get("type") {
            Some(Value::String(one)) => vec![one],
            Some(Value::Array(list)) => {
                cost.keys(list.len())?;
                list.iter().filter_map(Value::as_str).collect()
            }
            _ => Vec::new(),
        };
        let listed = flat.get("enum").and_then(Value::as_array).into_iter().flatten();
        let mut choices: Vec<&Value> = listed.chain(flat.get("const")).collect();
        let nullable = types.contains(&"null")
            || choices.iter().any(|choice| choice.is_null())
            || flat.get("nullable") == Some(&Value::Bool(true))
            || (types.is_empty() && choices.is_empty() && !flat.has("properties"));
        choices.retain(|choice| !choice.is_null());
        cost.values(&choices)?;
        let stated = types.iter().copied().find(|name| *name != "null");
        let stated = stated.or_else(|| {
            if flat.has("properties") {
                Some("object")
            } else if flat.has("items") {
                Some("array")
            } else if choices.iter().any(|choice| choice.is_string()) {
                Some("string")
            } else {
                None
            }
        });
        let kind = match stated {
            Some("object") => {
                let required = flat.required(cost)?;
                let mut fields = Vec::new();
                for (name, inner) in flat.properties(cost)? {
                    cost.field(name)?;
                    let shape = Self::read(root, inner, depth + 1, cost)?;
                    fields.push(Field { name: name.to_owned(), shape, required: required.contains(name) });
                }
                ShapeKind::Object(fields)
            }
            Some("array") => {
                let items = flat.get("items").or_else(|| flat.get("prefixItems")?.get(0));
                let inner = match items {
                    Some(Value::Array(list)) => list.first(),
                    other => other,
                };
                let inner = inner
                    .map_or_else(|| Ok(Self::any()), |inner| Self::read(root, inner, depth + 1, cost))?;
                ShapeKind::List(Box::new(inner))
            }
            Some("string") => ShapeKind::Text,
            Some("number") => ShapeKind::Number,
            Some("integer") => ShapeKind::Integer,
            Some("boolean") => ShapeKind::Boolean,
            _ => ShapeKind::Any,
        };
        let text =
            |key: &str| flat.get(key).and_then(Value::as_str).map(|text| truncate(text, MAX_TEXT_BYTES));
        let description = text("description").or_else(|| text("title")).unwrap_or_default().to_owned();
        let choices = choices.into_iter().cloned().collect();
        Ok(Self { kind, description, nullable, choices, format: text("format").map(str::to_owned) })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;
    use std::collections::BTreeMap;

    #[test]
    fn references_and_alternatives_are_resolved() {
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
        let fields: BTreeMap<&str, &Field> =
            shape.fields().iter().map(|field| (field.name.as_str(), field)).collect();
        assert_eq!(fields["price"].shape.kind, ShapeKind::Number);
        assert_eq!(shape.places(), 4);
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
            "maker": {
                "type": "object",
                "properties": { "city": { "type": "string" }, "year": { "type": "integer" } },
            },
            "tags": { "type": "array", "items": { "type": "string" } },
            "offers": {
                "type": "array",
                "items": { "properties": { "price": { "type": "number" }, "sku": { "type": "string" } } },
            },
        } });
        let shape = Shape::from_schema(&schema).unwrap();
        for (data, completed) in [
            (
                json!({}),
                json!({ "name": null, "maker": { "city": null, "year": null }, "tags": [], "offers": [] }),
            ),
            (
                json!({
                    "name": "Cup", "maker": { "year": 1907 }, "tags": ["a"],
                    "offers": [{ "price": 1 }, { "sku": "x" }],
                }),
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
    fn many_records_of_many_properties_are_completed_up_to_a_bound() {
        let fields: Map<String, Value> =
            (0..1_999).map(|n| (format!("p{n}"), json!({ "type": "string" }))).collect();
        let shape = Shape::from_schema(&json!({
            "properties": { "rows": { "type": "array", "items": { "properties": fields } } },
        }));
        let mut data = json!({ "rows": vec![json!({ "p7": "x" }); 20_000] });
        shape.unwrap().complete(&mut data);
        let rows = data["rows"].as_array().unwrap();
        assert_eq!((rows[0].as_object().unwrap().len(), rows[0]["p7"].as_str()), (1_999, Some("x")));
        assert_eq!(rows[19_999], json!({ "p7": "x" }));
        let values: usize = rows.iter().map(|row| row.as_object().unwrap().len()).sum();
        assert!(values < 20_000 + MAX_ADDED_BYTES / ADDED_BYTES, "{values}");
    }

    #[test]
    fn parts_are_merged_and_the_first_wins() {
        let schema = json!({
            "properties": { "a": { "type": "string" } },
            "required": ["a"],
            "allOf": [
                {
                    "properties": { "a": { "type": "number" }, "b": { "type": "integer" } },
                    "required": ["b"],
                },
                { "$ref": "#/$defs/more" },
            ],
            "$defs": { "more": { "properties": { "c": { "type": "boolean" } } } },
        });
        let shape = Shape::from_schema(&schema).unwrap();
        let fields = shape.fields().iter();
        let read: Vec<_> =
            fields.map(|field| (field.name.as_str(), &field.shape.kind, field.required)).collect();
        let expected = [
            ("a", &ShapeKind::Text, true),
            ("b", &ShapeKind::Integer, true),
            ("c", &ShapeKind::Boolean, false),
        ];
        assert_eq!(read, expected);
    }

    /// Schema generators write a type composed of others like this.
    #[test]
    fn every_reference_of_a_combination_counts() {
        let part = |name: &str| json!({ "properties": { name: { "type": "string" } }, "required": [name] });
        let schema = json!({
            "allOf": [{ "$ref": "#/$defs/a" }, { "$ref": "#/$defs/b" }],
            "$ref": "#/$defs/c",
            "$defs": {
                "a": { "allOf": [{ "$ref": "#/$defs/d" }, part("a")] },
                "b": { "allOf": [{ "$ref": "#/$defs/e" }, part("b")] },
                "c": part("c"), "d": part("d"), "e": part("e"),
            },
        });
        let shape = Shape::from_schema(&schema).unwrap();
        let names: Vec<&str> = shape.fields().iter().map(|field| field.name.as_str()).collect();
        assert_eq!(names, ["a", "b", "c", "d", "e"]);
        assert!(shape.fields().iter().all(|field| field.required));
        let many: Vec<Value> = (0..60).map(|at| json!({ "$ref": format!("#/$defs/p{at}") })).collect();
        let defs: Map<String, Value> =
            (0..60).map(|at| (format!("p{at}"), part(&format!("p{at}")))).collect();
        let shape = Shape::from_schema(&json!({ "allOf": many, "$defs": defs })).unwrap();
        assert_eq!(shape.fields().len(), 60);
    }

    #[test]
    fn cycles_end_and_size_is_bounded() {
        let schema = json!({ "properties": { "child": { "$ref": "#" }, "name": { "type": "string" } } });
        assert!(Shape::from_schema(&schema).is_ok());
        let twins = json!({ "properties": { "a": { "$ref": "#" }, "b": { "$ref": "#" } } });
        assert!(Shape::from_schema(&twins).is_err_and(|error| error.is_request()));
        let choices: Vec<String> = (0..20_000).map(|choice| format!("choice {choice}")).collect();
        let properties: Map<String, Value> =
            (0..1_000).map(|at| (format!("p{at}"), json!({ "$ref": "#/$defs/a" }))).collect();
        let copied = json!({ "properties": properties, "$defs": { "a": { "enum": choices } } });
        assert!(Shape::from_schema(&copied).is_err_and(|error| error.to_string().contains("references")));
        let keys: Map<String, Value> = (0..1_000).map(|at| (format!("k{at}"), json!(at))).collect();
        let names: Vec<String> = (0..10_000).map(|name| format!("n{name}")).collect();
        let long = format!("#/$defs/{}", "k".repeat(100_000));
        for repeated in [
            json!(keys),
            json!({ "type": "object", "required": names }),
            json!({ "type": names }),
            json!({ "allOf": names }),
            json!({ "anyOf": names }),
            json!({ "$ref": long }),
        ] {
            let key = "k".repeat(100_000);
            let schema = json!({ "properties": properties, "$defs": { "a": repeated, key: {} } });
            let refused = Shape::from_schema(&schema);
            assert!(refused.is_err_and(|error| error.to_string().contains("references")));
        }
        let described =
            json!({ "properties": properties, "$defs": { "a": { "description": "x".repeat(100_000) } } });
        assert_eq!(
            Shape::from_schema(&described).unwrap().fields()[0].shape.description.len(),
            MAX_TEXT_BYTES
        );
        let circular = json!({ "$ref": "#" });
        assert!(Shape::from_schema(&circular).is_ok());
        assert!(Shape::from_schema(&json!({ "$ref": "#/nowhere" })).is_err());
        assert!(Shape::from_schema(&json!(7)).is_err());
    }
}
