//! Reads data tables with their column names.

use std::collections::BTreeMap;

use super::{MAX_TABLE_ROWS, MAX_TABLES, MAX_VALUE_BYTES};
use crate::markup::{NodeId, Tree};
use crate::page::truncate;

/// Upper bound on the columns of a table.
const MAX_COLUMNS: usize = 100;

/// Upper bound on the cells that a page repeats in other rows and columns.
const MAX_REPEATED_CELLS: usize = 100_000;
/// Upper bound on the bytes of their texts.
const MAX_REPEATED_BYTES: usize = 4 << 20;

/// A cell with its text and its element.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Cell {
    pub(crate) node: NodeId,
    pub(crate) text: String,
    pub(crate) header: bool,
}

/// A table with its column names, if any, and its rows.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Table {
    pub(crate) node: NodeId,
    /// Empty if the table has no header row.
    pub(crate) headers: Vec<String>,
    pub(crate) rows: Vec<Vec<Cell>>,
}

/// The cells that reach into the rows below, by their columns (HTML Standard, 4.9.12).
#[derive(Debug)]
struct Spans {
    /// With the number of rows that they still reach into.
    held: BTreeMap<usize, (usize, Cell)>,
    cells_left: usize,
    bytes_left: usize,
}

impl Spans {
    /// The cells of a row, those over several rows or columns in each of them.
    fn row(&mut self, tree: &Tree<'_>, row: NodeId) -> Vec<Cell> {
        let mut cells = Vec::new();
        for node in tree.children(row).filter(|cell| tree.is(*cell, &["td", "th"])) {
            self.fill(&mut cells);
            if cells.len() >= MAX_COLUMNS {
                break;
            }
            let cell = Cell {
                node,
                text: truncate(tree.text_of(node), MAX_VALUE_BYTES).to_owned(),
                header: tree.is(node, &["th"]),
            };
            let columns = span(tree, node, "colspan").clamp(1, MAX_COLUMNS - cells.len());
            let rows = span(tree, node, "rowspan");
            for _ in 1..columns {
                self.add(&mut cells, &cell, rows);
            }
            if rows > 1 {
                self.held.insert(cells.len(), (rows - 1, cell.clone()));
            }
            cells.push(cell);
        }
        self.fill(&mut cells);
        // A row may end before a column that a cell from above reaches into.
        let width = cells.len();
        self.held.retain(|column, (rows, _)| {
            let is_missed = *column >= width;
            *rows -= usize::from(is_missed);
            *rows > 0
        });
        cells
    }

    /// Adds a copy of a cell that reaches into more columns.
    fn add(&mut self, cells: &mut Vec<Cell>, cell: &Cell, rows: usize) {
        if self.pay(cell) {
            if rows > 1 {
                self.held.insert(cells.len(), (rows - 1, cell.clone()));
            }
            cells.push(cell.clone());
        }
    }

    /// Adds the cells from above that come next.
    fn fill(&mut self, cells: &mut Vec<Cell>) {
        while cells.len() < MAX_COLUMNS
            && let Some((rows, cell)) = self.held.remove(&cells.len())
        {
            if !self.pay(&cell) {
                self.held.clear();
                return;
            }
            if rows > 1 {
                self.held.insert(cells.len(), (rows - 1, cell.clone()));
            }
            cells.push(cell);
        }
    }

    /// Whether a copy of a cell is within the bounds.
    fn pay(&mut self, cell: &Cell) -> bool {
        let left = (self.cells_left.checked_sub(1), self.bytes_left.checked_sub(cell.text.len()));
        let (Some(cells), Some(bytes)) = left else { return false };
        (self.cells_left, self.bytes_left) = (cells, bytes);
        true
    }
}

/// The number of rows or columns that a cell is over.
fn span(tree: &Tree<'_>, cell: NodeId, name: &str) -> usize {
    let stated = tree.attribute(cell, name).and_then(|value| value.trim().parse::<usize>().ok());
    stated.unwrap_or(1).clamp(1, MAX_TABLE_ROWS)
}

