//! Blocks of a page whose file says what its texts are: its structure tree (PDF 32000-1, 14.8).

use std::collections::HashMap;

use pdfboss_core::{
    AttributeObject, ObjRef, Rect, StandardKind, StandardOwner, StandardType, StructureElement,
};
use pdfboss_text::{Structure, TextSpan};

use super::fragment::{Fragment, chained};
use super::line::Line;
use super::table::Table;
use super::tagged_table::{MAX_COLUMNS, TaggedCell, placed};
use super::text::{Text, Url};
use super::token::{Cutter, Token, Turn};

/// The least share of the letters of a page that must be tagged, in percent.
const MIN_TAGGED: usize = 80;

/// A page with more letters than this, most of which are in one block, is tagged by mistake.
const MAX_BLOCK_CHARS: usize = 1_500;

/// Most levels of lists.
const MAX_DEPTH: usize = 6;

/// What a block is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Role {
    Paragraph,
    /// From 1.
    Heading(u8),
    /// With the number of lists around it, from 1.
    Item(usize),
    Code,
}

/// A block of text.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Block {
    pub(crate) role: Role,
    pub(crate) text: Text,
    /// The lines as they are, of text in letters of one width or with leaders of dots.
    pub(crate) lines: Vec<Line>,
    /// The marker of an item.
    pub(crate) marker: String,
    pub(crate) size: f32,
    pub(crate) is_bold: bool,
    pub(crate) is_mono: bool,
}

/// A block or table.
pub(super) enum Tagged {
    Block(Block),
    Table(Table),
}

/// Where a text is in the structure tree.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Place {
    /// The element that is the block.
    block: ObjRef,
    role: Role,
    is_marker: bool,
    cell: Option<Cell>,
}

/// A cell of a table.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Cell {
    table: ObjRef,
    row: ObjRef,
    cell: ObjRef,
    /// The columns and rows that it goes over.
    columns: usize,
    rows: usize,
}

/// A block whose texts are being collected.
struct Open {
    place: Place,
    tokens: Vec<Token>,
    marker: Vec<Token>,
    area: Option<Covered>,
}

/// What the texts of a cell cover.
#[derive(Debug, Clone, Copy)]
struct Covered {
    area: Rect,
    turn: Turn,
    /// They are spaces.
    is_blank: bool,
}

impl Open {
    const fn new(place: Place) -> Self {
        Self { place, tokens: Vec::new(), marker: Vec::new(), area: None }
    }

    /// Notes where a text of a cell is. Spaces around its words do not count.
    fn cover(&mut self, span: &TextSpan) {
        let area = span.bbox;
        let is_blank = span.text.trim().is_empty();
        let is_text = self.area.is_some_and(|covered| !covered.is_blank);
        let is_finite = [area.x0, area.x1, area.y0, area.y1].iter().all(|place| place.is_finite());
        if self.place.cell.is_none() || !is_finite || (is_blank && is_text) {
            return;
        }
        let before = self.area.filter(|covered| covered.is_blank == is_blank);
        let area = before.map_or(area, |before| before.area.union(area));
        self.area = Some(Covered { area, turn: Turn::of(span), is_blank });
    }
}

/// The blocks of a page, and its tokens without a tag. `None` if the tags do not cover the page.
pub(super) fn blocks(
    spans: &[TextSpan],
    cutter: &mut Cutter<'_>,
    urls: &[Url],
) -> Option<(Vec<Tagged>, Vec<usize>)> {
    let chars = |span: &TextSpan| span.text.chars().filter(|c| !c.is_whitespace()).count();
    let all: usize = spans.iter().map(chars).sum();
    let places: Vec<Option<Place>> = spans.iter().map(place).collect();
    let mut per_block: HashMap<ObjRef, usize> = HashMap::new();
    for (span, place) in spans.iter().zip(&places) {
        if let Some(place) = place {
            *per_block.entry(place.block).or_default() += chars(span);
        }
    }
    let tagged: usize = per_block.values().sum();
    let most = per_block.values().copied().max().unwrap_or(0);
    if tagged * 100 < all * MIN_TAGGED || all == 0 || (all > MAX_BLOCK_CHARS && most * 10 > all * 7) {
        return None;
    }
    let mut open: Vec<Open> = Vec::new();
    let mut untagged = Vec::new();
    for (at, (span, place)) in spans.iter().zip(places).enumerate() {
        let Some(place) = place else {
            untagged.push(at);
            continue;
        };
        let is_same = open.last().is_some_and(|last| last.place.block == place.block);
        if !is_same {
            open.push(Open::new(place));
        }
        if let Some(last) = open.last_mut() {
            last.cover(span);
            let tokens = if place.is_marker { &mut last.marker } else { &mut last.tokens };
            cutter.cut(span, tokens);
        }
    }
    Some((finished(open, urls), untagged))
}

