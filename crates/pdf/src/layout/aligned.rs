//! Tables without lines: rows whose cells stand below each other.

use super::fragment::{Fragment, median};
use super::line::text;
use super::table::Table;
use super::text::{Text, Url};

/// Narrowest gap between two cells of a row, in sizes of the text.
const MIN_GAP: f32 = 1.0;

/// Narrowest strip without text between two columns.
const MIN_STRIP: f32 = 0.7;

/// Widest distance between the bases of two rows of a table, in sizes of the text.
const MAX_LEADING: f32 = 3.2;

/// A row below this distance, with one cell that is not in the first column, goes on with the row above.
const MAX_WRAP: f32 = 1.5;

/// Most characters of a usual cell of a table. Longer ones are columns of text.
const MAX_CELL_CHARS: usize = 60;

/// Most columns.
const MAX_COLUMNS: usize = 60;

/// Columns of text have lines of at least this many characters.
const MIN_LINE_CHARS: usize = 20;

/// A row this much nearer to the header above than usual is another line of its cells.
const NEARER: f32 = 0.75;

/// Rows of letters of one width with one of these are code: its gaps are no edges of cells.
const CODE: [&str; 10] = ["{", "}", "=", ";", "<", ">", "[", "]", "//", "/*"];

/// A row of a part of a page, or a table that takes the place of some.
pub(super) enum Piece {
    Row(Vec<Fragment>),
    Table(Table),
    /// The next row begins another column.
    Column,
}

/// Finds the tables among rows, which are in their order from the top.
pub(super) fn pieces(rows: Vec<Vec<Fragment>>, urls: &[Url]) -> Vec<Piece> {
    let mut pieces = Vec::with_capacity(rows.len());
    let mut rows = rows.into_iter().peekable();
    let mut run: Vec<Vec<Fragment>> = Vec::new();
    while let Some(row) = rows.next() {
        if run.last().is_some_and(|last| !is_near(last, &row)) {
            flush(&mut run, urls, &mut pieces);
        }
        // A row with one cell may be a part of a table that has begun.
        let mut goes_on = || {
            let next = rows.peek().is_some_and(|next| is_multiple(next) && is_near(&row, next));
            is_text(&row) && (next || is_wrapped(run.last(), &row))
        };
        if is_multiple(&row) || (!run.is_empty() && goes_on()) {
            run.push(row);
        } else {
            flush(&mut run, urls, &mut pieces);
            pieces.push(Piece::Row(row));
        }
    }
    flush(&mut run, urls, &mut pieces);
    pieces
}

fn is_text(row: &[Fragment]) -> bool {
    row.iter().all(|fragment| fragment.table.is_none())
}

/// Whether a row with one cell continues a cell of the row above.
fn is_wrapped(above: Option<&Vec<Fragment>>, row: &[Fragment]) -> bool {
    let (Some(above), [fragment]) = (above, row) else { return false };
    let mut lefts = above.iter().skip(usize::from(above.len() > 1)).map(|cell| cell.area.left);
    is_text(row) && lefts.any(|left| (left - fragment.area.left).abs() < fragment.size)
}

/// Whether a row has several cells.
fn is_multiple(row: &[Fragment]) -> bool {
    is_text(row)
        && row.windows(2).any(|pair| match pair {
            [a, b] => b.area.left - a.area.right >= MIN_GAP * a.size.max(b.size),
            _ => false,
        })
        && !is_code(row)
}

fn is_code(row: &[Fragment]) -> bool {
    let tokens = || row.iter().flat_map(|fragment| &fragment.tokens);
    tokens().all(|token| token.style.is_mono)
        && tokens().any(|token| CODE.iter().any(|sign| token.text.contains(sign)))
}

fn is_near(above: &[Fragment], below: &[Fragment]) -> bool {
    let (Some(a), Some(b)) = (above.first(), below.first()) else { return false };
    b.base - a.base <= MAX_LEADING * a.size.max(b.size)
}

/// Writes the rows as a table if they are one.
fn flush(run: &mut Vec<Vec<Fragment>>, urls: &[Url], pieces: &mut Vec<Piece>) {
    let rows = std::mem::take(run);
    if let Some(table) = table(&rows, urls) {
        pieces.push(Piece::Table(table));
        return;
    }
    match column_rows(rows) {
        Ok(columns) => {
            for column in columns {
                pieces.push(Piece::Column);
                pieces.extend(column.into_iter().map(Piece::Row));
            }
            pieces.push(Piece::Column);
        }
        Err(rows) => pieces.extend(rows.into_iter().map(Piece::Row)),
    }
}

