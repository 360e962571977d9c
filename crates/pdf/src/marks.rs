//! Counts the marks of a page that the layout analysis compares with one another: texts, and lines and
//! rectangles that may be the rules of a table.
//!
//! For each text the analysis searches all texts beside it, and for each rule all texts and rules: a page
//! costs the square of its marks, however few bytes it has. The analysis bounds the operators of a page (a
//! million) but not their square, so they are counted here first. It also searches the end of each inline
//! picture; without an end each of them costs all bytes after it.
//!
//! Bytes that only look like an operator, in a string or in the data of a picture, count too. In hostile
//! content parsers disagree where those end, and the analysis might draw what this reader skips.

use crate::content::{Opaque, Operation, operations};

/// Most texts and rules of a page. A page of dense print has a thousand.
pub const MAX_PAGE_MARKS: u64 = 15_000;

/// Most texts of a file. The analysis keeps each of them until the end, in about a kilobyte.
pub const MAX_TEXTS: u64 = 1_000_000;

/// Largest cost of all pages of a file: the squares of the texts and rules of each. At most about ten seconds
/// on one core.
pub const MAX_MARK_PAIRS: u64 = 500_000_000;

/// A text that continues the line of the one before is usually joined to it, for example if each letter is
/// drawn alone. So this many of them count as one.
const CONTINUED_PER_TEXT: u64 = 4;

/// A page with more rules than this has a drawing, which may be left out if it costs too much.
const MIN_DRAWING_RULES: u64 = 1_000;

/// A line counts as a rule if it is at least this many times as long as high, or as high as long.
const STRAIGHT: f64 = 8.0;

/// Comparing two texts costs as much as searching this many bytes.
const BYTES_PER_PAIR: u64 = 20;

/// The marks of a content.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Marks {
    /// Number of texts.
    pub(crate) shown: u64,
    /// Weight of the texts: [`CONTINUED_PER_TEXT`] for each that stands alone, 1 for each that continues a
    /// line.
    texts: u64,
    /// Number of rectangles and straight lines.
    rules: u64,
    /// Bytes that are searched for the ends of pictures without one.
    searched: u64,
}

impl Marks {
    /// The marks of a content.
    pub(crate) fn of(content: &[u8]) -> Self {
        let (mut counter, mut seen, mut all) = (Counter::default(), Tally::default(), Tally::default());
        operations(content, Opaque::Skip, |operation| {
            counter.count(operation);
            seen.add(operation);
        });
        operations(content, Opaque::Read, |operation| all.add(operation));
        let rules = counter.marks.rules + all.rules.saturating_sub(seen.rules);
        let hidden = Self::texts(all.texts.saturating_sub(seen.texts));
        Self { rules, searched: all.searched, ..counter.marks }.and(hidden)
    }

    /// Texts that stand alone.
    pub(crate) const fn texts(count: u64) -> Self {
        Self { shown: count, texts: count.saturating_mul(CONTINUED_PER_TEXT), rules: 0, searched: 0 }
    }

    /// The sum of both.
    pub(crate) const fn and(self, other: Self) -> Self {
        Self {
            shown: self.shown.saturating_add(other.shown),
            texts: self.texts.saturating_add(other.texts),
            rules: self.rules.saturating_add(other.rules),
            searched: self.searched.saturating_add(other.searched),
        }
    }

    /// The marks of this many repetitions.
    pub(crate) const fn times(self, times: u64) -> Self {
        Self {
            shown: self.shown.saturating_mul(times),
            texts: self.texts.saturating_mul(times),
            rules: self.rules.saturating_mul(times),
            searched: self.searched.saturating_mul(times),
        }
    }

    /// The marks, capped at values that are too high in any case.
    pub(crate) fn capped(self) -> Self {
        let max = MAX_TEXTS * CONTINUED_PER_TEXT;
        Self {
            shown: self.shown.min(max),
            texts: self.texts.min(max),
            rules: self.rules.min(max),
            searched: self.searched.min(MAX_MARK_PAIRS * BYTES_PER_PAIR),
        }
    }

    /// Whether there are enough rules for a drawing.
    pub(crate) const fn has_drawing(self) -> bool {
        self.rules > MIN_DRAWING_RULES
    }

    /// The cost of comparing them all with one another; `None` for more marks than a page may have.
    pub(crate) const fn pairs(self) -> Option<u64> {
        let marks = (self.texts / CONTINUED_PER_TEXT).saturating_add(self.rules);
        let searched = self.searched / BYTES_PER_PAIR;
        if marks > MAX_PAGE_MARKS || searched > MAX_PAGE_MARKS * MAX_PAGE_MARKS {
            None
        } else {
            Some(marks * marks + searched)
        }
    }
}

