//! How many things the content of a page draws that the layout analysis compares with one another: texts, and the lines and
//! rectangles that may be the rules of a table.
//!
//! The analysis asks of each text which others lie beside it, and of each rule which texts and rules do: a page costs the
//! square of what it draws, whatever its bytes are. It bounds the operators of a page (a million) and not their square, so
//! they are counted here before it sees them. It also looks for the end of each picture that stands in a content: where
//! there is none, each of them costs all that follows.
//!
//! What only looks like an operator, in a string or in the data of a picture, counts too. Where those end is a matter of
//! opinion in content that is made for it, and what this reader passed over the analysis would draw.

use memchr::{memchr, memmem};

/// Texts and rules that a page may draw. A page of dense print has a thousand.
pub const MAX_PAGE_MARKS: u64 = 15_000;

/// Texts that a file may draw. The analysis holds each of them until the end, in about a kilobyte.
pub const MAX_TEXTS: u64 = 1_000_000;

/// What all pages of a file may cost: the squares of the texts and rules of each. Ten seconds on one core at the worst.
pub const MAX_MARK_PAIRS: u64 = 500_000_000;

/// A text that goes on in the line of the one before is most often joined to it, as where each letter is drawn alone. So this
/// many of them count as one.
const SHARE: u64 = 4;

/// A page with more rules has a drawing: it may be left out where it cannot be afforded.
const FEW_RULES: u64 = 1_000;

/// An offset within a `TJ` that the analysis may take for the gap between columns, in thousandths of an em: four times the
/// smallest gap between words that it knows.
const COLUMN_GAP: f64 = -320.0;

/// A line counts as a rule where it is at least this many times as long as it is high, or the other way round.
const STRAIGHT: f64 = 8.0;

/// To compare two texts costs as much as to look through this many bytes.
const BYTES_PER_PAIR: u64 = 20;

/// What operators a path has (PDF 32000-1, 8.5).
const PATH: [&[u8]; 19] = [
    b"m", b"l", b"c", b"v", b"y", b"h", b"re", b"S", b"s", b"f", b"F", b"f*", b"B", b"B*", b"b", b"b*", b"n",
    b"W", b"W*",
];

/// What a content draws.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Marks {
    /// Each text.
    pub(crate) shown: u64,
    /// Texts, in parts of one: [`SHARE`] for each that stands alone.
    texts: u64,
    /// Rectangles and straight lines.
    rules: u64,
    /// Bytes that are looked through for the ends of pictures that have none.
    searched: u64,
}

impl Marks {
    /// What a content draws.
    pub(crate) fn of(content: &[u8]) -> Self {
        let (mut counter, mut seen, mut all) = (Counter::default(), Tally::default(), Tally::default());
        operations(content, Within::Skipped, |operation| {
            counter.count(operation);
            seen.add(operation);
        });
        operations(content, Within::Read, |operation| all.add(operation));
        let rules = counter.marks.rules + all.rules.saturating_sub(seen.rules);
        let hidden = Self::texts(all.texts.saturating_sub(seen.texts));
        Self { rules, searched: all.searched, ..counter.marks }.and(hidden)
    }

    /// Texts that stand alone.
    pub(crate) const fn texts(count: u64) -> Self {
        Self { shown: count, texts: count.saturating_mul(SHARE), rules: 0, searched: 0 }
    }

    /// Both.
    pub(crate) const fn and(self, other: Self) -> Self {
        Self {
            shown: self.shown.saturating_add(other.shown),
            texts: self.texts.saturating_add(other.texts),
            rules: self.rules.saturating_add(other.rules),
            searched: self.searched.saturating_add(other.searched),
        }
    }

    /// The same again and again.
    pub(crate) const fn times(self, times: u64) -> Self {
        Self {
            shown: self.shown.saturating_mul(times),
            texts: self.texts.saturating_mul(times),
            rules: self.rules.saturating_mul(times),
            searched: self.searched.saturating_mul(times),
        }
    }