/// A run of rows; each row is the fragments of a line.
type Rows = Vec<Vec<Fragment>>;

/// The rows of each column, if these are columns of text. `Err` has the rows as they are.
fn column_rows(rows: Rows) -> Result<Vec<Rows>, Rows> {
    let strips = strips(&rows);
    let column = |fragment: &Fragment| strips.partition_point(|strip| *strip <= fragment.area.left);
    let crosses = |fragment: &Fragment| {
        strips.iter().any(|strip| fragment.area.left < *strip && *strip < fragment.area.right)
    };
    let mut lines: Vec<Vec<String>> = vec![Vec::new(); strips.len() + 1];
    for fragment in rows.iter().flatten() {
        if let Some(lines) = lines.get_mut(column(fragment)) {
            lines.push(
                text(std::slice::from_ref(fragment), fragment.base, fragment.size, &[]).as_str().to_owned(),
            );
        }
    }
    let is_text = strips.len() < MAX_COLUMNS && lines.iter().all(|lines| is_running(lines.as_slice()));
    if strips.is_empty() || !is_text || rows.iter().flatten().any(crosses) {
        return Err(rows);
    }
    let mut columns: Vec<Rows> = vec![Vec::new(); strips.len() + 1];
    for row in rows {
        let mut parts: Rows = vec![Vec::new(); columns.len()];
        for fragment in row {
            if let Some(part) = parts.get_mut(column(&fragment)) {
                part.push(fragment);
            }
        }
        for (column, part) in columns.iter_mut().zip(parts) {
            if !part.is_empty() {
                column.push(part);
            }
        }
    }
    Ok(columns)
}

/// Whether lines are those of running text: they are long, and sentences go on from one to the next.
fn is_running<S: AsRef<str>>(lines: &[S]) -> bool {
    let chars: usize = lines.iter().map(|line| line.as_ref().chars().count()).sum();
    let goes_on = |pair: &&[S]| {
        let [above, below] = pair else { return false };
        above.as_ref().ends_with(|c: char| c.is_alphanumeric() || matches!(c, ',' | '-' | '\u{2010}'))
            && below.as_ref().starts_with(char::is_lowercase)
    };
    let going = lines.windows(2).filter(goes_on).count();
    lines.len() >= 2 && chars >= MIN_LINE_CHARS * lines.len() && going * 5 >= (lines.len() - 1) * 2
}

fn table(rows: &[Vec<Fragment>], urls: &[Url]) -> Option<Table> {
    let multiple = rows.iter().filter(|row| is_multiple(row)).count();
    if multiple < 2 {
        return None;
    }
    let strips = strips(rows);
    let columns = strips.len() + 1;
    if !(2..=MAX_COLUMNS).contains(&columns) || (columns == 2 && multiple < 3) {
        return None;
    }
    let column = |fragment: &Fragment| strips.partition_point(|strip| *strip <= fragment.area.left);
    let mut cells: Vec<Vec<Text>> = Vec::new();
    let mut last_base = f32::MIN;
    let near = NEARER * median(rows.windows(2).map(distance).collect());
    for row in rows {
        let mut texts = vec![Text::default(); columns];
        for fragment in row {
            let cell = text(std::slice::from_ref(fragment), fragment.base, fragment.size, urls);
            if let Some(slot) = texts.get_mut(column(fragment)) {
                slot.push_line(&cell);
            }
        }
        let (base, size) = row.first().map_or((0.0, 0.0), |fragment| (fragment.base, fragment.size));
        let filled = texts.iter().filter(|text| !text.is_empty()).count();
        let is_first = texts.first().is_some_and(|text| !text.is_empty());
        let distance = base - last_base;
        let is_header = cells.len() == 1 && distance <= near;
        let wraps = distance <= MAX_WRAP * size && ((!is_first && filled < columns.min(3)) || is_header);
        match cells.last_mut() {
            Some(above) if wraps => {
                for (cell, more) in above.iter_mut().zip(&texts) {
                    if !more.is_empty() {
                        cell.push_line(more);
                    }
                }
            }
            _ => cells.push(texts),
        }
        last_base = base;
    }
    is_tabular(&cells).then(|| Table::of(cells)).flatten()
}

