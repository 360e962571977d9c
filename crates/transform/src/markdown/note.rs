//! Footnotes: which links are references to a note, and which elements are the notes.
//!
//! Programs that write pages agree on little here: the reference is a short raised link to an `id` on the same page, the
//! note is the block with that `id`, and most notes lead back to their reference. So that is what is looked for, and not
//! the classes of one program. Where either end is hidden the other stays what it is: a link, or an item of a list.

use std::collections::{HashMap, HashSet};

use super::Writer;
use super::block::Container;
use crate::tree::{Attr, Edge, NodeId, Tag, Tree, Walk};
use crate::view::View;

/// References beyond this stay links.
const MAX_REFERENCES: usize = 10_000;

/// The text of a reference has at most so many bytes, brackets left out.
const MAX_LABEL_BYTES: usize = 12;

/// The footnotes of what is written out.
#[derive(Debug, Default)]
pub(super) struct Notes {
    /// What stands for a reference, to its label.
    references: HashMap<NodeId, String>,
    /// The block that is a note, to its label.
    definitions: HashMap<NodeId, String>,
    /// Where a way back from a note may lead to.
    origins: HashSet<String>,
}

/// A link that may be a reference.
struct Candidate<'t> {
    link: NodeId,
    fragment: &'t str,
    text: String,
}

impl Notes {
    /// Looks through what is written out.
    pub(super) fn of_view(tree: &Tree, view: &View) -> Self {
        let candidates = candidates(tree, view);
        let mut notes = Self::default();
        if candidates.is_empty() {
            return notes; // as on most pages
        }
        let blocks = blocks(tree, view);
        // One note, one label: where links of different texts lead to one place, that place is no note.
        let mut texts: HashMap<&str, Option<&str>> = HashMap::new();
        for candidate in &candidates {
            let text = texts.entry(candidate.fragment).or_insert(Some(&candidate.text));
            if *text != Some(candidate.text.as_str()) {
                *text = None;
            }
        }
        let mut labels: HashMap<&str, String> = HashMap::new();
        let mut taken = HashSet::new();
        let mut number = 1_usize;
        for candidate in &candidates {
            let Some(block) = blocks.get(candidate.fragment).copied().flatten() else { continue };
            let is_note = matches!(texts.get(candidate.fragment), Some(Some(_)))
                && tree.first_child(block).is_some()
                && !tree.ancestors(candidate.link).any(|around| around == block);
            if !is_note {
                continue;
            }
            let label = labels.entry(candidate.fragment).or_insert_with(|| {
                let own = label(&candidate.text);
                if !own.is_empty() && taken.insert(own.clone()) {
                    return own;
                }
                while !taken.insert(number.to_string()) {
                    number += 1;
                }
                number.to_string()
            });
            notes.references.insert(outermost(tree, candidate), label.clone());
            notes.definitions.insert(block, label.clone());
            for node in std::iter::once(candidate.link).chain(tree.ancestors(candidate.link).take(2)) {
                let names = [Attr::Id, Attr::Name].into_iter().filter_map(|name| tree.attribute(node, name));
                notes.origins.extend(names.map(str::to_owned));
            }
        }
        notes
    }

    /// Are there none?
    pub(super) fn is_empty(&self) -> bool {
        self.references.is_empty()
    }

    /// The label of the reference that an element stands for.
    pub(super) fn reference(&self, node: NodeId) -> Option<&str> {
        self.references.get(&node).map(String::as_str)
    }

    /// The label of the note that an element is.
    pub(super) fn definition(&self, node: NodeId) -> Option<&str> {
        self.definitions.get(&node).map(String::as_str)
    }

    /// Does a link lead from a note back to its reference?
    pub(super) fn leads_back(&self, tree: &Tree, link: NodeId) -> bool {
        fragment(tree, link).is_some_and(|fragment| self.origins.contains(fragment))
    }
}

impl Writer<'_> {
    /// Starts a note, or writes a reference; true where nothing of the element is left to write.
    pub(super) fn note(&mut self, node: NodeId) -> bool {
        if let Some(label) = self.notes.reference(node) {
            let reference = format!("[^{label}]");
            self.inline.raw(&reference);
            return true;
        }
        if !self.open_notes.is_empty()
            && self.tree.tag(node) == Tag::A
            && self.notes.leads_back(self.tree, node)
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
    let mut found = Vec::new();
    for root in &view.roots {
        let mut walk = Walk::new(tree, *root);
        while let Some(edge) = walk.next() {
            let Edge::Enter(node) = edge else { continue };
            if tree.is_element(node) && view.skips(tree, node) {
                walk.skip_children();
            } else if tree.tag(node) == Tag::A && found.len() < MAX_REFERENCES {
                found.extend(candidate(tree, node));
            }
        }
    }
    found
}

