//! What a schema allows beside the type of a value: bounds, lengths, a pattern, a format. A value that breaks
//! it is none.

use std::sync::OnceLock;

use serde::{Deserialize, Serialize};
use serde_json::Value;
use time::OffsetDateTime;
use time::format_description::well_known::Rfc3339;

use super::flat_schema::FlatSchema;
use super::validity::EcmaPattern;

/// The distance from a multiple that is still one: decimals such as `0.1` have no exact binary form.
const ROUNDING: f64 = 1e-9;

/// The keywords of a schema that limit a value.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub(crate) struct Rules {
    minimum: Option<f64>,
    maximum: Option<f64>,
    exclusive_minimum: Option<f64>,
    exclusive_maximum: Option<f64>,
    multiple_of: Option<f64>,
    min_length: Option<u64>,
    max_length: Option<u64>,
    pattern: Option<Pattern>,
    /// Whether a text must be a moment of RFC 3339, which has an offset.
    is_moment: bool,
    min_items: Option<u64>,
    max_items: Option<u64>,
    /// Whether no value is allowed: the schema is `false`.
    never: bool,
}

/// A `pattern`, compiled when the first value is checked.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[serde(transparent)]
struct Pattern {
    source: String,
    #[serde(skip)]
    compiled: OnceLock<Option<EcmaPattern>>,
}

impl PartialEq for Pattern {
    fn eq(&self, other: &Self) -> bool {
        self.source == other.source
    }
}

impl Pattern {
    /// Whether a text matches. What the engine cannot do, such as a back-reference, is not checked.
    fn matches(&self, text: &str) -> bool {
        let compiled = self.compiled.get_or_init(|| EcmaPattern::compile(&self.source));
        compiled.as_ref().is_none_or(|pattern| pattern.is_match(text))
    }
}

impl Rules {
    pub(super) fn read(schema: &FlatSchema<'_>) -> Self {
        let number = |key: &str| schema.get(key).and_then(Value::as_f64);
        let count = |key: &str| {
            let value = schema.get(key)?;
            // `2.0` is a count, too.
            value.as_u64().or_else(|| value.as_f64()?.to_string().parse().ok())
        };
        let is_true = |key: &str| schema.get(key) == Some(&Value::Bool(true));
        // In draft 4, a boolean makes the bound beside it exclusive.
        let (low, high) = (is_true("exclusiveMinimum"), is_true("exclusiveMaximum"));
        let (minimum, maximum) = (number("minimum"), number("maximum"));
        Self {
            minimum: minimum.filter(|_| !low),
            maximum: maximum.filter(|_| !high),
            exclusive_minimum: number("exclusiveMinimum").or(minimum.filter(|_| low)),
            exclusive_maximum: number("exclusiveMaximum").or(maximum.filter(|_| high)),
            multiple_of: number("multipleOf"),
            min_length: count("minLength"),
            max_length: count("maxLength"),
            pattern: schema
                .get("pattern")
                .and_then(Value::as_str)
                .map(|source| Pattern { source: source.to_owned(), ..Pattern::default() }),
            is_moment: schema.get("format").and_then(Value::as_str) == Some("date-time"),
            min_items: count("minItems"),
            max_items: count("maxItems"),
            never: false,
        }
    }

    /// The rules that allow nothing.
    pub(super) fn never() -> Self {
        Self { never: true, ..Self::default() }
    }

    /// The length of the pattern, in bytes.
    pub(super) fn pattern_bytes(&self) -> usize {
        self.pattern.as_ref().map_or(0, |pattern| pattern.source.len())
    }

    /// Whether the schema limits nothing.
    pub(super) fn is_empty(&self) -> bool {
        *self == Self::default()
    }

    /// Whether they allow a number or a text. Values of other types are always allowed.
    pub(super) fn allow(&self, value: &Value) -> bool {
        match value {
            Value::Number(number) => number.as_f64().is_some_and(|number| self.allow_number(number)),
            Value::String(text) => self.allow_text(text),
            _ => !self.never,
        }
    }

