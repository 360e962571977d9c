//! Checks a JSON Schema of a request: keywords, references, depth and size.

use std::io::{ErrorKind, Write};

use serde_json::{Map, Value};

use super::path::Path;
use super::report::{Code, Report};
use super::text::describe;
use crate::limits::{
    MAX_FAULTS, MAX_PATTERN_CHARS, MAX_PATTERN_CLASSES, MAX_SCHEMA_BYTES, MAX_SCHEMA_DEPTH, MAX_SCHEMA_NODES,
    MAX_SCHEMA_PATTERNS,
};
use crate::plan::{PatternFaultKind, class_cost, pattern_faults};
use crate::quote::{quote, shorten};

const TYPES: [&str; 7] = ["array", "boolean", "integer", "null", "number", "object", "string"];

/// The type of a keyword's value.
enum KeywordType {
    Schema,
    /// A schema, or a list of schemas as in drafts before 2020-12.
    SchemaOrList,
    SchemaList,
    /// An object of schemas.
    SchemaMap,
    /// A type name or a list of type names.
    Types,
    Strings,
    List,
    Text,
    Number,
    Count,
    Reference,
}

/// Keywords of JSON Schema from draft 4 to 2020-12 whose values are easy to check. Others are accepted.
const fn keyword(name: &str) -> Option<KeywordType> {
    Some(match name.as_bytes() {
        b"additionalItems"
        | b"additionalProperties"
        | b"contains"
        | b"contentSchema"
        | b"else"
        | b"if"
        | b"not"
        | b"propertyNames"
        | b"then"
        | b"unevaluatedItems"
        | b"unevaluatedProperties" => KeywordType::Schema,
        b"items" => KeywordType::SchemaOrList,
        b"allOf" | b"anyOf" | b"oneOf" | b"prefixItems" => KeywordType::SchemaList,
        b"$defs" | b"definitions" | b"dependentSchemas" | b"patternProperties" | b"properties" => {
            KeywordType::SchemaMap
        }
        b"type" => KeywordType::Types,
        b"required" => KeywordType::Strings,
        b"enum" | b"examples" => KeywordType::List,
        b"$comment" | b"$id" | b"$schema" | b"description" | b"format" | b"pattern" | b"title" => {
            KeywordType::Text
        }
        b"maximum" | b"minimum" | b"multipleOf" => KeywordType::Number,
        b"maxItems" | b"maxLength" | b"maxProperties" | b"minItems" | b"minLength" | b"minProperties" => {
            KeywordType::Count
        }
        b"$ref" => KeywordType::Reference,
        _ => return None,
    })
}

/// The schema of a request. `null` means that there is none, as for every optional field.
pub(crate) fn present(schema: Option<Value>) -> Option<Value> {
    schema.filter(|schema| !schema.is_null())
}