/// The blocks with an `id` that may be notes, outside tables; `None` for an `id` given twice.
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
    let raised = tree.parent(link).is_some_and(|parent| tree.tag(parent) == Tag::Sup)
        || tree.first_child(link).is_some_and(|child| tree.tag(child) == Tag::Sup)
        || tree.attribute(link, Attr::Role) == Some("doc-noteref")
        || tree.attribute(link, Attr::Class).is_some_and(|class| {
            class.split_ascii_whitespace().any(|word| {
                word.contains("footnote-ref") || word.contains("footnoteref") || word == "noteref"
            })
        });
    if !raised {
        return None;
    }
    let text = bare(&tree.folded_text(link, MAX_LABEL_BYTES * 2)).to_owned();
    (!text.is_empty() && text.len() <= MAX_LABEL_BYTES).then_some(Candidate { link, fragment, text })
}

/// The part of the address after the hash, of a link within the page.
fn fragment(tree: &Tree, link: NodeId) -> Option<&str> {
    let fragment = tree.attribute(link, Attr::Href)?.trim().strip_prefix('#')?;
    (!fragment.is_empty()).then_some(fragment)
}

/// Without brackets around.
fn bare(text: &str) -> &str {
    text.trim_matches(|c: char| c.is_whitespace() || matches!(c, '[' | ']' | '(' | ')'))
}

/// What a label may hold: letters, digits and dashes.
fn label(text: &str) -> String {
    let fits = text.chars().all(|c| c.is_alphanumeric() || matches!(c, '-' | ' '));
    if fits { text.replace(' ', "-") } else { String::new() }
}

/// The element that the reference replaces: the `sup` around the link where it holds nothing else.
fn outermost(tree: &Tree, candidate: &Candidate<'_>) -> NodeId {
    let around = tree.parent(candidate.link).filter(|parent| tree.tag(*parent) == Tag::Sup);
    around
        .filter(|sup| bare(&tree.folded_text(*sup, MAX_LABEL_BYTES * 2)) == candidate.text)
        .unwrap_or(candidate.link)
}

#[cfg(test)]
mod tests {
    use crate::html_to_markdown;

    #[test]
    fn notes_are_told_by_their_links() {
        let rows = [
            (
                "a formula as the note, in a quote in an item",
                "<p>A<sup><a href='#e'>1</a></sup></p><ul><li>i<blockquote>q<div id=e class=katex-display><math><mi>x</mi></math></div><p>r</p></blockquote></ul>",
                "A[^1]\n\n- i\n  > q\n  >\n  > [^1]: $$x$$\n  >\n  > r",
            ),
            (
                "list at the end",
                "<p>A<sup id=r1><a href='#n1'>1</a></sup>.</p><ol><li id=n1>Note <a href='#r1'>↩</a></li></ol>",
                "A[^1].\n\n[^1]: Note",
            ),
            (
                "link around the raised number",
                "<p>A<a href='#n1' id=r1><sup>1</sup></a></p><section><ol><li id=n1><p>One.</p><p>Two. <a href='#r1'>back</a></p></li></ol></section>",
                "A[^1]\n\n[^1]: One.\n\n    Two.",
            ),
            (
                "number in brackets, way back first",
                "<p>A<sup id=cite_ref-1><a href='#note-1'>[1]</a></sup></p><ol><li id=note-1><a href='#cite_ref-1'>^</a> <span>Text</span></li></ol>",
                "A[^1]\n\n[^1]: Text",
            ),
            (
                "paragraphs as notes",
                "<p>A<sup><a id=a href='#b'>*</a></sup></p><p id=b><a href='#a'>*</a> Star</p>",
                "A[^1]\n\n[^1]: Star",
            ),
            (
                "referred to twice",
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
                "many lead to one place",
                "<p>A<sup><a href='#n'>1</a></sup><sup><a href='#n'>2</a></sup></p><div id=n>Notes</div>",
                "A<sup>[1](#n)</sup><sup>[2](#n)</sup>\n\nNotes",
            ),
            ("not raised", "<p><a href='#n'>1</a></p><p id=n>N</p>", "[1](#n)\n\nN"),
        ];
        for (name, html, markdown) in rows {
            assert_eq!(html_to_markdown(html, None), markdown, "{name}");
        }
    }
}
