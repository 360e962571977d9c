//! Whether a JSON Schema is valid: its keywords have values as the meta-schema of its draft says, its regular
//! expressions compile, and its references point into it.
//!
//! The draft is 2020-12 unless `$schema` names an older one. Keywords unknown to the draft are ignored.
//! Data is not validated here.

mod draft;
mod keyword;
mod pattern;
#[cfg(test)]
mod properties;
mod reference;

use hashbrown::HashSet;
use std::borrow::Cow;

use gleaner_types::limits::{MAX_SCHEMA_DEPTH, MAX_SCHEMA_NODES, MAX_SCHEMA_PATTERNS};
use serde_json::Value;

use self::draft::Draft;
use self::keyword::{Rule, are_names, rule};
use self::pattern::MAX_SCHEMA_PATTERN_BYTES;
use self::reference::{MAX_URI_BYTES, Names};
use crate::error::Error;
use crate::page::truncate;

/// Upper bound on the faults that are reported.
const MAX_FAULTS: usize = 10;
/// Upper bound on the text of all faults, in bytes.
const MAX_TEXT_BYTES: usize = 500;
/// Upper bound on the place of one fault and on a value that it repeats, in bytes.
const MAX_PLACE_BYTES: usize = 200;
const MAX_VALUE_BYTES: usize = 60;

/// Checks a schema.
///
/// # Errors
/// [`ErrorKind::Schema`](crate::ErrorKind::Schema) with the faults, each with its place as a JSON Pointer.
pub(super) fn check(schema: &Value) -> Result<(), Error> {
    let faults = Walk::over(schema);
    if faults.is_empty() { Ok(()) } else { Err(Error::schema(truncate(&faults.join("; "), MAX_TEXT_BYTES))) }
}

/// A key or an index, and the place that it is in. The root is its own parent.
struct Place<'s> {
    parent: usize,
    step: Cow<'s, str>,
}

const ROOT: usize = 0;

/// A subschema that waits for its check.
#[derive(Clone, Copy)]
struct Node<'s> {
    schema: &'s Value,
    place: usize,
    depth: usize,
    draft: Draft,
    /// The part of the schema that its references are relative to.
    resource: usize,
}

/// A `$ref` or `$dynamicRef`. All are resolved after the walk, when every name is known.
struct Reference<'s> {
    text: &'s str,
    place: usize,
    draft: Draft,
    resource: usize,
}

/// A walk over the subschemas. They are kept in a list instead of on the call stack.
struct Walk<'s> {
    waiting: Vec<Node<'s>>,
    references: Vec<Reference<'s>>,
    /// The addresses of the subschemas that are checked.
    walked: HashSet<*const Value>,
    places: Vec<Place<'s>>,
    names: Names<'s>,
    nodes: usize,
    patterns: usize,
    is_over: bool,
    faults: Vec<String>,
}

impl<'s> Walk<'s> {
    /// The faults of a schema.
    fn over(root: &'s Value) -> Vec<String> {
        let mut walk = Self {
            waiting: Vec::new(),
            references: Vec::new(),
            walked: HashSet::new(),
            places: vec![Place { parent: ROOT, step: Cow::Borrowed("") }],
            names: Names::new(root),
            nodes: 0,
            patterns: 0,
            is_over: false,
            faults: Vec::new(),
        };
        let node = Node { schema: root, place: ROOT, depth: 0, draft: Draft::default(), resource: 0 };
        walk.subschema(node);
        while !walk.is_over {
            if let Some(node) = walk.waiting.pop() {
                walk.node(node);
            } else if let Some(reference) = walk.references.pop() {
                walk.reference(&reference);
            } else {
                break;
            }
        }
        walk.faults
    }

