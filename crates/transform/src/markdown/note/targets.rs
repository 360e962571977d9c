//! The blocks that links lead to, and what tells that such a block is a note.

use std::collections::{HashMap, HashSet};

use super::lists::list_of;
use super::may_be_note;
use super::scan::{self, Candidate, Evidence};
use crate::footnote::{MAX_FRAGMENT_BYTES, fragment, started_block};
use crate::tree::{Attr, Edge, NodeId, Tag, Tree, Walk};
use crate::view::View;

/// Maximum number of tree edges in which the link of a note back to the text is searched.
const MAX_NOTE_EDGES: usize = 400;

/// Maximum number of tree edges before the number of a note.
const MAX_NUMBER_EDGES: usize = 16;

/// How far from a reference the name may be that its note links back to, in elements.
pub(super) const MAX_NAME_DISTANCE: usize = 3;

/// Blocks that links may lead to.
pub(super) struct Targets<'t> {
    tree: &'t Tree,
    /// Blocks outside tables by their names; `None` for a name that occurs twice.
    blocks: HashMap<&'t str, Option<NodeId>>,
    /// The fragments of the links in a block.
    backlinks: HashMap<NodeId, HashSet<&'t str>>,
    /// The numbers of the items of a list.
    items: HashMap<NodeId, HashMap<NodeId, u32>>,
}

impl<'t> Targets<'t> {
    pub(super) fn of_view(tree: &'t Tree, view: &View) -> Self {
        let mut blocks = HashMap::new();
        let mut cells = 0_usize;
        for root in &view.roots {
            let mut walk = Walk::new(tree, *root);
            while let Some(edge) = walk.next() {
                match edge {
                    Edge::Enter(node) => {
                        let tag = tree.tag(node);
                        cells += usize::from(matches!(tag, Tag::Td | Tag::Th));
                        if tree.is_element(node) && view.skips(tree, node) {
                            walk.skip_children();
                        } else if cells == 0 && tree.is_element(node) {
                            for (name, block) in named_block(tree, node) {
                                let same = |found: &mut Option<NodeId>| {
                                    if *found != Some(block) {
                                        *found = None;
                                    }
                                };
                                blocks.entry(name).and_modify(same).or_insert(Some(block));
                            }
                        }
                    }
                    Edge::Leave(node) => cells -= usize::from(matches!(tree.tag(node), Tag::Td | Tag::Th)),
                }
            }
        }
        Self { tree, blocks, backlinks: HashMap::new(), items: HashMap::new() }
    }

    /// The block that a link leads to, unless the link is inside that block.
    pub(super) fn block(&self, candidate: &Candidate<'_>) -> Option<NodeId> {
        let tree = self.tree;
        let block = self.blocks.get(candidate.fragment).copied().flatten()?;
        let inside = tree.ancestors(candidate.link).any(|around| around == block);
        (tree.first_child(block).is_some() && !inside).then_some(block)
    }

    /// Is a link by itself a reference to a block?
    pub(super) fn is_reference(&mut self, candidate: &Candidate<'_>, block: NodeId) -> bool {
        match candidate.evidence {
            Evidence::Marked if candidate.within_page => true,
            Evidence::Marked | Evidence::Bracketed => {
                self.has_number(candidate, block) || self.leads_back(candidate, block)
            }
            Evidence::Number => !self.has_heading(block) && self.leads_back(candidate, block),
        }
    }

    /// Has a block a link to a reference or to an element around it?
    fn leads_back(&mut self, candidate: &Candidate<'_>, block: NodeId) -> bool {
        let tree = self.tree;
        let fragments = self.backlinks.entry(block).or_insert_with(|| {
            let links = Walk::new(tree, block).take(MAX_NOTE_EDGES).filter_map(|edge| match edge {
                Edge::Enter(node) if tree.tag(node) == Tag::A => fragment(tree, node),
                _ => None,
            });
            links.map(|(_, fragment)| fragment).collect()
        });
        let around =
            std::iter::once(candidate.link).chain(tree.ancestors(candidate.link).take(MAX_NAME_DISTANCE));
        around.flat_map(|node| names(tree, node)).any(|name| fragments.contains(name))
    }

    /// Has a block the number of its reference: at its start, or as an item of a numbered list?
    fn has_number(&mut self, candidate: &Candidate<'_>, block: NodeId) -> bool {
        let tree = self.tree;
        let Some(number) = scan::number(&candidate.text) else { return false };
        let mut texts = Walk::new(tree, block).take(MAX_NUMBER_EDGES).filter_map(|edge| match edge {
            Edge::Enter(node) => Some(tree.text(node).trim_start()).filter(|text| !text.is_empty()),
            Edge::Leave(_) => None,
        });
        let start = texts.next().unwrap_or_default().trim_start_matches(['[', '(']);
        let digits = start.split(|c: char| !c.is_ascii_digit()).next().unwrap_or_default();
        if scan::number(digits) == Some(number) {
            return true;
        }
        let Some(list) = list_of(tree, block).filter(|list| tree.tag(*list) == Tag::Ol) else {
            return false;
        };
        let items = self.items.entry(list).or_insert_with(|| {
            let items = tree.child_elements(list).filter(|item| tree.tag(*item) == Tag::Li);
            items.zip(scan::first_number(tree, list)..).collect()
        });
        items.get(&block) == Some(&number)
    }

    /// Is there a heading at the start of a block? Parts of a text are numbered too.
    fn has_heading(&self, block: NodeId) -> bool {
        Walk::new(self.tree, block).take(MAX_NOTE_EDGES).any(|edge| match edge {
            Edge::Enter(node) => self.tree.tag(node).heading_level().is_some(),
            Edge::Leave(_) => false,
        })
    }
}

/// The names of an element that may be a note or begin one, and the note.
fn named_block(tree: &Tree, node: NodeId) -> impl Iterator<Item = (&str, NodeId)> {
    let tag = tree.tag(node);
    let block = if may_be_note(tag) || matches!(tag, Tag::Section | Tag::Footer) {
        tree.has(node, Attr::Id).then_some(node)
    } else if matches!(tag, Tag::A | Tag::Span | Tag::Sup) && names(tree, node).next().is_some() {
        started_block(tree, node).filter(|block| may_be_note(tree.tag(*block)))
    } else {
        None
    };
    block.into_iter().flat_map(move |block| names(tree, node).map(move |name| (name, block)))
}

/// The names of an element that a link may lead to.
pub(super) fn names(tree: &Tree, node: NodeId) -> impl Iterator<Item = &str> {
    let names = [Attr::Id, Attr::Name].into_iter().filter_map(move |name| tree.attribute(node, name));
    names.filter(|name| name.len() <= MAX_FRAGMENT_BYTES)
}
