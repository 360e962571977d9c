//! What recurs on the pages of a site, learned from the pages before.
//!
//! One page does not tell the newsletter box from the text that it interrupts; twenty pages of a site do. For
//! each block that may be main content, [`SiteMemory`] counts the pages with its text. For blocks that are
//! links it also knows the page that they link to, and their place in the template: a place whose links were
//! on earlier pages again and again has teasers, in whatever combination.
//!
//! A page is judged by the pages that were learned before it, so the first pages of a site are as they would
//! be alone, and other orders of pages may give other results. Equal pages in equal order give equal results.
//! [`Blocks::furniture`] decides what the evidence means for a page.
//!
//! Only hashes with a secret are stored, no part of a page.

mod identity;
mod table;

use std::collections::HashSet;
use std::fmt;
use std::hash::BuildHasherDefault;
use std::sync::{Mutex, MutexGuard, PoisonError};

use url::Url;

use super::blocks::{Block, Blocks};
use crate::tree::Tree;
use identity::{Identity, Reader, Secret};
use table::{Count, KeyHasher, Table};

/// Pages of a site that are learned before any is judged, and pages that must have had a text or a place
/// before it is common: the first pages of a crawl may be variants of one product, or one section.
const MIN_PAGES: u16 = 6;

/// A text is common if at least two in this many pages had it.
const TEXT_PART: u16 = 5;

/// A place is common if at least one in this many pages had it.
const PLACE_PART: u16 = 4;

/// A place rotates if it repeated its links on at least one in this many of the pages that had it.
const ROTATING_PART: u16 = 4;

/// Pages that must have had a heading before it is dropped with the whole of its section.
const MIN_HEADING_PAGES: u16 = 3;

/// A place with more links on one page is the content of a list page.
const MAX_ROTATING_LINKS: usize = 12;

/// Upper bound on the keys that one page adds.
const MAX_PAGE_KEYS: usize = 1_000;

/// What recurs on the pages of sites, for [`transform_on_site`](crate::transform_on_site): learned from the
/// pages of a crawl or a batch, and used for those that follow.
///
/// It has at most 28,672 entries, whatever the pages contain, and takes at most 600 KB; what did not occur
/// for longest is forgotten. Each host and port is a site of its own, also with `www.`. It holds hashes with
/// a secret of its own, and no part of a page.
#[derive(Default)]
pub struct SiteMemory {
    secret: Secret,
    table: Mutex<Table>,
}

impl fmt::Debug for SiteMemory {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("SiteMemory").finish_non_exhaustive()
    }
}

impl SiteMemory {
    /// A page of a site that is about to be judged.
    pub(crate) fn visit(&self, url: &Url) -> Visit<'_> {
        let site = self.secret.site(url.host_str().unwrap_or_default(), url.port());
        Visit { memory: self, site, learned: None }
    }

    fn lock(&self) -> MutexGuard<'_, Table> {
        self.table.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// What earlier pages of the site say about a block. All is false for the first pages.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Evidence {
    /// An earlier page has its text, or a link to the same page.
    pub(crate) seen: bool,
    /// Several earlier pages have its text: enough to drop a heading with the whole of its section.
    pub(crate) repeated: bool,
    /// Its text is common on the site, and so are the texts of all links in the same place of the page.
    pub(crate) common: bool,
    /// It is a link in a place that has teasers. New ones are not `seen`.
    pub(crate) rotating: bool,
}

/// A page of a site.
#[derive(Debug)]
pub(crate) struct Visit<'m> {
    memory: &'m SiteMemory,
    site: u64,
    /// What [`learn`](Self::learn) adds.
    learned: Option<Lesson>,
}

/// What a page teaches.
#[derive(Debug, Default)]
struct Lesson {
    /// Texts and targets.
    keys: Vec<u64>,
    /// Places, and whether they repeat their links.
    places: Vec<(u64, bool)>,
}

