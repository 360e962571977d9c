//! Keeps elements between two kept parts of a text that are not text themselves: code, images, tables, lists.
//!
//! The model rates blocks by their words, and a line of code, a caption or two short cells have few. If the
//! text before and after such an element is kept, and all are close together in one container, the element is
//! kept too, unless its likelihood is very low. This is a rule and not a part of the model, because the
//! training data say little about it: their ground truth leaves most captions out.

use std::ops::Range;

use super::{Block, Blocks, MAX_DISTANCE};
use crate::tree::Tag;

/// Upper bound on the distance of a kept block to the container that it shares with the next one, in
/// elements.
const MAX_DEPTH: usize = 1;

/// The same bound for figures, which stand in elements of their own.
const MAX_FIGURE_DEPTH: usize = 3;

/// Upper bound on the distance of two kept blocks, in blocks.
const MAX_GAP_BLOCKS: usize = 60;

/// Upper bound on the words of a short page. The model was trained on pages with much boilerplate, and on
/// short pages it is sure only of paragraphs.
const MAX_SHORT_PAGE_WORDS: u32 = 150;

/// On a short page, a listed element is kept from this likelihood on.
const MIN_LIKELIHOOD_ON_SHORT: f32 = 0.05;

/// On a short page, a single block outside such elements is kept from this likelihood on.
const MIN_LIKELIHOOD_OF_BLOCK: f32 = 0.3;

/// A kind of element that is kept between parts of a text.
#[derive(Debug, Clone, Copy)]
struct GapKind {
    tag: Tag,
    /// Lower bound on its likelihood.
    min_likelihood: f32,
    /// Upper bound on its words.
    max_words: u32,
}

const GAP_KINDS: [GapKind; 6] = [
    GapKind { tag: Tag::Pre, min_likelihood: 0.3, max_words: 100 },
    GapKind { tag: Tag::Dl, min_likelihood: 0.3, max_words: 100 },
    // A caption of more than a few lines is a text of its own.
    GapKind { tag: Tag::Figure, min_likelihood: 0.05, max_words: 40 },
    GapKind { tag: Tag::Table, min_likelihood: 0.3, max_words: 100 },
    GapKind { tag: Tag::Ul, min_likelihood: 0.3, max_words: 100 },
    GapKind { tag: Tag::Ol, min_likelihood: 0.3, max_words: 100 },
];

/// Groups of the vocabulary that name boilerplate: navigation, footers, sidebars, breadcrumbs, cookies,
/// sharing, related pages, advertisements, newsletters, dialogs, pagination, tags, tools, search, accounts,
/// carts, and tables of contents.
const BOILERPLATE_GROUPS: [usize; 17] = [0, 1, 3, 4, 5, 6, 7, 9, 10, 11, 12, 13, 18, 19, 20, 21, 29];

/// Upper bound on the distance of an ancestor with such a name.
const MAX_NAME_DISTANCE: u8 = 4;

/// The position of a block below a container.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Below {
    /// The container's child that contains it; the container itself for its own text.
    child: u32,
    /// The tag of the outermost element of a [`GapKind`] that contains it.
    kind: Option<Tag>,
}

impl Blocks {
    /// Finds the blocks to keep between kept blocks.
    pub(crate) fn gap_blocks(&self, likelihoods: &[f32], kept: &[bool]) -> Vec<usize> {
        let words = self.list.iter().map(|block| block.words).fold(0, u32::saturating_add);
        let short = words <= MAX_SHORT_PAGE_WORDS;
        let mut found = Vec::new();
        let mut before: Option<(usize, &Block)> = None;
        for ((at, block), kept) in self.list.iter().enumerate().zip(kept) {
            if !kept {
                continue;
            }
            if let Some((from, first)) = before.replace((at, block))
                && (2..=MAX_GAP_BLOCKS).contains(&(at - from))
            {
                let gap = from + 1..at;
                if let Some(container) = self.container(first, block, MAX_DEPTH) {
                    self.read_gap(container, gap, likelihoods, short, &mut found);
                } else if let Some(container) = self.container(first, block, MAX_FIGURE_DEPTH) {
                    let mut figures = Vec::new();
                    self.read_gap(container, gap, likelihoods, false, &mut figures);
                    let is_in_figure = |at: &usize| {
                        self.below(*at, container).is_some_and(|below| below.kind == Some(Tag::Figure))
                    };
                    found.extend(figures.into_iter().filter(is_in_figure));
                }
            }
        }
        found
    }

    /// The innermost element that contains two blocks, if both are near it.
    fn container(&self, first: &Block, second: &Block, max_depth: usize) -> Option<u32> {
        let near = |block: &Block| {
            let parent = |number: &u32| self.elements.get(*number as usize).map(|element| element.parent);
            std::iter::successors(Some(block.element), parent).take(max_depth + 1)
        };
        near(first).find(|number| near(second).any(|other| other == *number))
    }

    /// Decides on the blocks of a gap, one child of the container after the other.
    fn read_gap(
        &self,
        container: u32,
        gap: Range<usize>,
        likelihoods: &[f32],
        short: bool,
        found: &mut Vec<usize>,
    ) {
        let mut at = gap.start;
        let positions: Vec<Option<Below>> = gap.map(|at| self.below(at, container)).collect();
        for child in positions.chunk_by(|a, b| a.map(|below| below.child) == b.map(|below| below.child)) {
            let next = at + child.len();
            let blocks = self.list.get(at..next).unwrap_or_default();
            let likelihoods = likelihoods.get(at..next).unwrap_or_default();
            let is_text = child.iter().all(Option::is_some)
                && !blocks.iter().any(|block| block.is_beside() || block.is_named_boilerplate());
            let tag = child.first().copied().flatten().and_then(|below| below.kind);
            let tag = tag.filter(|tag| child.iter().flatten().all(|below| below.kind == Some(*tag)));
            let kind = GAP_KINDS.iter().find(|kind| Some(kind.tag) == tag);
            if is_text && is_kept(blocks, likelihoods, kind, short) {
                found.extend(at..next);
            }
            at = next;
        }
    }

