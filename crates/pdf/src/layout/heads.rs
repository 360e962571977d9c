//! Heads of columns that are turned by a quarter, above the cells of an upright table.
//!
//! Turned texts beside each other, with cells below them, are such heads. Each becomes a token on one line,
//! above its cells, so that the steps that follow see a table.

use std::collections::BTreeMap;

use super::fragment::{Fragment, chained};
use super::line::text;
use super::token::{Style, Token, Turn};

/// Fewest heads beside each other.
const MIN_HEADS: usize = 2;

/// The cells are at most this far below the heads, in sizes of their text.
const MAX_DISTANCE: f32 = 4.0;

/// Lines of one head are at most this far from each other, in sizes of the text.
const MAX_LINE_GAP: f32 = 0.25;

/// Narrowest gap between two cells, in sizes of the text.
const MIN_CELL_GAP: f32 = 0.35;

/// A head is at most this far from its cells, in sizes of the text.
const MAX_SHIFT: f32 = 1.5;

/// Heads of other columns that stand upright, on one line, are moved to the turned ones if they are more than
/// this above their ends, in sizes of the text.
const MAX_RISE: f32 = 2.0;

/// Texts on one line have bases that differ by at most this, in sizes of the text.
const SAME_BASE: f32 = 0.3;

/// Most visits of upright tokens by the heads of a page. The heads that are left stay turned.
const MAX_VISITS: usize = 5_000_000;

/// A turned text, in the frame of the page.
struct Head {
    tokens: Vec<Token>,
    text: String,
    left: f32,
    right: f32,
    top: f32,
    bottom: f32,
    size: f32,
}

impl Head {
    fn of(fragment: Fragment, turn: Turn) -> Self {
        let (area, size) = (fragment.area, fragment.size);
        let text = text(std::slice::from_ref(&fragment), fragment.base, size, &[]).as_str().to_owned();
        let (left, right, top, bottom) = if turn == Turn::Up {
            (area.top, area.bottom, -area.right, -area.left)
        } else {
            (-area.bottom, -area.top, area.left, area.right)
        };
        Self { tokens: fragment.tokens, text, left, right, top, bottom, size }
    }

    fn middle(&self) -> f32 {
        (self.left + self.right) / 2.0
    }

    /// Takes over the next line of its text.
    fn join(&mut self, next: Self) {
        self.tokens.extend(next.tokens);
        self.text = format!("{} {}", self.text, next.text);
        self.left = self.left.min(next.left);
        self.right = self.right.max(next.right);
        self.top = self.top.min(next.top);
        self.bottom = self.bottom.max(next.bottom);
    }

    /// The head as a token over these cells.
    fn token(&self, (left, right): (f32, f32), base: f32) -> Token {
        let style = self.tokens.first().map_or_else(Style::default, |token| token.style);
        Token {
            text: self.text.clone(),
            left,
            right,
            base,
            size: self.size,
            is_spaced_before: true,
            is_spaced_after: true,
            is_logical: true,
            style: Style { link: None, ..style },
        }
    }
}

/// Moves the turned heads of tables to the upright tokens.
pub(super) fn stand_up(turns: &mut BTreeMap<Turn, Vec<Token>>) {
    let Some(mut upright) = turns.remove(&Turn::Upright) else { return };
    let mut visits = MAX_VISITS;
    let mut found = Vec::new();
    for turn in [Turn::Up, Turn::Down] {
        let Some(tokens) = turns.remove(&turn) else { continue };
        let mut page = Upright::new(&mut upright, &mut visits);
        let heads = chained(tokens.clone()).into_iter().map(|fragment| Head::of(fragment, turn)).collect();
        let (mut moved, mut rest) = (Vec::new(), Vec::new());
        for row in side_by_side(heads) {
            let row = joined_lines(row, turn);
            match page.over_cells(&row) {
                Some(tokens) => moved.extend(tokens),
                None => rest.extend(row.into_iter().flat_map(|head| head.tokens)),
            }
        }
        if moved.is_empty() {
            rest = tokens;
        }
        if !rest.is_empty() {
            turns.insert(turn, rest);
        }
        found.append(&mut moved);
    }
    upright.append(&mut found);
    turns.insert(Turn::Upright, upright);
}

/// Heads that have a height in common, from the top.
fn side_by_side(mut heads: Vec<Head>) -> Vec<Vec<Head>> {
    heads.sort_by(|a, b| a.top.total_cmp(&b.top));
    let mut rows: Vec<Vec<Head>> = Vec::new();
    let mut bottom = f32::MIN;
    for head in heads {
        if head.top >= bottom {
            rows.push(Vec::new());
            bottom = f32::MAX;
        }
        bottom = bottom.min(head.bottom);
        if let Some(row) = rows.last_mut() {
            row.push(head);
        }
    }
    rows
}

