//! Drops running heads, running feet and page numbers: lines that recur at one place near the edge of pages.
//! A line with numbers recurs if they are the same on all pages, or if one of them counts the pages. A line
//! that repeats a heading in smaller letters recurs if it does so in an outermost row of two other pages.
//!
//! A head that the text says nowhere else stays where it is read first: it may be the title of the document,
//! or say whose account it is.

use std::collections::{HashMap, HashSet};

use super::numbers::{Saying, exact};
use crate::layout::{Item, Line, PageLayout, key};

/// A line counts as near an edge within this share of the page.
const EDGE: f32 = 0.13;

/// Height of a band of the page, as a share of it. Lines in one band are at one place.
const BAND: f32 = 0.03;

/// Lines this near to each other, as a share of the page, are one row.
const ROW: f32 = 0.008;

/// Most lines that are checked at each edge of a page.
const MAX_LINES: usize = 4;

/// Numbers that count pages, and repeated headings, are in this many outermost rows.
const OUTER_ROWS: usize = 2;

/// A longer line is text.
const MAX_CHARS: usize = 200;

/// A heading is larger than its running head, and than the usual text, by this factor.
const LARGE: f32 = 1.1;

/// Fewest letters of a heading that is compared with running heads.
const MIN_NAME_CHARS: usize = 8;

/// A line of fewer letters may be a cell of a table: it recurs if it is on most pages.
const MIN_LETTERS: usize = 4;

/// Pages that a line must be on. Page numbers need two, and so does any line of a document of two pages.
const MIN_PAGES: usize = 3;

/// Pages on which a line must repeat a heading.
const MIN_HEADING_PAGES: usize = 2;

/// Most lines of a heading.
const MAX_HEADING_LINES: usize = 3;

/// What a line says, and the band that it is in.
type Mark = (u64, i32);

/// Drops the texts at an angle that an earlier page has: a watermark is read once.
pub(super) fn drop_watermarks(pages: &mut [PageLayout]) {
    let mut read: HashSet<u64> = HashSet::new();
    for page in pages {
        // What the pages before have. A page may have the same text several times.
        let mut own = Vec::new();
        for region in &mut page.regions {
            region.items.retain(|item| match item {
                Item::Line(line) if line.is_slanted => {
                    let saying = exact(line.text.as_str());
                    own.extend(saying);
                    saying.is_none_or(|saying| !read.contains(&saying))
                }
                _ => true,
            });
        }
        page.regions.retain(|region| !region.items.is_empty());
        read.extend(own);
    }
}

/// Drops the furniture of pages. The only text of a page always stays.
pub(super) fn drop(pages: &mut [PageLayout]) {
    let headings = Headings::of(pages);
    let counts = Counts::of(pages, &headings);
    let found: Vec<Vec<EdgeLine>> = pages
        .iter()
        .enumerate()
        .map(|(index, page)| {
            let mut lines = edge_lines(page, index, &headings);
            lines.retain(|line| counts.recurs(line));
            let all: usize = page.regions.iter().map(|region| region.items.len()).sum();
            if lines.len() < all { lines } else { Vec::new() }
        })
        .collect();
    let kept = first_heads(pages, &found, &counts);
    for (index, (page, lines)) in pages.iter_mut().zip(&found).enumerate() {
        let dropped: HashSet<(usize, usize)> = lines
            .iter()
            .map(|line| (line.region, line.item))
            .filter(|(region, item)| !kept.contains(&(index, *region, *item)))
            .collect();
        if dropped.is_empty() {
            continue;
        }
        for (at, region) in page.regions.iter_mut().enumerate() {
            let mut item = 0;
            region.items.retain(|_| {
                item += 1;
                !dropped.contains(&(at, item - 1))
            });
        }
        page.regions.retain(|region| !region.items.is_empty());
    }
}

