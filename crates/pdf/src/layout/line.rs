//! Lines: the fragments of one base as text.

use super::bidi::{is_from_right, mirror_brackets, reading_order};
use super::chars::{is_right_to_left, is_unspaced, subscript, superscript, without_forms};
use super::fragment::{Fragment, joined_row, rows};
use super::text::{Text, Url};
use super::token::{Token, UNKNOWN};

/// A gap above this many sizes of the text is a space.
const MIN_SPACE: f32 = 0.13;

/// The same between two letters of a script without spaces.
const MIN_WIDE_SPACE: f32 = 0.6;

/// Narrowest gap behind a bullet, in sizes of the text.
const MIN_BULLET_GAP: f32 = 0.3;

/// A token is raised or lowered if it is smaller than its line by this factor.
const RAISED_SIZE: f32 = 0.86;

/// Rows this near to each other, in sizes of the larger text, may be one line with raised or lowered text.
const MAX_RAISE: f32 = 0.65;

/// Most rows of raised or lowered text of a line. Each is joined to the whole line.
const MAX_RAISED_ROWS: usize = 16;

/// Most spaces within a line of code. Wider gaps are one space.
const MAX_CODE_SPACES: usize = 160;

/// Letters that are spaced as a word, at least this many.
const MIN_SPACED_LETTERS: usize = 4;

/// A line of text.
#[derive(Debug, Clone, Default, PartialEq)]
pub(crate) struct Line {
    pub(crate) text: Text,
    pub(crate) left: f32,
    pub(crate) right: f32,
    pub(crate) base: f32,
    pub(crate) size: f32,
    /// The width of its first word.
    pub(crate) first_word: f32,
    pub(crate) is_bold: bool,
    pub(crate) is_mono: bool,
    /// Its text with its gaps as spaces, if it is in letters of one width.
    pub(crate) code: String,
    /// It is read from its right end.
    pub(crate) is_from_right: bool,
    /// It is at an angle, for example a watermark.
    pub(crate) is_slanted: bool,
    /// How far down the page it is: 0 at the top, 1 at the bottom.
    pub(crate) place: f32,
}

/// The rows of a part of a page, from the top; the fragments of each from left to right.
pub(super) fn part_rows(part: Vec<Fragment>) -> Vec<Vec<Fragment>> {
    let mut all: Vec<Vec<Fragment>> = Vec::new();
    let mut raised = 0;
    for row in rows(part) {
        match all.last_mut() {
            Some(last) if raised < MAX_RAISED_ROWS && are_one(last, &row) => {
                raised += 1;
                let mut both = std::mem::take(last);
                both.extend(row);
                both.sort_by(|a, b| a.area.left.total_cmp(&b.area.left));
                *last = joined_row(both, 0.3);
            }
            _ => {
                raised = 0;
                all.push(row);
            }
        }
    }
    all
}

/// Whether two rows are one line with raised or lowered text: one is small, near, and beside the other.
fn are_one(upper: &[Fragment], lower: &[Fragment]) -> bool {
    let size = |row: &[Fragment]| row.iter().map(|fragment| fragment.size).fold(0.0, f32::max);
    let base = |row: &[Fragment]| row.first().map_or(0.0, |fragment| fragment.base);
    let (above, below) = (size(upper), size(lower));
    let is_near = (base(lower) - base(upper)).abs() <= MAX_RAISE * above.max(below);
    let is_text = upper.iter().chain(lower).all(|fragment| fragment.table.is_none());
    if !is_near || !is_text || above.min(below) >= RAISED_SIZE * above.max(below) {
        return false;
    }
    let (small, large) = if above < below { (upper, lower) } else { (lower, upper) };
    let tokens: Vec<&Token> = large.iter().flat_map(|fragment| &fragment.tokens).collect();
    small.iter().all(|fragment| {
        let slack = 0.25 * fragment.size;
        let next = tokens.partition_point(|token| token.left < fragment.area.right - slack);
        let before = next.checked_sub(1).and_then(|before| tokens.get(before));
        before.is_none_or(|token| token.right <= fragment.area.left + slack)
    })
}

