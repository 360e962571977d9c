//! Compares a body with the shape of a request type, which is derived from its JSON Schema.

use std::collections::BTreeMap;

use serde_json::{Map, Value};

/// The shape of a value, derived from a JSON Schema once per request type.
///
/// It covers the part of JSON Schema that the request types use, in a form that is fast to check and gives
/// clear faults. A general validator would say "is not valid under any of the schemas"; [`Shape::Tagged`]
/// knows which variant was meant.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Shape {
    Any,
    Boolean,
    Integer {
        min: u64,
        max: u64,
    },
    /// An integer of milliseconds whose maximum the embedder can raise.
    Timeout,
    Number {
        min: f64,
        max: f64,
    },
    /// Lengths in characters.
    Text {
        min: usize,
        max: usize,
        example: Option<String>,
    },
    Choice(Vec<String>),
    List {
        item: Box<Shape>,
        min: usize,
        max: usize,
    },
    /// An object with arbitrary keys. Messages never repeat the values of a `secret` one.
    Map {
        value: Box<Shape>,
        secret: bool,
    },
    Record(Record),
    /// An object whose `type` selects the record, or one of `names`: a bare string in place of an object with
    /// only `type`.
    Tagged {
        names: Vec<String>,
        variants: BTreeMap<String, Record>,
    },
    /// A text or an object.
    TextOr(Box<Shape>),
}

/// An object with a fixed set of keys.
#[derive(Debug, Clone, Default, PartialEq)]
pub(crate) struct Record {
    pub(crate) fields: BTreeMap<String, Field>,
}

#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Field {
    pub(crate) shape: Shape,
    pub(crate) required: bool,
}

/// The key that selects the variant of a [`Shape::Tagged`].
pub(crate) const TAG: &str = "type";
/// The key of [`Shape::Timeout`] in every request that has one.
const TIMEOUT: &str = "timeout";

impl Shape {
    /// Converts a schema whose subschemas are inlined. Unknown forms become [`Shape::Any`]. A test checks
    /// that this only happens for fields that accept any value.
    pub(crate) fn from_schema(schema: &Value) -> Self {
        let Some(schema) = schema.as_object() else { return Self::Any };
        if let Some(branches) = schema.get("anyOf").and_then(Value::as_array) {
            return Self::from_any_of(branches);
        }
        if let Some(branches) = schema.get("oneOf").and_then(Value::as_array) {
            return Self::from_one_of(branches);
        }
        if let Some(names) = schema.get("enum").and_then(Value::as_array) {
            return Self::Choice(names.iter().filter_map(Value::as_str).map(str::to_owned).collect());
        }
        if let Some(name) = schema.get("const").and_then(Value::as_str) {
            return Self::Choice(vec![name.to_owned()]);
        }
        match type_of(schema) {
            Some("boolean") => Self::Boolean,
            Some("integer") => Self::Integer {
                min: schema.get("minimum").and_then(Value::as_u64).unwrap_or(0),
                max: schema.get("maximum").and_then(Value::as_u64).unwrap_or_else(|| widest(schema)),
            },
            Some("number") => Self::Number {
                min: schema.get("minimum").and_then(Value::as_f64).unwrap_or(f64::MIN),
                max: schema.get("maximum").and_then(Value::as_f64).unwrap_or(f64::MAX),
            },
            Some("string") => Self::Text {
                min: size(schema, "minLength", 0),
                max: size(schema, "maxLength", usize::MAX),
                example: schema.get("examples").and_then(|all| all.get(0)?.as_str()).map(str::to_owned),
            },
            Some("array") => Self::List {
                item: Box::new(schema.get("items").map_or(Self::Any, Self::from_schema)),
                min: size(schema, "minItems", 0),
                max: size(schema, "maxItems", usize::MAX),
            },
            Some("object") if schema.contains_key("properties") => Self::Record(Record::from_schema(schema)),
            Some("object") => Self::Map {
                value: Box::new(schema.get("additionalProperties").map_or(Self::Any, Self::from_schema)),
                secret: schema.get("writeOnly").and_then(Value::as_bool).unwrap_or(false),
            },
            _ => Self::Any,
        }
    }

    /// A nullable value, or a name or an object.
    fn from_any_of(branches: &[Value]) -> Self {
        let mut shapes: Vec<Self> =
            branches.iter().filter(|branch| !is_null(branch)).map(Self::from_schema).collect();
        match (shapes.pop(), shapes.pop(), shapes.is_empty()) {
            (Some(only), None, _) => only,
            (Some(Self::Tagged { variants, .. }), Some(Self::Choice(names)), true) => {
                Self::Tagged { names, variants }
            }
            (Some(object @ Self::Record(_)), Some(Self::Text { .. }), true) => Self::TextOr(Box::new(object)),
            _ => Self::Any,
        }
    }

    /// Names with descriptions, or tagged records.
    fn from_one_of(branches: &[Value]) -> Self {
        let names: Option<Vec<String>> =
            branches.iter().map(|branch| Some(branch.get("const")?.as_str()?.to_owned())).collect();
        if let Some(names) = names {
            return Self::Choice(names);
        }
        let variants: Option<BTreeMap<String, Record>> = branches
            .iter()
            .map(|branch| {
                let tag = branch.get("properties")?.get(TAG)?.get("const")?.as_str()?;
                Some((tag.to_owned(), Record::from_schema(branch.as_object()?)))
            })
            .collect();
        variants.map_or(Self::Any, |variants| Self::Tagged { names: Vec::new(), variants })
    }
}

impl Record {
    pub(crate) fn from_schema(schema: &Map<String, Value>) -> Self {
        let required: Vec<&str> = schema
            .get("required")
            .and_then(Value::as_array)
            .into_iter()
            .flatten()
            .filter_map(Value::as_str)
            .collect();
        let fields = schema
            .get("properties")
            .and_then(Value::as_object)
            .into_iter()
            .flatten()
            .map(|(name, schema)| {
                let shape = match Shape::from_schema(schema) {
                    Shape::Integer { .. } if name == TIMEOUT => Shape::Timeout,
                    shape => shape,
                };
                (name.clone(), Field { shape, required: required.contains(&name.as_str()) })
            })
            .collect();
        Self { fields }
    }
}

/// The type other than null.
fn type_of(schema: &Map<String, Value>) -> Option<&str> {
    match schema.get("type")? {
        Value::String(name) => Some(name),
        Value::Array(names) => names.iter().filter_map(Value::as_str).find(|name| *name != "null"),
        _ => None,
    }
}

fn is_null(schema: &Value) -> bool {
    schema.get("type").and_then(Value::as_str) == Some("null")
}

/// The maximum of the Rust integer type.
fn widest(schema: &Map<String, Value>) -> u64 {
    match schema.get("format").and_then(Value::as_str) {
        Some("uint8") => u64::from(u8::MAX),
        Some("uint16") => u64::from(u16::MAX),
        Some("uint32") => u64::from(u32::MAX),
        _ => u64::MAX,
    }
}

fn size(schema: &Map<String, Value>, key: &str, default: usize) -> usize {
    schema.get(key).and_then(Value::as_u64).and_then(|size| usize::try_from(size).ok()).unwrap_or(default)
}