/// Checks a JSON Schema. Keywords must have values of their type, references must point into the schema
/// itself (nothing is fetched), and depth and size are limited.
///
/// This is less than the meta-schema: it reports common mistakes before the cost of a model call. Subschemas
/// are kept in a list instead of on the call stack.
pub(crate) fn json_schema(schema: &Value, path: &Path<'_>, report: &mut Report) {
    // Anything but an object is a fault of the shape.
    let Value::Object(root) = schema else { return };
    let mut size = SizeLimit(0);
    if serde_json::to_writer(&mut size, root).is_err() {
        report.fault(Code::OutOfRange, path, |name| {
            format!("{name} is too large: it must be at most {MAX_SCHEMA_BYTES} bytes of JSON")
        });
        return;
    }
    let mut waiting: Vec<(&Map<String, Value>, String, usize)> = vec![(root, String::new(), 0)];
    let mut nodes = 0_usize;
    while let Some((schema, pointer, depth)) = waiting.pop() {
        nodes += 1;
        if nodes > MAX_SCHEMA_NODES || depth > MAX_SCHEMA_DEPTH {
            report.fault(Code::OutOfRange, path, |name| {
                format!(
                    "{name} is too large: it may have at most {MAX_SCHEMA_DEPTH} levels and \
                     {MAX_SCHEMA_NODES} subschemas"
                )
            });
            return;
        }
        for (key, value) in schema {
            let Some(expected) = keyword(key) else { continue };
            let pointer = format!("{pointer}/{key}");
            let mut wrong = |what: &str, value: &Value| {
                report.fault(Code::InvalidValue, path, |name| {
                    format!(
                        "{name} is not a JSON Schema: {pointer} must be {what}, not {}",
                        describe(value, false)
                    )
                });
            };
            let mut subschemas: Vec<(&Value, String)> = Vec::new();
            let is_text = |value: &Value| value.is_string();
            match (expected, value) {
                (KeywordType::Schema, value) => subschemas.push((value, pointer.clone())),
                (KeywordType::SchemaOrList | KeywordType::SchemaList, Value::Array(items)) => {
                    if items.is_empty() && key != "items" {
                        wrong("a list that is not empty", value);
                    }
                    let listed = items.iter().enumerate();
                    subschemas.extend(listed.map(|(index, item)| (item, format!("{pointer}/{index}"))));
                }
                (KeywordType::SchemaOrList, value) => subschemas.push((value, pointer.clone())),
                (KeywordType::SchemaList, other) => wrong("a list of schemas", other),
                (KeywordType::SchemaMap, Value::Object(map)) => {
                    let entries = map.iter();
                    subschemas
                        .extend(entries.map(|(name, item)| (item, format!("{pointer}/{}", shorten(name)))));
                }
                (KeywordType::SchemaMap, other) => wrong("an object of schemas", other),
                (KeywordType::Types, Value::String(name)) if TYPES.contains(&name.as_str()) => {}
                (KeywordType::Types, Value::Array(names))
                    if !names.is_empty()
                        && names
                            .iter()
                            .all(|name| name.as_str().is_some_and(|name| TYPES.contains(&name))) => {}
                (KeywordType::Types, other) => {
                    wrong(
                        "one of array, boolean, integer, null, number, object, string, or a list of them",
                        other,
                    );
                }
                (KeywordType::Strings, Value::Array(items)) if items.iter().all(is_text) => {}
                (KeywordType::Strings, other) => wrong("a list of names", other),
                (KeywordType::List, Value::Array(items)) if !items.is_empty() || key == "examples" => {}
                (KeywordType::List, other) => wrong("a list that is not empty", other),
                (KeywordType::Text, Value::String(_)) | (KeywordType::Number, Value::Number(_)) => {}
                (KeywordType::Text, other) => wrong("a string", other),
                (KeywordType::Number, other) => wrong("a number", other),
                (KeywordType::Count, Value::Number(number))
                    if number.as_f64().is_some_and(|count| count >= 0.0 && count.fract() == 0.0) => {}
                (KeywordType::Count, other) => wrong("an integer of at least 0", other),
                (KeywordType::Reference, Value::String(reference)) => {
                    if !resolves(root, reference) {
                        wrong("a reference to a part of the same schema, such as \"#/$defs/Name\"", value);
                    }
                }
                (KeywordType::Reference, other) => wrong("a string", other),
            }
            for (value, pointer) in subschemas {
                match value {
                    Value::Object(schema) => waiting.push((schema, pointer, depth + 1)),
                    Value::Bool(_) => {}
                    other => report.fault(Code::InvalidValue, path, |name| {
                        format!(
                            "{name} is not a JSON Schema: {pointer} must be a schema (an object), not {}",
                            describe(other, false)
                        )
                    }),
                }
            }
        }
    }
    check_patterns(&patterns_in(root), path, report);
}

/// All regular expressions in a schema, in any position: references and unknown keywords may lead to any part
/// of it.
fn patterns_in(root: &Map<String, Value>) -> Vec<&str> {
    let mut patterns = Vec::new();
    let mut objects = vec![root];
    let mut values = Vec::new();
    while let Some(object) = objects.pop() {
        for (key, value) in object {
            match (key.as_str(), value) {
                ("pattern", Value::String(pattern)) => patterns.push(pattern.as_str()),
                ("patternProperties", Value::Object(map)) => patterns.extend(map.keys().map(String::as_str)),
                _ => {}
            }
            values.push(value);
        }
        while let Some(value) = values.pop() {
            match value {
                Value::Object(object) => objects.push(object),
                Value::Array(items) => values.extend(items),
                _ => {}
            }
        }
    }
    patterns
}