fn place(span: &TextSpan) -> Option<Place> {
    let structure = span.structure.as_ref()?;
    let path = structure.path.as_slice();
    let of = |wanted: StandardType| path.iter().rev().find(|element| element.standard_type == wanted);
    let last = path.last()?;
    let block = path.iter().rev().find(|element| is_block(element)).unwrap_or(last);
    let table = of(StandardType::Table);
    let is_cell =
        |element: &&StructureElement| matches!(element.standard_type, StandardType::TH | StandardType::TD);
    let cell =
        table.zip(of(StandardType::TR)).zip(path.iter().rev().find(is_cell)).map(|((table, row), cell)| {
            Cell {
                table: table.object,
                row: row.object,
                cell: cell.object,
                columns: attribute(structure, cell.object, "ColSpan"),
                rows: attribute(structure, cell.object, "RowSpan"),
            }
        });
    let heading = path.iter().rev().find_map(|element| level(element.standard_type));
    let item = of(StandardType::LI);
    let role = match (heading, item) {
        (Some(level), _) => Role::Heading(level),
        (None, Some(_)) => {
            let lists = path.iter().filter(|element| element.standard_type == StandardType::L).count();
            Role::Item(lists.clamp(1, MAX_DEPTH))
        }
        (None, None) if of(StandardType::Code).is_some() && !has_paragraph(path) => Role::Code,
        _ => Role::Paragraph,
    };
    let block = match (role, item) {
        (Role::Item(_), Some(item)) => item.object,
        _ => block.object,
    };
    let is_marker = of(StandardType::Lbl).is_some() && matches!(role, Role::Item(_));
    let block = cell.map_or(block, |cell| cell.cell);
    Some(Place { block, role, is_marker, cell })
}

/// How many columns or rows a cell goes over.
fn attribute(structure: &Structure, cell: ObjRef, name: &str) -> usize {
    let of_cell = |found: &&AttributeObject| {
        found.element == cell && found.standard_owner() == Some(StandardOwner::Table)
    };
    let value =
        structure.attributes.iter().rev().filter(of_cell).find_map(|found| found.entries.get_int(name));
    value.and_then(|value| usize::try_from(value).ok()).unwrap_or(1).clamp(1, MAX_COLUMNS)
}

/// Whether code is a part of a paragraph.
fn has_paragraph(path: &[StructureElement]) -> bool {
    path.iter().any(|element| matches!(element.standard_type, StandardType::P | StandardType::LBody))
}

fn is_block(element: &StructureElement) -> bool {
    match element.standard_type.kind() {
        StandardKind::BlockLevel | StandardKind::Illustration => true,
        StandardKind::Grouping => matches!(
            element.standard_type,
            StandardType::Caption | StandardType::BlockQuote | StandardType::TOCI
        ),
        StandardKind::InlineLevel => {
            matches!(element.standard_type, StandardType::Note | StandardType::BibEntry)
        }
    }
}

const fn level(kind: StandardType) -> Option<u8> {
    Some(match kind {
        StandardType::H1 => 1,
        StandardType::H | StandardType::H2 => 2,
        StandardType::H3 => 3,
        StandardType::H4 => 4,
        StandardType::H5 => 5,
        StandardType::H6 => 6,
        _ => return None,
    })
}

