//! Cells of tables in their right row and column.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use super::outline::{Kind, Outline};
use super::truth::Truth;
use super::words;

/// Counts of cells that are not empty.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct Cells {
    pub(super) right: usize,
    /// In the truth.
    pub(super) wanted: usize,
    /// In the tables of the output.
    pub(super) found: usize,
}

/// A row of the truth belongs to the row of the output that shares most cells with it. A column of a table
/// belongs to the place where most of its cells are. A cell is right if it is in both.
pub(super) fn measure(truth: &Truth, outline: &Outline) -> Cells {
    let keys = |row: &Vec<String>| row.iter().map(|cell| words::key(cell)).collect::<Vec<_>>();
    let rows: Vec<Vec<String>> = outline.of(&[Kind::Table]).flat_map(|part| &part.rows).map(keys).collect();
    let mut places: HashMap<&str, BTreeSet<usize>> = HashMap::new();
    for (at, row) in rows.iter().enumerate() {
        for cell in row.iter().filter(|cell| !cell.is_empty()) {
            places.entry(cell).or_default().insert(at);
        }
    }
    let mut cells = Cells { found: filled(&rows), ..Cells::default() };
    let mut used = BTreeSet::new();
    for table in truth.of("table") {
        let table: Vec<Vec<String>> = table.rows.iter().map(keys).collect();
        cells.wanted += filled(&table);
        let mut placed: Vec<(&[String], &[String])> = Vec::new();
        for row in &table {
            let near: BTreeSet<usize> =
                row.iter().filter_map(|cell| places.get(cell.as_str())).flatten().copied().collect();
            let Some((at, found)) = nearest(row, &rows, &near, &used) else { continue };
            used.insert(at);
            placed.push((row.as_slice(), found));
        }
        let columns = columns(&placed);
        for (row, found) in placed {
            let right = row.iter().enumerate().filter(|(column, cell)| {
                let place = columns.get(column).and_then(|place| found.get(*place));
                !cell.is_empty() && place == Some(*cell)
            });
            cells.right += right.count();
        }
    }
    cells
}

fn filled(rows: &[Vec<String>]) -> usize {
    rows.iter().flatten().filter(|cell| !cell.is_empty()).count()
}

/// The first unused row that shares most cells.
fn nearest<'a>(
    row: &[String],
    rows: &'a [Vec<String>],
    near: &BTreeSet<usize>,
    used: &BTreeSet<usize>,
) -> Option<(usize, &'a [String])> {
    let own = words::count(row.iter().cloned());
    let mut best: Option<(usize, usize, &[String])> = None;
    for at in near.difference(used) {
        let Some(found) = rows.get(*at) else { continue };
        let shared = words::common(&own, &words::count(found.iter().cloned()));
        if best.is_none_or(|(most, ..)| shared > most) {
            best = Some((shared, *at, found.as_slice()));
        }
    }
    best.map(|(_, at, found)| (at, found))
}

/// For each column of the truth, the place where most of its cells are; of equal ones the first.
fn columns(placed: &[(&[String], &[String])]) -> BTreeMap<usize, usize> {
    let mut votes: BTreeMap<usize, BTreeMap<usize, usize>> = BTreeMap::new();
    for (row, found) in placed {
        for (column, cell) in row.iter().enumerate().filter(|(_, cell)| !cell.is_empty()) {
            for (place, _) in found.iter().enumerate().filter(|(_, other)| *other == cell) {
                *votes.entry(column).or_default().entry(place).or_default() += 1;
            }
        }
    }
    let most = |votes: BTreeMap<usize, usize>| {
        votes.into_iter().max_by(|(one, votes), (other, more)| votes.cmp(more).then(other.cmp(one)))
    };
    votes.into_iter().filter_map(|(column, votes)| Some((column, most(votes)?.0))).collect()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn cells(markdown: &str) -> Cells {
        let rows = json!([["name", "size"], ["oak", "12"], ["elm", "7"]]);
        let truth = Truth::new(&json!({ "blocks": [{ "kind": "table", "rows": rows }] }));
        measure(&truth, &Outline::new(markdown))
    }

    #[test]
    fn cells_count_in_their_row_and_column() {
        let whole = cells("| Name | Size |\n|---|---|\n| oak | 12 |\n| elm | 7 |\n");
        assert_eq!(whole, Cells { right: 6, wanted: 6, found: 6 });
        let moved = cells("| Name | Size |\n|---|---|\n| oak | 12 |\n| 7 | elm |\n");
        assert_eq!(moved, Cells { right: 4, wanted: 6, found: 6 });
        let shifted = cells("| | Name | Size |\n|---|---|---|\n| x | oak | 12 |\n| y | elm | |\n");
        assert_eq!(shifted, Cells { right: 5, wanted: 6, found: 7 });
        assert_eq!(cells("oak 12\n\nelm 7"), Cells { right: 0, wanted: 6, found: 0 });
    }
}
