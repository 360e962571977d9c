//! Checks a body against a shape in one pass, and makes a clean copy.
//!
//! The copy contains every value that fits the shape. A field that does not fit is left out. A list entry or
//! a required field is replaced by a placeholder, so that entries keep their indices and the copy can always
//! be read as the request's type. The recursion is as deep as the shape. Values without a shape are cloned
//! unchanged, after [`depth_is_at_most`] has bounded them.

use serde_json::{Map, Number, Value};

use super::hints;
use super::path::Path;
use super::report::{Code, Report};
use super::shape::{Record, Shape, TAG};
use super::text::{alternatives, describe};
use crate::limits::MIN_TIMEOUT_MS;
use crate::quote::{quote, shorten};

/// Unknown fields with this prefix are ignored: clients send them to try features that only some services
/// have.
const EXPERIMENTAL: &str = "__experimental";

/// Whether the value has at most this many levels of arrays and objects. Visits each value once, without
/// recursion.
pub(crate) fn depth_is_at_most(value: &Value, most: usize) -> bool {
    let mut level: Vec<&Value> = vec![value];
    for _ in 0..=most {
        let mut next = Vec::new();
        for value in level {
            match value {
                Value::Array(items) => next.extend(items),
                Value::Object(fields) => next.extend(fields.values()),
                _ => {}
            }
        }
        if next.is_empty() {
            return true;
        }
        level = next;
    }
    false
}

/// Makes the clean copy of a body.
pub(crate) fn body(record: &Record, value: &Value, report: &mut Report) -> Value {
    let root = Path::Root;
    match value {
        Value::Object(object) => Value::Object(fields(record, object, &root, report)),
        other => {
            report.fault(Code::WrongType, &root, |name| {
                format!("{name} must be a JSON object, not {}", describe(other, false))
            });
            placeholder_record(record)
        }
    }
}

/// Makes the clean copy of a value, or `None` if it does not fit.
fn fit(shape: &Shape, value: &Value, path: &Path<'_>, secret: bool, report: &mut Report) -> Option<Value> {
    let timeout = report.timeout();
    let shape = if matches!(shape, Shape::Timeout) { &timeout } else { shape };
    match (shape, value) {
        (Shape::Any, _) | (Shape::Boolean, Value::Bool(_)) => Some(value.clone()),
        (Shape::Integer { min, max }, Value::Number(number)) => {
            integer(number, *min, *max, shape, value, path, report)
        }
        (Shape::Number { min, max }, Value::Number(number)) => {
            if number.as_f64().is_some_and(|number| *min <= number && number <= *max) {
                return Some(value.clone());
            }
            wrong(Code::OutOfRange, shape, value, path, secret, report)
        }
        (Shape::Text { min, max, .. }, Value::String(text)) => text_fits(text, *min, *max, path, report),
        (Shape::Choice(names), Value::String(text)) if names.iter().any(|name| name == text) => {
            Some(value.clone())
        }
        (Shape::Choice(_), Value::String(_)) => wrong(Code::InvalidValue, shape, value, path, secret, report),
        (Shape::List { item, min, max }, Value::Array(items)) => {
            list(item, items, *min, *max, path, secret, report)
        }
        (Shape::Map { value: inner, secret: inner_secret }, Value::Object(object)) => {
            let secret = secret || *inner_secret;
            let clean = object.iter().filter_map(|(key, value)| {
                Some((key.clone(), fit(inner, value, &path.key(key), secret, report)?))
            });
            Some(Value::Object(clean.collect()))
        }
        (Shape::Record(record), Value::Object(object)) => {
            Some(Value::Object(fields(record, object, path, report)))
        }
        (Shape::TextOr(_), Value::String(_)) => Some(value.clone()),
        (Shape::TextOr(inner), Value::Object(_)) => fit(inner, value, path, secret, report),
        (Shape::Tagged { names, variants }, Value::String(text)) => {
            if names.iter().any(|name| name == text) {
                return Some(value.clone());
            }
            if let (true, Some(record)) = (!names.is_empty(), variants.get(text)) {
                let required = record.fields.iter().filter(|(name, field)| field.required && *name != TAG);
                let required = alternatives(required.map(|(name, _)| name.as_str()));
                report.fault(Code::InvalidValue, path, |name| {
                    format!(
                        "{name} must be an object with `type` \"{text}\" and {required}, not the bare name \
                         \"{text}\""
                    )
                });
                return None;
            }
            let code = if names.is_empty() { Code::WrongType } else { Code::InvalidValue };
            wrong(code, shape, value, path, secret, report)
        }
        (Shape::Tagged { variants, .. }, Value::Object(object)) => match object.get(TAG) {
            Some(Value::String(tag)) if variants.contains_key(tag) => {
                let record = variants.get(tag)?;
                Some(Value::Object(fields(record, object, path, report)))
            }
            Some(other) => {
                let at = path.key(TAG);
                let code = if other.is_string() { Code::InvalidValue } else { Code::WrongType };
                report.fault(code, &at, |name| {
                    let tags = alternatives(variants.keys().map(String::as_str));
                    format!("{name} must be one of {tags}, not {}", describe(other, secret))
                });
                None
            }
            None => {
                report.fault(Code::MissingField, &path.key(TAG), |name| {
                    format!(
                        "{name} is missing: it must be one of {}",
                        alternatives(variants.keys().map(String::as_str))
                    )
                });
                None
            }
        },
        _ => wrong(Code::WrongType, shape, value, path, secret, report),
    }
}

