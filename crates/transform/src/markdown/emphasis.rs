//! Which delimiters stand for emphasis.
//!
//! `*` and `**` are right nearly always, but not beside letters and punctuation (`**a:**b`), not when marks touch
//! (`*a**b*`) and not when they nest in their own kind. So the CommonMark algorithm (section 6.2) is run on the
//! delimiters we would write; a mark that would not come back as itself is given `_` in place of `*`, and if that
//! does not help either, its HTML tag.

use gleaner_types::Interrupt;

use super::piece::{Mark, Piece};

/// How a mark is written; one for each piece, [`Style::None`] for pieces that are no marks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Style {
    None,
    Delimiter(u8),
    Html,
}

/// Attempts before the marks that still fail become HTML.
const ATTEMPTS: usize = 4;

/// Openers that a closer is compared with, and pieces that are looked past; keeps a paragraph of stray delimiters linear.
const MAX_LOOKBACK: usize = 64;

/// How each mark of a block is written.
pub(super) fn styles(pieces: &[Piece], text: &str, interrupt: &Interrupt) -> Vec<Style> {
    let mut styles = vec![Style::None; pieces.len()];
    if !pieces.iter().any(|piece| matches!(piece, Piece::Open(_))) {
        return styles;
    }
    // Pairs of open and close, with their nesting.
    let mut stack = Vec::new();
    let mut pairs = Vec::new();
    for (index, piece) in pieces.iter().enumerate() {
        match piece {
            Piece::Open(mark) => stack.push((index, *mark, stack.len())),
            Piece::Close(_) => {
                pairs.extend(stack.pop().map(|(open, mark, depth)| Pair { open, close: index, mark, depth }));
            }
            _ => {}
        }
    }
    let set = |styles: &mut Vec<Style>, pair: &Pair, style: Style| {
        for at in [pair.open, pair.close] {
            if let Some(slot) = styles.get_mut(at) {
                *slot = style;
            }
        }
    };
    for pair in &pairs {
        set(
            &mut styles,
            pair,
            pair.mark.delimiter().map_or(Style::Html, |(_, character)| Style::Delimiter(character)),
        );
    }
    let tildes = text.contains('~') || pieces.iter().any(|piece| matches!(piece, Piece::Open(Mark::Strike)));
    for attempt in 0..ATTEMPTS {
        if interrupt.spend(2 * pieces.len()) {
            return styles;
        }
        let mut failed = failing(pieces, text, &styles, &pairs, Tildes::Count);
        if tildes {
            failed.extend(failing(pieces, text, &styles, &pairs, Tildes::Skip));
            failed.sort_unstable();
            failed.dedup();
        }
        if failed.is_empty() {
            return styles;
        }
        for number in failed {
            let Some(pair) = pairs.get(number) else { continue };
            let style = match styles.get(pair.open) {
                Some(Style::Delimiter(b'*')) if attempt == 0 && pair.depth % 2 == 1 => Style::Delimiter(b'_'),
                Some(Style::Delimiter(b'*')) if attempt == 1 => Style::Delimiter(b'_'),
                Some(Style::Delimiter(b'_')) if attempt == 1 => Style::Delimiter(b'*'),
                Some(current) if attempt == 0 => *current,
                _ => Style::Html,
            };
            set(&mut styles, pair, style);
        }
    }
    for pair in &pairs {
        set(&mut styles, pair, Style::Html);
    }
    styles
}

#[derive(Debug, Clone, Copy)]
struct Pair {
    open: usize,
    close: usize,
    mark: Mark,
    depth: usize,
}

/// A run of equal delimiter characters.
#[derive(Debug)]
struct Run {
    character: u8,
    /// For each delimiter left, outermost first for closers, in source order: the pair it belongs to.
    owners: Vec<usize>,
    /// Owners consumed at the front.
    front: usize,
    opens: bool,
    closes: bool,
    original: usize,
}

impl Run {
    fn left(&self) -> usize {
        self.owners.len() - self.front
    }
}

