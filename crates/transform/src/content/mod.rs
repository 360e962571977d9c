//! Main content: what a person would keep of a page.
//!
//! The page is cut into text blocks ([`blocks`]); a small learned model gives each the likelihood that it belongs to
//! the main content ([`model`]). The blocks kept are those that make the expected F1 of the page largest, so no
//! threshold is tuned. Structural rules then repair the selection: the title ([`heading`]), a main region that is small
//! ([`region`]), things that stand between parts of a text or are kept in part, and the notes that a text refers to. Tried, and no better on sites that it had not seen: a second model that also knew what the first
//! thought of a block's surroundings, a judge that chose the bound by the looks of the page, and the true kind of the
//! page as one more number.
//!
//! Why a model and not rules alone: the same cues (link density, position, repetition, what authors call their
//! elements) mean different things on an article, a forum and a shop, and a few hundred small trees weigh them better
//! than a cascade by hand. How it was trained, and from what, is in `training/` of this crate.

mod address;
mod blocks;
mod heading;
mod model;
mod notes;
mod region;
mod vocabulary;

use url::Url;

pub(crate) use heading::Named;

use crate::tree::{Edge, Kind, Tree, Walk};
use crate::view::View;
use blocks::{Block, Blocks};

/// The warning of a page with too many blocks.
pub(crate) const CUT: &str =
    "The page has more blocks of text than are judged: what comes after them is kept or left out as a whole.";

/// What came of the search for main content.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Narrowed {
    /// There is some.
    pub(crate) found: bool,
    /// The end of the page was not judged ([`CUT`]).
    pub(crate) cut: bool,
}

/// Hides what surrounds the main content of a page, if there is any that is likely to be it.
pub(crate) fn narrow(tree: &Tree, view: &mut View, url: &Url, named: &Named<'_>) -> Narrowed {
    let blocks = blocks::collect(tree, view, url);
    let mut likely = Vec::with_capacity(blocks.list.len());
    blocks.features(tree.interrupt(), |piece| likely.extend(model::likelihoods(piece)));
    let mut kept = choose(&blocks.list, &likely);
    region::keep_small(tree, &blocks, &mut kept);
    keep_pairs(&blocks, &mut kept);
    let between = blocks.between(&likely, &kept);
    for at in between.kept {
        if let Some(kept) = kept.get_mut(at) {
            *kept = true;
        }
    }
    blocks.keep_wholes(&mut kept);
    notes::keep(tree, &blocks, &mut kept);
    drop_unseen(&blocks, &mut kept, view);
    keep_title(tree, &blocks, &mut kept, named);
    hide(tree, view, &blocks, &kept, &between.captions);
    Narrowed { found: kept.iter().any(|kept| *kept), cut: blocks.cut }
}

/// Keeps the heading that is the page's title, if anything else is kept.
fn keep_title(tree: &Tree, blocks: &Blocks, kept: &mut [bool], named: &Named<'_>) {
    if !kept.contains(&true) {
        return;
    }
    for kept in kept.get_mut(heading::of_page(tree, blocks, named)).into_iter().flatten() {
        *kept = true;
    }
}

/// Keeps all of a label and its values in a definition list where any of it is kept, but for what is not shown.
fn keep_pairs(blocks: &Blocks, kept: &mut [bool]) {
    for pair in blocks.pairs() {
        let (Some(list), Some(kept)) = (blocks.list.get(pair.clone()), kept.get_mut(pair)) else { continue };
        if kept.contains(&true) {
            for (block, kept) in list.iter().zip(kept) {
                *kept |= !block.is_beside();
            }
        }
    }
}

/// Drops what is hidden with nothing that could show it: no reader of the page ever sees it, so it is written for machines.
/// Not where most of what is kept is so: then it is shown in some other way.
fn drop_unseen(blocks: &Blocks, kept: &mut [bool], view: &mut View) {
    let words = |unseen: bool| -> u64 {
        let found =
            blocks.list.iter().zip(kept.iter()).filter(|(block, kept)| **kept && block.unseen == unseen);
        found.map(|(block, _)| u64::from(block.words)).sum()
    };
    if words(true) > words(false) {
        return;
    }
    for (block, kept) in blocks.list.iter().zip(kept) {
        *kept &= !block.unseen;
    }
    for node in &blocks.unseen {
        view.hidden.insert(*node);
    }
}

