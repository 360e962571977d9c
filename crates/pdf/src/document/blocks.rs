//! Joins the lines of a region to paragraphs, items of lists and code.

use super::code::code;
use super::contents::is_entry;
use super::markers::{Marker, MarkerKind, is_clause, labelled, marker, settle_boxes};
use super::style::{Usual, leading};
use super::{Kind, Part};
use crate::layout::{Block, Item, Line, Region, Role, Text};

/// A distance of two lines above this many usual distances begins a paragraph.
const MAX_LEADING: f32 = 1.35;

/// Lines at equal distances within these, in sizes of their text, are of one text: it is set widely. There are
/// at least as many.
const WIDE_LEADING: std::ops::Range<f32> = 2.4..3.2;
const MIN_WIDE: usize = 4;

/// Two lines of one paragraph differ in size by at most this share.
const SAME_SIZE: f32 = 0.12;

/// An indent above this many sizes of the text begins a paragraph or an item of an inner list.
const INDENT: f32 = 0.8;

/// A wider indent is not that of a paragraph.
const MAX_INDENT: f32 = 6.0;

/// Lines before and after a numbered item that are searched for its neighbours.
const NEIGHBOURS: usize = 60;

/// Most levels of lists.
const MAX_DEPTH: usize = 6;

/// The blocks of a region.
pub(super) fn of_region(region: Region, usual: &Usual) -> Vec<Part> {
    let mut parts = Vec::new();
    let mut lines: Vec<Line> = Vec::new();
    // Lines of blocks of code that follow each other.
    let mut code: Vec<Line> = Vec::new();
    for item in region.items {
        let is_code = matches!(&item, Item::Block(block) if is_code_block(block, usual));
        if !is_code {
            of_code(std::mem::take(&mut code), usual, &mut parts);
        }
        if !matches!(item, Item::Line(_)) {
            of_lines(std::mem::take(&mut lines), usual, &mut parts);
        }
        match item {
            Item::Line(line) => lines.push(line),
            Item::Table(table) => {
                parts.push(Part { kind: Kind::Table(table), size: 0.0, is_bold: false, lines: 0 });
            }
            Item::Block(block) if is_code => code.extend(block.lines),
            Item::Block(block) if is_contents(&block) => lines.extend(block.lines),
            Item::Block(block) => parts.extend(of_block(block)),
        }
    }
    of_code(code, usual, &mut parts);
    of_lines(lines, usual, &mut parts);
    parts
}

/// Whether a block that the file marks is code, or a paragraph that is set like code.
fn is_code_block(block: &Block, usual: &Usual) -> bool {
    block.role == Role::Code || (block.role == Role::Paragraph && block.is_mono && !usual.is_mono)
}

/// Whether a block that the file marks as a paragraph is a table of contents.
fn is_contents(block: &Block) -> bool {
    block.role == Role::Paragraph
        && block.lines.iter().filter(|line| is_entry(line.text.as_str())).count() >= 2
}

fn of_code(lines: Vec<Line>, usual: &Usual, parts: &mut Vec<Part>) {
    if let Some(first) = lines.first() {
        let kind = Kind::Code(code(&lines, usual.leading));
        parts.push(Part { kind, size: first.size, is_bold: first.is_bold, lines: lines.len() });
    }
}

/// The part of a block that the file marks.
fn of_block(block: Block) -> Option<Part> {
    let Block { role, text, marker: label, size, is_bold, .. } = block;
    let kind = match role {
        Role::Paragraph | Role::Code => match bullet(&text) {
            Some(marker) => Kind::Item(marker.item(&text, 1)),
            None => Kind::Paragraph(text),
        },
        Role::Heading(level) => Kind::Heading(level, text),
        Role::Item(depth) => Kind::Item(labelled(&label, text, depth)),
    };
    Some(Part { kind, size, is_bold, lines: 0 })
}

/// The bullet, box or tick before a text.
fn bullet(text: &Text) -> Option<Marker> {
    marker(text.as_str()).filter(|found| is_sign(found.kind))
}

/// Whether a marker is one without neighbours of its kind.
const fn is_sign(kind: MarkerKind) -> bool {
    matches!(kind, MarkerKind::Bullet | MarkerKind::Box(_) | MarkerKind::Check)
}

/// A block whose lines are being joined.
struct Open {
    lines: Vec<Line>,
    marker: Option<Marker>,
    depth: usize,
}

/// The lines of a region without tables, and what is usual among them.
struct Lines<'l> {
    lines: &'l [Line],
    usual: &'l Usual,
    /// Where most long lines end.
    right: f32,
    left: f32,
    /// Distance of two lines, in sizes of their text.
    leading: f32,
}

