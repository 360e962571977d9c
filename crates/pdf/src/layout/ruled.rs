//! Tables between lines that are drawn.
//!
//! Lines that touch each other form a grid. The texts in its cells become a table, which takes their place
//! among the fragments.

use pdfboss_text::Ruling;

use super::fragment::{Fragment, fragments};
use super::line::{part_rows, text};
use super::table::Table;
use super::text::{Text, Url};
use super::token::{Area, Token, Turn};

/// Lines that are at most this far from each other, in points, touch or are one.
const NEAR: f32 = 3.0;

/// Most lines of each direction on a page. A page with more has a drawing.
const MAX_LINES: usize = 1_500;

/// Most visits of fragments: each grid visits all of them. The grids that are left are no tables.
const MAX_VISITS: usize = 5_000_000;

/// Most rows and columns of a table.
const MAX_ROWS: usize = 1_000;
const MAX_COLUMNS: usize = 60;

/// A cell with more characters than this, and with most of the text of its table, is a page in a frame.
const MAX_CELL_CHARS: usize = 700;

/// A line of one direction: its place, and where it begins and ends.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Rule {
    at: f32,
    from: f32,
    to: f32,
}

/// A grid of lines.
#[derive(Debug, Default)]
struct Grid {
    rows: Vec<Rule>,
    columns: Vec<Rule>,
}

/// Replaces the fragments in grids by tables.
pub(super) fn with_tables(
    fragments: Vec<Fragment>,
    rulings: &[Ruling],
    turn: Turn,
    urls: &[Url],
) -> Vec<Fragment> {
    replaced(fragments, &grids(rulings, turn), urls, MAX_VISITS)
}

/// The same for these grids, with at most this many visits.
fn replaced(fragments: Vec<Fragment>, grids: &[Grid], urls: &[Url], mut visits: usize) -> Vec<Fragment> {
    let mut rest = fragments;
    for grid in grids {
        let Some(left) = visits.checked_sub(rest.len()) else { break };
        visits = left;
        rest = with_table(rest, grid, urls);
    }
    rest
}

/// The grids of a page.
fn grids(rulings: &[Ruling], turn: Turn) -> Vec<Grid> {
    let (mut across, mut down) = (Vec::new(), Vec::new());
    for ruling in rulings {
        let (a, b) = (turn.place(ruling.start.x, ruling.start.y), turn.place(ruling.end.x, ruling.end.y));
        if ![a.0, a.1, b.0, b.1].iter().all(|place| place.is_finite()) {
            continue;
        }
        if (a.1 - b.1).abs() < (a.0 - b.0).abs() {
            across.push(Rule { at: a.1, from: a.0.min(b.0), to: a.0.max(b.0) });
        } else {
            down.push(Rule { at: a.0, from: a.1.min(b.1), to: a.1.max(b.1) });
        }
    }
    let (across, down) = (merged(across), merged(down));
    if across.len() > MAX_LINES || down.len() > MAX_LINES {
        return Vec::new();
    }
    // Each line belongs to the group of its root.
    let mut roots: Vec<usize> = (0..across.len() + down.len()).collect();
    for (row, a) in across.iter().enumerate() {
        for (column, d) in down.iter().enumerate() {
            let touches = (a.from - NEAR..=a.to + NEAR).contains(&d.at)
                && (d.from - NEAR..=d.to + NEAR).contains(&a.at);
            if touches {
                let (first, second) = (root(&mut roots, row), root(&mut roots, across.len() + column));
                if let Some(slot) = roots.get_mut(second) {
                    *slot = first;
                }
            }
        }
    }
    let mut grids: std::collections::BTreeMap<usize, Grid> = std::collections::BTreeMap::new();
    for (at, rule) in across.iter().chain(&down).enumerate() {
        let grid = grids.entry(root(&mut roots, at)).or_default();
        if at < across.len() { grid.rows.push(*rule) } else { grid.columns.push(*rule) }
    }
    grids.into_values().filter(|grid| grid.rows.len() >= 2 && grid.columns.len() >= 2).collect()
}

/// The root of a line. Each line on the way then points nearer to it.
fn root(roots: &mut [usize], mut at: usize) -> usize {
    while let Some(next) = roots.get(at).copied().filter(|next| *next != at) {
        let after = roots.get(next).copied().unwrap_or(next);
        if let Some(slot) = roots.get_mut(at) {
            *slot = after;
        }
        at = next;
    }
    at
}