    fn node(&mut self, mut node: Node<'s>) {
        let Value::Object(object) = node.schema else { return };
        if !self.walked.insert(std::ptr::from_ref(node.schema)) {
            return;
        }
        if let Some(uri) = object.get("$schema").and_then(Value::as_str) {
            match Draft::from_uri(uri) {
                // Below the root, only a schema with an identifier has a draft of its own.
                Some(draft) if node.place == ROOT || object.contains_key(draft.id_keyword()) => {
                    node.draft = draft;
                }
                Some(_) => {}
                None => {
                    let place = self.place(node.place, Cow::Borrowed("$schema"));
                    self.fault(place, "the URI of a draft from 4 to 2020-12", &quote(uri));
                }
            }
        }
        match self.names.add(node.schema, node.place, node.draft, node.resource) {
            Some(resource) => node.resource = resource,
            None => {
                let key = node.draft.id_keyword();
                let place = self.place(node.place, Cow::Borrowed(key));
                let found = object.get(key).map_or_else(String::new, describe);
                self.fault(place, &format!("a URI reference of at most {MAX_URI_BYTES} bytes"), &found);
            }
        }
        for (key, value) in object {
            if let Some(rule) = rule(key, node.draft) {
                let place = self.place(node.place, Cow::Borrowed(key.as_str()));
                self.keyword(Node { place, ..node }, rule, value);
            }
        }
        if node.draft == Draft::V4 {
            for (key, needed) in [("exclusiveMaximum", "maximum"), ("exclusiveMinimum", "minimum")] {
                if object.contains_key(key) && !object.contains_key(needed) {
                    let place = self.place(node.place, Cow::Borrowed(key));
                    self.fault(place, &format!("beside `{needed}`"), "alone");
                }
            }
        }
    }

    /// Checks the value of a keyword. `at` is the schema that has it, at the place of the keyword.
    fn keyword(&mut self, at: Node<'s>, rule: Rule, value: &'s Value) {
        match (rule, value) {
            (Rule::Value(rule), value) => {
                if !rule.allows(value, at.draft) {
                    self.fault(at.place, rule.expected(), &describe(value));
                }
            }
            (Rule::Pattern, Value::String(pattern)) => self.pattern(at.place, pattern),
            (Rule::Reference, Value::String(text)) => {
                let Node { place, draft, resource, .. } = at;
                self.references.push(Reference { text, place, draft, resource });
            }
            (Rule::Pattern | Rule::Reference, other) => self.fault(at.place, "a string", &describe(other)),
            (Rule::SchemaOrBoolean, Value::Bool(_)) => {}
            (Rule::SchemaOrList | Rule::SchemaList, Value::Array(list)) => {
                if list.is_empty() {
                    self.fault(at.place, "a list that is not empty", "[]");
                }
                for (index, schema) in list.iter().enumerate() {
                    let place = self.place(at.place, Cow::Owned(index.to_string()));
                    self.subschema(Node { schema, place, depth: at.depth + 1, ..at });
                }
            }
            (Rule::SchemaList, other) => self.fault(at.place, "a list of schemas", &describe(other)),
            (Rule::Schema | Rule::SchemaOrBoolean | Rule::SchemaOrList, schema) => {
                self.subschema(Node { schema, depth: at.depth + 1, ..at });
            }
            (
                Rule::SchemaMap | Rule::PatternMap | Rule::Dependencies | Rule::NameLists,
                Value::Object(map),
            ) => {
                for (name, value) in map {
                    let place = self.place(at.place, Cow::Borrowed(name.as_str()));
                    if rule == Rule::PatternMap {
                        self.pattern(place, name);
                    }
                    let is_list = rule == Rule::NameLists || (rule == Rule::Dependencies && value.is_array());
                    if !is_list {
                        self.subschema(Node { schema: value, place, depth: at.depth + 1, ..at });
                    } else if !are_names(value, at.draft) {
                        self.fault(place, "a list of different names", &describe(value));
                    }
                }
            }
            (Rule::SchemaMap | Rule::PatternMap | Rule::Dependencies | Rule::NameLists, other) => {
                self.fault(at.place, "an object", &describe(other));
            }
        }
    }

    /// Queues a value that must be a schema.
    fn subschema(&mut self, node: Node<'s>) {
        match node.schema {
            Value::Object(_) => {
                self.nodes += 1;
                if self.nodes > MAX_SCHEMA_NODES || node.depth > MAX_SCHEMA_DEPTH {
                    self.stop(format!(
                        "it is too large: at most {MAX_SCHEMA_DEPTH} levels and {MAX_SCHEMA_NODES} subschemas"
                    ));
                } else {
                    self.waiting.push(node);
                }
            }
            // The root may be a boolean in every draft.
            Value::Bool(_) if node.draft > Draft::V4 || node.place == ROOT => {}
            other => self.fault(node.place, "a schema (an object)", &describe(other)),
        }
    }

