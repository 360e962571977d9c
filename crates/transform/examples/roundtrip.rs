//! Converts examples to Markdown and renders them back to HTML with comrak. Reads JSON Lines (`{"id",
//! "html"}`) from standard input and writes JSON Lines (`{"id", "html", "markdown"}`) to standard output.

use std::io::{BufRead, Write};

use serde_json::{Value, json};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut options = comrak::Options::default();
    options.extension.table = true;
    options.extension.strikethrough = true;
    options.extension.tasklist = true;
    options.render.r#unsafe = true;
    let mut out = std::io::stdout().lock();
    for line in std::io::stdin().lock().lines() {
        let example: Value = serde_json::from_str(&line?)?;
        let html = example.get("html").and_then(Value::as_str).unwrap_or_default();
        let markdown = gleaner_transform::html_to_markdown(html, None);
        let rendered = comrak::markdown_to_html(&markdown, &options);
        writeln!(out, "{}", json!({ "id": example.get("id"), "html": rendered, "markdown": markdown }))?;
    }
    Ok(())
}
