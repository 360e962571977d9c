//! Chooses the delimiters of emphasis.
//!
//! `*` and `**` are almost always right, but not next to letters and punctuation (`**a:**b`), not if marks
//! touch (`*a**b*`) and not if they nest in their own kind. So the CommonMark algorithm (section 6.2) is run
//! on the planned delimiters. A mark that a parser would not read back as itself gets `_` instead of `*`, and
//! if that fails too, its HTML tag.

use gleaner_types::Interrupt;

use super::piece::{Mark, Piece};

/// How a piece is written as a mark; [`Style::None`] for pieces that are not marks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Style {
    None,
    Delimiter(u8),
    Html,
}

/// Maximum number of attempts. After the last, all marks become HTML.
const ATTEMPTS: usize = 4;

/// Maximum number of openers that a closer is compared with, and of pieces examined for the next character.
/// Keeps a paragraph of unmatched delimiters linear.
const MAX_LOOKBACK: usize = 64;

/// The style of each piece of a block.
pub(super) fn styles(pieces: &[Piece], text: &str, interrupt: &Interrupt) -> Vec<Style> {
    let mut styles = vec![Style::None; pieces.len()];
    if !pieces.iter().any(|piece| matches!(piece, Piece::Open(_))) {
        return styles;
    }
    // Pairs of opening and closing pieces, with their nesting depth.
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
        let mut failed = failed_pairs(pieces, text, &styles, &pairs, Tildes::Punctuation);
        if tildes {
            failed.extend(failed_pairs(pieces, text, &styles, &pairs, Tildes::Ignored));
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

/// The opening and the closing piece of a mark.
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
    /// For each delimiter, in source order, the pair it belongs to. Openers are consumed from the end.
    owners: Vec<usize>,
    /// Number of owners that closers consumed from the front.
    front: usize,
    opens: bool,
    closes: bool,
    /// Number of delimiters before any was consumed.
    original: usize,
}

impl Run {
    /// Number of delimiters that are not consumed.
    fn left(&self) -> usize {
        self.owners.len() - self.front
    }
}

/// How a parser treats tildes next to a delimiter. CommonMark reads them as punctuation; parsers that support
/// strikethrough, such as `cmark-gfm`, ignore them and examine the next character. Both must read the output
/// the same way.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Tildes {
    Punctuation,
    Ignored,
}

impl Tildes {
    const fn counts(self, c: char) -> bool {
        matches!(self, Self::Punctuation) || c != '~'
    }
}

/// The pairs that a parser would not read back as themselves.
fn failed_pairs(
    pieces: &[Piece],
    text: &str,
    styles: &[Style],
    pairs: &[Pair],
    tildes: Tildes,
) -> Vec<usize> {
    let mut pair_of = vec![usize::MAX; pieces.len()];
    for (number, pair) in pairs.iter().enumerate() {
        for at in [pair.open, pair.close] {
            if let Some(slot) = pair_of.get_mut(at) {
                *slot = number;
            }
        }
    }
    let mut intact = vec![false; pairs.len()];
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
                if tildes.counts(char::from(character)) {
                    last = Some(char::from(character));
                }
                continue;
            }
            (Piece::Open(_) | Piece::Close(_), _) => {
                if let Some(number) = pair_of.get(index)
                    && let Some(slot) = intact.get_mut(*number)
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
                process_emphasis(inner, pairs, &mut intact);
                last = Some(')');
            }
            (Piece::Text(range) | Piece::Raw(range), _) => {
                let end = text.get(range.clone()).unwrap_or_default();
                last = end.chars().rfind(|c| tildes.counts(*c)).or(last);
            }
            (Piece::Code(_), _) => last = Some('`'),
            (Piece::Image { .. }, _) => last = Some(')'),
            (Piece::Break, _) => last = None,
        }
        index += 1;
    }
    process_emphasis(runs, pairs, &mut intact);
    intact.iter().enumerate().filter(|(_, intact)| !**intact).map(|(number, _)| number).collect()
}

/// The first character at or after a piece, as a parser sees it.
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
                text.get(range.clone())?.chars().find(|c| tildes.counts(*c))
            }
            (Piece::Open(_) | Piece::Close(_), Style::Delimiter(character)) => {
                Some(char::from(*character)).filter(|c| tildes.counts(*c))
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

/// Whether a run can open and whether it can close emphasis (CommonMark, 6.2).
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

/// Is a character punctuation or a symbol as CommonMark defines it? Beyond ASCII this is approximated: a
/// character that is not a letter, a digit, white space or a control character, with some ranges of combining
/// marks excluded.
fn is_punctuation(c: char) -> bool {
    c.is_ascii_punctuation()
        || (!c.is_ascii()
            && !c.is_alphanumeric()
            && !c.is_whitespace()
            && !c.is_control()
            && !matches!(
                c,
                '\u{300}'..='\u{36F}'
                    | '\u{200C}'
                    | '\u{200D}'
                    | '\u{FE00}'..='\u{FE0F}'
                    | '\u{900}'..='\u{DFF}'
            ))
}

/// Matches runs as CommonMark's "process emphasis" does, and sets the pairs that are read back as intended.
fn process_emphasis(mut runs: Vec<Run>, pairs: &[Pair], intact: &mut [bool]) {
    // Indices of runs that may still open.
    let mut openers: Vec<usize> = Vec::new();
    let mut broken: Vec<usize> = Vec::new();
    for at in 0..runs.len() {
        while runs.get(at).is_some_and(|run| run.closes && run.left() > 0) {
            let unmatched =
                openers.iter().rev().take(MAX_LOOKBACK).position(|opener| matches_closer(&runs, *opener, at));
            let Some(unmatched) = unmatched else { break };
            openers.truncate(openers.len() - unmatched);
            let Some(opener_at) = openers.last().copied() else { break };
            let (head, tail) = runs.split_at_mut(at);
            let (Some(opener), Some(closer)) = (head.get_mut(opener_at), tail.first_mut()) else { break };
            let length =
                if opener.character == b'~' || (opener.left() >= 2 && closer.left() >= 2) { 2 } else { 1 };
            let opened = opener.owners.split_off(opener.owners.len().saturating_sub(length));
            let closed = closer.owners.get(closer.front..closer.front + length).unwrap_or_default();
            let owner = opened.first().copied().unwrap_or(usize::MAX);
            let is_complete =
                pairs.get(owner).and_then(|pair| pair.mark.delimiter()).is_some_and(|(own, _)| own == length);
            if is_complete && opened.iter().chain(closed).all(|other| *other == owner) {
                if let Some(slot) = intact.get_mut(owner) {
                    *slot = true;
                }
            } else {
                // Delimiters of different pairs match here: write all of these pairs differently.
                broken.extend(opened.iter().chain(closed).copied());
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
    for owner in broken {
        if let Some(slot) = intact.get_mut(owner) {
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
    // The rule about multiples of three (CommonMark, 6.2, rules 9 and 10).
    let both = opener.closes || closer.opens;
    !(both
        && (opener.original + closer.original) % 3 == 0
        && (opener.original % 3 != 0 || closer.original % 3 != 0))
}