    fn pattern(&mut self, place: usize, pattern: &str) {
        self.patterns += 1;
        if self.patterns > MAX_SCHEMA_PATTERNS {
            self.stop(format!("it has more than {MAX_SCHEMA_PATTERNS} regular expressions"));
        } else if !pattern::compiles(pattern) {
            let expected = format!(
                "a regular expression without lookaround or back-references, at most {} KiB when compiled",
                MAX_SCHEMA_PATTERN_BYTES >> 10
            );
            self.fault(place, &expected, &quote(pattern));
        }
    }

    fn reference(&mut self, reference: &Reference<'s>) {
        let Some(target) = self.names.resolve(reference.text, reference.resource) else {
            let expected = "a reference to a part of the same schema, such as \"#/$defs/Name\"";
            self.fault(reference.place, expected, &quote(reference.text));
            return;
        };
        if self.walked.contains(&std::ptr::from_ref(target.schema)) {
            return;
        }
        // Only a pointer leads to a part that is not walked, in a keyword unknown to the draft.
        let mut place = target.place;
        for step in target.fragment.split('/').skip(1) {
            place = self.place(place, Cow::Owned(step.replace("~1", "/").replace("~0", "~")));
        }
        let (schema, resource) = (target.schema, target.resource);
        self.subschema(Node { schema, place, depth: 0, draft: reference.draft, resource });
    }

    fn place(&mut self, parent: usize, step: Cow<'s, str>) -> usize {
        self.places.push(Place { parent, step });
        self.places.len() - 1
    }

    fn fault(&mut self, place: usize, expected: &str, found: &str) {
        if self.is_over {
            return;
        }
        let place = self.pointer(place);
        let place = if place.is_empty() { "it" } else { truncate(&place, MAX_PLACE_BYTES) };
        self.faults.push(format!("{place} must be {expected}, not {found}"));
        self.is_over |= self.faults.len() >= MAX_FAULTS;
    }

    /// Ends the walk at a bound. The faults found so far would be a random choice.
    fn stop(&mut self, why: String) {
        self.faults = vec![why];
        self.is_over = true;
    }

    fn pointer(&self, place: usize) -> String {
        let mut steps = Vec::new();
        let mut at = place;
        while at != ROOT
            && let Some(place) = self.places.get(at)
        {
            steps.push(place.step.replace('~', "~0").replace('/', "~1"));
            at = place.parent;
        }
        steps.iter().rev().fold(String::new(), |pointer, step| pointer + "/" + step)
    }
}

fn describe(value: &Value) -> String {
    match value {
        Value::Array(_) => "a list".to_owned(),
        Value::Object(_) => "an object".to_owned(),
        Value::String(text) => quote(text),
        plain => plain.to_string(),
    }
}

fn quote(text: &str) -> String {
    format!("{:?}", truncate(text, MAX_VALUE_BYTES))
}

#[cfg(test)]
mod tests {
    use serde_json::{Map, json};

    use super::*;

    fn fault(schema: &Value) -> String {
        check(schema).err().map(|error| error.to_string()).unwrap_or_default()
    }

    #[test]
    fn usual_schemas_are_valid() {
        for schema in [
            json!({}),
            json!(true),
            json!({ "properties": { "a": { "type": ["string", "null"] } }, "required": ["a"] }),
            json!({ "properties": { "type": { "type": "string" }, "$ref": { "type": "string" } } }),
            json!({ "$defs": { "a b": {} }, "items": { "$ref": "#/$defs/a%20b" }, "not": { "$ref": "#" } }),
            json!({ "$defs": { "a": { "$anchor": "here" } }, "items": { "$ref": "#here" } }),
            json!({ "$defs": { "a": { "$id": "https://a.example/s/item" } },
                    "$id": "https://a.example/s/list", "items": { "$ref": "item" } }),
            json!({ "parts": { "a": { "type": "string" } }, "items": { "$ref": "#/parts/a" } }),
            json!({ "$schema": "http://json-schema.org/draft-07/schema#", "items": [{}, true],
                    "definitions": { "a": { "$id": "#here" } }, "not": { "$ref": "#here" } }),
            json!({ "$schema": "http://json-schema.org/draft-04/schema#",
                    "maximum": 5, "exclusiveMaximum": true }),
            json!({ "x-custom": [[]], "enum": [], "default": { "type": 5 }, "const": { "$ref": 5 } }),
            json!({ "pattern": "^\\w+$", "patternProperties": { "^x-": false } }),
        ] {
            assert_eq!(fault(&schema), "", "{schema}");
        }
    }