/// Counts written bytes, and fails above the size limit of a schema.
struct SizeLimit(usize);

impl Write for SizeLimit {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        self.0 += bytes.len();
        if self.0 > MAX_SCHEMA_BYTES { Err(ErrorKind::FileTooLarge.into()) } else { Ok(bytes.len()) }
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

/// Checks the cost of the regular expressions of a schema: a few bytes can compile to a huge automaton.
/// Invalid ones are accepted, because the validator rejects them cheaply.
fn check_patterns(patterns: &[&str], path: &Path<'_>, report: &mut Report) {
    let mut refuse = |why: &str| {
        report.fault(Code::OutOfRange, path, |name| format!("{name} has {why}"));
    };
    if patterns.len() > MAX_SCHEMA_PATTERNS {
        return refuse(&format!(
            "{} regular expressions (`pattern` and `patternProperties`), but at most {MAX_SCHEMA_PATTERNS} \
             are allowed",
            patterns.len()
        ));
    }
    let longest = patterns.iter().copied().max_by_key(|pattern| pattern.len()).unwrap_or_default();
    let classes: usize = patterns.iter().map(|pattern| class_cost(pattern)).sum();
    if longest.len() > MAX_PATTERN_CHARS || classes > MAX_PATTERN_CLASSES {
        return refuse(&format!(
            "regular expressions that are too long: each may have at most {MAX_PATTERN_CHARS} bytes, and all \
             together at most {MAX_PATTERN_CLASSES} character classes; the longest is {}",
            quote(longest)
        ));
    }
    let owned: Vec<String> = patterns.iter().map(|pattern| (*pattern).to_owned()).collect();
    let faults = pattern_faults(&owned);
    let costly = faults.iter().find(|fault| fault.kind != PatternFaultKind::Syntax);
    if let Some(fault) = costly {
        refuse(&format!("a regular expression that {}", fault.text));
    } else if faults.len() >= MAX_FAULTS {
        refuse(&format!("{MAX_FAULTS} or more regular expressions that cannot be parsed"));
    }
}

/// Whether a reference points into the schema. Anchors (`#name`) are not checked.
fn resolves(root: &Map<String, Value>, reference: &str) -> bool {
    let Some(fragment) = reference.strip_prefix('#') else { return false };
    if !fragment.starts_with('/') || fragment.contains('%') {
        return true;
    }
    let mut parts = fragment.split('/').skip(1).map(|part| part.replace("~1", "/").replace("~0", "~"));
    let Some(mut target) = parts.next().and_then(|part| root.get(&part)) else { return false };
    for part in parts.take(MAX_SCHEMA_DEPTH * 2) {
        let next = match target {
            Value::Object(map) => map.get(&part),
            Value::Array(items) => part.parse().ok().and_then(|index: usize| items.get(index)),
            _ => None,
        };
        match next {
            Some(next) => target = next,
            None => return false,
        }
    }
    true
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::super::bounds::RequestBounds;
    use super::super::report::Version;
    use super::*;

    fn faults(schema: &Value) -> Vec<String> {
        let mut report = Report::new(Version::V2, RequestBounds::CONTRACT);
        json_schema(schema, &Path::Root.key("schema"), &mut report);
        let messages =
            report.finish(Some(())).map_err(|faults| faults.into_iter().map(|fault| fault.message));
        messages.map_or_else(Iterator::collect, |()| Vec::new())
    }

    #[test]
    fn usual_schemas_are_accepted() {
        for schema in [
            json!({}),
            json!({"type": "object", "properties": {"name": {"type": "string"}}, "required": ["name"]}),
            json!({"$defs": {"A": {"type": ["string", "null"]}}, "properties": {"a": {"$ref": "#/$defs/A"}}}),
            json!({"type": "array", "items": {"anyOf": [{"type": "integer", "minimum": 0}, true]}}),
            json!({"properties": {"type": {"type": "string"}, "required": {"type": "boolean"}}}),
            json!({"enum": [1, null, "x"], "default": {"type": 5}, "x-custom": [[]]}),
            json!({"$ref": "#"}),
        ] {
            assert_eq!(faults(&schema), Vec::<String>::new(), "{schema}");
        }
    }

    #[test]
    fn mistakes_are_reported_with_their_path() {
        for (schema, message) in [
            (json!({"type": "text"}), "/type must be one of"),
            (json!({"type": []}), "/type must be one of"),
            (json!({"properties": []}), "/properties must be an object of schemas"),
            (json!({"properties": {"a": "string"}}), "/properties/a must be a schema"),
            (json!({"properties": {"a": {"items": 1}}}), "/properties/a/items must be a schema"),
            (json!({"required": true}), "/required must be a list of names"),
            (json!({"required": [1]}), "/required must be a list of names"),
            (json!({"anyOf": []}), "/anyOf must be a list that is not empty"),
            (json!({"oneOf": {}}), "/oneOf must be a list of schemas"),
            (json!({"enum": []}), "/enum must be a list"),
            (json!({"minLength": -1}), "/minLength must be an integer of at least 0"),
            (json!({"maximum": "9"}), "/maximum must be a number"),
            (json!({"$ref": "https://a.example/s.json"}), "/$ref must be a reference to a part"),
            (json!({"$ref": "#/$defs/B", "$defs": {"A": {}}}), "/$ref must be a reference to a part"),
            (json!({"description": 5}), "/description must be a string"),
        ] {
            let faults = faults(&schema);
            assert!(matches!(faults.as_slice(), [only] if only.contains(message)), "{schema}: {faults:?}");
        }
    }

    #[test]
    fn regular_expressions_are_limited() {
        let fits = json!({
            "properties": {
                "code": { "pattern": "^[A-Z]{2}\\d{1,20}$" }, "odd": { "pattern": "(?=lookahead)" },
            },
            "patternProperties": { "^x-\\w+$": {} },
        });
        assert_eq!(faults(&fits), Vec::<String>::new());
        let large = json!({ "items": { "pattern": "(\\w{999}){999}" } });
        assert!(
            faults(&large).iter().any(|message| message.contains("too large") && message.contains("999"))
        );
        let many: Map<String, Value> =
            (0..=MAX_SCHEMA_PATTERNS).map(|n| (n.to_string(), json!({}))).collect();
        assert!(
            faults(&json!({ "patternProperties": many }))
                .iter()
                .any(|message| message.contains("201 regular expressions"))
        );
    }

    /// A reference or a keyword of an older draft may lead to them, so they may be compiled.
    #[test]
    fn regular_expressions_are_found_in_any_position() {
        let large = json!({ "pattern": "(\\w{999}){999}" });
        for schema in [
            json!({ "properties": { "a": { "$ref": "#/shared/0" } }, "shared": [large] }),
            json!({ "dependencies": { "a": large } }),
            json!({ "dependencies": { "a": { "patternProperties": { "(\\w{999}){999}": {} } } } }),
            json!({ "default": { "deep": [[large]] } }),
        ] {
            assert!(faults(&schema).iter().any(|message| message.contains("too large")), "{schema}");
        }
        // A property may have the name of a keyword.
        let named = json!({ "properties": { "pattern": { "type": "string" }, "patternProperties": {} } });
        assert_eq!(faults(&named), Vec::<String>::new());
    }

    #[test]
    fn depth_and_size_are_limited() {
        let mut deep = json!({});
        for _ in 0..=MAX_SCHEMA_DEPTH {
            deep = json!({"not": deep});
        }
        assert!(faults(&deep).iter().any(|message| message.contains("too large")));
        let wide: Map<String, Value> = (0..=MAX_SCHEMA_NODES).map(|n| (n.to_string(), json!({}))).collect();
        assert!(faults(&json!({"properties": wide})).iter().any(|message| message.contains("too large")));
        let long = json!({"description": "x".repeat(MAX_SCHEMA_BYTES)});
        assert!(matches!(faults(&long).as_slice(), [only] if only.contains("at most 262144 bytes")));
    }
}
