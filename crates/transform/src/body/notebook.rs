//! Reads notebooks (`.ipynb`) as Markdown: cells of Markdown as they are, code and its outputs in fences.

use memchr::memmem;
use serde_json::Value;

use super::fenced;
use super::json::{self, list, text};

/// Whether a body seems to be a notebook. Its keys are in any order.
pub(super) fn is_notebook(body: &[u8]) -> bool {
    body.trim_ascii_start().starts_with(b"{")
        && memmem::find(body, b"\"nbformat\"").is_some()
        && [&b"\"cells\""[..], b"\"worksheets\""].iter().any(|name| memmem::find(body, name).is_some())
}

/// The Markdown of a notebook; `None` if the text is none, or if its values do not fit into `most` bytes.
pub(crate) fn markdown(source: &str, most: usize) -> Option<String> {
    let notebook = json::parse(source, most)?;
    notebook.get("nbformat").filter(|version| version.is_number())?;
    let language = language(&notebook);
    // Before version 4 the cells were in a worksheet.
    let worksheets = list(&notebook, "worksheets").iter();
    let older = worksheets.flat_map(|sheet| list(sheet, "cells"));
    let mut out = String::new();
    if let Some(title) = notebook.get("metadata").map(|metadata| text(metadata, "title"))
        && !title.trim().is_empty()
        && !title.contains('\n')
    {
        out.push_str(&format!("---\ntitle: {}\n---", Value::from(title)));
    }
    for cell in list(&notebook, "cells").iter().chain(older) {
        write_cell(cell, language, &mut out);
    }
    Some(out)
}

/// The language of the code, as the kernel names it.
fn language(notebook: &Value) -> &str {
    let metadata = notebook.get("metadata");
    let part = |name: &str| metadata.and_then(|metadata| metadata.get(name));
    let of = |name: &str, member: &str| part(name).map_or("", |part| text(part, member));
    [of("language_info", "name"), of("kernelspec", "language"), of("kernelspec", "name")]
        .into_iter()
        .find(|name| is_language(name))
        .unwrap_or_default()
}

/// Whether a name can be that of a language.
fn is_language(name: &str) -> bool {
    !name.is_empty() && name.chars().all(|c| c.is_alphanumeric() || "+#-_.".contains(c))
}

fn write_cell(cell: &Value, language: &str, out: &mut String) {
    let source = joined(cell.get("source").or_else(|| cell.get("input")));
    let kind = text(cell, "cell_type");
    if source.trim().is_empty() && kind != "code" {
        return;
    }
    match kind {
        "markdown" => add(&source, out),
        "heading" => {
            let level = cell.get("level").and_then(Value::as_u64).unwrap_or(1).clamp(1, 6);
            let level = usize::try_from(level).unwrap_or(1);
            add(&format!("{} {}", "#".repeat(level), source.trim()), out);
        }
        // Front matter of the document.
        "raw" if out.is_empty() && source.starts_with("---") => add(source.trim(), out),
        "code" => {
            let own = text(cell, "language");
            if !source.trim().is_empty() {
                add(&fenced(&source, if is_language(own) { own } else { language }), out);
            }
            for output in list(cell, "outputs") {
                write_output(output, out);
            }
        }
        _ => add(&fenced(&source, ""), out),
    }
}

fn write_output(output: &Value, out: &mut String) {
    // Before version 4 the kinds of one output were among its other members.
    let data = output.get("data").unwrap_or(output);
    let of = |names: [&str; 2]| {
        let found = names.iter().find_map(|name| data.get(*name)).map(|value| joined(Some(value)));
        found.filter(|text| !text.trim().is_empty())
    };
    if let Some(markdown) = of(["text/markdown", "markdown"]) {
        add(&markdown, out);
    } else if let Some(plain) = of(["text/plain", "text"]) {
        add(&fenced(&without_colors(&plain), ""), out);
    } else if let Some(html) = of(["text/html", "html"]) {
        add(&html, out);
    } else if let Some(latex) = of(["text/latex", "latex"]) {
        add(&latex, out);
    } else if !text(output, "ename").is_empty() {
        let error = format!("{}: {}", text(output, "ename"), text(output, "evalue"));
        add(&fenced(&without_colors(&error), ""), out);
    }
}

/// Adds a block.
fn add(block: &str, out: &mut String) {
    if !out.is_empty() {
        out.push_str("\n\n");
    }
    out.push_str(block.trim_end());
}

/// A text, which may be in lines.
fn joined(value: Option<&Value>) -> String {
    match value {
        Some(Value::String(text)) => text.clone(),
        Some(Value::Array(lines)) => lines.iter().filter_map(Value::as_str).collect(),
        _ => String::new(),
    }
}

/// A text without the codes with which a terminal colors it.
fn without_colors(text: &str) -> String {
    let mut parts = text.split("\u{1b}[");
    let mut out = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        let end = part.find(|c: char| !c.is_ascii_digit() && c != ';').map_or(part.len(), |end| end + 1);
        out.push_str(part.get(end..).unwrap_or_default());
    }
    out
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn read(notebook: &Value) -> Option<String> {
        markdown(&notebook.to_string(), usize::MAX)
    }

    #[test]
    fn cells_become_blocks() {
        let notebook = json!({
            "nbformat": 4,
            "metadata": { "kernelspec": { "language": "R" }, "language_info": { "name": "python" } },
            "cells": [
                { "cell_type": "markdown", "source": ["# Weir\n", "\n", "It is *shut*."] },
                { "cell_type": "code", "source": "print(1)\n", "outputs": [
                    { "output_type": "stream", "name": "stdout", "text": ["1\n"] },
                    { "output_type": "execute_result", "data": { "image/png": "AA", "text/plain": ["<b>"] } },
                    { "output_type": "display_data", "data": { "image/png": "AA" } },
                    { "output_type": "error", "ename": "E", "evalue": "\u{1b}[0;31mno\u{1b}[0m" },
                ] },
                { "cell_type": "markdown", "source": " " },
                { "cell_type": "raw", "source": "as it is" },
            ],
        });
        assert_eq!(
            read(&notebook).unwrap(),
            "# Weir\n\nIt is *shut*.\n\n```python\nprint(1)\n```\n\n```\n1\n```\n\n```\n<b>\n```\n\n\
             ```\nE: no\n```\n\n```\nas it is\n```"
        );
        let older = json!({ "nbformat": 3, "worksheets": [{ "cells": [
            { "cell_type": "heading", "level": 2, "source": "Weir" },
            { "cell_type": "code", "language": "julia", "input": "1", "outputs": [{ "output_type": "pyout", "text": "1" }] },
        ] }] });
        assert_eq!(read(&older).unwrap(), "## Weir\n\n```julia\n1\n```\n\n```\n1\n```");
        let front =
            json!({ "nbformat": 4, "cells": [{ "cell_type": "raw", "source": "---\ntitle: a\n---" }] });
        assert_eq!(read(&front).unwrap(), "---\ntitle: a\n---");
    }

    #[test]
    fn other_json_is_no_notebook() {
        assert!(is_notebook(br#" {"cells": [], "nbformat": 4}"#) && !is_notebook(br#"{"cells": []}"#));
        assert_eq!(read(&json!({ "cells": [] })), None);
        assert_eq!(read(&json!({ "cells": [], "nbformat": "4" })), None);
        assert_eq!(
            markdown(&format!("{{\"nbformat\":4,\"cells\":[{}1]}}", "1,".repeat(1_000)), 10_000),
            None
        );
    }
}
