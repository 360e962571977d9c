//! The known truth of a made file.

use serde_json::Value;

use super::words;

/// A block of a document.
#[derive(Debug, Clone, Default)]
pub(super) struct Block {
    /// `heading`, `paragraph`, `item`, `table`, `code` or `footnote`.
    pub(super) kind: String,
    pub(super) level: i64,
    pub(super) text: String,
    pub(super) rows: Vec<Vec<String>>,
}

/// What a file says.
#[derive(Debug, Clone, Default)]
pub(super) struct Truth {
    /// The program that made the file.
    pub(super) tool: String,
    pub(super) layout: String,
    /// In reading order. A footnote follows the paragraph with its mark.
    pub(super) blocks: Vec<Block>,
    /// Texts that may appear or not: formulas, words before the number of a chapter.
    pub(super) optional: String,
    pub(super) links: Vec<String>,
    /// Running heads and feet, with the numbers of their pages.
    pub(super) furniture: Vec<String>,
    /// Words that a line break divides.
    pub(super) hyphenated: Vec<String>,
    /// A word that may precede headings.
    pub(super) heading_prefix: String,
    /// The pages are pictures only.
    pub(super) without_text: bool,
}

impl Truth {
    pub(super) fn new(value: &Value) -> Self {
        let text = |key: &str| text(value.get(key));
        Self {
            tool: text("tool"),
            layout: text("layout"),
            blocks: list(value.get("blocks")).iter().map(Block::new).collect(),
            optional: texts(value.get("optional")).join(" "),
            links: texts(value.get("links")),
            furniture: texts(value.get("furniture")),
            hyphenated: texts(value.get("hyphenated")),
            heading_prefix: text("heading_prefix"),
            without_text: value.get("without_text").and_then(Value::as_bool).unwrap_or(false),
        }
    }

    /// The texts of all blocks and cells.
    pub(super) fn text(&self) -> String {
        let text = |block: &Block| {
            if block.rows.is_empty() { block.text.clone() } else { block.rows.concat().join(" ") }
        };
        self.blocks.iter().map(text).collect::<Vec<_>>().join(" ")
    }

    pub(super) fn of<'a>(&'a self, kind: &'a str) -> impl Iterator<Item = &'a Block> {
        self.blocks.iter().filter(move |block| block.kind == kind)
    }

    /// The letters of each block of a kind.
    pub(super) fn letters_of(&self, kind: &str) -> Vec<String> {
        self.of(kind).map(|block| words::letters(&block.text)).collect()
    }
}

impl Block {
    fn new(value: &Value) -> Self {
        Self {
            kind: text(value.get("kind")),
            level: value.get("level").and_then(Value::as_i64).unwrap_or(0),
            text: text(value.get("text")),
            rows: list(value.get("rows")).iter().map(|row| texts(Some(row))).collect(),
        }
    }
}

fn text(value: Option<&Value>) -> String {
    value.and_then(Value::as_str).unwrap_or_default().to_owned()
}

fn list(value: Option<&Value>) -> &[Value] {
    value.and_then(Value::as_array).map_or(&[][..], Vec::as_slice)
}

fn texts(value: Option<&Value>) -> Vec<String> {
    list(value).iter().map(|value| text(Some(value))).collect()
}
