//! The notes that a kept text refers to.
//!
//! Notes stand at the end of a page, are short and full of links, and the model drops them; then a raised number in the text
//! leads to nothing. A note is a block with an `id`, or in an element with one, that a reference in kept text leads to, where
//! the page calls what is around it its notes: by a role of DPUB-ARIA, or a class or an id with `footnote` or `endnote` in it.
//! Each link and each element is looked at once, however many blocks stand in it.

use std::collections::HashSet;

use super::blocks::Blocks;
use crate::footnote::{MAX_FRAGMENT_BYTES, fragment, is_reference};
use crate::names;
use crate::tree::{Attr, NodeId, Tag, Tree};

/// References beyond this are not looked at.
const MAX_REFERENCES: usize = 2_000;

/// A link stands so near above its text, in elements.
const LINK_STEPS: usize = 3;

/// A note stands so far above its text, in elements.
const STEPS: usize = 8;

/// Keeps the notes that kept text refers to, if the page says that they are notes.
pub(super) fn keep(tree: &Tree, blocks: &Blocks, kept: &mut [bool]) {
    let mut wanted: HashSet<&str> = HashSet::new();
    let mut links = HashSet::new();
    for (block, kept) in blocks.list.iter().zip(kept.iter()) {
        for text in blocks.nodes_of(block) {
            if !*kept || wanted.len() >= MAX_REFERENCES {
                continue;
            }
            let link = tree.ancestors(*text).take(LINK_STEPS).find(|node| tree.tag(*node) == Tag::A);
            if let Some(link) = link.filter(|link| links.insert(*link)) {
                wanted.extend(fragment(tree, link).filter(|_| is_reference(tree, link)));
            }
        }
    }
    if wanted.is_empty() {
        return;
    }
    let mut marks = vec![0; tree.len()];
    for node in tree.made() {
        if let Some(mark) = marks.get_mut(node.index()) {
            *mark = mark_of(tree, node, &wanted);
        }
    }
    let is_note = |text: NodeId| {
        let around = tree.ancestors(text).take(STEPS);
        let found = around.map(|node| marks.get(node.index()).copied().unwrap_or_default());
        found.fold(0, |all, mark| all | mark) == WANTED | NAMED
    };
    for (block, kept) in blocks.list.iter().zip(kept) {
        let first = blocks.nodes_of(block).first();
        *kept |= !block.is_hidden() && first.is_some_and(|node| is_note(*node));
    }
}

/// A reference leads to the element.
const WANTED: u8 = 1;

/// The page calls the element its notes, or one of them.
const NAMED: u8 = 2;

/// What an element says of what stands in it.
fn mark_of(tree: &Tree, node: NodeId, wanted: &HashSet<&str>) -> u8 {
    let mut mark = 0;
    for (name, value) in tree.known_attributes(node) {
        mark |= match name {
            Attr::Role if matches!(value, "doc-endnotes" | "doc-footnote" | "doc-endnote") => NAMED,
            Attr::Class if names_notes(value) => NAMED,
            Attr::Id => {
                let found = value.len() <= MAX_FRAGMENT_BYTES && wanted.contains(value);
                (u8::from(found) * WANTED) | (u8::from(names_notes(value)) * NAMED)
            }
            _ => 0,
        };
    }
    mark
}

/// Does a class or an id speak of notes?
fn names_notes(name: &str) -> bool {
    let name = names::start(name).as_bytes();
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
                "no notes",
                "<p>Text<sup><a href='#n1'>1</a></sup></p><ol><li id=n1>one<li id=n2>two</ol>",
                [true, false, false],
            ),
            (
                "named by id, the reference by class",
                "<p>Text<a class=footnote-ref href='#n1'>1</a></p><ol id=EndNotes><li id=n1>one<li id=n2>two</ol>",
                [true, true, false],
            ),
            (
                "not raised",
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
            let begins = |block| {
                blocks.nodes_of(block).first().is_some_and(|node| tree.text(*node).starts_with("Text"))
            };
            let mut kept: Vec<bool> = blocks.list.iter().map(begins).collect();
            keep(&tree, &blocks, &mut kept);
            assert_eq!(kept, expected, "{name}");
        }
    }
}