fn of_lines(mut lines: Vec<Line>, usual: &Usual, parts: &mut Vec<Part>) {
    mirror(&mut lines);
    let region = Lines::of(&lines, usual);
    let markers = region.markers();
    // The left edges of the items around the present one.
    let mut levels: Vec<f32> = Vec::new();
    let mut open: Option<Open> = None;
    for (at, line) in lines.iter().enumerate() {
        let marker = markers.get(at).copied().flatten();
        let goes_on = marker.is_none() && open.as_ref().is_some_and(|open| region.continues(open, at));
        if let Some(open) = open.as_mut().filter(|_| goes_on) {
            open.lines.push(line.clone());
            continue;
        }
        if let Some(open) = open.take() {
            parts.extend(finished(open, usual, &region));
        }
        let depth = match marker {
            Some(_) => {
                let slack = 0.5 * line.size;
                while levels.last().is_some_and(|left| *left > line.left + slack) {
                    levels.pop();
                }
                if levels.last().is_none_or(|left| *left < line.left - slack) && levels.len() < MAX_DEPTH {
                    levels.push(line.left);
                }
                levels.len()
            }
            None => {
                // Text at the left of all items ends the list.
                if levels.first().is_some_and(|left| line.left <= left + 0.5 * line.size) {
                    levels.clear();
                }
                0
            }
        };
        open = Some(Open { lines: vec![line.clone()], marker, depth });
    }
    if let Some(open) = open {
        parts.extend(finished(open, usual, &region));
    }
}

/// The distance of lines that all are far from each other, in sizes of their text.
fn wide_leading(lines: &[Line]) -> Option<f32> {
    let distance = |pair: &[Line]| match pair {
        [above, below] if (above.size - below.size).abs() <= 0.1 * above.size => {
            Some((below.base - above.base) / above.size.max(0.1))
        }
        _ => None,
    };
    let mut all: Vec<f32> = lines.windows(2).filter_map(distance).collect();
    all.sort_by(f32::total_cmp);
    let usual = all.get(all.len() / 2).copied().filter(|usual| WIDE_LEADING.contains(usual))?;
    let same = all.iter().filter(|distance| (**distance - usual).abs() <= 0.05 * usual).count();
    (same >= MIN_WIDE && same * 10 >= lines.len().saturating_sub(1) * 8).then_some(usual)
}

/// Text from right to left is laid out as if it went from left to right: what is said of the left side is
/// true of its right side.
fn mirror(lines: &mut [Line]) {
    if lines.iter().filter(|line| line.is_from_right).count() * 2 > lines.len() {
        for line in lines {
            (line.left, line.right) = (-line.right, -line.left);
        }
    }
}

impl<'l> Lines<'l> {
    fn of(lines: &'l [Line], usual: &'l Usual) -> Self {
        let mut rights: Vec<f32> = lines.iter().map(|line| line.right).collect();
        rights.sort_by(f32::total_cmp);
        let mut leadings: Vec<f32> = lines
            .windows(2)
            .filter_map(|pair| match pair {
                [above, below] => leading(above, below),
                _ => None,
            })
            .collect();
        leadings.sort_by(f32::total_cmp);
        let own = leadings.get(leadings.len() / 2).copied().filter(|_| leadings.len() >= 4);
        Self {
            lines,
            usual,
            right: rights.get(rights.len() * 3 / 4).copied().unwrap_or(0.0),
            left: lines.iter().map(|line| line.left).fold(f32::MAX, f32::min),
            leading: wide_leading(lines).or(own).unwrap_or(usual.leading),
        }
    }

    /// The marker of each line that begins an item.
    fn markers(&self) -> Vec<Option<Marker>> {
        let of_line = |line: &Line| (line.left, marker(line.text.as_str()).filter(|_| !self.is_code(line)));
        let mut found: Vec<(f32, Option<Marker>)> = self.lines.iter().map(of_line).collect();
        settle_boxes(&mut found);
        let found: Vec<Option<Marker>> = found.into_iter().map(|(_, marker)| marker).collect();
        let is_item = |at: usize, kind: MarkerKind| {
            if is_sign(kind) || self.hangs(at) {
                return true;
            }
            let line = self.lines.get(at);
            let is_beside = |other: usize| {
                let near = line.zip(self.lines.get(other)).is_some_and(|(line, other)| {
                    (line.left - other.left).abs() <= 1.5 * line.size && (line.size - other.size).abs() < 0.5
                });
                near && found.get(other).copied().flatten().is_some_and(|other| kind.is_beside(other.kind))
            };
            let from = at.saturating_sub(NEIGHBOURS);
            (from..at).rev().any(is_beside) || (at + 1..=at + NEIGHBOURS).any(is_beside)
        };
        found
            .iter()
            .enumerate()
            .map(|(at, found)| found.filter(|found| !self.is_display(at) && is_item(at, found.kind)))
            .collect()
    }