    /// The position of a block below a container; `None` if it is too deep.
    fn below(&self, at: usize, container: u32) -> Option<Below> {
        let mut number = self.list.get(at)?.element;
        let mut below = Below { child: number, kind: None };
        for _ in 0..MAX_DISTANCE {
            if number == container {
                return Some(below);
            }
            let element = self.elements.get(number as usize)?;
            let kind = GAP_KINDS.iter().find(|kind| kind.tag as u8 == element.tag);
            below = Below { child: number, kind: kind.map(|kind| kind.tag).or(below.kind) };
            number = element.parent;
        }
        None
    }
}

/// True if blocks between two kept ones are likely enough and short enough to be kept.
fn is_kept(blocks: &[Block], likelihoods: &[f32], kind: Option<&GapKind>, short: bool) -> bool {
    let words: u32 = blocks.iter().map(|block| block.words).sum();
    let weighted = blocks.iter().zip(likelihoods).map(|(block, likelihood)| block.words as f32 * likelihood);
    let mean = weighted.sum::<f32>() / words.max(1) as f32;
    match kind {
        Some(_) if short => mean >= MIN_LIKELIHOOD_ON_SHORT,
        Some(kind) => mean >= kind.min_likelihood && words <= kind.max_words,
        None => short && blocks.len() == 1 && mean >= MIN_LIKELIHOOD_OF_BLOCK,
    }
}

impl Block {
    /// True if the name of a near ancestor marks the block as boilerplate.
    pub(crate) fn is_named_boilerplate(&self) -> bool {
        BOILERPLATE_GROUPS
            .iter()
            .any(|group| self.groups.0.get(*group).is_some_and(|distance| *distance <= MAX_NAME_DISTANCE))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::content::blocks::collect;
    use crate::content::vocabulary::groups;
    use crate::tree::{ParseOptions, parse};
    use crate::view::View;

    /// The blocks kept in the gaps of a page. Blocks that begin with a capital are kept before, and all have
    /// the same likelihood.
    fn gaps(html: &str, likelihood: f32) -> Vec<usize> {
        let tree = parse(html, ParseOptions::default());
        let url = "https://example.org/".parse().unwrap();
        let blocks = collect(&tree, &View::whole(&tree), &url);
        let kept: Vec<bool> = blocks.list.iter().map(|block| block.starts_capital).collect();
        blocks.gap_blocks(&vec![likelihood; kept.len()], &kept)
    }

    /// Name, likelihood of all blocks, page, further blocks kept.
    type Row = (&'static str, f32, &'static str, &'static [usize]);

    #[test]
    fn elements_between_two_parts_of_a_text_are_kept() {
        let long = "Word word. ".repeat(100);
        let rows: &[Row] = &[
            ("code", 0.4, "<p>A<pre>code</pre><p>B", &[1]),
            ("code in a box", 0.4, "<p>A<div><div><pre>code</pre></div></div><p>B", &[1]),
            ("two elements", 0.4, "<p>A<pre>code</pre><ul><li>x<li>y</ul><p>B", &[1, 2, 3]),
            ("unlikely code", 0.2, "<p>A<pre>code</pre><p>B", &[]),
            ("a caption", 0.1, "<p>A<figure><img><figcaption>a b</figcaption></figure><p>B", &[1]),
            ("an unlikely caption", 0.01, "<p>A<figure><img><figcaption>a</figure><p>B", &[]),
            (
                "a caption between two sections",
                0.1,
                "<section><div><p>A</div><figure><img><figcaption>a b</figure></section><section><div><p>B</div></section>",
                &[1],
            ),
            (
                "code between two sections",
                0.4,
                "<section><div><p>A</div><pre>x</pre></section><section><div><p>B</div></section>",
                &[],
            ),
            ("no text after it", 0.4, "<p>A<pre>code</pre>", &[]),
            ("between two containers", 0.4, "<div><div><p>A</div></div><pre>x</pre><div><div><p>B", &[]),
            ("navigation", 0.4, "<p>A<nav><ul><li>x</ul></nav><p>B", &[]),
            ("named as boilerplate", 0.4, "<p>A<div class=related-posts><ul><li>x</ul></div><p>B", &[]),
            ("text", 0.4, "<p>A<p>b<p>C", &[]),
            ("code and text in one child", 0.4, "<p>A<div><pre>x</pre><p>b</div><p>C", &[]),
        ];
        for (name, likelihood, html, kept) in rows {
            let found = gaps(&format!("<main>{html}</main><div>{long}</div>"), *likelihood);
            assert_eq!(found, *kept, "{name}");
        }
    }

    #[test]
    fn the_thresholds_of_a_short_page_are_lower() {
        let rows: &[(&str, f32, &str, &[usize])] = &[
            ("code", 0.1, "<p>A<pre>code</pre><p>B", &[1]),
            ("a block", 0.35, "<p>A<p>b<p>C", &[1]),
            ("an unlikely block", 0.2, "<p>A<p>b<p>C", &[]),
        ];
        for (name, likelihood, html, kept) in rows {
            assert_eq!(gaps(&format!("<main>{html}"), *likelihood), *kept, "{name}");
        }
    }

    #[test]
    fn boilerplate_groups_match_the_vocabulary() {
        let of = |names: &[&str]| names.iter().fold(0, |all, name| all | groups(name));
        let framing = BOILERPLATE_GROUPS.iter().fold(0_u64, |all, group| all | 1 << group);
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
