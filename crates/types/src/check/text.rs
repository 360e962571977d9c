//! Values and names of a request in messages.

use serde_json::Value;

use crate::quote::{quote, shorten};

/// A value for a message. Of a `secret` value, only its type is shown.
pub(crate) fn describe(value: &Value, secret: bool) -> String {
    match value {
        Value::Null => "null".to_owned(),
        Value::Array(_) => "an array".to_owned(),
        Value::Object(_) => "an object".to_owned(),
        Value::Bool(_) if secret => "a boolean".to_owned(),
        Value::Number(_) if secret => "a number".to_owned(),
        Value::String(_) if secret => "a string".to_owned(),
        Value::Bool(truth) => truth.to_string(),
        Value::Number(number) => shorten(&number.to_string()),
        Value::String(text) => quote(text),
    }
}

/// The names in backquotes: `a`, `b` or `c`.
pub(crate) fn alternatives<'a>(names: impl IntoIterator<Item = &'a str>) -> String {
    let names: Vec<String> = names.into_iter().map(|name| format!("`{name}`")).collect();
    match names.split_last() {
        None => "nothing".to_owned(),
        Some((last, [])) => last.clone(),
        Some((last, rest)) => format!("{} or {last}", rest.join(", ")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn alternatives_are_joined_with_or() {
        assert_eq!(alternatives(["a"]), "`a`");
        assert_eq!(alternatives(["a", "b", "c"]), "`a`, `b` or `c`");
    }
}
