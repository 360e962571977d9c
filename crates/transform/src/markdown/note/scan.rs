//! What may be references and notes: links, superscript numbers and numbers at the start of a block.

use super::{MAX_LABEL_BYTES, MAX_REFERENCES, without_brackets};
use crate::footnote::{fragment, is_notes, is_reference, started_block};
use crate::tree::{Attr, Edge, NodeId, Tag, Tree, Walk};
use crate::view::View;

/// Maximum number of digits of a number.
const MAX_DIGITS: usize = 3;

/// Maximum number of tree edges in a number.
const MAX_NUMBER_EDGES: usize = 16;

/// Maximum distance of a list of notes to the element whose name says what it is.
const MAX_NAME_DISTANCE: usize = 3;

/// What a page has of references and notes, in document order.
#[derive(Debug, Default)]
pub(super) struct Scan<'t> {
    pub(super) candidates: Vec<Candidate<'t>>,
    pub(super) numbers: Vec<Number>,
}

/// A link that may be a reference.
#[derive(Debug)]
pub(super) struct Candidate<'t> {
    pub(super) link: NodeId,
    pub(super) fragment: &'t str,
    pub(super) text: String,
    pub(super) evidence: Evidence,
    /// The address has the fragment only.
    pub(super) within_page: bool,
}

/// What tells that a link is a reference.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Evidence {
    /// It is superscript, or marked as a reference.
    Marked,
    /// It is in square brackets or in a `cite`.
    Bracketed,
    /// Nothing: it is a number.
    Number,
}

/// A number that may be a reference or the label of a note, without a link between them.
#[derive(Debug, Clone, Copy)]
pub(super) struct Number {
    pub(super) node: NodeId,
    pub(super) value: u32,
    pub(super) role: Role,
}

/// Where a number is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Role {
    /// Superscript in a text.
    Reference,
    /// Superscript or linked at the start of a block.
    Label(NodeId),
    /// Bold at the start of a block.
    BoldLabel(NodeId),
    /// The number of an item of a list that is named as notes. The node is the item.
    Item {
        /// The list.
        list: NodeId,
    },
}

impl<'t> Scan<'t> {
    /// Reads the written part of a page.
    pub(super) fn of(tree: &'t Tree, view: &View) -> Self {
        let mut scan = Self::default();
        for root in &view.roots {
            let mut walk = Walk::new(tree, *root);
            while let Some(edge) = walk.next() {
                let Edge::Enter(node) = edge else { continue };
                if tree.is_element(node) && view.skips(tree, node) {
                    walk.skip_children();
                    continue;
                }
                match tree.tag(node) {
                    Tag::A => scan.link(tree, node),
                    Tag::Sup => scan.number(tree, node),
                    Tag::B | Tag::Strong => scan.bold_number(tree, node),
                    Tag::Ol => scan.list(tree, view, node),
                    _ => {}
                }
            }
        }
        scan
    }

    fn link(&mut self, tree: &'t Tree, link: NodeId) {
        if self.candidates.len() < MAX_REFERENCES {
            self.candidates.extend(candidate(tree, link));
        }
        // Some pages link the number of a note by a script.
        let is_script = tree.attribute(link, Attr::Href).is_some_and(|href| href.starts_with("javascript:"));
        if is_script
            && let Some(value) = number_of(tree, link)
            && let Some(block) = labelled_block(tree, link)
        {
            self.add(link, value, Role::Label(block));
        }
    }

    fn number(&mut self, tree: &Tree, sup: NodeId) {
        let Some(value) = number_of(tree, sup) else { return };
        match started_block(tree, sup) {
            None => self.add(sup, value, Role::Reference),
            Some(_) => {
                if let Some(block) = labelled_block(tree, sup) {
                    self.add(sup, value, Role::Label(block));
                }
            }
        }
    }

    fn bold_number(&mut self, tree: &Tree, bold: NodeId) {
        let begins = |c: char| c.is_ascii_digit() || matches!(c, '[' | '(');
        let is_number = tree.first_child(bold).is_some_and(|text| tree.text(text).starts_with(begins));
        if is_number
            && let Some(value) = number_of(tree, bold)
            && let Some(block) = labelled_block(tree, bold)
        {
            self.add(bold, value, Role::BoldLabel(block));
        }
    }

    fn list(&mut self, tree: &Tree, view: &View, list: NodeId) {
        let mut around = std::iter::once(list).chain(tree.ancestors(list)).take(MAX_NAME_DISTANCE);
        if !around.any(|node| tree.tag(node) == Tag::Aside || is_notes(tree, node)) {
            return;
        }
        let items = tree.child_elements(list).filter(|item| tree.tag(*item) == Tag::Li);
        let items = items.filter(|item| !view.skips(tree, *item));
        for (item, value) in items.zip(first_number(tree, list)..) {
            self.add(item, value, Role::Item { list });
        }
    }

    fn add(&mut self, node: NodeId, value: u32, role: Role) {
        if self.numbers.len() < MAX_REFERENCES {
            self.numbers.push(Number { node, value, role });
        }
    }
}

fn candidate(tree: &Tree, link: NodeId) -> Option<Candidate<'_>> {
    let (page, fragment) = fragment(tree, link)?;
    let whole = tree.folded_text(link, MAX_LABEL_BYTES * 2);
    let text = without_brackets(&whole).to_owned();
    if text.is_empty() || text.len() > MAX_LABEL_BYTES {
        return None;
    }
    let is_number = text.len() <= MAX_DIGITS && text.bytes().all(|byte| byte.is_ascii_digit());
    let evidence = if is_reference(tree, link) {
        Evidence::Marked
    } else if whole.starts_with('[') && whole.ends_with(']') {
        Evidence::Bracketed
    } else if is_number {
        let in_cite = tree.parent(link).is_some_and(|parent| tree.tag(parent) == Tag::Cite);
        if in_cite { Evidence::Bracketed } else { Evidence::Number }
    } else {
        return None;
    };
    Some(Candidate { link, fragment, text, evidence, within_page: page.is_empty() })
}

/// The number that is the whole text of an element, perhaps in brackets.
fn number_of(tree: &Tree, node: NodeId) -> Option<u32> {
    let mut text = String::new();
    let mut walk = Walk::new(tree, node);
    for edge in walk.by_ref().take(MAX_NUMBER_EDGES) {
        if let Edge::Enter(inner) = edge {
            let part = tree.text(inner).trim();
            if text.len() + part.len() > MAX_LABEL_BYTES {
                return None;
            }
            text.push_str(part);
        }
    }
    let is_whole = walk.next().is_none();
    number(without_brackets(&text).trim_end_matches(['.', ':'])).filter(|_| is_whole)
}

/// The number of the first item of a list.
pub(super) fn first_number(tree: &Tree, list: NodeId) -> u32 {
    tree.attribute(list, Attr::Start).and_then(|start| number(start.trim())).unwrap_or(1)
}

/// A number without a sign, more than 0.
pub(super) fn number(digits: &str) -> Option<u32> {
    let fits = (1..=MAX_DIGITS).contains(&digits.len()) && digits.bytes().all(|byte| byte.is_ascii_digit());
    digits.parse().ok().filter(|number| fits && *number > 0)
}

/// The block that a label starts, if it may be a note: it has more text.
fn labelled_block(tree: &Tree, label: NodeId) -> Option<NodeId> {
    let block = started_block(tree, label).filter(|block| super::may_be_note(tree.tag(*block)))?;
    let label = tree.folded_text(label, MAX_LABEL_BYTES);
    (tree.folded_text(block, 4 * MAX_LABEL_BYTES).len() > label.len() + 2).then_some(block)
}
