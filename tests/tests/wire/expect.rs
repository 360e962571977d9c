//! What a value of an answer must be.

use serde_json::Value;

use crate::names::Names;

/// A demand on the value at one place of an answer. Texts may hold names in braces.
#[derive(Debug, Clone)]
pub(crate) enum Expect {
    /// This very value.
    Is(Value),
    /// Nothing is there.
    Absent,
    /// Of this JSON type; a text is not empty.
    Kind(&'static str),
    /// A text that holds this one.
    Has(String),
    /// A text that does not hold this one.
    Lacks(String),
    /// A text that begins so.
    Starts(String),
    /// A text that holds a UUID.
    HasUuid,
    /// A UUID of any version.
    Uuid,
    /// A UUID of version 7.
    Uuid7,
    /// A time in UTC with three digits of milliseconds.
    Time,
    /// The time at this other place, 24 hours later.
    DayAfter(&'static str),
    /// This text, followed by the `id` of the same answer.
    FollowedById(String),
    /// An array of this length.
    Len(usize),
    /// An array that has these values, and perhaps others.
    Holds(Vec<Value>),
    /// An array of objects that have these values at this place of theirs, in any order.
    Each(&'static str, Vec<Value>),
    /// An array of objects among whose values at this place are these.
    Among(&'static str, Vec<Value>),
    /// An integer of at least this.
    AtLeast(i64),
    /// An object with these keys and no others.
    Keys(Vec<&'static str>),
    /// An array of faults, one of which has a path that begins with these keys and indexes.
    Fault(Vec<Value>),
}

impl Expect {
    /// What is wrong with what was found, if anything is. `whole` is the body it was found in.
    pub(crate) fn complaint(&self, found: Option<&Value>, whole: &Value, names: &Names) -> Option<String> {
        let holds = match (self, found) {
            (Self::Absent, found) => found.is_none(),
            (_, None) => false,
            (expected, Some(value)) => expected.holds_for(value, whole, names),
        };
        let found = || found.map_or_else(|| "nothing".to_owned(), |value| shorten(&value.to_string()));
        (!holds).then(|| format!("expected {}, got {}", names.fill(&shorten(&format!("{self:?}"))), found()))
    }

    fn holds_for(&self, value: &Value, whole: &Value, names: &Names) -> bool {
        let text = value.as_str();
        let list = value.as_array().map(Vec::as_slice);
        match self {
            Self::Is(wanted) => *value == names.fill_value(wanted),
            Self::Absent => false,
            Self::Kind(kind) => kind_of(value) == *kind && text.is_none_or(|text| !text.is_empty()),
            Self::Has(part) => text.is_some_and(|text| text.contains(&names.fill(part))),
            Self::Lacks(part) => text.is_some_and(|text| !text.contains(&names.fill(part))),
            Self::Starts(start) => text.is_some_and(|text| text.starts_with(&names.fill(start))),
            Self::HasUuid => text
                .is_some_and(|text| text.split_whitespace().any(|word| is_uuid(word.trim_matches(is_mark)))),
            Self::Uuid => text.is_some_and(is_uuid),
            Self::Uuid7 => text.is_some_and(|text| is_uuid(text) && text.as_bytes().get(14) == Some(&b'7')),
            Self::Time => text.is_some_and(is_time),
            Self::DayAfter(place) => {
                let other = whole.pointer(place).and_then(Value::as_str).unwrap_or_default();
                let (day, time) = halves(text.unwrap_or_default());
                let (other_day, other_time) = halves(other);
                text.is_some_and(is_time) && day > other_day && time == other_time
            }
            Self::FollowedById(start) => {
                let id = whole.get("id").and_then(Value::as_str).unwrap_or_default();
                text.is_some_and(|text| !id.is_empty() && text == format!("{}{id}", names.fill(start)))
            }
            Self::Len(length) => list.is_some_and(|list| list.len() == *length),
            Self::Holds(wanted) => {
                list.is_some_and(|list| wanted.iter().all(|wanted| list.contains(&names.fill_value(wanted))))
            }
            Self::Each(place, wanted) => list.is_some_and(|list| {
                let mut found: Vec<String> = list.iter().map(|item| at(item, place).to_string()).collect();
                let mut wanted: Vec<String> =
                    wanted.iter().map(|wanted| names.fill_value(wanted).to_string()).collect();
                found.sort();
                wanted.sort();
                found == wanted
            }),
            Self::Among(place, wanted) => list.is_some_and(|list| {
                let has = |wanted: &Value| list.iter().any(|item| at(item, place) == wanted);
                wanted.iter().all(|wanted| has(&names.fill_value(wanted)))
            }),
            Self::AtLeast(least) => value.as_i64().is_some_and(|number| number >= *least),
            Self::Keys(wanted) => value.as_object().is_some_and(|object| {
                object.len() == wanted.len() && wanted.iter().all(|key| object.contains_key(*key))
            }),
            Self::Fault(wanted) => list.is_some_and(|faults| {
                let mut paths = faults.iter().filter_map(|fault| fault.get("path")?.as_array());
                paths.any(|path| path.starts_with(wanted))
            }),
        }
    }
}

/// The value at a place, null where there is none.
fn at<'v>(value: &'v Value, place: &str) -> &'v Value {
    value.pointer(place).unwrap_or(&Value::Null)
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

/// What may stand around a word.
fn is_mark(character: char) -> bool {
    !character.is_ascii_alphanumeric()
}

/// In the usual form, 36 characters.
pub(crate) fn is_uuid(text: &str) -> bool {
    text.len() == 36
        && text.bytes().enumerate().all(|(place, byte)| match place {
            8 | 13 | 18 | 23 => byte == b'-',
            _ => byte.is_ascii_hexdigit(),
        })
}

/// As all timestamps are: RFC 3339 in UTC with exactly three digits of milliseconds.
pub(crate) fn is_time(text: &str) -> bool {
    const FORM: &[u8] = b"0000-00-00T00:00:00.000Z";
    text.len() == FORM.len()
        && text.bytes().zip(FORM).all(|(byte, form)| match form {
            b'0' => byte.is_ascii_digit(),
            form => byte == *form,
        })
}

/// A timestamp's day and its time of day.
fn halves(time: &str) -> (&str, &str) {
    time.split_once('T').unwrap_or((time, ""))
}

/// The beginning of a long text.
pub(crate) fn shorten(text: &str) -> String {
    const MOST: usize = 1_500;
    match text.char_indices().nth(MOST) {
        Some((end, _)) => format!("{}... ({} bytes)", text.get(..end).unwrap_or_default(), text.len()),
        None => text.to_owned(),
    }
}
