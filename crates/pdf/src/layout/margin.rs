//! Numbers of lines in the margin: they count the lines of a page, and are no part of its text.
//!
//! They stand below each other in a column of their own at a side of the page, and rise by one step. If each
//! line has one, numbers of items and of the rows of a table look alike: then the text beside them must go on
//! from line to line, or be code. If only each fifth has one, as many lines must be between them. On the
//! pages that follow, numbers at the same place are of lines too.

use std::collections::{BTreeMap, HashSet};

use pdfboss_text::TextSpan;

use super::token::{MAX_PLACE, Turn};

/// Fewest numbers, if each line has one and if not.
const MIN_NUMBERS: usize = 5;
const MIN_SPARSE: usize = 3;

/// Largest step from one number to the next.
const MAX_STEP: u32 = 10;

/// Most digits of a number.
const MAX_DIGITS: usize = 4;

/// Most columns of numbers that are tried at each side of a page.
const MAX_COLUMNS: usize = 3;

/// Where numbers below each other line up, as a share of their widths: at their right, left or middle.
const ALIGNS: [f32; 3] = [1.0, 0.0, 0.5];

/// Edges of numbers below each other differ by at most this, in points.
const SAME_EDGE: f32 = 2.0;

/// Narrowest gap between the numbers and the text, in sizes of the numbers.
const MIN_GAP: f32 = 0.4;

/// Texts on one line have bases that differ by at most this, in sizes of the text.
const SAME_BASE: f32 = 0.45;

/// A line of running text has at least this many characters.
const MIN_LINE_CHARS: usize = 25;

/// The column of the numbers of lines of the pages before.
#[derive(Debug, Default)]
pub(crate) struct Margin {
    column: Option<Column>,
}

/// A column of numbers.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Column {
    side: Side,
    align: f32,
    edge: f32,
}

/// A side of a page.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Side {
    Left,
    Right,
}

/// A text of the page. At the right side, places are mirrored.
#[derive(Debug, Clone, Copy)]
struct Piece<'t> {
    /// The index of its text.
    at: usize,
    text: &'t str,
    left: f32,
    right: f32,
    base: f32,
    size: f32,
    is_mono: bool,
    /// Its value, if it is a number.
    value: Option<u32>,
}

/// A line of text beside the numbers.
struct Row<'t> {
    base: f32,
    size: f32,
    first: Piece<'t>,
    last: Piece<'t>,
    chars: usize,
    mono: usize,
}

impl Margin {
    /// Drops the numbers of lines among the texts of the next page.
    pub(super) fn clear(&mut self, spans: &mut Vec<TextSpan>) {
        let pieces: Vec<Piece<'_>> =
            spans.iter().enumerate().filter_map(|(at, span)| Piece::of(at, span)).collect();
        let numbers = self.numbers(&pieces);
        if numbers.is_empty() {
            return;
        }
        let mut next = 0;
        spans.retain(|_| {
            next += 1;
            !numbers.contains(&(next - 1))
        });
    }

