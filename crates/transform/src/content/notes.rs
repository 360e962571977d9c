//! Keeps the footnotes that kept text refers to.
//!
//! Footnotes are short, full of links and at the end of a page, so the model drops them. A footnote reference
//! in the text would then lead nowhere. A note is a block in an element whose `id` is the target of a
//! reference in kept text, if the page also marks an ancestor as footnotes: by a DPUB-ARIA role, or by a
//! class or id that contains `footnote` or `endnote`. Each link and each element is read once, however many
//! blocks it contains.

use std::collections::HashSet;

use super::blocks::Blocks;
use crate::footnote::{MAX_FRAGMENT_BYTES, fragment, is_reference};
use crate::names;
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
                wanted.extend(fragment(tree, link).filter(|_| is_reference(tree, link)));
            }
        }
    }
    if wanted.is_empty() {
        return;
    }
    let mut marks = vec![0; tree.len()];
    for node in tree.all_elements() {
        if let Some(mark) = marks.get_mut(node.index()) {
            *mark = mark_of(tree, node, &wanted);
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
        mark |= match name {
            Attr::Role if matches!(value, "doc-endnotes" | "doc-footnote" | "doc-endnote") => NAMED_NOTES,
            Attr::Class if names_notes(value) => NAMED_NOTES,
            Attr::Id => {
                let found = value.len() <= MAX_FRAGMENT_BYTES && wanted.contains(value);
                (u8::from(found) * REFERENCED) | (u8::from(names_notes(value)) * NAMED_NOTES)
            }
            _ => 0,
        };
    }
    mark
}

/// True if a class or an id names notes.
fn names_notes(name: &str) -> bool {
    let name = names::prefix(name).as_bytes();
    [b"footnote".as_slice(), b"endnote"].into_iter().any(|word| {
        let first = word.first();
        name.windows(word.len()).any(|part| {
            part.first().map(u8::to_ascii_lowercase).as_ref() == first && part.eq_ignore_ascii_case(word)
        })
    })
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
