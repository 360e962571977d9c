//! The rows and columns of a data table, and their Markdown lines.
//!
//! Markdown has neither spanning cells nor more than one header row. Each line must be complete by itself,
//! so:
//!
//! - A value with a `rowspan` is repeated in every row it covers, because readers need it to know the group
//!   of the row. A value that is too long for a name is written once. All further values are written once if
//!   a table has used up its budget for repetition.
//! - A value with a `colspan` is written in its first column only. Repeated, a separator row or a remark over
//!   the whole width would look like a value of each column.
//! - The header is the first `thead`, or else the rows at the top that have only header cells. Its last row
//!   names the columns. In the rows above, a single name over all columns is a title and becomes a paragraph
//!   before the table; other names are put before the names of the columns that they span: `Group a`.
//! - The `tfoot` is written last, wherever it is in the source: HTML 4 had it before the rows.

use crate::tree::{Attr, Edge, NodeId, Tag, Tree, Walk};

/// Maximum number of columns. The cells beyond are joined into the last column.
const MAX_COLUMNS: usize = 128;

/// A cell may span up to this many columns, even if no row has as many cells.
const MIN_COLUMNS: usize = 8;

/// Maximum number of rows of a header. If there are more, the first row names the columns and the others are
/// data.
const MAX_HEADER_ROWS: usize = 4;

/// Maximum length in bytes of a text that is repeated. A longer text is not a name that a row needs.
const MAX_REPEATED_BYTES: usize = 256;

/// Budget for repeated text of a table, in bytes: a fixed part and a part for each cell of the source.
const REPEATED_BYTES: usize = 4_096;
const REPEATED_BYTES_PER_CELL: usize = 160;

/// Budget for the cells that spans fill: a fixed part and a part for each cell of the source. Spans could
/// fill a row of nine bytes up to a hundred times its size. Beyond the budget, spans are ignored.
const FILLED_CELLS: usize = 16_384;
const FILLED_CELLS_PER_CELL: usize = 8;

/// Approximate size in bytes of a row or a cell besides its text. The text is stored twice: in the cell and
/// in its line.
const ENTRY_BYTES: usize = 32;

/// The alignment of a column.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
enum Align {
    #[default]
    None,
    Left,
    Right,
    Center,
}

/// The group of a row. Rows are written in the order of the variants.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, PartialOrd, Ord)]
enum RowGroup {
    Head,
    #[default]
    Body,
    Foot,
}

#[derive(Debug)]
enum Cell {
    /// A cell of the source.
    Own(String),
    /// Spanned by the cell to the left.
    FromLeft,
    /// Spanned by a cell above, with its repeated text.
    FromAbove(String),
}

impl Cell {
    fn text(&self) -> &str {
        match self {
            Self::Own(text) | Self::FromAbove(text) => text,
            Self::FromLeft => "",
        }
    }
}

#[derive(Debug, Default)]
struct Row {
    cells: Vec<Cell>,
    group: RowGroup,
    /// It may be part of the header: it is in `thead` or has only header cells.
    header: bool,
    /// Number of cells in the source.
    own: usize,
}

impl Row {
    fn new(group: RowGroup) -> Self {
        Self { group, ..Self::default() }
    }

    /// Has the row no text of its own?
    fn has_no_text(&self) -> bool {
        !self.cells.iter().any(|cell| matches!(cell, Cell::Own(text) if !text.is_empty()))
    }

    /// Number of columns up to the last that is not empty.
    fn width(&self) -> usize {
        self.cells.iter().rposition(|cell| !cell.text().is_empty()).map_or(0, |last| last + 1)
    }

    /// Number of columns that have a name in this row or in a row above.
    fn name_count(&self) -> usize {
        let is_name = |cell: &&Cell| match cell {
            Cell::Own(text) => !text.is_empty(),
            Cell::FromAbove(_) => true,
            Cell::FromLeft => false,
        };
        self.cells.iter().filter(is_name).count()
    }

    /// The text of the row if it is a single cell over the whole width.
    fn title(&self, columns: usize) -> Option<&str> {
        let Some(Cell::Own(text)) = self.cells.first().filter(|_| self.own == 1) else { return None };
        let alone = self.cells.iter().skip(1).all(|cell| matches!(cell, Cell::FromLeft));
        (alone && (self.cells.len() == 1 || self.cells.len() >= columns)).then_some(text)
    }
}

/// A cell above that spans into a column.
#[derive(Debug, Clone, Default)]
struct RowSpan {
    /// Number of rows that it still covers.
    rows: u32,
    /// The text that is repeated.
    text: String,
}

/// A table being collected.
#[derive(Debug, Default)]
pub(super) struct Table {
    rows: Vec<Row>,
    aligns: Vec<Align>,
    /// For each column, the cell above that spans into it.
    row_spans: Vec<RowSpan>,
    group: RowGroup,
    /// The first `thead` was found.
    has_head: bool,
    /// The first `tfoot` was found.
    has_foot: bool,
    colspan: usize,
    rowspan: u32,
    /// All cells of the current row are header cells.
    only_headers: bool,
    /// Maximum number of cells in a row. No span goes further.
    widest: usize,
    /// Bytes of text that may still be repeated.
    repeat_budget: usize,
    /// Cells that spans may still fill.
    fill_budget: usize,
    /// The first part of the current cell, if the cell is long.
    partial_cell: String,
    /// Approximate size of the table in bytes.
    bytes: usize,
}