    /// The indexes of the texts that are numbers of lines.
    fn numbers(&mut self, pieces: &[Piece<'_>]) -> HashSet<usize> {
        let mut most: Option<(Column, HashSet<usize>)> = None;
        for side in [Side::Left, Side::Right] {
            let pieces: Vec<Piece<'_>> = pieces.iter().map(|piece| piece.seen_from(side)).collect();
            for align in ALIGNS {
                for (edge, numbers) in columns(&pieces, align) {
                    let column = Column { side, align, edge };
                    let found = self.of_lines(column, &numbers, &pieces);
                    if found.len() > most.as_ref().map_or(0, |(_, most)| most.len()) {
                        most = Some((column, found));
                    }
                }
            }
        }
        let Some((column, found)) = most else { return HashSet::new() };
        self.column = Some(column);
        found
    }

    /// The numbers of a column that count lines.
    fn of_lines(&self, column: Column, numbers: &[Piece<'_>], pieces: &[Piece<'_>]) -> HashSet<usize> {
        let is_known = self.column.is_some_and(|known| {
            known.side == column.side
                && known.align.total_cmp(&column.align).is_eq()
                && (known.edge - column.edge).abs() <= SAME_EDGE
        });
        let Some((step, run)) = longest_run(numbers) else { return HashSet::new() };
        let least = match step {
            _ if is_known => 1,
            1 => MIN_NUMBERS,
            _ => MIN_SPARSE,
        };
        if run.len() < least {
            return HashSet::new();
        }
        let Some(rows) = rows_beside(run, pieces, column.side) else { return HashSet::new() };
        let is_counted = is_known || counts(run, step, &rows);
        let mut found: HashSet<usize> = run.iter().map(|number| number.at).collect();
        // `1` before `5`, `10` and so on.
        let first = run.first().map_or(0.0, |first| first.base);
        let start = numbers.iter().filter(|number| number.value == Some(1) && number.base < first);
        if step > 1 {
            found.extend(start.map(|number| number.at));
        }
        if is_counted { found } else { HashSet::new() }
    }
}

impl<'t> Piece<'t> {
    fn of(at: usize, span: &'t TextSpan) -> Option<Self> {
        let text = span.text.trim();
        let (left, right) = (span.x.min(span.end_x), span.x.max(span.end_x));
        let is_placed = [left, right, span.y, span.size].iter().all(|place| place.abs() <= MAX_PLACE);
        if text.is_empty() || !is_placed || Turn::of(span) != Turn::Upright {
            return None;
        }
        Some(Self {
            at,
            text,
            left,
            right,
            base: -span.y,
            size: span.size.max(0.1),
            is_mono: span.monospace,
            value: value(text),
        })
    }

    fn seen_from(self, side: Side) -> Self {
        match side {
            Side::Left => self,
            Side::Right => Self { left: -self.right, right: -self.left, ..self },
        }
    }
}

/// The value of a text that is a number of digits only.
fn value(text: &str) -> Option<u32> {
    let is_number = (1..=MAX_DIGITS).contains(&text.len()) && text.bytes().all(|byte| byte.is_ascii_digit());
    text.parse().ok().filter(|_| is_number)
}

/// The outermost columns of numbers, each with its edge.
fn columns<'t>(pieces: &[Piece<'t>], align: f32) -> Vec<(f32, Vec<Piece<'t>>)> {
    let edge = |piece: &Piece<'_>| piece.left + align * (piece.right - piece.left);
    let mut numbers: Vec<Piece<'t>> = pieces.iter().filter(|piece| piece.value.is_some()).copied().collect();
    numbers.sort_by(|a, b| edge(a).total_cmp(&edge(b)));
    let mut columns: Vec<(f32, Vec<Piece<'t>>)> = Vec::new();
    for number in numbers {
        if columns.last().is_none_or(|(first, _)| edge(&number) - *first > SAME_EDGE) {
            if columns.len() == MAX_COLUMNS {
                break;
            }
            columns.push((edge(&number), Vec::new()));
        }
        if let Some((_, column)) = columns.last_mut() {
            column.push(number);
        }
    }
    for (_, column) in &mut columns {
        column.sort_by(|a, b| a.base.total_cmp(&b.base));
    }
    columns
}

/// The longest run of numbers, from the top, that rise by the usual step.
fn longest_run<'n, 't>(numbers: &'n [Piece<'t>]) -> Option<(u32, &'n [Piece<'t>])> {
    let step = |a: &Piece<'_>, b: &Piece<'_>| {
        let step = b.value?.checked_sub(a.value?)?;
        (1..=MAX_STEP).contains(&step).then_some(step)
    };
    let mut steps: BTreeMap<u32, usize> = BTreeMap::new();
    for pair in numbers.windows(2) {
        if let [a, b] = pair
            && let Some(step) = step(a, b)
        {
            *steps.entry(step).or_default() += 1;
        }
    }
    let usual = steps.into_iter().max_by_key(|(_, count)| *count).map_or(1, |(step, _)| step);
    let runs = numbers.chunk_by(|a, b| step(a, b) == Some(usual));
    runs.max_by_key(|run| run.len()).map(|run| (usual, run))
}