/// What tildes beside a delimiter are to a reader: CommonMark has them as punctuation; readers that know struck text, as
/// `cmark-gfm` does, look past them at what comes next. What is written must be read the same by both.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Tildes {
    Count,
    Skip,
}

impl Tildes {
    const fn shows(self, c: char) -> bool {
        matches!(self, Self::Count) || c != '~'
    }
}

/// The pairs that would not be read back as themselves.
fn failing(pieces: &[Piece], text: &str, styles: &[Style], pairs: &[Pair], tildes: Tildes) -> Vec<usize> {
    let mut pair_of = vec![usize::MAX; pieces.len()];
    for (number, pair) in pairs.iter().enumerate() {
        for at in [pair.open, pair.close] {
            if let Some(slot) = pair_of.get_mut(at) {
                *slot = number;
            }
        }
    }
    let mut good = vec![false; pairs.len()];
    let mut runs: Vec<Run> = Vec::new();
    let mut links: Vec<usize> = Vec::new();
    let mut last = None::<char>;
    let mut index = 0;
    while let Some(piece) = pieces.get(index) {
        match (piece, styles.get(index)) {
            (Piece::Open(_) | Piece::Close(_), Some(Style::Delimiter(character))) => {
                let character = *character;
                let mut owners = Vec::new();
                let start = index;
                while let (Some(Piece::Open(mark) | Piece::Close(mark)), Some(Style::Delimiter(same))) =
                    (pieces.get(index), styles.get(index))
                {
                    if *same != character {
                        break;
                    }
                    let length = mark.delimiter().map_or(1, |(length, _)| length);
                    owners.extend(std::iter::repeat_n(
                        pair_of.get(index).copied().unwrap_or(usize::MAX),
                        length,
                    ));
                    index += 1;
                }
                debug_assert!(index > start);
                let next = first_character(pieces, text, styles, index, tildes);
                let (opens, closes) = flanking(character, last, next);
                let original = owners.len();
                runs.push(Run { character, owners, front: 0, opens, closes, original });
                if tildes.shows(char::from(character)) {
                    last = Some(char::from(character));
                }
                continue;
            }
            (Piece::Open(_) | Piece::Close(_), _) => {
                if let Some(number) = pair_of.get(index)
                    && let Some(slot) = good.get_mut(*number)
                {
                    *slot = true;
                }
                last = Some('>');
            }
            (Piece::Link, _) => {
                links.push(runs.len());
                last = Some('[');
            }
            (Piece::LinkEnd(_), _) => {
                let bottom = links.pop().unwrap_or(0);
                let inner = runs.split_off(bottom.min(runs.len()));
                process(inner, pairs, &mut good);
                last = Some(')');
            }
            (Piece::Text(range) | Piece::Raw(range), _) => {
                let end = text.get(range.clone()).unwrap_or_default();
                last = end.chars().rfind(|c| tildes.shows(*c)).or(last);
            }
            (Piece::Code(_), _) => last = Some('`'),
            (Piece::Image { .. }, _) => last = Some(')'),
            (Piece::Break, _) => last = None,
        }
        index += 1;
    }
    process(runs, pairs, &mut good);
    good.iter().enumerate().filter(|(_, good)| !**good).map(|(number, _)| number).collect()
}

/// The first character that shows at or after a piece.
fn first_character(
    pieces: &[Piece],
    text: &str,
    styles: &[Style],
    index: usize,
    tildes: Tildes,
) -> Option<char> {
    let after = (pieces.get(index..)?, styles.get(index..)?);
    for (piece, style) in after.0.iter().zip(after.1).take(MAX_LOOKBACK) {
        let first = match (piece, style) {
            (Piece::Text(range) | Piece::Raw(range), _) => {
                text.get(range.clone())?.chars().find(|c| tildes.shows(*c))
            }
            (Piece::Open(_) | Piece::Close(_), Style::Delimiter(character)) => {
                Some(char::from(*character)).filter(|c| tildes.shows(*c))
            }
            (Piece::Open(_) | Piece::Close(_), _) => Some('<'),
            (Piece::Link, _) => Some('['),
            (Piece::LinkEnd(_), _) => Some(']'),
            (Piece::Code(_), _) => Some('`'),
            (Piece::Image { .. }, _) => Some('!'),
            (Piece::Break, _) => return None,
        };
        if first.is_some() {
            return first;
        }
    }
    None
}