/// The heads of a row from the left; lines of one head are joined.
fn joined_lines(mut row: Vec<Head>, turn: Turn) -> Vec<Head> {
    row.sort_by(|a, b| a.left.total_cmp(&b.left));
    // Text from the top to the bottom has its next line at the left.
    if turn == Turn::Down {
        row.reverse();
    }
    let mut heads: Vec<Head> = Vec::with_capacity(row.len());
    for head in row {
        let gap = |last: &Head| (head.left - last.right).max(last.left - head.right);
        match heads.last_mut() {
            Some(last) if gap(last) <= MAX_LINE_GAP * last.size.min(head.size) => last.join(head),
            _ => heads.push(head),
        }
    }
    if turn == Turn::Down {
        heads.reverse();
    }
    heads
}

/// The upright tokens of a page, and their indexes from the top.
struct Upright<'p> {
    tokens: &'p mut [Token],
    order: Vec<usize>,
    visits: &'p mut usize,
}

impl<'p> Upright<'p> {
    fn new(tokens: &'p mut [Token], visits: &'p mut usize) -> Self {
        let mut order: Vec<(f32, usize)> = tokens.iter().map(|token| token.base).zip(0..).collect();
        order.sort_by(|a, b| a.0.total_cmp(&b.0));
        Self { tokens, order: order.into_iter().map(|(_, at)| at).collect(), visits }
    }

    /// The indexes of the tokens whose bases are between these.
    fn between(&mut self, top: f32, bottom: f32) -> Vec<usize> {
        let base = |at: &usize| self.tokens.get(*at).map_or(f32::MAX, |token| token.base);
        let first = self.order.partition_point(|at| base(at) < top);
        let found = self.order.iter().skip(first).take_while(|at| base(at) <= bottom);
        let found: Vec<usize> = found.take(*self.visits).copied().collect();
        *self.visits = self.visits.saturating_sub(found.len());
        found
    }

    /// The tokens of a row of heads, if there are cells below most of them.
    fn over_cells(&mut self, row: &[Head]) -> Option<Vec<Token>> {
        let (first, last) = (row.first()?, row.last()?);
        if row.len() < MIN_HEADS {
            return None;
        }
        let size = row.iter().map(|head| head.size).fold(0.0, f32::max);
        let bottom = row.iter().map(|head| head.bottom).fold(f32::MIN, f32::max);
        let top = row.iter().map(|head| head.top).fold(f32::MAX, f32::min);
        let below = self.between(bottom + SAME_BASE * size, bottom + MAX_DISTANCE * size);
        let is_under = |token: &&Token| {
            token.right >= first.left - MAX_SHIFT * size && token.left <= last.right + MAX_SHIFT * size
        };
        let below = below.iter().filter_map(|at| self.tokens.get(*at)).filter(is_under);
        let cells = cells(below.map(|token| (token.left, token.right)).collect(), MIN_CELL_GAP * size);
        let own: Vec<Option<usize>> =
            row.iter().map(|head| own_cell(head, &cells, MAX_SHIFT * size)).collect();
        let found: Vec<usize> = own.iter().flatten().copied().collect();
        let is_shared = found.windows(2).any(|pair| matches!(pair, [a, b] if a == b));
        if is_shared || found.len() < MIN_HEADS || found.len() * 10 < row.len() * 6 {
            return None;
        }
        let base = self.base(top, bottom, size);
        let token = |(head, own): (&Head, &Option<usize>)| {
            let edges = own.and_then(|at| cells.get(at)).copied();
            head.token(edges.unwrap_or((head.middle() - 0.5, head.middle() + 0.5)), base)
        };
        Some(row.iter().zip(&own).map(token).collect())
    }

    /// The base of the heads: that of the upright heads on one line beside them, or their lower ends.
    fn base(&mut self, top: f32, bottom: f32, size: f32) -> f32 {
        let beside = self.between(top, bottom + SAME_BASE * size);
        let bases = || beside.iter().filter_map(|at| self.tokens.get(*at)).map(|token| token.base);
        let (least, most) = (bases().fold(f32::MAX, f32::min), bases().fold(f32::MIN, f32::max));
        if beside.is_empty() || most - least > SAME_BASE * size {
            return bottom;
        }
        if bottom - most <= MAX_RISE * size {
            return most;
        }
        for at in beside {
            if let Some(token) = self.tokens.get_mut(at) {
                token.base = bottom;
            }
        }
        bottom
    }
}

