//! The order in which the parts of a page are read: columns, and what spans them.
//!
//! A gutter is a strip that hardly any line crosses, with lines on both sides. The lines that cross it
//! divide the page into bands; in each band the left column is read before the right one. Both columns are
//! divided again; a table over both crosses the gutter. Cells of a table look like columns too: a gutter
//! counts only if both sides have long lines, or lines at other heights than the other side.

use super::fragment::{Fragment, median};
use super::wide::{bands, is_in};

/// Most divisions within one another.
const MAX_DEPTH: usize = 8;

/// Fewest lines beside a gutter.
const MIN_LINES: usize = 3;

/// Narrowest gutter, in sizes of the text.
const MIN_GUTTER: f32 = 0.6;

/// Width of a strip, in sizes of the text.
const STRIP: f32 = 0.1;

/// Most strips that the width of a page is divided into.
const MAX_STRIPS: usize = 2_000;

/// A gap between lines above this many sizes separates parts of a page that may have other columns.
const MIN_BREAK: f32 = 1.2;

/// Divides fragments into parts, in reading order. Each part is one column. `from_right` says that the right
/// column is read first.
pub(super) fn parts(fragments: Vec<Fragment>, from_right: bool) -> Vec<Vec<Fragment>> {
    let mut parts = Vec::new();
    divide(fragments, from_right, MAX_DEPTH, &mut parts);
    parts.retain(|part| !part.is_empty());
    parts
}

fn divide(mut fragments: Vec<Fragment>, from_right: bool, depth: usize, parts: &mut Vec<Vec<Fragment>>) {
    if depth == 0 || fragments.len() < 2 * MIN_LINES {
        parts.push(fragments);
        return;
    }
    fragments.sort_by(|a, b| a.area.top.total_cmp(&b.area.top));
    if let Some(at) = gutter(&fragments) {
        divide_at(fragments, at, from_right, depth - 1, parts);
        return;
    }
    let pieces = at_breaks(fragments);
    // Parts without columns that follow each other stay together.
    let mut plain: Vec<Fragment> = Vec::new();
    let is_whole = pieces.len() < 2;
    for piece in pieces {
        if !is_whole && gutter(&piece).is_some() {
            parts.push(std::mem::take(&mut plain));
            divide(piece, from_right, depth - 1, parts);
        } else {
            plain.extend(piece);
        }
    }
    parts.push(plain);
}

/// Divides fragments, from the top, into what is left and right of a gutter, and what crosses it.
fn divide_at(
    fragments: Vec<Fragment>,
    at: f32,
    from_right: bool,
    depth: usize,
    parts: &mut Vec<Vec<Fragment>>,
) {
    let bands = bands(&fragments, at);
    let (mut left, mut right, mut across) = (Vec::new(), Vec::new(), Vec::new());
    let columns = |left: &mut Vec<Fragment>, right: &mut Vec<Fragment>, parts: &mut Vec<Vec<Fragment>>| {
        let (left, right) = (std::mem::take(left), std::mem::take(right));
        let (first, second) = if from_right { (right, left) } else { (left, right) };
        divide(first, from_right, depth, parts);
        divide(second, from_right, depth, parts);
    };
    for fragment in fragments {
        if (fragment.area.left < at && fragment.area.right > at) || is_in(&bands, fragment.base) {
            columns(&mut left, &mut right, parts);
            across.push(fragment);
            continue;
        }
        if !across.is_empty() {
            parts.push(std::mem::take(&mut across));
        }
        if fragment.area.right <= at { left.push(fragment) } else { right.push(fragment) }
    }
    parts.push(across);
    columns(&mut left, &mut right, parts);
}

/// Pieces of fragments, from the top, with wide gaps between them.
fn at_breaks(fragments: Vec<Fragment>) -> Vec<Vec<Fragment>> {
    let size = median(fragments.iter().map(|fragment| fragment.size).collect());
    let mut pieces: Vec<Vec<Fragment>> = Vec::new();
    let mut bottom = f32::MIN;
    for fragment in fragments {
        let fits = fragment.area.top - bottom <= MIN_BREAK * size;
        bottom = bottom.max(fragment.area.bottom);
        match pieces.last_mut() {
            Some(piece) if fits => piece.push(fragment),
            _ => pieces.push(vec![fragment]),
        }
    }
    pieces
}

