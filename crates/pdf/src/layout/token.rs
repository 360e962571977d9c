//! The pieces of text of a page, in a frame in which they read from left to right and downward.

use std::collections::HashMap;
use std::hash::{BuildHasher as _, BuildHasherDefault, DefaultHasher};

use pdfboss_core::Rect;
use pdfboss_text::TextSpan;

use super::chars::{is_right_to_left, plain};
use super::widths::edges;
use crate::reader::Link;

/// Places are within this many points of the origin. Others are not on a page.
pub(super) const MAX_PLACE: f32 = 200_000.0;

/// Letters that are drawn twice are at most the reciprocal of this apart, in sizes of the text.
const AGAIN: f32 = 3.0;

/// The same for a text of one or two letters: two narrow letters may stand beside each other.
const AGAIN_SHORT: f32 = 10.0;

/// Most comparisons of tokens with links of a page. The tokens that are left have no links.
const MAX_SEARCHED: usize = 50_000_000;

/// The text of a glyph without a character that is drawn alone: it may be the bullet of an item.
pub(super) const UNKNOWN: &str = "\u{FFFD}";

/// How text goes on a page.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub(super) enum Turn {
    #[default]
    Upright,
    /// From the bottom to the top.
    Up,
    UpsideDown,
    /// From the top to the bottom; also vertical writing, whose lines follow from right to left.
    Down,
}

impl Turn {
    pub(super) fn of(span: &TextSpan) -> Self {
        match (span.vertical, span.rotate) {
            (true, _) | (false, 270) => Self::Down,
            (false, 90) => Self::Up,
            (false, 180) => Self::UpsideDown,
            _ => Self::Upright,
        }
    }

    /// A place of the page in the frame of this text: to the right, and down.
    pub(super) fn place(self, x: f32, y: f32) -> (f32, f32) {
        match self {
            Self::Upright => (x, -y),
            Self::Up => (y, x),
            Self::UpsideDown => (-x, y),
            Self::Down => (-y, -x),
        }
    }

    /// An area of the page in the frame of this text.
    pub(super) fn area(self, area: Rect) -> Area {
        let ((a, b), (c, d)) = (self.place(area.x0, area.y0), self.place(area.x1, area.y1));
        Area { left: a.min(c), right: a.max(c), top: b.min(d), bottom: b.max(d) }
    }
}

/// An area in the frame of a text.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub(super) struct Area {
    pub(super) left: f32,
    pub(super) right: f32,
    pub(super) top: f32,
    pub(super) bottom: f32,
}

impl Area {
    pub(super) fn has(&self, x: f32, y: f32) -> bool {
        (self.left..=self.right).contains(&x) && (self.top..=self.bottom).contains(&y)
    }
}

/// How a text looks, and its link.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) struct Style {
    pub(super) is_bold: bool,
    pub(super) is_mono: bool,
    /// The index of its link.
    pub(super) link: Option<usize>,
}

/// A text without spaces that is drawn at once. Its letters are in the order from left to right.
#[derive(Debug, Clone, PartialEq, Default)]
pub(super) struct Token {
    pub(super) text: String,
    pub(super) left: f32,
    pub(super) right: f32,
    /// Where its letters stand.
    pub(super) base: f32,
    pub(super) size: f32,
    pub(super) is_spaced_before: bool,
    pub(super) is_spaced_after: bool,
    /// Its letters are in reading order.
    pub(super) is_logical: bool,
    pub(super) style: Style,
}

/// Cuts texts into tokens, and leaves out what is drawn twice at the same place.
pub(super) struct Cutter<'l> {
    links: &'l [Link],
    /// The left edges of tokens, by their texts and places.
    seen: HashMap<(u64, i32, i32), f32>,
    /// Comparisons with links.
    searched: usize,
}

impl<'l> Cutter<'l> {
    pub(super) fn new(links: &'l [Link]) -> Self {
        Self { links, seen: HashMap::new(), searched: 0 }
    }

