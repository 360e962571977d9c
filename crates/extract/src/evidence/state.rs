//! Finds JSON values in scripts, without running them.

use serde_json::Value;

use crate::json::parse_prefix;

/// Upper bound on the values from the scripts of a page.
pub const MAX_STATES: usize = 500;

/// Reads JSON inside a script: a whole script of a JSON type, or values that a program assigns, passes to a
/// function or gives to `JSON.parse`.
///
/// No program is run and no variable name is known: every bracket after `=`, `(`, `,` or `:` is tried. A
/// failed attempt is not repeated from within, so a script is read at most twice.
pub(crate) fn read(text: &str, kind: &str, found: &mut Vec<Value>) {
    let program =
        kind.is_empty() || kind.contains("javascript") || kind == "module" || kind.starts_with("text/x");
    if !kind.contains("json") && !program {
        return;
    }
    let mut at = 0;
    let bytes = text.as_bytes();
    let mut before = b'=';
    while at < bytes.len() && found.len() < MAX_STATES {
        let Some(byte) = bytes.get(at) else { break };
        match byte {
            b'{' | b'[' if matches!(before, b'=' | b'(' | b',' | b':') => {
                match parse_prefix(text.get(at..).unwrap_or_default()) {
                    Ok(parsed) => {
                        if is_relevant(&parsed.value) {
                            found.push(parsed.value);
                        }
                        at += parsed.end;
                    }
                    Err(error) => at += error.at.max(1),
                }
                before = b'}';
                continue;
            }
            b'"' | b'\'' if before == b'(' => {
                // JSON inside a string: `JSON.parse("{...}")`.
                if let Ok(parsed) = parse_prefix(text.get(at..).unwrap_or_default()) {
                    at += parsed.end;
                    let inner = parsed.value.as_str().map(str::trim_start).unwrap_or_default();
                    if inner.starts_with(['{', '['])
                        && let Ok(inner) = parse_prefix(inner)
                        && is_relevant(&inner.value)
                    {
                        found.push(inner.value);
                    }
                } else {
                    at += 1;
                }
                before = b'"';
                continue;
            }
            byte if byte.is_ascii_whitespace() => {}
            byte => before = *byte,
        }
        at += 1;
    }
}

/// Whether a value has at least two keys or nested values at the top; smaller ones carry no data.
fn is_relevant(value: &Value) -> bool {
    match value {
        Value::Object(object) => {
            object.len() > 1 || object.values().any(|inner| inner.is_object() || inner.is_array())
        }
        Value::Array(list) => list.iter().any(Value::is_object),
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn state(text: &str, kind: &str) -> Vec<Value> {
        let mut found = Vec::new();
        read(text, kind, &mut found);
        found
    }

    #[test]
    fn values_in_programs_are_found() {
        let rows = [
            (r#"{"props":{"a":1}}"#, "application/json", vec![json!({"props":{"a":1}})]),
            ("window.X = {a:1,b:'2'}; f();", "", vec![json!({"a":1,"b":"2"})]),
            ("dataLayer.push({a:1,b:2})", "text/javascript", vec![json!({"a":1,"b":2})]),
            (r#"x = JSON.parse("{\"a\":1,\"b\":2}")"#, "", vec![json!({"a":1,"b":2})]),
            ("if (a) { b = [1] }", "", vec![]),
            ("x={a:function(){ y={c:1,d:2} }}", "", vec![json!({"c":1,"d":2})]),
            ("x = {a:1,b:2}", "text/template", vec![]),
        ];
        for (text, kind, expected) in rows {
            assert_eq!(state(text, kind), expected, "{text}");
        }
    }
}