/// The middle of the best gutter.
fn gutter(fragments: &[Fragment]) -> Option<f32> {
    let size = median(fragments.iter().map(|fragment| fragment.size).collect());
    let left = fragments.iter().map(|fragment| fragment.area.left).fold(f32::MAX, f32::min);
    let right = fragments.iter().map(|fragment| fragment.area.right).fold(f32::MIN, f32::max);
    let width = right - left;
    if fragments.len() < 2 * MIN_LINES || size <= 0.0 || !width.is_finite() || width < 12.0 * size {
        return None;
    }
    let step = (size * STRIP).max(width / MAX_STRIPS as f32);
    let count = (width / step).ceil() as usize + 1;
    let strip = |place: f32| (((place - left) / step) as usize).min(count - 1);
    // Per strip: lines that cover it, lines left of it, lines right of it.
    let (mut covering, mut ending, mut starting) =
        (vec![0_i64; count + 1], vec![0; count + 1], vec![0; count + 1]);
    let add = |list: &mut [i64], at: usize, value: i64| {
        if let Some(slot) = list.get_mut(at) {
            *slot += value;
        }
    };
    for fragment in fragments {
        let (first, last) = (strip(fragment.area.left), strip(fragment.area.right));
        add(&mut covering, first, 1);
        add(&mut covering, last + 1, -1);
        add(&mut ending, last + 1, 1);
        add(&mut starting, first, 1);
    }
    let (mut covered, mut before, mut begun) = (0, 0, 0);
    let total = fragments.len() as i64;
    let mut candidates: Vec<(f32, f32)> = Vec::new();
    let mut run: Option<(usize, i64)> = None;
    for at in 0..count {
        let value = |list: &[i64]| list.get(at).copied().unwrap_or(0);
        covered += value(&covering);
        before += value(&ending);
        begun += value(&starting);
        let after = total - begun;
        let beside = before.min(after);
        let is_open = beside >= MIN_LINES as i64 && covered * 4 <= beside + 1;
        if is_open {
            let score = beside - 2 * covered;
            match &mut run {
                Some((_, most)) => *most = (*most).max(score),
                None => run = Some((at, score)),
            }
        } else if let Some((start, score)) = run.take() {
            let wide = (at - start) as f32 * step / size;
            if wide >= MIN_GUTTER {
                let middle = left + (start + at) as f32 / 2.0 * step;
                candidates.push((score as f32 * wide.min(4.0), middle));
            }
        }
    }
    candidates.sort_by(|a, b| b.0.total_cmp(&a.0));
    candidates.into_iter().take(4).map(|(_, middle)| middle).find(|at| separates(fragments, *at))
}

/// Whether a gutter separates columns of text, and not cells of a table.
fn separates(fragments: &[Fragment], at: f32) -> bool {
    let left: Vec<&Fragment> = fragments.iter().filter(|fragment| fragment.area.right <= at).collect();
    let right: Vec<&Fragment> = fragments.iter().filter(|fragment| fragment.area.left >= at).collect();
    if left.len() < MIN_LINES || right.len() < MIN_LINES {
        return false;
    }
    let (a, b) = (Side::of(&left), Side::of(&right));
    let beside = a.bottom.min(b.bottom) - a.top.max(b.top);
    if beside < 0.4 * (a.bottom - a.top).min(b.bottom - b.top) {
        return false;
    }
    let aligned = aligned(&left, &right);
    let is_text = a.is_text && b.is_text;
    is_text || (aligned < 0.5 && a.chars >= 5.0 && b.chars >= 5.0 && left.len().min(right.len()) > MIN_LINES)
}

/// The lines on one side of a gutter.
struct Side {
    top: f32,
    bottom: f32,
    /// Characters of a usual line.
    chars: f32,
    /// Most lines are long and fill the column.
    is_text: bool,
}

impl Side {
    fn of(fragments: &[&Fragment]) -> Self {
        let edge = |start: f32, fold: fn(f32, f32) -> f32, value: fn(&Fragment) -> f32| {
            fragments.iter().map(|fragment| value(fragment)).fold(start, fold)
        };
        let width = edge(f32::MIN, f32::max, |f| f.area.right) - edge(f32::MAX, f32::min, |f| f.area.left);
        let chars = median(fragments.iter().map(|fragment| fragment.chars as f32).collect());
        let usual = median(fragments.iter().map(|fragment| fragment.width()).collect());
        let size = median(fragments.iter().map(|fragment| fragment.size).collect());
        Self {
            top: edge(f32::MAX, f32::min, |f| f.area.top),
            bottom: edge(f32::MIN, f32::max, |f| f.area.bottom),
            chars,
            // Several columns may be on this side, so a line of usual length is enough.
            is_text: chars >= 18.0 && usual >= 0.55 * width.min(14.0 * size),
        }
    }
}