/// The Markdown of a table.
#[derive(Debug, Default)]
pub(super) struct RenderedTable {
    /// Paragraphs before the table.
    pub(super) titles: Vec<String>,
    /// The lines of the table.
    pub(super) lines: Vec<String>,
}

impl Table {
    /// An empty table for the rows below an element.
    pub(super) fn new(tree: &Tree, table: NodeId) -> Self {
        let (mut widest, mut in_row) = (MIN_COLUMNS, 0);
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
        Self {
            widest: widest.min(MAX_COLUMNS),
            repeat_budget: REPEATED_BYTES,
            fill_budget: FILLED_CELLS,
            ..Self::default()
        }
    }

    /// Begins a row group by its tag: `thead`, `tbody` or `tfoot`. Only the first `thead` and the first
    /// `tfoot` are special. No cell spans from one row group into the next (HTML Standard, 4.9.12.1).
    pub(super) fn start_row_group(&mut self, tag: Tag) {
        self.row_spans.clear();
        self.group = match tag {
            Tag::Thead if !std::mem::replace(&mut self.has_head, true) => RowGroup::Head,
            Tag::Tfoot if !std::mem::replace(&mut self.has_foot, true) => RowGroup::Foot,
            _ => RowGroup::Body,
        };
    }

    pub(super) fn end_row_group(&mut self) {
        self.row_spans.clear();
        self.group = RowGroup::Body;
    }

    /// Approximate number of bytes of the table in memory and as Markdown.
    pub(super) fn bytes(&self) -> usize {
        self.bytes
    }

    /// Adds to the first part of a long cell.
    pub(super) fn append_partial_cell(&mut self, part: &str) {
        self.bytes += 2 * part.len();
        append(&mut self.partial_cell, part);
    }

    pub(super) fn start_row(&mut self) {
        self.bytes += ENTRY_BYTES;
        self.rows.push(Row::new(self.group));
        self.only_headers = true;
    }

    pub(super) fn end_row(&mut self) {
        self.fill_row_spans();
        for span in &mut self.row_spans {
            span.rows = span.rows.saturating_sub(1);
        }
        let header = self.group == RowGroup::Head || self.only_headers;
        if let Some(row) = self.rows.last_mut() {
            row.header = header && !row.cells.is_empty();
            if row.has_no_text() {
                self.rows.pop();
            }
        }
    }

    /// Fills the columns that cells of earlier rows span into.
    fn fill_row_spans(&mut self) {
        let Some(row) = self.rows.last_mut() else { return };
        while let Some(span) = self.row_spans.get(row.cells.len()).filter(|span| span.rows > 0) {
            let Some(left) = self.fill_budget.checked_sub(1) else { return self.row_spans.clear() };
            self.fill_budget = left;
            let text = repeat(&span.text, &mut self.repeat_budget);
            self.bytes += ENTRY_BYTES + 2 * text.len();
            row.cells.push(Cell::FromAbove(text.to_owned()));
        }
    }