/// The heads that stay, as indices of pages, regions and items: those that begin the document or a part of
/// it, and that the rest of the text does not say.
fn first_heads(
    pages: &[PageLayout],
    found: &[Vec<EdgeLine>],
    counts: &Counts,
) -> HashSet<(usize, usize, usize)> {
    let rest = other_sayings(pages, found);
    let mut last_pages: HashMap<u64, usize> = HashMap::new();
    for (page, lines) in found.iter().enumerate() {
        last_pages.extend(lines.iter().map(|line| (line.saying.exact, page)));
    }
    let mut read: HashSet<u64> = HashSet::new();
    let mut kept = HashSet::new();
    let mut above: &[EdgeLine] = &[];
    for (page, lines) in found.iter().enumerate() {
        for line in lines {
            // Another head was at its place, for the last time.
            let is_next = || {
                above.iter().any(|other| {
                    let ends = last_pages.get(&other.saying.exact).is_some_and(|last| *last < page);
                    ends && other.is_top && other.bands.iter().any(|band| line.bands.contains(band))
                })
            };
            let is_first = if counts.is_exact(line) {
                read.insert(line.saying.exact)
                    && !rest.contains(&line.saying.exact)
                    && (page == 0 || line.is_set_apart || is_next())
            } else {
                page == 0 && line.saying.letters >= MIN_NAME_CHARS
            };
            let may_stay = line.is_top && line.heading.is_none() && !line.saying.is_number;
            if is_first && may_stay && line.saying.letters >= MIN_LETTERS {
                kept.insert((page, line.region, line.item));
            }
        }
        above = lines;
    }
    kept
}

/// What the lines and blocks say that do not recur.
fn other_sayings(pages: &[PageLayout], found: &[Vec<EdgeLine>]) -> HashSet<u64> {
    let mut sayings = HashSet::new();
    for (page, lines) in pages.iter().zip(found) {
        let recurring: HashSet<(usize, usize)> = lines.iter().map(|line| (line.region, line.item)).collect();
        for (region, content) in page.regions.iter().enumerate() {
            for (item, content) in content.items.iter().enumerate() {
                let text = match content {
                    Item::Line(line) => line.text.as_str(),
                    Item::Block(block) => block.text.as_str(),
                    Item::Table(_) => continue,
                };
                if text.chars().nth(MAX_CHARS).is_none() && !recurring.contains(&(region, item)) {
                    sayings.extend(exact(text));
                }
            }
        }
    }
    sayings
}

/// On how many pages the lines near the edges are.
struct Counts {
    exact: HashMap<Mark, usize>,
    counted: HashMap<Mark, usize>,
    /// By the index of the heading.
    headings: HashMap<usize, usize>,
    pages: usize,
    /// Pages that lines must be on, and those that lines with a number that counts must be on.
    min_pages: usize,
    min_counted: usize,
}

impl Counts {
    fn of(pages: &[PageLayout], headings: &Headings) -> Self {
        let least = |is_pair: bool| if is_pair { 2 } else { MIN_PAGES };
        let mut counts = Self {
            exact: HashMap::new(),
            counted: HashMap::new(),
            headings: HashMap::new(),
            pages: pages.len(),
            min_pages: least(is_pair(pages, str::to_owned)),
            min_counted: least(is_pair(pages, key)),
        };
        for (index, page) in pages.iter().enumerate() {
            let lines = edge_lines(page, index, headings);
            let exact: HashSet<Mark> = lines.iter().flat_map(EdgeLine::exact).collect();
            let counted: HashSet<Mark> = lines.iter().flat_map(EdgeLine::counted).collect();
            let repeated: HashSet<usize> = lines.iter().filter_map(|line| line.heading).collect();
            for mark in exact {
                *counts.exact.entry(mark).or_default() += 1;
            }
            for mark in counted {
                *counts.counted.entry(mark).or_default() += 1;
            }
            for heading in repeated {
                *counts.headings.entry(heading).or_default() += 1;
            }
        }
        counts
    }

    fn recurs(&self, line: &EdgeLine) -> bool {
        let counted = most(&self.counted, &line.counted());
        let min_counted = if line.saying.is_number { self.min_counted.min(2) } else { self.min_counted };
        let repeated = line.heading.and_then(|heading| self.headings.get(&heading)).copied().unwrap_or(0);
        self.is_exact(line) || counted >= min_counted || repeated >= MIN_HEADING_PAGES
    }

