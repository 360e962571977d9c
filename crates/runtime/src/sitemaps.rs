//! The sitemaps of a site: where they are, and the bounds on reading them.
//!
//! In a crawl a sitemap is leased, fetched and finished like a page, so the queue handles its politeness,
//! limits and crashes. It gives pages at depth 0 in place of a document. The [`Sitemaps`] of a job know which
//! leases are sitemaps.
//!
//! robots.txt names sitemaps. A job that obeys it has read it before its start page. A job that ignores it
//! leases it like a sitemap and reads only the names of sitemaps. It does not use the shared cache, because
//! the crawl delay in it would then apply to a job that asked to ignore robots.txt.
//!
//! Another process that goes on with the job has this state from notes. The note about a sitemap is stored
//! together with its admission, so no sitemap is lost between the two. The totals are stored with the end of
//! each sitemap, so one that is read twice counts once.

use std::collections::{HashMap, HashSet};
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use gleaner_frontier::{Candidate, Identity, RobotsPolicy, Sitemap, UrlKey, same_site};
use gleaner_store::{Note, NoteKind, NoteValue};
use tokio::sync::OwnedSemaphorePermit;
use url::Url;

use crate::robots::{Robots, robots_url};

/// Maximum number of sitemap files read for one site.
pub const MAX_SITEMAP_FILES: usize = 1_000;
/// Maximum nesting of sitemap indexes.
pub const MAX_SITEMAP_DEPTH: u32 = 3;
/// Maximum number of pages taken from the sitemaps of one site.
pub const MAX_SITEMAP_PAGES: usize = 2_000_000;

/// Maximum number of sitemaps examined per index, including those that are not read.
const MAX_CHILDREN: usize = 5 * MAX_SITEMAP_FILES;

/// Maximum bytes of the sitemaps read for one site.
pub const MAX_SITEMAP_BYTES: usize = 1 << 30;

/// Maximum number of warnings of a job about broken sitemaps.
const MAX_SITEMAP_WARNINGS: usize = 3;
/// The first byte of a note about a sitemap has these bits; the second is its depth.
const IS_NAMED: u8 = 1;
const IS_ROBOTS: u8 = 2;
const IS_GUESSED: u8 = 4;
/// The keys of the notes about all sitemaps of a job.
const TOTAL_PAGES: u64 = 0;
const TOTAL_BYTES: u64 = 1;
const START: u64 = 2;

/// Distinguishes the key of a sitemap from that of a page with the same URL.
const KEY_MARK: u64 = 0x7369_7465_6d61_7073;

/// The known sitemaps of one site, and how much was read from them.
#[derive(Debug, Default)]
pub(crate) struct Sitemaps {
    state: Mutex<State>,
}

#[derive(Debug, Default)]
struct State {
    /// The number of indexes that lead to each sitemap.
    depths: HashMap<UrlKey, u32>,
    /// Sitemaps that the site's robots.txt names. They are read even if its rules forbid their paths.
    named: HashSet<UrlKey>,
    /// Sitemaps that nothing names: they are sought at well-known paths.
    guessed: HashSet<UrlKey>,
    /// robots.txt, if the job reads it only for the names of sitemaps.
    robots: Option<UrlKey>,
    /// The start page of the site.
    start: Option<Url>,
    pages: usize,
    bytes: usize,
    warnings: usize,
}

/// A fetched and parsed sitemap.
#[derive(Debug)]
pub(crate) struct FetchedSitemap {
    /// After redirects.
    pub(crate) url: Url,
    pub(crate) bytes: usize,
    pub(crate) sitemap: Sitemap,
    /// The crawl priority of each page, in the order of the pages.
    pub(crate) priorities: Vec<u8>,
    /// The place of a large one, to be held as long as its pages are in memory.
    pub(crate) place: Option<OwnedSemaphorePermit>,
}