    pub(super) fn start_cell(&mut self, tree: &Tree, cell: NodeId) {
        if self.rows.is_empty() {
            self.start_row();
        }
        self.partial_cell.clear();
        let span = |name| tree.attribute(cell, name).and_then(|value| value.trim().parse::<u32>().ok());
        self.colspan = span(Attr::Colspan).unwrap_or(1).clamp(1, 1_000) as usize;
        // 0 means to the end of the row group.
        self.rowspan = span(Attr::Rowspan).map_or(1, |rows| if rows == 0 { u32::MAX } else { rows });
        self.only_headers &= tree.tag(cell) == Tag::Th;
        self.fill_row_spans();
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

    pub(super) fn end_cell(&mut self, mut content: String) {
        if !self.partial_cell.is_empty() {
            let mut whole = std::mem::take(&mut self.partial_cell);
            append(&mut whole, &content);
            content = whole;
        }
        let widest = self.widest;
        self.bytes += ENTRY_BYTES + 2 * content.len();
        self.repeat_budget += REPEATED_BYTES_PER_CELL;
        self.fill_budget += FILLED_CELLS_PER_CELL;
        let Some(row) = self.rows.last_mut() else { return };
        let column = row.cells.len();
        row.own += 1;
        if column >= MAX_COLUMNS {
            if let Some(last) = row.cells.last_mut() {
                let mut text = match std::mem::replace(last, Cell::FromLeft) {
                    Cell::Own(text) | Cell::FromAbove(text) => text,
                    Cell::FromLeft => String::new(),
                };
                append(&mut text, &content);
                *last = Cell::Own(text);
            }
            return;
        }
        let colspan = self.colspan.min(widest.saturating_sub(column).max(1)).min(MAX_COLUMNS - column);
        let colspan = colspan.min(1 + self.fill_budget);
        self.fill_budget -= colspan - 1;
        self.bytes += (colspan - 1) * ENTRY_BYTES;
        if self.rowspan > 1 {
            if self.row_spans.len() < column + colspan {
                self.row_spans.resize(column + colspan, RowSpan::default());
            }
            let mut text = if content.len() <= MAX_REPEATED_BYTES { content.clone() } else { String::new() };
            for span in self.row_spans.iter_mut().skip(column).take(colspan) {
                *span = RowSpan { rows: self.rowspan, text: std::mem::take(&mut text) };
            }
        }
        row.cells.push(Cell::Own(content));
        row.cells.extend(std::iter::repeat_with(|| Cell::FromLeft).take(colspan - 1));
    }

    /// Has the table no rows?
    pub(super) fn is_empty(&self) -> bool {
        self.rows.is_empty()
    }

    /// The Markdown of the table.
    pub(super) fn render(mut self) -> RenderedTable {
        self.rows.sort_by_key(|row| row.group);
        // Columns that are empty in every row are dropped at the right.
        let columns = self.rows.iter().map(Row::width).max().unwrap_or(0).max(1);
        for row in &mut self.rows {
            row.cells.truncate(columns);
        }
        let titles = self.join_header(columns);
        let total: usize = self.rows.iter().map(|row| row.cells.len()).sum();
        let pad = columns.saturating_mul(self.rows.len()) <= total.saturating_mul(4) + 256;
        let has_header = self.rows.first().is_some_and(|row| row.header) || self.rows.len() > 1;
        let mut lines = Vec::with_capacity(self.rows.len() + 2);
        let line = |cells: &[Cell], pad: bool| {
            let mut line = String::from("|");
            for cell in cells {
                line.push(' ');
                line.push_str(cell.text());
                line.push_str(if cell.text().is_empty() { "|" } else { " |" });
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
        RenderedTable { titles, lines }
    }

    /// Joins several header rows into one. Returns the titles among them.
    fn join_header(&mut self, columns: usize) -> Vec<String> {
        let has_head = self.rows.first().is_some_and(|row| row.group == RowGroup::Head);
        let is_header = |row: &&Row| if has_head { row.group == RowGroup::Head } else { row.header };
        let mut rows = self.rows.iter().take_while(is_header).count();
        // A row with a single name is the title of the rows below it, not a row of column names.
        while columns > 1 && rows > 1 && self.rows.get(rows - 1).is_some_and(|row| row.name_count() < 2) {
            rows -= 1;
        }
        // If no data rows follow, the rows that look like a header are the data.
        if !(2..=MAX_HEADER_ROWS).contains(&rows) || rows == self.rows.len() {
            return Vec::new();
        }
        let mut header: Vec<Row> = self.rows.drain(..rows).collect();
        let Some(mut names) = header.pop() else { return Vec::new() };
        let mut titles = Vec::new();
        header.retain(|row| {
            let title = row.title(columns);
            titles.extend(title.map(str::to_owned));
            title.is_none()
        });
        let mut joined = vec![String::new(); columns];
        let mut named = vec![false; columns];
        for row in &header {
            let mut over = "";
            for ((name, named), cell) in joined.iter_mut().zip(&mut named).zip(&row.cells) {
                match cell {
                    Cell::Own(text) => {
                        *named = true;
                        over = if text.len() <= MAX_REPEATED_BYTES { text } else { "" };
                        append(name, text);
                    }
                    Cell::FromLeft => append(name, repeat(over, &mut self.repeat_budget)),
                    Cell::FromAbove(_) => {} // named in the row in which the cell begins
                }
            }
        }
        let cells = names.cells.iter().chain(std::iter::repeat(&Cell::FromLeft));
        for ((name, named), cell) in joined.iter_mut().zip(named).zip(cells) {
            match cell {
                Cell::Own(text) if name == text => {}
                Cell::Own(text) => append(name, text),
                // No cell begins in this column, so it has no name of its own.
                Cell::FromLeft | Cell::FromAbove(_) if !named => name.clear(),
                Cell::FromLeft | Cell::FromAbove(_) => {}
            }
        }
        names.cells = joined.into_iter().map(Cell::Own).collect();
        names.header = true;
        self.rows.insert(0, names);
        titles
    }
}

/// Takes a text from the budget for repetition: all of it, or the empty text if the budget is too small. An
/// empty cell counts too.
fn repeat<'t>(text: &'t str, budget: &mut usize) -> &'t str {
    const BLANK: usize = 2;
    match budget.checked_sub(text.len() + BLANK) {
        Some(left) => {
            *budget = left;
            text
        }
        None => {
            *budget = budget.saturating_sub(BLANK);
            ""
        }
    }
}

/// Appends a text with a space before it.
fn append(before: &mut String, text: &str) {
    if !before.is_empty() && !text.is_empty() {
        before.push(' ');
    }
    before.push_str(text);
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
