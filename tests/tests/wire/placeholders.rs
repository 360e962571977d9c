//! Placeholders in braces: URLs of test sites, and values of earlier responses.

use std::collections::BTreeMap;

use serde_json::Value;

/// Names of placeholders and their values.
#[derive(Debug, Clone, Default)]
pub(crate) struct Placeholders(BTreeMap<&'static str, String>);

impl Placeholders {
    pub(crate) fn set(&mut self, name: &'static str, value: impl Into<String>) {
        self.0.insert(name, value.into());
    }

    /// The text with each placeholder replaced by its value.
    pub(crate) fn fill(&self, text: &str) -> String {
        let mut filled = text.to_owned();
        for (name, value) in &self.0 {
            let placeholder = format!("{{{name}}}");
            if filled.contains(&placeholder) {
                filled = filled.replace(&placeholder, value);
            }
        }
        filled
    }

    /// The JSON value with placeholders replaced in each string.
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