impl FetchedSitemap {
    /// Why it could be read only in part; `None` if all of it was read.
    pub(crate) fn problem(&self) -> Option<String> {
        self.sitemap.warnings.first().map(|warning| format!("was read in part: {warning}"))
    }
}

/// Why a sitemap was not read.
#[derive(Debug)]
pub(crate) struct Unread {
    /// The words that follow its address in a sentence.
    pub(crate) problem: String,
    /// Another attempt may succeed.
    pub(crate) retryable: bool,
    /// This machine had no descriptor, port or memory for the request.
    pub(crate) exhausted: bool,
    /// The status with which it answered, unless that is a success.
    pub(crate) status: Option<u16>,
}

/// Whether a sitemap may be fetched.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum SitemapPermission {
    /// With this crawl delay.
    Allowed { gap: Duration },
    /// robots.txt forbids it.
    Forbidden,
    /// robots.txt could not be read.
    Unknown,
}

impl Sitemaps {
    /// Is this the key of a sitemap?
    pub(crate) fn contains(&self, key: UrlKey) -> bool {
        self.lock().depths.contains_key(&key)
    }

    /// Counts a broken sitemap; true for the first few, which the job warns of.
    pub(crate) fn take_warning(&self) -> bool {
        let mut state = self.lock();
        state.warnings += 1;
        state.warnings <= MAX_SITEMAP_WARNINGS
    }

    /// Whether a sitemap that was not read is worth another attempt. A server error is often over soon, but
    /// each of a thousand sitemaps of an index must not be asked three times because of it.
    pub(crate) fn may_retry(&self, key: UrlKey, unread: &Unread) -> bool {
        let state = self.lock();
        let is_root = state.depths.get(&key) == Some(&0) && !state.guessed.contains(&key);
        unread.retryable && (unread.status.is_none() || is_root)
    }

    /// The warning about a sitemap that was not read; `None` after the first few, or if nothing names it.
    pub(crate) fn unread_warning(&self, key: UrlKey, unread: &Unread) -> Option<String> {
        let is_missing_guess = unread.status.is_some() && self.lock().guessed.contains(&key);
        (!is_missing_guess && self.take_warning()).then(|| unread.problem.clone())
    }

    /// Is this the key of a robots.txt that is read for its sitemaps?
    pub(crate) fn is_robots(&self, key: UrlKey) -> bool {
        self.lock().robots == Some(key)
    }

    /// The sitemaps of a site to read first: those that robots.txt names, `sitemap.xml` at the root, beside
    /// the start page, and below it in case it is a folder without a trailing slash (`/docs`). If robots.txt
    /// was not read, it is one of them.
    pub(crate) fn roots(&self, start: &Url, robots: Option<&RobotsPolicy>) -> Vec<Candidate> {
        let last = start.path_segments().and_then(|mut segments| segments.next_back()).unwrap_or_default();
        let inner = (!last.is_empty() && !last.contains('.')).then(|| format!("{last}/sitemap.xml"));
        let well_known = ["/sitemap.xml", "sitemap.xml"].into_iter().chain(inner.as_deref());
        let well_known: Vec<Url> = well_known.filter_map(|path| start.join(path).ok()).collect();
        let robots_txt = start.join("/robots.txt").ok().filter(|_| robots.is_none());
        let named = robots.map_or_else(Vec::new, |policy| policy.sitemaps_at(&robots_url(start)));
        let mut state = self.lock();
        state.start = Some(start.clone());
        state.robots = robots_txt.as_ref().map(sitemap_key);
        let mut roots = state.add(robots_txt.into_iter(), 0);
        roots.extend(state.add_named(named));
        let guesses = state.add(well_known.into_iter(), 0);
        state.guessed.extend(guesses.iter().map(|guess| guess.key));
        roots.extend(guesses);
        roots
    }

    /// Adds the sitemaps that the site's robots.txt names, and returns the new ones.
    pub(crate) fn add_named(&self, sitemaps: Vec<Url>) -> Vec<Candidate> {
        self.lock().add_named(sitemaps)
    }