impl Visit<'_> {
    /// What earlier pages say about some blocks of this one.
    pub(crate) fn judge(&mut self, tree: &Tree, blocks: &Blocks, some: &[&Block]) -> Vec<Evidence> {
        let mut reader = Reader::new(&self.memory.secret, self.site, tree);
        let identities: Vec<Option<Identity>> =
            some.iter().map(|block| reader.identity(blocks, block)).collect();
        let table = self.memory.lock();
        let site = table.site(self.site);
        let known: Vec<Known> = identities
            .iter()
            .map(|own| own.map_or_else(Known::default, |own| Known::of(&own, site, &table)))
            .collect();
        let mut evidence: Vec<Evidence> = known.iter().map(|known| known.evidence(site)).collect();
        let places = judge_places(&identities, &known, &mut evidence, site, &table);
        drop(table);
        self.learned = Some(Lesson { keys: keys(&identities), places });
        evidence
    }

    /// Makes [`learn`](Self::learn) learn nothing from this page.
    pub(crate) fn skip(&mut self) {
        self.learned = None;
    }

    /// Learns the page that was judged.
    pub(crate) fn learn(self) {
        let Some(Lesson { keys, places }) = self.learned else { return };
        let mut table = self.memory.lock();
        let site = table.add_page(self.site);
        for (place, repeated) in places {
            table.add(place, site, repeated);
        }
        for key in keys {
            table.add(key, site, false);
        }
        table.keep(self.site);
    }
}

/// The earlier pages that a block was on.
#[derive(Debug, Clone, Copy, Default)]
struct Known {
    /// Those with its text.
    text: u16,
    /// Those with its text, or with a link to the same page.
    any: u16,
}

impl Known {
    fn of(own: &Identity, site: Count, table: &Table) -> Self {
        // What was on a page counts as one even after it was halved to nothing.
        let pages = |key: u64| table.count(key, site).map_or(0, |count| count.pages.max(1));
        let text = pages(own.text);
        Self { text, any: text.max(own.target.map_or(0, pages)) }
    }

    /// What this says about the block by itself.
    fn evidence(self, site: Count) -> Evidence {
        let is_judged = site.pages >= MIN_PAGES;
        Evidence {
            seen: self.any > 0,
            repeated: is_judged && self.text >= MIN_HEADING_PAGES,
            common: self.text >= MIN_PAGES && self.text >= (2 * site.pages).div_ceil(TEXT_PART),
            rotating: false,
        }
    }
}

/// Judges links by the other links in the same place. Returns the places, and whether they repeat their
/// links: at least a third of them was on two earlier pages.
fn judge_places(
    identities: &[Option<Identity>],
    known: &[Known],
    evidence: &mut [Evidence],
    site: Count,
    table: &Table,
) -> Vec<(u64, bool)> {
    let place = |(at, identity): (usize, &Option<Identity>)| Some((identity.as_ref()?.place?, at));
    let mut order: Vec<(u64, usize)> = identities.iter().enumerate().filter_map(place).collect();
    order.sort_unstable();
    let mut places = Vec::new();
    for links in order.chunk_by(|one, other| one.0 == other.0) {
        let Some((place, first)) = links.first().copied() else { continue };
        let on_pages = |pages: u16| {
            let known = links.iter().filter_map(|(_, at)| known.get(*at));
            known.filter(|known| known.any >= pages).count()
        };
        let all_common = links.iter().filter_map(|(_, at)| evidence.get(*at)).all(|evidence| evidence.common);
        let earlier = table.count(place, site).unwrap_or_default();
        let rotates = links.len() <= MAX_ROTATING_LINKS
            && on_pages(1) * 2 >= links.len()
            && earlier.pages >= MIN_PAGES
            && earlier.pages >= site.pages.div_ceil(PLACE_PART)
            && earlier.repeated >= earlier.pages.div_ceil(ROTATING_PART);
        places.push((first, place, on_pages(2) * 3 >= links.len()));
        for (_, at) in links {
            if let Some(evidence) = evidence.get_mut(*at) {
                (evidence.common, evidence.rotating) = (all_common, rotates);
            }
        }
    }
    // In the order of the page, because the order of the hashes is another one in each process.
    places.sort_unstable();
    places.into_iter().map(|(_, place, repeats)| (place, repeats)).collect()
}

