//! Tables that go over two columns of text: rows of cells on both sides of the gutter, between lines that
//! fill the columns. Read one column after the other, each row would be broken in two.

use super::fragment::{Fragment, median};

/// Fewest rows with cells on both sides, and cells of such a row.
const MIN_ROWS: usize = 3;
const MIN_CELLS: usize = 3;

/// A cell is at most this share of the column as wide, and has at most as many characters.
const MAX_WIDTH: f32 = 0.75;
const MAX_CHARS: usize = 40;

/// Widest distance between the bases of two rows, in sizes of the text.
const MAX_LEADING: f32 = 3.2;

/// Narrowest strip without text between two columns of the table, in sizes of the text.
const MIN_STRIP: f32 = 0.7;

/// A title above the table is at least this far from the text above it, in sizes of the text.
const MIN_TITLE_GAP: f32 = 1.8;

/// Fewest lines of text on each side, and characters of a usual one.
const MIN_LINES: usize = 3;
const MIN_LINE_CHARS: f32 = 18.0;

/// The bases of the first and of the last row of a table.
pub(super) type Band = (f32, f32);

/// A row of fragments.
#[derive(Debug)]
struct Row {
    base: f32,
    size: f32,
    /// From the left: the edges of each fragment.
    cells: Vec<(f32, f32)>,
    /// All of them may be cells.
    is_short: bool,
    /// And they are on both sides of the gutter.
    is_across: bool,
}

/// Whether a line with this base is in one of the bands, which are in their order from the top.
pub(super) fn is_in(bands: &[Band], base: f32) -> bool {
    let at = bands.partition_point(|band| band.1 < base);
    bands.get(at).is_some_and(|band| band.0 <= base)
}

/// The tables that go over a gutter, from the top.
pub(super) fn bands(fragments: &[Fragment], gutter: f32) -> Vec<Band> {
    let rows = rows(fragments, gutter);
    let follows =
        |a: &Row, b: &Row| a.is_short && b.is_short && b.base - a.base <= MAX_LEADING * a.size.max(b.size);
    let mut bands = Vec::new();
    let mut offset = 0;
    for run in rows.chunk_by(follows) {
        let ends = run.iter().position(|row| row.is_across).zip(run.iter().rposition(|row| row.is_across));
        if let Some((first, last)) = ends
            && let Some(table) = run.get(first..=last)
            && is_table(table)
        {
            bands.extend(band(table, rows.get(..offset + first).unwrap_or_default(), gutter));
        }
        offset += run.len();
    }
    if !bands.is_empty() && !is_between_text(fragments, gutter, &bands) {
        bands.clear();
    }
    bands
}

fn rows(fragments: &[Fragment], gutter: f32) -> Vec<Row> {
    // The text of a column may end before its gutter.
    let (mut left, mut right) = ((f32::MAX, f32::MIN), (f32::MAX, f32::MIN));
    for area in fragments.iter().map(|fragment| fragment.area) {
        if area.right <= gutter {
            left = (left.0.min(area.left), left.1.max(area.right));
        } else if area.left >= gutter {
            right = (right.0.min(area.left), right.1.max(area.right));
        }
    }
    let (left, right) = (left.1 - left.0, right.1 - right.0);
    let is_cell = |fragment: &Fragment| {
        let (is_left, is_right) = (fragment.area.right <= gutter, fragment.area.left >= gutter);
        let width = if is_left { left } else { right };
        let is_small = fragment.chars <= MAX_CHARS && fragment.width() <= MAX_WIDTH * width;
        // No text of a column crosses the gutter.
        fragment.table.is_none() && (is_small || !(is_left || is_right))
    };
    let mut sorted: Vec<&Fragment> = fragments.iter().collect();
    sorted.sort_by(|a, b| a.base.total_cmp(&b.base));
    let is_same = |a: &&Fragment, b: &&Fragment| b.base - a.base <= 0.2 * a.size.min(b.size);
    let row = |row: &[&Fragment]| {
        let mut cells: Vec<(f32, f32)> =
            row.iter().map(|fragment| (fragment.area.left, fragment.area.right)).collect();
        cells.sort_by(|a, b| a.0.total_cmp(&b.0));
        let is_short = row.iter().all(|fragment| is_cell(fragment));
        let starts = cells.first().is_some_and(|cell| cell.0 < gutter);
        let ends = cells.last().is_some_and(|cell| cell.1 > gutter);
        Row {
            base: row.first().map_or(0.0, |fragment| fragment.base),
            size: row.iter().map(|fragment| fragment.size).fold(0.0, f32::max),
            is_across: is_short && starts && ends && cells.len() >= MIN_CELLS,
            is_short,
            cells,
        }
    };
    sorted.chunk_by(is_same).map(row).collect()
}

/// Whether enough rows go over the gutter, with cells below each other.
fn is_table(rows: &[Row]) -> bool {
    let across = rows.iter().filter(|row| row.is_across).count();
    let size = rows.iter().map(|row| row.size).fold(0.0, f32::max);
    let mut cells: Vec<(f32, f32)> = rows.iter().flat_map(|row| &row.cells).copied().collect();
    cells.sort_by(|a, b| a.0.total_cmp(&b.0));
    let (mut columns, mut right) = (0, f32::MIN);
    for (start, end) in cells {
        if start - right >= MIN_STRIP * size {
            columns += 1;
        }
        right = right.max(end);
    }
    across >= MIN_ROWS && across * 2 >= rows.len() && columns >= MIN_CELLS
}

