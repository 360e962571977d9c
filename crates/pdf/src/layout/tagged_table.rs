//! The columns of cells that a file marks.
//!
//! Some writers leave out empty cells, so that the order of the cells of a row does not say their columns.
//! Where it does not, their places on the page do: cells below each other are of one column. If neither says
//! where all cells belong, there is no table: a number in a wrong column would be worse.

use super::text::Text;

/// Most columns.
pub(super) const MAX_COLUMNS: usize = 200;

/// Most rows that one cell goes over.
const MAX_ROWS: usize = 1_000;

/// Cells overlap if they do so by more than this, in points.
const OVERLAP: f32 = 1.0;

/// A cell of a table that the file marks.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct TaggedCell {
    pub(super) text: Text,
    /// Its left and right edge, if they are known.
    pub(super) across: Option<(f32, f32)>,
    /// The columns and rows that it goes over, from 1.
    pub(super) columns: usize,
    pub(super) rows: usize,
}

/// Cells with their columns, row by row.
type Rows = Vec<Vec<(usize, Text)>>;

/// Gives each cell its column. `Err` has the texts of each row if that is not possible.
pub(super) fn placed(rows: Vec<Vec<TaggedCell>>) -> Result<Rows, Rows> {
    let order = by_order(&rows);
    let is_sure = order.as_ref().is_some_and(|order| is_in_columns(&rows, order) || is_split(&rows));
    let place = if is_sure { None } else { by_place(&rows) };
    let places = match (order, place) {
        // The places show more columns than any row has cells.
        (Some((_, width)), Some((places, more))) if more > width => Some(places),
        (Some((places, _)), _) | (None, Some((places, _))) => Some(places),
        (None, None) => None,
    };
    let is_placed = places.is_some();
    let places = places.unwrap_or_else(|| rows.iter().map(|row| (0..row.len()).collect()).collect());
    let texts = |(row, places): (Vec<TaggedCell>, Vec<usize>)| -> Vec<(usize, Text)> {
        places.into_iter().zip(row.into_iter().map(|cell| cell.text)).collect()
    };
    let texts: Rows = rows.into_iter().zip(places).map(texts).collect();
    if is_placed { Ok(texts) } else { Err(texts) }
}

/// The column of each cell of each row, and the number of columns.
type Places = (Vec<Vec<usize>>, usize);

/// The columns by the order of the cells, if each row fills all columns.
fn by_order(rows: &[Vec<TaggedCell>]) -> Option<Places> {
    // For each column, how many more rows a cell above goes over.
    let mut held = vec![0_usize; MAX_COLUMNS + 1];
    let mut width: Option<usize> = None;
    let mut all = Vec::with_capacity(rows.len());
    for row in rows {
        let mut places = Vec::with_capacity(row.len());
        let mut next = held.clone();
        next.iter_mut().for_each(|held| *held = held.saturating_sub(1));
        let mut at = 0;
        let is_held = |at: usize| held.get(at).is_some_and(|held| *held > 0);
        for cell in row {
            while is_held(at) {
                at += 1;
            }
            places.push(at);
            for next in next.iter_mut().skip(at).take(cell.columns) {
                *next = cell.rows.clamp(1, MAX_ROWS) - 1;
            }
            at += cell.columns;
        }
        while is_held(at) {
            at += 1;
        }
        if at > MAX_COLUMNS || width.is_some_and(|width| width != at) {
            return None;
        }
        width = Some(at);
        held = next;
        all.push(places);
    }
    width.map(|width| (all, width))
}

/// Whether the cells of each column stand below each other, and the columns beside each other.
fn is_in_columns(rows: &[Vec<TaggedCell>], (places, width): &Places) -> bool {
    let mut edges: Vec<Option<(f32, f32)>> = vec![None; *width];
    for (cell, at) in rows.iter().flatten().zip(places.iter().flatten()) {
        if let (1, Some((left, right)), Some(edge)) = (cell.columns, cell.across, edges.get_mut(*at)) {
            let (least, most) = edge.unwrap_or((left, right));
            *edge = Some((least.min(left), most.max(right)));
        }
    }
    let edges: Vec<(f32, f32)> = edges.into_iter().flatten().collect();
    let rises = |pair: &[(f32, f32)]| matches!(pair, [a, b] if a.1 - b.0 <= OVERLAP);
    let falls = |pair: &[(f32, f32)]| matches!(pair, [a, b] if b.1 - a.0 <= OVERLAP);
    edges.windows(2).all(rises) || edges.windows(2).all(falls)
}