impl Line {
    /// The line of these fragments, from left to right.
    pub(super) fn of(row: &[Fragment], urls: &[Url]) -> Self {
        let main = row.iter().max_by_key(|fragment| fragment.chars);
        let (base, size) = main.map_or((0.0, 0.0), |fragment| (fragment.base, fragment.size));
        let tokens: Vec<&Token> = row.iter().flat_map(|fragment| &fragment.tokens).collect();
        let chars = |has: fn(&Token) -> bool| {
            let matching = tokens.iter().filter(|token| has(token));
            matching.map(|token| token.text.chars().count()).sum::<usize>()
        };
        let all = chars(|_| true);
        let is_from_right = is_read_from_right(&tokens);
        let first = if is_from_right { row.last() } else { row.first() };
        let has_right_to_left = chars(|token| token.text.chars().any(is_right_to_left)) > 0;
        let is_mono = all > 0 && chars(|token| token.style.is_mono) * 10 >= all * 9;
        Self {
            text: text(row, base, size, urls),
            left: row.first().map_or(0.0, |fragment| fragment.area.left),
            right: row.iter().map(|fragment| fragment.area.right).fold(f32::MIN, f32::max),
            base,
            size,
            first_word: first.map_or(0.0, |fragment| first_word(&fragment.tokens, is_from_right)),
            is_bold: all > 0 && chars(|token| token.style.is_bold) * 10 >= all * 9,
            is_mono,
            code: if is_mono && !has_right_to_left { code(row) } else { String::new() },
            is_from_right,
            is_slanted: false,
            place: 0.5,
        }
    }
}

/// Whether a line of these tokens is read from its right end.
fn is_read_from_right(tokens: &[&Token]) -> bool {
    if !tokens.iter().any(|token| token.text.chars().any(is_right_to_left)) {
        return false;
    }
    let chars: Vec<char> = tokens.iter().flat_map(|token| token.text.chars().chain([' '])).collect();
    is_from_right(&chars)
}

/// The text of fragments in letters of one width, with as many spaces between its words as there is room for.
fn code(row: &[Fragment]) -> String {
    let tokens = || row.iter().flat_map(|fragment| &fragment.tokens);
    let chars = tokens().map(|token| token.text.chars().count()).sum::<usize>();
    let width = tokens().map(|token| token.right - token.left).sum::<f32>() / chars.max(1) as f32;
    let mut code = String::new();
    let mut room = MAX_CODE_SPACES;
    let mut right: Option<f32> = None;
    for fragment in row {
        let spaces = spaces(&fragment.tokens);
        // Between fragments there is a gap.
        let spaced = std::iter::once(true).chain(spaces);
        for (token, is_spaced) in fragment.tokens.iter().zip(spaced) {
            if token.text == UNKNOWN {
                continue;
            }
            if let Some(right) = right.filter(|_| is_spaced) {
                let spaces = ((token.left - right) / width.max(0.1)).round() as usize;
                let spaces = spaces.clamp(1, room.max(1));
                room = room.saturating_sub(spaces);
                code.extend(std::iter::repeat_n(' ', spaces));
            }
            code.push_str(&token.text);
            right = Some(token.right);
        }
    }
    code
}

/// A part of a line: a word or a part of one.
struct Part<'t> {
    token: &'t Token,
    text: String,
    is_spaced: bool,
}