/// Reads the tables of a page. A table that contains tables is layout and is skipped.
pub(crate) fn read(tree: &Tree<'_>) -> Vec<Table> {
    let mut tables = Vec::new();
    let mut spans =
        Spans { held: BTreeMap::new(), cells_left: MAX_REPEATED_CELLS, bytes_left: MAX_REPEATED_BYTES };
    // Only innermost tables count.
    let is_table = |node: NodeId| tree.is(node, &["table"]);
    for node in tree.nodes().filter(|node| is_table(*node) && !tree.is_hidden(*node)) {
        if tables.len() >= MAX_TABLES {
            break;
        }
        if tree.within(node).any(is_table) {
            continue;
        }
        let mut rows = Vec::new();
        spans.held.clear();
        let mut group = None;
        for row in tree.within(node).filter(|inner| tree.is(*inner, &["tr"])).take(MAX_TABLE_ROWS) {
            // A cell ends with its group of rows.
            if group.replace(tree.parent(row)).is_some_and(|before| before != tree.parent(row)) {
                spans.held.clear();
            }
            let cells = spans.row(tree, row);
            if cells.iter().any(|cell| !cell.text.is_empty()) {
                rows.push(cells);
            }
        }
        let in_head = |cell: &Cell| {
            cell.header || tree.ancestors(cell.node).take(3).any(|above| tree.is(above, &["thead"]))
        };
        let has_headers = rows.len() > 1
            && rows.first().is_some_and(|first| {
                let lead = first.first().map(|cell| cell.node);
                first.iter().any(|cell| Some(cell.node) != lead) && first.iter().all(in_head)
            })
            && rows.get(1).is_some_and(|second| !second.iter().all(|cell| cell.header));
        let headers =
            if has_headers { rows.remove(0).into_iter().map(|cell| cell.text).collect() } else { Vec::new() };
        if !rows.is_empty() {
            tables.push(Table { node, headers, rows });
        }
    }
    tables
}

#[cfg(test)]
mod tests {
    use super::*;

    fn texts(html: &str) -> Vec<Vec<String>> {
        let tables = read(&Tree::parse(html, &gleaner_types::Interrupt::never()));
        let rows = tables.into_iter().flat_map(|table| table.rows);
        rows.map(|row| row.into_iter().map(|cell| cell.text).collect()).collect()
    }

    #[test]
    fn cells_belong_to_all_rows_and_columns_that_they_are_over() {
        let head = "<tr><th>Day<th>Time<th>Class";
        let rows: [(&str, &[&[&str]]); 5] = [
            (
                "<tr><td rowspan=2>Mon<td>18<td>Yoga<tr><td>19<td>Row",
                &[&["Mon", "18", "Yoga"], &["Mon", "19", "Row"]],
            ),
            (
                "<tr><td>Mon<td rowspan=2>18<td>Yoga<tr><td>Tue<td>Row",
                &[&["Mon", "18", "Yoga"], &["Tue", "18", "Row"]],
            ),
            ("<tr><td>Mon<td colspan=2>closed", &[&["Mon", "closed", "closed"]]),
            (
                "<tr><td>Mon<td>18<td rowspan=2>Yoga<tr><td>Tue<tr><td>Wed<td>18<td>Row",
                &[&["Mon", "18", "Yoga"], &["Tue"], &["Wed", "18", "Row"]],
            ),
            ("<tr><td rowspan=x>Mon<td>18<td>Yoga", &[&["Mon", "18", "Yoga"]]),
        ];
        for (body, expected) in rows {
            assert_eq!(texts(&format!("<table>{head}<tbody>{body}</table>")), expected, "{body}");
        }
    }

    #[test]
    fn repeated_cells_are_bounded() {
        let html = format!(
            "<table><tr><td rowspan=0 colspan=90>{}{}</table>",
            "x".repeat(9_000),
            "<tr><td>y".repeat(900)
        );
        let cells: usize = texts(&html).iter().map(Vec::len).sum();
        assert!(cells < 3_000, "{cells}");
    }

    #[test]
    fn header_rows_are_recognised() {
        let tree = Tree::parse(
            "<table><thead><tr><td>Name<td>Price<tbody><tr><td>Cup<td>5<tr><td>Pot<td>9</table>\
             <table><tr><th>Weight<td>2 kg<tr><th>Size<td>L</table>",
            &gleaner_types::Interrupt::never(),
        );
        let tables = read(&tree);
        assert_eq!(tables[0].headers, ["Name", "Price"]);
        assert_eq!(tables[0].rows[1][1].text, "9");
        assert!(tables[1].headers.is_empty());
        assert_eq!(tables[1].rows[0][1].text, "2 kg");
    }
}