    #[test]
    fn faults_are_reported_with_their_place() {
        for (schema, expected) in [
            (json!(7), "it must be a schema (an object), not 7"),
            (json!({ "type": 7 }), "/type must be one of"),
            (json!({ "type": ["string", "string"] }), "/type must be one of"),
            (
                json!({ "properties": { "a/b": { "minLength": -1 } } }),
                "/properties/a~1b/minLength must be an integer",
            ),
            (json!({ "anyOf": [{}, { "items": [] }] }), "/anyOf/1/items must be a schema"),
            (json!({ "allOf": [] }), "/allOf must be a list that is not empty, not []"),
            (json!({ "required": ["a", "a"] }), "/required must be a list of different names, not a list"),
            (json!({ "multipleOf": 0 }), "/multipleOf must be a number greater than 0, not 0"),
            (json!({ "exclusiveMaximum": true }), "/exclusiveMaximum must be a number, not true"),
            (json!({ "dependencies": { "a": [5] } }), "/dependencies/a must be a list of different names"),
            (json!({ "pattern": "(" }), "/pattern must be a regular expression"),
            (
                json!({ "patternProperties": { "(": {} } }),
                "/patternProperties/( must be a regular expression",
            ),
            (json!({ "pattern": "(\\w{999}){999}" }), "at most 1024 KiB when compiled"),
            (json!({ "$ref": "#/$defs/a", "$defs": {} }), "/$ref must be a reference to a part"),
            (json!({ "$ref": "https://a.example/s" }), "/$ref must be a reference to a part"),
            (json!({ "$ref": "#nowhere" }), "/$ref must be a reference to a part"),
            (json!({ "$ref": "#/parts/a", "parts": { "a": { "type": 7 } } }), "/parts/a/type must be one of"),
            (json!({ "$schema": "https://a.example/s" }), "/$schema must be the URI of a draft"),
            (json!({ "$id": "https://[" }), "/$id must be a URI reference"),
            (
                json!({ "$schema": "http://json-schema.org/draft-04/schema#", "exclusiveMinimum": true }),
                "/exclusiveMinimum must be beside `minimum`",
            ),
            (
                json!({ "$schema": "http://json-schema.org/draft-04/schema#", "not": true }),
                "/not must be a schema",
            ),
        ] {
            let fault = fault(&schema);
            assert!(fault.contains(expected), "{schema}: {fault}");
        }
    }

    #[test]
    fn size_and_faults_are_bounded() {
        let mut deep = json!({});
        for _ in 0..=MAX_SCHEMA_DEPTH {
            deep = json!({ "items": deep });
        }
        assert!(fault(&deep).contains("too large"));
        let many = |value: Value, count: usize| -> Map<String, Value> {
            (0..count).map(|at| (at.to_string(), value.clone())).collect()
        };
        assert!(fault(&json!({ "properties": many(json!({}), MAX_SCHEMA_NODES) })).contains("too large"));
        let patterns = json!({ "properties": many(json!({ "pattern": "a" }), MAX_SCHEMA_PATTERNS + 1) });
        assert!(fault(&patterns).contains("more than 200 regular expressions"));
        let faults = fault(&json!({ "properties": many(json!({ "type": 7 }), 1_000) }));
        assert!(faults.matches("must be").count() > 1 && faults.len() < 600, "{faults}");
        let long = fault(&json!({ "properties": many(json!(7), 1), "type": "x".repeat(100_000) }));
        assert!(long.len() < 600, "{long}");
        let cyclic = json!({ "properties": { "a": { "$ref": "#" }, "b": { "$ref": "#/properties/a" } } });
        assert_eq!(fault(&cyclic), "");
    }
}