    /// Whether this line is set like a heading, so that its number is no marker.
    fn is_display(&self, at: usize) -> bool {
        self.lines.get(at).is_some_and(|line| {
            line.size > 1.15 * self.usual.size || (line.is_bold && !self.usual.is_bold && !self.hangs(at))
        })
    }

    /// Whether the line below is indented to the text behind the marker of this one.
    fn hangs(&self, at: usize) -> bool {
        let (Some(line), Some(next)) = (self.lines.get(at), self.lines.get(at + 1)) else { return false };
        let indent = next.left - line.left;
        leading(line, next).is_some_and(|distance| distance <= MAX_LEADING * self.leading)
            && (INDENT * line.size..MAX_INDENT * line.size).contains(&indent)
            && self.is_full(line, next)
    }

    fn is_code(&self, line: &Line) -> bool {
        line.is_mono && !self.usual.is_mono
    }

    /// Whether the first word of the next line has no room at the end of this one.
    fn is_full(&self, line: &Line, next: &Line) -> bool {
        self.right - line.right <= next.first_word + 0.6 * line.size
    }

    /// Whether a line goes on with a block.
    fn continues(&self, open: &Open, at: usize) -> bool {
        let (Some(line), Some(above)) = (self.lines.get(at), open.lines.last()) else { return false };
        let size = line.size.max(above.size);
        let distance = (line.base - above.base) / size.max(0.1);
        let is_code = self.is_code(line);
        if is_code != self.is_code(above) || (line.size - above.size).abs() > SAME_SIZE * size {
            return false;
        }
        if is_code {
            return distance <= 3.0 * self.leading;
        }
        if is_entry(above.text.as_str()) {
            return false;
        }
        if line.is_bold != above.is_bold || !(0.0..=MAX_LEADING * self.leading).contains(&distance) {
            return false;
        }
        let is_whole = above.text.as_str().ends_with(['.', '!', '?', ':', ';', '。', '！', '？']);
        if is_whole && is_clause(line.text.as_str()) {
            return false;
        }
        let is_small = line.text.as_str().chars().next().is_some_and(char::is_lowercase);
        let indent = line.left - above.left;
        if open.marker.is_none() && self.is_centered(above, line) {
            return size > 1.1 * self.usual.size || line.is_bold;
        }
        // A line that ends early ends its paragraph, unless the sentence goes on.
        let room = self.right - above.right;
        let is_sentence = is_small && !is_whole && room < 0.5 * (self.right - self.left);
        if !self.is_full(above, line) && !is_sentence {
            return false;
        }
        if open.marker.is_some() && open.lines.len() == 1 {
            return indent > -0.5 * size || is_small;
        }
        if indent > INDENT * size && indent < MAX_INDENT * size {
            // The lines after the first hang, or this one begins a paragraph.
            let next = self.lines.get(at + 1);
            let hangs = next.is_none_or(|next| (next.left - line.left).abs() < 0.5 * size);
            return open.lines.len() == 1 && (is_small || hangs) && open.marker.is_none() && !is_whole;
        }
        if indent < -INDENT * size {
            // Back from the indent of the first line, or from a hanging paragraph to the next one.
            return open.lines.len() == 1;
        }
        true
    }

    /// Whether two lines have the same middle and neither fills the region.
    fn is_centered(&self, above: &Line, line: &Line) -> bool {
        let middle = |line: &Line| (line.left + line.right) / 2.0;
        let is_inside =
            |inner: &Line| inner.left > self.left + inner.size || inner.right < self.right - inner.size;
        let (left, right) = (above.left - line.left, line.right - above.right);
        (middle(above) - middle(line)).abs() < 0.6 * line.size
            && left.abs() > 0.6 * line.size
            && right.abs() > 0.3 * line.size
            && left.signum() == right.signum()
            && (is_inside(above) || is_inside(line))
    }
}

