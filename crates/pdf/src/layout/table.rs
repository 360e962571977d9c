//! A table: rows of cells.

use super::text::Text;

/// Rows of cells. All rows have the same number of cells, at least two.
#[derive(Debug, Clone, Default, PartialEq)]
pub(crate) struct Table {
    rows: Vec<Vec<Text>>,
}

impl Table {
    /// A table of these rows, without the rows and columns that have no text. `None` if fewer than two rows
    /// or columns are left.
    pub(super) fn of(mut rows: Vec<Vec<Text>>) -> Option<Self> {
        rows.retain(|row| row.iter().any(|cell| !cell.is_empty()));
        let columns = rows.iter().map(Vec::len).max().unwrap_or(0);
        let has_text: Vec<bool> = (0..columns)
            .map(|column| rows.iter().any(|row| row.get(column).is_some_and(|cell| !cell.is_empty())))
            .collect();
        for row in &mut rows {
            row.resize(columns, Text::default());
            let mut kept = has_text.iter();
            row.retain(|_| kept.next().is_some_and(|kept| *kept));
        }
        let is_table = rows.len() >= 2 && rows.first().is_some_and(|row| row.len() >= 2);
        is_table.then_some(Self { rows })
    }

    pub(crate) fn rows(&self) -> &[Vec<Text>] {
        &self.rows
    }

    /// Its texts, cell by cell.
    pub(crate) fn cells(&self) -> impl Iterator<Item = &Text> {
        self.rows.iter().flatten().filter(|cell| !cell.is_empty())
    }

    /// Appends the rows of another table, if it has as many columns.
    pub(crate) fn append(&mut self, other: Self) -> Option<Self> {
        let columns = |table: &Self| table.rows.first().map_or(0, Vec::len);
        if columns(self) != columns(&other) {
            return Some(other);
        }
        let is_header = |row: &Vec<Text>| self.rows.first() == Some(row);
        let skip = usize::from(other.rows.first().is_some_and(is_header));
        self.rows.extend(other.rows.into_iter().skip(skip));
        None
    }

    /// The Markdown of the table. The first row is its header.
    pub(crate) fn markdown(&self) -> String {
        let mut out = String::new();
        for (at, row) in self.rows.iter().enumerate() {
            out.push('|');
            for cell in row {
                out.push(' ');
                out.push_str(&cell.markdown().replace('|', "\\|"));
                out.push_str(" |");
            }
            out.push('\n');
            if at == 0 {
                out.push('|');
                row.iter().for_each(|_| out.push_str(" --- |"));
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
    fn a_single_row_or_column_is_no_table() {
        assert!(table(&[&["a", "b"]]).is_none());
        assert!(table(&[&["a"], &["b"]]).is_none());
        assert!(table(&[]).is_none());
    }

    #[test]
    fn a_table_goes_on_with_its_header_repeated() {
        let mut first = table(&[&["a", "b"], &["1", "2"]]).unwrap();
        assert!(first.append(table(&[&["a", "b"], &["3", "4"]]).unwrap()).is_none());
        assert_eq!(first.rows().len(), 3);
        assert!(first.append(table(&[&["a", "b", "c"], &["3", "4", "5"]]).unwrap()).is_some());
    }
}
