//! The rows and columns of a table of data, and the lines they are written as.
//!
//! Markdown knows neither cells that reach over others nor more than one row of names. So that each line says by itself
//! what it says on the page:
//!
//! - A value that reaches down (`rowspan`) is repeated in every row it covers, or nobody could tell what the row belongs
//!   to. What is too long for a name stands once, and so does the rest once a table repeats far more than it holds.
//! - A value that reaches right (`colspan`) stands in its first column alone: repeated, a line that parts the rows or a
//!   remark over the whole width would pass for a value of each column.
//! - The header is the `thead` that comes first, or else the rows at the top that hold names alone. Its last row names the
//!   columns. Of those above, a row of one name over all columns is a title and becomes a paragraph before the table; other
//!   names are put before those of the columns they reach over: `Group a`.
//! - The `tfoot` comes last wherever it stands in the source: HTML 4 had it before the rows.

use crate::tree::{Attr, Edge, NodeId, Tag, Tree, Walk};

/// Columns of a table; the cells beyond are joined into the last one.
const MAX_COLUMNS: usize = 128;

/// Columns that a cell may reach over in a table whose rows have fewer cells.
const MIN_COLUMNS: usize = 8;

/// A header has at most so many rows: of more, the first names the columns and the others are data.
const MAX_HEADER_ROWS: usize = 4;

/// What is longer is no name that a row needs, and is not repeated. In bytes.
const MAX_REPEATED_BYTES: usize = 256;

/// What a table may repeat: so many bytes, and so many more for each cell of its own.
const REPEATED_BYTES: usize = 4_096;
const REPEATED_BYTES_PER_CELL: usize = 160;

/// What cells may fill of the rows and columns that they reach over: so many cells, and so many more for each cell of a
/// table's own. A row of nine bytes could be filled up to a hundred times its size. Beyond, cells reach over nothing.
const FILLED_CELLS: usize = 16_384;
const FILLED_CELLS_PER_CELL: usize = 8;

/// Bytes that a row or a cell takes, besides its text. That stands once in the cell and once in its line.
const ENTRY_BYTES: usize = 32;

/// How a column is aligned.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
enum Align {
    #[default]
    None,
    Left,
    Right,
    Center,
}

/// Where in its table a row stands. In the order of the page.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, PartialOrd, Ord)]
enum Part {
    Head,
    #[default]
    Body,
    Foot,
}

#[derive(Debug)]
enum Cell {
    /// A cell of the row's own.
    Own(String),
    /// Covered by the cell to the left.
    Left,
    /// Covered by a cell above, with what is repeated of it.
    Above(String),
}

impl Cell {
    fn text(&self) -> &str {
        match self {
            Self::Own(text) | Self::Above(text) => text,
            Self::Left => "",
        }
    }
}

#[derive(Debug, Default)]
struct Row {
    cells: Vec<Cell>,
    part: Part,
    /// It may be part of the header: it stands in `thead`, or holds names alone.
    header: bool,
    /// Cells of its own.
    own: usize,
}

impl Row {
    fn new(part: Part) -> Self {
        Self { part, ..Self::default() }
    }

    /// Has it anything that the rows above have not?
    fn says_nothing(&self) -> bool {
        !self.cells.iter().any(|cell| matches!(cell, Cell::Own(text) if !text.is_empty()))
    }

    /// Columns up to the last that is not empty.
    fn width(&self) -> usize {
        self.cells.iter().rposition(|cell| !cell.text().is_empty()).map_or(0, |last| last + 1)
    }

    /// Columns that it has a name for, or the rows above it have.
    fn names(&self) -> usize {
        let is_name = |cell: &&Cell| match cell {
            Cell::Own(text) => !text.is_empty(),
            Cell::Above(_) => true,
            Cell::Left => false,
        };
        self.cells.iter().filter(is_name).count()
    }

    /// Its text, where one cell is all it has, over the whole width.
    fn title(&self, columns: usize) -> Option<&str> {
        let Some(Cell::Own(text)) = self.cells.first().filter(|_| self.own == 1) else { return None };
        let alone = self.cells.iter().skip(1).all(|cell| matches!(cell, Cell::Left));
        (alone && (self.cells.len() == 1 || self.cells.len() >= columns)).then_some(text)
    }
}

