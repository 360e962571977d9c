//! What stands between two parts of a text and is not text itself: code, pictures, tables, lists.
//!
//! The model judges blocks by their words, and a line of code, a caption or two short cells hold few. Where the parts of
//! one element before and behind such a thing are kept, the thing is a part of what is told there, unless the model is
//! nearly sure that it is not. Made no part of the model, because pages in its training data tell little of it: their
//! truth leaves most captions out.

use super::{Block, Blocks, FAR};
use crate::tree::Tag;

/// A kept block is this many elements below what it and the next one stand in, at most.
const DEPTH: usize = 1;

/// More blocks between two that are kept are no one thing.
const MOST_BLOCKS: usize = 60;

/// A page with no more words is short: there the model, which was taught on pages with much around their text, is unsure
/// of all but its paragraphs.
const SHORT_PAGE_WORDS: u32 = 150;

/// Of a short page, what is at least this likely is kept.
const LEAST_ON_SHORT: f32 = 0.05;

/// Of a short page, what is no code, picture, table or list, but a single block.
const LEAST_OF_BLOCK: f32 = 0.3;

/// A kind of thing that stands between parts of a text.
#[derive(Debug, Clone, Copy)]
struct Thing {
    tag: Tag,
    /// It is kept if it is at least this likely,
    likely: f32,
    /// and has no more words than this.
    words: u32,
}

const THINGS: [Thing; 6] = [
    Thing { tag: Tag::Pre, likely: 0.3, words: 100 },
    Thing { tag: Tag::Dl, likely: 0.3, words: 100 },
    // More than a line or two under a picture is a text of its own.
    Thing { tag: Tag::Figure, likely: 0.05, words: 20 },
    Thing { tag: Tag::Table, likely: 0.3, words: 100 },
    Thing { tag: Tag::Ul, likely: 0.3, words: 100 },
    Thing { tag: Tag::Ol, likely: 0.3, words: 100 },
];

/// Words of elements around what is no part of a text, by the numbers of their groups in the vocabulary: navigation,
/// footers, sidebars, breadcrumbs, cookies, sharing, related pages, advertisements, newsletters, dialogs, pages and tags
/// to go to, tools, search, accounts, carts, and tables of contents.
const FRAMING: [usize; 17] = [0, 1, 3, 4, 5, 6, 7, 9, 10, 11, 12, 13, 18, 19, 20, 21, 29];

/// An element with such a name counts this near.
const NEAR: u8 = 4;

/// What is kept beside what the model keeps.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Between {
    /// Blocks that are kept.
    pub(crate) kept: Vec<usize>,
    /// Blocks that are not, but the pictures that they stand under are.
    pub(crate) captions: Vec<usize>,
}

/// Where a block stands below an element.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Below {
    /// The element's child that it is in; the element itself for its own text.
    child: u32,
    /// The outermost thing that it is in.
    thing: Option<Tag>,
}

impl Blocks {
    /// What is to be kept between the blocks that are.
    pub(crate) fn between(&self, likely: &[f32], kept: &[bool]) -> Between {
        let words = self.list.iter().map(|block| block.words).fold(0, u32::saturating_add);
        let short = words <= SHORT_PAGE_WORDS;
        let mut found = Between::default();
        let mut before: Option<(usize, &Block)> = None;
        for ((at, block), kept) in self.list.iter().enumerate().zip(kept) {
            if !kept {
                continue;
            }
            if let Some((from, first)) = before.replace((at, block))
                && (2..=MOST_BLOCKS).contains(&(at - from))
                && let Some(container) = self.container(first, block)
            {
                self.gap(container, from + 1, at, likely, short, &mut found);
            }
        }
        found
    }

    /// The innermost element around two blocks, where both are near it.
    fn container(&self, first: &Block, second: &Block) -> Option<u32> {
        let near = |block: &Block| {
            let parent = |number: &u32| self.elements.get(*number as usize).map(|element| element.parent);
            std::iter::successors(Some(block.element), parent).take(DEPTH + 1)
        };
        near(first).find(|number| near(second).any(|other| other == *number))
    }

    /// Looks at the blocks from `start` to `end`, thing by thing.
    fn gap(
        &self,
        container: u32,
        start: usize,
        end: usize,
        likely: &[f32],
        short: bool,
        found: &mut Between,
    ) {
        let places: Vec<Option<Below>> = (start..end).map(|at| self.below(at, container)).collect();
        let mut at = start;
        for alike in places.chunk_by(|a, b| a.map(|below| below.child) == b.map(|below| below.child)) {
            let next = at + alike.len();
            let blocks = self.list.get(at..next).unwrap_or_default();
            let likely = likely.get(at..next).unwrap_or_default();
            let of_text = alike.iter().all(Option::is_some)
                && !blocks.iter().any(|block| block.is_beside() || block.is_framed());
            let one = alike.first().copied().flatten().and_then(|below| below.thing);
            let one = one.filter(|tag| alike.iter().flatten().all(|below| below.thing == Some(*tag)));
            let thing = THINGS.iter().find(|thing| Some(thing.tag) == one);
            if of_text && is_kept(blocks, likely, thing, short) {
                found.kept.extend(at..next);
            } else if of_text && one == Some(Tag::Figure) {
                found.captions.extend(at..next);
            }
            at = next;
        }
    }