fn fields(
    record: &Record,
    object: &Map<String, Value>,
    path: &Path<'_>,
    report: &mut Report,
) -> Map<String, Value> {
    let mut clean = Map::new();
    for (key, value) in object {
        let at = path.key(key);
        let Some(field) = record.fields.get(key) else {
            unknown(record, key, path, report);
            continue;
        };
        if value.is_null() && !field.required {
            continue;
        }
        if let Some(value) = fit(&field.shape, value, &at, false, report) {
            clean.insert(key.clone(), value);
        }
    }
    for (key, field) in record.fields.iter().filter(|(_, field)| field.required) {
        if clean.contains_key(key) {
            continue;
        }
        if !object.contains_key(key) {
            report.fault(Code::MissingField, &path.key(key), |name| {
                let example = match &field.shape {
                    Shape::Text { example: Some(example), .. } => format!(" such as {}", quote(example)),
                    _ => String::new(),
                };
                format!("{name} is missing: it must be {}{example}", expected(&field.shape))
            });
        }
        clean.insert(key.clone(), placeholder(&field.shape));
    }
    clean
}

fn unknown(record: &Record, key: &str, path: &Path<'_>, report: &mut Report) {
    if key.starts_with(EXPERIMENTAL) {
        return report.ignore(&path.key(key));
    }
    let version = report.version();
    report.fault(Code::UnknownField, &path.key(key), |_| {
        let mut message = format!("unknown field `{}`", shorten(key).escape_debug());
        if !matches!(path, Path::Root) {
            message.push_str(&format!(" in {}", path.name()));
        }
        if let Some(hint) = hints::for_unknown(version, record, key) {
            message.push_str(": ");
            message.push_str(&hint);
        }
        message
    });
}

/// Accepts `100.0` as `100`, like JSON Schema: some clients have only one number type.
fn integer(
    number: &Number,
    min: u64,
    max: u64,
    shape: &Shape,
    value: &Value,
    path: &Path<'_>,
    report: &mut Report,
) -> Option<Value> {
    /// Above this, a double does not represent every integer.
    const MAX_EXACT: f64 = 9_007_199_254_740_992.0;
    let whole = number.as_u64().or_else(|| {
        let float = number.as_f64()?;
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "whole, and in range")]
        (float.fract() == 0.0 && (0.0..=MAX_EXACT).contains(&float)).then_some(float as u64)
    });
    match whole {
        Some(whole) if (min..=max).contains(&whole) => Some(Value::from(whole)),
        Some(_) => wrong(Code::OutOfRange, shape, value, path, false, report),
        None => {
            let fraction = number.as_f64().is_some_and(|float| float.fract() != 0.0);
            let code = if fraction { Code::WrongType } else { Code::OutOfRange };
            wrong(code, shape, value, path, false, report)
        }
    }
}