/// Lines in the order of their places; pieces of one line are joined.
fn merged(mut rules: Vec<Rule>) -> Vec<Rule> {
    rules.sort_by(|a, b| a.at.total_cmp(&b.at).then(a.from.total_cmp(&b.from)));
    // Lines of nearly one place are sorted by their beginnings.
    let mut merged: Vec<Rule> = Vec::new();
    let mut same: Vec<Rule> = Vec::new();
    let mut close = |same: &mut Vec<Rule>| {
        same.sort_by(|a, b| a.from.total_cmp(&b.from));
        let mut open: Option<Rule> = None;
        for rule in same.drain(..) {
            match &mut open {
                Some(open) if rule.from <= open.to + NEAR => open.to = open.to.max(rule.to),
                _ => merged.extend(open.replace(rule)),
            }
        }
        merged.extend(open);
    };
    for rule in rules {
        if same.first().is_some_and(|first| rule.at - first.at > 1.0) {
            close(&mut same);
        }
        same.push(rule);
    }
    close(&mut same);
    merged
}

/// The different places of lines, in their order.
fn places(rules: &[Rule]) -> Vec<f32> {
    let mut places: Vec<f32> = rules.iter().map(|rule| rule.at).collect();
    places.sort_by(f32::total_cmp);
    let mut kept: Vec<f32> = Vec::new();
    for place in places {
        if kept.last().is_none_or(|last| place - last > NEAR) {
            kept.push(place);
        }
    }
    kept
}

/// Replaces the fragments within a grid by a table, if they are one.
fn with_table(fragments: Vec<Fragment>, grid: &Grid, urls: &[Url]) -> Vec<Fragment> {
    let (tops, lefts) = (places(&grid.rows), places(&grid.columns));
    let (rows, columns) = (tops.len().saturating_sub(1), lefts.len().saturating_sub(1));
    let edges = (tops.first(), tops.last(), lefts.first(), lefts.last());
    let (Some(top), Some(bottom), Some(left), Some(right)) = edges else { return fragments };
    let area = Area { left: *left, right: *right, top: *top, bottom: *bottom };
    if rows < 2 || columns < 2 || rows > MAX_ROWS || columns > MAX_COLUMNS {
        return fragments;
    }
    let (inside, mut rest): (Vec<Fragment>, Vec<Fragment>) = fragments.into_iter().partition(|fragment| {
        let x = (fragment.area.left + fragment.area.right) / 2.0;
        fragment.table.is_none() && area.has(x, fragment.base - 0.3 * fragment.size)
    });
    let drawn = drawn(&grid.columns, &lefts);
    let column_of = |x: f32| lefts.partition_point(|left| *left <= x).clamp(1, columns) - 1;
    let row_of = |y: f32| tops.partition_point(|top| *top <= y).clamp(1, rows) - 1;
    let mut cells: Vec<Vec<Vec<Token>>> = vec![vec![Vec::new(); columns]; rows];
    for fragment in &inside {
        let row = row_of(fragment.base - 0.3 * fragment.size);
        let mut column = column_of((fragment.area.left + fragment.area.right) / 2.0);
        let (first, last) = (column_of(fragment.area.left + NEAR), column_of(fragment.area.right - NEAR));
        // A text that crosses no line stays together, in the first of its cells.
        let is_cut = first < last && is_cut(&drawn, first, last, fragment.base - 0.3 * fragment.size);
        if first < last {
            column = first;
        }
        for token in &fragment.tokens {
            let column = if is_cut { column_of((token.left + token.right) / 2.0) } else { column };
            if let Some(cell) = cells.get_mut(row).and_then(|row| row.get_mut(column)) {
                cell.push(token.clone());
            }
        }
    }
    let table = if is_filled(&cells) { Table::of(texts(cells, urls)) } else { None };
    match table {
        Some(table) => rest.push(Fragment::of_table(table, area)),
        None => rest.extend(inside),
    }
    rest
}