    /// Whether a line says the same on enough pages.
    fn is_exact(&self, line: &EdgeLine) -> bool {
        let exact = most(&self.exact, &line.exact());
        let is_text = line.saying.letters >= MIN_LETTERS || exact * 2 > self.pages;
        exact >= self.min_pages && is_text
    }
}

/// The most pages that one of these marks is on.
fn most(counts: &HashMap<Mark, usize>, marks: &[Mark]) -> usize {
    marks.iter().filter_map(|mark| counts.get(mark)).max().copied().unwrap_or(0)
}

/// A line near an edge of a page.
struct EdgeLine {
    region: usize,
    item: usize,
    saying: Saying,
    /// The bands that it is in. They begin at different places, so that lines near each other share one.
    bands: [i32; 2],
    /// The index of the heading that it repeats.
    heading: Option<usize>,
    /// It is in an outermost row, and is no title.
    may_count: bool,
    is_top: bool,
    /// It is bold or larger than the usual text.
    is_set_apart: bool,
}

impl EdgeLine {
    fn exact(&self) -> Vec<Mark> {
        self.bands.iter().map(|band| (self.saying.exact, *band)).collect()
    }

    fn counted(&self) -> Vec<Mark> {
        let mut marks = Vec::new();
        if self.may_count {
            for saying in &self.saying.counted {
                marks.extend(self.bands.map(|band| (*saying, band)));
            }
        }
        marks
    }
}

/// The lines near the edges of a page.
fn edge_lines(page: &PageLayout, index: usize, headings: &Headings) -> Vec<EdgeLine> {
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
        let (mut row, mut row_place) = (0, None);
        for (place, region, item, line) in lines.into_iter().take(MAX_LINES) {
            if row_place.is_none_or(|start| place - start > ROW) {
                row += 1;
                row_place = Some(place);
            }
            let text = line.text.as_str();
            if text.chars().count() > MAX_CHARS {
                continue;
            }
            let Some(saying) = Saying::of(text, index) else { continue };
            let is_outer = row <= OUTER_ROWS;
            let band = |shift: f32| 2 * (line.place / BAND + shift).floor() as i32;
            found.push(EdgeLine {
                region,
                item,
                bands: [band(0.0), band(0.5) + 1],
                heading: headings.repeated(&key(text), line.size, index).filter(|_| is_outer),
                may_count: is_outer && (saying.is_number || line.size <= headings.least),
                is_top: line.place < EDGE,
                is_set_apart: line.is_bold || line.size > headings.least,
                saying,
            });
        }
    }
    found
}

/// Whether these are two pages, and not two copies of one: most of their lines differ by their names.
fn is_pair(pages: &[PageLayout], name: fn(&str) -> String) -> bool {
    let [first, second] = pages else { return false };
    let names = |page: &PageLayout| -> HashSet<String> {
        let items = page.regions.iter().flat_map(|region| &region.items);
        let name = |item: &Item| match item {
            Item::Line(line) => Some(name(line.text.as_str())),
            Item::Block(block) => Some(name(block.text.as_str())),
            Item::Table(table) => table.cells().next().map(|cell| name(cell.as_str())),
        };
        items.filter_map(name).filter(|name| !name.is_empty()).collect()
    };
    let (first, second) = (names(first), names(second));
    first.intersection(&second).count() * 2 <= first.len().min(second.len())
}

/// Lines in large letters, which running heads repeat in smaller ones.
struct Headings {
    /// By what each says, without a number before it.
    named: HashMap<String, Heading>,
    /// Letters above this size are larger than the usual text.
    least: f32,
}

struct Heading {
    index: usize,
    /// The largest of the same name.
    size: f32,
    /// The pages that it is on.
    pages: HashSet<usize>,
}

impl Headings {
    fn of(pages: &[PageLayout]) -> Self {
        let mut usual: HashMap<i64, usize> = HashMap::new();
        for item in pages.iter().flat_map(|page| &page.regions).flat_map(|region| &region.items) {
            if let Item::Line(line) = item {
                let chars = line.text.as_str().chars().count();
                *usual.entry((line.size * 2.0).round() as i64).or_default() += chars;
            }
        }
        let usual = usual.into_iter().max_by_key(|(size, chars)| (*chars, -size)).map_or(0, |(size, _)| size);
        let mut headings = Self { named: HashMap::new(), least: LARGE * usual as f32 / 2.0 };
        for (index, page) in pages.iter().enumerate() {
            for region in &page.regions {
                headings.add(&region.items, index);
            }
        }
        headings
    }

