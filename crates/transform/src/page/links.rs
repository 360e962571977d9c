//! The links of a page, read off its tree.

use std::collections::HashSet;

use url::Url;

use crate::address::{Resolver, strip};
use crate::tree::{Attr, Edge, NodeId, Tag, Tree, Walk};
use crate::view::View;

/// A page gives at most so many links.
pub const MAX_LINKS: usize = 100_000;

/// A link to another page.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Link {
    /// Absolute, `http` or `https`, with its fragment.
    pub url: Url,
    /// The page asks not to follow it (`rel="nofollow"`).
    pub nofollow: bool,
}

/// Where one can go from a page.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct PageLinks {
    /// All links, each address once, in their order, at most [`MAX_LINKS`]. Links within the page (`#part`) are left
    /// out, hash routes (`#/part`, `#!part`) are not. An address counts as `nofollow` where its every link is.
    pub links: Vec<Link>,
    /// The address the page gives as its own.
    pub canonical: Option<Url>,
    /// The page asks not to follow any of its links (`<meta name="robots" content="nofollow">`, or `none`).
    pub robots_nofollow: bool,
    /// The page asks not to be indexed.
    pub robots_noindex: bool,
    /// Where `<meta http-equiv="refresh">` leads, if elsewhere.
    pub refresh: Option<Url>,
}

/// Collects links, each address once.
#[derive(Debug)]
pub(crate) struct Collector {
    resolver: Resolver,
    seen: HashSet<Url>,
    seen_raw: HashSet<(u64, bool)>,
    links: PageLinks,
    /// Addresses first seen as `nofollow`, by their place.
    positions: std::collections::HashMap<Url, usize>,
}

impl Collector {
    pub(crate) fn new(resolver: Resolver) -> Self {
        Self {
            resolver,
            seen: HashSet::new(),
            seen_raw: HashSet::new(),
            links: PageLinks::default(),
            positions: std::collections::HashMap::new(),
        }
    }

    /// Notes a link as the page has it.
    pub(crate) fn link(&mut self, href: &str, rel: &str) {
        if self.links.links.len() >= MAX_LINKS || is_within_page(href) {
            return;
        }
        let nofollow = has_word(rel, "nofollow");
        // Most repeated links are repeated letter by letter: no need to resolve those.
        if !self.seen_raw.insert((hash(href), nofollow)) {
            return;
        }
        let Some(url) = self.resolver.web(href) else { return };
        if self.seen.contains(&url) {
            if !nofollow
                && let Some(at) = self.positions.remove(&url)
                && let Some(link) = self.links.links.get_mut(at)
            {
                link.nofollow = false;
            }
            return;
        }
        self.seen.insert(url.clone());
        if nofollow {
            self.positions.insert(url.clone(), self.links.links.len());
        }
        self.links.links.push(Link { url, nofollow });
    }

    /// Notes a `<link>`.
    pub(crate) fn head_link(&mut self, href: &str, rel: &str) {
        if self.links.canonical.is_none() && has_word(rel, "canonical") {
            self.links.canonical = self.resolver.web(href);
        }
    }

    /// Notes a `<meta>`; `name` is its `name` or `http-equiv`.
    pub(crate) fn meta(&mut self, name: &str, content: &str) {
        if name.eq_ignore_ascii_case("robots") {
            for word in content.split([',', ' ']) {
                let is = |known: &str| word.eq_ignore_ascii_case(known);
                self.links.robots_nofollow |= is("nofollow") || is("none");
                self.links.robots_noindex |= is("noindex") || is("none");
            }
        } else if name.eq_ignore_ascii_case("refresh") && self.links.refresh.is_none() {
            let target = content.split_once([';', ',']).map(|(_, target)| target.trim());
            let target = target.map(|target| match target.split_once('=') {
                Some((key, value)) if key.trim().eq_ignore_ascii_case("url") => value.trim(),
                _ => target,
            });
            self.links.refresh = target
                .map(|target| target.trim_matches(['"', '\'']))
                .filter(|target| !target.is_empty())
                .and_then(|target| self.resolver.web(target));
        }
    }

    pub(crate) fn finish(self) -> PageLinks {
        self.links
    }
}

fn hash(text: &str) -> u64 {
    use std::hash::{DefaultHasher, Hasher};
    let mut hasher = DefaultHasher::new();
    hasher.write(text.as_bytes());
    hasher.finish()
}

/// Does the reference lead to a place in the same page?
fn is_within_page(href: &str) -> bool {
    let href = strip(href);
    match href.strip_prefix('#') {
        Some(fragment) => !fragment.starts_with(['/', '!']),
        None => href.is_empty(),
    }
}

fn has_word(words: &str, word: &str) -> bool {
    words.split_ascii_whitespace().any(|known| known.eq_ignore_ascii_case(word))
}

/// Everything one can follow from the page.
pub(crate) fn of_page(tree: &Tree, resolver: &Resolver) -> PageLinks {
    let mut collector = Collector::new(resolver.clone());
    for edge in Walk::new(tree, NodeId::DOCUMENT) {
        let Edge::Enter(node) = edge else { continue };
        let attribute = |name| tree.attribute(node, name).unwrap_or_default();
        match tree.tag(node) {
            Tag::A | Tag::Area => {
                if let Some(href) = tree.attribute(node, Attr::Href) {
                    collector.link(href, attribute(Attr::Rel));
                }
            }
            Tag::Frame => collector.link(attribute(Attr::Src), ""),
            Tag::Link => collector.head_link(attribute(Attr::Href), attribute(Attr::Rel)),
            Tag::Meta => {
                let name = tree.attribute(node, Attr::Name).or_else(|| tree.attribute(node, Attr::HttpEquiv));
                collector.meta(name.unwrap_or_default(), attribute(Attr::Content));
            }
            _ => {}
        }
    }
    collector.finish()
}

/// The addresses linked from a part of a page, for the `links` format.
pub(crate) fn of_view(tree: &Tree, view: &View, resolver: &Resolver) -> Vec<String> {
    let mut collector = Collector::new(resolver.clone());
    for root in &view.roots {
        let mut walk = Walk::new(tree, *root);
        while let Some(edge) = walk.next() {
            let Edge::Enter(node) = edge else { continue };
            if view.hidden.contains(node) {
                walk.skip_children();
            } else if matches!(tree.tag(node), Tag::A | Tag::Area)
                && let Some(href) = tree.attribute(node, Attr::Href)
            {
                collector.link(href, "");
            }
        }
    }
    collector.finish().links.into_iter().map(|link| link.url.into()).collect()
}
