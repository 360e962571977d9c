//! The URLs of all images of a page.

use std::collections::HashSet;

use super::picture;
use crate::markdown::is_unseen;
use crate::resolver::Resolver;
use crate::tree::{Attr, Edge, Tag, Tree, Walk};
use crate::view::View;

/// Upper bound on the images of a page.
const MAX_IMAGES: usize = 20_000;

/// Absolute URLs, each once, in document order.
pub(crate) fn of_view(tree: &Tree, view: &View, resolver: &Resolver) -> Vec<String> {
    let resolver = resolver.with_full_budget();
    let mut seen = HashSet::new();
    let mut images = Vec::new();
    let mut add = |source: &str| {
        if images.len() < MAX_IMAGES
            && let Some(url) = resolver.web_url(source)
        {
            let url = String::from(url);
            if seen.insert(url.clone()) {
                images.push(url);
            }
        }
    };
    for root in &view.roots {
        let mut walk = Walk::new(tree, *root);
        while let Some(edge) = walk.next() {
            let Edge::Enter(node) = edge else { continue };
            if view.hidden.contains(node) {
                walk.skip_children();
                continue;
            }
            match tree.tag(node) {
                Tag::Img if !is_unseen(tree, node) => {
                    if let Some(source) = picture::source(tree, node) {
                        add(source);
                    }
                }
                Tag::Video => {
                    if let Some(poster) = tree.attribute(node, Attr::Poster) {
                        add(poster);
                    }
                }
                Tag::Input
                    if tree
                        .attribute(node, Attr::Type)
                        .is_some_and(|kind| kind.eq_ignore_ascii_case("image")) =>
                {
                    if let Some(source) = tree.attribute(node, Attr::Src) {
                        add(source);
                    }
                }
                _ => {}
            }
        }
    }
    images
}
