//! Reads the links of a page from its tree.

use std::collections::HashSet;
use std::collections::hash_map::{Entry, HashMap, RandomState};
use std::hash::{BuildHasher, BuildHasherDefault, Hasher};

use gleaner_types::plan::{omits_slash, without_slash};
use url::Url;

use crate::resolver::{Resolver, strip};
use crate::tree::{Attr, Edge, Tag, Tree, Walk};
use crate::view::View;

/// Upper bound on the links of a page. There are fewer if a long base makes them very long
/// ([`MAX_RESOLVED_BYTES`]).
///
/// [`MAX_RESOLVED_BYTES`]: crate::MAX_RESOLVED_BYTES
pub const MAX_LINKS: usize = 100_000;

/// A link to another page.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Link {
    /// The absolute `http` or `https` URL, with its fragment.
    pub url: Url,
    /// The page asks not to follow it (`rel="nofollow"`).
    pub nofollow: bool,
    /// The element that links there. If several do, the first in the order of [`LinkKind`].
    pub kind: LinkKind,
}

/// The kind of element that links to another page.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
#[non_exhaustive]
pub enum LinkKind {
    /// `<a>` or `<area>`.
    Anchor,
    /// `<link rel="next">` or `<link rel="prev">`: the next and previous page of a series (HTML Standard,
    /// 4.6.7.15).
    Series,
    /// `<frame>`: a part of a frameset.
    Frame,
    /// `<iframe>`: a document embedded in the page, often from another site. Callers may ignore this kind.
    Inline,
}

/// The links and robots directives of a page.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct PageLinks {
    /// All links, each URL once, in document order, at most [`MAX_LINKS`]. Links within the page (`#part`)
    /// are left out; hash routes (`#/part`, `#!part`) are kept. A URL is `nofollow` if all its links are. An
    /// [`LinkKind::Inline`] document cannot be marked `nofollow`, so it does not count if the URL has other
    /// links.
    pub links: Vec<Link>,
    /// The canonical URL that the page declares.
    pub canonical: Option<Url>,
    /// The page asks not to follow any of its links (`<meta name="robots" content="nofollow">`, or `none`).
    pub robots_nofollow: bool,
    /// The page asks not to be indexed.
    pub robots_noindex: bool,
    /// The target of `<meta http-equiv="refresh">`, if it has one.
    pub refresh: Option<Url>,
}

/// Collects links, each URL once.
#[derive(Debug)]
pub(crate) struct Collector {
    resolver: Resolver,
    links: PageLinks,
    /// The position of each URL in the list, by its hash.
    positions: HashMap<u64, usize, Prehashed>,
    /// Positions of URLs that the page writes without the final slash (`https://example.com`).
    slashless: HashSet<usize>,
    /// Hashes of references as written. Most repeated links are identical, and need no second resolution.
    written: HashSet<u64, Prehashed>,
    /// Randomly keyed, so that no page can prepare URLs with equal hashes.
    hasher: RandomState,
}

impl Collector {
    pub(crate) fn new(resolver: Resolver) -> Self {
        Self {
            resolver,
            links: PageLinks::default(),
            positions: HashMap::default(),
            slashless: HashSet::new(),
            written: HashSet::default(),
            hasher: RandomState::new(),
        }
    }

    /// Adds a link as the page writes it.
    pub(crate) fn link(&mut self, href: &str, rel: &str, kind: LinkKind) {
        if self.links.links.len() >= MAX_LINKS || is_within_page(href) {
            return;
        }
        let nofollow = has_word(rel, "nofollow");
        let written = self.hasher.hash_one(href) ^ u64::from(nofollow) ^ ((kind as u64) << 1);
        if !self.written.insert(written) {
            return;
        }
        let Some(url) = self.resolver.web_url(href) else { return };
        match self.positions.entry(self.hasher.hash_one(url.as_str())) {
            Entry::Occupied(entry) => {
                let Some(link) = self.links.links.get_mut(*entry.get()) else { return };
                match (link.kind, kind) {
                    (_, LinkKind::Inline) => {}
                    (LinkKind::Inline, _) => (link.kind, link.nofollow) = (kind, nofollow),
                    _ => {
                        link.kind = link.kind.min(kind);
                        link.nofollow &= nofollow;
                    }
                }
            }
            Entry::Vacant(entry) => {
                let position = self.links.links.len();
                if omits_slash(&strip(href), &url) {
                    self.slashless.insert(position);
                }
                entry.insert(position);
                self.links.links.push(Link { url, nofollow, kind });
            }
        }
    }

