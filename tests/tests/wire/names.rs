//! What names in braces stand for: addresses of the pages that are served, and values of earlier answers.

use std::collections::BTreeMap;

use serde_json::Value;

/// Names and what they stand for.
#[derive(Debug, Clone, Default)]
pub(crate) struct Names(BTreeMap<&'static str, String>);

impl Names {
    pub(crate) fn set(&mut self, name: &'static str, value: impl Into<String>) {
        self.0.insert(name, value.into());
    }

    /// The text with each name replaced by what it stands for.
    pub(crate) fn fill(&self, text: &str) -> String {
        let mut filled = text.to_owned();
        for (name, value) in &self.0 {
            let name = format!("{{{name}}}");
            if filled.contains(&name) {
                filled = filled.replace(&name, value);
            }
        }
        filled
    }

    /// The same for each text in a value.
    pub(crate) fn fill_value(&self, value: &Value) -> Value {
        match value {
            Value::String(text) => Value::String(self.fill(text)),
            Value::Array(items) => items.iter().map(|item| self.fill_value(item)).collect(),
            Value::Object(fields) => {
                fields.iter().map(|(key, value)| (key.clone(), self.fill_value(value))).collect()
            }
            other => other.clone(),
        }
    }
}
