//! A bounded, lenient reader for JSON as pages and models write it.
//!
//! `serde_json` is right for JSON that programs write. JSON in pages is edited by hand and by templates: it
//! has comments, trailing commas, raw line ends in strings, keys without quotes, single quotes, `undefined`.
//! A model's answer may be endless or a million brackets deep. This reader takes one value from the start of
//! a text, reports where it ended, respects its bounds and uses no recursion.

use memchr::memchr2;
use serde_json::map::Entry;
use serde_json::{Map, Number, Value};

/// Upper bound on the nesting of arrays and objects.
pub const MAX_JSON_DEPTH: usize = 64;
/// Upper bound on the values of one text.
pub const MAX_JSON_VALUES: usize = 400_000;

/// Why a text is not JSON, and the offset of the fault.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct JsonError {
    pub(crate) what: &'static str,
    pub(crate) at: usize,
}

/// A value from the start of a text.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Parsed {
    pub(crate) value: Value,
    /// The first byte after it.
    pub(crate) end: usize,
    /// Whether an object had a key twice; the first one counts.
    pub(crate) duplicate_keys: bool,
}

enum Container {
    List(Vec<Value>),
    Object(Map<String, Value>, Option<String>),
}

struct JsonReader<'a> {
    text: &'a str,
    at: usize,
}

/// Reads the value at the start of `text`; anything may follow it.
pub(crate) fn parse_prefix(text: &str) -> Result<Parsed, JsonError> {
    let mut reader = JsonReader { text, at: 0 };
    let mut open: Vec<Container> = Vec::new();
    let mut values = 0_usize;
    let mut duplicate_keys = false;
    loop {
        values += 1;
        if values > MAX_JSON_VALUES {
            return Err(reader.error("it holds too many values"));
        }
        reader.skip_blanks();
        // An empty container or the end of one after a trailing comma.
        let closes = matches!(
            (open.last(), reader.peek()),
            (Some(Container::List(_)), Some(b']')) | (Some(Container::Object(..)), Some(b'}'))
        );
        let mut done = if closes {
            None
        } else {
            if let Some(Container::Object(_, key)) = open.last_mut() {
                *key = Some(reader.key()?);
            }
            match reader.peek() {
                Some(bracket @ (b'{' | b'[')) => {
                    if open.len() >= MAX_JSON_DEPTH {
                        return Err(reader.error("it is nested too deep"));
                    }
                    reader.at += 1;
                    open.push(if bracket == b'[' {
                        Container::List(Vec::new())
                    } else {
                        Container::Object(Map::new(), None)
                    });
                    continue;
                }
                _ => Some(reader.scalar()?),
            }
        };
        // Insert the value into its container, and close the containers that end here.
        loop {
            if let Some(value) = done.take() {
                match open.last_mut() {
                    None => return Ok(Parsed { value, end: reader.at, duplicate_keys }),
                    Some(Container::List(list)) => list.push(value),
                    Some(Container::Object(map, key)) => {
                        let key = key.take().unwrap_or_default();
                        match map.entry(key) {
                            Entry::Vacant(slot) => {
                                slot.insert(value);
                            }
                            Entry::Occupied(_) => duplicate_keys = true,
                        }
                    }
                }
            }
            reader.skip_blanks();
            match (reader.peek(), open.last()) {
                (Some(b','), _) => {
                    reader.at += 1;
                    break;
                }
                (Some(b']'), Some(Container::List(_))) | (Some(b'}'), Some(Container::Object(..))) => {
                    reader.at += 1;
                    done = match open.pop() {
                        Some(Container::List(list)) => Some(Value::Array(list)),
                        Some(Container::Object(map, _)) => Some(Value::Object(map)),
                        None => return Err(reader.error("a bracket closes nothing")),
                    };
                }
                (None, _) => return Err(reader.error("it ends in the middle")),
                _ => return Err(reader.error("a comma or a closing bracket is missing")),
            }
        }
    }
}

impl<'a> JsonReader<'a> {
    const fn error(&self, what: &'static str) -> JsonError {
        JsonError { what, at: self.at }
    }