/// The lines beside numbers, from the top. `None` if a text stands among the numbers or outside of them.
fn rows_beside<'t>(run: &[Piece<'_>], pieces: &[Piece<'t>], side: Side) -> Option<Vec<Row<'t>>> {
    let (first, last) = (run.first()?, run.last()?);
    let size = run.iter().map(|number| number.size).fold(0.0, f32::max);
    let right = run.iter().map(|number| number.right).fold(f32::MIN, f32::max);
    let numbers: HashSet<usize> = run.iter().map(|number| number.at).collect();
    let is_beside = |piece: &&Piece<'_>| {
        let slack = 0.6 * piece.size.max(size);
        piece.base >= first.base - slack && piece.base <= last.base + slack && !numbers.contains(&piece.at)
    };
    let mut beside: Vec<Piece<'t>> = pieces.iter().filter(is_beside).copied().collect();
    if beside.iter().any(|piece| piece.left < right + MIN_GAP * size) {
        return None;
    }
    beside.sort_by(|a, b| a.base.total_cmp(&b.base));
    let mut rows: Vec<Row<'t>> = Vec::new();
    for piece in beside {
        let chars = piece.text.chars().count();
        let mono = if piece.is_mono { chars } else { 0 };
        // At the right side, the text ends where it seems to begin.
        let is_before = |a: &Piece<'_>, b: &Piece<'_>| (a.left < b.left) == (side == Side::Left);
        match rows.last_mut() {
            Some(row) if piece.base - row.base <= SAME_BASE * row.size.max(piece.size) => {
                row.chars += chars;
                row.mono += mono;
                row.size = row.size.max(piece.size);
                if is_before(&piece, &row.first) {
                    row.first = piece;
                }
                if is_before(&row.last, &piece) {
                    row.last = piece;
                }
            }
            _ => {
                rows.push(Row { base: piece.base, size: piece.size, first: piece, last: piece, chars, mono });
            }
        }
    }
    Some(rows)
}

/// Whether numbers with this step count the lines beside them.
fn counts(run: &[Piece<'_>], step: u32, rows: &[Row<'_>]) -> bool {
    // The index of the line that each number stands before.
    let row = |number: &Piece<'_>| {
        let at = rows.partition_point(|row| row.base < number.base - SAME_BASE * row.size);
        rows.get(at).filter(|row| row.base <= number.base + SAME_BASE * row.size).map(|_| at)
    };
    let places: Vec<Option<usize>> = run.iter().map(row).collect();
    if step > 1 {
        let is_step = |pair: &&[Option<usize>]| match pair {
            [Some(a), Some(b)] => b.checked_sub(*a) == Some(step as usize),
            _ => false,
        };
        return places.windows(2).filter(is_step).count() * 10 >= (run.len() - 1) * 8;
    }
    let numbered = places.iter().flatten().count();
    let (chars, mono) = rows.iter().fold((0, 0), |(chars, mono), row| (chars + row.chars, mono + row.mono));
    let is_code = mono * 10 >= chars * 9;
    rows.len() >= 2 && numbered * 10 >= rows.len() * 8 && (is_code || is_running(rows))
}

