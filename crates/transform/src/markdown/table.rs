//! Tables: which of them hold data, and how those are written.

use super::Writer;
use super::block::Leaf;
use crate::tree::{Attr, Edge, Kind, NodeId, Tag, Tree, Walk};
use crate::view::View;

/// A cell longer than this makes its table one for layout.
const MAX_CELL_BYTES: usize = 2_000;

/// Columns of a table; the cells beyond are joined into the last one.
const MAX_COLUMNS: usize = 256;

/// Is this a table of data, and not one that only arranges things on the page?
pub(super) fn holds_data(tree: &Tree, table: NodeId) -> bool {
    if matches!(tree.attribute(table, Attr::Role), Some("presentation" | "none")) {
        return false;
    }
    let (mut rows, mut cells, mut widest, mut headers, mut code) =
        (0_usize, 0_usize, 0_usize, 0_usize, false);
    let mut in_row = 0_usize;
    let mut cell_bytes = 0_usize;
    let mut long_cells = 0_usize;
    let walk = Walk::new(tree, table);
    for edge in walk {
        let Edge::Enter(node) = edge else { continue };
        if tree.kind(node) == Kind::Text {
            cell_bytes += tree.text(node).len();
            if cell_bytes > MAX_CELL_BYTES {
                long_cells += 1;
                cell_bytes = 0;
                if long_cells > cells / 20 {
                    return false;
                }
            }
            continue;
        }
        match tree.tag(node) {
            Tag::Table if node != table => return false,
            Tag::Pre => code = true,
            Tag::Form | Tag::H1 | Tag::H2 | Tag::Article | Tag::Section | Tag::Iframe => {
                return false;
            }
            Tag::Tr => {
                rows += 1;
                in_row = 0;
            }
            Tag::Th | Tag::Td => {
                cells += 1;
                in_row += 1;
                cell_bytes = 0;
                widest = widest.max(in_row);
                headers += usize::from(tree.tag(node) == Tag::Th);
            }
            _ => {}
        }
    }
    // Code beside its line numbers is a table too, but has no header.
    cells > 0 && (headers > 0 || (rows > 1 && widest > 1 && !code))
}

/// How a column is aligned.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
enum Align {
    #[default]
    None,
    Left,
    Right,
    Center,
}

#[derive(Debug, Default)]
struct Row {
    cells: Vec<String>,
    header: bool,
}

/// A table being collected.
#[derive(Debug, Default)]
pub(super) struct Table {
    rows: Vec<Row>,
    aligns: Vec<Align>,
    /// For each column: rows that a cell above still covers.
    covered: Vec<u32>,
    in_head: bool,
    colspan: usize,
    rowspan: u32,
    /// All cells of the current row are header cells.
    only_headers: bool,
    /// Cells of the row that has most: no span reaches further.
    widest: usize,
}

impl Table {
    /// For the rows below an element.
    pub(super) fn new(tree: &Tree, table: NodeId) -> Self {
        let (mut widest, mut in_row) = (8, 0);
        for edge in Walk::new(tree, table) {
            let Edge::Enter(node) = edge else { continue };
            match tree.tag(node) {
                Tag::Tr => in_row = 0,
                Tag::Td | Tag::Th => {
                    in_row += 1;
                    widest = widest.max(in_row);
                }
                _ => {}
            }
        }
        Self { widest: widest.min(MAX_COLUMNS), ..Self::default() }
    }

    pub(super) fn head(&mut self, inside: bool) {
        self.in_head = inside;
    }

    pub(super) fn start_row(&mut self) {
        self.rows.push(Row::default());
        self.only_headers = true;
    }

    pub(super) fn end_row(&mut self) {
        self.fill_covered();
        for rows in &mut self.covered {
            *rows = rows.saturating_sub(1);
        }
        let header = self.in_head || self.only_headers;
        if let Some(row) = self.rows.last_mut() {
            row.header = header && !row.cells.is_empty();
            if row.cells.iter().all(String::is_empty) {
                self.rows.pop();
            }
        }
    }

    /// Puts empty cells where cells of rows above reach down.
    fn fill_covered(&mut self) {
        let covered = &self.covered;
        if let Some(row) = self.rows.last_mut() {
            while covered.get(row.cells.len()).is_some_and(|rows| *rows > 0) {
                row.cells.push(String::new());
            }
        }
    }

    pub(super) fn start_cell(&mut self, tree: &Tree, cell: NodeId) {
        if self.rows.is_empty() {
            self.start_row();
        }
        let span = |name| tree.attribute(cell, name).and_then(|value| value.trim().parse::<u32>().ok());
        self.colspan = span(Attr::Colspan).unwrap_or(1).clamp(1, 1_000) as usize;
        self.rowspan = span(Attr::Rowspan).unwrap_or(1).clamp(1, 65_534);
        self.only_headers &= tree.tag(cell) == Tag::Th;
        self.fill_covered();
        let column = self.rows.last().map_or(0, |row| row.cells.len());
        let align = align(tree, cell);
        if align != Align::None && column < MAX_COLUMNS {
            if self.aligns.len() <= column {
                self.aligns.resize(column + 1, Align::None);
            }
            if let Some(slot) = self.aligns.get_mut(column)
                && *slot == Align::None
            {
                *slot = align;
            }
        }
    }

