//! What the site is called.
//!
//! A page states the name of its site in the title, in the links to the start page, in the logo, in the
//! copyright notice and in the titles of its feeds, and often as the host name. Each of these alone is often
//! something else; what several of them say is rarely. Names that differ only in their legal form, article or
//! domain are one.

use hashbrown::HashMap;
use std::ops::Range;

use super::Origin;
use super::address::{Target, without_www};
use super::drafts::{Draft, Drafts};
use super::element_attributes::ElementAttributes;
use super::lines::Lines;
use super::outline::Outline;
use super::site_key::{MIN_SHARED_CHARS, host_labels, host_run, key};
use super::site_wording::{copyright_holder, tidy, without_generic_words};
use super::titles::parts;
use super::view::View;
use crate::evidence::Evidence;
use crate::markup::{Kind, NodeId, decode};
use crate::normalise::fold_spaces;
use crate::page::{Method, truncate};

/// Upper bound on the links to the start page that are read.
const MAX_START_LINKS: usize = 24;
/// Upper bound on the nodes of such a link that are searched for images.
const MAX_LINK_NODES: usize = 24;
/// Upper bound on the logos that are read.
const MAX_LOGOS: usize = 24;
/// Upper bound on the signs and words of each kind that a copyright notice is found by, the last ones of the
/// page.
const MAX_NOTICES: usize = 4;
/// The start of the visible text that is searched for the host name, in bytes.
const MAX_SEARCHED_BYTES: usize = 200_000;
/// Longest title that is cut into parts, in bytes.
const MAX_TITLE_BYTES: usize = 300;
/// Longest title that may be the name of the site as a whole, in words.
const MAX_WHOLE_TITLE_WORDS: usize = 4;
/// Upper bound on the names of a site.
const MAX_NAMES: usize = 64;
/// Upper bound on the names that become segments, the best ones.
const MAX_NAME_SEGMENTS: usize = 6;

/// Where a page names its site.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum SitePlace {
    /// Data that the page states about its site.
    Stated,
    /// The first or the last part of the title.
    Title,
    /// The title of a feed.
    Feed,
    /// A link to the start page, by its text, its title or its image.
    StartLink,
    /// An image that is named as a logo.
    Logo,
    Copyright,
    /// It has the letters of the host name.
    Host,
}

impl SitePlace {
    const ALL: [Self; 7] =
        [Self::Stated, Self::Title, Self::Feed, Self::StartLink, Self::Logo, Self::Copyright, Self::Host];

    const fn bit(self) -> u8 {
        1 << (self as u8)
    }

    /// How much it speaks for a name.
    const fn weight(self) -> f32 {
        match self {
            Self::Stated => 3.0,
            Self::Copyright | Self::Feed => 1.5,
            Self::Host => 2.5,
            Self::StartLink => 1.2,
            Self::Title => 1.0,
            Self::Logo => 0.8,
        }
    }
}

/// A name of the site.
#[derive(Debug)]
struct SiteName {
    /// As the place that comes first in [`SitePlace`] writes it.
    text: String,
    node: NodeId,
    /// The bits of its places.
    places: u8,
    found: Found,
}

/// What is known of a name.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Found {
    /// The sum of the weights of its places.
    pub(crate) weight: f32,
    /// Its weight less that of the best other name.
    pub(crate) lead: f32,
    /// Share of the longer one that it and the host name have in common, if one starts with the other.
    pub(super) host_share: f32,
    places: u8,
}

impl Found {
    pub(super) const fn is_from(&self, place: SitePlace) -> bool {
        self.places & place.bit() != 0
    }

    /// Whether the page shows the name as that of its site, as it is or for readers who see no images.
    pub(crate) fn is_shown(&self) -> bool {
        let places =
            [SitePlace::Title, SitePlace::Feed, SitePlace::StartLink, SitePlace::Logo, SitePlace::Copyright];
        places.into_iter().any(|place| self.is_from(place))
    }
}