    /// Appends the tokens of a text, in its frame. A text of spaces marks the token before it.
    pub(super) fn cut(&mut self, span: &TextSpan, tokens: &mut Vec<Token>) {
        let turn = Turn::of(span);
        let (start, base) = turn.place(span.x, span.y);
        let (end, _) = turn.place(span.end_x, span.end_y);
        let places = [start, end, base, span.size];
        if places.iter().any(|place| !place.is_finite() || place.abs() > MAX_PLACE) {
            return;
        }
        let (left, right) = (start.min(end), start.max(end));
        let size = if span.size > 0.1 { span.size } else { span.bbox.height().clamp(0.1, 100.0) };
        let model = Token { base, size, is_logical: span.logical, style: style(span), ..Token::default() };
        let from = tokens.len();
        let is_right_to_left = span.text.chars().any(is_right_to_left);
        if span.text.trim() == UNKNOWN {
            tokens.push(Token { text: UNKNOWN.to_owned(), left, right, ..model });
        } else if span.logical && is_right_to_left {
            let text = plain(span.text.trim()).into_owned();
            tokens.push(Token { text, left, right, ..model });
        } else {
            let chars: Vec<char> = span.text.chars().collect();
            // A replacement text has no places of its own.
            let is_placed = turn == Turn::Upright
                && !span.logical
                && span.glyph_x.len() == chars.len()
                && span.glyph_x.iter().all(|place| place.is_finite() && place.abs() <= MAX_PLACE);
            let edges = if is_placed {
                // The left edge of each character, and the right edge of the last.
                span.glyph_x.iter().copied().chain([right]).collect()
            } else {
                edges(&chars, left, right, model.style.is_mono)
            };
            cut_words(&chars, &edges, &model, tokens);
        }
        let mut kept = from;
        for at in from..tokens.len() {
            let Some(token) = tokens.get_mut(at) else { break };
            if token.text.is_empty() || self.is_again(token, turn) {
                continue;
            }
            token.style.link = self.link(token, turn);
            tokens.swap(kept, at);
            kept += 1;
        }
        tokens.truncate(kept);
    }

    /// Whether the same text is at the same place in the same size: letters are drawn twice to look bold.
    fn is_again(&mut self, token: &Token, turn: Turn) -> bool {
        // Cells of different sizes do not have the same places, so the size is part of the key.
        let size = (token.size.max(1.0) * 4.0).round();
        let key = (&token.text, turn, size as i32);
        let hash = BuildHasherDefault::<DefaultHasher>::default().hash_one(key);
        let cell = |place: f32, parts: f32| (place * parts * 4.0 / size).round() as i32;
        let is_short = token.text.chars().nth(2).is_none();
        let parts = if is_short { AGAIN_SHORT } else { AGAIN };
        let (x, y) = (cell(token.left, parts), cell(token.base, AGAIN));
        // Neighbouring cells reach twice as far: a narrow letter may stand there.
        let is_same = |left: &f32| !is_short || (left - token.left).abs() * parts * 4.0 <= size;
        let is_in = |x: i32, y: i32| self.seen.get(&(hash, x, y)).is_some_and(is_same);
        let is_near = (-1..=1).any(|dx| (-1..=1).any(|dy| is_in(x + dx, y + dy)));
        if !is_near {
            self.seen.insert((hash, x, y), token.left);
        }
        is_near
    }

    fn link(&mut self, token: &Token, turn: Turn) -> Option<usize> {
        self.searched = self.searched.saturating_add(self.links.len());
        if self.searched > MAX_SEARCHED {
            return None;
        }
        let (x, y) = ((token.left + token.right) / 2.0, token.base - 0.3 * token.size);
        self.links.iter().position(|link| turn.area(link.area).has(x, y))
    }
}

fn style(span: &TextSpan) -> Style {
    const MONO: [&str; 10] = [
        "Courier",
        "Mono",
        "Consol",
        "Menlo",
        "Typewriter",
        "CMTT",
        "SFTT",
        "Inconsolata",
        "SourceCode",
        "FiraCode",
    ];
    const BOLD: [&str; 8] = ["Bold", "bold", "Black", "Heavy", "CMBX", "SFBX", "Medi", "Demi"];
    let has = |names: &[&str]| names.iter().any(|name| span.font_name.contains(name));
    Style { is_bold: span.bold || has(&BOLD), is_mono: span.monospace || has(&MONO), link: None }
}

