//! Decides which kept blocks are furniture of the site, by what its earlier pages say about each.
//!
//! Text that recurs is not furniture by itself: headings, labels and the cells of a table are the same on
//! every page about a like thing, and a list page shows the titles that other pages show as teasers. So
//! headings go only with the whole of their section, lists only as a whole, tables of values never, and short
//! texts only beside longer ones. The items of a list page are protected by their number, and by what they
//! leave: most of a page never goes, and new items of the list do not count as what is left.

use std::ops::Range;

use super::super::site_memory::Evidence;
use super::{Block, Blocks};
use crate::tree::Tag;

/// Lower bound on the words of furniture. Shorter texts that recur are labels, such as the names of values.
const MIN_WORDS: u32 = 6;

/// Upper bound on the words of a paragraph that may head the next one: in bold, or with a colon at its end.
const MAX_LABEL_WORDS: u32 = 8;

/// Upper bound on the blocks of text that belong to a teaser after its link.
const MAX_TEASER_TEXTS: usize = 3;

/// Upper bound on the words of a table cell. A table with a longer block or with a heading is a layout table.
const MAX_CELL_WORDS: u32 = 40;

/// Upper bound on the distance of a heading to an element that contains it and its section.
const MAX_HEADING_DEPTH: usize = 3;

/// Teasers may take more than half of a page only if at least this many words of prose are left.
const MIN_PROSE_LEFT: u32 = 100;

/// A kept block of the page.
#[derive(Debug, Clone, Copy)]
struct Item<'b> {
    /// Its index in [`Blocks::list`].
    at: usize,
    block: &'b Block,
    evidence: Evidence,
}

impl Block {
    /// True if at least half of its words are links to other pages. A heading that links to itself is none.
    pub(crate) const fn is_link(&self) -> bool {
        self.fragment_links * 2 < self.links && self.link_words * 2 >= self.words
    }

    /// True if it is little more than links to other pages.
    pub(crate) const fn is_link_alone(&self) -> bool {
        self.is_link() && self.link_words * 5 >= self.words * 4
    }

    /// True for a paragraph that heads the next one.
    const fn is_label(&self) -> bool {
        self.words <= MAX_LABEL_WORDS && (self.emphasis_words >= self.words || self.has_colon_end)
    }
}

impl Item<'_> {
    fn is_text(&self) -> bool {
        !self.block.is_link() && self.block.heading == 0
    }

    fn is_short(&self) -> bool {
        self.block.words < MIN_WORDS
    }
}

impl Blocks {
    /// The indices of the kept blocks that are furniture. `kept` has the kept blocks in order.
    pub(crate) fn furniture(&self, kept: &[(usize, Evidence)]) -> Vec<usize> {
        let item = |(at, evidence): &(usize, Evidence)| {
            Some(Item { at: *at, block: self.list.get(*at)?, evidence: *evidence })
        };
        let items: Vec<Item<'_>> = kept.iter().filter_map(item).collect();
        let indices = |marks: &[bool]| -> Vec<usize> {
            let marked = items.iter().zip(marks).filter(|(_, mark)| **mark);
            marked.map(|(item, _)| item.at).collect()
        };
        let none = vec![false; items.len()];
        for (teasers, new_items) in [(teasers(&items), new_items(&items)), (none.clone(), none)] {
            let marks = self.marks(&items, &teasers);
            if leaves_enough(&items, &marks, &teasers, &new_items) {
                return indices(&marks);
            }
        }
        Vec::new()
    }