/// Which blocks make the expected F1 largest: those above a bound, and the bound is the page's own.
fn choose(blocks: &[Block], likely: &[f32]) -> Vec<bool> {
    let mut order: Vec<usize> = (0..blocks.len()).collect();
    let of = |at: usize| likely.get(at).copied().unwrap_or(0.0);
    order.sort_by(|a, b| of(*b).total_cmp(&of(*a)));
    let words = |at: usize| blocks.get(at).map_or(0.0, |block| f64::from(block.words));
    let expected: f64 = (0..blocks.len()).map(|at| words(at) * f64::from(of(at))).sum();
    let (mut taken, mut hits) = (0.0_f64, 0.0_f64);
    let (mut best, mut bound) = (0.0_f64, f32::INFINITY);
    for at in order {
        taken += words(at);
        hits += words(at) * f64::from(of(at));
        let f1 = if taken + expected > 0.0 { 2.0 * hits / (taken + expected) } else { 0.0 };
        if f1 >= best {
            (best, bound) = (f1, of(at));
        }
    }
    let bound = bound.min(MOST_DEMANDED);
    (0..blocks.len()).map(|at| of(at) >= bound).collect()
}

/// A block this likely is always kept.
const MOST_DEMANDED: f32 = 0.5;

/// Hides blocks that are not kept, and elements with nothing kept inside. Of captions only the text is hidden.
fn hide(tree: &Tree, view: &mut View, blocks: &Blocks, kept: &[bool], captions: &[usize]) {
    // What is kept or dropped below each node: bit 0 kept, bit 1 dropped.
    let mut below = vec![0_u8; tree.len()];
    let mut first = None;
    let mut last = None;
    let mut captions = captions.iter().copied().peekable();
    for ((at, block), kept) in blocks.list.iter().enumerate().zip(kept) {
        let is_caption = captions.next_if_eq(&at).is_some();
        for node in blocks.nodes_of(block) {
            if *kept {
                first = first.or(Some(*node));
                last = Some(*node);
            } else {
                view.hidden.insert(*node);
                if is_caption {
                    continue;
                }
            }
            let mark = if *kept { 1 } else { 2 };
            // What is around an element that has the mark already has it too.
            for around in std::iter::once(*node).chain(tree.ancestors(*node)) {
                match below.get_mut(around.index()) {
                    Some(slot) if *slot & mark == 0 => *slot |= mark,
                    _ => break,
                }
            }
        }
    }
    for root in view.roots.clone() {
        // Elements without text (pictures, rules, frames) stay between the first and the last block that is kept.
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
            } else if own == 2 || (own == 0 && !inside && tree.is_element(node)) {
                view.hidden.insert(node);
                walk.skip_children();
            }
        }
    }
}

/// What the training program reads: the text and the numbers of each block.
#[doc(hidden)]
pub mod training {
    use std::borrow::Cow;

    use crate::tree::{NodeId, ParseOptions, Tag, parse, prepare};
    use crate::view::View;

    /// Text and numbers of each block of a page.
    #[must_use]
    pub fn blocks(html: &str, url: &url::Url) -> Vec<(String, Vec<f32>)> {
        let text = prepare(Cow::Borrowed(html));
        let tree = parse(&text, ParseOptions::default());
        let root = tree.find(Tag::Body).or_else(|| tree.find(Tag::Frameset)).unwrap_or(NodeId::DOCUMENT);
        let view = View { roots: vec![root], ..View::whole(&tree) };
        let blocks = super::blocks::collect(&tree, &view, url);
        let mut features: Vec<Vec<f32>> = Vec::with_capacity(blocks.list.len());
        blocks.features(tree.interrupt(), |piece| features.extend(piece.iter().map(|row| row.to_vec())));
        let text = |block: &super::Block| {
            blocks.nodes_of(block).iter().map(|node| tree.text(*node)).collect::<Vec<_>>().join("")
        };
        blocks.list.iter().map(text).zip(features).collect()
    }
}