fn finished(open: Vec<Open>, urls: &[Url]) -> Vec<Tagged> {
    let mut all = Vec::new();
    let mut cells: Vec<OpenCell> = Vec::new();
    for Open { place, tokens, marker, area } in open {
        if let Some(cell) = place.cell {
            if cells.first().is_some_and(|first| first.cell.table != cell.table) {
                close_table(&mut cells, &mut all);
            }
            let mut texts = lines(marker, urls);
            texts.extend(lines(tokens, urls));
            cells.push(OpenCell { cell, text: joined(&texts), area });
            continue;
        }
        close_table(&mut cells, &mut all);
        let count = |has: fn(&Token) -> bool| tokens.iter().filter(|token| has(token)).count();
        let is_bold = count(|token| token.style.is_bold) * 10 >= tokens.len() * 9;
        let is_mono = count(|token| token.style.is_mono) * 10 >= tokens.len() * 9;
        let size = tokens.iter().map(|token| token.size).fold(0.0, f32::max);
        let marker = joined(&lines(marker, urls)).as_str().trim().to_owned();
        let lines = lines(tokens, urls);
        let text = joined(&lines);
        if text.is_empty() {
            continue;
        }
        let keeps_lines = is_mono || place.role == Role::Code || has_leaders(&lines);
        let lines = if keeps_lines { lines } else { Vec::new() };
        all.push(Tagged::Block(Block { role: place.role, text, lines, marker, size, is_bold, is_mono }));
    }
    close_table(&mut cells, &mut all);
    all
}

/// The lines, in the order in which they are drawn: a paragraph may go on in the next column.
fn lines(tokens: Vec<Token>, urls: &[Url]) -> Vec<Line> {
    let mut rows: Vec<Vec<Fragment>> = Vec::new();
    for fragment in chained(tokens) {
        let fits = rows
            .last()
            .and_then(|row| row.last())
            .is_some_and(|last| (last.base - fragment.base).abs() <= 0.5 * last.size.max(fragment.size));
        match rows.last_mut() {
            Some(row) if fits => row.push(fragment),
            _ => rows.push(vec![fragment]),
        }
    }
    let line = |row: &mut Vec<Fragment>| {
        row.sort_by(|a, b| a.area.left.total_cmp(&b.area.left));
        Line::of(row, urls)
    };
    rows.iter_mut().map(line).collect()
}

/// Whether these may be lines of a table of contents.
fn has_leaders(lines: &[Line]) -> bool {
    let has_leaders = |line: &Line| {
        let text = line.text.as_str();
        ["....", ". . .", "……"].iter().any(|leaders| text.contains(leaders))
    };
    lines.len() >= 2 && lines.iter().any(has_leaders)
}

fn joined(lines: &[Line]) -> Text {
    let mut all = Text::default();
    lines.iter().for_each(|line| all.push_line(&line.text));
    all
}

/// A cell whose table is being collected.
struct OpenCell {
    cell: Cell,
    text: Text,
    area: Option<Covered>,
}

/// The cells of a table in rows.
fn table_rows(cells: &[OpenCell]) -> Vec<Vec<TaggedCell>> {
    let turned = cells.iter().filter_map(|cell| cell.area).filter(|area| area.turn != Turn::Upright).count();
    let first = cells.iter().find_map(|cell| cell.area).map_or(Turn::Upright, |area| area.turn);
    // A few cells may be turned, or the whole table is.
    let turn = if turned * 2 > cells.len() { first } else { Turn::Upright };
    let across =
        |cell: &OpenCell| cell.area.map(|covered| turn.area(covered.area)).map(|a| (a.left, a.right));
    let mut rows: Vec<(ObjRef, Vec<(ObjRef, TaggedCell)>)> = Vec::new();
    for open in cells {
        if rows.last().is_none_or(|(row, _)| *row != open.cell.row) {
            rows.push((open.cell.row, Vec::new()));
        }
        let Some((_, row)) = rows.last_mut() else { continue };
        // A row with too many cells has the rest in the last one.
        let is_same = row.len() >= MAX_COLUMNS || row.last().is_some_and(|(last, _)| *last == open.cell.cell);
        match row.last_mut() {
            Some((_, joined)) if is_same => joined.text.push_line(&open.text),
            _ => {
                let Cell { cell, columns, rows, .. } = open.cell;
                row.push((cell, TaggedCell { text: open.text.clone(), across: across(open), columns, rows }));
            }
        }
    }
    rows.into_iter().map(|(_, row)| row.into_iter().map(|(_, cell)| cell).collect()).collect()
}