fn finished(open: Open, usual: &Usual, region: &Lines<'_>) -> Option<Part> {
    let first = open.lines.first()?;
    let (size, is_bold, lines) = (first.size, open.lines.iter().all(|line| line.is_bold), open.lines.len());
    if open.marker.is_none() && first.is_mono && !usual.is_mono {
        let kind = Kind::Code(code(&open.lines, region.leading));
        return Some(Part { kind, size, is_bold, lines });
    }
    let mut text = Text::default();
    open.lines.iter().for_each(|line| text.push_line(&line.text));
    let kind = match open.marker {
        Some(marker) => {
            let item = marker.item(&text, open.depth.max(1));
            if item.text.is_empty() {
                return None;
            }
            Kind::Item(item)
        }
        None => Kind::Paragraph(text),
    };
    Some(Part { kind, size, is_bold, lines })
}

#[cfg(test)]
mod tests {
    use super::super::style::tests::{line, region};
    use super::*;

    const USUAL: Usual = Usual { size: 10.0, leading: 1.2, is_bold: false, is_mono: false };

    fn parts(lines: Vec<Line>) -> Vec<String> {
        let text = |part: Part| match part.kind {
            Kind::Paragraph(text) => text.as_str().to_owned(),
            Kind::Heading(level, text) => format!("h{level} {}", text.as_str()),
            Kind::Item(item) => {
                let number = item.number.map_or("-".to_owned(), |(number, _)| number.to_string());
                format!("{}{number} {}", "  ".repeat(item.depth - 1), item.text.as_str())
            }
            Kind::Code(code) => code.lines.join("\n"),
            Kind::Table(table) => table.markdown(),
        };
        of_region(region(lines), &USUAL).into_iter().map(text).collect()
    }

    /// Lines at these left edges, 12 points below each other.
    fn at(lines: &[(&str, f32)]) -> Vec<Line> {
        let lines = lines.iter().enumerate();
        lines.map(|(row, (text, left))| line(text, *left, 12.0 * row as f32, 10.0)).collect()
    }

    #[test]
    fn lines_of_a_paragraph_are_joined() {
        let lines = at(&[
            ("The first paragraph goes on over the", 0.0),
            ("end of its line and then it ends.", 0.0),
            ("The second one begins with an indent", 15.0),
            ("and goes on at the left edge of this", 0.0),
            ("text and here.", 0.0),
            ("Short lines before end a paragraph as", 0.0),
        ]);
        assert_eq!(
            parts(lines),
            [
                "The first paragraph goes on over the end of its line and then it ends.",
                "The second one begins with an indent and goes on at the left edge of this text and here.",
                "Short lines before end a paragraph as",
            ]
        );
    }

    #[test]
    fn a_wide_distance_or_another_size_begins_a_paragraph() {
        let mut lines = vec![line("Heading of it", 0.0, 0.0, 14.0)];
        lines.push(line("The text that goes on over the line", 0.0, 16.0, 10.0));
        lines.push(line("to its end and the next of the text", 0.0, 28.0, 10.0));
        lines.push(line("after a gap is another one, of text.", 0.0, 48.0, 10.0));
        assert_eq!(parts(lines).len(), 3);
    }

    #[test]
    fn items_of_lists_are_found() {
        let lines = at(&[
            ("These things are in a list of things:", 0.0),
            ("• the first one that goes on over it", 10.0),
            ("and ends", 20.0),
            ("• the second", 10.0),
            ("– an inner one", 25.0),
            ("– another inner one", 25.0),
            ("• the third", 10.0),
            ("Text at the left edge again, as before.", 0.0),
            ("1. first", 0.0),
            ("2. second", 0.0),
        ]);
        assert_eq!(
            parts(lines),
            [
                "These things are in a list of things:",
                "- the first one that goes on over it and ends",
                "- the second",
                "  - an inner one",
                "  - another inner one",
                "- the third",
                "Text at the left edge again, as before.",
                "1 first",
                "2 second",
            ]
        );
    }

    #[test]
    fn lines_that_are_far_from_each_other_are_joined() {
        let texts = [
            "The plaintiff bought the barge in March and paid",
            "the whole price before delivery of the barge, as",
            "it was in the contract. The defendant had owned",
            "the barge for eleven years and had docked it two",
            "times in the yard of the town, and once in Emden",
            "in the year before.",
        ];
        let lines = texts.iter().enumerate().map(|(row, text)| line(text, 0.0, 27.0 * row as f32, 10.0));
        assert_eq!(parts(lines.collect()), [texts.join(" ")]);
    }