/// The texts and targets of a page in order, each once.
fn keys(identities: &[Option<Identity>]) -> Vec<u64> {
    let mut known: HashSet<u64, BuildHasherDefault<KeyHasher>> = HashSet::default();
    let of = |own: &Identity| std::iter::once(own.text).chain(own.target);
    let all = identities.iter().flatten().flat_map(of);
    all.filter(|key| known.insert(*key)).take(MAX_PAGE_KEYS).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::content::blocks::collect;
    use crate::tree::{ParseOptions, parse};
    use crate::view::View;

    /// Judges all blocks of a page, and learns them.
    fn visit(memory: &SiteMemory, url: &str, html: &str) -> Vec<Evidence> {
        let (tree, url) = (parse(html, ParseOptions::default()), url.parse().unwrap());
        let blocks = collect(&tree, &View::whole(&tree), &url);
        let all: Vec<&Block> = blocks.list.iter().collect();
        let mut visit = memory.visit(&url);
        let evidence = visit.judge(&tree, &blocks, &all);
        visit.learn();
        evidence
    }

    fn page(number: usize) -> String {
        format!("<p>Page {number}<p>Read our letter<p><a href=/{0}>Title {0}</a>", number % 3)
    }

    #[test]
    fn evidence_grows_with_the_pages_of_a_site() {
        let memory = SiteMemory::default();
        let first = visit(&memory, "https://a.example/0", &page(0));
        assert_eq!(first, [Evidence::default(); 3]);
        let second = visit(&memory, "https://www.a.example/1", &page(1));
        assert_eq!(second.iter().map(|own| own.seen).collect::<Vec<_>>(), [false, true, false]);
        for number in 2..12 {
            visit(&memory, "http://a.example/n", &page(number));
        }
        let [own, common, link] = visit(&memory, "https://a.example/12", &page(12))[..] else { panic!() };
        assert_eq!(own, Evidence::default());
        assert!(common.common && common.repeated && common.seen && !common.rotating);
        assert!(link.rotating && !link.common, "one of three titles is on a third of the pages");
        for other in ["https://b.example/", "https://a.example:8443/", "https://sub.a.example/"] {
            assert_eq!(visit(&memory, other, &page(13)), [Evidence::default(); 3], "{other}");
        }
    }

    #[test]
    fn a_place_with_new_links_on_every_page_does_not_rotate() {
        let memory = SiteMemory::default();
        for number in 0..30 {
            let html = format!("<p><a href=/{number}>Title {number}</a>");
            assert!(visit(&memory, "https://a.example/", &html).iter().all(|own| !own.rotating));
        }
    }

    #[test]
    fn a_long_list_does_not_rotate() {
        let list = |links: usize| -> String {
            (0..links).map(|number| format!("<li><a href=/{number}>Title {number}</a>")).collect()
        };
        for (links, rotates) in [(MAX_ROTATING_LINKS, true), (MAX_ROTATING_LINKS + 1, false)] {
            let memory = SiteMemory::default();
            let mut last = Vec::new();
            for number in 0..20 {
                last = visit(&memory, "https://a.example/", &format!("<p>Page {number}<ul>{}", list(links)));
            }
            assert_eq!(last.iter().filter(|own| own.rotating).count() == links, rotates, "{links} links");
        }
    }

    #[test]
    fn a_page_that_is_skipped_teaches_nothing() {
        let memory = SiteMemory::default();
        let (tree, url) = (parse("<p>text", ParseOptions::default()), "https://a.example/".parse().unwrap());
        let blocks = collect(&tree, &View::whole(&tree), &url);
        for skips in [true, false] {
            let mut visit = memory.visit(&url);
            let evidence = visit.judge(&tree, &blocks, &[&blocks.list[0]]);
            assert!(!evidence[0].seen);
            if skips {
                visit.skip();
            }
            visit.learn();
        }
        assert!(visit(&memory, "https://a.example/", "<p>text")[0].seen);
    }

    #[test]
    fn the_pages_of_a_site_are_known_for_as_long_as_their_texts() {
        let memory = SiteMemory::default();
        let texts = |name: &str| -> String {
            (0..MAX_PAGE_KEYS).map(|number| format!("<p>{name} {number}")).collect()
        };
        let fill = |round: &str| {
            for page in 0..14 {
                visit(&memory, "https://b.example/", &texts(&format!("{round} {page}")));
            }
        };
        // The first texts of the page are in another generation than the last ones.
        fill("first");
        visit(&memory, "https://a.example/", &texts("own"));
        fill("second");
        let site = memory.secret.site("a.example", None);
        assert_eq!(memory.lock().site(site).pages, 1);
        assert!(visit(&memory, "https://a.example/", "<p>own 999")[0].seen);
    }

    #[test]
    fn one_page_adds_a_bounded_number_of_keys() {
        let memory = SiteMemory::default();
        let html: String = (0..2 * MAX_PAGE_KEYS).map(|number| format!("<p>text {number}<p>same")).collect();
        visit(&memory, "https://a.example/", &html);
        assert_eq!(memory.lock().len(), 1 + MAX_PAGE_KEYS);
    }
}
