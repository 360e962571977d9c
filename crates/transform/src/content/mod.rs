//! Main content: the part of a page that a reader would keep.
//!
//! The page is split into text blocks ([`blocks`]). A small learned model gives each block the likelihood
//! that it belongs to the main content ([`model`]). The blocks that maximize the expected F1 of the page are
//! kept, so no threshold is tuned. Blocks at the same place in like records share their likelihood, and are
//! kept if most of them are (`blocks/alike.rs`). Structural rules then repair the selection: the title
//! ([`heading`]), a small main region ([`region`]), elements between two parts of a text, elements that are
//! kept in part, callouts and asides (`blocks/boxes.rs`), the footnotes of kept text ([`notes`]), and the
//! numbers of kept paragraphs (`blocks/labels.rs`). In a crawl or a batch, what recurs on the pages of the
//! site then goes ([`recurring`], [`site_memory`]). Pictures have no text to judge; they stay with the kept
//! text around them (`blocks/pictures.rs`).
//!
//! Tried without gain on unseen sites: a second model that also reads the first model's results around a
//! block, a model that chooses the threshold by page features, and the true type of the page as a feature.
//!
//! Why a model and not only rules: the same cues (link density, position, repetition, names of elements) mean
//! different things on an article, a forum and a shop. A few hundred small trees weigh them better than a
//! hand-written cascade. `training/` of this crate describes the training and its data.

mod blocks;
mod heading;
mod model;
mod notes;
mod recurring;
mod region;
mod site_memory;
mod url_features;
mod vocabulary;

use std::ops::Range;

use url::Url;

pub(crate) use heading::PageNames;
pub use site_memory::SiteMemory;
pub(crate) use site_memory::Visit;

use crate::tree::{Edge, Kind, NodeId, Tree, Walk};
use crate::view::View;
use blocks::{Block, Blocks};

/// The warning of a page with too many blocks.
pub(crate) const CUT: &str = "The page has more blocks of text than can be judged: those after the limit are \
     kept or left out as a whole.";

/// The result of the search for main content.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Narrowed {
    /// The page has main content.
    pub(crate) found: bool,
    /// The end of the page was not judged ([`CUT`]).
    pub(crate) cut: bool,
}

/// Hides everything but the main content of a page, if it has any. `visit` judges the page by earlier pages
/// of its site.
pub(crate) fn narrow(
    tree: &Tree,
    view: &mut View,
    url: &Url,
    names: &PageNames<'_>,
    visit: Option<&mut Visit<'_>>,
) -> Narrowed {
    let blocks = blocks::collect(tree, view, url);
    let mut likelihoods = Vec::with_capacity(blocks.list.len());
    blocks.features(tree.interrupt(), |batch| likelihoods.extend(model::likelihoods(batch)));
    let mut kept = choose_alike(&blocks, &likelihoods);
    region::keep_small(tree, &blocks, &mut kept);
    keep_pairs(&blocks, &mut kept);
    let gaps = blocks.gap_blocks(&likelihoods, &kept);
    for at in gaps {
        if let Some(kept) = kept.get_mut(at) {
            *kept = true;
        }
    }
    blocks.complete_elements(&mut kept);
    blocks.keep_boxes(tree, &mut kept);
    notes::keep(tree, &blocks, &mut kept);
    blocks.keep_labels(tree, &mut kept);
    drop_invisible(&blocks, &mut kept, view);
    let title = keep_title(tree, &blocks, &mut kept, names);
    if title.is_empty() {
        blocks.keep_opening(&mut kept);
    }
    if let Some(visit) = visit {
        recurring::leave_out(tree, &blocks, &likelihoods, &title, &mut kept, visit);
    }
    hide(tree, view, &blocks, &kept);
    Narrowed { found: kept.iter().any(|kept| *kept), cut: blocks.cut }
}

/// Keeps the heading that is the page's title, if anything else is kept, and returns its blocks.
fn keep_title(tree: &Tree, blocks: &Blocks, kept: &mut [bool], names: &PageNames<'_>) -> Range<usize> {
    if !kept.contains(&true) {
        return 0..0;
    }
    let title = heading::of_page(tree, blocks, names);
    for kept in kept.get_mut(title.clone()).into_iter().flatten() {
        *kept = true;
    }
    title
}

/// Keeps a whole label with its values in a definition list if any part of them is kept, except for hidden
/// blocks.
fn keep_pairs(blocks: &Blocks, kept: &mut [bool]) {
    for pair in blocks.definition_pairs() {
        let (Some(list), Some(kept)) = (blocks.list.get(pair.clone()), kept.get_mut(pair)) else { continue };
        if kept.contains(&true) {
            for (block, kept) in list.iter().zip(kept) {
                *kept |= !block.is_beside();
            }
        }
    }
}

