//! The parts of a page in reading order.

use std::collections::BTreeMap;

use pdfboss_text::TextSpan;

use super::aligned::{Piece, pieces};
use super::bullets;
use super::cells::divided;
use super::chars::{is_replacement_text, is_right_to_left};
use super::columns::parts;
use super::fragment::{Fragment, fragments};
use super::heads;
use super::layers::drop_hidden;
use super::line::{Line, part_rows};
use super::margin::Margin;
use super::mono;
use super::notes::Labels;
use super::ruled::with_tables;
use super::slanted;
use super::table::Table;
use super::tagged::{Block, Role, Tagged, blocks};
use super::text::{Text, Url};
use super::token::{Area, Cutter, MAX_PLACE, Token, Turn};
use crate::reader::ReadPage;

/// Glyphs without a character, at least this many, are text that is missing. A few are bullets and signs.
const MIN_UNKNOWN: usize = 20;

/// Text at an angle counts as at most this large.
const MAX_SLANTED_SIZE: f32 = 8.0;

/// A page: its parts in reading order.
#[derive(Debug, Default)]
pub(crate) struct PageLayout {
    pub(crate) regions: Vec<Region>,
    /// The page shows pictures, or drawings that may be text.
    pub(crate) has_pictures: bool,
}

impl PageLayout {
    /// The bytes of its texts.
    pub(crate) fn text_bytes(&self) -> usize {
        let bytes = |item: &Item| match item {
            Item::Line(line) => line.text.as_str().len().max(line.code.len()),
            // Each cell is written with a bar and two spaces.
            Item::Table(table) => {
                table.cells().map(|cell| cell.as_str().len()).sum::<usize>().saturating_add(3 * table.size())
            }
            Item::Block(block) => block.text.as_str().len(),
        };
        self.regions.iter().flat_map(|region| &region.items).map(bytes).sum()
    }
}

/// A part of a page: one column.
#[derive(Debug, Default)]
pub(crate) struct Region {
    pub(crate) items: Vec<Item>,
}

/// A line, table or block of a region.
#[derive(Debug)]
pub(crate) enum Item {
    Line(Line),
    Table(Table),
    /// A block that the file marks as one.
    Block(Block),
}

/// Whether the file does not say which characters much of the text of a page is.
pub(crate) fn is_unreadable(read: &ReadPage) -> bool {
    let (mut unknown, mut known) = (0_usize, 0_usize);
    for c in read.spans.iter().flat_map(|span| span.text.chars()).filter(|c| !c.is_whitespace()) {
        *(if c == char::REPLACEMENT_CHARACTER { &mut unknown } else { &mut known }) += 1;
    }
    unknown > known || (unknown >= MIN_UNKNOWN && unknown >= known / 10)
}

/// A page of these paragraphs.
pub(crate) fn paragraphs(texts: Vec<String>) -> PageLayout {
    let block = |text: String| {
        let mut block = Block {
            role: Role::Paragraph,
            text: Text::default(),
            lines: Vec::new(),
            marker: String::new(),
            size: 0.0,
            is_bold: false,
            is_mono: false,
        };
        block.text.push(&text, None);
        Item::Block(block)
    };
    let items: Vec<Item> = texts.into_iter().map(block).collect();
    PageLayout { regions: vec![Region { items }], ..PageLayout::default() }
}

