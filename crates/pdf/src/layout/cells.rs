//! Cells of a table that stand closer to each other than words of one line may: fragments are divided where
//! the words of many rows line up.
//!
//! A place at which words of nearly all of at least [`MIN_ROWS`] rows begin or end, which no word crosses, and
//! before which most gaps are wide, is the edge of a column. In running text words line up by chance only. A
//! row is divided if one of its gaps at edges is wide, and only between words.

use std::collections::BTreeMap;

use super::fragment::{Fragment, median, rows};
use super::line::spaces;
use super::token::Token;

/// Fewest rows whose words line up.
const MIN_ROWS: usize = 5;

/// Least share of the rows between the first and the last of them, in percent.
const MIN_ALIGNED: usize = 90;

/// Rows without a word at an edge after which it ends.
const MAX_MISSED: usize = 2;

/// Words line up within this many sizes of the text.
const SLACK: f32 = 0.12;

/// A gap of at least this many sizes is wider than those of usual text.
const MIN_WIDE: f32 = 0.55;

/// Widest distance between two rows, in sizes of the text.
const MAX_LEADING: f32 = 3.2;

/// The gap that divided cells have for the steps that follow, in sizes of the text.
const GAP: f32 = 1.1;

/// A number before an item or heading has at most this many characters.
const MAX_MARKER_CHARS: usize = 5;

/// Tokens of a fragment without a space between them.
struct Word<'f> {
    tokens: &'f [Token],
    left: f32,
    right: f32,
}

impl<'f> Word<'f> {
    fn of(tokens: &'f [Token]) -> Self {
        let left = tokens.iter().map(|token| token.left).fold(f32::MAX, f32::min);
        let right = tokens.iter().map(|token| token.right).fold(f32::MIN, f32::max);
        Self { tokens, left, right }
    }

    fn column(&self, cuts: &[f32]) -> usize {
        let middle = (self.left + self.right) / 2.0;
        cuts.partition_point(|cut| *cut <= middle)
    }

    fn is_mono(&self) -> bool {
        self.tokens.iter().any(|token| token.style.is_mono)
    }

    /// Whether it may be the number of an item or heading.
    fn is_marker(&self) -> bool {
        let chars = || self.tokens.iter().flat_map(|token| token.text.chars());
        chars().count() <= MAX_MARKER_CHARS && !chars().any(char::is_alphabetic)
    }
}

/// The words of a fragment.
fn words(fragment: &Fragment) -> Vec<Word<'_>> {
    let spaces = spaces(&fragment.tokens);
    let mut words = Vec::new();
    let mut start = 0;
    for end in 1..=fragment.tokens.len() {
        let is_end = spaces.get(end - 1).copied().unwrap_or(true);
        if is_end && let Some(tokens) = fragment.tokens.get(start..end) {
            words.push(Word::of(tokens));
            start = end;
        }
    }
    words
}

/// A place at which words of rows line up.
#[derive(Debug, Clone, Copy)]
struct Edge {
    at: f32,
    first: usize,
    last: usize,
    count: usize,
    /// Rows with a wide gap there.
    wide: usize,
}

/// Edges by their places: those that may go on, and those that have ended.
struct Edges {
    step: f32,
    min_wide: f32,
    open: BTreeMap<i64, Edge>,
    ended: Vec<Edge>,
}

impl Edges {
    fn cell(&self, place: f32) -> i64 {
        (place / self.step).round() as i64
    }

    /// Ends what a word crosses.
    fn cross(&mut self, word: &Word<'_>) {
        let (first, last) = (self.cell(word.left) + 2, self.cell(word.right) - 2);
        if first > last {
            return;
        }
        let crossed: Vec<i64> = self.open.range(first..=last).map(|(cell, _)| *cell).collect();
        for cell in crossed {
            self.ended.extend(self.open.remove(&cell));
        }
    }