/// Drops hidden blocks that no script can show: no reader ever sees them, so they are written for machines.
/// If almost all kept words are in such blocks, the page shows them in some other way, and they stay.
fn drop_invisible(blocks: &Blocks, kept: &mut [bool], view: &mut View) {
    let words = |invisible: bool| -> u64 {
        let found = blocks
            .list
            .iter()
            .zip(kept.iter())
            .filter(|(block, kept)| **kept && block.invisible == invisible);
        found.map(|(block, _)| u64::from(block.words)).sum()
    };
    if words(true) > MAX_INVISIBLE_RATIO * words(false) {
        return;
    }
    for (block, kept) in blocks.list.iter().zip(kept) {
        *kept &= !block.invisible;
    }
    for node in &blocks.invisible {
        view.hidden.insert(*node);
    }
}

/// A page with more than this many kept words in invisible blocks for each visible one shows them.
const MAX_INVISIBLE_RATIO: u64 = 4;

/// Chooses blocks. Those at the same place in like records are mostly chosen together.
fn choose_alike(blocks: &Blocks, likelihoods: &[f32]) -> Vec<bool> {
    let alike = blocks.alike();
    let mut kept = choose(&blocks.list, &alike.pooled(likelihoods));
    alike.complete(&mut kept);
    kept
}

/// Chooses the blocks that maximize the expected F1 of the page: those with at least a threshold of its own.
///
/// The errors of the model on a page are not independent: where it trusts one teaser too much, it trusts all
/// of them. So the expectation is the mean over [`SCENARIOS`].
fn choose(blocks: &[Block], likelihoods: &[f32]) -> Vec<bool> {
    let mut order: Vec<usize> = (0..blocks.len()).collect();
    let of = |at: usize| likelihoods.get(at).copied().unwrap_or(0.0);
    order.sort_by(|a, b| of(*b).total_cmp(&of(*a)));
    let words = |at: usize| blocks.get(at).map_or(0.0, |block| f64::from(block.words));
    let add_expected_words = |sums: &mut [f64; SCENARIOS.len()], at: usize| {
        let likely = f64::from(of(at));
        for (sum, (factor, _)) in sums.iter_mut().zip(SCENARIOS) {
            let odds = factor * likely;
            *sum += words(at) * odds / (odds + 1.0 - likely);
        }
    };
    let mut expected = [0.0_f64; SCENARIOS.len()];
    for at in 0..blocks.len() {
        add_expected_words(&mut expected, at);
    }
    let (mut taken, mut hits) = (0.0_f64, [0.0_f64; SCENARIOS.len()]);
    let (mut best, mut threshold) = (0.0_f64, f32::INFINITY);
    for at in order {
        taken += words(at);
        add_expected_words(&mut hits, at);
        let scores = hits.iter().zip(expected).zip(SCENARIOS).map(|((hits, expected), (_, weight))| {
            if taken + expected > 0.0 { weight * 2.0 * hits / (taken + expected) } else { 0.0 }
        });
        let f1 = scores.sum::<f64>();
        if f1 >= best {
            (best, threshold) = (f1, of(at));
        }
    }
    (0..blocks.len()).map(|at| of(at) >= threshold).collect()
}

/// How sure the model may be on a page, compared with what it says: a factor for the odds of all blocks, and
/// its weight. The odds are spread around three fifths of what the model says by a normal distribution with
/// a deviation of 2 on their logarithm.
const SCENARIOS: [(f64, f64); 5] =
    [(0.0247, 0.0924), (0.1225, 0.2414), (0.6065, 0.3324), (3.004, 0.2414), (14.88, 0.0924)];

/// Something below an element is kept.
const KEPT: u8 = 1;

/// Something below an element is dropped.
const DROPPED: u8 = 2;

/// A picture below an element is kept.
const SHOWS: u8 = 4;

/// An element is a kept picture, with all that is below it.
const PICTURE: u8 = 8;

