//! Flattens one level of a JSON Schema: references, `allOf` and alternatives, at a bounded cost.

use std::collections::{BTreeMap, HashSet, VecDeque};

use serde_json::{Map, Value};

use super::shape::MAX_SHAPE_FIELDS;
use crate::error::Error;
use crate::page::truncate;

/// Upper bound on the keys and list entries that are read, each counted as often as a reference leads to it.
const MAX_KEYS: usize = 200_000;
/// Upper bound on the references and combinations that are followed at one level of a schema. It also ends a
/// reference to itself.
const MAX_STEPS: usize = 100;
/// Upper bound on the names and allowed values of a shape, in bytes.
const MAX_BYTES: usize = 8 << 20;

/// The cost of reading a schema so far. References may be followed any number of times, and each may lead to
/// the whole schema.
#[derive(Debug, Default)]
pub(super) struct SchemaCost {
    fields: usize,
    keys: usize,
    bytes: usize,
}

impl SchemaCost {
    pub(super) fn field(&mut self, name: &str) -> Result<(), Error> {
        self.fields += 1;
        if self.fields > MAX_SHAPE_FIELDS {
            return Err(Error::schema(format!("it has more than {MAX_SHAPE_FIELDS} properties")));
        }
        self.bytes(name.len())
    }

    pub(super) fn keys(&mut self, keys: usize) -> Result<(), Error> {
        self.keys += keys;
        if self.keys > MAX_KEYS { Err(too_large()) } else { Ok(()) }
    }

    fn bytes(&mut self, bytes: usize) -> Result<(), Error> {
        self.bytes += bytes;
        if self.bytes > MAX_BYTES { Err(too_large()) } else { Ok(()) }
    }

    /// Counts values before they are copied.
    pub(super) fn values(&mut self, values: &[&Value]) -> Result<(), Error> {
        let mut waiting = values.to_vec();
        while let Some(value) = waiting.pop() {
            self.bytes(size_of::<Value>())?;
            match value {
                Value::String(text) => self.bytes(text.len())?,
                Value::Array(list) => waiting.extend(list),
                Value::Object(object) => {
                    self.bytes(object.keys().map(String::len).sum())?;
                    waiting.extend(object.values());
                }
                _ => {}
            }
        }
        Ok(())
    }
}

fn too_large() -> Error {
    Error::schema("it is too large once its references are followed")
}

/// One level of a schema: references followed, `allOf` merged, and of the alternatives the first that is not
/// null.
#[derive(Debug, Default)]
pub(super) struct FlatSchema<'s> {
    keys: BTreeMap<&'s str, &'s Value>,
    /// Further references, properties and required names, in addition to those of `keys`.
    more_references: VecDeque<&'s Value>,
    more_properties: Vec<&'s Map<String, Value>>,
    more_required: Vec<&'s [Value]>,
}

static TRUE: Value = Value::Bool(true);

impl<'s> FlatSchema<'s> {
    pub(super) fn of(
        root: &'s Value,
        object: &'s Map<String, Value>,
        cost: &mut SchemaCost,
    ) -> Result<Self, Error> {
        let mut flat = Self::default();
        flat.merge(object, cost)?;
        for _ in 0..MAX_STEPS {
            if let Some(Value::Array(parts)) = flat.keys.remove("allOf") {
                cost.keys(parts.len())?;
                for part in parts.iter().filter_map(Value::as_object) {
                    flat.merge(part, cost)?;
                }
            } else if let Some(reference) =
                flat.keys.remove("$ref").or_else(|| flat.more_references.pop_front())
            {
                flat.merge(target(root, reference, cost)?, cost)?;
            } else if let Some(Value::Array(list)) =
                flat.keys.remove("anyOf").or_else(|| flat.keys.remove("oneOf"))
            {
                cost.keys(list.len())?;
                let is_null = |one: &Value| one.get("type").is_some_and(|kind| kind == "null");
                let nullable = list.iter().any(is_null);
                if let Some(Value::Object(first)) = list.iter().find(|one| !is_null(one)) {
                    flat.merge(first, cost)?;
                }
                if nullable {
                    flat.keys.insert("nullable", &TRUE);
                }
            } else {
                break;
            }
        }
        Ok(flat)
    }

    /// Adds the keys that are not present yet, and further references, properties and required names.
    fn merge(&mut self, part: &'s Map<String, Value>, cost: &mut SchemaCost) -> Result<(), Error> {
        cost.keys(part.len())?;
        for (key, value) in part {
            match (key.as_str(), self.get(key), value) {
                (key, None, value) => {
                    self.keys.insert(key, value);
                }
                ("$ref", Some(_), more) => self.more_references.push_back(more),
                ("properties", Some(Value::Object(_)), Value::Object(more)) => {
                    self.more_properties.push(more);
                }
                ("required", Some(Value::Array(_)), Value::Array(more)) => self.more_required.push(more),
                (_, Some(_), _) => {}
            }
        }
        Ok(())
    }

    pub(super) fn get(&self, key: &str) -> Option<&'s Value> {
        self.keys.get(key).copied()
    }

    pub(super) fn has(&self, key: &str) -> bool {
        self.keys.contains_key(key)
    }

    /// The properties by name; the first of several with one name counts.
    pub(super) fn properties(&self, cost: &mut SchemaCost) -> Result<BTreeMap<&'s str, &'s Value>, Error> {
        let mut properties = BTreeMap::new();
        let own = self.get("properties").and_then(Value::as_object);
        for part in own.into_iter().chain(self.more_properties.iter().copied()) {
            cost.keys(part.len())?;
            for (name, value) in part {
                properties.entry(name.as_str()).or_insert(value);
            }
        }
        Ok(properties)
    }

    pub(super) fn required(&self, cost: &mut SchemaCost) -> Result<HashSet<&'s str>, Error> {
        let mut required = HashSet::new();
        let own = self.get("required").and_then(Value::as_array).map(Vec::as_slice);
        for part in own.into_iter().chain(self.more_required.iter().copied()) {
            cost.keys(part.len())?;
            required.extend(part.iter().filter_map(Value::as_str));
        }
        Ok(required)
    }
}

/// The schema that a reference points to.
fn target<'s>(
    root: &'s Value,
    reference: &Value,
    cost: &mut SchemaCost,
) -> Result<&'s Map<String, Value>, Error> {
    let pointer = reference.as_str().and_then(|reference| reference.strip_prefix('#'));
    cost.bytes(pointer.map_or(0, str::len))?;
    let found =
        pointer.and_then(|pointer| if pointer.is_empty() { Some(root) } else { root.pointer(pointer) });
    found.and_then(Value::as_object).ok_or_else(|| {
        let text = reference.to_string();
        Error::schema(format!("`$ref` {} points to nothing in the schema itself", truncate(&text, 200)))
    })
}