    /// Adds the large lines of a region, and those that follow each other as one heading.
    fn add(&mut self, items: &[Item], page: usize) {
        for at in 0..items.len() {
            let mut name = String::new();
            let mut size = 0.0;
            for item in items.iter().skip(at).take(MAX_HEADING_LINES) {
                let Item::Line(line) = item else { break };
                let text = line.text.as_str();
                let is_other = size > 0.0 && (line.size - size).abs() > 0.05 * size;
                if line.size <= self.least || is_other || text.chars().count() > MAX_CHARS {
                    break;
                }
                size = line.size;
                name.push_str(&key(text));
                let title = name.trim_matches('#');
                if title.chars().count() >= MIN_NAME_CHARS {
                    let index = self.named.len();
                    let heading = self.named.entry(title.to_owned()).or_insert_with(|| Heading {
                        index,
                        size,
                        pages: HashSet::new(),
                    });
                    heading.size = heading.size.max(size);
                    heading.pages.insert(page);
                }
            }
        }
    }

    /// The index of the heading of another page that a smaller line repeats, with numbers or without.
    fn repeated(&self, name: &str, size: f32, page: usize) -> Option<usize> {
        // `1. Title`, `Chapter 1. Title`, `2 Chapter 1. Title` and `Title 1`.
        let whole = name.trim_matches('#');
        let longest = whole.split('#').max_by_key(|part| part.len()).unwrap_or(whole);
        let behind_first = whole.split_once('#').map_or(whole, |(_, behind)| behind);
        let found = [whole, behind_first, longest].into_iter().find_map(|title| self.named.get(title))?;
        (found.size > LARGE * size && !found.pages.contains(&page)).then_some(found.index)
    }
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
            let head = (at == 0).then(|| "A Report".to_owned());
            let text = [format!("Text {} of the page", at + 1), "Repeated in the middle".to_owned()];
            assert_eq!(lines, &head.into_iter().chain(text).collect::<Vec<String>>());
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
    fn text_with_numbers_at_the_edges_of_pages_stays() {
        let amounts = ["9928.27", "8341.47", "589.03", "2695.71"];
        let pages = amounts.iter().map(|amount| page(&[("Text", 0.5), (*amount, 0.95)])).collect();
        assert!(left(pages).iter().all(|lines| lines.len() == 2));
        let pages = (0..4).map(|at| {
            let row = format!("Serial number {}", 50 * at);
            page(&[("Text", 0.5), (row.as_str(), 0.95)])
        });
        assert!(left(pages.collect()).iter().all(|lines| lines.len() == 2));
        let pages = ["2 of 3 items", "5 of 8 items"].map(|text| page(&[(text, 0.05), ("Text", 0.5)]));
        let pages = pages.into_iter().chain([page(&[("More", 0.5)])]).collect();
        assert_eq!(left(pages)[..2], [["2 of 3 items", "Text"], ["5 of 8 items", "Text"]]);
    }

    #[test]
    fn large_titles_with_numbers_stay() {
        let pages = (1..=4).map(|number| {
            let title = format!("Exercise {number}");
            let mut page = page(&[(title.as_str(), 0.05), ("Text of the exercise", 0.5)]);
            if let Some(Item::Line(line)) = page.regions[0].items.first_mut() {
                line.size = 20.0;
            }
            page
        });
        assert!(left(pages.collect()).iter().all(|lines| lines.len() == 2));
    }

    #[test]
    fn text_that_begins_with_the_words_of_a_heading_stays() {
        let mut pages = vec![
            page(&[("The Title of a Chapter", 0.3), ("Text of it that is usual", 0.5)]),
            page(&[("The title of a chapter says what is in it", 0.05), ("More of the usual text", 0.5)]),
            page(&[("The title of a chapter is short", 0.05), ("Even more of the text", 0.5)]),
        ];
        if let Some(Item::Line(line)) = pages[0].regions[0].items.first_mut() {
            line.size = 20.0;
        }
        assert!(left(pages).iter().all(|lines| lines.len() == 2));
    }

