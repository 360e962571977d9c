//! The rules for the values of JSON Schema keywords, by draft.

use hashbrown::HashSet;

use serde_json::Value;

use super::draft::Draft;

/// What a keyword's value must be.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Rule {
    Schema,
    /// A schema; draft 4 allows a boolean here, too.
    SchemaOrBoolean,
    /// A schema, or a list of schemas as before 2020-12.
    SchemaOrList,
    SchemaList,
    /// An object of schemas.
    SchemaMap,
    /// An object of schemas by regular expression.
    PatternMap,
    /// An object of schemas and lists of names.
    Dependencies,
    /// An object of lists of names.
    NameLists,
    Reference,
    Pattern,
    Value(ValueRule),
}

/// What the value of a keyword without subschemas must be.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum ValueRule {
    Types,
    Names,
    List,
    Text,
    Identifier,
    Anchor,
    Number,
    PositiveNumber,
    Count,
    Boolean,
    Vocabulary,
}

/// The rule of a keyword in a draft; `None` for keywords that the draft's meta-schema does not know.
pub(super) fn rule(keyword: &str, draft: Draft) -> Option<Rule> {
    use Draft::{V4, V6, V7, V2019, V2020};
    use ValueRule::{
        Anchor, Boolean, Count, Identifier, List, Names, Number, PositiveNumber, Text, Types, Vocabulary,
    };

    let (since, rule) = match keyword {
        "additionalProperties" => (V4, Rule::SchemaOrBoolean),
        "not" => (V4, Rule::Schema),
        "contains" | "propertyNames" => (V6, Rule::Schema),
        "else" | "if" | "then" => (V7, Rule::Schema),
        "contentSchema" | "unevaluatedItems" | "unevaluatedProperties" => (V2019, Rule::Schema),
        "additionalItems" if draft < V2020 => (V4, Rule::SchemaOrBoolean),
        "items" if draft < V2020 => (V4, Rule::SchemaOrList),
        "items" => (V2020, Rule::Schema),
        "allOf" | "anyOf" | "oneOf" => (V4, Rule::SchemaList),
        "prefixItems" => (V2020, Rule::SchemaList),
        "definitions" | "properties" => (V4, Rule::SchemaMap),
        "$defs" | "dependentSchemas" => (V2019, Rule::SchemaMap),
        "patternProperties" => (V4, Rule::PatternMap),
        "dependencies" => (V4, Rule::Dependencies),
        "dependentRequired" => (V2019, Rule::NameLists),
        "$ref" => (V4, Rule::Reference),
        "$dynamicRef" => (V2020, Rule::Reference),
        "pattern" => (V4, Rule::Pattern),
        "type" => (V4, Rule::Value(Types)),
        "required" => (V4, Rule::Value(Names)),
        "enum" => (V4, Rule::Value(List)),
        "examples" => (V6, Rule::Value(List)),
        "$schema" | "description" | "format" | "title" => (V4, Rule::Value(Text)),
        "$comment" | "contentEncoding" | "contentMediaType" => (V7, Rule::Value(Text)),
        "$recursiveRef" => (V2019, Rule::Value(Text)),
        "$id" => (V6, Rule::Value(Identifier)),
        "id" if draft == V4 => (V4, Rule::Value(Identifier)),
        "$anchor" => (V2019, Rule::Value(Anchor)),
        "$dynamicAnchor" => (V2020, Rule::Value(Anchor)),
        "$recursiveAnchor" if draft == V2019 => (V2019, Rule::Value(Boolean)),
        "$recursiveAnchor" => (V2020, Rule::Value(Anchor)),
        "$vocabulary" => (V2019, Rule::Value(Vocabulary)),
        "exclusiveMaximum" | "exclusiveMinimum" if draft == V4 => (V4, Rule::Value(Boolean)),
        "exclusiveMaximum" | "exclusiveMinimum" | "maximum" | "minimum" => (V4, Rule::Value(Number)),
        "multipleOf" => (V4, Rule::Value(PositiveNumber)),
        "maxItems" | "maxLength" | "maxProperties" | "minItems" | "minLength" | "minProperties" => {
            (V4, Rule::Value(Count))
        }
        "maxContains" | "minContains" => (V2019, Rule::Value(Count)),
        "uniqueItems" => (V4, Rule::Value(Boolean)),
        "readOnly" | "writeOnly" => (V7, Rule::Value(Boolean)),
        "deprecated" => (V2019, Rule::Value(Boolean)),
        _ => return None,
    };
    (draft >= since).then_some(rule)
}