/// Whether some rows stand beside others: the table goes on in another column of the page.
fn is_split(rows: &[Vec<TaggedCell>]) -> bool {
    let edges = |row: &Vec<TaggedCell>| {
        row.iter()
            .filter_map(|cell| cell.across)
            .reduce(|(left, right), (other, end)| (left.min(other), right.max(end)))
    };
    let mut rows = rows.iter().filter_map(edges);
    let Some(first) = rows.next() else { return true };
    rows.any(|row| row.0 >= first.1 || row.1 <= first.0)
}

/// The columns by the places of the cells.
fn by_place(rows: &[Vec<TaggedCell>]) -> Option<Places> {
    let is_mirrored = is_mirrored(rows);
    let across = |cell: &TaggedCell| {
        cell.across.map(|(left, right)| if is_mirrored { (-right, -left) } else { (left, right) })
    };
    let mut edges: Vec<Vec<(f32, f32)>> = Vec::with_capacity(rows.len());
    for row in rows {
        edges.push(row.iter().map(across).collect::<Option<_>>()?);
    }
    let most = rows.iter().map(Vec::len).max()?;
    let full = rows.iter().zip(&edges).filter(|(row, _)| row.len() == most);
    let single = |(row, edges): (&Vec<TaggedCell>, &Vec<(f32, f32)>)| {
        let single = row.iter().zip(edges).filter(|(cell, _)| cell.columns == 1);
        single.map(|(_, edges)| *edges).collect::<Vec<_>>()
    };
    let mut columns = joined(full.flat_map(single).collect());
    // What stands in no column of the full rows may be another column.
    let others = rows.iter().zip(&edges).filter(|(row, _)| row.len() < most).flat_map(single);
    let apart: Vec<(f32, f32)> = others.filter(|edges| overlapped(&columns, *edges).is_empty()).collect();
    for (edges, count) in counted(apart) {
        if count > 1 {
            columns.push(edges);
        }
    }
    columns.sort_by(|a, b| a.0.total_cmp(&b.0));
    let width = columns.len();
    let mut all = Vec::with_capacity(rows.len());
    for row in &edges {
        all.push(row_places(row, &columns)?);
    }
    (width <= MAX_COLUMNS).then_some((all, width))
}

/// The columns of the cells of a row, if no two have the same.
fn row_places(row: &[(f32, f32)], columns: &[(f32, f32)]) -> Option<Vec<usize>> {
    let mut places: Vec<usize> = Vec::with_capacity(row.len());
    for edges in row {
        let found = overlapped(columns, *edges);
        let free = places.last().map_or(0, |last| last + 1);
        let place = if found.is_empty() { nearest(columns, *edges) } else { found.start };
        if place < free || place >= columns.len() {
            return None;
        }
        places.push(place);
    }
    Some(places)
}

/// The columns, from the left, that a cell overlaps.
fn overlapped(columns: &[(f32, f32)], (left, right): (f32, f32)) -> std::ops::Range<usize> {
    // A narrow cell is within a column.
    let slack = OVERLAP.min((right - left) / 4.0);
    let start = columns.partition_point(|column| column.1 <= left + slack);
    let end = columns.partition_point(|column| column.0 < right - slack);
    start..end.max(start)
}

/// The column beside a cell that is in none. The head of two columns stands between them: it belongs to the
/// left one.
fn nearest(columns: &[(f32, f32)], (left, right): (f32, f32)) -> usize {
    let after = columns.partition_point(|column| column.0 < left);
    let Some(before) = after.checked_sub(1) else { return after };
    let distance = |at: usize| {
        columns.get(at).map_or(f32::MAX, |column| (left - column.1).max(column.0 - right).max(0.0))
    };
    if distance(before) <= 1.3 * distance(after) { before } else { after }
}

/// Joins edges that overlap, from the left.
fn joined(edges: Vec<(f32, f32)>) -> Vec<(f32, f32)> {
    counted(edges).into_iter().map(|(edges, _)| edges).collect()
}

/// The same, and of how many each is joined.
fn counted(mut edges: Vec<(f32, f32)>) -> Vec<((f32, f32), usize)> {
    edges.sort_by(|a, b| a.0.total_cmp(&b.0));
    let mut all: Vec<((f32, f32), usize)> = Vec::new();
    for (left, right) in edges {
        match all.last_mut() {
            Some((last, count)) if left < last.1 - OVERLAP.min((right - left) / 4.0) => {
                last.1 = last.1.max(right);
                *count += 1;
            }
            _ => all.push(((left, right), 1)),
        }
    }
    all
}