/// The text of fragments on one line.
pub(super) fn text(row: &[Fragment], base: f32, size: f32, urls: &[Url]) -> Text {
    let mut parts: Vec<Part<'_>> = Vec::new();
    let is_item = begins_with_bullet(row);
    // There is a space before a glyph that is left out.
    let mut is_behind_space = false;
    for fragment in row {
        let spaces = spaces(&fragment.tokens);
        for (at, token) in fragment.tokens.iter().enumerate() {
            // Between fragments there is a gap.
            let is_spaced = match at.checked_sub(1) {
                None => !parts.is_empty(),
                Some(before) => spaces.get(before).copied().unwrap_or(false),
            };
            let is_spaced = !parts.is_empty() && (is_spaced || is_behind_space);
            is_behind_space = false;
            let text = if token.text != UNKNOWN {
                raised(token, base, size)
            } else if is_item && parts.is_empty() {
                "•".to_owned()
            } else {
                is_behind_space = is_spaced;
                continue;
            };
            parts.push(Part { token, text, is_spaced });
        }
    }
    let mut text = Text::default();
    if parts.iter().any(|part| part.text.chars().any(is_right_to_left)) {
        push_reordered(&parts, urls, &mut text);
    } else {
        for part in &parts {
            if part.is_spaced {
                text.push(" ", None);
            }
            text.push(&part.text, part.token.style.link.and_then(|link| urls.get(link)));
        }
    }
    text
}

/// Whether a glyph without a character stands before the text, with a gap between them.
fn begins_with_bullet(row: &[Fragment]) -> bool {
    let mut tokens = row.iter().flat_map(|fragment| &fragment.tokens);
    tokens.next().zip(tokens.next()).is_some_and(|(first, next)| {
        first.text == UNKNOWN && next.text != UNKNOWN && next.left - first.right > MIN_BULLET_GAP * next.size
    })
}

/// Whether there is a space after each token.
pub(super) fn spaces(tokens: &[Token]) -> Vec<bool> {
    let gaps: Vec<f32> = tokens
        .windows(2)
        .map(|pair| match pair {
            [a, b] => (b.left - a.right) / a.size.max(b.size).max(0.1),
            _ => 0.0,
        })
        .collect();
    let limits = limits(tokens, &gaps);
    tokens
        .windows(2)
        .zip(gaps.iter().zip(limits))
        .map(|(pair, (gap, limit))| {
            let [a, b] = pair else { return false };
            let sides = a.text.chars().last().zip(b.text.chars().next());
            if sides.is_some_and(|(last, first)| is_unspaced(last) && is_unspaced(first)) {
                return *gap > MIN_WIDE_SPACE;
            }
            *gap > limit || ((a.is_spaced_after || b.is_spaced_before) && *gap > -0.3)
        })
        .collect()
}

/// The gap above which there is a space, after each token. Words whose letters are spaced have wider gaps
/// between their letters.
fn limits(tokens: &[Token], gaps: &[f32]) -> Vec<f32> {
    let mut limits = vec![MIN_SPACE; gaps.len()];
    let is_letter = |token: &Token| {
        token.text.chars().nth(1).is_none() && !token.is_spaced_after && !token.is_spaced_before
    };
    let mut start = 0;
    while start < tokens.len() {
        let run = tokens.iter().skip(start).take_while(|token| is_letter(token)).count();
        if run >= MIN_SPACED_LETTERS {
            let inner: Vec<f32> = gaps.iter().skip(start).take(run - 1).copied().collect();
            // If words of single letters follow each other, only some gaps are wide.
            let usual = quartile(inner);
            if (0.1..0.7).contains(&usual) {
                limits.iter_mut().skip(start).take(run - 1).for_each(|limit| *limit = 1.6 * usual);
            }
        }
        start += run.max(1);
    }
    limits
}

/// A quarter of these numbers are at most this.
fn quartile(mut numbers: Vec<f32>) -> f32 {
    numbers.sort_by(f32::total_cmp);
    numbers.get(numbers.len() / 4).copied().unwrap_or(0.0)
}

/// The width of the first word of tokens, which may be drawn in parts.
fn first_word(tokens: &[Token], is_from_right: bool) -> f32 {
    let spaces = spaces(tokens);
    let spaced = if is_from_right {
        spaces.iter().rposition(|space| *space).map_or(0, |at| at + 1)..tokens.len()
    } else {
        0..spaces.iter().position(|space| *space).map_or(tokens.len(), |at| at + 1)
    };
    let word = tokens.get(spaced).unwrap_or_default();
    let (first, last) = (word.first(), word.last());
    first.zip(last).map_or(0.0, |(first, last)| last.right - first.left)
}

