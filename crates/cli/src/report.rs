//! The summary of `--json`, for scripts: one object in one line, in place of the sentences at the end.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::Instant;

use serde_json::{Map, Value};

/// Upper bound on reported notes.
const MAX_NOTES: usize = 100;

/// What a command reports at its end. Clones share it.
#[derive(Debug, Clone)]
pub(crate) struct Report {
    started: Instant,
    content: Arc<Mutex<Content>>,
}

#[derive(Debug, Default)]
struct Content {
    fields: Map<String, Value>,
    notes: Vec<Value>,
}

impl Report {
    /// Begins when the command does.
    pub(crate) fn begin() -> Self {
        Self { started: Instant::now(), content: Arc::default() }
    }

    /// Sets a field.
    pub(crate) fn set(&self, name: &str, value: impl Into<Value>) {
        self.change(|content| drop(content.fields.insert(name.to_owned(), value.into())));
    }

    /// Adds what would be a sentence.
    pub(crate) fn note(&self, text: &str) {
        let text = text.strip_prefix("note: ").unwrap_or(text);
        self.change(|content| {
            if content.notes.len() < MAX_NOTES {
                content.notes.push(Value::from(text));
            }
        });
    }

    /// The line, for a command that ends with this exit code.
    pub(crate) fn line(&self, command: &str, code: u8) -> String {
        let elapsed = u64::try_from(self.started.elapsed().as_millis()).unwrap_or(u64::MAX);
        let mut line = Map::new();
        self.change(|content| {
            line.append(&mut content.fields);
            if !content.notes.is_empty() {
                line.insert("notes".to_owned(), Value::Array(std::mem::take(&mut content.notes)));
            }
        });
        line.insert("command".to_owned(), Value::from(command));
        line.insert("exitCode".to_owned(), Value::from(code));
        line.insert("milliseconds".to_owned(), Value::from(elapsed));
        Value::Object(line).to_string()
    }

    fn change(&self, change: impl FnOnce(&mut Content)) {
        change(&mut self.content.lock().unwrap_or_else(PoisonError::into_inner));
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn it_is_one_line_with_bounded_notes() {
        let report = Report::begin();
        report.set("pages", 3_u64);
        report.note("note: two\nlines");
        (0..2 * MAX_NOTES).for_each(|_| report.note("again"));
        let line = report.line("crawl", 1);
        assert_eq!(line.lines().count(), 1, "{line}");
        let object: Value = serde_json::from_str(&line).unwrap();
        assert_eq!((&object["command"], &object["exitCode"]), (&json!("crawl"), &json!(1)));
        assert_eq!((&object["pages"], &object["notes"][0]), (&json!(3), &json!("two\nlines")));
        assert_eq!(object["notes"].as_array().unwrap().len(), MAX_NOTES);
        assert!(object["milliseconds"].is_u64() && object.get("error").is_none(), "{line}");
    }
}