/// Where lines are drawn at each of these places, from the top: the parts do not touch each other.
fn drawn(rules: &[Rule], places: &[f32]) -> Vec<Vec<(f32, f32)>> {
    let parts = |place: &f32| {
        let near = rules.iter().filter(|rule| (rule.at - place).abs() <= NEAR);
        let mut parts: Vec<(f32, f32)> = near.map(|rule| (rule.from - NEAR, rule.to + NEAR)).collect();
        parts.sort_by(|a, b| a.0.total_cmp(&b.0));
        let mut joined: Vec<(f32, f32)> = Vec::with_capacity(parts.len());
        for (from, to) in parts {
            match joined.last_mut() {
                Some((_, end)) if from <= *end => *end = end.max(to),
                _ => joined.push((from, to)),
            }
        }
        joined
    };
    places.iter().map(parts).collect()
}

/// Whether a line is drawn between any of the columns from `first` to `last` at this height.
fn is_cut(drawn: &[Vec<(f32, f32)>], first: usize, last: usize, y: f32) -> bool {
    drawn.iter().take(last + 1).skip(first + 1).any(|parts| {
        let next = parts.partition_point(|(from, _)| *from <= y);
        next.checked_sub(1).and_then(|at| parts.get(at)).is_some_and(|(_, to)| y <= *to)
    })
}

/// Whether enough cells have text, and none has nearly all of it.
fn is_filled(cells: &[Vec<Vec<Token>>]) -> bool {
    let chars = |cell: &Vec<Token>| cell.iter().map(|token| token.text.chars().count()).sum::<usize>();
    let sizes: Vec<usize> = cells.iter().flatten().map(chars).collect();
    let (all, most) = (sizes.iter().sum::<usize>(), sizes.iter().copied().max().unwrap_or(0));
    let filled = sizes.iter().filter(|size| **size > 0).count();
    let rows = cells.iter().filter(|row| row.iter().any(|cell| !cell.is_empty())).count();
    let columns = cells.first().map_or(0, |row| {
        (0..row.len())
            .filter(|at| cells.iter().any(|row| row.get(*at).is_some_and(|cell| !cell.is_empty())))
            .count()
    });
    rows >= 2 && columns >= 2 && filled >= 3 && !(most > MAX_CELL_CHARS && most * 10 > all * 7)
}

/// The texts of cells. A row whose cells have lines side by side becomes several rows: some tables have lines
/// only around all rows.
fn texts(cells: Vec<Vec<Vec<Token>>>, urls: &[Url]) -> Vec<Vec<Text>> {
    let mut rows = Vec::new();
    for row in cells {
        let columns: Vec<Vec<(f32, Text)>> = row
            .into_iter()
            .map(|tokens| {
                let lines = part_rows(fragments(tokens));
                let line = |row: &Vec<Fragment>| {
                    let (base, size) = row.first().map_or((0.0, 0.0), |first| (first.base, first.size));
                    (base, text(row, base, size, urls))
                };
                lines.iter().map(line).collect()
            })
            .collect();
        match side_by_side(&columns) {
            Some(count) => {
                for at in 0..count {
                    let cell = |lines: &Vec<(f32, Text)>| lines.get(at).map(|(_, text)| text.clone());
                    rows.push(columns.iter().map(|lines| cell(lines).unwrap_or_default()).collect());
                }
            }
            None => {
                let joined = |lines: &Vec<(f32, Text)>| {
                    let mut all = Text::default();
                    lines.iter().for_each(|(_, text)| all.push_line(text));
                    all
                };
                rows.push(columns.iter().map(joined).collect());
            }
        }
    }
    rows
}

/// The number of lines of the cells of a row, if all have the same number, at least three, at the same
/// heights.
fn side_by_side(columns: &[Vec<(f32, Text)>]) -> Option<usize> {
    let mut filled = columns.iter().filter(|lines| !lines.is_empty());
    let first = filled.next()?;
    let same = |lines: &Vec<(f32, Text)>| {
        lines.len() == first.len() && lines.iter().zip(first).all(|(a, b)| (a.0 - b.0).abs() < NEAR)
    };
    let mut others = 0;
    for lines in filled {
        if !same(lines) {
            return None;
        }
        others += 1;
    }
    (others >= 1 && first.len() >= 3).then_some(first.len())
}

#[cfg(test)]
mod tests {
    use pdfboss_core::Point;

    use super::super::fragment::tests::fragment;
    use super::*;