/// The text of a token; digits that are raised or lowered become characters of their own.
fn raised(token: &Token, base: f32, size: f32) -> String {
    let shift = base - token.base;
    if token.size < RAISED_SIZE * size && token.text.chars().count() <= 4 {
        let convert = if shift > 0.15 * size {
            Some(superscript as fn(char) -> Option<char>)
        } else if shift < -0.08 * size {
            Some(subscript as fn(char) -> Option<char>)
        } else {
            None
        };
        if let Some(text) = convert.and_then(|convert| token.text.chars().map(convert).collect()) {
            return text;
        }
    }
    token.text.clone()
}

/// Writes parts with letters from right to left in the order in which they are read.
fn push_reordered(parts: &[Part<'_>], urls: &[Url], text: &mut Text) {
    // A part whose letters are in reading order already is moved as a whole, like one of its letters.
    let mut chars: Vec<char> = Vec::new();
    let mut owners: Vec<Option<usize>> = Vec::new();
    for (at, part) in parts.iter().enumerate() {
        if part.is_spaced {
            chars.push(' ');
            owners.push(None);
        }
        if part.token.is_logical {
            let letter =
                part.text.chars().find(|c| is_right_to_left(*c)).or_else(|| part.text.chars().next());
            chars.extend(letter);
            owners.extend(letter.map(|_| Some(at)));
        } else {
            chars.extend(part.text.chars());
            owners.extend(part.text.chars().map(|_| Some(at)));
        }
    }
    let order = reading_order(&chars).unwrap_or_else(|| (0..chars.len()).collect());
    mirror_brackets(&mut chars, &order);
    let (mut run, mut owner) = (String::new(), None);
    let mut push = |run: &mut String, owner: Option<usize>| {
        let link = owner.and_then(|at: usize| parts.get(at)).and_then(|part| part.token.style.link);
        text.push(&without_forms(run), link.and_then(|link| urls.get(link)));
        run.clear();
    };
    for at in order {
        let (Some(c), Some(part)) = (chars.get(at), owners.get(at)) else { continue };
        if *part != owner {
            push(&mut run, owner);
            owner = *part;
        }
        match part.and_then(|part| parts.get(part)) {
            Some(part) if part.token.is_logical => run.push_str(&part.text),
            _ => run.push(*c),
        }
    }
    push(&mut run, owner);
}

#[cfg(test)]
mod tests {
    use super::super::fragment::fragments;
    use super::super::fragment::tests::token;
    use super::*;

    fn line(tokens: Vec<Token>) -> String {
        let rows = part_rows(fragments(tokens));
        let texts: Vec<String> = rows.iter().map(|row| Line::of(row, &[]).text.as_str().to_owned()).collect();
        texts.join("\n")
    }

    #[test]
    fn gaps_are_spaces() {
        let tokens = vec![
            token("Wo", 0.0, 0.0, 10.0),
            token("rd", 10.5, 0.0, 10.0),
            token("next", 23.0, 0.0, 10.0),
            token("far", 90.0, 0.0, 10.0),
        ];
        assert_eq!(line(tokens), "Word next far");
    }

    #[test]
    fn gaps_of_code_are_as_many_spaces() {
        let mut tokens = vec![
            token("int", 0.0, 0.0, 10.0),
            token("a;", 20.0, 0.0, 10.0),
            token("//", 60.0, 0.0, 10.0),
            token("x", 75.0, 0.0, 10.0),
        ];
        assert_eq!(Line::of(&fragments(tokens.clone()), &[]).code, "", "not of one width");
        tokens.iter_mut().for_each(|token| token.style.is_mono = true);
        let line = Line::of(&fragments(tokens.clone()), &[]);
        assert_eq!((line.code.as_str(), line.text.as_str()), ("int a;      // x", "int a; // x"));
        tokens[3].left = 100_000.0;
        tokens[3].right = 100_005.0;
        assert!(Line::of(&fragments(tokens), &[]).code.len() <= MAX_CODE_SPACES + 10);
    }

    #[test]
    fn spaced_letters_are_words() {
        let letters = "SPACED".chars().enumerate();
        let mut tokens: Vec<Token> =
            letters.map(|(at, c)| token(&c.to_string(), 8.0 * at as f32, 0.0, 10.0)).collect();
        tokens.push(token("W", 54.0, 0.0, 10.0));
        tokens.push(token("O", 62.0, 0.0, 10.0));
        assert_eq!(line(tokens), "SPACED WO");
    }

    #[test]
    fn words_of_one_letter_keep_their_spaces() {
        let letters = [("s", 0.0), ("a", 7.5), ("t", 15.0), ("h", 20.0)];
        let tokens = letters.map(|(letter, left)| token(letter, left, 0.0, 10.0)).to_vec();
        assert_eq!(line(tokens), "s a th");
    }

    #[test]
    fn the_first_word_may_be_drawn_in_parts() {
        let tokens = [("B", 0.0), ("ar", 5.0), ("next", 18.0)];
        let tokens: Vec<Token> = tokens.iter().map(|(text, left)| token(text, *left, 0.0, 10.0)).collect();
        assert_eq!(first_word(&tokens, false), 15.0);
        assert_eq!(first_word(&tokens, true), 20.0);
    }

    #[test]
    fn raised_and_lowered_digits_keep_their_place() {
        let tokens = vec![
            token("E=mc", 0.0, 0.0, 10.0),
            token("2", 20.0, -4.0, 6.0),
            token("H", 40.0, 0.0, 10.0),
            token("2", 45.0, 2.0, 6.0),
            token("O", 48.0, 0.0, 10.0),
        ];
        assert_eq!(line(tokens), "E=mc² H₂O");
        // Drawn later, so it is no part of the fragment at first.
        let tokens =
            vec![token("word", 0.0, 0.0, 10.0), token("after", 40.0, 0.0, 10.0), token("7", 20.5, -4.0, 6.0)];
        assert_eq!(line(tokens), "word⁷ after");
    }

    #[test]
    fn a_line_has_a_limited_number_of_raised_rows() {
        let rows_with = |raised: usize| {
            let notes = (0..raised).map(|row| token("n", 100.0 + 2.0 * row as f32, 0.5 + row as f32, 1.0));
            let tokens = std::iter::once(token("X", 0.0, 0.0, 100.0)).chain(notes);
            part_rows(tokens.map(|token| Fragment::of(vec![token])).collect()).len()
        };
        assert_eq!(rows_with(MAX_RAISED_ROWS), 1);
        assert!(rows_with(2 * MAX_RAISED_ROWS) > 1);
    }

    #[test]
    fn a_glyph_without_a_character_is_a_bullet_before_text() {
        let tokens = vec![token(UNKNOWN, 0.0, 0.0, 10.0), token("item", 12.0, 0.0, 10.0)];
        assert_eq!(line(tokens), "• item");
        let tokens = vec![
            token("e", 0.0, 0.0, 10.0),
            token(UNKNOWN, 5.0, 0.0, 10.0),
            token("cient", 10.0, 0.0, 10.0),
            token(UNKNOWN, 40.0, 0.0, 10.0),
            token("x", 45.0, 0.0, 10.0),
        ];
        assert_eq!(line(tokens), "ecient x");
    }

    #[test]
    fn scripts_without_spaces_have_none() {
        let tokens = vec![token("日本", 0.0, 0.0, 10.0), token("語", 13.0, 0.0, 10.0)];
        assert_eq!(line(tokens), "日本語");
    }

    #[test]
    fn letters_from_right_to_left_are_read_from_the_right() {
        let tokens = vec![token("םלוע", 0.0, 0.0, 10.0), token("םולש", 23.0, 0.0, 10.0)];
        assert_eq!(line(tokens), "שלום עולם");
    }
}