    #[test]
    fn entries_of_a_table_of_contents_are_lines() {
        let lines = at(&[
            ("1 Introduction .................................... 1", 0.0),
            ("2 The wheels and their stones .................... 4", 0.0),
            ("2.1 Granite ...................................... 5", 0.0),
            ("2.2 A title that is too long for one line and so it", 0.0),
            ("goes on in the next one ......................... 17", 0.0),
            ("3 Index of families ............................ 112", 0.0),
        ]);
        let entries = parts(lines);
        assert_eq!(entries.len(), 5, "{entries:?}");
        assert!(entries[3].ends_with(" 17"), "{entries:?}");
    }

    #[test]
    fn entries_in_one_paragraph_of_the_file_are_lines() {
        let lines = at(&[("1 Introduction ......... 1", 0.0), ("2 The wheels ........... 4", 0.0)]);
        let mut text = Text::default();
        lines.iter().for_each(|line| text.push_line(&line.text));
        let (role, marker) = (Role::Paragraph, String::new());
        let block = Block { role, text, lines, marker, size: 10.0, is_bold: false, is_mono: false };
        let region = Region { items: vec![Item::Block(block)] };
        assert_eq!(of_region(region, &USUAL).len(), 2);
    }

    #[test]
    fn clauses_keep_their_letters() {
        let lines = at(&[
            ("1. The tenant has these duties, and no other ones:", 0.0),
            ("(a) to keep the gate closed at night and at noon;", 20.0),
            ("(b) to pay the rent in advance under clause (a).", 20.0),
            ("2. The landlord mends the weir, see clause 1(b).", 0.0),
            ("2.1 Payment is made in the spring of each year.", 0.0),
            ("2.2 Interest is due from the first day of June.", 0.0),
        ]);
        assert_eq!(
            parts(lines),
            [
                "1 The tenant has these duties, and no other ones:",
                "  - (a) to keep the gate closed at night and at noon;",
                "  - (b) to pay the rent in advance under clause (a).",
                "2 The landlord mends the weir, see clause 1(b).",
                "2.1 Payment is made in the spring of each year.",
                "2.2 Interest is due from the first day of June.",
            ]
        );
    }

    #[test]
    fn answers_keep_their_ticks() {
        let lines = at(&[("✔ Smoker", 0.0), ("❏ Diabetic", 0.0), ("□ Pregnant", 0.0)]);
        assert_eq!(parts(lines), ["- ✔ Smoker", "- ❏ Diabetic", "- □ Pregnant"]);
        let lines = at(&[("□ Smoker", 0.0), ("□ Diabetic", 0.0)]);
        assert_eq!(parts(lines), ["- Smoker", "- Diabetic"]);
    }

    #[test]
    fn an_item_that_fills_its_lines_is_not_centered() {
        // The bullet hangs by little more than half a letter, and both lines end at one place.
        let lines = vec![
            line("A line of text that is as wide as the column is", 0.0, 0.0, 10.0),
            line("• the first line of this item of a list of", 23.5, 12.0, 10.0),
            line("two goes on in the next line of this item", 30.0, 24.0, 10.0),
            line("and ends.", 30.0, 36.0, 10.0),
        ];
        assert_eq!(parts(lines).len(), 2);
    }

    #[test]
    fn text_from_right_to_left_is_mirrored() {
        // Lines end at the left; the right edge is that of the text.
        let mut lines = at(&[
            ("The first line of a paragraph fills it", 0.0),
            ("and it ends in the second.", 60.0),
            ("• the first item goes on over its", 15.0),
            ("end", 155.0),
            ("• the second", 120.0),
        ]);
        lines.iter_mut().for_each(|line| line.is_from_right = true);
        assert_eq!(
            parts(lines),
            [
                "The first line of a paragraph fills it and it ends in the second.",
                "- the first item goes on over its end",
                "- the second",
            ]
        );
    }

    #[test]
    fn a_number_alone_begins_no_list() {
        let lines = at(&[
            ("It was in the summer of the same year", 0.0),
            ("1. He had not been there, as it seems", 0.0),
            ("and so on.", 0.0),
        ]);
        assert_eq!(parts(lines).len(), 1);
    }

    #[test]
    fn code_keeps_its_lines() {
        let mut lines = at(&[
            ("Text before the code of the example:", 0.0),
            ("fn main() {", 0.0),
            ("run();", 20.0),
            ("}", 0.0),
        ]);
        lines.iter_mut().skip(1).for_each(|line| line.is_mono = true);
        let before = "Text before the code of the example:";
        assert_eq!(parts(lines.clone()), [before, "fn main() {\n    run();\n}"]);
        lines[2].code = "run(  1);".to_owned();
        assert_eq!(parts(lines), [before, "fn main() {\n    run(  1);\n}"]);
    }
}
