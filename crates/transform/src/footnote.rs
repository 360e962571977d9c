//! Recognizes links that are footnote references. Main content and the Markdown writer share this rule.

use crate::names;
use crate::tree::{Attr, NodeId, Tag, Tree};

/// Upper bound on the length of a fragment link and of its target `id`, in bytes. Every link is looked up,
/// and an unclosed link may be repeated in every block after it. An escaped non-ASCII letter may take six
/// bytes.
pub(crate) const MAX_FRAGMENT_BYTES: usize = 512;

/// Upper bound on the distance from a link to the element that marks it as a reference.
const MAX_MARK_DISTANCE: usize = 3;

/// Upper bound on the distance from the first text of a block to the block.
const MAX_START_DISTANCE: usize = 6;

/// Upper bound on the empty nodes before the first text of a block.
const MAX_EMPTY_NODES: usize = 4;

/// The address of a link before its `#`, and the fragment after it.
pub(crate) fn fragment(tree: &Tree, link: NodeId) -> Option<(&str, &str)> {
    let address = tree.attribute(link, Attr::Href).filter(|href| href.len() <= MAX_FRAGMENT_BYTES)?;
    address.trim().split_once('#').filter(|(_, fragment)| !fragment.is_empty())
}

/// True if a link is marked as a footnote reference: by a `sup` around it or as its first child, by a role or
/// by a class.
pub(crate) fn is_reference(tree: &Tree, link: NodeId) -> bool {
    let is_sup = |node: NodeId| tree.tag(node) == Tag::Sup;
    tree.first_child(link).is_some_and(is_sup)
        || is_marked(tree, link)
        || tree
            .ancestors(link)
            .take_while(|node| matches!(tree.tag(*node), Tag::Sup | Tag::Span))
            .take(MAX_MARK_DISTANCE)
            .any(|node| is_sup(node) || is_marked(tree, node))
}

fn is_marked(tree: &Tree, node: NodeId) -> bool {
    tree.attribute(node, Attr::Role) == Some("doc-noteref")
        || names::class_words(names::class(tree, node)).any(|word| {
            word.contains("footnote-ref")
                || word.contains("footnoteref")
                || matches!(word, "noteref" | "footref" | "footnote-anchor")
        })
}

/// True if an element is marked as notes by its role, class or id.
pub(crate) fn is_notes(tree: &Tree, node: NodeId) -> bool {
    tree.known_attributes(node).any(|(name, value)| marks_notes(name, value))
}

/// True if an attribute marks its element as notes.
pub(crate) fn marks_notes(name: Attr, value: &str) -> bool {
    match name {
        Attr::Role => matches!(value, "doc-endnotes" | "doc-footnote" | "doc-endnote"),
        Attr::Class | Attr::Id => names_notes(value),
        _ => false,
    }
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

/// The nearest block around a node, if the node is the first of its content.
pub(crate) fn started_block(tree: &Tree, node: NodeId) -> Option<NodeId> {
    let mut node = node;
    for _ in 0..MAX_START_DISTANCE {
        let mut before = tree.previous_sibling(node);
        for _ in 0..MAX_EMPTY_NODES {
            let Some(sibling) = before else { break };
            if !tree.folded_text(sibling, 1).is_empty() {
                return None;
            }
            before = tree.previous_sibling(sibling);
        }
        if before.is_some() {
            return None;
        }
        node = tree.parent(node)?;
        if tree.tag(node).is_block() {
            return Some(node);
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tree::{ParseOptions, parse};

    #[test]
    fn footnote_references_are_recognized_by_markup_or_name() {
        let long = "n".repeat(MAX_FRAGMENT_BYTES);
        let rows = [
            ("in a sup", "<sup><a href='#n'>1</a></sup>".to_owned(), Some(("", "n")), true),
            ("around a sup", "<a href=' #n '><sup>1</sup></a>".to_owned(), Some(("", "n")), true),
            ("by role", "<a href='#n' role=doc-noteref>1</a>".to_owned(), Some(("", "n")), true),
            ("by class", "<a href='#n' class='x footnote-ref'>1</a>".to_owned(), Some(("", "n")), true),
            (
                "in a span in a sup",
                "<sup><span><a href='#n'>1</a></span></sup>".to_owned(),
                Some(("", "n")),
                true,
            ),
            (
                "by a role around it",
                "<i role=doc-noteref><a href='#n'>1</a></i>".to_owned(),
                Some("n"),
                false,
            ),
            (
                "by a class around it",
                "<span class=noteref><a href='#n'>1</a>".to_owned(),
                Some(("", "n")),
                true,
            ),
            ("plain", "<a href='#n'>1</a>".to_owned(), Some(("", "n")), false),
            ("another page", "<sup><a href='/p#n'>1</a></sup>".to_owned(), Some(("/p", "n")), true),
            ("nowhere", "<sup><a href='#'>1</a></sup>".to_owned(), None, true),
            ("too long an address", format!("<sup><a href='#{long}'>1</a></sup>"), None, true),
        ];
        for (name, html, leads_to, reference) in rows {
            let tree = parse(&html, ParseOptions::default());
            let link = tree.find(Tag::A).unwrap();
            assert_eq!(fragment(&tree, link), leads_to, "{name}");
            assert_eq!(is_reference(&tree, link), reference, "{name}");
        }
    }

    #[test]
    fn the_first_element_of_a_block_starts_it() {
        let rows = [
            ("<p><sup>1</sup> x", Some(Tag::P)),
            ("<li> <b><i></i><sup>1</sup></b> x", Some(Tag::Li)),
            ("<p>x<sup>1</sup>", None),
            ("<p><b>x</b> <sup>1</sup>", None),
            ("<h2><sup>1</sup> x</h2>", Some(Tag::H2)),
        ];
        for (html, expected) in rows {
            let tree = parse(html, ParseOptions::default());
            let found = started_block(&tree, tree.find(Tag::Sup).unwrap());
            assert_eq!(found.map(|node| tree.tag(node)), expected, "{html}");
        }
    }
}