/// Puts the texts of a page in order. `margin` has what is known of the pages before.
pub(crate) fn lay_out(mut read: ReadPage, margin: &mut Margin) -> PageLayout {
    let mut page = PageLayout { has_pictures: read.has_pictures, ..PageLayout::default() };
    drop_artifacts(&mut read.spans);
    drop_hidden(&mut read.spans);
    mono::mark(&mut read.spans);
    margin.clear(&mut read.spans);
    if is_replacement_text(read.spans.iter().map(|span| span.text.as_str())) {
        read.spans.clear();
    }
    let slanted = slanted::take(&mut read.spans);
    let urls: Vec<Url> = read.links.iter().map(|link| link.url.as_str().into()).collect();
    let mut cutter = Cutter::new(&read.links);
    let mut turns: BTreeMap<Turn, Vec<Token>> = BTreeMap::new();
    let mut untagged: Vec<&TextSpan> = read.spans.iter().collect();
    if read.is_tagged
        && let Some((tagged, rest)) = blocks(&read.spans, &mut cutter, &urls)
    {
        let items = tagged.into_iter().map(|tagged| match tagged {
            Tagged::Block(block) => Item::Block(block),
            Tagged::Table(table) => Item::Table(table),
        });
        page.regions.push(Region { items: items.collect() });
        untagged = rest.iter().filter_map(|at| read.spans.get(*at)).collect();
    }
    for span in untagged {
        cutter.cut(span, turns.entry(Turn::of(span)).or_default());
    }
    if let Some(texts) = turns.get_mut(&Turn::Upright) {
        let bullets = bullets::tokens(&read.bullets, texts);
        texts.extend(bullets);
    }
    if !read.notes.is_empty() {
        let texts = turns.entry(Turn::Upright).or_default();
        let labels = Labels::of(texts);
        for note in &read.notes {
            let mut tokens = note_tokens(note.area, &note.text);
            if let [value] = tokens.as_mut_slice() {
                labels.put(Turn::Upright.area(note.area), value);
            }
            texts.extend(tokens);
        }
    }
    heads::stand_up(&mut turns);
    let mut groups: Vec<(Turn, Vec<Token>)> =
        turns.into_iter().filter(|(_, tokens)| !tokens.is_empty()).collect();
    groups.sort_by_key(|(_, tokens)| std::cmp::Reverse(tokens.len()));
    for (at, (turn, tokens)) in groups.into_iter().enumerate() {
        let from_right = is_right_to_left_text(&tokens);
        let fragments = with_tables(fragments(tokens), &read.rulings, turn, &urls);
        let area = (at == 0).then(|| turn.area(read.area));
        for part in parts(divided(fragments), from_right) {
            page.regions.extend(regions(part, area, &urls));
        }
    }
    page.regions.extend(slanted.values().flat_map(|spans| slanted_regions(spans)));
    page
}

/// The regions of texts of one angle, which are turned upright.
fn slanted_regions(spans: &[TextSpan]) -> Vec<Region> {
    let mut cutter = Cutter::new(&[]);
    let mut tokens = Vec::new();
    for span in spans {
        cutter.cut(span, &mut tokens);
    }
    let from_right = is_right_to_left_text(&tokens);
    let parts = parts(divided(fragments(tokens)), from_right);
    let mut found: Vec<Region> = parts.into_iter().flat_map(|part| regions(part, None, &[])).collect();
    for item in found.iter_mut().flat_map(|region| &mut region.items) {
        if let Item::Line(line) = item {
            line.is_slanted = true;
            // A large one is a watermark, and no heading.
            line.size = line.size.min(MAX_SLANTED_SIZE);
            line.is_bold = false;
        }
    }
    found
}

/// Drops what the file marks as no part of its text, for example running heads. If that is most of the page,
/// it is marked by mistake.
fn drop_artifacts(spans: &mut Vec<TextSpan>) {
    let chars = |has: fn(&TextSpan) -> bool| {
        spans.iter().filter(|span| has(span)).map(|span| span.text.trim().chars().count()).sum::<usize>()
    };
    if chars(|span| span.artifact.is_some()) < chars(|span| span.artifact.is_none()) {
        spans.retain(|span| span.artifact.is_none());
    }
}

/// The tokens of a text in an area: each of its lines is one.
fn note_tokens(area: pdfboss_core::Rect, text: &str) -> Vec<Token> {
    let place = |place: f32| place.clamp(-MAX_PLACE, MAX_PLACE);
    let area = Turn::Upright.area(area);
    let (left, right, top) = (place(area.left), place(area.right), place(area.top));
    let lines: Vec<&str> = text.lines().map(str::trim).filter(|line| !line.is_empty()).collect();
    let size = ((area.bottom - area.top) / lines.len().max(1) as f32 * 0.8).clamp(4.0, 10.0);
    let token = |(at, line): (usize, &&str)| Token {
        text: (*line).to_owned(),
        left,
        right,
        base: top + size * (1.2 * at as f32 + 1.0),
        size,
        is_logical: true,
        // Its area may touch the next one.
        is_spaced_before: true,
        is_spaced_after: true,
        ..Token::default()
    };
    lines.iter().enumerate().map(token).collect()
}

