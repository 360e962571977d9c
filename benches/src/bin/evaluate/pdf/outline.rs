//! Markdown as a list of blocks.

use ego_tree::iter::Edge;
use scraper::{Html, Node};

use crate::render;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    Heading,
    Paragraph,
    Item,
    Code,
    Table,
    /// The definition of a footnote.
    Note,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Part {
    pub(super) kind: Kind,
    /// Empty for a table.
    pub(super) text: String,
    /// 1 to 6 for a heading.
    pub(super) level: i64,
    /// The cells of a table.
    pub(super) rows: Vec<Vec<String>>,
}

impl Part {
    const fn new(kind: Kind, level: i64) -> Self {
        Self { kind, text: String::new(), level, rows: Vec::new() }
    }

    /// The text, or that of all cells.
    pub(super) fn all_text(&self) -> String {
        match self.kind {
            Kind::Table => self.rows.concat().join(" "),
            _ => self.text.clone(),
        }
    }
}

/// The blocks of a text, and the addresses of its links.
#[derive(Debug, Default)]
pub(super) struct Outline {
    pub(super) parts: Vec<Part>,
    pub(super) links: Vec<String>,
}

impl Outline {
    pub(super) fn new(markdown: &str) -> Self {
        let (markdown, notes) = without_notes(markdown);
        let tree = Html::parse_fragment(&render::html(&markdown));
        let mut reader = Reader::default();
        for edge in tree.tree.root().traverse() {
            match edge {
                Edge::Open(node) => match node.value() {
                    Node::Element(element) => reader.start(element.name(), element.attr("href")),
                    Node::Text(text) => reader.text(text),
                    _ => {}
                },
                Edge::Close(node) => {
                    if let Node::Element(element) = node.value() {
                        reader.end(element.name());
                    }
                }
            }
        }
        reader.flush();
        let mut outline = reader.outline;
        outline.parts.extend(notes.into_iter().map(|text| Part { text, ..Part::new(Kind::Note, 0) }));
        outline
    }

    /// All text, with a space between two parts.
    pub(super) fn text(&self) -> String {
        self.parts.iter().map(Part::all_text).collect::<Vec<_>>().join(" ")
    }

    pub(super) fn of<'a>(&'a self, kinds: &'a [Kind]) -> impl Iterator<Item = &'a Part> {
        self.parts.iter().filter(|part| kinds.contains(&part.kind))
    }
}

/// Markdown without the definitions of footnotes and without their marks; and the texts of the definitions.
fn without_notes(markdown: &str) -> (String, Vec<String>) {
    let (mut rest, mut notes) = (String::with_capacity(markdown.len()), Vec::new());
    for line in markdown.split('\n') {
        match definition(line) {
            Some(text) => notes.push(text.to_owned()),
            None => push_without_marks(&mut rest, line),
        }
        rest.push('\n');
    }
    (rest, notes)
}

/// The text of `[^label]: text`.
fn definition(line: &str) -> Option<&str> {
    let (label, text) = line.strip_prefix("[^")?.split_once("]:")?;
    (!label.is_empty() && !label.contains(']')).then(|| text.trim_start())
}

fn push_without_marks(out: &mut String, mut line: &str) {
    while let Some((before, after)) = line.split_once("[^") {
        out.push_str(before);
        match after.split_once(']') {
            Some((label, rest)) if !label.is_empty() => line = rest,
            _ => {
                out.push_str("[^");
                line = after;
            }
        }
    }
    out.push_str(line);
}

#[derive(Default)]
struct Reader {
    outline: Outline,
    part: Option<Part>,
    /// The rows of the table that is open.
    rows: Option<Vec<Vec<String>>>,
    in_cell: bool,
    /// The text of the `sup` that is open.
    mark: Option<String>,
    items: usize,
    skipped: usize,
}

impl Reader {
    fn flush(&mut self) {
        let part = self.part.take().filter(|part| !part.text.trim().is_empty());
        self.outline.parts.extend(part);
    }

    fn begin(&mut self, kind: Kind, level: i64) {
        self.flush();
        self.part = Some(Part::new(kind, level));
    }

