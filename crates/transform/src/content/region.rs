//! Keeps a small main region whole.
//!
//! The model was trained on pages with much boilerplate around their text. It is unreliable if the main
//! content is short or is a list of links. So a region with few words, as the page itself marks it (`main` or
//! `article`), is kept whole, except for navigation, advertisements and the like.

use super::blocks::{Block, Blocks};
use crate::ad_block;
use crate::tree::Tree;

/// Upper bound on the words of a small region.
const MAX_SMALL_WORDS: u32 = 150;

/// Keeps all of a small region except navigation, advertisements and cookie dialogs.
pub(super) fn keep_small(tree: &Tree, blocks: &Blocks, kept: &mut [bool]) {
    let region = blocks.region();
    let (Some(list), Some(kept)) = (blocks.list.get(region.clone()), kept.get_mut(region)) else { return };
    let words = |list: &mut dyn Iterator<Item = &Block>| -> u32 {
        list.map(|block| block.words).fold(0, u32::saturating_add)
    };
    // Most pages are not small: this check comes first because it is cheap.
    if words(&mut list.iter().filter(|block| is_text(block))) > MAX_SMALL_WORDS {
        return;
    }
    let mut ancestors = ad_block::AncestorCache::new(tree);
    let mut is_ad =
        |block: &Block| blocks.nodes_of(block).first().is_some_and(|node| ancestors.is_within_ad(*node));
    let ads: Vec<bool> = list.iter().map(&mut is_ad).collect();
    let is_content = |(block, ad): (&Block, &bool)| is_text(block) && !ad;
    // In a region of nothing but navigation the model's choice stays.
    if !list.iter().zip(&ads).any(is_content) {
        return;
    }
    for ((block, ad), kept) in list.iter().zip(&ads).zip(kept) {
        *kept = is_content((block, ad)) || (*kept && !block.is_navigation_or_footer() && !ad);
    }
}

/// True if a block is part of the text, judged by its ancestors and their names.
fn is_text(block: &Block) -> bool {
    !block.is_beside() && !block.is_named_boilerplate()
}
