//! The reading order of lines with letters that are written from right to left.
//!
//! A file draws a line from its left end. The line is cut into runs of one direction, which are put into the
//! order in which they are read; the letters of the runs from right to left are reversed. Numbers and words
//! from left to right keep their order.

use std::ops::Range;

use super::chars::{is_mark, is_right_to_left};

/// The direction of a character.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Direction {
    Left,
    Right,
    /// A digit: from left to right within a line from right to left.
    Digit,
    Neutral,
}

/// The order in which these characters are read, as indices. They are in the order from left to right. `None`
/// if it is the same order.
pub(super) fn reading_order(chars: &[char]) -> Option<Vec<usize>> {
    if !chars.iter().any(|c| is_right_to_left(*c)) {
        return None;
    }
    let strong = |wanted: Direction| chars.iter().filter(|c| direction(**c) == wanted).count();
    let is_right = strong(Direction::Right) >= strong(Direction::Left);
    let units = units(chars);
    let directions = resolved(chars, &units, is_right);
    // Runs of one direction, as indices of units.
    let mut runs: Vec<(Direction, Vec<usize>)> = Vec::new();
    for (unit, direction) in directions.into_iter().enumerate() {
        match runs.last_mut() {
            Some((last, run)) if *last == direction => run.push(unit),
            _ => runs.push((direction, vec![unit])),
        }
    }
    if is_right {
        runs.reverse();
    }
    let mut order = Vec::with_capacity(chars.len());
    for (direction, mut run) in runs {
        if direction == Direction::Right {
            run.reverse();
        }
        order.extend(run.into_iter().filter_map(|unit| units.get(unit)).flat_map(Range::clone));
    }
    Some(order)
}

/// Letters with their marks.
fn units(chars: &[char]) -> Vec<Range<usize>> {
    let mut units: Vec<Range<usize>> = Vec::with_capacity(chars.len());
    for (at, c) in chars.iter().enumerate() {
        match units.last_mut() {
            Some(last) if is_mark(*c) => last.end = at + 1,
            _ => units.push(at..at + 1),
        }
    }
    units
}

fn direction(c: char) -> Direction {
    if is_right_to_left(c) {
        Direction::Right
    } else if c.is_numeric() {
        Direction::Digit
    } else if c.is_alphabetic() {
        Direction::Left
    } else {
        Direction::Neutral
    }
}

/// The direction of each unit: digits go from left to right, and a character without a direction follows its
/// neighbours if they agree, else the line. In a number, a single separator belongs to it.
fn resolved(chars: &[char], units: &[Range<usize>], is_right: bool) -> Vec<Direction> {
    let line = if is_right { Direction::Right } else { Direction::Left };
    let own: Vec<Direction> =
        units.iter().map(|unit| chars.get(unit.start).map_or(line, |c| direction(*c))).collect();
    let at = |index: usize| own.get(index).copied();
    // The next direction of each unit that has one, from the end.
    let mut next = vec![None; own.len()];
    let mut following = None;
    for (slot, direction) in next.iter_mut().zip(&own).rev() {
        *slot = following;
        if *direction != Direction::Neutral {
            following = Some(*direction);
        }
    }
    let mut before = None;
    let mut all = Vec::with_capacity(own.len());
    for (index, (direction, next)) in own.iter().zip(&next).enumerate() {
        let c = units.get(index).and_then(|unit| chars.get(unit.start)).copied().unwrap_or(' ');
        let found = match direction {
            Direction::Neutral => {
                let adjacent = (index.checked_sub(1).and_then(at), at(index + 1));
                if adjacent == (Some(Direction::Digit), Some(Direction::Digit))
                    && matches!(c, '.' | ',' | ':' | '/' | '-')
                {
                    Direction::Left
                } else {
                    // A number after a word that is read from the left goes on with it.
                    let goes_on = matches!(next, Some(Direction::Left | Direction::Digit));
                    if before == Some(Direction::Left) && goes_on { Direction::Left } else { line }
                }
            }
            Direction::Digit => Direction::Left,
            strong => *strong,
        };
        if *direction != Direction::Neutral {
            before = Some(*direction);
        }
        all.push(found);
    }
    all
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The text that is read, from the text as drawn.
    fn read(drawn: &str) -> String {
        let chars: Vec<char> = drawn.chars().collect();
        match reading_order(&chars) {
            Some(order) => order.into_iter().map(|at| chars[at]).collect(),
            None => drawn.to_owned(),
        }
    }

    #[test]
    fn lines_are_read_in_the_order_of_their_letters() {
        for (drawn, expected) in [
            ("left to right", "left to right"),
            ("םולש", "שלום"),
            ("םלוע םולש", "שלום עולם"),
            ("2024 תנש", "שנת 2024"),
            ("12.50 ריחמ", "מחיר 12.50"),
            ("םלוע PDF 2 םולש", "שלום PDF 2 עולם"),
            ("see םולש here now", "see שלום here now"),
        ] {
            assert_eq!(read(drawn), expected, "{drawn}");
        }
    }

    #[test]
    fn marks_stay_behind_their_letters() {
        assert_eq!(read("ב\u{05B8}א"), "אב\u{05B8}");
    }
}