/// Cuts characters at their spaces.
fn cut_words(chars: &[char], edges: &[f32], model: &Token, tokens: &mut Vec<Token>) {
    let mut word: Option<Token> = None;
    let mut is_spaced = false;
    for (at, c) in chars.iter().enumerate() {
        let left = edges.get(at).copied().unwrap_or(model.left);
        let right = edges.get(at + 1).copied().unwrap_or(left);
        if c.is_whitespace() {
            if let Some(mut word) = word.take() {
                word.is_spaced_after = true;
                tokens.push(word);
            }
            is_spaced = true;
            continue;
        }
        let mut buffer = [0; 4];
        let text = plain(c.encode_utf8(&mut buffer));
        let word = word.get_or_insert_with(|| Token {
            left,
            right: left,
            is_spaced_before: is_spaced,
            text: String::new(),
            ..model.clone()
        });
        is_spaced = false;
        word.text.push_str(&text);
        word.left = word.left.min(left).min(right);
        word.right = word.right.max(right).max(left);
    }
    if let Some(word) = word {
        tokens.push(word);
    } else if is_spaced && let Some(last) = tokens.last_mut() {
        last.is_spaced_after = true;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_keep_their_places() {
        let chars: Vec<char> = "ab  c ".chars().collect();
        let edges: Vec<f32> = (0..7).map(|at| at as f32).collect();
        let mut tokens = Vec::new();
        cut_words(&chars, &edges, &Token { size: 10.0, ..Token::default() }, &mut tokens);
        let places: Vec<(&str, f32, f32, bool, bool)> = tokens
            .iter()
            .map(|t| (t.text.as_str(), t.left, t.right, t.is_spaced_before, t.is_spaced_after))
            .collect();
        assert_eq!(places, [("ab", 0.0, 2.0, false, true), ("c", 4.0, 5.0, true, true)]);
    }

    #[test]
    fn text_that_is_drawn_twice_counts_once() {
        let mut cutter = Cutter::new(&[]);
        let token = Token { text: "bold".to_owned(), left: 10.0, base: 20.0, size: 12.0, ..Token::default() };
        assert!(!cutter.is_again(&token, Turn::Upright));
        assert!(cutter.is_again(&Token { left: 10.4, ..token.clone() }, Turn::Upright));
        assert!(!cutter.is_again(&Token { left: 60.0, ..token.clone() }, Turn::Upright));
        assert!(!cutter.is_again(&Token { base: 34.0, ..token }, Turn::Upright));
    }

    #[test]
    fn equal_texts_of_other_sizes_are_not_drawn_twice() {
        let mut cutter = Cutter::new(&[]);
        let token =
            |left, base, size| Token { text: "Total".to_owned(), left, base, size, ..Token::default() };
        assert!(!cutter.is_again(&token(200.0, -600.0, 20.0), Turn::Upright));
        assert!(!cutter.is_again(&token(100.0, -300.0, 10.0), Turn::Upright));
        assert!(cutter.is_again(&token(100.3, -300.0, 10.02), Turn::Upright));
    }

    #[test]
    fn double_letters_are_not_drawn_twice() {
        let mut cutter = Cutter::new(&[]);
        let token = Token { text: "l".to_owned(), left: 10.0, base: 20.0, size: 12.0, ..Token::default() };
        assert!(!cutter.is_again(&token, Turn::Upright));
        assert!(cutter.is_again(&Token { left: 10.4, ..token.clone() }, Turn::Upright));
        assert!(!cutter.is_again(&Token { left: 12.6, ..token.clone() }, Turn::Upright));
        // Letters of less than a fifth of their size, in neighbouring cells.
        assert!(!cutter.is_again(&Token { left: 109.82, ..token.clone() }, Turn::Upright));
        assert!(!cutter.is_again(&Token { left: 112.0, ..token }, Turn::Upright));
    }

    #[test]
    fn links_are_searched_a_limited_number_of_times() {
        let area = Rect::new(0.0, 0.0, 100.0, 100.0);
        let links = [Link { area, url: "https://e.example/".to_owned() }];
        let mut cutter = Cutter::new(&links);
        let token = Token { left: 10.0, right: 20.0, base: -50.0, size: 10.0, ..Token::default() };
        assert_eq!(cutter.link(&token, Turn::Upright), Some(0));
        cutter.searched = MAX_SEARCHED;
        assert_eq!(cutter.link(&token, Turn::Upright), None);
    }

    #[test]
    fn every_turn_reads_to_the_right_and_down() {
        for turn in [Turn::Upright, Turn::Up, Turn::UpsideDown, Turn::Down] {
            let (from, to) = match turn {
                Turn::Upright => ((0.0, 0.0), (1.0, 0.0)),
                Turn::Up => ((0.0, 0.0), (0.0, 1.0)),
                Turn::UpsideDown => ((0.0, 0.0), (-1.0, 0.0)),
                Turn::Down => ((0.0, 0.0), (0.0, -1.0)),
            };
            assert!(turn.place(to.0, to.1).0 > turn.place(from.0, from.1).0, "{turn:?}");
        }
    }
}