/// The distance of the bases of two rows.
fn distance(rows: &[Vec<Fragment>]) -> f32 {
    match rows {
        [above, below] => above.first().zip(below.first()).map_or(0.0, |(a, b)| b.base - a.base),
        _ => 0.0,
    }
}

/// The middles of the strips between columns, from the left: nothing but rows with one cell crosses them.
fn strips(rows: &[Vec<Fragment>]) -> Vec<f32> {
    let mut spans: Vec<(f32, f32)> = Vec::new();
    let mut size = 0.0_f32;
    for fragment in rows.iter().filter(|row| is_multiple(row)).flatten() {
        spans.push((fragment.area.left, fragment.area.right));
        size = size.max(fragment.size);
    }
    spans.sort_by(|a, b| a.0.total_cmp(&b.0));
    let mut strips = Vec::new();
    let mut right: Option<f32> = None;
    for (start, end) in spans {
        if let Some(right) = right
            && start - right >= MIN_STRIP * size
        {
            strips.push((start + right) / 2.0);
        }
        right = Some(right.map_or(end, |right| right.max(end)));
    }
    strips
}

/// Whether cells are those of a table, and not a list, a table of contents or columns of text.
fn is_tabular(cells: &[Vec<Text>]) -> bool {
    let columns = cells.first().map_or(0, Vec::len);
    let of = |column: usize| -> Vec<&str> {
        let cells = cells.iter().filter_map(|row| row.get(column));
        cells.map(|cell| cell.as_str().trim()).filter(|cell| !cell.is_empty()).collect()
    };
    let all: Vec<Vec<&str>> = (0..columns).map(of).collect();
    let has_leaders = |cell: &&&str| cell.contains("....") || cell.contains(". . .") || cell.contains("…………");
    if all.iter().flatten().filter(has_leaders).count() * 4 > cells.len() {
        return false;
    }
    // Markers of a list before its items.
    let is_marker = |cell: &&&str| {
        let mut chars = cell.chars();
        let is_short = cell.chars().count() <= 4;
        is_short && (chars.next().is_some_and(|c| !c.is_alphanumeric()) || cell.ends_with(['.', ')']))
    };
    if columns == 2
        && let Some(first) = all.first()
        && first.iter().filter(is_marker).count() * 2 > first.len()
    {
        return false;
    }
    // Columns of text.
    if all.iter().filter(|column| is_running(column.as_slice())).count() * 2 > columns {
        return false;
    }
    let filled = all.iter().filter(|column| column.len() * 2 > cells.len()).count();
    let is_long = |column: &&Vec<&str>| {
        let chars: usize = column.iter().map(|cell| cell.chars().count()).sum();
        chars > MAX_CELL_CHARS * column.len().max(1)
    };
    filled >= 2 && all.iter().filter(is_long).count() * 2 < columns
}

#[cfg(test)]
mod tests {
    use super::super::fragment::tests::fragment;
    use super::super::line::part_rows;
    use super::*;

    fn found(rows: &[&[(&str, f32)]]) -> Vec<String> {
        let fragments = rows.iter().enumerate().flat_map(|(at, row)| {
            row.iter().map(move |(text, left)| fragment(text, *left, 12.0 * at as f32))
        });
        pieces(part_rows(fragments.collect()), &[])
            .into_iter()
            .map(|piece| match piece {
                Piece::Row(row) => text(&row, 0.0, 10.0, &[]).as_str().to_owned(),
                Piece::Table(table) => table.markdown(),
                Piece::Column => "column".to_owned(),
            })
            .collect()
    }

    #[test]
    fn cells_below_each_other_are_a_table() {
        let rows: [&[(&str, f32)]; 5] = [
            &[("Text before the table", 0.0)],
            &[("Name", 0.0), ("Size", 100.0), ("Price", 160.0)],
            &[("First thing", 0.0), ("10", 110.0), ("1.50", 165.0)],
            &[("Second", 0.0), ("200", 105.0), ("12.00", 160.0)],
            &[("Text after it with more words than a cell of the table has in a row", 0.0)],
        ];
        assert_eq!(
            found(&rows),
            [
                "Text before the table",
                "| Name | Size | Price |\n| --- | --- | --- |\n| First thing | 10 | 1.50 |\n\
                 | Second | 200 | 12.00 |",
                "Text after it with more words than a cell of the table has in a row",
            ]
        );
    }

