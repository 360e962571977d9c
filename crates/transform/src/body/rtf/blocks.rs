//! Writes the paragraphs of RTF as HTML: headings, lists, tables, and marks inside of them.

use crate::html;

/// Maximum depth of lists.
const MAX_LISTS: usize = 9;

/// Marks of a text.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct Marks {
    pub(super) bold: bool,
    pub(super) italic: bool,
    pub(super) struck: bool,
    pub(super) raised: bool,
    pub(super) lowered: bool,
}

impl Marks {
    /// The names of the elements of these marks, from outside to inside.
    fn names(self) -> impl DoubleEndedIterator<Item = &'static str> {
        let Self { bold, italic, struck, raised, lowered } = self;
        [(bold, "b"), (italic, "i"), (struck, "s"), (raised, "sup"), (lowered, "sub")]
            .into_iter()
            .filter_map(|(is_set, name)| is_set.then_some(name))
    }
}

/// What a paragraph is.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct Shape {
    /// The level of a heading, from 0.
    pub(super) outline: Option<u8>,
    /// The level of a point of a list, from 0.
    pub(super) list_level: usize,
    pub(super) is_cell: bool,
}

/// The paragraphs so far.
#[derive(Debug, Default)]
pub(super) struct Blocks {
    pub(super) out: String,
    /// The HTML of the open paragraph.
    text: String,
    has_text: bool,
    open: Marks,
    has_link: bool,
    /// Names of the open lists.
    lists: Vec<&'static str>,
    cell: String,
    row: String,
    in_table: bool,
}

impl Blocks {
    /// Bytes written so far.
    pub(super) fn len(&self) -> usize {
        self.out.len() + self.text.len() + self.cell.len() + self.row.len()
    }

    pub(super) fn text(&mut self, text: &str, marks: Marks) {
        let is_blank = text.trim().is_empty();
        if marks != self.open && !is_blank {
            self.set_marks(marks);
        }
        html::escape(text, false, &mut self.text);
        self.has_text |= !is_blank;
    }

    /// Adds HTML that is no text.
    pub(super) fn html(&mut self, html: &str) {
        self.set_marks(Marks::default());
        self.text.push_str(html);
        self.has_text = true;
    }

    pub(super) fn line_break(&mut self) {
        self.text.push_str("<br>");
    }

    fn set_marks(&mut self, marks: Marks) {
        for name in self.open.names().rev() {
            self.text.push_str(&format!("</{name}>"));
        }
        for name in marks.names() {
            self.text.push_str(&format!("<{name}>"));
        }
        self.open = marks;
    }

    /// Begins a link. Links do not contain others.
    pub(super) fn open_link(&mut self, address: &str) -> bool {
        if self.has_link {
            return false;
        }
        self.set_marks(Marks::default());
        self.text.push_str("<a href=\"");
        html::escape(address, true, &mut self.text);
        self.text.push_str("\">");
        self.has_link = true;
        true
    }

    pub(super) fn close_link(&mut self) {
        if std::mem::take(&mut self.has_link) {
            self.set_marks(Marks::default());
            self.text.push_str("</a>");
        }
    }

    /// Ends a paragraph. A marker makes it a point of a list.
    pub(super) fn end_paragraph(&mut self, shape: Shape, marker: &str) {
        self.close_link();
        self.set_marks(Marks::default());
        let text = std::mem::take(&mut self.text);
        if !std::mem::take(&mut self.has_text) {
            return;
        }
        if shape.is_cell {
            self.cell.push_str(if self.cell.is_empty() { "" } else { "<br>" });
            let marker = marker.trim();
            html::escape(marker, false, &mut self.cell);
            self.cell.push_str(if marker.is_empty() { "" } else { " " });
            self.cell.push_str(&text);
            return;
        }
        self.end_table();
        if !marker.trim().is_empty() {
            self.point(shape.list_level, marker.trim());
            self.out.push_str(&text);
            return;
        }
        self.end_lists(0);
        let text = text.trim();
        match shape.outline {
            Some(level) => {
                let level = level.saturating_add(1).min(6);
                self.out.push_str(&format!("<h{level}>{text}</h{level}>"));
            }
            None => self.out.push_str(&format!("<p>{text}</p>")),
        }
    }

    /// Begins a point of a list.
    fn point(&mut self, level: usize, marker: &str) {
        let (name, start) = list_of(marker);
        let depth = (level + 1).min(self.lists.len() + 1).min(MAX_LISTS);
        self.end_lists(depth);
        if self.lists.len() == depth && self.lists.last() != Some(&name) {
            self.end_lists(depth - 1);
        }
        if self.lists.len() == depth {
            self.out.push_str("</li>");
        } else {
            self.out.push_str(&format!("<{name}{start}>"));
            self.lists.push(name);
        }
        self.out.push_str("<li>");
    }

    fn end_lists(&mut self, depth: usize) {
        while self.lists.len() > depth {
            if let Some(name) = self.lists.pop() {
                self.out.push_str(&format!("</li></{name}>"));
            }
        }
    }

    /// Ends a cell, with its last paragraph.
    pub(super) fn end_cell(&mut self, shape: Shape, marker: &str) {
        self.end_paragraph(Shape { is_cell: true, ..shape }, marker);
        let cell = std::mem::take(&mut self.cell);
        self.row.push_str(&format!("<td>{cell}</td>"));
    }

    pub(super) fn end_row(&mut self) {
        let row = std::mem::take(&mut self.row);
        if row.is_empty() {
            return;
        }
        self.end_lists(0);
        self.out.push_str(if self.in_table { "<tr>" } else { "<table><tr>" });
        self.in_table = true;
        self.out.push_str(&row);
        self.out.push_str("</tr>");
    }

    fn end_table(&mut self) {
        if !self.cell.is_empty() {
            let cell = std::mem::take(&mut self.cell);
            self.row.push_str(&format!("<td>{cell}</td>"));
        }
        self.end_row();
        if std::mem::take(&mut self.in_table) {
            self.out.push_str("</table>");
        }
    }

    /// Ends all that is open.
    pub(super) fn finish(mut self, shape: Shape, marker: &str) -> String {
        self.end_paragraph(shape, marker);
        self.end_table();
        self.end_lists(0);
        self.out
    }
}

/// The list that a marker belongs to: the name of its element, and its attributes.
fn list_of(marker: &str) -> (&'static str, String) {
    let label = marker.trim_matches(|c: char| !c.is_alphanumeric());
    // The number of a point of an inner list is the last one: `2.1.`
    let label = label.rsplit('.').next().unwrap_or_default();
    let is_label = marker.ends_with(['.', ')', ']']) || is_number(label);
    if label.is_empty() || label.len() > 6 || !is_label {
        return ("ul", String::new());
    }
    if is_number(label) {
        return ("ol", format!(" start=\"{label}\""));
    }
    let kind = match (label.bytes().next(), label.len()) {
        (Some(b'i'), _) => "i",
        (Some(b'I'), _) => "I",
        (Some(byte @ b'a'..=b'z'), 1) => return ("ol", format!(" type=\"a\" start=\"{}\"", byte - b'a' + 1)),
        (Some(byte @ b'A'..=b'Z'), 1) => return ("ol", format!(" type=\"A\" start=\"{}\"", byte - b'A' + 1)),
        (Some(b'a'..=b'z'), _) => "i",
        _ => "I",
    };
    ("ol", format!(" type=\"{kind}\""))
}

fn is_number(label: &str) -> bool {
    label.bytes().all(|byte| byte.is_ascii_digit())
}
