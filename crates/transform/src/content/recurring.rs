//! Leaves out what recurs on the pages of a site, with the memory of a crawl or a batch.

use std::ops::Range;

use super::blocks::{Block, Blocks};
use super::site_memory::{Evidence, Visit};
use crate::markdown::is_callout;
use crate::tree::Tree;

/// Blocks from this likelihood on are learned even if the page does not keep them: other pages may.
const MIN_LIKELIHOOD: f32 = 0.05;

/// Upper bound on the blocks of a page that are judged and learned. Later ones stay.
const MAX_JUDGED: usize = 500;

/// Upper bound on the distance from a text node to its callout, in elements.
const MAX_CALLOUT_ANCESTORS: usize = 6;

/// Drops kept blocks that are furniture of the site; never the title, and no callout between two texts of the
/// page: the pages of a manual have the same warnings.
///
/// A page whose other text was on earlier pages for more than half is nearly the same as one of them, and is
/// not learned: the variants of a product must not turn its description into furniture.
pub(super) fn leave_out(
    tree: &Tree,
    blocks: &Blocks,
    likelihoods: &[f32],
    title: &Range<usize>,
    kept: &mut [bool],
    visit: &mut Visit<'_>,
) {
    let mut judged: Vec<(usize, &Block)> = Vec::new();
    for (((at, block), likelihood), kept) in blocks.list.iter().enumerate().zip(likelihoods).zip(&*kept) {
        if !block.invisible && (*kept || *likelihood >= MIN_LIKELIHOOD) {
            judged.push((at, block));
        }
        if judged.len() >= MAX_JUDGED {
            break;
        }
    }
    let some: Vec<&Block> = judged.iter().map(|(_, block)| *block).collect();
    let evidence = visit.judge(tree, blocks, &some);
    let mut of_kept: Vec<(usize, Evidence)> = judged
        .iter()
        .zip(evidence)
        .filter(|((at, _), _)| kept.get(*at) == Some(&true))
        .map(|((at, _), evidence)| (*at, if title.contains(at) { Evidence::default() } else { evidence }))
        .collect();
    let callouts = callouts_between_texts(tree, blocks, title, &of_kept);
    for (_, evidence) in of_kept.iter_mut().filter(|(at, _)| callouts.contains(at)) {
        *evidence = Evidence::default();
    }
    for at in blocks.furniture(&of_kept) {
        if let Some(kept) = kept.get_mut(at) {
            *kept = false;
        }
    }
    let words = |only_seen: bool| {
        let left =
            of_kept.iter().filter(|(at, own)| kept.get(*at) == Some(&true) && (own.seen || !only_seen));
        left.filter_map(|(at, _)| blocks.list.get(*at)).map(|block| block.words).fold(0, u32::saturating_add)
    };
    if words(true) > words(false) / 2 {
        visit.skip();
    }
}

/// The kept blocks in callouts that have texts of the page before and after them.
fn callouts_between_texts(
    tree: &Tree,
    blocks: &Blocks,
    title: &Range<usize>,
    kept: &[(usize, Evidence)],
) -> Vec<usize> {
    let mut callouts = Vec::new();
    let mut texts: Option<(usize, usize)> = None;
    for (at, evidence) in kept {
        let is_heading = blocks.list.get(*at).is_some_and(|block| block.heading() > 0);
        if is_in_callout(tree, blocks, *at) {
            callouts.push(*at);
        } else if !evidence.common && !is_heading && !title.contains(at) {
            texts = Some((texts.map_or(*at, |(first, _)| first), *at));
        }
    }
    let (first, last) = texts.unwrap_or_default();
    callouts.retain(|at| (first..last).contains(at));
    callouts
}

/// True if a block is in a callout.
fn is_in_callout(tree: &Tree, blocks: &Blocks, at: usize) -> bool {
    let text = blocks.list.get(at).and_then(|block| blocks.nodes_of(block).first());
    text.is_some_and(|text| {
        tree.ancestors(*text).take(MAX_CALLOUT_ANCESTORS).any(|node| is_callout(tree, node))
    })
}
