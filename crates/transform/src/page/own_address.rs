//! The address that a page gives itself.
//!
//! A page may be read at its own address, at that of a mirror or a cache, or from a file. Its main content is
//! the same everywhere, so what depends on an address uses the one that the page declares: its canonical link
//! (RFC 6596), or else `og:url`. A page that declares none counts as an article of an unknown site.

use url::Url;

use crate::resolver::MAX_URL_BYTES;
use crate::tree::{Attr, Tag, Tree};

/// The address of pages that declare none. Its host is reserved (RFC 2606), and its words name nothing.
const UNKNOWN: &str = "https://x.invalid/x/x-x-x-x";

/// The address that a page declares, or one that is the same for all pages without. `fallback` is never used,
/// unless the constant is no URL.
pub(crate) fn of(tree: &Tree, fallback: &Url) -> Url {
    let unknown = Url::parse(UNKNOWN).unwrap_or_else(|_| fallback.clone());
    let read = |address: &str| {
        let address = Some(address.trim()).filter(|text| !text.is_empty() && text.len() <= MAX_URL_BYTES)?;
        let url = unknown.join(address).ok()?;
        (matches!(url.scheme(), "http" | "https") && url.has_host()).then_some(url)
    };
    canonical(tree).and_then(read).or_else(|| og_url(tree).and_then(read)).unwrap_or(unknown)
}

/// The reference of the first canonical link.
fn canonical(tree: &Tree) -> Option<&str> {
    let is_canonical =
        |rel: &str| rel.split_ascii_whitespace().any(|word| word.eq_ignore_ascii_case("canonical"));
    tree.elements_with_tag(Tag::Link)
        .filter(|node| tree.attribute(*node, Attr::Rel).is_some_and(is_canonical))
        .find_map(|node| tree.attribute(node, Attr::Href))
}

/// The content of the first `og:url`.
fn og_url(tree: &Tree) -> Option<&str> {
    let is_named = |name: Attr, node| tree.attribute(node, name) == Some("og:url");
    tree.elements_with_tag(Tag::Meta)
        .filter(|node| is_named(Attr::Property, *node) || is_named(Attr::Name, *node))
        .find_map(|node| tree.attribute(node, Attr::Content))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tree::{ParseOptions, parse};

    #[test]
    fn a_page_has_the_address_that_it_declares() {
        let rows = [
            ("<link rel=canonical href=https://a.example/b>", "https://a.example/b"),
            ("<link rel='alternate Canonical' href=' //a.example/b '>", "https://a.example/b"),
            ("<link rel=canonical href=/b>", "https://x.invalid/b"),
            ("<meta property=og:url content=https://a.example/c>", "https://a.example/c"),
            (
                "<meta property=og:url content=https://a.example/c><link rel=canonical href=https://a.example/b>",
                "https://a.example/b",
            ),
            (
                "<link rel=canonical href=''><meta name=og:url content=https://a.example/c>",
                "https://a.example/c",
            ),
            ("<link rel=canonical href=javascript:x>", UNKNOWN),
            ("<p>text", UNKNOWN),
        ];
        for (html, expected) in rows {
            let tree = parse(html, ParseOptions::default());
            for address in ["https://mirror.example/cache?1", "http://localhost/"] {
                let found = of(&tree, &address.parse().unwrap());
                assert_eq!(found.as_str(), expected, "{html}");
            }
        }
    }
}
