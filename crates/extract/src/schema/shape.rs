use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::flat_schema::{FlatSchema, SchemaCost};
use crate::error::Error;
use crate::page::truncate;

/// Levels of a schema that are filled; what is deeper stays null. It also ends cycles of `$ref`.
pub const MAX_SHAPE_DEPTH: usize = 12;
/// Properties of a schema that are filled, all levels together.
pub const MAX_SHAPE_FIELDS: usize = 2_000;
/// What completing the data of one page may add, in bytes.
const MAX_ADDED_BYTES: usize = 16 << 20;
/// What a property takes beside its name, about.
const ADDED_BYTES: usize = 64;
/// A description is cut at this, in bytes.
const MAX_TEXT_BYTES: usize = 4_000;

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
        Self::read(schema, schema, 0, &mut SchemaCost::default())
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

    /// The values that are asked for, a list counted as one row of it; at least 1.
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
    /// each property being there, and check for null. What is added is bounded: in many records of many properties the last
    /// ones stay as they are.
    pub fn complete(&self, data: &mut Value) {
        let mut left = MAX_ADDED_BYTES;
        self.fill(data, &mut left);
    }

    // As deep as the shape, which is bounded by a constant.
    fn fill(&self, data: &mut Value, left: &mut usize) {
        match (&self.kind, data) {
            (ShapeKind::Object(fields), Value::Object(object)) => {
                for field in fields {
                    if !object.contains_key(&field.name) {
                        *left = left.saturating_sub(field.name.len() + ADDED_BYTES);
                        if *left == 0 {
                            return;
                        }
                        let hollow = match field.shape.kind {
                            ShapeKind::Object(_) => Value::Object(Map::new()),
                            ShapeKind::List(_) => Value::Array(Vec::new()),
                            _ => Value::Null,
                        };
                        object.insert(field.name.clone(), hollow);
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

    // The depth is bounded by a constant and not by the input, so the call stack is too.
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
    fn parts_are_merged_and_what_comes_first_counts() {
        let schema = json!({
            "properties": { "a": { "type": "string" } },
            "required": ["a"],
            "allOf": [
                { "properties": { "a": { "type": "number" }, "b": { "type": "integer" } }, "required": ["b"] },
                { "$ref": "#/$defs/more" },
            ],
            "$defs": { "more": { "properties": { "c": { "type": "boolean" } } } },
        });
        let shape = Shape::from_schema(&schema).unwrap();
        let fields = shape.fields().iter();
        let told: Vec<_> =
            fields.map(|field| (field.name.as_str(), &field.shape.kind, field.required)).collect();
        let wanted = [
            ("a", &ShapeKind::Text, true),
            ("b", &ShapeKind::Integer, true),
            ("c", &ShapeKind::Boolean, false),
        ];
        assert_eq!(told, wanted);
    }

    /// As generators of schemas write a type that is made of others.
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
        for seen_often in [
            json!(keys),
            json!({ "type": "object", "required": names }),
            json!({ "type": names }),
            json!({ "allOf": names }),
            json!({ "anyOf": names }),
            json!({ "$ref": long }),
        ] {
            let key = "k".repeat(100_000);
            let looked_at = json!({ "properties": properties, "$defs": { "a": seen_often, key: {} } });
            let refused = Shape::from_schema(&looked_at);
            assert!(refused.is_err_and(|error| error.to_string().contains("references")));
        }
        let told =
            json!({ "properties": properties, "$defs": { "a": { "description": "x".repeat(100_000) } } });
        assert_eq!(Shape::from_schema(&told).unwrap().fields()[0].shape.description.len(), MAX_TEXT_BYTES);
        let selfish = json!({ "$ref": "#" });
        assert!(Shape::from_schema(&selfish).is_ok());
        assert!(Shape::from_schema(&json!({ "$ref": "#/nowhere" })).is_err());
        assert!(Shape::from_schema(&json!(7)).is_err());
    }
}