/// The names of a site.
#[derive(Debug, Default)]
pub(super) struct SiteNames {
    /// In the order in which their first places are read.
    names: Vec<SiteName>,
    by_key: HashMap<String, usize>,
    /// The first two letters of the keys.
    starts: Vec<[Option<char>; 2]>,
}

impl SiteNames {
    pub(super) fn read(evidence: &Evidence<'_>, outline: &Outline, lines: &Lines) -> Self {
        let hosts = host_labels(evidence.url.host_str().unwrap_or_default());
        let mut reader = Reader { evidence, outline, known: Self::default() };
        reader.stated();
        reader.title(&hosts);
        reader.feeds();
        reader.start_links();
        reader.logos();
        reader.copyright(lines);
        reader.host(&hosts);
        let mut known = reader.known;
        known.rate(&hosts);
        known
    }

    /// What is known of a text, if it is a name of the site.
    pub(super) fn find(&self, text: &str) -> Option<Found> {
        if self.names.is_empty() || !self.may_have(text) || tidy(text).is_none() {
            return None;
        }
        let at = self.by_key.get(&key(text))?;
        self.names.get(*at).map(|name| name.found)
    }

    /// Whether a name starts like the first or, behind an article, the second word of a text.
    fn may_have(&self, text: &str) -> bool {
        let words = text.split_whitespace().filter(|word| word.contains(char::is_alphanumeric));
        words.take(2).any(|word| {
            let mut letters =
                word.chars().filter(|found| found.is_alphanumeric()).flat_map(char::to_lowercase);
            let start = [letters.next(), letters.next()];
            let begins = |known: &[Option<char>; 2]| {
                known[0] == start[0] && (start[1].is_none() || known[1].is_none() || known[1] == start[1])
            };
            // An address starts with what is no part of the name.
            word.contains(['.', '/']) || self.starts.iter().any(begins)
        })
    }

    fn add(&mut self, text: &str, node: NodeId, place: SitePlace) {
        let Some(text) = tidy(text) else { return };
        let key = key(text);
        if key.is_empty() {
            return;
        }
        if let Some(name) = self.by_key.get(&key).and_then(|at| self.names.get_mut(*at)) {
            name.places |= place.bit();
        } else if self.names.len() < MAX_NAMES {
            let mut letters = key.chars();
            let start = [letters.next(), letters.next()];
            if !self.starts.contains(&start) {
                self.starts.push(start);
            }
            self.by_key.insert(key, self.names.len());
            let text = text.to_owned();
            self.names.push(SiteName { text, node, places: place.bit(), found: Found::default() });
        }
    }

    /// Weighs the names.
    fn rate(&mut self, hosts: &[String]) {
        let weight = |places: u8| -> f32 {
            let known = SitePlace::ALL.into_iter().filter(|place| places & place.bit() != 0);
            known.map(SitePlace::weight).sum()
        };
        let mut weights: Vec<f32> = self.names.iter().map(|name| weight(name.places)).collect();
        weights.sort_by(|left, right| right.total_cmp(left));
        let (best, second) =
            (weights.first().copied().unwrap_or_default(), weights.get(1).copied().unwrap_or_default());
        for (key, at) in &self.by_key {
            let Some(name) = self.names.get_mut(*at) else { continue };
            let own = weight(name.places);
            name.found = Found {
                weight: own,
                lead: own - if own < best { best } else { second },
                host_share: hosts.iter().map(|host| shared(key, host)).fold(0.0, f32::max),
                places: name.places,
            };
        }
    }
}

/// Share of the longer text that both have, if it starts with the shorter one.
fn shared(key: &str, host: &str) -> f32 {
    let (short, long) = if key.len() < host.len() { (key, host) } else { (host, key) };
    let size = |text: &str| f32::from(u16::try_from(text.chars().count()).unwrap_or(u16::MAX));
    let has_size = short.chars().count() >= MIN_SHARED_CHARS;
    if has_size && long.starts_with(short) { size(short) / size(long).max(1.0) } else { 0.0 }
}

