//! JSON bodies that are documents: their values, within bounds.

use serde_json::Value;

/// Memory of one value with its name, in bytes, at most.
const VALUE_BYTES: usize = 160;

/// Parses JSON if its values fit into `most` bytes.
pub(super) fn parse(text: &str, most: usize) -> Option<Value> {
    let makes_value = |byte: &u8| matches!(byte, b',' | b':' | b'[' | b'{');
    let values = text.bytes().filter(makes_value).count();
    if values.saturating_mul(VALUE_BYTES).saturating_add(text.len()) > most {
        return None;
    }
    serde_json::from_str(text.trim_start_matches('\u{FEFF}')).ok()
}

/// The text of a member; empty if there is none.
pub(super) fn text<'v>(value: &'v Value, name: &str) -> &'v str {
    value.get(name).and_then(Value::as_str).unwrap_or_default()
}

/// The values of a member that is a list.
pub(super) fn list<'v>(value: &'v Value, name: &str) -> &'v [Value] {
    value.get(name).and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default()
}