/// Operations that may draw something.
#[derive(Default)]
struct Tally {
    texts: u64,
    rules: u64,
    searched: u64,
}

impl Tally {
    fn add(&mut self, operation: &Operation<'_>) {
        self.searched = self.searched.saturating_add(operation.searched);
        self.texts += operation.gaps;
        match operation.operator {
            b"Tj" | b"TJ" | b"'" | b"\"" | b"BDC" => self.texts += 1,
            b"l" | b"re" => self.rules += 1,
            _ => {}
        }
    }
}

/// Counts the marks of operations.
#[derive(Default)]
struct Counter {
    marks: Marks,
    /// The text line matrix (PDF 32000-1, 9.4.2).
    line: [f64; 6],
    /// The text line matrix of the last text. `None` if the next text is certainly elsewhere.
    last: Option<[f64; 6]>,
    /// The line matrix was set since then.
    moved: bool,
    /// The distance of lines.
    leading: f64,
    /// The current point of the path.
    point: (f64, f64),
}

impl Counter {
    fn count(&mut self, operation: &Operation<'_>) {
        let expected = match operation.operator {
            b"TL" => 1,
            b"Td" | b"TD" | b"m" | b"l" => 2,
            b"v" | b"y" | b"re" => 4,
            b"c" | b"Tm" => 6,
            _ => operation.number_count,
        };
        // With too many numbers the analysis reads the first ones. NaN compares as false, so such a text
        // stands alone and such a line counts as a rule.
        let numbers = if operation.number_count == expected { operation.numbers } else { [f64::NAN; 6] };
        let [_, _, c, d, e, f] = numbers;
        match operation.operator {
            b"Tj" => self.show(0),
            b"TJ" => self.show(operation.gaps),
            b"'" | b"\"" => {
                self.step(0.0, -self.leading);
                self.show(0);
            }
            b"T*" => self.step(0.0, -self.leading),
            b"Td" => self.step(e, f),
            b"TD" => {
                self.leading = -f;
                self.step(e, f);
            }
            b"TL" => self.leading = f,
            b"Tm" => {
                self.line = numbers;
                self.moved = true;
            }
            b"BT" => {
                self.line = [1.0, 0.0, 0.0, 1.0, 0.0, 0.0];
                self.moved = true;
            }
            b"cm" | b"q" | b"Q" => self.last = None,
            b"BDC" if operation.has_text => self.marks = self.marks.and(Marks::texts(1)),
            b"BDC" => self.marks.texts += 1,
            b"m" => self.point = (e, f),
            b"l" => {
                let (x, y) = ((e - self.point.0).abs(), (f - self.point.1).abs());
                let is_slanted = x < y * STRAIGHT && y < x * STRAIGHT;
                self.marks.rules += u64::from(!is_slanted);
                self.point = (e, f);
            }
            b"c" | b"v" | b"y" => self.point = (e, f),
            b"re" => {
                self.marks.rules += 1;
                self.point = (c, d);
            }
            _ => {}
        }
    }

    fn step(&mut self, x: f64, y: f64) {
        let [a, b, c, d, e, f] = self.line;
        self.line = [a, b, c, d, e + x * a + y * c, f + x * b + y * d];
        self.moved = true;
    }

    fn show(&mut self, gaps: u64) {
        let alone = !self.continues_line();
        self.marks = self.marks.and(Marks {
            shown: gaps + 1,
            texts: gaps * CONTINUED_PER_TEXT + if alone { CONTINUED_PER_TEXT } else { 1 },
            ..Marks::default()
        });
        (self.last, self.moved) = (Some(self.line), false);
    }

