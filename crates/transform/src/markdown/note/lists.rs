//! Lists of notes.

use std::collections::{HashMap, HashSet};

use crate::tree::{Attr, NodeId, Tag, Tree};
use crate::view::View;

/// Lists with at least one note. Either all items of a list are notes or none: notes and list items are
/// numbered separately, so a list with both would have two series of numbers.
pub(super) struct NoteLists {
    /// The non-empty items of each list.
    items: HashMap<NodeId, Vec<NodeId>>,
}

impl NoteLists {
    pub(super) fn of(tree: &Tree, view: &View, notes: &HashSet<NodeId>) -> Self {
        let mut items = HashMap::new();
        for list in notes.iter().filter_map(|note| list_of(tree, *note)) {
            items.entry(list).or_insert_with(|| {
                let written = |item: &NodeId| {
                    tree.tag(*item) == Tag::Li
                        && !view.skips(tree, *item)
                        && !tree.folded_text(*item, 1).is_empty()
                };
                tree.child_elements(list).filter(written).collect()
            });
        }
        Self { items }
    }

    /// Is a block an item of one of the lists?
    pub(super) fn contains_item(&self, tree: &Tree, block: NodeId) -> bool {
        list_of(tree, block).is_some_and(|list| self.items.contains_key(&list))
    }

    /// Makes all items of a list notes if at least half are referenced, and none otherwise. Returns the notes
    /// without a reference, each with its number in its list.
    pub(super) fn apply_majority(&self, tree: &Tree, referenced: &mut HashSet<NodeId>) -> Vec<(NodeId, u64)> {
        let mut unreferenced = Vec::new();
        for (list, items) in &self.items {
            let notes = items.iter().filter(|item| referenced.contains(item)).count();
            if notes * 2 < items.len() {
                for item in items {
                    referenced.remove(item);
                }
                continue;
            }
            let first = tree.attribute(*list, Attr::Start).and_then(|start| start.trim().parse().ok());
            for (item, number) in items.iter().zip(first.unwrap_or(1_u64)..) {
                if !referenced.contains(item) {
                    unreferenced.push((*item, number));
                }
            }
        }
        unreferenced.sort_unstable();
        unreferenced
    }
}

/// The list of a block that is a list item.
pub(super) fn list_of(tree: &Tree, block: NodeId) -> Option<NodeId> {
    let parent = tree.parent(block).filter(|_| tree.tag(block) == Tag::Li)?;
    matches!(tree.tag(parent), Tag::Ol | Tag::Ul).then_some(parent)
}
