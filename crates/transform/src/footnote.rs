//! Recognizes links that are footnote references. Main content and the Markdown writer share this rule.

use crate::names;
use crate::tree::{Attr, NodeId, Tag, Tree};

/// Upper bound on the length of a fragment link and of its target `id`, in bytes. Every link is looked up,
/// and an unclosed link may be repeated in every block after it. An escaped non-ASCII letter may take six
/// bytes.
pub(crate) const MAX_FRAGMENT_BYTES: usize = 512;

/// The fragment of a link within the page, without the `#`.
pub(crate) fn fragment(tree: &Tree, link: NodeId) -> Option<&str> {
    let address = tree.attribute(link, Attr::Href).filter(|href| href.len() <= MAX_FRAGMENT_BYTES)?;
    let fragment = address.trim().strip_prefix('#')?;
    (!fragment.is_empty()).then_some(fragment)
}

/// True if a link is marked as a footnote reference: by a `sup` as its parent or first child, its role, or
/// its class.
pub(crate) fn is_reference(tree: &Tree, link: NodeId) -> bool {
    let is_sup = |node: Option<NodeId>| node.is_some_and(|node| tree.tag(node) == Tag::Sup);
    is_sup(tree.parent(link))
        || is_sup(tree.first_child(link))
        || tree.attribute(link, Attr::Role) == Some("doc-noteref")
        || names::class_words(names::class(tree, link))
            .any(|word| word.contains("footnote-ref") || word.contains("footnoteref") || word == "noteref")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tree::{ParseOptions, parse};

    #[test]
    fn footnote_references_are_recognized_by_markup_or_name() {
        let long = "n".repeat(MAX_FRAGMENT_BYTES);
        let rows = [
            ("in a sup", "<sup><a href='#n'>1</a></sup>".to_owned(), Some("n"), true),
            ("around a sup", "<a href=' #n '><sup>1</sup></a>".to_owned(), Some("n"), true),
            ("by role", "<a href='#n' role=doc-noteref>1</a>".to_owned(), Some("n"), true),
            ("by class", "<a href='#n' class='x footnote-ref'>1</a>".to_owned(), Some("n"), true),
            ("plain", "<a href='#n'>1</a>".to_owned(), Some("n"), false),
            ("another page", "<sup><a href='/p#n'>1</a></sup>".to_owned(), None, true),
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
}
