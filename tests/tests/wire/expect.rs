//! Expectations of a value in a response.

use serde_json::Value;

use crate::placeholders::Placeholders;

/// An expectation of one value in a response. Strings may have placeholders in braces.
#[derive(Debug, Clone)]
pub(crate) enum Expect {
    /// Equals this value.
    Equals(Value),
    /// No value is present.
    Absent,
    /// Has this JSON type; a string is not empty.
    Kind(&'static str),
    /// A string that contains this one.
    Contains(String),
    /// A string that does not contain this one.
    Lacks(String),
    /// A string that starts with this one.
    StartsWith(String),
    /// A string that contains a UUID.
    HasUuid,
    /// A UUID of any version.
    Uuid,
    /// A version 7 UUID.
    Uuid7,
    /// A UTC timestamp with milliseconds.
    Time,
    /// The timestamp at this other pointer plus 24 hours.
    DayAfter(&'static str),
    /// This string followed by the `id` of the same response.
    FollowedById(String),
    /// An array of this length.
    Len(usize),
    /// An array that contains these values and possibly others.
    Includes(Vec<Value>),
    /// An array of objects that have exactly these values at this pointer, in any order.
    ItemsExactly(&'static str, Vec<Value>),
    /// An array of objects that have these values at this pointer, and possibly others.
    ItemsInclude(&'static str, Vec<Value>),
    /// An integer of at least this value.
    AtLeast(i64),
    /// An object with exactly these keys.
    Keys(Vec<&'static str>),
    /// An array of faults, at least one with a path that starts with these keys and indexes.
    Fault(Vec<Value>),
}

impl Expect {
    /// Describes why the value does not match; `None` if it does. `whole` is the response body.
    pub(crate) fn problem(
        &self,
        found: Option<&Value>,
        whole: &Value,
        placeholders: &Placeholders,
    ) -> Option<String> {
        let is_match = match (self, found) {
            (Self::Absent, found) => found.is_none(),
            (_, None) => false,
            (expectation, Some(value)) => expectation.matches(value, whole, placeholders),
        };
        let found = || found.map_or_else(|| "nothing".to_owned(), |value| shorten(&value.to_string()));
        (!is_match).then(|| {
            format!("expected {}, got {}", placeholders.fill(&shorten(&format!("{self:?}"))), found())
        })
    }

    fn matches(&self, value: &Value, whole: &Value, placeholders: &Placeholders) -> bool {
        let text = value.as_str();
        let list = value.as_array().map(Vec::as_slice);
        match self {
            Self::Equals(expected) => *value == placeholders.fill_value(expected),
            Self::Absent => false,
            Self::Kind(kind) => kind_of(value) == *kind && text.is_none_or(|text| !text.is_empty()),
            Self::Contains(part) => text.is_some_and(|text| text.contains(&placeholders.fill(part))),
            Self::Lacks(part) => text.is_some_and(|text| !text.contains(&placeholders.fill(part))),
            Self::StartsWith(start) => text.is_some_and(|text| text.starts_with(&placeholders.fill(start))),
            Self::HasUuid => text
                .is_some_and(|text| text.split_whitespace().any(|word| is_uuid(word.trim_matches(is_mark)))),
            Self::Uuid => text.is_some_and(is_uuid),
            Self::Uuid7 => text.is_some_and(|text| is_uuid(text) && text.as_bytes().get(14) == Some(&b'7')),
            Self::Time => text.is_some_and(is_time),
            Self::DayAfter(pointer) => {
                let other = whole.pointer(pointer).and_then(Value::as_str).unwrap_or_default();
                let (day, time) = date_and_time(text.unwrap_or_default());
                let (other_day, other_time) = date_and_time(other);
                text.is_some_and(is_time) && day > other_day && time == other_time
            }
            Self::FollowedById(start) => {
                let id = whole.get("id").and_then(Value::as_str).unwrap_or_default();
                text.is_some_and(|text| !id.is_empty() && text == format!("{}{id}", placeholders.fill(start)))
            }
            Self::Len(length) => list.is_some_and(|list| list.len() == *length),
            Self::Includes(expected) => list.is_some_and(|list| {
                expected.iter().all(|expected| list.contains(&placeholders.fill_value(expected)))
            }),
            Self::ItemsExactly(pointer, expected) => list.is_some_and(|list| {
                let mut found: Vec<String> =
                    list.iter().map(|item| value_at(item, pointer).to_string()).collect();
                let mut expected: Vec<String> =
                    expected.iter().map(|expected| placeholders.fill_value(expected).to_string()).collect();
                found.sort();
                expected.sort();
                found == expected
            }),
            Self::ItemsInclude(pointer, expected) => list.is_some_and(|list| {
                let has = |expected: &Value| list.iter().any(|item| value_at(item, pointer) == expected);
                expected.iter().all(|expected| has(&placeholders.fill_value(expected)))
            }),
            Self::AtLeast(least) => value.as_i64().is_some_and(|number| number >= *least),
            Self::Keys(expected) => value.as_object().is_some_and(|object| {
                object.len() == expected.len() && expected.iter().all(|key| object.contains_key(*key))
            }),
            Self::Fault(expected) => list.is_some_and(|faults| {
                let mut paths = faults.iter().filter_map(|fault| fault.get("path")?.as_array());
                paths.any(|path| path.starts_with(expected))
            }),
        }
    }
}

/// The value at a JSON pointer, or null.
fn value_at<'v>(value: &'v Value, pointer: &str) -> &'v Value {
    value.pointer(pointer).unwrap_or(&Value::Null)
}

fn kind_of(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "boolean",
        Value::Number(number) if number.is_f64() => "number",
        Value::Number(_) => "integer",
        Value::String(_) => "string",
        Value::Array(_) => "array",
        Value::Object(_) => "object",
    }
}

/// A character that may surround a word.
fn is_mark(character: char) -> bool {
    !character.is_ascii_alphanumeric()
}

/// True for the usual form of 36 characters.
pub(crate) fn is_uuid(text: &str) -> bool {
    text.len() == 36
        && text.bytes().enumerate().all(|(index, byte)| match index {
            8 | 13 | 18 | 23 => byte == b'-',
            _ => byte.is_ascii_hexdigit(),
        })
}

/// True for RFC 3339 in UTC with exactly three digits of milliseconds, the form of all timestamps.
pub(crate) fn is_time(text: &str) -> bool {
    const FORM: &[u8] = b"0000-00-00T00:00:00.000Z";
    text.len() == FORM.len()
        && text.bytes().zip(FORM).all(|(byte, form)| match form {
            b'0' => byte.is_ascii_digit(),
            form => byte == *form,
        })
}

/// The date and the time of a timestamp.
fn date_and_time(time: &str) -> (&str, &str) {
    time.split_once('T').unwrap_or((time, ""))
}

/// The start of a long text.
pub(crate) fn shorten(text: &str) -> String {
    const MAX_CHARS: usize = 1_500;
    match text.char_indices().nth(MAX_CHARS) {
        Some((end, _)) => format!("{}... ({} bytes)", text.get(..end).unwrap_or_default(), text.len()),
        None => text.to_owned(),
    }
}
