//! Reads the links of a page from its tree.

use std::collections::HashSet;
use std::collections::hash_map::{Entry, HashMap, RandomState};
use std::hash::{BuildHasher, BuildHasherDefault, Hasher};

use gleaner_types::plan::{omits_slash, without_slash};
use gleaner_types::{Interrupt, Refresh};
use url::Url;

use crate::resolver::{Resolver, strip};
use crate::tree::{Attr, Attributes, Edge, LinkTags, Tag, Tokenizer, Tree, Walk};
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
    fn head_link(&mut self, href: &str, rel: &str) {
        if self.links.canonical.is_none() && has_word(rel, "canonical") {
            self.links.canonical = self.resolver.web_url(href);
        }
        if is_series(rel) {
            self.link(href, rel, LinkKind::Series);
        }
    }

    /// Reads the `content` of `<meta name="robots">`.
    fn robots(&mut self, content: &str) {
        let apart = |character: char| matches!(character, ',' | ';') || character.is_ascii_whitespace();
        for word in content.split(apart) {
            let is = |known: &str| word.eq_ignore_ascii_case(known);
            self.links.robots_nofollow |= is("nofollow") || is("none");
            self.links.robots_noindex |= is("noindex") || is("none");
        }
    }

    /// Reads the `content` of `<meta http-equiv="refresh">`.
    fn refresh(&mut self, content: &str) {
        if self.links.refresh.is_none() {
            let target = Refresh::parse(content).filter(|refresh| !refresh.url.is_empty());
            self.links.refresh = target.and_then(|refresh| self.resolver.web_url(refresh.url));
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

/// The links of a whole page: of the tags that were marked as `text` was read.
pub(crate) fn collect(text: &str, tags: &LinkTags, resolver: Resolver, interrupt: &Interrupt) -> Collector {
    let mut collector = Collector::new(resolver);
    let mut tokenizer = Tokenizer::new(text);
    for at in tags.marks() {
        if interrupt.spend(1) {
            break;
        }
        let Some(name) = tokenizer.tag_at(*at as usize) else { continue };
        let attributes = Attributes { text, raw: tokenizer.attributes() };
        let value = |name: &str| attributes.get(name).unwrap_or_default();
        let is = |known: &str| name.of(text).eq_ignore_ascii_case(known);
        if is("a") || is("area") {
            // Only a link in a drawing is marked without the first (SVG 2, 16.1.6).
            let href = attributes.get("href").unwrap_or_else(|| value("xlink:href"));
            collector.link(&href, &value("rel"), LinkKind::Anchor);
        } else if is("frame") {
            collector.link(&value("src"), "", LinkKind::Frame);
        } else if is("iframe") {
            collector.link(&value("src"), "", LinkKind::Inline);
        } else if is("link") {
            collector.head_link(&value("href"), &value("rel"));
        } else if is("meta") {
            if value("name").trim().eq_ignore_ascii_case("robots") {
                collector.robots(&value("content"));
            }
            if value("http-equiv").eq_ignore_ascii_case("refresh") {
                collector.refresh(&value("content"));
            }
        }
    }
    collector
}

/// The URLs linked from a part of a page, for the `links` format.
pub(crate) fn of_view(tree: &Tree, view: &View, resolver: &Resolver) -> Vec<String> {
    let mut collector = Collector::new(resolver.with_full_budget());
    for root in &view.roots {
        let mut walk = Walk::new(tree, *root);
        while let Some(edge) = walk.next() {
            let Edge::Enter(node) = edge else { continue };
            // The content of a template is not part of the page, unless it is a declarative shadow tree.
            let is_template = tree.tag(node) == Tag::Template && !tree.is_shadow_root(node);
            if view.hidden.contains(node) || is_template {
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