/// The band of a table, with its title among the rows above it. `None` if it may be two tables.
fn band(table: &[Row], above: &[Row], gutter: f32) -> Option<Band> {
    let (first, last) = (table.first()?, table.last()?);
    let near = |row: &&Row| first.base - row.base <= MAX_LEADING * first.size.max(row.size);
    let Some(title) = above.last().filter(near).filter(|row| row.is_short) else {
        return Some((first.base, last.base));
    };
    // Two titles beside each other, each at the left of its column, are of two tables.
    let at_right = |row: &Row| row.cells.iter().find(|cell| cell.0 >= gutter).map(|cell| cell.0);
    let is_pair = title.cells.len() == 2
        && at_right(title).zip(at_right(first)).is_some_and(|(a, b)| (a - b).abs() <= 0.5 * first.size);
    if is_pair {
        return None;
    }
    let before = above.len().checked_sub(2).and_then(|at| above.get(at));
    let is_apart = before.is_none_or(|before| title.base - before.base >= MIN_TITLE_GAP * title.size);
    let top = if title.cells.len() == 1 && is_apart { title.base } else { first.base };
    Some((top, last.base))
}

/// Whether there are columns of text on both sides of the gutter besides the tables.
fn is_between_text(fragments: &[Fragment], gutter: f32, bands: &[Band]) -> bool {
    let is_outside = |line: &&Fragment| !is_in(bands, line.base);
    let left = fragments.iter().filter(|line| line.area.right <= gutter);
    let right = fragments.iter().filter(|line| line.area.left >= gutter);
    is_text(left.filter(is_outside)) && is_text(right.filter(is_outside))
}

fn is_text<'f>(lines: impl Iterator<Item = &'f Fragment>) -> bool {
    let chars: Vec<f32> = lines.map(|line| line.chars as f32).collect();
    chars.len() >= MIN_LINES && median(chars) >= MIN_LINE_CHARS
}

#[cfg(test)]
mod tests {
    use super::super::fragment::tests::fragment;
    use super::*;

    /// Two columns of text, with lines at these bases.
    fn text(bases: &[f32]) -> Vec<Fragment> {
        let line = |left: f32, base: f32| fragment("the words of a line of text that fills it", left, base);
        bases.iter().flat_map(|base| [line(0.0, *base), line(240.0, *base)]).collect()
    }

    fn table(lefts: &[f32], bases: &[f32]) -> Vec<Fragment> {
        let row = |base: f32| lefts.iter().map(move |left| fragment("123", *left, base));
        bases.iter().flat_map(|base| row(*base)).collect()
    }

    #[test]
    fn rows_on_both_sides_of_a_gutter_are_a_table() {
        let mut page = text(&[0.0, 12.0, 24.0, 36.0]);
        page.push(fragment("Table 1", 0.0, 60.0));
        page.extend(table(&[0.0, 100.0, 250.0, 350.0], &[76.0, 88.0, 100.0]));
        page.extend(text(&[130.0, 142.0]));
        assert_eq!(bands(&page, 220.0), [(60.0, 100.0)]);
        assert!(is_in(&[(60.0, 100.0)], 88.0) && !is_in(&[(60.0, 100.0)], 36.0));
    }

    #[test]
    fn a_cell_may_cross_the_gutter() {
        let mut page = text(&[0.0, 12.0, 24.0, 36.0]);
        page.extend(table(&[0.0, 400.0], &[76.0, 88.0, 100.0]));
        let long = [76.0, 88.0, 100.0]
            .map(|base| fragment("a long text that crosses the gutter as a cell", 60.0, base));
        page.extend(long);
        assert_eq!(bands(&page, 220.0), [(76.0, 100.0)]);
    }

    #[test]
    fn a_table_in_one_column_is_no_wide_one() {
        let mut page = text(&[0.0, 12.0, 24.0, 36.0]);
        page.extend(table(&[0.0, 100.0], &[60.0, 72.0, 84.0]));
        let beside = [60.0, 72.0, 84.0];
        page.extend(beside.map(|base| fragment("the words of a line of text that fills it", 240.0, base)));
        assert!(bands(&page, 220.0).is_empty());
    }

    #[test]
    fn two_tables_with_titles_are_two() {
        let mut page = text(&[0.0, 12.0, 24.0, 36.0]);
        page.extend([fragment("Table 1", 0.0, 60.0), fragment("Table 2", 240.0, 60.0)]);
        page.extend(table(&[0.0, 100.0, 240.0, 350.0], &[76.0, 88.0, 100.0]));
        assert!(bands(&page, 220.0).is_empty());
    }

    #[test]
    fn rows_without_text_around_them_are_left_to_the_columns() {
        let page = table(&[0.0, 100.0, 250.0, 350.0], &[0.0, 12.0, 24.0, 36.0]);
        assert!(bands(&page, 220.0).is_empty());
    }
}
