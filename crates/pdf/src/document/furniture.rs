//! Drops running heads, running feet and page numbers: lines that recur at one place near the edge of pages.

use std::collections::{HashMap, HashSet};

use crate::layout::{Item, Line, PageLayout, key};

/// A line counts as near an edge within this share of the page.
const EDGE: f32 = 0.13;

/// Height of a band of the page, as a share of it. Lines in one band are at one place.
const BAND: f32 = 0.03;

/// Most lines that are checked at each edge of a page.
const MAX_LINES: usize = 4;

/// A longer line is text.
const MAX_CHARS: usize = 200;

/// A heading is larger than its running head by this factor.
const LARGE: f32 = 1.1;

/// Fewest letters of a heading that is compared with running heads.
const MIN_NAME_CHARS: usize = 8;

/// What a line says without its numbers, and the band that it is in.
type Mark = (String, i32);

/// Pages that a line must be on. Page numbers need two, and so does any line of a document of two pages.
const MIN_PAGES: usize = 3;

/// A number of a page, with its word, is within this share of the page from an edge.
const NUMBER_EDGE: f32 = 0.1;

/// The word for a page, and the one before the number of pages, as [`key`] writes them.
const PAGE_WORDS: [&str; 16] = [
    "page",
    "seite",
    "página",
    "pagina",
    "pág",
    "pag",
    "blatt",
    "strona",
    "strana",
    "stránka",
    "oldal",
    "sivu",
    "side",
    "sida",
    "sayfa",
    "страница",
];
const OF_WORDS: [&str; 10] = ["of", "von", "de", "di", "sur", "van", "z", "ze", "av", "из"];

/// Drops the furniture of pages. The only text of a page always stays.
pub(super) fn drop(pages: &mut [PageLayout]) {
    let headings = Headings::of(pages);
    let min_pages = if is_pair(pages) { 2 } else { MIN_PAGES };
    let mut counts: HashMap<Mark, usize> = HashMap::new();
    for page in pages.iter() {
        let marks: HashSet<Mark> =
            edge_lines(page, &headings).into_iter().flat_map(|line| line.marks).collect();
        for mark in marks {
            *counts.entry(mark).or_default() += 1;
        }
    }
    for (index, page) in pages.iter_mut().enumerate() {
        let recurs = |line: &EdgeLine| {
            if line.is_heading || line.number == Some(index + 1) {
                return true;
            }
            let count = line.marks.iter().filter_map(|mark| counts.get(mark)).max().copied().unwrap_or(0);
            let is_number = line.marks.iter().any(|(name, _)| name == "#" || name.contains("#of#"));
            count >= min_pages || (is_number && count == 2)
        };
        let found: HashSet<(usize, usize)> = edge_lines(page, &headings)
            .into_iter()
            .filter(recurs)
            .map(|line| (line.region, line.item))
            .collect();
        let all: usize = page.regions.iter().map(|region| region.items.len()).sum();
        if found.is_empty() || found.len() >= all {
            continue;
        }
        for (at, region) in page.regions.iter_mut().enumerate() {
            let mut item = 0;
            region.items.retain(|_| {
                item += 1;
                !found.contains(&(at, item - 1))
            });
        }
        page.regions.retain(|region| !region.items.is_empty());
    }
}

/// A line near an edge of a page.
struct EdgeLine {
    region: usize,
    item: usize,
    /// It repeats a heading of the document.
    is_heading: bool,
    /// It says that the page has this number.
    number: Option<usize>,
    /// In bands that begin at different places, so that lines near each other share one.
    marks: [Mark; 2],
}

/// The lines near the edges of a page.
fn edge_lines(page: &PageLayout, headings: &Headings) -> Vec<EdgeLine> {
    let mut top: Vec<(f32, usize, usize, &Line)> = Vec::new();
    let mut bottom: Vec<(f32, usize, usize, &Line)> = Vec::new();
    for (region, content) in page.regions.iter().enumerate() {
        for (item, line) in content.items.iter().enumerate() {
            let Item::Line(line) = line else { continue };
            if line.place < EDGE {
                top.push((line.place, region, item, line));
            } else if line.place > 1.0 - EDGE {
                bottom.push((-line.place, region, item, line));
            }
        }
    }
    let mut found = Vec::new();
    for mut lines in [top, bottom] {
        lines.sort_by(|a, b| a.0.total_cmp(&b.0));
        for (_, region, item, line) in lines.into_iter().take(MAX_LINES) {
            let text = line.text.as_str();
            if text.chars().count() <= MAX_CHARS
                && let Some(name) = name(text)
            {
                let band = |shift: f32| 2 * (line.place / BAND + shift).floor() as i32;
                let is_heading = headings.has(&name, line.size);
                let marks = [(name.clone(), band(0.0)), (name, band(0.5) + 1)];
                let is_outside = !(NUMBER_EDGE..=1.0 - NUMBER_EDGE).contains(&line.place);
                let number = page_number(text, &marks[0].0).filter(|_| is_outside);
                found.push(EdgeLine { region, item, is_heading, number, marks });
            }
        }
    }
    found
}