/// Writes the table of these cells, or their texts if they are none.
fn close_table(cells: &mut Vec<OpenCell>, all: &mut Vec<Tagged>) {
    let cells = std::mem::take(cells);
    match placed(table_rows(&cells)).map(Table::of_places) {
        Ok(Some(table)) => all.push(Tagged::Table(table)),
        Ok(None) => all.extend(cells.into_iter().filter_map(|cell| paragraph(cell.text))),
        // Where the cells of a row belong is not known: the row is a line of text.
        Err(rows) => all.extend(rows.into_iter().filter_map(|row| {
            let mut line = Text::default();
            row.iter().filter(|(_, text)| !text.is_empty()).for_each(|(_, text)| line.push_line(text));
            paragraph(line)
        })),
    }
}

/// The paragraph of a text that is not empty.
fn paragraph(text: Text) -> Option<Tagged> {
    let role = Role::Paragraph;
    let (lines, marker) = (Vec::new(), String::new());
    let block = Block { role, text, lines, marker, size: 0.0, is_bold: false, is_mono: false };
    (!block.text.is_empty()).then_some(Tagged::Block(block))
}

#[cfg(test)]
mod tests {
    use super::super::fragment::tests::token;
    use super::*;

    fn reference(num: u32) -> ObjRef {
        ObjRef { num, r#gen: 0 }
    }

    fn cell(row: u32, cell: u32, word: &str) -> Open {
        let cell =
            Cell { table: reference(1), row: reference(row), cell: reference(cell), columns: 1, rows: 1 };
        let place = Place { block: cell.cell, role: Role::Paragraph, is_marker: false, cell: Some(cell) };
        let tokens = vec![token(word, 0.0, 10.0 * row as f32, 10.0)];
        Open { tokens, ..Open::new(place) }
    }

    #[test]
    fn cells_become_a_table() {
        let open = vec![cell(10, 11, "a"), cell(10, 12, "b"), cell(20, 21, "1"), cell(20, 22, "2")];
        let all = finished(open, &[]);
        let [Tagged::Table(table)] = all.as_slice() else { panic!("one table") };
        assert_eq!(table.markdown(), "| a | b |\n| --- | --- |\n| 1 | 2 |");
    }

    #[test]
    fn rows_whose_cells_have_no_column_are_lines() {
        // Neither their order nor a place says which cell is left out.
        let open = vec![cell(10, 11, "a"), cell(10, 12, "b"), cell(20, 21, "1")];
        let lines: Vec<String> = finished(open, &[])
            .iter()
            .map(|tagged| match tagged {
                Tagged::Block(block) => block.text.as_str().to_owned(),
                Tagged::Table(table) => table.markdown(),
            })
            .collect();
        assert_eq!(lines, ["a b", "1"]);
    }

    #[test]
    fn a_row_with_too_many_cells_keeps_its_texts() {
        let columns = MAX_COLUMNS as u32 + 50;
        let row = |row: u32| (0..columns).map(move |at| cell(row, 1_000 * row + at, &format!("w{row}-{at}")));
        let all = finished(row(1).chain(row(2)).collect(), &[]);
        let [Tagged::Table(table)] = all.as_slice() else { panic!("one table") };
        let text: Vec<&str> = table.cells().flat_map(|cell| cell.as_str().split(' ')).collect();
        assert_eq!((table.size(), text.len()), (2 * MAX_COLUMNS, 2 * columns as usize));
    }

    #[test]
    fn lines_of_a_block_are_joined_in_their_order() {
        // The second line is in the next column, higher up.
        let tokens = vec![token("begin-", 0.0, 500.0, 10.0), token("ning", 200.0, 20.0, 10.0)];
        let place = Place { block: reference(1), role: Role::Heading(2), is_marker: false, cell: None };
        let all = finished(vec![Open { tokens, ..Open::new(place) }], &[]);
        let [Tagged::Block(block)] = all.as_slice() else { panic!("one block") };
        assert_eq!((block.text.as_str(), block.role), ("beginning", Role::Heading(2)));
    }
}