    #[test]
    fn a_table_of_contents_stays() {
        let mut pages = vec![
            page(&[("1 The Title of a Chapter . . . 2", 0.05), ("2 Another Chapter . . . 3", 0.07)]),
            page(&[("1 The Title of a Chapter", 0.3), ("Text of it that is usual", 0.5)]),
            page(&[("2 Another Chapter", 0.3), ("More of the usual text and much more", 0.5)]),
        ];
        for page in &mut pages[1..] {
            if let Some(Item::Line(line)) = page.regions[0].items.first_mut() {
                line.size = 20.0;
            }
        }
        assert!(left(pages).iter().all(|lines| lines.len() == 2));
    }

    #[test]
    fn the_only_text_of_a_page_stays() {
        let pages = (0..4).map(|_| page(&[("Hello", 0.05)])).collect();
        assert_eq!(left(pages), vec![vec!["Hello".to_owned()]; 4]);
    }

    #[test]
    fn the_number_of_a_single_page_stays() {
        assert_eq!(left(vec![page(&[("Text", 0.5), ("Page 1", 0.95)])]), [["Text", "Page 1"]]);
    }

    #[test]
    fn what_recurs_on_two_different_pages_is_dropped() {
        let pages = vec![
            page(&[("Same", 0.05), ("a", 0.5), ("and b", 0.6)]),
            page(&[("Same", 0.05), ("c", 0.5), ("and d", 0.6)]),
        ];
        assert_eq!(left(pages), [vec!["Same", "a", "and b"], vec!["c", "and d"]]);
    }

    #[test]
    fn rows_that_differ_in_numbers_are_two_pages() {
        let pages = vec![
            page(&[("Account of W. Quandt", 0.05), ("Delivery 1 10.50", 0.5), ("Delivery 2 11.25", 0.6)]),
            page(&[("Account of W. Quandt", 0.05), ("Delivery 8 19.75", 0.5), ("Delivery 9 20.00", 0.6)]),
        ];
        let left = left(pages);
        assert_eq!(left[0].len(), 3);
        assert_eq!(left[1], ["Delivery 8 19.75", "Delivery 9 20.00"]);
    }

    #[test]
    fn heads_stay_where_they_are_read_first() {
        let clients = ["Wilma Quandt", "Wilma Quandt", "Wilma Quandt", "Ole Lund", "Ole Lund", "Ole Lund"];
        let pages = clients.iter().enumerate().map(|(at, client)| {
            let text = format!("Delivery {}", at * at);
            page(&[("Statement of account", 0.04), (*client, 0.07), (text.as_str(), 0.5)])
        });
        let left = left(pages.collect());
        assert_eq!(left[0], ["Statement of account", "Wilma Quandt", "Delivery 0"]);
        assert_eq!(left[1], ["Delivery 1"]);
        assert_eq!(left[3], ["Ole Lund", "Delivery 9"]);
        assert_eq!(left[4], ["Delivery 16"]);
    }

    #[test]
    fn heads_that_begin_on_a_later_page_do_not_stay() {
        let heads = [None, Some("P. Miller"), Some("On Mills"), Some("P. Miller"), Some("On Mills")];
        let heads = heads.into_iter().chain([Some("P. Miller"), Some("On Mills")]);
        let pages = heads.enumerate().map(|(at, head)| {
            let text = format!("Sentence {}", at * at);
            let lines = head.map(|head| (head, 0.05)).into_iter().chain([(text.as_str(), 0.5)]);
            page(&lines.collect::<Vec<_>>())
        });
        assert!(left(pages.collect()).iter().all(|lines| lines.len() == 1));
    }

    #[test]
    fn a_head_that_the_text_says_does_not_stay() {
        let mut pages: Vec<PageLayout> = (0..4)
            .map(|at| {
                let text = format!("Sentence {}", at * at);
                page(&[("Of Mills", 0.05), (text.as_str(), 0.5)])
            })
            .collect();
        pages.push(page(&[("Of Mills", 0.4), ("The end", 0.5)]));
        assert_eq!(left(pages)[0], ["Sentence 0"]);
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