    /// Whether the next text continues the line of the last one.
    fn continues_line(&self) -> bool {
        let Some([a, b, c, d, e, f]) = self.last else { return false };
        let [next_a, next_b, next_c, next_d, next_e, next_f] = self.line;
        if !self.moved {
            return true;
        }
        if [a, b, c, d] != [next_a, next_b, next_c, next_d] {
            return false;
        }
        let (x, y) = (next_e - e, next_f - f);
        let (along, across) = (x * a + y * b, (x * b - y * a).abs());
        along > 0.0 && across <= along / 1_000.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::content::without_paths;

    fn counted(content: &str) -> (u64, u64, u64) {
        let Marks { shown, texts, rules, searched: _ } = Marks::of(content.as_bytes());
        (shown, texts, rules)
    }

    #[test]
    fn texts_that_continue_a_line_count_less() {
        let rows = [
            ("a text", "BT 72 720 Td (x) Tj ET", (1, 4, 0)),
            ("without a step", "BT (x) Tj (y) Tj <79> Tj ET", (3, 6, 0)),
            ("a step forward", "BT 1 1 Td (x) Tj 7.5 0 Td (y) Tj ET", (2, 5, 0)),
            ("a step back", "BT 1 1 Td (x) Tj -7.5 0 Td (y) Tj ET", (2, 8, 0)),
            ("a step down", "BT (x) Tj 0 -9 Td (y) Tj 12 TL T* (z) Tj (w) ' ET", (4, 16, 0)),
            ("at one place", "BT 1 0 0 1 72 720 Tm (x) Tj 1 0 0 1 72 720 Tm (x) Tj ET", (2, 8, 0)),
            ("along a slope", "BT .8 .6 -.6 .8 0 0 Tm (x) Tj .8 .6 -.6 .8 8 6 Tm (y) Tj ET", (2, 5, 0)),
            ("in another state", "BT (x) Tj ET q BT (y) Tj ET Q", (2, 8, 0)),
            ("words of a line", "BT [(a) -250 (b) -30 (c)] TJ ET", (1, 4, 0)),
            ("columns of a line", "BT [(a) -2500 (b) -900.5 (c)] TJ ET", (3, 12, 0)),
            ("replacement text", "/Span << /ActualText (Do) >> BDC EMC /P << /MCID 1 >> BDC EMC", (1, 5, 0)),
            ("rules", "0 0 9 1 re f 1 1 m 50 1 l 50 40 l 9 9 l S", (0, 0, 3)),
            ("no operators", "(Tj)(l)/Tj/re [(-900)(')] <54> 1 0 0 rg", (0, 0, 0)),
        ];
        for (name, content, expected) in rows {
            assert_eq!(counted(content), expected, "{name}");
        }
    }

    #[test]
    fn marks_that_only_some_parsers_see_count() {
        let rows = [
            ("in a string that does not end", "( EI 9 9 Td (x) Tj (y) Tj", (2, 8, 0)),
            ("columns in one", "( [(a)-900(b)-900(c)] TJ", (3, 12, 0)),
            (
                "behind a picture that ends later",
                "BI /W 9 /H 1 /BPC 8 /CS /G ID a EI (bcd EI BT (x) Tj",
                (1, 4, 0),
            ),
            ("behind a comment that another finds", "<</A (>%(\n) Tj l", (1, 4, 1)),
            ("behind values", "(x) trueTj (y) nullfalseTj false true", (2, 5, 0)),
            ("behind two numbers in one", "[(a)-900+0(b)] TJ", (2, 8, 0)),
            ("with more numbers", "(x) Tj 0 0 5 0 Td (y) Tj 0 0 m 9 0 30 40 l 50 90 l", (2, 8, 2)),
            ("in other letters", "/Span << /Actual#54ext (x) >> BDC", (1, 4, 0)),
        ];
        for (name, content, expected) in rows {
            assert_eq!(counted(content), expected, "{name}");
        }
    }

    #[test]
    fn a_page_with_too_many_marks_has_no_cost() {
        assert_eq!(Marks::texts(100).pairs(), Some(10_000));
        assert_eq!(Marks::texts(MAX_PAGE_MARKS + 1).pairs(), None);
        assert_eq!(Marks { rules: MAX_PAGE_MARKS, ..Marks::texts(100) }.pairs(), None);
        assert_eq!(Marks::texts(u64::MAX).times(9).capped().pairs(), None);
    }

    #[test]
    fn pictures_without_an_end_cost_the_bytes_after_them() {
        let searched = |content: &str| Marks::of(content.as_bytes()).searched;
        assert_eq!(searched("BI /W 1 ID x EI BI /W 1 ID BI x\nEI\n"), 0);
        assert_eq!(searched("BI BI BI"), 6 + 3);
        assert_eq!(searched("BI ID EI BI 12"), 3);
        assert!(Marks::of("BI ".repeat(100_000).as_bytes()).pairs().is_none());
    }

    proptest::proptest! {
        /// Any bytes are read to their end, and the rest is at most as long plus a line end for each
        /// operator.
        #[test]
        fn any_bytes_are_read_to_their_end(
            content in proptest::collection::vec(proptest::prelude::any::<u8>(), 0..200),
        ) {
            let _any = Marks::of(&content);
            proptest::prop_assert!(without_paths(&content).len() <= content.len() * 2);
        }
    }
}