    fn rest(&self) -> &'a str {
        self.text.get(self.at..).unwrap_or_default()
    }

    fn peek(&self) -> Option<u8> {
        self.text.as_bytes().get(self.at).copied()
    }

    /// Skips white space and comments.
    fn skip_blanks(&mut self) {
        // Programs write JSON without blanks.
        if self.peek().is_some_and(|byte| byte.is_ascii_graphic() && byte != b'/') {
            return;
        }
        loop {
            let rest = self.rest();
            let trimmed = rest.trim_start_matches(|found: char| found.is_whitespace() || found == '\u{feff}');
            self.at += rest.len() - trimmed.len();
            let rest = self.rest();
            if let Some(body) = rest.strip_prefix("/*") {
                self.at += body.find("*/").map_or(rest.len(), |end| end + 4);
            } else if rest.starts_with("//") {
                self.at += rest.find('\n').unwrap_or(rest.len());
            } else {
                return;
            }
        }
    }

    fn key(&mut self) -> Result<String, JsonError> {
        let key = match self.peek() {
            Some(b'"' | b'\'') => self.string()?,
            Some(byte)
                if byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'$' | b'@') || byte >= 0x80 =>
            {
                let rest = self.rest();
                let end = rest
                    .find(|found: char| !found.is_alphanumeric() && !matches!(found, '_' | '$' | '@' | '-'))
                    .unwrap_or(rest.len());
                let key = rest.get(..end).unwrap_or_default().to_owned();
                self.at += end;
                key
            }
            _ => return Err(self.error("a key is missing")),
        };
        self.skip_blanks();
        if self.peek() != Some(b':') {
            return Err(self.error("a colon is missing"));
        }
        self.at += 1;
        self.skip_blanks();
        Ok(key)
    }

    fn scalar(&mut self) -> Result<Value, JsonError> {
        match self.peek() {
            Some(b'"' | b'\'' | b'`') => self.string().map(Value::String),
            Some(byte) if byte.is_ascii_digit() || matches!(byte, b'-' | b'+' | b'.') => self.number(),
            Some(_) => {
                for (word, value) in [
                    ("true", Value::Bool(true)),
                    ("false", Value::Bool(false)),
                    ("null", Value::Null),
                    ("undefined", Value::Null),
                    ("NaN", Value::Null),
                    ("void 0", Value::Null),
                    ("!0", Value::Bool(true)),
                    ("!1", Value::Bool(false)),
                ] {
                    if self.rest().starts_with(word) {
                        self.at += word.len();
                        return Ok(value);
                    }
                }
                Err(self.error("a value is missing"))
            }
            None => Err(self.error("it ends in the middle")),
        }
    }

    fn number(&mut self) -> Result<Value, JsonError> {
        let rest = self.rest();
        let end = rest
            .find(|found: char| !found.is_ascii_alphanumeric() && !matches!(found, '-' | '+' | '.'))
            .unwrap_or(rest.len());
        let written = rest.get(..end).unwrap_or_default();
        let plain = written.trim_start_matches('+');
        let value = if let Ok(whole) = plain.parse::<i64>() {
            Some(Value::from(whole))
        } else {
            plain
                .parse::<f64>()
                .ok()
                .filter(|found| found.is_finite())
                .and_then(Number::from_f64)
                .map(Value::Number)
        };
        let value = value.ok_or_else(|| self.error("a number is not one"))?;
        self.at += end;
        Ok(value)
    }

    fn string(&mut self) -> Result<String, JsonError> {
        let quote = self.peek().unwrap_or(b'"');
        self.at += 1;
        let mut out = String::new();
        loop {
            let rest = self.rest();
            let Some(stop) = memchr2(quote, b'\\', rest.as_bytes()) else {
                self.at = self.text.len();
                return Err(self.error("a text does not end"));
            };
            let (plain, behind) = rest.split_at_checked(stop).unwrap_or((rest, ""));
            out.push_str(plain);
            self.at += stop + 1;
            if behind.as_bytes().first() == Some(&quote) {
                return Ok(out);
            }
            let Some(escaped) = behind.chars().nth(1) else {
                return Err(self.error("a text does not end"));
            };
            self.at += escaped.len_utf8();
            match escaped {
                'n' => out.push('\n'),
                't' => out.push('\t'),
                'r' => out.push('\r'),
                'b' => out.push('\u{8}'),
                'f' => out.push('\u{c}'),
                'u' => out.push(self.unicode_escape()),
                'x' => {
                    let code = self.rest().get(..2).and_then(|hex| u32::from_str_radix(hex, 16).ok());
                    self.at += if code.is_some() { 2 } else { 0 };
                    out.push(code.and_then(char::from_u32).unwrap_or('\u{FFFD}'));
                }
                '\n' => {}
                other => out.push(other),
            }
        }
    }

    /// The character of a `\u` escape; two escapes if the first is half of a surrogate pair.
    fn unicode_escape(&mut self) -> char {
        let read = |text: &str| text.get(..4).and_then(|hex| u32::from_str_radix(hex, 16).ok());
        let Some(high) = read(self.rest()) else { return '\u{FFFD}' };
        self.at += 4;
        if let Some(found) = char::from_u32(high) {
            return found;
        }
        let low = self.rest().strip_prefix("\\u").and_then(read);
        let Some(low) = low.filter(|low| (0xDC00..0xE000).contains(low) && high < 0xDC00) else {
            return '\u{FFFD}';
        };
        self.at += 6;
        char::from_u32(0x1_0000 + ((high - 0xD800) << 10) + (low - 0xDC00)).unwrap_or('\u{FFFD}')
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use serde_json::json;

    #[test]
    fn json_of_pages_is_read() {
        let rows = [
            (r#"{"a":1,"b":[true,null,-2.5]}"#, json!({"a":1,"b":[true,null,-2.5]})),
            ("{a:'x', \"b\":\"y\nz\",}", json!({"a":"x","b":"y\nz"})),
            ("/*c*/ [1,2,] // end", json!([1, 2])),
            (r#"{"u":"\u00e9\ud83d\ude00\/","v":undefined,w:!0}"#, json!({"u":"é😀/","v":null,"w":true})),
            ("{}", json!({})),
            ("[ ]", json!([])),
            (r#""only""#, json!("only")),
        ];
        for (text, expected) in rows {
            assert_eq!(parse_prefix(text).map(|parsed| parsed.value), Ok(expected), "{text}");
        }
    }

    #[test]
    fn the_rest_is_not_read_and_the_first_of_two_keys_counts() {
        let parsed = parse_prefix(r#"{"a":1,"a":2};more()"#).unwrap();
        assert_eq!((parsed.value, parsed.end, parsed.duplicate_keys), (json!({"a":1}), 13, true));
    }

    #[test]
    fn bounds_hold() {
        assert!(parse_prefix(&"[".repeat(1_000_000)).is_err());
        assert!(parse_prefix(&format!("[{}", "1,".repeat(1_000_000))).is_err());
        assert!(parse_prefix(&format!("\"{}", "a".repeat(1_000_000))).is_err());
        for text in ["", "{", "{a", "{a:", "[1 2]", "{\"a\":}", "]", "\"\\", "--", "{\"a\" 1}"] {
            assert!(parse_prefix(text).is_err(), "{text}");
        }
    }

    fn any_json() -> impl Strategy<Value = Value> {
        let leaf = prop_oneof![
            Just(Value::Null),
            any::<bool>().prop_map(Value::from),
            any::<i64>().prop_map(Value::from),
            ".{0,12}".prop_map(Value::from),
        ];
        leaf.prop_recursive(4, 32, 6, |inner| {
            prop_oneof![
                prop::collection::vec(inner.clone(), 0..6).prop_map(Value::from),
                prop::collection::btree_map(".{0,6}", inner, 0..6)
                    .prop_map(|map| Value::Object(map.into_iter().collect())),
            ]
        })
    }

    proptest! {
        #[test]
        fn valid_json_is_read_unchanged(value in any_json()) {
            let text = value.to_string();
            let parsed = parse_prefix(&text).map_err(|error| TestCaseError::fail(error.what))?;
            prop_assert_eq!(parsed.end, text.len());
            prop_assert_eq!(parsed.value, value);
        }

        #[test]
        fn no_text_causes_a_panic(text in "[\\[\\]{}\"',:a0\\\\ue.-]{0,64}") {
            let _ = parse_prefix(&text);
        }
    }
}