/// Hides blocks that are not kept, and elements with nothing kept inside.
fn hide(tree: &Tree, view: &mut View, blocks: &Blocks, kept: &[bool]) {
    // For each node, the marks of what is below it.
    let mut below = vec![0_u8; tree.len()];
    let mark_around = |below: &mut [u8], node: NodeId, mark: u8| {
        // If an element has the mark, its ancestors have it already.
        for ancestor in std::iter::once(node).chain(tree.ancestors(node)) {
            match below.get_mut(ancestor.index()) {
                Some(slot) if *slot & mark == 0 => *slot |= mark,
                _ => break,
            }
        }
    };
    let mut first = None;
    let mut last = None;
    for (block, kept) in blocks.list.iter().zip(kept) {
        for node in blocks.nodes_of(block) {
            if *kept {
                first = first.or(Some(*node));
                last = Some(*node);
            } else {
                view.hidden.insert(*node);
            }
            mark_around(&mut below, *node, if *kept { KEPT } else { DROPPED });
        }
    }
    for picture in blocks.pictures(tree, kept) {
        mark_around(&mut below, picture, SHOWS);
        if let Some(slot) = below.get_mut(picture.index()) {
            *slot |= PICTURE;
        }
    }
    for root in view.roots.clone() {
        // Other elements without text (rules, forms) stay between the first and the last kept block.
        let mut inside = false;
        let mut walk = Walk::new(tree, root);
        while let Some(edge) = walk.next() {
            let Edge::Enter(node) = edge else { continue };
            let own = below.get(node.index()).copied().unwrap_or(0);
            if tree.kind(node) == Kind::Text {
                inside |= Some(node) == first;
                if Some(node) == last {
                    inside = false;
                    last = None;
                }
            } else if own & (KEPT | PICTURE) == PICTURE {
                walk.skip_children();
            } else if own & (KEPT | SHOWS) == 0 && (own & DROPPED != 0 || (!inside && tree.is_element(node)))
            {
                view.hidden.insert(node);
                walk.skip_children();
            }
        }
    }
}

/// The input of the training program: the text and the features of each block.
#[doc(hidden)]
pub mod training {
    use std::borrow::Cow;

    use crate::tree::{NodeId, ParseOptions, Tag, parse, prepare};
    use crate::unseen::hide_in_lines;
    use crate::view::View;

    /// The text and features of each block of a page.
    #[must_use]
    pub fn blocks(html: &str, url: &url::Url) -> Vec<(String, Vec<f32>)> {
        let text = prepare(Cow::Borrowed(html));
        let tree = parse(&text, ParseOptions::default());
        let root = tree.find(Tag::Body).or_else(|| tree.find(Tag::Frameset)).unwrap_or(NodeId::DOCUMENT);
        let mut view = View { roots: vec![root], ..View::whole(&tree) };
        hide_in_lines(&tree, &text, &mut view);
        let blocks = super::blocks::collect(&tree, &view, url);
        let mut features: Vec<Vec<f32>> = Vec::with_capacity(blocks.list.len());
        blocks.features(tree.interrupt(), |batch| features.extend(batch.iter().map(|row| row.to_vec())));
        let text = |block: &super::Block| {
            blocks.nodes_of(block).iter().map(|node| tree.text(*node)).collect::<Vec<_>>().join("")
        };
        blocks.list.iter().map(text).zip(features).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tree::{ParseOptions, parse};

    #[test]
    fn doubtful_blocks_are_chosen_only_without_certain_ones() {
        let url = Url::parse("https://example.org/").unwrap();
        let html = "<p>one two three four five six seven eight nine ten".repeat(20);
        let tree = parse(&html, ParseOptions::default());
        let blocks = blocks::collect(&tree, &View::whole(&tree), &url).list;
        assert_eq!(blocks.len(), 20);
        let chosen = |likelihoods: [f32; 2]| {
            let likelihoods = likelihoods.map(|likely| [likely; 10]).concat();
            choose(&blocks, &likelihoods).iter().filter(|kept| **kept).count()
        };
        assert_eq!(chosen([0.97, 0.45]), 10);
        assert_eq!(chosen([0.45, 0.45]), 20);
        assert_eq!(chosen([0.97, 0.6]), 20);
        assert_eq!(chosen([0.2, 0.01]), 10);
    }

    #[test]
    fn blocks_at_the_same_place_in_like_records_are_chosen_together() {
        const RECORDS: usize = 20;
        let url = Url::parse("https://example.org/").unwrap();
        let text = "one two three four five six seven eight nine ten";
        let record =
            format!("<div class=item><h3>title of it</h3><p>{text}</p><div class=tools>buy it</div></div>");
        let tree = parse(&record.repeat(RECORDS), ParseOptions::default());
        let blocks = blocks::collect(&tree, &View::whole(&tree), &url);
        let mut likelihoods = [0.8_f32, 0.9, 0.1].repeat(RECORDS);
        // The model rates the button of the first record too high, and the last record too low.
        likelihoods[2] = 0.7;
        likelihoods[3 * RECORDS - 3..].copy_from_slice(&[0.15, 0.15, 0.1]);
        assert_eq!(blocks.list.len(), likelihoods.len());
        let marks =
            |kept: &[bool]| -> String { kept.iter().map(|kept| if *kept { '+' } else { '-' }).collect() };
        let alone = choose(&blocks.list, &likelihoods);
        assert_eq!(marks(&alone), format!("+++{}---", "++-".repeat(RECORDS - 2)));
        assert_eq!(marks(&choose_alike(&blocks, &likelihoods)), "++-".repeat(RECORDS));
    }
}
