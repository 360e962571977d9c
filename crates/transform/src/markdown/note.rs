//! Footnotes: which links are references to a note, and which elements are the notes.
//!
//! Page generators have only this in common: the reference is a short superscript link to an `id` on the same
//! page, the note is the block with that `id`, and most notes link back to their reference. These rules use
//! this structure, not the classes of one generator. If either end is hidden, the other end stays a link or a
//! list item.

use std::collections::{HashMap, HashSet};

use super::Writer;
use super::lines::Container;
use crate::footnote::{MAX_FRAGMENT_BYTES, fragment, is_reference};
use crate::names;
use crate::tree::{Attr, Edge, NodeId, Tag, Tree, Walk};
use crate::view::View;

/// Maximum number of references. Further references stay links.
const MAX_REFERENCES: usize = 10_000;

/// Maximum length of the text of a reference in bytes, without brackets.
const MAX_LABEL_BYTES: usize = 12;

/// The footnotes of a view.
#[derive(Debug, Default)]
pub(super) struct Notes {
    /// Elements that are written as references, with their labels.
    references: HashMap<NodeId, String>,
    /// Blocks that are notes, with their labels.
    definitions: HashMap<NodeId, String>,
    /// Targets of backlinks: the names of references and of elements around them.
    backlink_targets: HashSet<String>,
}

/// A link that may be a reference.
struct Candidate<'t> {
    link: NodeId,
    fragment: &'t str,
    text: String,
    /// It is superscript, or marked as a reference. Any other link is a reference only if its target is in a
    /// list of notes.
    is_marked: bool,
}

impl Notes {
    /// Finds the footnotes of a view.
    pub(super) fn of_view(tree: &Tree, view: &View) -> Self {
        let candidates = candidates(tree, view);
        let mut notes = Self::default();
        if !candidates.iter().any(|candidate| candidate.is_marked) {
            return notes; // most pages have no footnotes
        }
        let blocks = blocks(tree, view);
        let mut referenced = referenced(tree, &candidates, &blocks);
        let lists = NoteLists::of(tree, view, &referenced);
        for candidate in candidates.iter().filter(|candidate| !candidate.is_marked) {
            if let Some(block) =
                target(tree, candidate, &blocks).filter(|block| lists.contains_item(tree, *block))
            {
                referenced.insert(block);
            }
        }
        let unreferenced = lists.apply_majority(tree, &mut referenced);
        let mut labels: HashMap<NodeId, String> = HashMap::new();
        let mut taken = HashSet::new();
        let mut number = 1_usize;
        let mut next_free = |taken: &mut HashSet<String>| {
            while !taken.insert(number.to_string()) {
                number += 1;
            }
            number.to_string()
        };
        let mut seen = HashSet::new();
        for candidate in &candidates {
            let Some(block) = target(tree, candidate, &blocks) else { continue };
            if !referenced.contains(&block) {
                continue;
            }
            let label = labels.entry(block).or_insert_with(|| {
                let own = checked_label(&candidate.text);
                if !own.is_empty() && taken.insert(own.clone()) { own } else { next_free(&mut taken) }
            });
            notes.references.insert(reference_element(tree, candidate), label.clone());
            for node in std::iter::once(candidate.link).chain(tree.ancestors(candidate.link).take(2)) {
                if seen.insert(node) {
                    let names =
                        [Attr::Id, Attr::Name].into_iter().filter_map(|name| tree.attribute(node, name));
                    let short = names.filter(|name| name.len() <= MAX_FRAGMENT_BYTES);
                    notes.backlink_targets.extend(short.map(str::to_owned));
                }
            }
        }
        for (item, position) in unreferenced {
            let own = position.to_string();
            let label = if taken.insert(own.clone()) { own } else { next_free(&mut taken) };
            labels.insert(item, label);
        }
        notes.definitions = labels;
        notes
    }

    /// Has the view no references?
    pub(super) fn is_empty(&self) -> bool {
        self.references.is_empty()
    }

    /// The label of an element that is a reference.
    pub(super) fn reference(&self, node: NodeId) -> Option<&str> {
        self.references.get(&node).map(String::as_str)
    }