    /// Notes that a word of a row begins or ends at a place. The first word of a row has no gap before it.
    fn note(&mut self, place: f32, row: usize, gap: Option<f32>) {
        let cell = self.cell(place);
        let near = [cell, cell - 1, cell + 1].into_iter().find(|near| self.open.contains_key(near));
        if let Some(near) = near
            && let Some(edge) = self.open.get_mut(&near)
        {
            if row - edge.last <= MAX_MISSED {
                if edge.last < row {
                    edge.count += 1;
                    edge.wide += usize::from(gap.is_some_and(|gap| gap >= self.min_wide));
                }
                edge.last = row;
                return;
            }
            self.ended.extend(self.open.remove(&near));
        }
        if let Some(gap) = gap {
            let wide = usize::from(gap >= self.min_wide);
            self.open.insert(cell, Edge { at: place, first: row, last: row, count: 1, wide });
        }
    }

    fn end_all(&mut self) {
        self.ended.extend(std::mem::take(&mut self.open).into_values());
    }
}

/// Divides fragments at the edges of columns.
pub(super) fn divided(fragments: Vec<Fragment>) -> Vec<Fragment> {
    let size = median(fragments.iter().map(|fragment| fragment.size).collect()).max(0.1);
    let rows = rows(fragments);
    let mut cuts: Vec<Vec<f32>> = vec![Vec::new(); rows.len()];
    for edge in edges(&rows, size) {
        for cuts in cuts.iter_mut().take(edge.last + 1).skip(edge.first) {
            cuts.push(edge.at);
        }
    }
    let mut all = Vec::new();
    for (row, mut cuts) in rows.into_iter().zip(cuts) {
        cuts.sort_by(f32::total_cmp);
        if row.iter().any(|fragment| has_wide_cut(fragment, &cuts, MIN_WIDE * size)) {
            all.extend(row.into_iter().flat_map(|fragment| cells(fragment, &cuts)));
        } else {
            all.extend(row);
        }
    }
    all
}

/// Whether a fragment has a wide gap at one of these places.
fn has_wide_cut(fragment: &Fragment, cuts: &[f32], min_wide: f32) -> bool {
    let is_cut = |pair: &[Word<'_>]| match pair {
        [a, b] => b.left - a.right >= min_wide && a.column(cuts) < b.column(cuts),
        _ => false,
    };
    !cuts.is_empty() && words(fragment).windows(2).any(is_cut)
}

/// The edges of columns.
fn edges(rows: &[Vec<Fragment>], size: f32) -> Vec<Edge> {
    let (step, min_wide) = (SLACK * size, MIN_WIDE * size);
    let new = || Edges { step, min_wide, open: BTreeMap::new(), ended: Vec::new() };
    let (mut lefts, mut rights) = (new(), new());
    let mut base = f32::MIN;
    for (at, row) in rows.iter().enumerate() {
        let next = row.first().map_or(base, |fragment| fragment.base);
        if next - base > MAX_LEADING * size || row.iter().any(|fragment| fragment.table.is_some()) {
            lefts.end_all();
            rights.end_all();
        }
        base = next;
        let words: Vec<Word<'_>> = row.iter().flat_map(words).collect();
        for word in &words {
            lefts.cross(word);
            rights.cross(word);
        }
        let mut before: Option<&Word<'_>> = None;
        for (column, word) in words.iter().enumerate() {
            // Words in letters of one width line up in any text.
            let is_numbered = column == 1 && before.is_some_and(Word::is_marker);
            if !word.is_mono() && !is_numbered {
                let gap = before.map(|before| word.left - before.right);
                lefts.note(word.left, at, gap);
                if let Some(before) = before {
                    rights.note(before.right, at, gap);
                }
            }
            before = Some(word);
        }
    }
    lefts.end_all();
    rights.end_all();
    let is_column = |edge: &Edge| {
        edge.count >= MIN_ROWS
            && edge.count * 100 >= MIN_ALIGNED * (edge.last - edge.first + 1)
            && edge.wide * 2 >= edge.count
    };
    let mut all = lefts.ended;
    all.append(&mut rights.ended);
    all.retain(is_column);
    all
}

