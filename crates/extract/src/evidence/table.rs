//! Reads data tables with their column names.

use super::{MAX_TABLE_ROWS, MAX_TABLES, MAX_VALUE_BYTES};
use crate::markup::{NodeId, Tree};
use crate::page::truncate;

/// Upper bound on the columns of a table.
const MAX_COLUMNS: usize = 100;

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

/// Reads the tables of a page. A table that contains tables is layout and is skipped.
pub(crate) fn read(tree: &Tree<'_>) -> Vec<Table> {
    let mut tables = Vec::new();
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
        for row in tree.within(node).filter(|inner| tree.is(*inner, &["tr"])).take(MAX_TABLE_ROWS) {
            let cells: Vec<Cell> = tree
                .children(row)
                .filter(|cell| tree.is(*cell, &["td", "th"]))
                .take(MAX_COLUMNS)
                .map(|cell| Cell {
                    node: cell,
                    text: truncate(tree.text_of(cell), MAX_VALUE_BYTES).to_owned(),
                    header: tree.is(cell, &["th"]),
                })
                .collect();
            if cells.iter().any(|cell| !cell.text.is_empty()) {
                rows.push(cells);
            }
        }
        let in_head = |cell: &Cell| {
            cell.header || tree.ancestors(cell.node).take(3).any(|above| tree.is(above, &["thead"]))
        };
        let has_headers = rows.len() > 1
            && rows.first().is_some_and(|first| first.len() > 1 && first.iter().all(in_head))
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
