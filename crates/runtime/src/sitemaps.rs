//! The sitemaps of a site: which there are, and when enough was read.
//!
//! In a crawl a sitemap is leased, fetched and finished like a page, so that politeness, limits and crashes
//! are the queue's business here too; it gives pages at depth 0 in place of a document. [`Sitemaps`] of a job
//! remembers which leases are sitemaps.
//!
//! robots.txt names sitemaps. A job that holds to it has read it before its start page. One that does not
//! leases it like a sitemap of its own and reads nothing else in it: not through what is known of robots.txt
//! in common, because then what it says of the pace would hold for a job that asked not to heed it.

use std::collections::{HashMap, HashSet};
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use gleaner_frontier::{Candidate, Identity, RobotsPolicy, Sitemap, UrlKey, same_site};
use url::Url;

use crate::robots::Robots;

/// At most so many sitemap files of one site are read.
pub const MAX_SITEMAP_FILES: usize = 1_000;
/// Indexes are followed this far.
pub const MAX_SITEMAP_DEPTH: u32 = 3;
/// At most so many pages are taken from the sitemaps of one site.
pub const MAX_SITEMAP_PAGES: usize = 2_000_000;

/// So many of the sitemaps that one index names are looked at: more than are read.
const MAX_CHILDREN: usize = 5 * MAX_SITEMAP_FILES;

/// At most so many bytes of sitemaps are read for one site.
pub const MAX_SITEMAP_BYTES: usize = 1 << 30;

/// Of so many broken sitemaps a job tells its reader.
const MAX_WARNED: usize = 3;
/// Tells the key of a sitemap from that of a page at the same address.
const MARK: u64 = 0x7369_7465_6d61_7073;

/// The sitemaps of one site that are known, and how much they gave.
#[derive(Debug, Default)]
pub(crate) struct Sitemaps {
    state: Mutex<State>,
}

#[derive(Debug, Default)]
struct State {
    /// How many indexes lead to each.
    depths: HashMap<UrlKey, u32>,
    /// Those that the site's robots.txt names are meant to be read, whatever else it forbids.
    named: HashSet<UrlKey>,
    /// robots.txt, where it is read for its sitemaps alone.
    robots: Option<UrlKey>,
    /// Whose sitemaps they are.
    start: Option<Url>,
    pages: usize,
    bytes: usize,
    /// How many that are broken the reader was told of.
    warned: usize,
}

/// A sitemap that was read.
#[derive(Debug)]
pub(crate) struct ReadSitemap {
    /// After redirects.
    pub(crate) url: Url,
    pub(crate) bytes: usize,
    pub(crate) sitemap: Sitemap,
    /// Of its pages, in their order.
    pub(crate) priorities: Vec<u8>,
}

impl ReadSitemap {
    /// Why not all of it could be read, where that is so.
    pub(crate) fn trouble(&self) -> Option<String> {
        self.sitemap.warnings.first().map(ToString::to_string)
    }
}

/// May a sitemap be fetched?
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Allowed {
    /// And its host wants so much time between requests.
    Yes { gap: Duration },
    /// robots.txt forbids it.
    No,
    /// robots.txt could not be read.
    Unknown,
}

impl Sitemaps {
    /// Is this the key of a sitemap?
    pub(crate) fn contains(&self, key: UrlKey) -> bool {
        self.lock().depths.contains_key(&key)
    }

    /// Whether the reader of the job may be told of one more broken sitemap.
    pub(crate) fn may_warn(&self) -> bool {
        let mut state = self.lock();
        state.warned += 1;
        state.warned <= MAX_WARNED
    }

    /// Is this the key of a robots.txt that is read for its sitemaps?
    pub(crate) fn is_robots(&self, key: UrlKey) -> bool {
        self.lock().robots == Some(key)
    }

    /// Where the sitemaps of a site are: those that robots.txt names, the one at the root, the one beside the
    /// start page, and the one of the folder that the start page may be without saying so (`/docs`). Where
    /// robots.txt was not read, it is among them.
    pub(crate) fn roots(&self, start: &Url, robots: Option<&RobotsPolicy>) -> Vec<Candidate> {
        let last = start.path_segments().and_then(|mut segments| segments.next_back()).unwrap_or_default();
        let inner = (!last.is_empty() && !last.contains('.')).then(|| format!("{last}/sitemap.xml"));
        let usual = ["/sitemap.xml", "sitemap.xml"].into_iter().chain(inner.as_deref());
        let usual: Vec<Url> = usual.filter_map(|path| start.join(path).ok()).collect();
        let unread = start.join("/robots.txt").ok().filter(|_| robots.is_none());
        let named = robots.map_or_else(Vec::new, |policy| policy.sitemaps().to_vec());
        let mut state = self.lock();
        state.start = Some(start.clone());
        state.robots = unread.as_ref().map(key_of);
        let mut roots = state.put(unread.into_iter(), 0);
        roots.extend(state.name(named));
        roots.extend(state.put(usual.into_iter(), 0));
        roots
    }