    #[test]
    fn a_wrapped_cell_is_one_cell() {
        let rows: [&[(&str, f32)]; 4] = [
            &[("Name", 0.0), ("What it is", 100.0)],
            &[("First", 0.0), ("A thing with", 100.0)],
            &[("a long name", 100.0)],
            &[("Second", 0.0), ("Another thing", 100.0)],
        ];
        let found = found(&rows);
        assert_eq!(found.len(), 1, "{found:?}");
        assert!(found[0].contains("| First | A thing with a long name |"), "{found:?}");
    }

    #[test]
    fn comments_below_each_other_are_no_table() {
        let rows = || {
            [("int a;", "// first"), ("int bb;", "// second"), ("int c;", "// third")].into_iter().enumerate()
        };
        let fragments = |is_mono: bool| -> Vec<Fragment> {
            let mut all: Vec<Fragment> =
                rows().flat_map(|(at, (left, right))| row([left, right], 12.0 * at as f32)).collect();
            all.iter_mut().flat_map(|f| &mut f.tokens).for_each(|token| token.style.is_mono = is_mono);
            all
        };
        assert_eq!(pieces(part_rows(fragments(true)), &[]).len(), 3);
        assert_eq!(pieces(part_rows(fragments(false)), &[]).len(), 1);
    }

    fn row(cells: [&str; 2], base: f32) -> Vec<Fragment> {
        vec![fragment(cells[0], 0.0, base), fragment(cells[1], 100.0, base)]
    }

    #[test]
    fn rows_at_uneven_distances_stay_rows() {
        let rows = [
            row(["Time", "Stage"], 0.0),
            row(["11:00", "First"], 18.0),
            row(["11:40", "Second"], 36.0),
            row(["11:45", "Third"], 48.0),
            row(["12:20", "Fourth"], 66.0),
        ];
        let table = table(&rows, &[]).map(|table| table.markdown()).unwrap_or_default();
        assert!(table.contains("| 11:40 | Second |\n| 11:45 | Third |"), "{table}");
    }

    #[test]
    fn a_header_of_two_lines_is_one_row() {
        let rows = [
            row(["Name of", "Size of"], 0.0),
            row(["the thing", "it"], 12.0),
            row(["First", "10"], 30.0),
            row(["Second", "20"], 48.0),
            row(["Third", "30"], 66.0),
        ];
        let table = table(&rows, &[]).map(|table| table.markdown()).unwrap_or_default();
        assert!(table.starts_with("| Name of the thing | Size of it |\n"), "{table}");
    }

    #[test]
    fn columns_of_text_are_read_one_after_the_other() {
        let rows: [&[(&str, f32)]; 4] = [
            &[("The text of the left column", 0.0), ("while the column beside", 160.0)],
            &[("goes on from line to line", 0.0), ("it has other words that", 160.0)],
            &[("and has its own words as", 0.0), ("have to be read later", 160.0)],
            &[("long as it goes on.", 0.0), ("than all of the others.", 160.0)],
        ];
        let found = found(&rows);
        assert_eq!(found.len(), 11, "{found:?}");
        assert_eq!(found[4..7], ["long as it goes on.", "column", "while the column beside"]);
    }

    #[test]
    fn lists_and_tables_of_contents_are_no_tables() {
        let list: [&[(&str, f32)]; 3] = [
            &[("1.", 0.0), ("First", 30.0)],
            &[("2.", 0.0), ("Second", 30.0)],
            &[("3.", 0.0), ("Third", 30.0)],
        ];
        assert_eq!(found(&list), ["1. First", "2. Second", "3. Third"]);
        let contents: [&[(&str, f32)]; 3] = [
            &[("Chapter one .....", 0.0), ("1", 200.0)],
            &[("Chapter two .....", 0.0), ("22", 200.0)],
            &[("Chapter six .....", 0.0), ("36", 200.0)],
        ];
        assert_eq!(found(&contents).len(), 3);
    }
}