    /// A line of the page: y goes up there, and down in fragments.
    fn rule(x0: f32, y0: f32, x1: f32, y1: f32) -> Ruling {
        Ruling { start: Point::new(x0, -y1), end: Point::new(x1, -y0), width: 1.0 }
    }

    /// A grid of two rows and columns of 100 by 20 points.
    fn grid() -> Vec<Ruling> {
        let across = [0.0, 20.0, 40.0].map(|y| rule(0.0, y, 200.0, y));
        let down = [0.0, 100.0, 200.0].map(|x| rule(x, 0.0, x, 40.0));
        across.into_iter().chain(down).collect()
    }

    fn tables(fragments: Vec<Fragment>, rulings: &[Ruling]) -> (Vec<String>, usize) {
        let all = with_tables(fragments, rulings, Turn::Upright, &[]);
        let tables: Vec<String> =
            all.iter().filter_map(|f| f.table.as_ref()).map(|table| table.markdown()).collect();
        let rest = all.len() - tables.len();
        (tables, rest)
    }

    #[test]
    fn cells_between_lines_are_a_table() {
        let cells = vec![
            fragment("Name", 5.0, 15.0),
            fragment("Size", 105.0, 15.0),
            fragment("a thing", 5.0, 35.0),
            fragment("10", 105.0, 35.0),
            fragment("below the table", 5.0, 60.0),
        ];
        let (tables, rest) = tables(cells, &grid());
        assert_eq!(tables, ["| Name | Size |\n| --- | --- |\n| a thing | 10 |"]);
        assert_eq!(rest, 1);
    }

    #[test]
    fn fragments_are_visited_a_limited_number_of_times() {
        let cells = ["a", "b"].map(|text| [fragment(text, 5.0, 15.0), fragment(text, 105.0, 35.0)]);
        let mut cells: Vec<Fragment> = cells.into_iter().flatten().collect();
        cells.push(fragment("c", 105.0, 15.0));
        let grids = grids(&grid(), Turn::Upright);
        let tables = |visits: usize| {
            let all = replaced(cells.clone(), &grids, &[], visits);
            all.iter().filter(|fragment| fragment.table.is_some()).count()
        };
        assert_eq!((tables(5), tables(4)), (1, 0));
    }

    #[test]
    fn a_frame_with_one_text_is_no_table() {
        let (tables, rest) = tables(vec![fragment("alone", 5.0, 15.0)], &grid());
        assert_eq!((tables.len(), rest), (0, 1));
    }

    #[test]
    fn texts_that_touch_a_line_are_cut_there() {
        // One fragment over two cells, as some writers draw a row.
        let row = |base: f32| {
            let (mut a, b) = (fragment("left", 60.0, base), fragment("right", 102.0, base));
            a.join([b]);
            a
        };
        let (tables, _) = tables(vec![row(15.0), row(35.0)], &grid());
        assert_eq!(tables, ["| left | right |\n| --- | --- |\n| left | right |"]);
    }

    #[test]
    fn a_line_with_gaps_cuts_only_where_it_is_drawn() {
        let rule = |at: f32, from: f32, to: f32| Rule { at, from, to };
        // Out of order, with a gap from 10 to 40 and one part within another.
        let rules = [rule(100.0, 40.0, 60.0), rule(101.0, 0.0, 10.0), rule(99.0, 42.0, 45.0)];
        let drawn = drawn(&rules, &[0.0, 100.0, 200.0]);
        assert_eq!(drawn.iter().map(Vec::len).collect::<Vec<_>>(), [0, 2, 0]);
        let is_cut = |y: f32| is_cut(&drawn, 0, 1, y);
        assert_eq!(
            [-4.0, -3.0, 5.0, 13.0, 25.0, 50.0, 63.0, 64.0].map(is_cut),
            [false, true, true, true, false, true, true, false]
        );
    }

    #[test]
    fn pieces_of_a_line_are_one_line() {
        let rules = vec![
            Rule { at: 10.0, from: 0.0, to: 5.0 },
            Rule { at: 10.2, from: 6.0, to: 12.0 },
            Rule { at: 10.0, from: 40.0, to: 50.0 },
        ];
        let merged = merged(rules);
        assert_eq!(merged.len(), 2);
        assert_eq!((merged[0].from, merged[0].to), (0.0, 12.0));
    }
}