    /// Marks furniture: what is common, and teasers.
    fn marks(&self, items: &[Item<'_>], teasers: &[bool]) -> Vec<bool> {
        let is_furniture = |(item, is_teaser): (&Item<'_>, &bool)| {
            (item.evidence.common || *is_teaser) && !item.block.is_in(&[Tag::Pre])
        };
        let mut marks: Vec<bool> = items.iter().zip(teasers).map(is_furniture).collect();
        if !marks.contains(&true) {
            return marks;
        }
        keep_texts_of_links(items, &mut marks);
        self.keep_tables(items, &mut marks);
        self.keep_lists(items, teasers, &mut marks);
        self.mark_headings(items, &mut marks);
        keep_short(items, &mut marks);
        marks
    }

    /// Unmarks tables and definition lists that are not marked as a whole, or have values: many things of a
    /// site have the same.
    fn keep_tables(&self, items: &[Item<'_>], marks: &mut [bool]) {
        for tag in [Tag::Table, Tag::Dl] {
            for Range { start, end } in self.item_runs(items, tag) {
                let (Some(items), Some(marks)) = (items.get(start..end), marks.get_mut(start..end)) else {
                    continue;
                };
                let is_layout = |item: &Item<'_>| item.block.heading > 0 || item.block.words > MAX_CELL_WORDS;
                if tag == Tag::Table && items.iter().any(is_layout) {
                    continue;
                }
                let links = words(items.iter().filter(|item| item.block.is_link()));
                if marks.contains(&false) || links * 2 < words(items.iter()) {
                    marks.fill(false);
                }
            }
        }
    }

    /// Marks lists of which at least half is teasers as a whole, and unmarks other lists that are not marked
    /// as a whole.
    fn keep_lists(&self, items: &[Item<'_>], teasers: &[bool], marks: &mut [bool]) {
        for tag in [Tag::Ul, Tag::Ol] {
            for run in self.item_runs(items, tag) {
                let of = |flags: &[bool]| {
                    let flagged = items.iter().zip(flags).skip(run.start).take(run.len());
                    words(flagged.filter(|(_, flag)| **flag).map(|(item, _)| item))
                };
                let (all, teasers) = (words(items.iter().skip(run.start).take(run.len())), of(teasers));
                let Some(marks) = marks.get_mut(run) else { continue };
                if teasers > 0 && teasers * 2 >= all {
                    marks.fill(true);
                } else if marks.contains(&false) {
                    marks.fill(false);
                }
            }
        }
    }

    /// The runs of items whose innermost ancestor with a tag is the same.
    fn item_runs(&self, items: &[Item<'_>], tag: Tag) -> Vec<Range<usize>> {
        let mut runs: Vec<Range<usize>> = Vec::new();
        let mut last = None;
        for (at, item) in items.iter().enumerate() {
            let element = if item.block.is_in(&[tag]) { self.innermost(item.block, tag) } else { None };
            match runs.last_mut() {
                Some(run) if element.is_some() && element == last => run.end = at + 1,
                _ => runs.extend(element.map(|_| at..at + 1)),
            }
            last = element;
        }
        runs
    }

    /// Marks the headings of sections that are marked as a whole, and unmarks all others. Links are items and
    /// not headings.
    fn mark_headings(&self, items: &[Item<'_>], marks: &mut [bool]) {
        for (at, item) in items.iter().enumerate().rev() {
            let is_heading = item.block.heading > 0 || item.block.is_label();
            if !is_heading || item.block.is_link() {
                continue;
            }
            let section = marks.get(self.section(items, at)).unwrap_or_default();
            let goes = (item.evidence.common || item.evidence.repeated)
                && !section.is_empty()
                && !section.contains(&false);
            if let Some(mark) = marks.get_mut(at) {
                *mark = goes;
            }
        }
    }

    /// The items of the section that an item heads.
    fn section(&self, items: &[Item<'_>], at: usize) -> Range<usize> {
        let start = at + 1;
        let (Some(heading), Some(next)) = (items.get(at), items.get(start)) else { return start..start };
        let level = heading.block.heading;
        if level == 0 {
            return start..start + 1;
        }
        let parent = |number: &u32| self.elements.get(*number as usize).map(|element| element.parent);
        let around = std::iter::successors(Some(heading.block.element), parent).skip(1);
        let holds = |number: u32, block: &Block| {
            let end = self.elements.get(number as usize).map_or(0, |element| element.end);
            (number..end).contains(&block.element)
        };
        let Some(container) = around.take(MAX_HEADING_DEPTH).find(|number| holds(*number, next.block)) else {
            return start..start;
        };
        let is_inside = |item: &&Item<'_>| {
            let other = item.block.heading;
            holds(container, item.block) && (other == 0 || other > level)
        };
        let length = items.iter().skip(start).take_while(is_inside).count();
        start..start + length
    }
}

/// Teasers: links in places that rotate, and the texts after them that were on earlier pages.
fn teasers(items: &[Item<'_>]) -> Vec<bool> {
    let mut texts_left = 0;
    let is_teaser = |item: &Item<'_>| {
        if !item.is_text() {
            let is_link = item.evidence.rotating && item.evidence.seen;
            texts_left = if is_link { MAX_TEASER_TEXTS } else { 0 };
            return is_link;
        }
        // A date between the link and its text may be new.
        let belongs = texts_left > 0 && (item.evidence.seen || item.is_short());
        texts_left = if belongs { texts_left - 1 } else { 0 };
        belongs && item.evidence.seen
    };
    items.iter().map(is_teaser).collect()
}

/// New links in places that rotate, and the texts that may belong to them. On a list page they are items like
/// those that earlier pages show as teasers. A longer text is that of an article after its teaser.
fn new_items(items: &[Item<'_>]) -> Vec<bool> {
    let mut marks = vec![false; items.len()];
    let is_new = |item: &Item<'_>| !item.is_text() && item.evidence.rotating && !item.evidence.seen;
    for (at, _) in items.iter().enumerate().filter(|(_, item)| is_new(item)) {
        let texts = || items.iter().skip(at + 1).take_while(|item| item.is_text());
        let belong = texts().filter(|item| !item.is_short()).count() <= MAX_TEASER_TEXTS;
        let length = if belong { texts().count() } else { 0 };
        marks.get_mut(at..=at + length).unwrap_or_default().fill(true);
    }
    marks
}

/// Unmarks the text after a link that is not marked: it belongs to the link.
fn keep_texts_of_links(items: &[Item<'_>], marks: &mut [bool]) {
    let mut follows_link = false;
    for (item, mark) in items.iter().zip(marks) {
        if item.is_text() {
            *mark &= !follows_link;
            follows_link &= item.is_short();
        } else {
            follows_link = item.block.is_link() && !*mark;
        }
    }
}

/// Unmarks runs with too few words to be furniture.
fn keep_short(items: &[Item<'_>], marks: &mut [bool]) {
    let mut rest = items;
    for run in marks.chunk_by_mut(|one, next| one == next) {
        let (own, after) = rest.split_at_checked(run.len()).unwrap_or((rest, &[]));
        rest = after;
        if words(own.iter()) < MIN_WORDS {
            run.fill(false);
        }
    }
}

/// True if a page without its marked items is still the page: at least half of its words are not common, and
/// at least half are left. With teasers, a quarter is enough if it has enough prose. New items of a list do
/// not count as left.
fn leaves_enough(items: &[Item<'_>], marks: &[bool], teasers: &[bool], new_items: &[bool]) -> bool {
    let (mut all, mut left, mut prose, mut common) = (0_u32, 0_u32, 0_u32, 0_u32);
    for (((item, mark), is_teaser), is_new) in items.iter().zip(marks).zip(teasers).zip(new_items) {
        let words = item.block.words;
        all += words;
        if *mark {
            common += if *is_teaser { 0 } else { words };
        } else if !is_new {
            left += words;
            prose += if item.block.is_prose() { words } else { 0 };
        }
    }
    common * 2 <= all && (left * 2 >= all || (left * 4 >= all && prose >= MIN_PROSE_LEFT))
}

fn words<'i, 'b: 'i>(items: impl Iterator<Item = &'i Item<'b>>) -> u32 {
    items.map(|item| item.block.words).fold(0, u32::saturating_add)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::content::blocks::collect;
    use crate::tree::{ParseOptions, parse};
    use crate::view::View;

    /// The marks of a page whose blocks are all kept: `-` for furniture. The first letter of a block stands
    /// for what is known about it: C for common, R for a rotating link, N for a new one in such a place, S
    /// for seen, H for a repeated heading.
    fn marks(html: &str) -> String {
        let tree = parse(html, ParseOptions::default());
        let url = "https://example.org/".parse().unwrap();
        let blocks = collect(&tree, &View::whole(&tree), &url);
        let evidence = |block: &Block| {
            let text = tree.text(blocks.nodes_of(block)[0]).trim_start();
            let [common, known, new, seen, heading] =
                ['C', 'R', 'N', 'S', 'H'].map(|letter| text.starts_with(letter));
            let (seen, repeated) = (common || known || seen, common || heading);
            Evidence { seen, repeated, common, rotating: known || new }
        };
        let kept: Vec<(usize, Evidence)> = blocks.list.iter().map(evidence).enumerate().collect();
        let dropped = blocks.furniture(&kept);
        kept.iter().map(|(at, _)| if dropped.contains(at) { '-' } else { '+' }).collect()
    }

    fn prose(words: usize) -> String {
        format!("<p>own {}", "word ".repeat(words - 1))
    }

    #[test]
    fn furniture_goes_with_what_belongs_to_it() {
        let box_text = "<p>C words of a box that recurs";
        let teaser = "<div><h4><a href=/a>R words of a teaser in a place</a></h4>";
        let rows: &[(&str, String, &str)] = &[
            ("a paragraph", format!("{box_text}<p>own"), "-+"),
            ("a label", "<p>C one two<p>own".into(), "++"),
            ("labels in a row", "<p>C one two<p>C three four five<p>own".into(), "--+"),
            ("code", "<pre>C words of code that recurs here</pre>".into(), "+"),
            ("a heading of its own text", "<h2>C heading of more than six words</h2><p>own".into(), "++"),
            ("a heading with its section", format!("<h2>H</h2>{box_text}<h2>own</h2><p>own"), "--++"),
            ("a heading of a longer section", format!("<h2>H</h2>{box_text}<p>own"), "+-+"),
            ("a new heading", format!("<h2>own</h2>{box_text}"), "+-"),
            ("a heading in a box", format!("<div><h3>H</h3>{box_text}</div><p>own"), "--+"),
            (
                "a heading in a box of its own",
                format!("<div><div><h3>H</h3></div>{box_text}</div>own"),
                "--+",
            ),
            ("inner headings", format!("<h2>H</h2><h3>H</h3>{box_text}<h3>H</h3>{box_text}"), "-----"),
            ("a bold label", format!("<p><b>C one</b>{box_text}<p><b>C two</b><p>own"), "--++"),
            (
                "a table",
                "<table><tr><td>C one two three<td>C four<tr><td>own<td>C five</table>".into(),
                "++++",
            ),
            ("a table of equal values", "<table><tr><td>C one two three<td>C four five</table>".into(), "++"),
            (
                "a table of links",
                "<table><tr><td><a href=/a>C one two three</a><td><a href=/b>C four five</a></table>".into(),
                "--",
            ),
            ("a layout table", format!("<table><tr><td>{box_text}<td><h2>own</h2></table>"), "-+"),
            ("definitions", "<dl><dt>C one two three four five six<dd>own</dl>".into(), "++"),
            ("equal definitions", "<dl><dt>C one two three<dd>C four five six</dl>".into(), "++"),
            ("items of a list", "<ul><li>C one two three four five six<li>own</ul>".into(), "++"),
            ("a whole list", "<ul><li>C one two three<li>C four five six</ul>".into(), "--"),
            (
                "a list of teasers",
                "<ul><li><a href=/a>R one two three four</a><li>own date</ul>".into(),
                "--",
            ),
            ("a teaser", format!("{teaser}<p>S text of it</div><p>own"), "--+"),
            (
                "a teaser with a date",
                format!("{teaser}<p>today<p>S text of it that is long</div>own"),
                "-+-+",
            ),
            ("a teaser with a new text", format!("{teaser}<p>own text of at least six words</div>"), "-+"),
            ("a short link", "<p><a href=/user>R Name</a><p>own".into(), "++"),
            ("the text of a link", format!("<p><a href=/a>own link</a>{box_text}{box_text}"), "++-"),
        ];
        for (name, html, expected) in rows {
            assert_eq!(marks(&format!("{}{html}", prose(120))), format!("+{expected}"), "{name}");
        }
    }

    #[test]
    fn most_of_a_page_stays() {
        let common = |words: usize| prose(words).replace("own", "C");
        let teaser = |words: usize| format!("<p><a href=/a>R {}</a>", "word ".repeat(words - 1));
        let rows = [
            ("half", prose(50) + &common(50), "+-"),
            ("more than half", prose(50) + &common(51), "++"),
            ("more than half with teasers", prose(100) + &teaser(200), "+-"),
            ("more than three quarters with teasers", prose(100) + &teaser(301), "++"),
            ("with little prose", prose(99) + &teaser(200), "++"),
            ("too many teasers, and a box", prose(50) + &common(40) + &teaser(200), "+-+"),
            ("nothing but furniture", common(60) + &teaser(50), "++"),
            ("an empty page", String::new(), ""),
        ];
        for (name, html, expected) in rows {
            assert_eq!(marks(&html), expected, "{name}");
        }
    }

    #[test]
    fn a_list_page_keeps_the_items_that_other_pages_show_as_teasers() {
        let item = |letter: char, text: &str| {
            format!("<div><h4><a href=/a>{letter} title of an item in a place</a></h4>{text}</div>")
        };
        let known = item('R', &prose(40).replace("own", "S"));
        let new = item('N', &format!("<p>own date{}", prose(40)));
        for (known_items, new_items) in [(5, 5), (6, 4)] {
            let html = format!("<h1>own</h1>{}{}", known.repeat(known_items), new.repeat(new_items));
            assert_eq!(marks(&html), "+".repeat(1 + 2 * known_items + 3 * new_items), "{known_items} known");
        }
        // An article with a new teaser in it.
        let html = format!("{}{}{}{known}", prose(60), item('N', ""), prose(60).repeat(4));
        assert_eq!(marks(&html), "++++++--");
    }
}