/// Reads the names of a site from their places.
#[derive(Debug)]
struct Reader<'r, 'a> {
    evidence: &'r Evidence<'a>,
    outline: &'r Outline,
    known: SiteNames,
}

impl Reader<'_, '_> {
    fn stated(&mut self) {
        let names = ["og:site_name", "application-name", "apple-mobile-web-app-title"];
        let evidence = self.evidence;
        let is_name = |label: &str| names.iter().any(|known| known.eq_ignore_ascii_case(label));
        let metas = evidence.pairs.iter().filter(|pair| pair.method == Method::Meta && is_name(&pair.label));
        for pair in metas.take(names.len()) {
            if let Some(node) = pair.node {
                self.known.add(&fold_spaces(truncate(&pair.value, MAX_TITLE_BYTES)), node, SitePlace::Stated);
            }
        }
    }

    fn title(&mut self, hosts: &[String]) {
        let Some(node) = self.outline.title else { return };
        let title = fold_spaces(truncate(&self.evidence.title, MAX_TITLE_BYTES));
        let parts = parts(&title);
        let text = |range: Option<&Range<usize>>| range.and_then(|range| title.get(range.clone()));
        if parts.len() > 1 {
            for part in [text(parts.last()), text(parts.first())].into_iter().flatten() {
                self.known.add(part, node, SitePlace::Title);
            }
        } else if title.split(' ').count() <= MAX_WHOLE_TITLE_WORDS {
            self.known.add(&title, node, SitePlace::Title);
        }
        for host in hosts {
            if let Some(run) = host_run(&title, host).and_then(|range| title.get(range)) {
                self.known.add(run, node, SitePlace::Host);
            }
        }
    }

    fn feeds(&mut self) {
        let outline = self.outline;
        for node in &outline.head_links {
            let (mut rel, mut kind, mut title) = ("", "", "");
            for (key, value) in self.evidence.tree.attributes(*node).iter().copied() {
                if key.eq_ignore_ascii_case("rel") {
                    rel = value;
                } else if key.eq_ignore_ascii_case("type") {
                    kind = value;
                } else if key.eq_ignore_ascii_case("title") {
                    title = truncate(value, MAX_TITLE_BYTES);
                }
            }
            let is_feed =
                rel.eq_ignore_ascii_case("alternate") && (kind.contains("rss") || kind.contains("atom"));
            if title.is_empty() || !(is_feed || rel.eq_ignore_ascii_case("search")) {
                continue;
            }
            let title = fold_spaces(&decode(title));
            // `Acme » Feed`, `Acme - Comments`.
            let first = parts(&title).into_iter().next().and_then(|range| title.get(range));
            if let Some(first) = first {
                self.known.add(without_generic_words(first), *node, SitePlace::Feed);
            }
        }
    }

    fn start_links(&mut self) {
        let (evidence, outline) = (self.evidence, self.outline);
        let own = without_www(evidence.url.host_str().unwrap_or_default());
        let mut left = MAX_START_LINKS;
        for link in &outline.start_links {
            let attributes = ElementAttributes::read(&evidence.tree, *link);
            let host = Target::read(attributes.href).and_then(|target| target.host).map(without_www);
            // A part of a site links to the start page of the whole one.
            let is_own = host.is_none_or(|host| {
                own.eq_ignore_ascii_case(host)
                    || own.strip_suffix(host).is_some_and(|before| before.ends_with('.'))
            });
            if !is_own {
                continue;
            }
            let Some(rest) = left.checked_sub(1) else { return };
            left = rest;
            let text = without_generic_words(evidence.tree.text_of(*link));
            self.known.add(text, *link, SitePlace::StartLink);
            self.label(attributes.title, *link, SitePlace::StartLink);
            self.label(attributes.aria_label, *link, SitePlace::StartLink);
            for node in evidence.tree.within(*link).take(MAX_LINK_NODES) {
                match evidence.tree.kind(node) {
                    Some(Kind::Element { name, .. }) if name.eq_ignore_ascii_case("img") => {
                        let image = ElementAttributes::read(&evidence.tree, node);
                        self.label(image.alt, *link, SitePlace::StartLink);
                        self.label(image.title, *link, SitePlace::StartLink);
                    }
                    Some(Kind::Raw { name, text, .. }) if name.eq_ignore_ascii_case("title") => {
                        self.label(text, *link, SitePlace::StartLink);
                    }
                    _ => {}
                }
            }
        }
    }