    /// The label of an element that is a note.
    pub(super) fn definition(&self, node: NodeId) -> Option<&str> {
        self.definitions.get(&node).map(String::as_str)
    }

    /// Does a link lead to a reference or an element around it?
    pub(super) fn is_backlink(&self, tree: &Tree, link: NodeId) -> bool {
        fragment(tree, link).is_some_and(|fragment| self.backlink_targets.contains(fragment))
    }
}

impl Writer<'_> {
    /// Starts a note or writes a reference. Returns true if nothing of the element is left to write.
    pub(super) fn enter_note(&mut self, node: NodeId) -> bool {
        if let Some(label) = self.notes.reference(node) {
            let reference = format!("[^{label}]");
            self.inline.raw(&reference);
            return true;
        }
        if !self.open_notes.is_empty()
            && self.tree.tag(node) == Tag::A
            && (self.notes.is_backlink(self.tree, node) || is_marked_backlink(self.tree, node))
        {
            return true;
        }
        if !self.in_cell()
            && let Some(label) = self.notes.definition(node)
        {
            let label = label.to_owned();
            self.flush();
            self.ended_list = None;
            self.lines.push(Container::Note { label, started: false });
            self.open_notes.push(node);
        }
        false
    }

    /// Ends a note.
    pub(super) fn close_note(&mut self, node: NodeId, tag: Tag) {
        if tag == Tag::Li {
            self.flush();
        } else {
            self.leave_block(node, tag);
        }
        self.lines.pop(false);
        self.ended_list = None;
        self.open_notes.pop();
    }
}

/// Links that may be references.
fn candidates<'t>(tree: &'t Tree, view: &View) -> Vec<Candidate<'t>> {
    let mut candidates = Vec::new();
    for root in &view.roots {
        let mut walk = Walk::new(tree, *root);
        while let Some(edge) = walk.next() {
            let Edge::Enter(node) = edge else { continue };
            if tree.is_element(node) && view.skips(tree, node) {
                walk.skip_children();
            } else if tree.tag(node) == Tag::A && candidates.len() < MAX_REFERENCES {
                candidates.extend(candidate(tree, node));
            }
        }
    }
    candidates
}

/// Blocks outside tables that may be notes, by their `id`; `None` for an `id` that occurs twice.
fn blocks<'t>(tree: &'t Tree, view: &View) -> HashMap<&'t str, Option<NodeId>> {
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
                    } else if cells == 0
                        && matches!(
                            tag,
                            Tag::Li | Tag::P | Tag::Div | Tag::Aside | Tag::Dd | Tag::Section | Tag::Footer
                        )
                        && let Some(id) = tree.attribute(node, Attr::Id)
                        && id.len() <= MAX_FRAGMENT_BYTES
                    {
                        blocks.entry(id).and_modify(|block| *block = None).or_insert(Some(node));
                    }
                }
                Edge::Leave(node) => cells -= usize::from(matches!(tree.tag(node), Tag::Td | Tag::Th)),
            }
        }
    }
    blocks
}

fn candidate(tree: &Tree, link: NodeId) -> Option<Candidate<'_>> {
    let fragment = fragment(tree, link)?;
    let is_marked = is_reference(tree, link);
    let whole = tree.folded_text(link, MAX_LABEL_BYTES * 2);
    let text = without_brackets(&whole).to_owned();
    let fits = !text.is_empty() && text.len() <= MAX_LABEL_BYTES;
    let bracketed = || whole.starts_with('[') && whole.ends_with(']');
    (fits && (is_marked || bracketed())).then_some(Candidate { link, fragment, text, is_marked })
}

/// The block that a link leads to, unless the link is inside that block.
fn target(tree: &Tree, candidate: &Candidate<'_>, blocks: &HashMap<&str, Option<NodeId>>) -> Option<NodeId> {
    let block = blocks.get(candidate.fragment).copied().flatten()?;
    let inside = tree.ancestors(candidate.link).any(|around| around == block);
    (tree.first_child(block).is_some() && !inside).then_some(block)
}