/// Whether these are two pages, and not two copies of one: most of their lines differ.
fn is_pair(pages: &[PageLayout]) -> bool {
    let [first, second] = pages else { return false };
    let names = |page: &PageLayout| -> HashSet<String> {
        let items = page.regions.iter().flat_map(|region| &region.items);
        let name = |item: &Item| match item {
            Item::Line(line) => name(line.text.as_str()),
            Item::Block(block) => name(block.text.as_str()),
            Item::Table(table) => table.cells().next().and_then(|cell| name(cell.as_str())),
        };
        items.filter_map(name).collect()
    };
    let (first, second) = (names(first), names(second));
    first.intersection(&second).count() * 2 <= first.len().min(second.len())
}

/// The number in `Page 1` or `Page 1 of 2`, whose name is given.
fn page_number(text: &str, name: &str) -> Option<usize> {
    let rest = PAGE_WORDS.iter().find_map(|word| name.strip_prefix(word))?;
    let between = rest.strip_prefix('#')?.trim_end_matches('#');
    if !between.is_empty() && !OF_WORDS.contains(&between) {
        return None;
    }
    let digits = text.trim_start_matches(|c: char| !c.is_ascii_digit());
    let end = digits.find(|c: char| !c.is_ascii_digit()).unwrap_or(digits.len());
    digits.get(..end)?.parse().ok()
}

/// Lines in large letters, which running heads repeat in smaller ones.
struct Headings {
    /// What each says, without a number before it, and its size; sorted.
    lines: Vec<(String, f32)>,
}

impl Headings {
    fn of(pages: &[PageLayout]) -> Self {
        let mut lines: Vec<(String, f32)> = Vec::new();
        let mut usual: HashMap<i64, usize> = HashMap::new();
        for page in pages {
            for item in page.regions.iter().flat_map(|region| &region.items) {
                let Item::Line(line) = item else { continue };
                let chars = line.text.as_str().chars().count();
                *usual.entry((line.size * 2.0).round() as i64).or_default() += chars;
                if chars <= MAX_CHARS {
                    lines.push((key(line.text.as_str()), line.size));
                }
            }
        }
        let usual = usual.into_iter().max_by_key(|(size, chars)| (*chars, -size)).map_or(0, |(size, _)| size);
        let least = LARGE * usual as f32 / 2.0;
        lines.retain(|(_, size)| *size > least);
        for (name, _) in &mut lines {
            *name = name.trim_start_matches('#').to_owned();
        }
        lines.retain(|(name, _)| name.chars().count() >= MIN_NAME_CHARS);
        lines.sort_by(|a, b| a.0.cmp(&b.0).then(b.1.total_cmp(&a.1)));
        // The largest of the same name.
        lines.dedup_by(|a, b| a.0 == b.0);
        Self { lines }
    }

    /// Whether a small line says the same as a heading, or begins with the first of its lines.
    fn has(&self, name: &str, size: f32) -> bool {
        // `1. Title`, `Chapter 1. Title`, `2 Chapter 1. Title` and `Title 1`.
        let whole = name.trim_matches('#');
        let longest = whole.split('#').max_by_key(|part| part.len()).unwrap_or(whole);
        let behind_first = whole.split_once('#').map_or(whole, |(_, behind)| behind);
        [whole, behind_first, longest].into_iter().any(|title| self.has_title(title, size))
    }

    fn has_title(&self, title: &str, size: f32) -> bool {
        let behind = self.lines.partition_point(|(line, _)| line.as_str() <= title);
        let line = behind.checked_sub(1).and_then(|at| self.lines.get(at));
        line.is_some_and(|(line, large)| {
            let is_start = title.starts_with(line.as_str()) && line.chars().count() >= 2 * MIN_NAME_CHARS;
            *large > LARGE * size && (line == title || is_start)
        })
    }
}

