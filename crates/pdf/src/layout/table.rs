//! A table: rows of cells.

use std::collections::{BTreeSet, HashMap};

use super::text::Text;

/// Rows of cells. It has at least two rows and two columns.
#[derive(Debug, Clone, Default, PartialEq)]
pub(crate) struct Table {
    columns: usize,
    rows: Vec<Row>,
}

/// The cells of a row that have text, each with the index of its column. A table may have many cells without
/// text, so they take no memory.
type Row = Vec<(usize, Text)>;

impl Table {
    /// A table of these rows, without the rows and columns that have no text. `None` if fewer than two rows
    /// or columns are left.
    pub(super) fn of(rows: Vec<Vec<Text>>) -> Option<Self> {
        let filled = |row: Vec<Text>| -> Row { row.into_iter().enumerate().collect() };
        Self::of_places(rows.into_iter().map(filled).collect())
    }

    /// The same of cells with their columns, which rise in each row.
    pub(super) fn of_places(rows: Vec<Vec<(usize, Text)>>) -> Option<Self> {
        let filled = |row: Row| -> Row { row.into_iter().filter(|(_, cell)| !cell.is_empty()).collect() };
        let mut rows: Vec<Row> = rows.into_iter().map(filled).filter(|row| !row.is_empty()).collect();
        let used: BTreeSet<usize> = rows.iter().flatten().map(|(column, _)| *column).collect();
        let places: HashMap<usize, usize> = used.into_iter().zip(0..).collect();
        for (column, _) in rows.iter_mut().flatten() {
            *column = places.get(&*column).copied().unwrap_or(*column);
        }
        let columns = places.len();
        (rows.len() >= 2 && columns >= 2).then_some(Self { columns, rows })
    }

    /// Its texts, cell by cell.
    pub(crate) fn cells(&self) -> impl Iterator<Item = &Text> {
        self.rows.iter().flatten().map(|(_, cell)| cell)
    }

    /// The number of its cells, with those that have no text.
    pub(crate) fn size(&self) -> usize {
        self.columns.saturating_mul(self.rows.len())
    }

    /// Appends the rows of another table, if it has as many columns.
    pub(crate) fn append(&mut self, other: Self) -> Option<Self> {
        if self.columns != other.columns {
            return Some(other);
        }
        let is_header = |row: &Row| self.rows.first() == Some(row);
        let skip = usize::from(other.rows.first().is_some_and(is_header));
        self.rows.extend(other.rows.into_iter().skip(skip));
        None
    }

    /// The Markdown of the table. The first row is its header.
    pub(crate) fn markdown(&self) -> String {
        let mut out = String::new();
        for (at, row) in self.rows.iter().enumerate() {
            out.push('|');
            let mut cells = row.iter().peekable();
            for column in 0..self.columns {
                out.push(' ');
                if let Some((_, cell)) = cells.next_if(|(place, _)| *place == column) {
                    out.push_str(&cell.markdown().replace('|', "\\|"));
                }
                out.push_str(" |");
            }
            out.push('\n');
            if at == 0 {
                out.push('|');
                (0..self.columns).for_each(|_| out.push_str(" --- |"));
                out.push('\n');
            }
        }
        out.truncate(out.trim_end().len());
        out
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn table(rows: &[&[&str]]) -> Option<Table> {
        Table::of(rows.iter().map(|row| row.iter().map(|cell| Text::plain(cell)).collect()).collect())
    }

    #[test]
    fn empty_rows_and_columns_are_left_out() {
        let table = table(&[&["a", "", "b|c"], &["", "", ""], &["1", "", "2"]]).unwrap();
        assert_eq!(table.markdown(), "| a | b\\|c |\n| --- | --- |\n| 1 | 2 |");
    }

    #[test]
    fn cells_without_text_take_no_memory() {
        let mut rows = vec![vec![Text::plain("a"), Text::plain("b")]; 3];
        rows.push(vec![Text::plain("c"); 100]);
        let table = Table::of(rows).unwrap();
        assert_eq!((table.size(), table.cells().count()), (400, 106));
        assert_eq!(table.rows.iter().map(Vec::len).collect::<Vec<_>>(), [2, 2, 2, 100]);
    }

    #[test]
    fn a_single_row_or_column_is_no_table() {
        assert!(table(&[&["a", "b"]]).is_none());
        assert!(table(&[&["a"], &["b"]]).is_none());
        assert!(table(&[]).is_none());
    }

    #[test]
    fn a_table_goes_on_with_its_header_repeated() {
        let mut first = table(&[&["a", "b"], &["1", "2"]]).unwrap();
        assert!(first.append(table(&[&["a", "b"], &["3", "4"]]).unwrap()).is_none());
        assert_eq!(first.size(), 6);
        assert!(first.append(table(&[&["a", "b", "c"], &["3", "4", "5"]]).unwrap()).is_some());
    }
}