/// The blocks that marked links lead to. A note has one label: if marked links with different texts lead to
/// one block, that block is not a note.
fn referenced(
    tree: &Tree,
    candidates: &[Candidate<'_>],
    blocks: &HashMap<&str, Option<NodeId>>,
) -> HashSet<NodeId> {
    let mut texts: HashMap<&str, Option<&str>> = HashMap::new();
    for candidate in candidates.iter().filter(|candidate| candidate.is_marked) {
        let text = texts.entry(candidate.fragment).or_insert(Some(&candidate.text));
        if *text != Some(candidate.text.as_str()) {
            *text = None;
        }
    }
    candidates
        .iter()
        .filter(|candidate| matches!(texts.get(candidate.fragment), Some(Some(_))))
        .filter_map(|candidate| target(tree, candidate, blocks))
        .collect()
}

/// Lists with at least one note. Either all items of a list are notes or none: notes and list items are
/// numbered separately, so a list with both would have two series of numbers.
struct NoteLists {
    /// The non-empty items of each list.
    items: HashMap<NodeId, Vec<NodeId>>,
}

impl NoteLists {
    fn of(tree: &Tree, view: &View, notes: &HashSet<NodeId>) -> Self {
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
    fn contains_item(&self, tree: &Tree, block: NodeId) -> bool {
        list_of(tree, block).is_some_and(|list| self.items.contains_key(&list))
    }

    /// Makes all items of a list notes if at least half are referenced, and none otherwise. Returns the notes
    /// without a reference, each with its number in its list.
    fn apply_majority(&self, tree: &Tree, referenced: &mut HashSet<NodeId>) -> Vec<(NodeId, u64)> {
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
fn list_of(tree: &Tree, block: NodeId) -> Option<NodeId> {
    let parent = tree.parent(block).filter(|_| tree.tag(block) == Tag::Li)?;
    matches!(tree.tag(parent), Tag::Ol | Tag::Ul).then_some(parent)
}

/// Is a link marked as a backlink from a note to the text? It must be a symbol: words are content, and a
/// number is what a reader finds the note by.
pub(super) fn is_marked_backlink(tree: &Tree, link: NodeId) -> bool {
    const TARGETS: &[&str] = &["cite_ref", "fnref", "_ftnref", "_ednref", "footnote-ref", "noteref"];
    const CLASSES: &[&str] = &["backref", "backlink", "reversefootnote"];
    let Some(fragment) = fragment(tree, link) else { return false };
    let class = || names::class(tree, link);
    let named = TARGETS.iter().any(|start| fragment.starts_with(start))
        || CLASSES.iter().any(|name| class().contains(name))
        || tree.attribute(link, Attr::Role) == Some("doc-backlink");
    named && !tree.folded_text(link, 16).contains(char::is_alphanumeric)
}

/// Trims brackets and white space.
fn without_brackets(text: &str) -> &str {
    text.trim_matches(|c: char| c.is_whitespace() || matches!(c, '[' | ']' | '(' | ')'))
}

/// The label for a reference with this text: letters, digits and dashes; empty if the text has other
/// characters.
fn checked_label(text: &str) -> String {
    let fits = text.chars().all(|c| c.is_alphanumeric() || matches!(c, '-' | ' '));
    if fits { text.replace(' ', "-") } else { String::new() }
}

/// The element that the reference replaces: the `sup` around the link if it has nothing else, or else the
/// link.
fn reference_element(tree: &Tree, candidate: &Candidate<'_>) -> NodeId {
    let parent = tree.parent(candidate.link).filter(|parent| tree.tag(*parent) == Tag::Sup);
    parent
        .filter(|sup| without_brackets(&tree.folded_text(*sup, MAX_LABEL_BYTES * 2)) == candidate.text)
        .unwrap_or(candidate.link)
}

#[cfg(test)]
mod tests {
    use crate::html_to_markdown;

    #[test]
    fn notes_are_found_by_their_links() {
        let rows = [
            (
                "a formula as the note, in a quote in a list item",
                "<p>A<sup><a href='#e'>1</a></sup></p><ul><li>i<blockquote>q<div id=e class=katex-display><math><mi>x</mi></math></div><p>r</p></blockquote></ul>",
                "A[^1]\n\n- i\n  > q\n  >\n  > [^1]: $$x$$\n  >\n  > r",
            ),
            (
                "list at the end",
                "<p>A<sup id=r1><a href='#n1'>1</a></sup>.</p><ol><li id=n1>Note <a href='#r1'>↩</a></li></ol>",
                "A[^1].\n\n[^1]: Note",
            ),
            (
                "link around the superscript number",
                "<p>A<a href='#n1' id=r1><sup>1</sup></a></p><section><ol><li id=n1><p>One.</p><p>Two. <a href='#r1'>back</a></p></li></ol></section>",
                "A[^1]\n\n[^1]: One.\n\n    Two.",
            ),
            (
                "number in brackets, backlink first",
                "<p>A<sup id=cite_ref-1><a href='#note-1'>[1]</a></sup></p><ol><li id=note-1><a href='#cite_ref-1'>^</a> <span>Text</span></li></ol>",
                "A[^1]\n\n[^1]: Text",
            ),
            (
                "paragraphs as notes",
                "<p>A<sup><a id=a href='#b'>*</a></sup></p><p id=b><a href='#a'>*</a> Star</p>",
                "A[^1]\n\n[^1]: Star",
            ),
            (
                "two references to one note",
                "<p>A<sup><a href='#n'>1</a></sup> B<sup><a href='#n'>1</a></sup></p><ol><li id=n>N</ol>",
                "A[^1] B[^1]\n\n[^1]: N",
            ),
            (
                "several in one sup",
                "<p>A<sup><a href='#m'>1</a>, <a href='#n'>2</a></sup></p><ol><li id=m>M<li id=n>N</ol>",
                "A<sup>[^1], [^2]</sup>\n\n[^1]: M\n\n[^2]: N",
            ),
            (
                "without a note it stays a link",
                "<p>A<sup><a href='#n1'>1</a></sup>.</p>",
                "A<sup>[1](#n1)</sup>.",
            ),
            (
                "several references to one block",
                "<p>A<sup><a href='#n'>1</a></sup><sup><a href='#n'>2</a></sup></p><div id=n>Notes</div>",
                "A<sup>[1](#n)</sup><sup>[2](#n)</sup>\n\nNotes",
            ),
            ("not superscript", "<p><a href='#n'>1</a></p><p id=n>N</p>", "[1](#n)\n\nN"),
            (
                "not superscript, but to a list of notes",
                "<p>A<sup><a href='#n2'>[2]</a></sup> b<a href='#n1'>[1]</a><ol><li id=n1>One<li id=n2>Two</ol>",
                "A[^2] b[^1]\n\n[^1]: One\n\n[^2]: Two",
            ),
            (
                "a note without a reference",
                "<p>A<sup><a href='#n1'>1</a></sup> B<sup><a href='#n3'>3</a></sup><ol><li id=n1>One<li id=n2>Two<li id=n3>Three</ol>",
                "A[^1] B[^3]\n\n[^1]: One\n\n[^2]: Two\n\n[^3]: Three",
            ),
            (
                "numbers that are taken",
                "<p>A<sup><a href='#n1'>2</a></sup><ol><li id=n1>One<li id=n2>Two</ol>",
                "A[^2]\n\n[^2]: One\n\n[^1]: Two",
            ),
            (
                "one item of a list of other things",
                "<p>A<sup><a href='#n1'>1</a></sup><ol><li id=n1>One<li>Two<li>Three</ol>",
                "A<sup>[1](#n1)</sup>\n\n1. One\n2. Two\n3. Three",
            ),
            (
                "backlink by its target's name",
                "<p>A<sup><a href='#n1'>1</a></sup><ol><li id=n1><b><a href='#cite_ref-1'>^</a></b> One</ol>",
                "A[^1]\n\n[^1]: One",
            ),
        ];
        for (name, html, markdown) in rows {
            assert_eq!(html_to_markdown(html, None), markdown, "{name}");
        }
    }
}