impl ValueRule {
    /// Whether a value follows the rule.
    pub(super) fn allows(self, value: &Value, draft: Draft) -> bool {
        match self {
            Self::Types => match value {
                Value::Array(names) => {
                    !names.is_empty() && are_different_texts(names) && names.iter().all(is_type)
                }
                name => is_type(name),
            },
            Self::Names => are_names(value, draft),
            Self::List => value.is_array(),
            Self::Text => value.is_string(),
            // From 2019-09 on, a fragment of an identifier is empty.
            Self::Identifier => value.as_str().is_some_and(|id| {
                draft < Draft::V2019 || id.strip_suffix('#').unwrap_or(id).bytes().all(|byte| byte != b'#')
            }),
            Self::Anchor => value.as_str().is_some_and(|name| is_anchor(name, draft)),
            Self::Number => value.is_number(),
            Self::PositiveNumber => value.as_f64().is_some_and(|number| number > 0.0),
            // In draft 4, `2.0` is no integer.
            Self::Count => {
                value.is_u64()
                    || (draft > Draft::V4
                        && value.as_f64().is_some_and(|count| count >= 0.0 && count.fract() == 0.0))
            }
            Self::Boolean => value.is_boolean(),
            Self::Vocabulary => value.as_object().is_some_and(|map| map.values().all(Value::is_boolean)),
        }
    }

    /// The rule in words, to follow "must be".
    pub(super) const fn expected(self) -> &'static str {
        match self {
            Self::Types => {
                "one of array, boolean, integer, null, number, object, string, or a list of different ones"
            }
            Self::Names => "a list of different names",
            Self::List => "a list",
            Self::Text => "a string",
            Self::Identifier => "a URI reference without a fragment",
            Self::Anchor => "a name of letters, digits, hyphens, dots and underscores",
            Self::Number => "a number",
            Self::PositiveNumber => "a number greater than 0",
            Self::Count => "an integer of at least 0",
            Self::Boolean => "true or false",
            Self::Vocabulary => "an object of booleans",
        }
    }
}

/// Whether a value is a list of different names; draft 4 allows no empty list.
pub(super) fn are_names(value: &Value, draft: Draft) -> bool {
    value
        .as_array()
        .is_some_and(|names| are_different_texts(names) && (draft > Draft::V4 || !names.is_empty()))
}

fn are_different_texts(list: &[Value]) -> bool {
    let mut seen = HashSet::new();
    list.iter().all(|value| value.as_str().is_some_and(|text| seen.insert(text)))
}

fn is_type(value: &Value) -> bool {
    const TYPES: [&str; 7] = ["array", "boolean", "integer", "null", "number", "object", "string"];
    value.as_str().is_some_and(|name| TYPES.contains(&name))
}

/// 2019-09 allows colons and no underscore at the start; 2020-12 does the opposite.
fn is_anchor(name: &str, draft: Draft) -> bool {
    let mut bytes = name.bytes();
    let newer = draft > Draft::V2019;
    bytes.next().is_some_and(|first| first.is_ascii_alphabetic() || (newer && first == b'_'))
        && bytes
            .all(|byte| byte.is_ascii_alphanumeric() || b"-._".contains(&byte) || (!newer && byte == b':'))
}