/// The cells of a fragment. Each ends well before the next one, so that the gap is seen.
fn cells(fragment: Fragment, cuts: &[f32]) -> Vec<Fragment> {
    let mut groups: Vec<(usize, Vec<Token>)> = Vec::new();
    for word in words(&fragment) {
        let column = word.column(cuts);
        match groups.last_mut() {
            Some((last, group)) if *last == column => group.extend_from_slice(word.tokens),
            _ => groups.push((column, word.tokens.to_vec())),
        }
    }
    if groups.len() < 2 {
        return vec![fragment];
    }
    let mut cells: Vec<Fragment> = groups.into_iter().map(|(_, tokens)| Fragment::of(tokens)).collect();
    let mut next: Option<f32> = None;
    for cell in cells.iter_mut().rev() {
        if let Some(next) = next {
            cell.area.right = cell.area.right.min(next - GAP * cell.size).max(cell.area.left);
        }
        next = Some(cell.area.left);
    }
    cells
}

#[cfg(test)]
mod tests {
    use super::super::fragment::tests::{fragment, token};
    use super::*;

    /// A row of cells that begin at these places, as one fragment.
    fn row(cells: &[(&str, f32)], base: f32) -> Fragment {
        Fragment::of(cells.iter().map(|(text, left)| token(text, *left, base, 10.0)).collect())
    }

    fn texts(fragments: &[Fragment]) -> Vec<String> {
        let text = |fragment: &Fragment| {
            let words: Vec<&str> = fragment.tokens.iter().map(|token| token.text.as_str()).collect();
            words.join(" ")
        };
        fragments.iter().map(text).collect()
    }

    #[test]
    fn cells_that_nearly_touch_are_divided() {
        let names = ["Silzan", "Porvennad", "Ven", "Rikras", "Vors", "Feltolven"];
        let rows: Vec<Fragment> = names
            .iter()
            .enumerate()
            .map(|(at, name)| {
                row(&[(name, 0.0), ("118", 48.0), ("kg", 66.0), ("Hesnad", 84.0)], 13.0 * at as f32)
            })
            .collect();
        let cells = divided(rows);
        assert_eq!(cells.len(), 18);
        assert_eq!(texts(&cells)[3..6], ["Porvennad", "118 kg", "Hesnad"]);
        assert!(cells.chunks(3).all(|row| row[1].area.left - row[0].area.right >= 10.0));
    }

    #[test]
    fn words_that_are_drawn_in_parts_stay_whole() {
        let rows: Vec<Fragment> = ["Nadmir", "Ven", "Tolmir", "Ras", "Felmir", "Por"]
            .iter()
            .enumerate()
            .map(|(at, start)| row(&[(start, 0.0), ("nad", 30.0)], 13.0 * at as f32))
            .collect();
        assert_eq!(divided(rows).len(), 6);
    }

    #[test]
    fn a_line_of_text_below_cells_stays_whole() {
        let mut rows: Vec<Fragment> =
            (0..5).map(|at| row(&[("Ven", 0.0), ("118", 40.0)], 13.0 * at as f32)).collect();
        rows.push(row(&[("between", 0.0), ("them", 40.0)], 65.0));
        let cells = divided(rows);
        assert_eq!(cells.len(), 11);
        assert_eq!(texts(&cells)[10], "between them");
    }

    #[test]
    fn rows_with_numbers_before_them_stay_whole() {
        let rows: Vec<Fragment> = ["1", "2.1", "3", "4.11", "5", "6"]
            .iter()
            .enumerate()
            .map(|(at, number)| row(&[(number, 0.0), ("Title", 24.0)], 13.0 * at as f32))
            .collect();
        assert_eq!(divided(rows).len(), 6);
    }

    #[test]
    fn text_stays_whole() {
        let lines = [
            "words of a text do not line up",
            "and some of them cross the rest",
            "although here and there a few",
            "may begin at one and the same",
            "place as those of lines above",
            "which is seen in few lines only",
        ];
        let rows: Vec<Fragment> =
            lines.iter().enumerate().map(|(at, line)| fragment(line, 0.0, 12.0 * at as f32)).collect();
        assert_eq!(divided(rows).len(), 6);
    }
}
