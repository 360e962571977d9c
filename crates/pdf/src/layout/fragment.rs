//! Joins tokens to fragments: what stands on one line without a wide gap.

use super::accents::composed;
use super::table::Table;
use super::token::{Area, Token};

/// Largest gap within a fragment, in sizes of its text.
const MAX_GAP: f32 = 0.9;

/// Largest gap between two fragments that are joined although other text was drawn between them.
const MAX_LATE_GAP: f32 = 0.5;

/// How far tokens of one line may overlap.
const MAX_OVERLAP: f32 = 0.5;

/// How far the bases of tokens of one line differ, in sizes of the text.
const SAME_BASE: f32 = 0.2;

/// How far a small raised or lowered token may stand from the base of its line.
const MAX_RAISE: f32 = 0.65;

/// A token is raised or lowered only if it is smaller than its neighbour by this factor.
const RAISED_SIZE: f32 = 0.86;

/// Tokens on one line, or a table that stands among them.
#[derive(Debug, Clone, Default, PartialEq)]
pub(super) struct Fragment {
    /// From left to right.
    pub(super) tokens: Vec<Token>,
    pub(super) area: Area,
    pub(super) base: f32,
    pub(super) size: f32,
    pub(super) chars: usize,
    pub(super) table: Option<Box<Table>>,
}

impl Fragment {
    /// A fragment of these tokens.
    pub(super) fn of(mut tokens: Vec<Token>) -> Self {
        tokens.sort_by(|a, b| a.left.total_cmp(&b.left));
        let mut fragment = Self { tokens, ..Self::default() };
        fragment.measure();
        fragment
    }

    /// A table as a fragment.
    pub(super) fn of_table(table: Table, area: Area) -> Self {
        let size = 10.0;
        Self { area, base: area.bottom, size, chars: 1_000, table: Some(Box::new(table)), ..Self::default() }
    }

    fn measure(&mut self) {
        self.size = weighted(self.tokens.iter(), |token| token.size);
        let size = self.size;
        let full = self.tokens.iter().filter(|token| token.size >= size * RAISED_SIZE);
        self.base = weighted(full, |token| token.base);
        self.chars = self.tokens.iter().map(|token| token.text.chars().count()).sum();
        self.area = Area {
            left: self.tokens.iter().map(|token| token.left).fold(f32::MAX, f32::min),
            right: self.tokens.iter().map(|token| token.right).fold(f32::MIN, f32::max),
            top: self.base - 0.75 * self.size,
            bottom: self.base + 0.22 * self.size,
        };
    }

    pub(super) fn width(&self) -> f32 {
        self.area.right - self.area.left
    }

    /// Takes over the tokens of other fragments of this line.
    pub(super) fn join(&mut self, others: impl IntoIterator<Item = Self>) {
        for other in others {
            self.tokens.extend(other.tokens);
        }
        self.tokens.sort_by(|a, b| a.left.total_cmp(&b.left));
        self.measure();
    }
}

/// The value that half of the letters of these tokens have at most.
fn weighted<'t>(tokens: impl Iterator<Item = &'t Token>, value: fn(&Token) -> f32) -> f32 {
    let mut values: Vec<(f32, usize)> =
        tokens.map(|token| (value(token), token.text.chars().count())).collect();
    values.sort_by(|a, b| a.0.total_cmp(&b.0));
    let half = values.iter().map(|(_, weight)| weight).sum::<usize>() / 2;
    let mut seen = 0;
    for (value, weight) in &values {
        seen += weight;
        if seen > half {
            return *value;
        }
    }
    values.last().map_or(0.0, |(value, _)| *value)
}

/// Joins tokens, in the order in which they are drawn, to fragments.
pub(super) fn fragments(tokens: Vec<Token>) -> Vec<Fragment> {
    joined(chained(tokens), MAX_LATE_GAP)
}

/// Joins each token to the one that is drawn before it, if it stands beside it.
pub(super) fn chained(tokens: Vec<Token>) -> Vec<Fragment> {
    let mut fragments = Vec::new();
    let mut open: Vec<Token> = Vec::new();
    for token in composed(tokens) {
        if open.last().is_some_and(|last| !continues(last, &token)) {
            fragments.push(Fragment::of(std::mem::take(&mut open)));
        }
        open.push(token);
    }
    if !open.is_empty() {
        fragments.push(Fragment::of(open));
    }
    fragments
}

/// Whether a token stands beside the one before it. The order on the line does not matter: some writers draw
/// from right to left.
fn continues(last: &Token, token: &Token) -> bool {
    let size = last.size.max(token.size);
    let gap = (token.left - last.right).max(last.left - token.right);
    let shift = (last.base - token.base).abs();
    if shift > SAME_BASE * size {
        let is_small = last.size.min(token.size) < RAISED_SIZE * size;
        return is_small && shift <= MAX_RAISE * size && (-0.3 * size..=0.3 * size).contains(&gap);
    }
    (-MAX_OVERLAP * size..=MAX_GAP * size).contains(&gap)
}

/// Joins fragments on one base that have a gap of at most this many sizes between them.
fn joined(fragments: Vec<Fragment>, max_gap: f32) -> Vec<Fragment> {
    rows(fragments).into_iter().flat_map(|row| joined_row(row, max_gap)).collect()
}

