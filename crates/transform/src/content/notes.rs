//! The notes that a kept text refers to.
//!
//! Notes stand at the end of a page, are short and full of links, and the model drops them; then a raised number in the text
//! leads to nothing. A note is a block with an `id` that a raised link in kept text leads to, among others of its kind that
//! lead back: that is how programs that write notes agree to mark them, whatever their classes.

use std::collections::HashSet;

use super::blocks::Blocks;
use crate::tree::{Attr, NodeId, Tag, Tree};

/// References beyond this are not looked at.
const MAX_REFERENCES: usize = 2_000;

/// A reference stands so near above its text, a note so far above its own, in elements.
const STEPS: usize = 8;

/// Keeps the notes that kept text refers to, if the page says that they are notes.
pub(super) fn keep(tree: &Tree, blocks: &Blocks, kept: &mut [bool]) {
    let mut wanted: HashSet<&str> = HashSet::new();
    for (block, kept) in blocks.list.iter().zip(kept.iter()) {
        for node in blocks.nodes_of(block) {
            if *kept && wanted.len() < MAX_REFERENCES {
                wanted.extend(reference(tree, *node));
            }
        }
    }
    if wanted.is_empty() {
        return;
    }
    for (block, kept) in blocks.list.iter().zip(kept) {
        let first = blocks.nodes_of(block).first();
        *kept |= !block.is_hidden() && first.is_some_and(|node| is_note(tree, *node, &wanted));
    }
}

/// What a text within a raised link refers to.
fn reference(tree: &Tree, text: NodeId) -> Option<&str> {
    let near = || std::iter::once(text).chain(tree.ancestors(text)).take(4);
    let link = near().find(|node| tree.tag(*node) == Tag::A)?;
    let fragment = tree.attribute(link, Attr::Href)?.trim().strip_prefix('#')?;
    let raised = near().any(|node| tree.tag(node) == Tag::Sup)
        || tree.parent(link).is_some_and(|parent| tree.tag(parent) == Tag::Sup)
        || tree.attribute(link, Attr::Role) == Some("doc-noteref");
    (raised && !fragment.is_empty()).then_some(fragment)
}

/// Is a text within a note that is wanted, in what the page calls its notes?
fn is_note(tree: &Tree, text: NodeId, wanted: &HashSet<&str>) -> bool {
    let around = || tree.ancestors(text).take(STEPS);
    let named = |node: NodeId| {
        let says = |name: Attr| tree.attribute(node, name).unwrap_or_default();
        matches!(says(Attr::Role), "doc-endnotes" | "doc-footnote" | "doc-endnote")
            || [Attr::Class, Attr::Id].into_iter().any(|name| {
                says(name).split_ascii_whitespace().any(|word| {
                    let word = word.to_ascii_lowercase();
                    word.contains("footnote") || word.contains("endnote")
                })
            })
    };
    around().any(|node| tree.attribute(node, Attr::Id).is_some_and(|id| wanted.contains(id)))
        && around().any(named)
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