    fn start(&mut self, name: &str, href: Option<&str>) {
        match name {
            "script" | "style" | "head" | "title" => self.skipped += 1,
            "h1" | "h2" | "h3" | "h4" | "h5" | "h6" if !self.in_cell => {
                let level = name.trim_start_matches('h').parse().unwrap_or(1);
                self.begin(Kind::Heading, level);
            }
            "li" if !self.in_cell => {
                self.items += 1;
                self.begin(Kind::Item, 0);
            }
            "ul" | "ol" if !self.in_cell => self.flush(),
            "pre" if !self.in_cell => self.begin(Kind::Code, 0),
            "p" if !self.in_cell && self.items == 0 => self.begin(Kind::Paragraph, 0),
            "table" => {
                self.flush();
                self.rows = Some(Vec::new());
            }
            "tr" => {
                if let Some(rows) = &mut self.rows {
                    rows.push(Vec::new());
                }
            }
            "td" | "th" => {
                if let Some(row) = self.rows.as_mut().and_then(|rows| rows.last_mut()) {
                    row.push(String::new());
                    self.in_cell = true;
                }
            }
            "sup" => self.mark = Some(String::new()),
            "a" => self.outline.links.extend(href.filter(|href| !href.is_empty()).map(str::to_owned)),
            "br" | "p" | "div" | "li" => self.text(" "),
            _ => {}
        }
    }

    fn end(&mut self, name: &str) {
        match name {
            "script" | "style" | "head" | "title" => self.skipped = self.skipped.saturating_sub(1),
            "h1" | "h2" | "h3" | "h4" | "h5" | "h6" | "pre" if !self.in_cell => self.flush(),
            "li" if !self.in_cell => {
                self.items = self.items.saturating_sub(1);
                self.flush();
            }
            "p" if !self.in_cell && self.items == 0 => self.flush(),
            "td" | "th" => self.in_cell = false,
            "table" => {
                if let Some(rows) = self.rows.take() {
                    self.outline.parts.push(Part { rows, ..Part::new(Kind::Table, 0) });
                    self.in_cell = false;
                }
            }
            "sup" => {
                // The mark of a note is not a word.
                let mark = self.mark.take().unwrap_or_default();
                if mark.trim().chars().count() > 3 || mark.chars().any(char::is_alphabetic) {
                    self.text(&mark);
                }
            }
            _ => {}
        }
    }

    fn text(&mut self, text: &str) {
        if self.skipped > 0 {
            return;
        }
        if let Some(mark) = &mut self.mark {
            mark.push_str(text);
            return;
        }
        if self.in_cell {
            let cell = self.rows.as_mut().and_then(|rows| rows.last_mut()).and_then(|row| row.last_mut());
            if let Some(cell) = cell {
                cell.push_str(text);
            }
            return;
        }
        if self.part.is_none() && text.trim().is_empty() {
            return;
        }
        self.part.get_or_insert_with(|| Part::new(Kind::Paragraph, 0)).text.push_str(text);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn markdown_becomes_blocks() {
        let markdown = "# One\n\nSome *text*[^1] and 2<sup>3</sup>.\n\n- a\n- b\n  1. c\n\n\
            | x | y |\n|---|---|\n| 1 | [l](https://a.example/) |\n\n```\nlet a;\n```\n\n[^1]: A note.\n";
        let outline = Outline::new(markdown);
        let found: Vec<(Kind, String)> =
            outline.parts.iter().map(|part| (part.kind, part.all_text().trim().to_owned())).collect();
        let expected = [
            (Kind::Heading, "One"),
            (Kind::Paragraph, "Some text and 2."),
            (Kind::Item, "a"),
            (Kind::Item, "b"),
            (Kind::Item, "c"),
            (Kind::Table, "x y 1 l"),
            (Kind::Code, "let a;"),
            (Kind::Note, "A note."),
        ];
        assert_eq!(found, expected.map(|(kind, text)| (kind, text.to_owned())));
        assert_eq!(outline.links, ["https://a.example/"]);
    }

    #[test]
    fn brackets_that_are_no_note_stay() {
        assert_eq!(without_notes("a [^] b [^c\n[^d]e"), ("a [^] b [^c\ne\n".to_owned(), Vec::new()));
    }
}
