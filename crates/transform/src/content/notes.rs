//! Keeps the footnotes that kept text refers to.
//!
//! Footnotes are short, full of links and at the end of a page, so the model drops them. A footnote reference
//! in the text would then lead nowhere. A note is a block in an element whose `id` is the target of a
//! reference in kept text, or which begins with such an element, if the page also marks an ancestor as
//! footnotes: by a DPUB-ARIA role, or by a class or id that contains `footnote` or `endnote`. Each link and
//! each element is read once, however many blocks it contains.

use std::collections::HashSet;

use super::blocks::Blocks;
use crate::footnote::{MAX_FRAGMENT_BYTES, fragment, is_reference, marks_notes, started_block};
use crate::tree::{Attr, NodeId, Tag, Tree};

/// Upper bound on the references that are followed.
const MAX_REFERENCES: usize = 2_000;

/// Upper bound on the distance from a text node to its link, in elements.
const MAX_LINK_ANCESTORS: usize = 3;

/// Upper bound on the distance from a text node to its note, in elements.
const MAX_NOTE_ANCESTORS: usize = 8;

/// Keeps the notes that kept text refers to, if the page marks them as notes.
pub(super) fn keep(tree: &Tree, blocks: &Blocks, kept: &mut [bool]) {
    let mut wanted: HashSet<&str> = HashSet::new();
    let mut links = HashSet::new();
    for (block, kept) in blocks.list.iter().zip(kept.iter()) {
        for text in blocks.nodes_of(block) {
            if !*kept || wanted.len() >= MAX_REFERENCES {
                continue;
            }
            let link = tree.ancestors(*text).take(MAX_LINK_ANCESTORS).find(|node| tree.tag(*node) == Tag::A);
            if let Some(link) = link.filter(|link| links.insert(*link)) {
                let fragment = fragment(tree, link).filter(|_| is_reference(tree, link));
                wanted.extend(fragment.map(|(_, fragment)| fragment));
            }
        }
    }
    if wanted.is_empty() {
        return;
    }
    let mut marks = vec![0; tree.len()];
    for node in tree.all_elements() {
        let mark = mark_of(tree, node, &wanted);
        // The name of a note may be that of its number.
        let is_inline = mark & REFERENCED != 0 && !tree.tag(node).is_block();
        let block = if is_inline { started_block(tree, node) } else { None };
        for marked in std::iter::once(node).chain(block) {
            if let Some(found) = marks.get_mut(marked.index()) {
                *found |= mark;
            }
        }
    }
    let is_note = |text: NodeId| {
        let around = tree.ancestors(text).take(MAX_NOTE_ANCESTORS);
        let found = around.map(|node| marks.get(node.index()).copied().unwrap_or_default());
        found.fold(0, |all, mark| all | mark) == REFERENCED | NAMED_NOTES
    };
    for (block, kept) in blocks.list.iter().zip(kept) {
        let first = blocks.nodes_of(block).first();
        *kept |= !block.is_hidden() && first.is_some_and(|node| is_note(*node));
    }
}

/// The element is the target of a reference.
const REFERENCED: u8 = 1;

/// The page marks the element as its notes, or as one of them.
const NAMED_NOTES: u8 = 2;

/// The marks that an element gives its content.
fn mark_of(tree: &Tree, node: NodeId, wanted: &HashSet<&str>) -> u8 {
    let mut mark = 0;
    for (name, value) in tree.known_attributes(node) {
        let found = matches!(name, Attr::Id | Attr::Name)
            && value.len() <= MAX_FRAGMENT_BYTES
            && wanted.contains(value);
        mark |= (u8::from(found) * REFERENCED) | (u8::from(marks_notes(name, value)) * NAMED_NOTES);
    }
    mark
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::content::blocks::collect;
    use crate::tree::{ParseOptions, parse};
    use crate::view::View;

    #[test]
    fn notes_of_kept_text_are_kept() {
        let rows = [
            (
                "named by role",
                "<p>Text<sup><a href='#n1'>1</a></sup></p><section role=doc-endnotes><ol><li id=n1><p>one <a href='#r1'>↩</a><li id=n2>two</ol>",
                [true, true, false],
            ),
            (
                "named by class",
                "<p>Text<a href='#n1'><sup>1</sup></a></p><div class=footnotes><p id=n1>one</p><p id=n2>two</div>",
                [true, true, false],
            ),
            (
                "not marked as notes",
                "<p>Text<sup><a href='#n1'>1</a></sup></p><ol><li id=n1>one<li id=n2>two</ol>",
                [true, false, false],
            ),
            (
                "named by id, the reference by class",
                "<p>Text<a class=footnote-ref href='#n1'>1</a></p><ol id=EndNotes><li id=n1>one<li id=n2>two</ol>",
                [true, true, false],
            ),
            (
                "the name at the start of the note",
                "<p>Text<sup><a href='/p#n1'>1</a></sup></p><div class=footnote><a id=n1>1</a> <b>one</b></div><p>two",
                [true, true, false],
            ),
            (
                "no footnote reference",
                "<p>Text <a href='#n1'>one</a></p><div class=footnotes><p id=n1>one</p><p id=n2>two</div>",
                [true, false, false],
            ),
            (
                "the text is not kept",
                "<p>text<sup><a href='#n1'>1</a></sup></p><div class=footnotes><p id=n1>one</p><p id=n2>two</div>",
                [false, false, false],
            ),
        ];
        for (name, html, expected) in rows {
            let tree = parse(html, ParseOptions::default());
            let url = "https://example.org/".parse().unwrap();
            let blocks = collect(&tree, &View::whole(&tree), &url);
            let starts_with_text = |block| {
                blocks.nodes_of(block).first().is_some_and(|node| tree.text(*node).starts_with("Text"))
            };
            let mut kept: Vec<bool> = blocks.list.iter().map(starts_with_text).collect();
            keep(&tree, &blocks, &mut kept);
            assert_eq!(kept, expected, "{name}");
        }
    }
}