    /// Whether robots.txt of its origin allows a sitemap. The site's own robots.txt can name files of any
    /// origin, but cannot override the rules of another origin.
    pub(crate) fn permission(&self, robots: &Robots, url: &Url, key: UrlKey) -> SitemapPermission {
        if robots.failure.is_some() {
            return SitemapPermission::Unknown;
        }
        let policy = &robots.policy;
        let is_named = self.lock().named.contains(&key);
        if is_named || policy.allows(url) {
            SitemapPermission::Allowed { gap: policy.crawl_delay().unwrap_or_default() }
        } else {
            SitemapPermission::Forbidden
        }
    }

    /// Adds the content of a sitemap, within the bounds. Returns new sitemaps, and pages with their crawl
    /// priorities. New sitemaps must belong to the site of the index or to the crawled site, so that an index
    /// cannot direct requests at other sites. Language alternates of a page are pages with the same priority.
    /// Pages are not deduplicated here; the queue or the map does that.
    pub(crate) fn add_content(
        &self,
        from: UrlKey,
        fetched: FetchedSitemap,
    ) -> (Vec<Candidate>, Vec<(Url, u8)>) {
        let FetchedSitemap { url, bytes, sitemap, priorities, .. } = fetched;
        let mut state = self.lock();
        state.bytes = state.bytes.saturating_add(bytes);
        let depth = state.depths.get(&from).map_or(0, |depth| depth + 1);
        let new_sitemaps = if depth <= MAX_SITEMAP_DEPTH {
            let sites = [Some(url), state.start.clone()];
            let is_own = |child: &Url| sites.iter().flatten().any(|url| same_site(child, url));
            state.add(sitemap.children.into_iter().take(MAX_CHILDREN).filter(is_own), depth)
        } else {
            Vec::new()
        };
        let left = MAX_SITEMAP_PAGES.saturating_sub(state.pages);
        let pages = sitemap.pages.into_iter().zip(priorities).flat_map(|(mut page, priority)| {
            page.alternates.retain(|alternate| *alternate != page.url);
            std::iter::once(page.url).chain(page.alternates).map(move |url| (url, priority))
        });
        let pages: Vec<(Url, u8)> = pages.take(left).collect();
        state.pages += pages.len();
        (new_sitemaps, pages)
    }

    /// Notes about the start page and all known sitemaps.
    pub(crate) fn all_notes(&self) -> Vec<Note> {
        let state = self.lock();
        let start = state.start.as_ref().map(|start| {
            let value = NoteValue::Set(start.as_str().to_owned().into());
            Note { kind: NoteKind::SitemapTotals, key: START, value }
        });
        let sitemaps = state.depths.keys().filter_map(|key| state.note(*key));
        start.into_iter().chain(sitemaps).collect()
    }

    /// Notes about the sitemaps among these candidates.
    pub(crate) fn notes_about(&self, candidates: &[Candidate]) -> Vec<Note> {
        let state = self.lock();
        candidates.iter().filter_map(|candidate| state.note(candidate.key)).collect()
    }