    fn allow_number(&self, number: f64) -> bool {
        !self.never
            && self.minimum.is_none_or(|bound| number >= bound)
            && self.maximum.is_none_or(|bound| number <= bound)
            && self.exclusive_minimum.is_none_or(|bound| number > bound)
            && self.exclusive_maximum.is_none_or(|bound| number < bound)
            && self.multiple_of.is_none_or(|step| is_multiple(number, step))
    }

    fn allow_text(&self, text: &str) -> bool {
        let length = || u64::try_from(text.chars().count()).unwrap_or(u64::MAX);
        !self.never
            && self.min_length.is_none_or(|bound| length() >= bound)
            && self.max_length.is_none_or(|bound| length() <= bound)
            && (!self.is_moment || OffsetDateTime::parse(text, &Rfc3339).is_ok())
            && self.pattern.as_ref().is_none_or(|pattern| pattern.matches(text))
    }

    /// Whether they allow a list of this many elements.
    pub(super) fn allow_items(&self, items: usize) -> bool {
        let items = u64::try_from(items).unwrap_or(u64::MAX);
        !self.never
            && self.min_items.is_none_or(|bound| items >= bound)
            && self.max_items.is_none_or(|bound| items <= bound)
    }

    /// Upper bound on the elements of a list.
    pub(super) fn max_items(&self) -> Option<usize> {
        self.max_items.and_then(|bound| usize::try_from(bound).ok())
    }
}

fn is_multiple(number: f64, step: f64) -> bool {
    let share = number / step;
    step > 0.0 && (share - share.round()).abs() <= ROUNDING * share.abs().max(1.0)
}

#[cfg(test)]
mod tests {
    use super::super::Shape;
    use serde_json::{Value, json};

    #[test]
    fn a_value_that_breaks_the_schema_is_not_admitted() {
        let rows: [(Value, &[Value], &[Value]); 10] = [
            (
                json!({ "type": "number", "minimum": 0, "maximum": 5 }),
                &[json!(0), json!(5)],
                &[json!(87), json!(-1)],
            ),
            (json!({ "type": "number", "exclusiveMinimum": 0 }), &[json!(0.1)], &[json!(0)]),
            (json!({ "type": "number", "minimum": 0, "exclusiveMinimum": true }), &[json!(1)], &[json!(0)]),
            (json!({ "type": "number", "multipleOf": 0.01 }), &[json!(19.99), json!(5)], &[json!(0.125)]),
            (json!({ "type": "string", "maxLength": 5 }), &[json!("Kayák")], &[json!("Kayaks")]),
            (json!({ "type": "string", "minLength": 2 }), &[json!("ab")], &[json!("a")]),
            (json!({ "type": "string", "pattern": "^[0-9]+$" }), &[json!("12")], &[json!("KF-4")]),
            (
                json!({ "type": "string", "pattern": "^(?=.*\\d)(?!X)[A-Z0-9-]+$" }),
                &[json!("KF-4")],
                &[json!("KF"), json!("X4"), json!("kf-4")],
            ),
            (
                json!({ "type": "string", "format": "date-time" }),
                &[json!("2025-12-12T19:00:00Z"), json!("2025-12-12T19:00:00+01:00")],
                &[json!("2025-12-12T19:00:00"), json!("2025-12-12")],
            ),
            // A back-reference cannot be checked.
            (json!({ "type": "string", "pattern": "^(a)\\1$" }), &[json!("b")], &[]),
        ];
        for (schema, right, wrong) in rows {
            let shape = Shape::from_schema(&schema).unwrap();
            for value in right {
                assert!(shape.admits(value), "{schema}: {value}");
            }
            for value in wrong {
                assert!(!shape.admits(value), "{schema}: {value}");
            }
        }
    }

    #[test]
    fn rules_survive_storage() {
        let schema = json!({ "properties": {
            "sku": { "type": "string", "pattern": "^[0-9]+$" },
            "weight_g": { "type": "number", "minimum": 1 },
        } });
        let shape = Shape::from_schema(&schema).unwrap();
        let stored = serde_json::to_string(&shape).unwrap();
        assert_eq!(serde_json::from_str::<Shape>(&stored).unwrap(), shape);
    }
}