    /// Where a block stands below an element around it.
    fn below(&self, at: usize, container: u32) -> Option<Below> {
        let mut number = self.list.get(at)?.element;
        let mut below = Below { child: number, thing: None };
        for _ in 0..FAR {
            if number == container {
                return Some(below);
            }
            let element = self.elements.get(number as usize)?;
            let thing = THINGS.iter().find(|thing| thing.tag as u8 == element.tag);
            below = Below { child: number, thing: thing.map(|thing| thing.tag).or(below.thing) };
            number = element.parent;
        }
        None
    }
}

/// Are blocks that stand between two kept ones as likely, and as short, as they must be?
fn is_kept(blocks: &[Block], likely: &[f32], thing: Option<&Thing>, short: bool) -> bool {
    let words: u32 = blocks.iter().map(|block| block.words).sum();
    let sum: f32 = blocks.iter().zip(likely).map(|(block, likely)| block.words as f32 * likely).sum();
    let mean = sum / words.max(1) as f32;
    match thing {
        Some(_) if short => mean >= LEAST_ON_SHORT,
        Some(thing) => mean >= thing.likely && words <= thing.words,
        None => short && blocks.len() == 1 && mean >= LEAST_OF_BLOCK,
    }
}

impl Block {
    /// Do the names of the elements around it say that it is no part of a text?
    pub(crate) fn is_framed(&self) -> bool {
        FRAMING.iter().any(|group| self.groups.0.get(*group).is_some_and(|distance| *distance <= NEAR))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::content::blocks::collect;
    use crate::content::vocabulary::groups;
    use crate::tree::{ParseOptions, parse};
    use crate::view::View;

    /// What comes of a page of which the blocks that begin with a capital are kept, and all others are as likely as said.
    fn between(html: &str, likely: f32) -> (Vec<usize>, Vec<usize>) {
        let tree = parse(html, ParseOptions::default());
        let url = "https://example.org/".parse().unwrap();
        let blocks = collect(&tree, &View::whole(&tree), &url);
        let kept: Vec<bool> = blocks.list.iter().map(|block| block.starts_capital).collect();
        let found = blocks.between(&vec![likely; kept.len()], &kept);
        (found.kept, found.captions)
    }

    /// Name, how likely all blocks are, the page, what is kept besides, and what is a caption.
    type Row = (&'static str, f32, &'static str, &'static [usize], &'static [usize]);

    #[test]
    fn what_stands_between_two_parts_of_a_text_is_kept() {
        let long = "Word word. ".repeat(100);
        let rows: &[Row] = &[
            ("code", 0.4, "<p>A<pre>code</pre><p>B", &[1], &[]),
            ("code in a box", 0.4, "<p>A<div><div><pre>code</pre></div></div><p>B", &[1], &[]),
            ("two things", 0.4, "<p>A<pre>code</pre><ul><li>x<li>y</ul><p>B", &[1, 2, 3], &[]),
            ("surely none", 0.2, "<p>A<pre>code</pre><p>B", &[], &[]),
            ("a caption", 0.1, "<p>A<figure><img><figcaption>a b</figcaption></figure><p>B", &[1], &[]),
            ("a caption, surely none", 0.01, "<p>A<figure><img><figcaption>a</figure><p>B", &[], &[1]),
            ("nothing behind", 0.4, "<p>A<pre>code</pre>", &[], &[]),
            ("of two texts", 0.4, "<div><div><p>A</div></div><pre>x</pre><div><div><p>B", &[], &[]),
            ("navigation", 0.4, "<p>A<nav><ul><li>x</ul></nav><p>B", &[], &[]),
            ("by name", 0.4, "<p>A<div class=related-posts><ul><li>x</ul></div><p>B", &[], &[]),
            ("text", 0.4, "<p>A<p>b<p>C", &[], &[]),
            ("a thing and text", 0.4, "<p>A<div><pre>x</pre><p>b</div><p>C", &[], &[]),
        ];
        for (name, likely, html, kept, captions) in rows {
            let found = between(&format!("<main>{html}</main><div>{long}</div>"), *likely);
            assert_eq!(found, (kept.to_vec(), captions.to_vec()), "{name}");
        }
    }

    #[test]
    fn on_a_short_page_less_is_asked() {
        let rows: &[(&str, f32, &str, &[usize])] = &[
            ("a thing", 0.1, "<p>A<pre>code</pre><p>B", &[1]),
            ("a block", 0.35, "<p>A<p>b<p>C", &[1]),
            ("an unlikely block", 0.2, "<p>A<p>b<p>C", &[]),
        ];
        for (name, likely, html, kept) in rows {
            assert_eq!(between(&format!("<main>{html}"), *likely).0, *kept, "{name}");
        }
    }

    #[test]
    fn the_numbers_of_groups_are_those_of_the_vocabulary() {
        let of = |names: &[&str]| names.iter().fold(0, |all, name| all | groups(name));
        let framing = FRAMING.iter().fold(0_u64, |all, group| all | 1 << group);
        let names = [
            "nav",
            "footer",
            "sidebar",
            "breadcrumb",
            "cookie",
            "share",
            "related",
            "ads",
            "newsletter",
            "popup",
            "pagination",
            "tags",
            "toolbar",
            "search",
            "login",
            "cart",
            "toc",
        ];
        assert_eq!(of(&names), framing);
        assert_eq!(of(&["article", "body", "caption", "code", "figure", "list"]) & framing, 0);
    }
}
