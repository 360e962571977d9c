//! The data that another tool gave for the pages of a folder.

use std::collections::HashMap;
use std::fs::File;
use std::io::{BufRead, BufReader};
use std::path::Path;

use serde_json::Value;

use super::kinds::by_name;
use super::report::Scores;
use crate::Failure;

/// A tool and its data. The tool decides which form of the pages it reads.
#[derive(Debug)]
pub(super) struct Outputs {
    pub(super) name: String,
    /// The data by page id: an object with an object of properties for each kind.
    pages: HashMap<String, Value>,
    pub(super) scores: Scores,
}

impl Outputs {
    /// Reads `NAME=FILE`. The file has a line `{"id": "...", "data": {"Product": {"price": "5.00"}}}` for
    /// each page; `benches/peers/fields.py` writes such files.
    pub(super) fn read(argument: &str) -> Result<Self, Failure> {
        let (name, file) = argument.split_once('=').ok_or("--outputs takes NAME=FILE")?;
        let pages = read(Path::new(file)).map_err(|error| format!("{file}: {error}"))?;
        Ok(Self { name: name.to_owned(), pages, scores: Scores::default() })
    }

    /// The data of a page for a kind; null if the tool gave none.
    pub(super) fn data(&self, id: &str, kind: &str) -> &Value {
        self.pages.get(id).and_then(|data| data.get(kind)).unwrap_or(&Value::Null)
    }
}

fn read(file: &Path) -> Result<HashMap<String, Value>, Failure> {
    let mut pages = HashMap::new();
    for (line, number) in BufReader::new(File::open(file)?).lines().zip(1_usize..) {
        let mut row: Value =
            serde_json::from_str(&line?).map_err(|error| format!("line {number}: {error}"))?;
        let data = row.get_mut("data").map(Value::take).unwrap_or_default();
        let id = row.get("id").and_then(Value::as_str);
        let (Some(id), Some(kinds)) = (id, data.as_object()) else {
            return Err(format!("line {number} has no id or no data").into());
        };
        // A misspelt kind would count as silence.
        if let Some(kind) = kinds.keys().find(|kind| by_name(kind).is_none()) {
            return Err(format!("line {number}: unknown kind `{kind}`").into());
        }
        if pages.insert(id.to_owned(), data).is_some() {
            return Err(format!("line {number}: `{id}` is there twice").into());
        }
    }
    Ok(pages)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_data_of_a_tool_is_found_by_page_and_kind() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("tool.jsonl");
        let outputs = |text: &str| {
            std::fs::write(&file, text).unwrap();
            Outputs::read(&format!("tool={}", file.display()))
        };
        let one = r#"{"id": "a/1", "data": {"Product": {"price": "5.00"}}}"#;
        let found = outputs(&format!("{one}\n")).unwrap();
        assert_eq!(found.name, "tool");
        assert_eq!(found.data("a/1", "Product").get("price"), Some(&Value::from("5.00")));
        for (id, kind) in [("a/1", "Book"), ("a/2", "Product")] {
            assert!(found.data(id, kind).is_null(), "{id} {kind}");
        }
        let twice = format!("{one}\n{one}");
        let misspelt = r#"{"id": "a", "data": {"Products": {}}}"#;
        for wrong in [twice.as_str(), misspelt, r#"{"id": "a"}"#, "no JSON"] {
            assert!(outputs(wrong).is_err(), "{wrong}");
        }
        assert!(Outputs::read("tool").is_err());
    }
}