/// The cells of texts with these edges: those that overlap or nearly touch are one.
fn cells(mut edges: Vec<(f32, f32)>, min_gap: f32) -> Vec<(f32, f32)> {
    edges.sort_by(|a, b| a.0.total_cmp(&b.0));
    let mut cells: Vec<(f32, f32)> = Vec::new();
    for (left, right) in edges {
        match cells.last_mut() {
            Some(last) if left - last.1 < min_gap => last.1 = last.1.max(right),
            _ => cells.push((left, right)),
        }
    }
    cells
}

/// The index of the cell below a head.
fn own_cell(head: &Head, cells: &[(f32, f32)], max_shift: f32) -> Option<usize> {
    let middle = head.middle();
    let distance = |at: usize| {
        cells.get(at).map_or(f32::MAX, |(left, right)| (left - middle).max(middle - right).max(0.0))
    };
    let after = cells.partition_point(|(left, _)| *left < middle);
    let nearest = match after.checked_sub(1) {
        Some(before) if distance(before) <= distance(after) => before,
        _ => after,
    };
    (distance(nearest) <= max_shift).then_some(nearest)
}

#[cfg(test)]
mod tests {
    use super::super::fragment::tests::token;
    use super::*;

    /// A text that goes up from this place of the page, in its own frame.
    fn up(text: &str, x: f32, y: f32) -> Token {
        token(text, -y, x, 10.0)
    }

    fn page(turned: Vec<Token>, turn: Turn, upright: Vec<Token>) -> Vec<(String, f32, f32)> {
        let mut turns = BTreeMap::from([(Turn::Upright, upright), (turn, turned)]);
        stand_up(&mut turns);
        let token = |token: &Token| (token.text.clone(), token.left, token.base);
        turns.get(&Turn::Upright).into_iter().flatten().map(token).collect()
    }

    /// Rows of cells at these places, the first at a base of 125.
    fn rows(lefts: &[f32]) -> Vec<Token> {
        let cell = |row: usize, left: f32| token("3", left, 125.0 + 15.0 * row as f32, 10.0);
        (0..3).flat_map(|row| lefts.iter().map(move |left| cell(row, *left))).collect()
    }

    #[test]
    fn turned_heads_stand_over_their_cells() {
        let mut upright = vec![token("Family", 0.0, 100.0, 10.0)];
        upright.extend(rows(&[100.0, 120.0]));
        let found = page(vec![up("Granite", 105.0, 100.0), up("Basalt", 125.0, 100.0)], Turn::Up, upright);
        let heads: Vec<(&str, f32, f32)> =
            found.iter().skip(7).map(|(text, left, base)| (text.as_str(), *left, *base)).collect();
        assert_eq!(heads, [("Granite", 100.0, 100.0), ("Basalt", 120.0, 100.0)]);
    }

    #[test]
    fn heads_of_two_lines_are_one() {
        let turned = vec![up("Number", 100.0, 100.0), up("of", 111.0, 100.0), up("Basalt", 145.0, 100.0)];
        let found = page(turned, Turn::Up, rows(&[100.0, 140.0]));
        assert_eq!(
            found[6..].iter().map(|head| head.0.as_str()).collect::<Vec<_>>(),
            ["Number of", "Basalt"]
        );
        // Going down, the next line is at the left.
        let down = |text: &str, x: f32| token(text, 70.0, -x, 10.0);
        let turned = vec![down("Number", 111.0), down("of", 100.0), down("Basalt", 142.0)];
        let found = page(turned, Turn::Down, rows(&[104.0, 140.0]));
        assert_eq!(
            found[6..].iter().map(|head| head.0.as_str()).collect::<Vec<_>>(),
            ["Number of", "Basalt"]
        );
    }

    #[test]
    fn turned_texts_without_cells_stay() {
        let turned = || vec![up("Granite", 105.0, 100.0), up("Basalt", 125.0, 100.0)];
        assert!(page(turned(), Turn::Up, vec![token("Far", 100.0, 300.0, 10.0)]).len() == 1);
        let text = (0..9).map(|at| token("word", 22.0 * at as f32, 125.0, 10.0)).collect();
        assert_eq!(page(turned(), Turn::Up, text).len(), 9);
        assert_eq!(page(vec![up("Axis", 105.0, 100.0)], Turn::Up, rows(&[100.0, 120.0])).len(), 6);
    }
}
