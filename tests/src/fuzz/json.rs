//! The lenient JSON reader for pages and models. Input: a text that begins with JSON.

use gleaner_extract::MAX_JSON_DEPTH;
use gleaner_extract::fuzzing::json_prefix;
use serde_json::Value;

/// Relative error between two parsers of the same decimal fraction.
const MAX_RELATIVE_ERROR: f64 = 1e-12;

/// Standard JSON is read as `serde_json` reads it. Any value read ends at the reported byte and survives a
/// round trip.
pub fn lenient_json(data: &[u8]) {
    let text = String::from_utf8_lossy(data);
    let ours = json_prefix(&text);
    if let Some(ours) = &ours {
        let part = text.get(..ours.end);
        assert!(
            part.is_some(),
            "the end {} is not a character boundary within {} bytes",
            ours.end,
            text.len()
        );
        assert_eq!(
            json_prefix(part.unwrap_or_default()).as_ref(),
            Some(ours),
            "the text after the value changes the result"
        );
        let written = ours.value.to_string();
        let again = json_prefix(&written).map(|again| (again.value, again.end));
        assert_eq!(again, Some((ours.value.clone(), written.len())), "round trip");
    }
    let Ok(theirs) = serde_json::from_str::<Value>(&text) else { return };
    match ours {
        None => assert!(depth(&theirs) > MAX_JSON_DEPTH, "valid JSON is refused: {theirs}"),
        // Duplicate keys: the lenient reader keeps the first value, `serde_json` the last.
        Some(ours) if ours.duplicate_keys => {}
        Some(ours) => assert!(alike(&ours.value, &theirs), "{} is not {theirs}", ours.value),
    }
}

/// The nesting depth of lists and objects.
fn depth(value: &Value) -> usize {
    match value {
        Value::Array(values) => 1 + values.iter().map(depth).max().unwrap_or_default(),
        Value::Object(fields) => 1 + fields.values().map(depth).max().unwrap_or_default(),
        _ => 0,
    }
}

fn alike(one: &Value, other: &Value) -> bool {
    match (one, other) {
        (Value::Number(one), Value::Number(other)) => {
            let (Some(one), Some(other)) = (one.as_f64(), other.as_f64()) else { return false };
            (one - other).abs() <= MAX_RELATIVE_ERROR * one.abs().max(other.abs())
        }
        (Value::Array(ones), Value::Array(others)) => {
            ones.len() == others.len() && ones.iter().zip(others).all(|(one, other)| alike(one, other))
        }
        (Value::Object(ones), Value::Object(others)) => {
            ones.len() == others.len()
                && ones.iter().all(|(key, one)| others.get(key).is_some_and(|other| alike(one, other)))
        }
        _ => one == other,
    }
}