fn text_fits(text: &str, min: usize, max: usize, path: &Path<'_>, report: &mut Report) -> Option<Value> {
    // Stop counting at the maximum: the text may be huge.
    let length = text.chars().take(max.saturating_add(1)).count();
    if length < min {
        report.fault(Code::OutOfRange, path, |name| format!("{name} must not be empty"));
        None
    } else if length > max {
        report.fault(Code::OutOfRange, path, |name| {
            format!("{name} must be at most {max} characters long, not {}", text.chars().count())
        });
        None
    } else {
        Some(Value::String(text.to_owned()))
    }
}

fn list(
    item: &Shape,
    items: &[Value],
    min: usize,
    max: usize,
    path: &Path<'_>,
    secret: bool,
    report: &mut Report,
) -> Option<Value> {
    if items.len() < min {
        report.fault(Code::OutOfRange, path, |name| format!("{name} must not be empty"));
        return None;
    }
    if items.len() > max {
        report.fault(Code::OutOfRange, path, |name| {
            format!("{name} must have at most {max} entries, not {}", items.len())
        });
        return None;
    }
    let clean = items.iter().enumerate().map(|(index, value)| {
        fit(item, value, &path.index(index), secret, report).unwrap_or_else(|| placeholder(item))
    });
    Some(Value::Array(clean.collect()))
}

fn wrong(
    code: Code,
    shape: &Shape,
    value: &Value,
    path: &Path<'_>,
    secret: bool,
    report: &mut Report,
) -> Option<Value> {
    report.fault(code, path, |name| {
        format!("{name} must be {}, not {}", expected(shape), describe(value, secret))
    });
    None
}

/// The expected value, to follow "must be".
fn expected(shape: &Shape) -> String {
    match shape {
        Shape::Any => "a value".to_owned(),
        Shape::Boolean => "`true` or `false`".to_owned(),
        Shape::Integer { min, max: u64::MAX } => format!("an integer of at least {min}"),
        Shape::Integer { min, max } => format!("an integer from {min} to {max}"),
        Shape::Timeout => "an integer of milliseconds".to_owned(),
        Shape::Number { min, max } => format!("a number from {min} to {max}"),
        Shape::Text { .. } => "a string".to_owned(),
        Shape::Choice(names) => match names.as_slice() {
            [only] => quote(only),
            names => format!("one of {}", alternatives(names.iter().map(String::as_str))),
        },
        Shape::List { item, .. } => match item.as_ref() {
            Shape::Text { .. } => "an array of strings".to_owned(),
            Shape::Tagged { names, .. } if names.is_empty() => "an array of objects".to_owned(),
            _ => "an array".to_owned(),
        },
        Shape::Map { .. } | Shape::Record(_) => "an object".to_owned(),
        Shape::Tagged { names, variants } if names.is_empty() => {
            format!("an object with `type` one of {}", alternatives(variants.keys().map(String::as_str)))
        }
        Shape::Tagged { variants, .. } => {
            format!(
                "one of {}, or an object with that `type`",
                alternatives(variants.keys().map(String::as_str))
            )
        }
        Shape::TextOr(_) => "a URL or an object with `url`".to_owned(),
    }
}

/// A placeholder of this shape that no rule rejects.
fn placeholder(shape: &Shape) -> Value {
    match shape {
        Shape::Any => Value::Null,
        Shape::Boolean => Value::Bool(false),
        Shape::Integer { min, .. } => Value::from(*min),
        Shape::Timeout => Value::from(MIN_TIMEOUT_MS),
        Shape::Number { min, .. } => Number::from_f64(*min).map_or(Value::Null, Value::Number),
        Shape::Text { .. } | Shape::TextOr(_) => Value::from("https://placeholder.invalid/"),
        Shape::Choice(names) => names.first().map_or(Value::Null, |name| Value::from(name.as_str())),
        Shape::List { item, .. } => Value::Array(vec![placeholder(item)]),
        Shape::Map { .. } => Value::Object(Map::new()),
        Shape::Record(record) => placeholder_record(record),
        Shape::Tagged { names, variants } => match names.first() {
            Some(name) => Value::from(name.as_str()),
            None => variants.values().next().map_or(Value::Null, placeholder_record),
        },
    }
}

fn placeholder_record(record: &Record) -> Value {
    let required = record.fields.iter().filter(|(_, field)| field.required);
    Value::Object(required.map(|(key, field)| (key.clone(), placeholder(&field.shape))).collect())
}
