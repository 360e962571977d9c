//! Cells of a table that stand closer to each other than words of one line may: fragments are divided where
//! the words of many rows line up.
//!
//! A place at which words of nearly all of at least [`MIN_ROWS`] rows begin or end, and which no word
//! crosses, is the edge of a column. In running text words line up by chance only, with equal gaps before
//! them.

use std::collections::BTreeMap;

use super::fragment::{Fragment, median, rows};
use super::token::Token;

/// Fewest rows whose words line up.
const MIN_ROWS: usize = 5;

/// Least share of the rows between the first and the last of them, in percent.
const MIN_ALIGNED: usize = 90;

/// Rows without a word at an edge after which it ends.
const MAX_MISSED: usize = 2;

/// Words line up within this many sizes of the text.
const SLACK: f32 = 0.12;

/// The gaps at the edge of a column differ by more than this many sizes, or all of them are as wide.
const MIN_SPREAD: f32 = 0.55;

/// Widest distance between two rows, in sizes of the text.
const MAX_LEADING: f32 = 3.2;

/// The gap that divided cells have for the steps that follow, in sizes of the text.
const GAP: f32 = 1.1;

/// A number before an item or heading has at most this many characters.
const MAX_MARKER_CHARS: usize = 5;

/// A place at which words of rows line up.
#[derive(Debug, Clone, Copy)]
struct Edge {
    at: f32,
    first: usize,
    last: usize,
    count: usize,
    least_gap: f32,
    most_gap: f32,
}

/// Edges by their places: those that may go on, and those that have ended.
struct Edges {
    step: f32,
    open: BTreeMap<i64, Edge>,
    ended: Vec<Edge>,
}

impl Edges {
    fn cell(&self, place: f32) -> i64 {
        (place / self.step).round() as i64
    }

    /// Ends what a word crosses.
    fn cross(&mut self, word: &Token) {
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
                edge.count += usize::from(edge.last < row);
                edge.last = row;
                edge.least_gap = edge.least_gap.min(gap.unwrap_or(edge.least_gap));
                edge.most_gap = edge.most_gap.max(gap.unwrap_or(edge.most_gap));
                return;
            }
            self.ended.extend(self.open.remove(&near));
        }
        if let Some(gap) = gap {
            let edge = Edge { at: place, first: row, last: row, count: 1, least_gap: gap, most_gap: gap };
            self.open.insert(cell, edge);
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
        for fragment in row {
            if cuts.is_empty() || fragment.table.is_some() {
                all.push(fragment);
            } else {
                all.extend(cells(fragment, &cuts));
            }
        }
    }
    all
}

/// The edges of columns.
fn edges(rows: &[Vec<Fragment>], size: f32) -> Vec<Edge> {
    let new = || Edges { step: SLACK * size, open: BTreeMap::new(), ended: Vec::new() };
    let (mut lefts, mut rights) = (new(), new());
    let mut base = f32::MIN;
    for (at, row) in rows.iter().enumerate() {
        let next = row.first().map_or(base, |fragment| fragment.base);
        if next - base > MAX_LEADING * size || row.iter().any(|fragment| fragment.table.is_some()) {
            lefts.end_all();
            rights.end_all();
        }
        base = next;
        let words = || row.iter().flat_map(|fragment| &fragment.tokens);
        for word in words() {
            lefts.cross(word);
            rights.cross(word);
        }
        let mut before: Option<&Token> = None;
        for (column, word) in words().enumerate() {
            // Words in letters of one width line up in any text.
            let is_numbered = column == 1 && before.is_some_and(is_marker);
            if !word.style.is_mono && !is_numbered {
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
            && (edge.most_gap - edge.least_gap > MIN_SPREAD * size || edge.least_gap > MIN_SPREAD * size)
    };
    let mut all = lefts.ended;
    all.append(&mut rights.ended);
    all.retain(is_column);
    all
}

/// Whether a word may be the number of an item or heading.
fn is_marker(word: &Token) -> bool {
    word.text.chars().count() <= MAX_MARKER_CHARS && !word.text.chars().any(char::is_alphabetic)
}

/// The cells of a fragment. Each ends well before the next one, so that the gap is seen.
fn cells(fragment: Fragment, cuts: &[f32]) -> Vec<Fragment> {
    let column = |token: &Token| {
        let middle = (token.left + token.right) / 2.0;
        cuts.partition_point(|cut| *cut <= middle)
    };
    let mut groups: Vec<(usize, Vec<Token>)> = Vec::new();
    for token in &fragment.tokens {
        let column = column(token);
        match groups.last_mut() {
            Some((last, group)) if *last == column => group.push(token.clone()),
            _ => groups.push((column, vec![token.clone()])),
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
            .map(|(at, name)| row(&[(name, 0.0), ("118", 46.0), ("kg", 64.0)], 13.0 * at as f32))
            .collect();
        let cells = divided(rows);
        assert_eq!(cells.len(), 12);
        assert_eq!(texts(&cells)[2..4], ["Porvennad", "118 kg"]);
        assert!(cells.chunks(2).all(|row| row[1].area.left - row[0].area.right >= 10.0));
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