    pub(super) fn end_cell(&mut self, content: String) {
        let widest = self.widest;
        let Some(row) = self.rows.last_mut() else { return };
        let column = row.cells.len();
        if column >= MAX_COLUMNS {
            if let Some(last) = row.cells.last_mut().filter(|_| !content.is_empty()) {
                if !last.is_empty() {
                    last.push(' ');
                }
                last.push_str(&content);
            }
            return;
        }
        let colspan = self.colspan.min(widest.saturating_sub(column).max(1)).min(MAX_COLUMNS - column);
        row.cells.push(content);
        row.cells.extend(std::iter::repeat_n(String::new(), colspan - 1));
        if self.rowspan > 1 {
            if self.covered.len() < column + colspan {
                self.covered.resize(column + colspan, 0);
            }
            for rows in self.covered.iter_mut().skip(column).take(colspan) {
                *rows = self.rowspan;
            }
        }
    }

    /// Is there nothing to write?
    pub(super) fn is_empty(&self) -> bool {
        self.rows.is_empty()
    }

    /// The lines of the table.
    pub(super) fn lines(mut self) -> Vec<String> {
        // Spans at the end of all rows cover nothing.
        let width =
            |row: &Row| row.cells.iter().rposition(|cell| !cell.is_empty()).map_or(0, |last| last + 1);
        let columns = self.rows.iter().map(width).max().unwrap_or(0).max(1);
        for row in &mut self.rows {
            row.cells.truncate(columns);
        }
        let total: usize = self.rows.iter().map(|row| row.cells.len()).sum();
        let pad = columns.saturating_mul(self.rows.len()) <= total.saturating_mul(4) + 256;
        let has_header = self.rows.first().is_some_and(|row| row.header) || self.rows.len() > 1;
        let mut lines = Vec::with_capacity(self.rows.len() + 2);
        let line = |cells: &[String], pad: bool| {
            let mut line = String::from("|");
            for cell in cells {
                line.push(' ');
                line.push_str(cell);
                line.push_str(if cell.is_empty() { "|" } else { " |" });
            }
            if pad {
                line.push_str(&" |".repeat(columns.saturating_sub(cells.len())));
            }
            line
        };
        let mut rows = self.rows.iter();
        if has_header {
            lines.extend(rows.next().map(|row| line(&row.cells, true)));
        } else {
            lines.push(line(&[], true));
        }
        let mut delimiter = String::from("|");
        for column in 0..columns {
            delimiter.push_str(match self.aligns.get(column).copied().unwrap_or_default() {
                Align::None => " --- |",
                Align::Left => " :--- |",
                Align::Right => " ---: |",
                Align::Center => " :---: |",
            });
        }
        lines.push(delimiter);
        lines.extend(rows.map(|row| line(&row.cells, pad)));
        lines
    }
}

impl Writer<'_> {
    /// Writes a table as HTML where it is small enough to be read.
    pub(super) fn html_table(&mut self, node: NodeId) -> bool {
        if Walk::new(self.tree, node)
            .any(|edge| matches!(edge, Edge::Enter(inner) if self.tree.tag(inner) == Tag::Pre))
        {
            return false;
        }
        let view = View { roots: vec![node], ..self.view.clone() };
        let html =
            crate::html::write(self.tree, &view, self.options.resolver, self.options.remove_base64_images);
        // Every parser adds `tbody` by itself.
        let html = html.replace("<tbody>", "").replace("</tbody>", "");
        self.lines.start(Leaf::Table);
        // An empty line would end the block.
        for (index, line) in html.lines().map(str::trim).filter(|line| !line.is_empty()).enumerate() {
            if index > 0 {
                self.lines.next_line();
            }
            self.lines.write(line);
        }
        self.ended_list = None;
        true
    }
}

fn align(tree: &Tree, cell: NodeId) -> Align {
    let value = tree.attribute(cell, Attr::Align).map(str::to_ascii_lowercase).or_else(|| {
        let style = tree.attribute(cell, Attr::Style)?.to_ascii_lowercase();
        let (_, after) = style.split_once("text-align")?;
        Some(after.trim_start_matches([':', ' ']).split([';', ' ', '!']).next()?.to_owned())
    });
    match value.as_deref().map(str::trim) {
        Some("left") => Align::Left,
        Some("right") => Align::Right,
        Some("center") => Align::Center,
        _ => Align::None,
    }
}
