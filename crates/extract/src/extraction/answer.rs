//! Reads a model's answer within bounds: code fences and talk around the JSON, endless or broken lists,
//! duplicate keys.

use serde_json::Value;

use crate::json::parse_prefix;
use crate::model::MAX_ANSWER_BYTES;
use crate::page::truncate;

/// Upper bound on the objects of an answer that are tried until one can be read.
const MAX_TRIES: usize = 32;

/// The first readable object of an answer.
pub(crate) fn object(text: &str) -> Option<Value> {
    let text = truncate(text, MAX_ANSWER_BYTES);
    let mut rest = text;
    for _ in 0..MAX_TRIES {
        let start = rest.find('{')?;
        let candidate = rest.get(start..)?;
        match parse_prefix(candidate) {
            Ok(parsed) => return Some(parsed.value),
            Err(error) => rest = candidate.get(error.at.max(1)..).unwrap_or_default(),
        }
    }
    None
}

/// The complete rows of an answer. An answer that was cut off loses only its last row.
pub(super) fn rows(text: &str, limit: usize) -> Vec<Value> {
    let text = truncate(text, MAX_ANSWER_BYTES);
    let mut rows = Vec::new();
    let Some(start) = text.find('[') else { return object(text).into_iter().collect() };
    let mut rest = text.get(start + 1..).unwrap_or_default();
    while rows.len() < limit {
        rest = rest.trim_start_matches(|found: char| found.is_whitespace() || found == ',');
        if !rest.starts_with('{') {
            break;
        }
        let Ok(parsed) = parse_prefix(rest) else { break };
        rows.push(parsed.value);
        rest = rest.get(parsed.end..).unwrap_or_default();
    }
    rows
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn answers_are_read_despite_text_around_them() {
        let table = [
            ("```json\n{\"a\":1}\n```", Some(json!({"a":1}))),
            ("Here it is: {\"a\":1} Bye {", Some(json!({"a":1}))),
            ("{\"a\":1,\"a\":2}", Some(json!({"a":1}))),
            ("{\"a\":", None),
            ("no", None),
        ];
        for (text, expected) in table {
            assert_eq!(object(text), expected, "{text}");
        }
        assert_eq!(object(&"{\"a\":".repeat(200_000)), None);
    }

    #[test]
    fn a_truncated_answer_loses_only_its_last_row() {
        assert_eq!(rows("{\"rows\":[{\"a\":1},{\"a\":2},{\"a\":", 100).len(), 2);
        assert_eq!(rows(&format!("[{}", "{},".repeat(100_000)), 50).len(), 50);
        assert!(rows(&"[".repeat(100_000), 50).is_empty());
    }
}
