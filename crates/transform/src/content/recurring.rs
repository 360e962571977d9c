//! Leaves out what recurs on the pages of a site, with the memory of a crawl or a batch.

use std::ops::Range;

use super::blocks::{Block, Blocks};
use super::site_memory::{Evidence, Visit};
use crate::tree::Tree;

/// Blocks from this likelihood on are learned even if the page does not keep them: other pages may.
const MIN_LIKELIHOOD: f32 = 0.05;

/// Upper bound on the blocks of a page that are judged and learned. Later ones stay.
const MAX_JUDGED: usize = 500;

/// Drops kept blocks that are furniture of the site; never the title.
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
    let of_kept: Vec<(usize, Evidence)> = judged
        .iter()
        .zip(evidence)
        .filter(|((at, _), _)| kept.get(*at) == Some(&true))
        .map(|((at, _), evidence)| (*at, if title.contains(at) { Evidence::default() } else { evidence }))
        .collect();
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
