//! Main content: what a person would keep of a page.

use crate::tree::{Attr, Edge, Kind, NodeId, Tag, Tree, Walk};
use crate::view::View;

/// Hides what surrounds the main content of a page, in place; false where nothing would be left.
pub(crate) fn narrow(tree: &Tree, view: &mut View) -> bool {
    let mut walk = Walk::new(tree, NodeId::DOCUMENT);
    while let Some(edge) = walk.next() {
        let Edge::Enter(node) = edge else { continue };
        if tree.is_element(node) && is_chrome(tree, node) {
            view.hidden.insert(node);
            walk.skip_children();
        }
    }
    let total = visible(tree, view, NodeId::DOCUMENT);
    let candidate = [Tag::Main, Tag::Article]
        .into_iter()
        .filter_map(|tag| tree.find(tag))
        .find(|node| !view.hidden.contains(*node) && visible(tree, view, *node) * 2 > total);
    if let Some(node) = candidate {
        view.roots = vec![node];
    }
    total > 0
}

fn visible(tree: &Tree, view: &View, root: NodeId) -> usize {
    let mut bytes = 0;
    let mut walk = Walk::new(tree, root);
    while let Some(edge) = walk.next() {
        let Edge::Enter(node) = edge else { continue };
        match tree.kind(node) {
            Kind::Text => bytes += tree.text(node).split_ascii_whitespace().map(str::len).sum::<usize>(),
            _ if view.hidden.contains(node) || tree.tag(node).is_invisible() => walk.skip_children(),
            _ => {}
        }
    }
    bytes
}

fn is_chrome(tree: &Tree, node: NodeId) -> bool {
    let tag = tree.tag(node);
    if matches!(tag, Tag::Nav | Tag::Footer | Tag::Dialog | Tag::Aside) {
        return true;
    }
    if matches!(tag, Tag::Body | Tag::Html | Tag::Main | Tag::Article) {
        return false;
    }
    if tag == Tag::Header && !tree.ancestors(node).any(|up| matches!(tree.tag(up), Tag::Article | Tag::Main)) {
        return true;
    }
    if matches!(
        tree.attribute(node, Attr::Role),
        Some("navigation" | "banner" | "contentinfo" | "search" | "dialog" | "alertdialog" | "complementary")
    ) {
        return true;
    }
    [Attr::Class, Attr::Id].into_iter().filter_map(|name| tree.attribute(node, name)).any(|value| {
        value.split_ascii_whitespace().any(|word| {
            let word = word.to_ascii_lowercase();
            ["cookie", "share", "sharing", "breadcrumb", "sidebar", "newsletter", "related", "consent"]
                .iter()
                .any(|known| word.split(['-', '_']).any(|part| part == *known))
        })
    })
}