/// Whether the cells of most rows follow each other from right to left.
fn is_mirrored(rows: &[Vec<TaggedCell>]) -> bool {
    let (mut falling, mut all) = (0, 0);
    for pair in rows.iter().flat_map(|row| row.windows(2)) {
        if let [TaggedCell { across: Some(a), .. }, TaggedCell { across: Some(b), .. }] = pair {
            falling += usize::from(b.0 < a.0);
            all += 1;
        }
    }
    falling * 2 > all
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A cell with letters of 5 points, over this many columns.
    fn cell(text: &str, left: f32, columns: usize) -> TaggedCell {
        let right = left + 5.0 * text.len() as f32;
        TaggedCell { text: Text::plain(text), across: Some((left, right)), columns, rows: 1 }
    }

    fn row(cells: &[(&str, f32)]) -> Vec<TaggedCell> {
        cells.iter().map(|(text, left)| cell(text, *left, 1)).collect()
    }

    fn found(rows: Vec<Vec<TaggedCell>>) -> Option<Vec<String>> {
        let line = |row: &Vec<(usize, Text)>| {
            let cells: Vec<String> = row.iter().map(|(at, text)| format!("{at}{}", text.as_str())).collect();
            cells.join(" ")
        };
        placed(rows).ok().map(|rows| rows.iter().map(line).collect())
    }

    #[test]
    fn empty_cells_that_are_left_out_keep_their_columns() {
        let rows = vec![
            row(&[("2021", 100.0), ("2022", 150.0), ("2023", 200.0)]),
            row(&[("Wheat", 0.0), ("5", 115.0), ("7", 165.0), ("9", 215.0)]),
            row(&[("Rye", 0.0), ("3", 165.0), ("4", 215.0)]),
            row(&[("Oats", 0.0), ("2", 115.0), ("8", 215.0)]),
        ];
        let expected = ["12021 22022 32023", "0Wheat 15 27 39", "0Rye 23 34", "0Oats 12 38"];
        assert_eq!(found(rows).unwrap(), expected);
    }

    #[test]
    fn rows_with_as_many_cells_may_have_other_columns() {
        let rows = vec![
            row(&[("2021", 100.0), ("2022", 150.0)]),
            row(&[("Wheat", 0.0), ("7", 165.0)]),
            row(&[("Rye", 0.0), ("3", 115.0)]),
        ];
        assert_eq!(found(rows).unwrap(), ["12021 22022", "0Wheat 27", "0Rye 13"]);
    }

    #[test]
    fn full_rows_have_the_order_of_their_cells() {
        // The head is at the left of its column, the numbers are at the right.
        let rows = vec![row(&[("Name", 0.0), ("Days", 100.0)]), row(&[("Rye", 0.0), ("3", 180.0)])];
        assert_eq!(found(rows).unwrap(), ["0Name 1Days", "0Rye 13"]);
        // From right to left.
        let rows = vec![row(&[("Name", 180.0), ("Days", 100.0)]), row(&[("Rye", 180.0), ("3", 100.0)])];
        assert_eq!(found(rows).unwrap(), ["0Name 1Days", "0Rye 13"]);
    }

    #[test]
    fn cells_over_columns_and_rows_are_counted() {
        let mut first = vec![cell("Grain", 0.0, 1), cell("Sacks", 120.0, 2)];
        first[0].rows = 2;
        let rows = vec![
            first,
            row(&[("2021", 100.0), ("2022", 150.0)]),
            row(&[("Rye", 0.0), ("3", 115.0), ("4", 165.0)]),
        ];
        assert_eq!(found(rows).unwrap(), ["0Grain 1Sacks", "12021 22022", "0Rye 13 24"]);
    }

    #[test]
    fn a_total_is_below_its_numbers() {
        let rows = vec![
            row(&[("Grain", 0.0), ("Sacks", 100.0), ("Price", 150.0)]),
            row(&[("Rye", 0.0), ("3", 120.0), ("4", 170.0)]),
            row(&[("Total", 0.0), ("12", 165.0)]),
        ];
        assert_eq!(found(rows).unwrap()[2], "0Total 212");
    }

    #[test]
    fn cells_that_cannot_be_placed_are_no_table() {
        let mut rows = vec![
            row(&[("a", 0.0), ("b", 50.0), ("c", 100.0)]),
            row(&[("d", 0.0), ("e", 52.0), ("f", 100.0)]),
            row(&[("g", 98.0), ("h", 101.0)]),
        ];
        assert_eq!(found(rows.clone()), None);
        rows[2][0].across = None;
        assert_eq!(found(rows), None);
    }
}