/// A cell above that covers a column.
#[derive(Debug, Clone, Default)]
struct Cover {
    /// Rows that it still covers.
    rows: u32,
    /// What is repeated.
    text: String,
}

/// A table being collected.
#[derive(Debug, Default)]
pub(super) struct Table {
    rows: Vec<Row>,
    aligns: Vec<Align>,
    /// For each column.
    covered: Vec<Cover>,
    part: Part,
    /// The parts that a table has one of were begun: the head, the foot.
    begun: (bool, bool),
    colspan: usize,
    rowspan: u32,
    /// All cells of the current row are header cells.
    only_headers: bool,
    /// Cells of the row that has most: no span reaches further.
    widest: usize,
    /// Bytes that may still be repeated.
    repeats_left: usize,
    /// Cells that may still be filled by others.
    fills_left: usize,
    /// What was written of the current cell already.
    held: String,
    /// About how many bytes all of it takes.
    bytes: usize,
}

/// A table as it is written.
#[derive(Debug, Default)]
pub(super) struct Written {
    /// Paragraphs before it.
    pub(super) titles: Vec<String>,
    /// Its own lines.
    pub(super) lines: Vec<String>,
}

impl Table {
    /// For the rows below an element.
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
            repeats_left: REPEATED_BYTES,
            fills_left: FILLED_CELLS,
            ..Self::default()
        }
    }

    /// Begins a part, by its tag: `thead`, `tbody` or `tfoot`. What is not the first head or foot is a part like another.
    /// No cell reaches down from one part into the next (HTML Standard, 4.9.12.1).
    pub(super) fn start_part(&mut self, tag: Tag) {
        self.covered.clear();
        self.part = match tag {
            Tag::Thead if !std::mem::replace(&mut self.begun.0, true) => Part::Head,
            Tag::Tfoot if !std::mem::replace(&mut self.begun.1, true) => Part::Foot,
            _ => Part::Body,
        };
    }

    pub(super) fn end_part(&mut self) {
        self.covered.clear();
        self.part = Part::Body;
    }

    /// About how many bytes the table takes, as it is and as it is written.
    pub(super) fn bytes(&self) -> usize {
        self.bytes
    }

    /// Takes the first part of a long cell.
    pub(super) fn hold(&mut self, part: &str) {
        self.bytes += 2 * part.len();
        add(&mut self.held, part);
    }

    pub(super) fn start_row(&mut self) {
        self.bytes += ENTRY_BYTES;
        self.rows.push(Row::new(self.part));
        self.only_headers = true;
    }

    pub(super) fn end_row(&mut self) {
        self.fill_covered();
        for cover in &mut self.covered {
            cover.rows = cover.rows.saturating_sub(1);
        }
        let header = self.part == Part::Head || self.only_headers;
        if let Some(row) = self.rows.last_mut() {
            row.header = header && !row.cells.is_empty();
            if row.says_nothing() {
                self.rows.pop();
            }
        }
    }

    /// Fills the columns that cells of rows above reach down into.
    fn fill_covered(&mut self) {
        let Some(row) = self.rows.last_mut() else { return };
        while let Some(cover) = self.covered.get(row.cells.len()).filter(|cover| cover.rows > 0) {
            let Some(left) = self.fills_left.checked_sub(1) else { return self.covered.clear() };
            self.fills_left = left;
            let text = repeat(&cover.text, &mut self.repeats_left);
            self.bytes += ENTRY_BYTES + 2 * text.len();
            row.cells.push(Cell::Above(text.to_owned()));
        }
    }

    pub(super) fn start_cell(&mut self, tree: &Tree, cell: NodeId) {
        if self.rows.is_empty() {
            self.start_row();
        }
        self.held.clear();
        let span = |name| tree.attribute(cell, name).and_then(|value| value.trim().parse::<u32>().ok());
        self.colspan = span(Attr::Colspan).unwrap_or(1).clamp(1, 1_000) as usize;
        // 0 is as far down as the part goes.
        self.rowspan = span(Attr::Rowspan).map_or(1, |rows| if rows == 0 { u32::MAX } else { rows });
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

    pub(super) fn end_cell(&mut self, mut content: String) {
        if !self.held.is_empty() {
            let mut whole = std::mem::take(&mut self.held);
            add(&mut whole, &content);
            content = whole;
        }
        let widest = self.widest;
        self.bytes += ENTRY_BYTES + 2 * content.len();
        self.repeats_left += REPEATED_BYTES_PER_CELL;
        self.fills_left += FILLED_CELLS_PER_CELL;
        let Some(row) = self.rows.last_mut() else { return };
        let column = row.cells.len();
        row.own += 1;
        if column >= MAX_COLUMNS {
            if let Some(last) = row.cells.last_mut() {
                let mut text = match std::mem::replace(last, Cell::Left) {
                    Cell::Own(text) | Cell::Above(text) => text,
                    Cell::Left => String::new(),
                };
                add(&mut text, &content);
                *last = Cell::Own(text);
            }
            return;
        }
        let colspan = self.colspan.min(widest.saturating_sub(column).max(1)).min(MAX_COLUMNS - column);
        let colspan = colspan.min(1 + self.fills_left);
        self.fills_left -= colspan - 1;
        self.bytes += (colspan - 1) * ENTRY_BYTES;
        if self.rowspan > 1 {
            if self.covered.len() < column + colspan {
                self.covered.resize(column + colspan, Cover::default());
            }
            let mut text = if content.len() <= MAX_REPEATED_BYTES { content.clone() } else { String::new() };
            for cover in self.covered.iter_mut().skip(column).take(colspan) {
                *cover = Cover { rows: self.rowspan, text: std::mem::take(&mut text) };
            }
        }
        row.cells.push(Cell::Own(content));
        row.cells.extend(std::iter::repeat_with(|| Cell::Left).take(colspan - 1));
    }

    /// Is there nothing to write?
    pub(super) fn is_empty(&self) -> bool {
        self.rows.is_empty()
    }

    /// The table as it is written.
    pub(super) fn write(mut self) -> Written {
        self.rows.sort_by_key(|row| row.part);
        // Spans at the end of all rows cover nothing.
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
        Written { titles, lines }
    }

    /// Makes one row of a header of several, and gives its titles.
    fn join_header(&mut self, columns: usize) -> Vec<String> {
        let has_head = self.rows.first().is_some_and(|row| row.part == Part::Head);
        let is_header = |row: &&Row| if has_head { row.part == Part::Head } else { row.header };
        let mut rows = self.rows.iter().take_while(is_header).count();
        // One name is that of the rows below it, and no row of names.
        while columns > 1 && rows > 1 && self.rows.get(rows - 1).is_some_and(|row| row.names() < 2) {
            rows -= 1;
        }
        // Without rows of data below it, what looks like a header is the table.
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
                        add(name, text);
                    }
                    Cell::Left => add(name, repeat(over, &mut self.repeats_left)),
                    Cell::Above(_) => {} // named in the row that it begins in
                }
            }
        }
        let cells = names.cells.iter().chain(std::iter::repeat(&Cell::Left));
        for ((name, named), cell) in joined.iter_mut().zip(named).zip(cells) {
            match cell {
                Cell::Own(text) if name == text => {}
                Cell::Own(text) => add(name, text),
                // A column that cells reach over and no name stands in.
                Cell::Left | Cell::Above(_) if !named => name.clear(),
                Cell::Left | Cell::Above(_) => {}
            }
        }
        names.cells = joined.into_iter().map(Cell::Own).collect();
        names.header = true;
        self.rows.insert(0, names);
        titles
    }
}

/// What is repeated of a text: all of it, or nothing where too much was. A column that is filled with nothing counts too.
fn repeat<'t>(text: &'t str, left: &mut usize) -> &'t str {
    const BLANK: usize = 2;
    match left.checked_sub(text.len() + BLANK) {
        Some(rest) => {
            *left = rest;
            text
        }
        None => {
            *left = left.saturating_sub(BLANK);
            ""
        }
    }
}

/// Adds a text to one before it.
fn add(before: &mut String, text: &str) {
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