/// Can a run open, can it close (CommonMark 6.2)?
fn flanking(character: u8, previous: Option<char>, next: Option<char>) -> (bool, bool) {
    let space = |c: Option<char>| c.is_none_or(char::is_whitespace);
    let punctuation = |c: Option<char>| c.is_some_and(is_punctuation);
    let left = !space(next) && (!punctuation(next) || space(previous) || punctuation(previous));
    let right = !space(previous) && (!punctuation(previous) || space(next) || punctuation(next));
    if character == b'_' {
        (left && (!right || punctuation(previous)), right && (!left || punctuation(next)))
    } else {
        (left, right)
    }
}

/// Punctuation and symbols, as CommonMark has it; what is neither letter, digit nor space serves for other scripts.
fn is_punctuation(c: char) -> bool {
    c.is_ascii_punctuation()
        || (!c.is_ascii()
            && !c.is_alphanumeric()
            && !c.is_whitespace()
            && !c.is_control()
            && !matches!(c, '\u{300}'..='\u{36F}' | '\u{200C}' | '\u{200D}' | '\u{FE00}'..='\u{FE0F}' | '\u{900}'..='\u{DFF}'))
}

/// Pairs up runs as CommonMark's "process emphasis" does, and notes the pairs that come out as intended.
fn process(mut runs: Vec<Run>, pairs: &[Pair], good: &mut [bool]) {
    // Positions of runs that may still open.
    let mut openers: Vec<usize> = Vec::new();
    let mut spoilt: Vec<usize> = Vec::new();
    for at in 0..runs.len() {
        while runs.get(at).is_some_and(|run| run.closes && run.left() > 0) {
            let found =
                openers.iter().rev().take(MAX_LOOKBACK).position(|opener| matches_closer(&runs, *opener, at));
            let Some(unmatched) = found else { break };
            openers.truncate(openers.len() - unmatched);
            let Some(opener_at) = openers.last().copied() else { break };
            let (head, tail) = runs.split_at_mut(at);
            let (Some(opener), Some(closer)) = (head.get_mut(opener_at), tail.first_mut()) else { break };
            let length =
                if opener.character == b'~' || (opener.left() >= 2 && closer.left() >= 2) { 2 } else { 1 };
            let opened = opener.owners.split_off(opener.owners.len().saturating_sub(length));
            let closed = closer.owners.get(closer.front..closer.front + length).unwrap_or_default();
            let owner = opened.first().copied().unwrap_or(usize::MAX);
            let whole =
                pairs.get(owner).and_then(|pair| pair.mark.delimiter()).is_some_and(|(own, _)| own == length);
            if whole && opened.iter().chain(closed).all(|other| *other == owner) {
                if let Some(slot) = good.get_mut(owner) {
                    *slot = true;
                }
            } else {
                // Something else pairs up here: all that take part have to be written differently.
                spoilt.extend(opened.iter().chain(closed).copied());
            }
            closer.front += length;
            if opener.left() == 0 {
                openers.pop();
            }
        }
        if runs.get(at).is_some_and(|run| run.opens && run.left() > 0) {
            openers.push(at);
        }
    }
    for owner in spoilt {
        if let Some(slot) = good.get_mut(owner) {
            *slot = false;
        }
    }
}

fn matches_closer(runs: &[Run], opener: usize, closer: usize) -> bool {
    let (Some(opener), Some(closer)) = (runs.get(opener), runs.get(closer)) else { return false };
    if opener.character != closer.character || opener.left() == 0 {
        return false;
    }
    if opener.character == b'~' {
        return opener.left() == closer.left();
    }
    // The rule of three.
    let both = opener.closes || closer.opens;
    !(both
        && (opener.original + closer.original) % 3 == 0
        && (opener.original % 3 != 0 || closer.original % 3 != 0))
}