    fn logos(&mut self) {
        let (evidence, outline) = (self.evidence, self.outline);
        for node in outline.logos.iter().take(MAX_LOGOS) {
            let attributes = ElementAttributes::read(&evidence.tree, *node);
            self.label(attributes.alt, *node, SitePlace::Logo);
        }
    }

    /// Adds a text for readers who do not see the element: `Acme logo`.
    fn label(&mut self, text: &str, node: NodeId, place: SitePlace) {
        let text = fold_spaces(&decode(truncate(text, MAX_TITLE_BYTES)));
        self.known.add(without_generic_words(&text), node, place);
    }

    fn copyright(&mut self, lines: &Lines) {
        let evidence = self.evidence;
        let text = evidence.tree.text();
        if evidence.tree.interrupt().spend(text.len() / 64) {
            return;
        }
        for sign in ["©", "opyright", "OPYRIGHT"] {
            for (at, _) in text.rmatch_indices(sign).take(MAX_NOTICES) {
                let number = lines.number(at);
                let after = text.get(at + sign.len()..lines.range(number).end).unwrap_or_default();
                let next = || text.get(lines.range(number + 1)).and_then(copyright_holder);
                let Some(holder) = copyright_holder(after).or_else(next) else { continue };
                let Some(node) = self.outline.texts_in(&(at..at + 1)).first().map(|run| run.parent) else {
                    continue;
                };
                self.known.add(holder, node, SitePlace::Copyright);
            }
        }
    }

    /// Finds how the page writes its host name: `acme-tools.example` is `Acme Tools`.
    fn host(&mut self, hosts: &[String]) {
        let evidence = self.evidence;
        let text = truncate(evidence.tree.text(), MAX_SEARCHED_BYTES);
        for host in hosts {
            if evidence.tree.interrupt().spend(text.len() / 64) {
                return;
            }
            let Some(range) = host_run(text, host) else { continue };
            let run = text.get(range.clone()).unwrap_or_default();
            if let Some(node) = self.outline.texts_in(&range).first().map(|found| found.parent) {
                self.known.add(run, node, SitePlace::Host);
            }
        }
    }
}

/// Whether one of the names of an image says that it is a logo.
pub(super) fn is_logo(attributes: &ElementAttributes<'_>) -> bool {
    let file = attributes.src.rsplit('/').next().unwrap_or_default();
    [attributes.class, attributes.id, attributes.alt, file].into_iter().any(|name| {
        let name = truncate(name, MAX_TITLE_BYTES).as_bytes();
        name.windows(4).any(|part| part.eq_ignore_ascii_case(b"logo"))
    })
}

pub(super) fn collect(view: &View<'_, '_>, drafts: &mut Drafts) {
    let mut names: Vec<&SiteName> = view.site.names.iter().collect();
    // The sort is stable: between equals, the order of the places counts.
    names.sort_by(|left, right| right.found.weight.total_cmp(&left.found.weight));
    for name in names.into_iter().take(MAX_NAME_SEGMENTS) {
        let anchor = view.tree.text_range(name.node).start;
        drafts.add(Draft::stated(name.node, anchor, name.text.clone(), Origin::SiteName));
    }
}
