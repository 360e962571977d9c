//! HTML to Markdown to HTML: counts the examples that are the same again.

use std::fmt::Write;
use std::fs;
use std::path::Path;

use gleaner_transform::html_to_markdown;
use serde_json::{Value, json};

use crate::{Failure, Outcome, dom, render};

/// One example, and whether it is the same again.
struct Row {
    id: String,
    representable: bool,
    same: bool,
}

pub(super) fn evaluate(path: &Path) -> Result<Outcome, Failure> {
    let path = if path.is_dir() { path.join("examples.jsonl") } else { path.to_path_buf() };
    let text = fs::read_to_string(&path).map_err(|error| format!("{}: {error}", path.display()))?;
    let mut rows = Vec::new();
    for line in text.lines() {
        let example: Value = serde_json::from_str(line)?;
        let text = |key: &str| example.get(key).and_then(Value::as_str).unwrap_or_default();
        let html = text("html");
        rows.push(Row {
            id: text("id").to_owned(),
            representable: example.get("representable").and_then(Value::as_bool).unwrap_or(true),
            same: dom::events(&render::html(&html_to_markdown(html, None))) == dom::events(html),
        });
    }
    Ok(report(&rows))
}

fn report(rows: &[Row]) -> Outcome {
    type Group = (&'static str, fn(&Row) -> bool);
    let groups: [Group; 4] = [
        ("all", |_| true),
        ("representable", |row| row.representable),
        ("CommonMark", |row| row.representable && row.id.starts_with("cm-")),
        ("GFM", |row| row.representable && !row.id.starts_with("cm-")),
    ];
    let mut table = String::new();
    let mut shares = serde_json::Map::new();
    for (name, belongs) in groups {
        let all = rows.iter().filter(|row| belongs(row)).count();
        let same = rows.iter().filter(|row| belongs(row) && row.same).count();
        let share = percent(same, all);
        let _ = writeln!(table, "{name:14} {share:5.1} %  ({same} of {all})");
        shares.insert(name.to_owned(), json!({ "percent": share, "same": same, "examples": all }));
    }
    let differ: Vec<&str> =
        rows.iter().filter(|row| row.representable && !row.same).map(|row| row.id.as_str()).collect();
    let _ = write!(table, "differ:");
    for id in &differ {
        let reason = INTENDED
            .iter()
            .find(|(intended, _)| intended == id)
            .map_or("unknown reason", |(_, reason)| reason);
        let _ = write!(table, "\n  {id}: {reason}");
    }
    shares.insert("differ".to_owned(), json!(differ));
    Outcome { table, json: json!({ "markdown": shares }) }
}

/// Examples of the specifications that differ on purpose, with the reason.
const INTENDED: [(&str, &str); 5] = [
    (
        "cm-148",
        "a `pre` in a table of one cell would have to stay HTML; a fenced block is better for readers",
    ),
    ("cm-189", "invisible white space at the start of the text of a link is dropped"),
    ("cm-346", "a backtick in a URL becomes `%60`, as in renderers of Markdown"),
    ("cm-625", "Markdown cannot express an empty paragraph"),
    ("gfm-653", "output of the tag filter: a block quotation inside open `strong` and `em`"),
];

#[expect(clippy::cast_precision_loss, reason = "a percentage that is only printed")]
fn percent(part: usize, whole: usize) -> f64 {
    100.0 * part as f64 / whole.max(1) as f64
}
