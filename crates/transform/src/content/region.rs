//! The floor under the model: what a page itself calls its main content.
//!
//! The model was trained on pages with much around their text. Where the main content is short, or is a list of links,
//! it knows little. So a region of few words is kept whole, but for its furniture.

use super::blocks::{Block, Blocks};
use crate::furniture;
use crate::tree::Tree;

/// A region with no more words is small.
const SMALL_WORDS: u32 = 150;

/// Keeps all of a small region but its furniture, its advertisements and its cookie dialogs.
pub(super) fn keep_small(tree: &Tree, blocks: &Blocks, kept: &mut [bool]) {
    let region = blocks.region();
    let (Some(list), Some(kept)) = (blocks.list.get(region.clone()), kept.get_mut(region)) else { return };
    let words = |list: &mut dyn Iterator<Item = &Block>| -> u32 {
        list.map(|block| block.words).fold(0, u32::saturating_add)
    };
    // Most pages are no small ones: that is seen before anything else is looked at.
    if words(&mut list.iter().filter(|block| is_text(block))) > SMALL_WORDS {
        return;
    }
    let mut around = furniture::Around::new(tree);
    let mut is_advert =
        |block: &Block| blocks.nodes_of(block).first().is_some_and(|node| around.surrounds(*node));
    let adverts: Vec<bool> = list.iter().map(&mut is_advert).collect();
    let of_text = |(block, advert): (&Block, &bool)| is_text(block) && !advert;
    // A region of nothing but navigation keeps what the model keeps.
    if !list.iter().zip(&adverts).any(of_text) {
        return;
    }
    for ((block, advert), kept) in list.iter().zip(&adverts).zip(kept) {
        *kept = of_text((block, advert)) || (*kept && !block.is_framing() && !advert);
    }
}

/// Is a block part of the text, by the elements around it and their names?
fn is_text(block: &Block) -> bool {
    !block.is_beside() && !block.is_framed()
}