/// The share of the lines of the shorter side that have a line of the other side at their height.
fn aligned(left: &[&Fragment], right: &[&Fragment]) -> f32 {
    let (few, many) = if left.len() <= right.len() { (left, right) } else { (right, left) };
    let mut bases: Vec<f32> = many.iter().map(|fragment| fragment.base).collect();
    bases.sort_by(f32::total_cmp);
    let has_neighbour = |fragment: &&&Fragment| {
        let near = 0.2 * fragment.size;
        let first = bases.partition_point(|base| *base < fragment.base - near);
        bases.get(first).is_some_and(|base| *base <= fragment.base + near)
    };
    few.iter().filter(has_neighbour).count() as f32 / few.len().max(1) as f32
}

#[cfg(test)]
mod tests {
    use super::super::fragment::tests::fragment;
    use super::*;

    fn read(fragments: Vec<Fragment>) -> Vec<Vec<String>> {
        let texts = |part: &Vec<Fragment>| {
            part.iter().map(|f| f.tokens.first().map_or(String::new(), |token| token.text.clone())).collect()
        };
        parts(fragments, false).iter().map(texts).collect()
    }

    /// Lines of text that begin with these names.
    fn column(names: &str, left: f32, top: f32) -> Vec<Fragment> {
        let lines = names.split(' ').enumerate();
        lines
            .map(|(at, name)| {
                fragment(&format!("{name} and more words of text"), left, top + 12.0 * at as f32)
            })
            .collect()
    }

    #[test]
    fn columns_are_read_one_after_the_other() {
        let mut page = vec![fragment("TITLE of the page that goes over both of the columns here", 0.0, 20.0)];
        page.extend(column("a b c d", 0.0, 60.0));
        page.extend(column("e f g h", 200.0, 60.0));
        page.push(fragment("ACROSS the page there is a line that goes over both columns", 0.0, 120.0));
        page.extend(column("i j k", 0.0, 140.0));
        page.extend(column("l m n", 200.0, 140.0));
        let expected: [&[&str]; 6] = [
            &["TITLE"],
            &["a", "b", "c", "d"],
            &["e", "f", "g", "h"],
            &["ACROSS"],
            &["i", "j", "k"],
            &["l", "m", "n"],
        ];
        assert_eq!(read(page), expected);
    }

    #[test]
    fn a_table_over_both_columns_is_one_part() {
        let mut page = column("a b c d", 0.0, 0.0);
        page.extend(column("e f g h", 200.0, 0.0));
        for row in 0..3 {
            let cells = [("r", 0.0), ("s", 90.0), ("t", 210.0), ("u", 270.0)];
            page.extend(cells.map(|(text, left)| fragment(text, left, 70.0 + 12.0 * row as f32)));
        }
        page.extend(column("i j", 0.0, 120.0));
        page.extend(column("k l", 200.0, 120.0));
        let table = "r s t u ".repeat(3);
        let expected: [Vec<&str>; 5] = [
            vec!["a", "b", "c", "d"],
            vec!["e", "f", "g", "h"],
            table.split_whitespace().collect(),
            vec!["i", "j"],
            vec!["k", "l"],
        ];
        assert_eq!(read(page), expected);
    }

    #[test]
    fn columns_with_a_narrow_gutter_are_found() {
        // Lines are 120 wide.
        for (left, gutter) in [(0.0, 10.0), (3.3, 8.5)] {
            let mut page = column("a b c d", left, 0.0);
            page.extend(column("e f g h", left + 120.0 + gutter, 0.0));
            assert_eq!(read(page), [["a", "b", "c", "d"], ["e", "f", "g", "h"]], "{gutter}");
        }
    }

    #[test]
    fn three_columns_are_found() {
        let mut page = column("a b c d", 0.0, 0.0);
        page.extend(column("e f g h", 200.0, 0.0));
        page.extend(column("i j k l", 400.0, 0.0));
        let first: Vec<String> = read(page).into_iter().map(|part| part[0].clone()).collect();
        assert_eq!(first, ["a", "e", "i"]);
    }

    #[test]
    fn rows_of_short_cells_are_not_columns() {
        let mut page = Vec::new();
        for row in 0..8 {
            page.push(fragment("cell", 0.0, 12.0 * row as f32));
            page.push(fragment("10", 200.0, 12.0 * row as f32));
        }
        assert_eq!(read(page).len(), 1);
    }

    #[test]
    fn a_narrow_column_of_other_lines_is_a_column() {
        let mut page = column("a b c d e f", 100.0, 0.0);
        for line in 0..5 {
            page.push(fragment("Skills", 0.0, 5.0 + 14.0 * line as f32));
        }
        assert_eq!(read(page).len(), 2);
    }
}