/// Whether sentences go on from line to line.
fn is_running(rows: &[Row<'_>]) -> bool {
    let goes_on = |pair: &&[Row<'_>]| match pair {
        [above, below] => {
            above.chars >= MIN_LINE_CHARS
                && above
                    .last
                    .text
                    .ends_with(|c: char| c.is_alphabetic() || matches!(c, ',' | '-' | '\u{2010}'))
                && below.first.text.starts_with(char::is_lowercase)
        }
        _ => false,
    };
    rows.windows(2).filter(goes_on).count() * 10 >= rows.len().saturating_sub(1) * 3
}

#[cfg(test)]
mod tests {
    use super::*;

    const LINES: [&str; 8] = [
        "The barge is made of oak and has been in the",
        "yard since June, when the guild of the town",
        "bought it. Each of the masters paid a share,",
        "and the town paid the rest. In winter the ice",
        "took the rudder, so that the barge lay at the",
        "quay until the smith had made another one. It",
        "was sold in May of the next year to a trader",
        "from the coast, who still has it.",
    ];

    fn piece(text: &'static str, left: f32, row: usize) -> Piece<'static> {
        let (right, base) = (left + 5.0 * text.len() as f32, 20.0 * row as f32);
        let (size, is_mono) = (10.0, false);
        Piece { at: 0, text, left, right, base, size, is_mono, value: value(text) }
    }

    /// The numbers that are dropped beside these lines.
    fn dropped(margin: &mut Margin, numbers: &[(&'static str, f32, usize)], lines: &[&'static str]) -> usize {
        let mut pieces: Vec<Piece<'static>> =
            numbers.iter().map(|(text, left, row)| piece(text, *left, *row)).collect();
        pieces.extend(lines.iter().enumerate().map(|(row, text)| piece(text, 50.0, row)));
        pieces.iter_mut().zip(0..).for_each(|(piece, at)| piece.at = at);
        let found = margin.numbers(&pieces);
        assert!(found.iter().all(|at| *at < numbers.len()), "{found:?}");
        found.len()
    }

    /// The numbers from 1 that line up at their right, or at the right side of the page.
    fn each_line(is_right: bool) -> Vec<(&'static str, f32, usize)> {
        let numbers = ["1", "2", "3", "4", "5", "6", "7", "8"];
        numbers
            .into_iter()
            .enumerate()
            .map(|(row, text)| (text, if is_right { 400.0 } else { 0.0 }, row))
            .collect()
    }

    #[test]
    fn numbers_of_each_line_are_dropped() {
        for is_right in [false, true] {
            assert_eq!(dropped(&mut Margin::default(), &each_line(is_right), &LINES), 8, "{is_right}");
        }
    }

    #[test]
    fn numbers_that_line_up_at_their_left_are_dropped() {
        let numbers = [("6", 0.0, 1), ("8", 0.0, 3), ("10", 0.0, 5), ("12", 0.0, 7)];
        assert_eq!(dropped(&mut Margin::default(), &numbers, &LINES), 4);
    }

    #[test]
    fn numbers_of_each_third_line_are_dropped() {
        let numbers = [("1", 5.0, 0), ("3", 5.0, 2), ("6", 5.0, 5), ("9", 5.0, 8), ("12", 0.0, 11)];
        let lines: Vec<&str> = LINES.iter().chain(&LINES).copied().collect();
        assert_eq!(dropped(&mut Margin::default(), &numbers, &lines), 5);
    }

    #[test]
    fn numbers_of_items_and_rows_stay() {
        let items =
            ["Granite", "Basalt", "Quartz", "the mill of the guild", "the weir", "Sources", "Index", "Ice"];
        assert_eq!(dropped(&mut Margin::default(), &each_line(false), &items), 0);
        // Each second line has one, and none is between.
        let numbers = [("1", 0.0, 0), ("2", 0.0, 2), ("3", 0.0, 3), ("4", 0.0, 5), ("5", 0.0, 6)];
        assert_eq!(dropped(&mut Margin::default(), &numbers, &LINES), 0);
        // A text is among them.
        let mut pieces = each_line(false);
        pieces.push(("see", 2.0, 4));
        assert_eq!(dropped(&mut Margin::default(), &pieces, &LINES), 0);
    }

    #[test]
    fn a_short_page_is_known_by_the_pages_before() {
        let mut margin = Margin::default();
        let short = [("9", 0.0, 0), ("10", -5.0, 1)];
        assert_eq!(dropped(&mut Margin::default(), &short, &LINES[6..]), 0);
        assert_eq!(dropped(&mut margin, &each_line(false), &LINES), 8);
        assert_eq!(dropped(&mut margin, &short, &LINES[6..]), 2);
    }
}
