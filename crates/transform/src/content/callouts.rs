//! Keeps the callouts of a text: notes, tips and warnings in boxes between its parts.
//!
//! The model drops some of them, because alerts and boxes beside a text have similar names. A callout between
//! two kept parts of the same container belongs to the text.

use super::blocks::Blocks;
use crate::markdown::is_callout;
use crate::tree::{NodeId, Tree};

/// Upper bound on the distance from a text node to its callout, in elements.
const MAX_CALLOUT_ANCESTORS: usize = 6;

/// Upper bound on the distance from a text node beside a callout to their container, in elements.
const MAX_CONTAINER_ANCESTORS: usize = 4;

/// The callout that a block is in.
pub(super) fn callout_of(tree: &Tree, blocks: &Blocks, at: usize) -> Option<NodeId> {
    let text = *blocks.nodes_of(blocks.list.get(at)?).first()?;
    tree.ancestors(text).take(MAX_CALLOUT_ANCESTORS).find(|node| is_callout(tree, *node))
}

/// Keeps callouts within `main` or `article` that have kept text after them, and kept text or a heading
/// before them.
pub(super) fn keep(tree: &Tree, blocks: &Blocks, kept: &mut [bool]) {
    let text_at = |at: usize| blocks.list.get(at).and_then(|block| blocks.nodes_of(block).first().copied());
    let callout_at = |at: usize| callout_of(tree, blocks, at);
    let is_in = |at: usize, container: NodeId| {
        text_at(at).is_some_and(|text| {
            tree.ancestors(text).take(MAX_CONTAINER_ANCESTORS).any(|node| node == container)
        })
    };
    let mut start = 0;
    while start < blocks.list.len() {
        let Some(callout) = callout_at(start) else {
            start += 1;
            continue;
        };
        let mut end = start + 1;
        while callout_at(end) == Some(callout) {
            end += 1;
        }
        let is_kept = |at: usize| kept.get(at) == Some(&true);
        let is_heading = |at: usize| blocks.list.get(at).is_some_and(|block| block.heading() > 0);
        let is_between = tree.parent(callout).is_some_and(|container| {
            let before = start.checked_sub(1).filter(|at| is_kept(*at) || is_heading(*at));
            is_kept(end) && is_in(end, container) && before.is_some_and(|at| is_in(at, container))
        });
        let list = blocks.list.get(start..end).unwrap_or_default();
        let is_text = list.iter().all(|block| {
            block.is_in_text()
                && !block.is_hidden()
                && !block.is_navigation_or_footer()
                && !block.is_named_boilerplate()
        });
        if is_between && is_text {
            kept.get_mut(start..end).unwrap_or_default().fill(true);
        }
        start = end;
    }
}