    /// No more than would be too much.
    pub(crate) fn capped(self) -> Self {
        let most = MAX_TEXTS * SHARE;
        Self {
            shown: self.shown.min(most),
            texts: self.texts.min(most),
            rules: self.rules.min(most),
            searched: self.searched.min(MAX_MARK_PAIRS * BYTES_PER_PAIR),
        }
    }

    /// Are there enough rules for a drawing?
    pub(crate) const fn has_drawing(self) -> bool {
        self.rules > FEW_RULES
    }

    /// What it costs to compare them all with one another; `None` for more than a page may have.
    pub(crate) const fn pairs(self) -> Option<u64> {
        let marks = (self.texts / SHARE).saturating_add(self.rules);
        let searched = self.searched / BYTES_PER_PAIR;
        if marks > MAX_PAGE_MARKS || searched > MAX_PAGE_MARKS * MAX_PAGE_MARKS {
            None
        } else {
            Some(marks * marks + searched)
        }
    }
}

/// A content without its paths: what it draws of text and pictures stays as it is.
pub(crate) fn without_paths(content: &[u8]) -> Vec<u8> {
    let mut left = Vec::new();
    operations(content, Within::Skipped, |operation| {
        if !PATH.contains(&operation.operator) {
            left.extend_from_slice(operation.bytes);
            left.push(b'\n');
        }
    });
    left
}

/// What becomes of strings, comments and the data of pictures.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Within {
    /// They are passed over.
    Skipped,
    /// They are read as the rest is.
    Read,
}

/// An operator and what stands before it.
struct Operation<'c> {
    operator: &'c [u8],
    /// The last numbers before it, the nearest last.
    numbers: [f64; 6],
    /// How many numbers there are.
    given: usize,
    /// Numbers that may be gaps between columns.
    gaps: u64,
    /// Its operands name a text that stands for what is drawn.
    has_text: bool,
    /// Bytes that follow a picture without an end.
    searched: u64,
    /// With all of its operands.
    bytes: &'c [u8],
}

/// How many operations may draw something.
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

/// Counts what operations draw.
#[derive(Default)]
struct Counter {
    marks: Marks,
    /// Where the line of text begins: a matrix (PDF 32000-1, 9.4.2).
    line: [f64; 6],
    /// Where the line began when a text was drawn last. `None` where the next one is elsewhere for certain.
    last: Option<[f64; 6]>,
    /// The line was placed anew since then.
    placed: bool,
    /// The distance of lines.
    leading: f64,
    /// Where the path has come to.
    point: (f64, f64),
}

impl Counter {
    fn count(&mut self, operation: &Operation<'_>) {
        let expected = match operation.operator {
            b"TL" => 1,
            b"Td" | b"TD" | b"m" | b"l" => 2,
            b"v" | b"y" | b"re" => 4,
            b"c" | b"Tm" => 6,
            _ => operation.given,
        };
        // Of too many the analysis reads the first. Nothing is near a place that is not known, and no line to it slanted.
        let numbers = if operation.given == expected { operation.numbers } else { [f64::NAN; 6] };
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
                self.placed = true;
            }
            b"BT" => {
                self.line = [1.0, 0.0, 0.0, 1.0, 0.0, 0.0];
                self.placed = true;
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
        self.placed = true;
    }

    fn show(&mut self, gaps: u64) {
        let alone = !self.goes_on();
        self.marks = self.marks.and(Marks {
            shown: gaps + 1,
            texts: gaps * SHARE + if alone { SHARE } else { 1 },
            ..Marks::default()
        });
        (self.last, self.placed) = (Some(self.line), false);
    }