    /// The URLs of anchors as text, for the `links` format. A bare host has a slash only if its first link
    /// has one.
    pub(crate) fn texts(&self) -> Vec<String> {
        let links = self.links.links.iter().enumerate();
        let anchors = links.filter(|(_, link)| link.kind == LinkKind::Anchor);
        let text = |(position, link): (usize, &Link)| {
            if self.slashless.contains(&position) {
                without_slash(&link.url).into_owned()
            } else {
                link.url.as_str().to_owned()
            }
        };
        anchors.map(text).collect()
    }

    /// Reads a `<link>`.
    pub(crate) fn head_link(&mut self, href: &str, rel: &str) {
        if self.links.canonical.is_none() && has_word(rel, "canonical") {
            self.links.canonical = self.resolver.web_url(href);
        }
        if is_series(rel) {
            self.link(href, rel, LinkKind::Series);
        }
    }

    /// Reads a `<meta>`. `name` is its `name` or `http-equiv`.
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
                .and_then(|target| self.resolver.web_url(target));
        }
    }

    pub(crate) fn resolver(&self) -> &Resolver {
        &self.resolver
    }

    pub(crate) fn finish(self) -> PageLinks {
        self.links
    }
}

/// Builds hashers for keys that are hashes already.
type Prehashed = BuildHasherDefault<IdentityHasher>;

#[derive(Debug, Default)]
struct IdentityHasher(u64);

impl Hasher for IdentityHasher {
    fn finish(&self) -> u64 {
        self.0
    }

    fn write(&mut self, bytes: &[u8]) {
        for byte in bytes {
            self.0 = self.0.rotate_left(8) ^ u64::from(*byte);
        }
    }

    fn write_u64(&mut self, hash: u64) {
        self.0 = hash;
    }
}

/// True if a reference leads to a fragment of the same page.
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

fn is_series(rel: &str) -> bool {
    has_word(rel, "next") || has_word(rel, "prev")
}

/// True if [`Collector::head_link`] uses a `<link>` with this `rel`.
pub(crate) fn is_relevant_rel(rel: &str) -> bool {
    has_word(rel, "canonical") || is_series(rel)
}

/// The links of a whole page.
pub(crate) fn of_page(tree: &Tree, resolver: &Resolver) -> PageLinks {
    let mut collector = Collector::new(resolver.with_full_budget());
    // In source order, as in the pass without a tree.
    for node in tree.all_elements() {
        let attribute = |name| tree.attribute(node, name).unwrap_or_default();
        match tree.tag(node) {
            Tag::A | Tag::Area => {
                if let Some(href) = tree.attribute(node, Attr::Href) {
                    collector.link(href, attribute(Attr::Rel), LinkKind::Anchor);
                }
            }
            Tag::Frame => collector.link(attribute(Attr::Src), "", LinkKind::Frame),
            Tag::Iframe => collector.link(attribute(Attr::Src), "", LinkKind::Inline),
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

/// The URLs linked from a part of a page, for the `links` format.
pub(crate) fn of_view(tree: &Tree, view: &View, resolver: &Resolver) -> Vec<String> {
    let mut collector = Collector::new(resolver.with_full_budget());
    for root in &view.roots {
        let mut walk = Walk::new(tree, *root);
        while let Some(edge) = walk.next() {
            let Edge::Enter(node) = edge else { continue };
            if view.hidden.contains(node) {
                walk.skip_children();
            } else if matches!(tree.tag(node), Tag::A | Tag::Area)
                && let Some(href) = tree.attribute(node, Attr::Href)
            {
                collector.link(href, "", LinkKind::Anchor);
            }
        }
    }
    collector.texts()
}