fn is_right_to_left_text(tokens: &[Token]) -> bool {
    let (mut right, mut all) = (0_usize, 0_usize);
    for c in tokens.iter().flat_map(|token| token.text.chars()).filter(|c| c.is_alphabetic()) {
        right += usize::from(is_right_to_left(c));
        all += 1;
    }
    right * 2 > all
}

/// The regions of a part. `area` is the page, if the part has its direction.
fn regions(part: Vec<Fragment>, area: Option<Area>, urls: &[Url]) -> Vec<Region> {
    let place = |base: f32| match area {
        // Texts beside a page that is nearly empty are far from it.
        Some(area) if area.bottom > area.top => {
            ((base - area.top) / (area.bottom - area.top)).clamp(-1.0, 2.0)
        }
        _ => 0.5,
    };
    let mut regions = vec![Region::default()];
    for piece in pieces(part_rows(part), urls) {
        let Some(Region { items }) = regions.last_mut() else { break };
        match piece {
            Piece::Column => regions.push(Region::default()),
            Piece::Table(table) => items.push(Item::Table(table)),
            Piece::Row(row) => {
                let (tables, texts): (Vec<Fragment>, Vec<Fragment>) =
                    row.into_iter().partition(|fragment| fragment.table.is_some());
                items.extend(tables.into_iter().filter_map(|f| f.table).map(|table| Item::Table(*table)));
                if !texts.is_empty() {
                    let mut line = Line::of(&texts, urls);
                    line.place = place(line.base);
                    if !line.text.is_empty() {
                        items.push(Item::Line(line));
                    }
                }
            }
        }
    }
    regions.retain(|region| !region.items.is_empty());
    regions
}

#[cfg(test)]
mod tests {
    use super::super::fragment::tests::fragment;
    use super::*;

    #[test]
    fn cells_without_text_count() {
        let mut rows = vec![vec![Text::plain("a"), Text::plain("b")]; 99];
        rows.push(vec![Text::plain("c"); 100]);
        let items = Table::of(rows).map(Item::Table).into_iter().collect();
        let page = PageLayout { regions: vec![Region { items }], has_pictures: false };
        assert!(page.text_bytes() >= 3 * 100 * 100);
    }

    #[test]
    fn the_place_of_a_line_is_near_the_page() {
        let area = Area { left: 0.0, right: 1.0, top: 0.0, bottom: 1e-30 };
        let regions = regions(vec![fragment("far below", 0.0, 1_000.0)], Some(area), &[]);
        let Some(Item::Line(line)) = regions.first().and_then(|region| region.items.first()) else {
            panic!("one line")
        };
        assert_eq!(line.place, 2.0);
    }

    #[test]
    fn the_value_of_a_field_is_at_a_place() {
        for far in [f32::MAX, f32::MIN] {
            let area = pdfboss_core::Rect::new(far, far, far, far);
            let tokens = note_tokens(area, "text");
            assert!(tokens[0].left.abs() <= MAX_PLACE && tokens[0].right.abs() <= MAX_PLACE);
            assert!(tokens[0].base.abs() <= 2.0 * MAX_PLACE);
        }
    }

    #[test]
    fn values_of_fields_beside_each_other_are_words() {
        let mut tokens = note_tokens(pdfboss_core::Rect::new(10.0, 100.0, 40.0, 110.0), "eleven");
        tokens.extend(note_tokens(pdfboss_core::Rect::new(40.0, 100.0, 70.0, 110.0), "twelve"));
        let regions = regions(fragments(tokens), None, &[]);
        let Some(Item::Line(line)) = regions.first().and_then(|region| region.items.first()) else {
            panic!("one line")
        };
        assert_eq!(line.text.as_str(), "eleven twelve");
    }

    #[test]
    fn the_value_of_a_field_is_lines_in_its_area() {
        let tokens = note_tokens(pdfboss_core::Rect::new(10.0, 100.0, 90.0, 130.0), "one\n\ntwo words");
        let texts: Vec<&str> = tokens.iter().map(|token| token.text.as_str()).collect();
        assert_eq!(texts, ["one", "two words"]);
        assert!(tokens[0].base < tokens[1].base);
    }
}