    /// Takes over a note of another process.
    pub(crate) fn restore(&self, note: &Note) {
        let mut state = self.lock();
        let number = |number: u64| usize::try_from(number).unwrap_or(usize::MAX);
        match (note.kind, note.key, &note.value) {
            (NoteKind::Sitemap, key, NoteValue::Set(bytes)) => {
                let [flags, depth, ..] = **bytes else { return };
                let key = UrlKey::from_raw(key);
                state.depths.insert(key, depth.into());
                if flags & IS_NAMED != 0 {
                    state.named.insert(key);
                }
                if flags & IS_GUESSED != 0 {
                    state.guessed.insert(key);
                }
                if flags & IS_ROBOTS != 0 {
                    state.robots = Some(key);
                }
            }
            (NoteKind::SitemapTotals, TOTAL_PAGES, NoteValue::Add(pages)) => state.pages = number(*pages),
            (NoteKind::SitemapTotals, TOTAL_BYTES, NoteValue::Add(bytes)) => state.bytes = number(*bytes),
            (NoteKind::SitemapTotals, START, NoteValue::Set(start)) => {
                state.start = std::str::from_utf8(start).ok().and_then(|start| Url::parse(start).ok());
            }
            _ => {}
        }
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Notes that add a sitemap of this many bytes and pages to the totals.
pub(crate) fn total_notes(bytes: usize, pages: usize) -> Vec<Note> {
    let add = |key, number: usize| Note {
        kind: NoteKind::SitemapTotals,
        key,
        value: NoteValue::Add(number as u64),
    };
    vec![add(TOTAL_PAGES, pages), add(TOTAL_BYTES, bytes)]
}

impl State {
    /// The note about a sitemap; `None` for a page.
    fn note(&self, key: UrlKey) -> Option<Note> {
        let depth = u8::try_from(*self.depths.get(&key)?).unwrap_or(u8::MAX);
        let named = if self.named.contains(&key) { IS_NAMED } else { 0 };
        let robots = if self.robots == Some(key) { IS_ROBOTS } else { 0 };
        let guessed = if self.guessed.contains(&key) { IS_GUESSED } else { 0 };
        let value = NoteValue::Set(vec![named | robots | guessed, depth].into());
        Some(Note { kind: NoteKind::Sitemap, key: key.to_raw(), value })
    }

    fn add(&mut self, urls: impl Iterator<Item = Url>, depth: u32) -> Vec<Candidate> {
        let mut new = Vec::new();
        for url in urls {
            let key = sitemap_key(&url);
            let has_space = self.depths.len() < MAX_SITEMAP_FILES && self.bytes < MAX_SITEMAP_BYTES;
            if has_space && !self.depths.contains_key(&key) {
                self.depths.insert(key, depth);
                new.push(Candidate { url, key, external: false, priority: Candidate::AUXILIARY });
            }
        }
        new
    }

    fn add_named(&mut self, sitemaps: Vec<Url>) -> Vec<Candidate> {
        // A sitemap that robots.txt names is not a guess, also if robots.txt was read after the guess.
        for url in &sitemaps {
            self.guessed.remove(&sitemap_key(url));
        }
        let origin = self.start.as_ref().map(Url::origin);
        let own = sitemaps.iter().filter(|url| Some(url.origin()) == origin);
        self.named.extend(own.map(sitemap_key));
        self.add(sitemaps.into_iter(), 0)
    }
}

/// Does not use the identity of the crawl, which may ignore the query: `sitemap.xml?page=2` is another file.
fn sitemap_key(url: &Url) -> UrlKey {
    UrlKey::from_raw(Identity::from_options(false, false).key(url).to_raw() ^ KEY_MARK)
}

#[cfg(test)]
mod tests {
    use gleaner_frontier::sitemap;

    use super::*;

    /// A sitemap of these pages, or an index of these sitemaps.
    fn sitemap_of(element: &str, urls: &[Url]) -> FetchedSitemap {
        let parent = if element == "url" { "urlset" } else { "sitemapindex" };
        let entries: String =
            urls.iter().map(|url| format!("<{element}><loc>{url}</loc></{element}>")).collect();
        parsed(&format!("<{parent}>{entries}</{parent}>"))
    }

    fn parsed(body: &str) -> FetchedSitemap {
        let url = url("/");
        let sitemap = sitemap::parse(body.as_bytes(), &url);
        FetchedSitemap {
            priorities: sitemap.crawl_priorities(),
            sitemap,
            bytes: body.len(),
            url,
            place: None,
        }
    }

    fn url(path: &str) -> Url {
        Url::parse("https://site.example/docs/start").unwrap().join(path).unwrap()
    }

    fn paths(candidates: &[Candidate]) -> Vec<&str> {
        candidates.iter().map(|candidate| candidate.url.path()).collect()
    }

    #[test]
    fn sitemaps_are_sought_where_robots_txt_names_them_and_at_well_known_paths() {
        let robots = RobotsPolicy::parse(
            b"Sitemap: https://cdn.example/map.xml\nSitemap: https://site.example/sitemap.xml",
            "x",
        );
        let roots = Sitemaps::default().roots(&url(""), Some(&robots));
        assert_eq!(
            paths(&roots),
            ["/map.xml", "/sitemap.xml", "/docs/sitemap.xml", "/docs/start/sitemap.xml"]
        );
        let nothing = RobotsPolicy::allow_all();
        let page = Sitemaps::default().roots(&url("/docs"), Some(&nothing));
        assert_eq!(paths(&page), ["/sitemap.xml", "/docs/sitemap.xml"]);
        let file = Sitemaps::default().roots(&url("/docs/a.html"), Some(&nothing));
        assert_eq!(paths(&file), ["/sitemap.xml", "/docs/sitemap.xml"]);
    }

    #[test]
    fn an_unread_robots_txt_is_one_of_the_sitemaps() {
        let sitemaps = Sitemaps::default();
        let roots = sitemaps.roots(&url("/docs/"), None);
        assert_eq!(paths(&roots), ["/robots.txt", "/sitemap.xml", "/docs/sitemap.xml"]);
        let is_robots: Vec<bool> = roots.iter().map(|root| sitemaps.is_robots(root.key)).collect();
        assert_eq!(is_robots, [true, false, false]);
        assert!(roots.iter().all(|root| sitemaps.contains(root.key)));
        let named = sitemaps.add_named(vec![url("/named.xml"), url("/sitemap.xml")]);
        assert_eq!(paths(&named), ["/named.xml"], "each is read once");
    }

    #[test]
    fn an_index_that_names_itself_is_read_once_and_nesting_is_bounded() {
        let sitemaps = Sitemaps::default();
        let mut next = sitemaps.roots(&url("/"), Some(&RobotsPolicy::allow_all())).remove(0);
        let mut read = 0;
        loop {
            let children = vec![next.url.clone(), url(&format!("/{read}.xml"))];
            let (new_sitemaps, _) = sitemaps.add_content(next.key, sitemap_of("sitemap", &children));
            read += 1;
            assert!(new_sitemaps.len() <= 1, "a known sitemap is not read again");
            let Some(child) = new_sitemaps.into_iter().next() else { break };
            next = child;
        }
        assert_eq!(read, MAX_SITEMAP_DEPTH + 1);
    }

    #[test]
    fn pages_have_the_priorities_of_their_sitemap() {
        let body = "<urlset><url><loc>/a</loc><priority>0.2</priority></url>\
            <url><loc>/b</loc><priority>0.9</priority></url></urlset>";
        let sitemaps = Sitemaps::default();
        let root = sitemaps.roots(&url("/"), Some(&RobotsPolicy::allow_all())).remove(0);
        let (_, pages) = sitemaps.add_content(root.key, parsed(body));
        assert!(pages[0].0.path() == "/a" && pages[0].1 < pages[1].1, "{pages:?}");
    }

    #[test]
    fn language_alternates_of_a_page_are_pages() {
        let link = |language: &str, href: &str| {
            format!("<xhtml:link rel='alternate' hreflang='{language}' href='{href}'/>")
        };
        let body = format!(
            "<urlset xmlns:xhtml='http://www.w3.org/1999/xhtml'>\
             <url><loc>/en/a</loc>{}{}<priority>0.9</priority></url>\
             <url><loc>/en/b</loc></url></urlset>",
            link("en", "/en/a"),
            link("de", "/de/a")
        );
        let sitemaps = Sitemaps::default();
        let root = sitemaps.roots(&url("/"), Some(&RobotsPolicy::allow_all())).remove(0);
        let (_, pages) = sitemaps.add_content(root.key, parsed(&body));
        let (paths, priorities): (Vec<&str>, Vec<u8>) =
            pages.iter().map(|(url, priority)| (url.path(), *priority)).unzip();
        assert_eq!(paths, ["/en/a", "/de/a", "/en/b"]);
        assert!(priorities[0] == priorities[1] && priorities[1] > priorities[2], "{priorities:?}");
    }

    #[test]
    fn sitemaps_that_differ_in_their_query_are_distinct() {
        let sitemaps = Sitemaps::default();
        let root = sitemaps.roots(&url("/"), Some(&RobotsPolicy::allow_all())).remove(0);
        let (new_sitemaps, _) = sitemaps
            .add_content(root.key, sitemap_of("sitemap", &[url("/s.xml?page=1"), url("/s.xml?page=2")]));
        assert_eq!(new_sitemaps.len(), 2);
        let (_, pages) =
            sitemaps.add_content(root.key, sitemap_of("url", &[url("/a"), url("/b"), url("/c")]));
        assert_eq!(pages.len(), 3);
        assert!(new_sitemaps.iter().all(|sitemap| sitemaps.contains(sitemap.key)));
    }

    #[test]
    fn an_index_can_name_sitemaps_of_its_own_site_and_of_the_crawled_site_only() {
        let robots = RobotsPolicy::parse(b"Sitemap: https://cdn.example/map.xml", "x");
        let sitemaps = Sitemaps::default();
        let root = sitemaps.roots(&url("/"), Some(&robots)).remove(0);
        assert_eq!(root.url.host_str(), Some("cdn.example"));
        let children =
            ["https://www.site.example/1.xml", "https://s.cdn.example/2.xml", "https://victim.example/3.xml"];
        let children = children.map(|child| Url::parse(child).unwrap());
        let index = FetchedSitemap { url: root.url.clone(), ..sitemap_of("sitemap", &children) };
        let (new_sitemaps, _) = sitemaps.add_content(root.key, index);
        assert_eq!(paths(&new_sitemaps), ["/1.xml", "/2.xml"]);
    }

    #[test]
    fn another_process_knows_the_same_sitemaps() {
        let robots = RobotsPolicy::parse(b"Sitemap: https://site.example/named.xml", "x");
        let sitemaps = Sitemaps::default();
        let root = sitemaps.roots(&url(""), Some(&robots)).remove(0);
        let mut notes = sitemaps.all_notes();
        let body = sitemap_of("sitemap", &[url("/child.xml")]);
        let bytes = body.bytes;
        let (new_sitemaps, pages) = sitemaps.add_content(root.key, body);
        notes.extend(sitemaps.notes_about(&new_sitemaps));
        notes.extend(total_notes(bytes, pages.len()));

        let restored = Sitemaps::default();
        notes.iter().for_each(|note| restored.restore(note));
        let state = |sitemaps: &Sitemaps| {
            let State { depths, named, guessed, robots, start, pages, bytes, .. } = &*sitemaps.lock();
            let sets = (named.clone(), guessed.clone());
            (depths.clone(), sets, *robots, start.clone(), *pages, *bytes)
        };
        assert_eq!(state(&restored), state(&sitemaps));
        assert_eq!(state(&restored).0[&new_sitemaps[0].key], 1);
        assert!(restored.roots(&url(""), Some(&robots)).is_empty(), "none is read twice");

        let unread = Sitemaps::default();
        let roots = unread.roots(&url("/"), None);
        let restored = Sitemaps::default();
        unread.notes_about(&roots).iter().for_each(|note| restored.restore(note));
        assert!(restored.is_robots(roots[0].key) && restored.contains(roots[1].key));
    }

    #[test]
    fn the_bytes_of_all_sitemaps_are_bounded() {
        let sitemaps = Sitemaps::default();
        let root = sitemaps.roots(&url("/"), Some(&RobotsPolicy::allow_all())).remove(0);
        let large = FetchedSitemap { bytes: MAX_SITEMAP_BYTES, ..sitemap_of("sitemap", &[url("/more.xml")]) };
        assert!(sitemaps.add_content(root.key, large).0.is_empty());
    }
}