/// What a line says without its numbers; `None` if it says nothing.
fn name(text: &str) -> Option<String> {
    let is_roman = !text.trim().is_empty()
        && text.trim().len() <= 6
        && text
            .trim()
            .chars()
            .all(|c| matches!(c, 'i' | 'v' | 'x' | 'l' | 'c' | 'I' | 'V' | 'X' | 'L' | 'C'));
    let name = if is_roman { "#".to_owned() } else { key(text) };
    (!name.is_empty()).then_some(name)
}

#[cfg(test)]
mod tests {
    use super::super::style::tests::{line, region};
    use super::*;

    fn page(lines: &[(&str, f32)]) -> PageLayout {
        let lines = lines.iter().map(|(text, place)| {
            let mut line = line(text, 0.0, 800.0 * place, 10.0);
            line.place = *place;
            line
        });
        PageLayout { regions: vec![region(lines.collect())], has_pictures: false }
    }

    fn left(mut pages: Vec<PageLayout>) -> Vec<Vec<String>> {
        drop(&mut pages);
        let texts = |page: &PageLayout| {
            let items = page.regions.iter().flat_map(|region| &region.items);
            items
                .filter_map(|item| match item {
                    Item::Line(line) => Some(line.text.as_str().to_owned()),
                    _ => None,
                })
                .collect()
        };
        pages.iter().map(texts).collect()
    }

    #[test]
    fn lines_that_recur_at_the_edges_of_pages_are_dropped() {
        let pages = (1..=4).map(|number| {
            let (text, foot) = (format!("Text {number} of the page"), format!("Page {number} of 4"));
            page(&[
                ("A Report", 0.05),
                (text.as_str(), 0.4),
                ("Repeated in the middle", 0.5),
                (foot.as_str(), 0.95),
            ])
        });
        for (at, lines) in left(pages.collect()).iter().enumerate() {
            assert_eq!(lines, &[format!("Text {} of the page", at + 1), "Repeated in the middle".to_owned()]);
        }
    }

    #[test]
    fn lines_that_repeat_headings_are_dropped() {
        let mut pages = vec![
            page(&[("The Title of a Chapter", 0.3), ("Text of it that is usual", 0.5)]),
            page(&[("1. The title of a chapter 2", 0.05), ("More of the usual text", 0.5)]),
            page(&[("4 CHAPTER 1. THE TITLE OF A CHAPTER", 0.05), ("Even more of the text", 0.5)]),
        ];
        if let Some(Item::Line(line)) = pages[0].regions[0].items.first_mut() {
            line.size = 20.0;
        }
        assert_eq!(left(pages)[1..], [["More of the usual text"], ["Even more of the text"]]);
    }

    #[test]
    fn the_only_text_of_a_page_stays() {
        let pages = (0..4).map(|_| page(&[("Hello", 0.05)])).collect();
        assert_eq!(left(pages), vec![vec!["Hello".to_owned()]; 4]);
    }

    #[test]
    fn the_number_of_a_single_page_is_dropped() {
        let single = |foot| left(vec![page(&[("Text", 0.5), (foot, 0.95)])]).remove(0);
        assert_eq!(single("Page 1"), ["Text"]);
        assert_eq!(single("– Seite 1 von 1 –"), ["Text"]);
        assert_eq!(single("Page 7").len(), 2);
        assert_eq!(single("Chapter 1").len(), 2);
        assert_eq!(left(vec![page(&[("Text", 0.5), ("Page 1", 0.6)])])[0].len(), 2);
    }

    #[test]
    fn what_recurs_on_two_different_pages_is_dropped() {
        let pages = vec![
            page(&[("Same", 0.05), ("a", 0.5), ("and b", 0.6)]),
            page(&[("Same", 0.05), ("c", 0.5), ("and d", 0.6)]),
        ];
        assert_eq!(left(pages), [["a", "and b"], ["c", "and d"]]);
    }

    #[test]
    fn of_two_copies_of_a_page_only_numbers_are_dropped() {
        let pages = vec![
            page(&[("Same", 0.05), ("a", 0.5), ("1", 0.95)]),
            page(&[("Same", 0.05), ("a", 0.5), ("2", 0.95)]),
        ];
        assert_eq!(left(pages), [["Same", "a"], ["Same", "a"]]);
    }

    #[test]
    fn a_line_that_is_elsewhere_on_each_page_stays() {
        let pages = (0..4).map(|at| page(&[("Head", 0.01 + 0.03 * at as f32), ("text", 0.5)])).collect();
        assert!(left(pages).iter().all(|lines| lines.len() == 2));
    }
}
