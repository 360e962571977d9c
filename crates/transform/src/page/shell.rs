//! Detects pages whose text is loaded by JavaScript.

use crate::tree::{Attr, Edge, Kind, NodeId, Tag, Tree, Walk};

/// Upper bound on the visible text of an empty shell, in bytes.
pub(crate) const MAX_SHELL_BYTES: usize = 400;

/// The warning of such a page.
pub(crate) const WARNING: &str = "This page seems to load its content with JavaScript: as served it has almost no \
     text. Scrape it with a browser to get its content.";

/// True for ids of elements that scripts usually fill.
pub(crate) fn is_mount(id: &str) -> bool {
    const MOUNTS: [&str; 9] =
        ["root", "app", "__next", "__nuxt", "___gatsby", "svelte", "main", "app-root", "react-root"];
    MOUNTS.contains(&id)
}

/// True if the page has scripts but almost no text.
pub(crate) fn is_shell(tree: &Tree) -> bool {
    let mut scripts = 0;
    let mut bytes = 0;
    let mut mount = false;
    let mut asks = false;
    let mut walk = Walk::new(tree, NodeId::DOCUMENT);
    while let Some(edge) = walk.next() {
        let Edge::Enter(node) = edge else { continue };
        match tree.kind(node) {
            Kind::Text => bytes += tree.text(node).trim().len(),
            Kind::Element => {
                let tag = tree.tag(node);
                scripts += usize::from(
                    tag == Tag::Script
                        && !tree.attribute(node, Attr::Type).is_some_and(|kind| kind.contains("json")),
                );
                if tag == Tag::Noscript {
                    asks |= tree.folded_text(node, 400).to_ascii_lowercase().contains("javascript");
                }
                if tree.first_child(node).is_none() && tag == Tag::Div {
                    mount |= is_mount(tree.attribute(node, Attr::Id).unwrap_or_default());
                }
                mount |=
                    tag == Tag::Other && tree.first_child(node).is_none() && tree.name(node).contains('-');
                if tag.is_invisible() && tag != Tag::Head {
                    walk.skip_children();
                }
            }
            Kind::Document => {}
        }
        if bytes > MAX_SHELL_BYTES {
            return false;
        }
    }
    scripts > 0 && (mount || asks || bytes == 0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tree::{ParseOptions, parse};

    #[test]
    fn an_empty_shell_is_distinguished_from_a_short_page() {
        let rows = [
            ("<title>App</title><div id=root></div><script src=/main.js></script>", true),
            (
                "<body><noscript>You need to enable JavaScript to run this app.</noscript><div class=x></div><script src=a></script>",
                true,
            ),
            ("<app-shell></app-shell><script type=module src=a></script>", true),
            ("<h1>Not found</h1><p>There is no such page.</p>", false),
            ("<p>Short, but served.</p><script>track()</script>", false),
        ];
        for (html, expected) in rows {
            assert_eq!(is_shell(&parse(html, ParseOptions::default())), expected, "{html}");
        }
    }
}