    /// Does the text that comes next go on in the line of the one before?
    fn goes_on(&self) -> bool {
        let Some([a, b, c, d, e, f]) = self.last else { return false };
        let [next_a, next_b, next_c, next_d, next_e, next_f] = self.line;
        if !self.placed {
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

/// Gives each operation of a content (PDF 32000-1, 7.8.2). What is no content ends up as none or few.
fn operations<'c>(content: &'c [u8], within: Within, mut each: impl FnMut(&Operation<'c>)) {
    let skips = within == Within::Skipped;
    let (mut at, mut start) = (0_usize, 0_usize);
    let (mut numbers, mut given, mut gaps, mut has_text) = ([0.0; 6], 0, 0, false);
    // Where the picture ends that was looked for last. Where one has no end, none behind it has.
    let mut picture_end = Some(0);
    while let Some(byte) = content.get(at) {
        let rest = content.get(at..).unwrap_or_default();
        // Right behind a bracket a string has begun, whoever reads it.
        let is_text = !skips && at.checked_sub(1).is_some_and(|before| content.get(before) == Some(&b'('));
        let length = match byte {
            b'%' if skips => rest.iter().position(|byte| matches!(byte, b'\r' | b'\n')).unwrap_or(rest.len()),
            b'(' if skips => string_bytes(rest),
            b'<' if rest.get(1) == Some(&b'<') => 2,
            b'<' if skips => memchr(b'>', rest).map_or(rest.len(), |end| end + 1),
            b'/' => {
                let name = 1 + bytes_while(rest.get(1..).unwrap_or_default(), is_regular);
                // With `#` any letter may be written otherwise.
                has_text |= rest
                    .get(..name)
                    .is_some_and(|name| name == b"/ActualText" || memchr(b'#', name).is_some());
                name
            }
            b'+' | b'-' | b'.' | b'0'..=b'9' => {
                let length =
                    bytes_while(rest, |byte| byte.is_ascii_digit() || matches!(byte, b'+' | b'-' | b'.'));
                let number = number(rest.get(..length).unwrap_or_default());
                if !is_text {
                    gaps += u64::from(number.is_nan() || number <= COLUMN_GAP);
                    given += 1;
                    numbers.rotate_left(1);
                    if let Some(last) = numbers.last_mut() {
                        *last = number;
                    }
                }
                length
            }
            _ if is_operator(*byte) => {
                let length = bytes_while(rest, is_operator);
                let operator = behind_words(rest.get(..length).unwrap_or_default());
                let mut end = at + length;
                if !operator.is_empty() && !is_text {
                    let mut searched = 0;
                    if operator == b"BI" {
                        let behind = content.get(end..).unwrap_or_default();
                        if picture_end.is_some_and(|known| known < end) {
                            picture_end = picture_bytes(behind).map(|bytes| end + bytes);
                        }
                        match picture_end {
                            Some(known) if skips => end = known,
                            Some(_) => {}
                            None => searched = behind.len() as u64,
                        }
                    }
                    let bytes = content.get(start..end).unwrap_or_default();
                    each(&Operation { operator, numbers, given, gaps, has_text, searched, bytes });
                    (start, numbers, given, gaps, has_text) = (end, [0.0; 6], 0, 0, false);
                }
                end - at
            }
            _ => 1,
        };
        at += length.max(1);
    }
}

fn bytes_while(bytes: &[u8], is_part: impl Fn(u8) -> bool) -> usize {
    bytes.iter().take_while(|byte| is_part(**byte)).count()
}

/// An operator without the words before it that are values: a parser may take them off its front.
fn behind_words(mut operator: &[u8]) -> &[u8] {
    const WORDS: [&[u8]; 3] = [b"true", b"false", b"null"];
    while let Some(rest) = WORDS.iter().find_map(|word| operator.strip_prefix(*word)) {
        operator = rest;
    }
    operator
}

const fn is_operator(byte: u8) -> bool {
    byte.is_ascii_alphabetic() || matches!(byte, b'*' | b'\'' | b'"')
}

/// A byte of a name (PDF 32000-1, 7.2.2).
const fn is_regular(byte: u8) -> bool {
    !byte.is_ascii_whitespace()
        && !matches!(byte, 0 | b'(' | b')' | b'<' | b'>' | b'[' | b']' | b'{' | b'}' | b'/' | b'%')
}

/// Of a string, its brackets included.
fn string_bytes(bytes: &[u8]) -> usize {
    let (mut at, mut depth) = (0_usize, 0_usize);
    while let Some(byte) = bytes.get(at) {
        at += 1;
        match byte {
            b'\\' => at += 1,
            b'(' => depth += 1,
            b')' => depth -= 1,
            _ => {}
        }
        if depth == 0 {
            break;
        }
    }
    at.min(bytes.len())
}

/// Of a picture that stands in a content, from behind its first operator to its end; `None` where it has none.
fn picture_bytes(bytes: &[u8]) -> Option<usize> {
    let is_white = |at: usize| bytes.get(at).is_some_and(|byte| byte.is_ascii_whitespace() || *byte == 0);
    let mut ends = memmem::find_iter(bytes, b"EI");
    ends.find(|at| at.checked_sub(1).is_some_and(is_white) && is_white(at + 2)).map(|at| at + 2)
}

/// What may be one number or several: several are not a number.
fn number(digits: &[u8]) -> f64 {
    std::str::from_utf8(digits).ok().and_then(|text| text.parse().ok()).unwrap_or(f64::NAN)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn counted(content: &str) -> (u64, u64, u64) {
        let Marks { shown, texts, rules, searched: _ } = Marks::of(content.as_bytes());
        (shown, texts, rules)
    }

    #[test]
    fn texts_that_stand_alone_count_more_than_those_that_go_on_in_a_line() {
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
            ("told in words", "/Span << /ActualText (Do) >> BDC EMC /P << /MCID 1 >> BDC EMC", (1, 5, 0)),
            ("rules", "0 0 9 1 re f 1 1 m 50 1 l 50 40 l 9 9 l S", (0, 0, 3)),
            ("nothing of it", "(Tj)(l)/Tj/re [(-900)(')] <54> 1 0 0 rg", (0, 0, 0)),
        ];
        for (name, content, expected) in rows {
            assert_eq!(counted(content), expected, "{name}");
        }
    }

    #[test]
    fn what_only_some_parsers_draw_counts() {
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
    fn a_page_of_too_much_has_no_price() {
        assert_eq!(Marks::texts(100).pairs(), Some(10_000));
        assert_eq!(Marks::texts(MAX_PAGE_MARKS + 1).pairs(), None);
        assert_eq!(Marks { rules: MAX_PAGE_MARKS, ..Marks::texts(100) }.pairs(), None);
        assert_eq!(Marks::texts(u64::MAX).times(9).capped().pairs(), None);
    }

    #[test]
    fn pictures_without_an_end_cost_what_follows_them() {
        let searched = |content: &str| Marks::of(content.as_bytes()).searched;
        assert_eq!(searched("BI /W 1 ID x EI BI /W 1 ID BI x\nEI\n"), 0);
        assert_eq!(searched("BI BI BI"), 6 + 3);
        assert_eq!(searched("BI ID EI BI 12"), 3);
        assert!(Marks::of("BI ".repeat(100_000).as_bytes()).pairs().is_none());
    }

    #[test]
    fn paths_are_taken_out_and_texts_stay() {
        let content = b"q 0 0 9 9 re W n BT /F1 9 Tf(x)Tj ET 1 1 m 5 5 l S /X Do Q";
        let left = String::from_utf8(without_paths(content)).unwrap();
        let words: Vec<&str> = left.split_whitespace().collect();
        assert_eq!(words, ["q", "BT", "/F1", "9", "Tf", "(x)Tj", "ET", "/X", "Do", "Q"], "{left:?}");
    }

    proptest::proptest! {
        /// Whatever the bytes are, each is looked at once, and what is left is no more than what was there and a line end
        /// for each operator.
        #[test]
        fn any_bytes_are_read_to_their_end(content in proptest::collection::vec(proptest::prelude::any::<u8>(), 0..200)) {
            let _any = Marks::of(&content);
            proptest::prop_assert!(without_paths(&content).len() <= content.len() * 2);
        }
    }
}