    /// The sitemaps that the site's robots.txt names.
    pub(crate) fn named(&self, sitemaps: Vec<Url>) -> Vec<Candidate> {
        self.lock().name(sitemaps)
    }

    /// May a sitemap be fetched, as far as the robots.txt of its origin says? The site's own robots.txt may
    /// name files of any origin, but not in the name of that.
    pub(crate) fn allows(&self, robots: &Robots, url: &Url, key: UrlKey) -> Allowed {
        if robots.trouble.is_some() {
            return Allowed::Unknown;
        }
        let policy = &robots.policy;
        let is_named = self.lock().named.contains(&key);
        if is_named || policy.allows(url) {
            Allowed::Yes { gap: policy.crawl_delay().unwrap_or_default() }
        } else {
            Allowed::No
        }
    }

    /// Takes in what a sitemap says: the further sitemaps, and the pages, each with its place in the order of
    /// the crawl, as far as the bounds let them through. Further sitemaps are those of the index's own site
    /// or of the one that is crawled: no other can be made a target. The same page in another language is a
    /// page like any other, and as important; that both name each other is left to whoever knows which pages
    /// are known.
    pub(crate) fn take(&self, from: UrlKey, found: ReadSitemap) -> (Vec<Candidate>, Vec<(Url, u8)>) {
        let ReadSitemap { url, bytes, sitemap: found, priorities } = found;
        let mut state = self.lock();
        state.bytes = state.bytes.saturating_add(bytes);
        let depth = state.depths.get(&from).map_or(0, |depth| depth + 1);
        let further = if depth <= MAX_SITEMAP_DEPTH {
            let site = [Some(url), state.start.clone()];
            let is_own = |child: &Url| site.iter().flatten().any(|url| same_site(child, url));
            state.put(found.children.into_iter().take(MAX_CHILDREN).filter(is_own), depth)
        } else {
            Vec::new()
        };
        let left = MAX_SITEMAP_PAGES - state.pages;
        let pages = found.pages.into_iter().zip(priorities).flat_map(|(mut page, priority)| {
            page.alternates.retain(|other| *other != page.url);
            std::iter::once(page.url).chain(page.alternates).map(move |url| (url, priority))
        });
        let pages: Vec<(Url, u8)> = pages.take(left).collect();
        state.pages += pages.len();
        (further, pages)
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl State {
    fn put(&mut self, urls: impl Iterator<Item = Url>, depth: u32) -> Vec<Candidate> {
        let mut new = Vec::new();
        for url in urls {
            let key = key_of(&url);
            let has_space = self.depths.len() < MAX_SITEMAP_FILES && self.bytes < MAX_SITEMAP_BYTES;
            if has_space && !self.depths.contains_key(&key) {
                self.depths.insert(key, depth);
                new.push(Candidate { url, key, external: false, priority: Candidate::AUXILIARY });
            }
        }
        new
    }

    fn name(&mut self, sitemaps: Vec<Url>) -> Vec<Candidate> {
        let origin = self.start.as_ref().map(Url::origin);
        let own = sitemaps.iter().filter(|url| Some(url.origin()) == origin);
        self.named.extend(own.map(key_of));
        self.put(sitemaps.into_iter(), 0)
    }
}

/// Not by the identity of the crawl, which may ignore the query: `sitemap.xml?page=2` is another file.
fn key_of(url: &Url) -> UrlKey {
    UrlKey::from_raw(Identity::from_options(false, false).key(url).to_raw() ^ MARK)
}

#[cfg(test)]
mod tests {
    use gleaner_frontier::sitemap;

    use super::*;

    /// A sitemap of these pages, or of these further sitemaps.
    fn sitemap_of(element: &str, urls: &[Url]) -> ReadSitemap {
        let parent = if element == "url" { "urlset" } else { "sitemapindex" };
        let entries: String =
            urls.iter().map(|url| format!("<{element}><loc>{url}</loc></{element}>")).collect();
        found_in(&format!("<{parent}>{entries}</{parent}>"))
    }

    fn found_in(body: &str) -> ReadSitemap {
        let url = url("/");
        let sitemap = sitemap::parse(body.as_bytes(), &url);
        ReadSitemap { priorities: sitemap.crawl_priorities(), sitemap, bytes: body.len(), url }
    }

    fn url(path: &str) -> Url {
        Url::parse("https://site.example/docs/start").unwrap().join(path).unwrap()
    }

    fn paths(candidates: &[Candidate]) -> Vec<&str> {
        candidates.iter().map(|candidate| candidate.url.path()).collect()
    }

    #[test]
    fn sitemaps_are_looked_for_where_they_are_named_and_where_they_usually_are() {
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
    fn a_robots_txt_that_was_not_read_is_read_for_its_sitemaps() {
        let sitemaps = Sitemaps::default();
        let roots = sitemaps.roots(&url("/docs/"), None);
        assert_eq!(paths(&roots), ["/robots.txt", "/sitemap.xml", "/docs/sitemap.xml"]);
        let is_robots: Vec<bool> = roots.iter().map(|root| sitemaps.is_robots(root.key)).collect();
        assert_eq!(is_robots, [true, false, false]);
        assert!(roots.iter().all(|root| sitemaps.contains(root.key)));
        let named = sitemaps.named(vec![url("/named.xml"), url("/sitemap.xml")]);
        assert_eq!(paths(&named), ["/named.xml"], "each is read once");
    }

    #[test]
    fn an_index_that_names_itself_ends_and_nesting_is_bounded() {
        let sitemaps = Sitemaps::default();
        let mut next = sitemaps.roots(&url("/"), Some(&RobotsPolicy::allow_all())).remove(0);
        let mut read = 0;
        loop {
            let children = vec![next.url.clone(), url(&format!("/{read}.xml"))];
            let (further, _) = sitemaps.take(next.key, sitemap_of("sitemap", &children));
            read += 1;
            assert!(further.len() <= 1, "what is known is not read again");
            let Some(child) = further.into_iter().next() else { break };
            next = child;
        }
        assert_eq!(read, MAX_SITEMAP_DEPTH + 1);
    }

    #[test]
    fn pages_come_with_the_priorities_of_their_sitemap() {
        let body = "<urlset><url><loc>/a</loc><priority>0.2</priority></url>\
            <url><loc>/b</loc><priority>0.9</priority></url></urlset>";
        let sitemaps = Sitemaps::default();
        let root = sitemaps.roots(&url("/"), Some(&RobotsPolicy::allow_all())).remove(0);
        let (_, pages) = sitemaps.take(root.key, found_in(body));
        assert!(pages[0].0.path() == "/a" && pages[0].1 < pages[1].1, "{pages:?}");
    }

    #[test]
    fn other_languages_of_a_page_are_pages_too() {
        let link = |language: &str, href: &str| {
            format!("<xhtml:link rel='alternate' hreflang='{language}' href='{href}'/>")
        };
        let body = format!(
            "<urlset xmlns:xhtml='http://www.w3.org/1999/xhtml'><url><loc>/en/a</loc>{}{}<priority>0.9</priority></url>\
             <url><loc>/en/b</loc></url></urlset>",
            link("en", "/en/a"),
            link("de", "/de/a")
        );
        let sitemaps = Sitemaps::default();
        let root = sitemaps.roots(&url("/"), Some(&RobotsPolicy::allow_all())).remove(0);
        let (_, pages) = sitemaps.take(root.key, found_in(&body));
        let (found, priorities): (Vec<&str>, Vec<u8>) =
            pages.iter().map(|(url, priority)| (url.path(), *priority)).unzip();
        assert_eq!(found, ["/en/a", "/de/a", "/en/b"]);
        assert!(priorities[0] == priorities[1] && priorities[1] > priorities[2], "{priorities:?}");
    }

    #[test]
    fn the_query_tells_sitemaps_apart() {
        let sitemaps = Sitemaps::default();
        let root = sitemaps.roots(&url("/"), Some(&RobotsPolicy::allow_all())).remove(0);
        let (further, _) =
            sitemaps.take(root.key, sitemap_of("sitemap", &[url("/s.xml?page=1"), url("/s.xml?page=2")]));
        assert_eq!(further.len(), 2);
        let (_, pages) = sitemaps.take(root.key, sitemap_of("url", &[url("/a"), url("/b"), url("/c")]));
        assert_eq!(pages.len(), 3);
        assert!(further.iter().all(|sitemap| sitemaps.contains(sitemap.key)));
    }

    #[test]
    fn an_index_speaks_for_its_own_site_and_for_the_one_that_is_crawled() {
        let robots = RobotsPolicy::parse(b"Sitemap: https://cdn.example/map.xml", "x");
        let sitemaps = Sitemaps::default();
        let root = sitemaps.roots(&url("/"), Some(&robots)).remove(0);
        assert_eq!(root.url.host_str(), Some("cdn.example"));
        let children =
            ["https://www.site.example/1.xml", "https://s.cdn.example/2.xml", "https://victim.example/3.xml"];
        let children = children.map(|child| Url::parse(child).unwrap());
        let index = ReadSitemap { url: root.url.clone(), ..sitemap_of("sitemap", &children) };
        let (further, _) = sitemaps.take(root.key, index);
        assert_eq!(paths(&further), ["/1.xml", "/2.xml"]);
    }

    #[test]
    fn the_bytes_of_all_sitemaps_are_bounded() {
        let sitemaps = Sitemaps::default();
        let root = sitemaps.roots(&url("/"), Some(&RobotsPolicy::allow_all())).remove(0);
        let large = ReadSitemap { bytes: MAX_SITEMAP_BYTES, ..sitemap_of("sitemap", &[url("/more.xml")]) };
        assert!(sitemaps.take(root.key, large).0.is_empty());
    }
}