/// The same for the fragments of one line, from left to right.
pub(super) fn joined_row(row: Vec<Fragment>, max_gap: f32) -> Vec<Fragment> {
    let mut all = Vec::with_capacity(row.len());
    // Fragments that follow each other closely, and their right edge. They are joined at once: each time one
    // by one would cost the square of their number.
    let mut open: Vec<Fragment> = Vec::new();
    let (mut right, mut size) = (f32::MIN, 0.0_f32);
    let close = |open: &mut Vec<Fragment>, all: &mut Vec<Fragment>| {
        let mut parts = std::mem::take(open).into_iter();
        if let Some(mut first) = parts.next() {
            if !parts.as_slice().is_empty() {
                first.join(parts);
            }
            all.push(first);
        }
    };
    for fragment in row {
        let gap = fragment.area.left - right;
        let scale = size.max(fragment.size);
        let is_text = fragment.table.is_none() && open.last().is_none_or(|part| part.table.is_none());
        if !(is_text && (-MAX_OVERLAP * scale..=max_gap * scale).contains(&gap)) {
            close(&mut open, &mut all);
            (right, size) = (f32::MIN, 0.0);
        }
        right = right.max(fragment.area.right);
        size = size.max(fragment.size);
        open.push(fragment);
    }
    close(&mut open, &mut all);
    all
}

/// Fragments by their bases, from the top; each row from left to right.
pub(super) fn rows(mut fragments: Vec<Fragment>) -> Vec<Vec<Fragment>> {
    fragments.sort_by(|a, b| a.base.total_cmp(&b.base));
    let mut rows: Vec<Vec<Fragment>> = Vec::new();
    for fragment in fragments {
        let fits = rows.last().and_then(|row| row.first()).is_some_and(|first| {
            first.table.is_none()
                && fragment.table.is_none()
                && fragment.base - first.base <= SAME_BASE * 1.2 * first.size.min(fragment.size)
        });
        match rows.last_mut() {
            Some(row) if fits => row.push(fragment),
            _ => rows.push(vec![fragment]),
        }
    }
    for row in &mut rows {
        row.sort_by(|a, b| a.area.left.total_cmp(&b.area.left));
    }
    rows
}

/// The middle one of these numbers; 0 if there is none.
pub(super) fn median(mut numbers: Vec<f32>) -> f32 {
    let middle = numbers.len() / 2;
    if numbers.is_empty() {
        return 0.0;
    }
    *numbers.select_nth_unstable_by(middle, f32::total_cmp).1
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;

    /// A token with letters of half its size.
    pub(in crate::layout) fn token(text: &str, left: f32, base: f32, size: f32) -> Token {
        let right = left + text.chars().count() as f32 * size / 2.0;
        Token { text: text.to_owned(), left, right, base, size, ..Token::default() }
    }

    /// The fragment of words with spaces between them.
    pub(in crate::layout) fn fragment(text: &str, left: f32, base: f32) -> Fragment {
        let mut at = left;
        let tokens = text.split(' ').map(|word| {
            let mut token = token(word, at, base, 10.0);
            token.is_spaced_after = true;
            at = token.right + 5.0;
            token
        });
        Fragment::of(tokens.collect())
    }

    fn texts(fragments: &[Fragment]) -> Vec<String> {
        fragments.iter().map(|f| f.tokens.iter().map(|token| token.text.as_str()).collect()).collect()
    }

    #[test]
    fn tokens_of_a_line_are_joined_up_to_a_wide_gap() {
        let tokens = vec![
            token("one", 0.0, 100.0, 10.0),
            token("two", 18.0, 100.5, 10.0),
            token("far", 80.0, 100.0, 10.0),
            token("next", 0.0, 112.0, 10.0),
        ];
        assert_eq!(texts(&fragments(tokens)), ["onetwo", "far", "next"]);
    }

    #[test]
    fn small_raised_text_belongs_to_its_line() {
        let tokens =
            vec![token("x", 0.0, 100.0, 10.0), token("2", 5.0, 96.0, 6.0), token("y", 9.0, 100.0, 10.0)];
        let fragments = fragments(tokens);
        assert_eq!(texts(&fragments), ["x2y"]);
        assert_eq!((fragments[0].size, fragments[0].base), (10.0, 100.0));
        let tokens = vec![token("word", 0.0, 100.0, 10.0), token("99", 20.0, 93.8, 6.0)];
        assert_eq!(texts(&super::fragments(tokens)), ["word99"]);
    }

    #[test]
    fn text_that_is_drawn_from_the_right_is_one_line() {
        let tokens = vec![token("b", 10.0, 50.0, 10.0), token("a", 4.0, 50.0, 10.0)];
        assert_eq!(texts(&fragments(tokens)), ["ab"]);
    }

    #[test]
    fn text_that_is_drawn_later_is_joined() {
        let tokens = vec![
            token("one", 0.0, 100.0, 10.0),
            token("below", 0.0, 130.0, 10.0),
            token("two", 18.0, 100.0, 10.0),
        ];
        assert_eq!(texts(&fragments(tokens)), ["onetwo", "below"]);
    }

    #[test]
    fn the_middle_of_no_numbers_is_zero() {
        assert_eq!(median(Vec::new()), 0.0);
        assert_eq!(median(vec![3.0, 1.0, 2.0]), 2.0);
    }
}
