//! A generated site whose content, links and depths are known.
//!
//! A crawl of a real site cannot be verified, because the correct result is unknown. Here everything is
//! computed from a seed, so a test can compare a crawl with the truth.

mod chrome;
pub(crate) mod extras;
mod graph;
mod page;
pub(crate) mod prose;
pub(crate) mod random;
mod truth;

use std::io;
use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;

pub use extras::Extras;
pub use graph::LINKS_PER_PAGE;
pub use truth::{
    EncodedTruth, ExtraTruth, FailureKind, FailureTruth, PathTruth, ProductTruth, RedirectTruth, Role,
    TrapTruth,
};

use crate::server::{ServeOptions, Server};
use extras::{Book, Reply, Sitemaps};
use graph::Graph;
use page::Pages;

/// The parameters of a generated site. The same specification gives the same bytes on every machine.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SiteSpec {
    /// Number of numbered pages, including `/`: `/`, `/p/1` ... `/p/{pages - 1}`. At least 1.
    pub pages: u32,
    /// The seed of texts and links.
    pub seed: u64,
    /// Latency of each response.
    pub latency: Duration,
    /// Upper bound on additional latency, which depends on the path. Responses then complete out of order, in
    /// the same way in every run.
    pub jitter: Duration,
    /// What the site has besides the numbered pages.
    pub extras: Extras,
    /// `Crawl-delay` in robots.txt, if [`Extras::robots`] is on.
    pub crawl_delay: Option<Duration>,
    /// A URL on another host that the start page links to.
    pub external: Option<String>,
}

impl Default for SiteSpec {
    /// 100 pages, seed 1, no delay, no extras.
    fn default() -> Self {
        Self {
            pages: 100,
            seed: 1,
            latency: Duration::ZERO,
            jitter: Duration::ZERO,
            extras: Extras::default(),
            crawl_delay: None,
            external: None,
        }
    }
}

impl SiteSpec {
    /// A site of this many numbered pages and nothing else.
    #[must_use]
    pub fn pages(pages: u32) -> Self {
        Self { pages, ..Self::default() }
    }
}

/// A generated site. Cloning it is cheap.
#[derive(Debug, Clone)]
pub struct Site {
    inner: Arc<Inner>,
}

#[derive(Debug)]
struct Inner {
    spec: SiteSpec,
    graph: Graph,
    pages: Pages,
    book: Book,
    sitemaps: Sitemaps,
}

impl Site {
    /// Composes every page. 20,000 pages take about 60 MB and, in an optimized build, well under a second.
    ///
    /// # Panics
    /// If the specification has 0 pages.
    #[must_use]
    pub fn generate(spec: SiteSpec) -> Self {
        assert!(spec.pages > 0, "a site has at least its start page");
        let count = spec.pages as usize;
        let book = Book::write(&spec);
        let graph = Graph::generate(spec.seed, count);
        let pages = Pages::compose(spec.seed, count, &graph, &book.indexes);
        let sitemaps = Sitemaps::new(count);
        Self { inner: Arc::new(Inner { spec, graph, pages, book, sitemaps }) }
    }

    /// Serves the site on 127.0.0.1, on a port that the system assigns.
    ///
    /// # Errors
    /// If no port can be bound or no thread started.
    pub fn serve(&self) -> io::Result<Server> {
        self.serve_with(ServeOptions::default())
    }

    /// Serves the site with these options.
    ///
    /// # Errors
    /// If the address cannot be bound or no thread started.
    pub fn serve_with(&self, options: ServeOptions) -> io::Result<Server> {
        Server::start(self.clone(), options)
    }

    /// The specification that the site was generated from.
    #[must_use]
    pub fn spec(&self) -> &SiteSpec {
        &self.inner.spec
    }

    /// What a perfect crawl would find.
    #[must_use]
    pub fn truth(&self) -> Truth<'_> {
        Truth { site: &self.inner }
    }

    /// The bytes of a numbered page, without a server. `path` is `/` or `/p/N`; `origin` is
    /// `http://host:port`. `None` if the site has no such page.
    #[must_use]
    pub fn body(&self, path: &str, origin: &str) -> Option<Bytes> {
        let id = page::id_of(path).filter(|id| *id < self.inner.spec.pages as usize)?;
        Some(self.inner.pages.body(id, origin))
    }

    /// The reply for `path`; `None` is 404. `serial` is the number of the request.
    pub(crate) fn reply(&self, path: &str, query: Option<&str>, origin: &str, serial: u64) -> Option<Reply> {
        let Inner { spec, book, sitemaps, .. } = &*self.inner;
        if let Some(body) = self.body(path, origin) {
            return Some(Reply::file(extras::HTML, body));
        }
        if spec.extras.sitemap
            && let Some((content_type, body)) = sitemaps.file(path, origin)
        {
            return Some(Reply::file(content_type, body));
        }
        let exact = query.and_then(|query| book.replies.get(&format!("{path}?{query}")));
        exact
            .or_else(|| book.replies.get(path))
            .cloned()
            .or_else(|| if spec.extras.slow { extras::slow(path) } else { None })
            .or_else(|| if spec.extras.redirects { extras::endless(path) } else { None })
            .or_else(|| extras::dynamic(spec.extras, path, query, serial))
    }

    /// Latency of the response for `path`.
    pub(crate) fn hold(&self, path: &str) -> Duration {
        let spec = &self.inner.spec;
        if spec.jitter.is_zero() {
            return spec.latency;
        }
        let stream = path.bytes().fold(0, |hash: u64, byte| hash.wrapping_mul(31).wrapping_add(byte.into()));
        let part = random::Random::new(spec.seed, stream).below(1_001) as u32;
        spec.latency + spec.jitter * part / 1_000
    }
}

/// What a perfect crawl of a [`Site`] finds.
#[derive(Debug, Clone, Copy)]
pub struct Truth<'a> {
    site: &'a Inner,
}

impl<'a> Truth<'a> {
    /// Every path of the site: first the numbered pages, then the extras in the order in which they were
    /// added. A trap appears only with its entrance.
    pub fn paths(self) -> impl Iterator<Item = PathTruth> + 'a {
        (0..self.site.spec.pages as usize)
            .map(move |id| self.page(id))
            .chain(self.site.book.paths.iter().cloned())
    }

    /// The expected result for `path` (with its query, if it has one).
    #[must_use]
    pub fn path(self, path: &str) -> Option<PathTruth> {
        match page::id_of(path).filter(|id| *id < self.site.spec.pages as usize) {
            Some(id) => Some(self.page(id)),
            None => self.site.book.paths.iter().find(|truth| truth.path == path).cloned(),
        }
    }

    /// The least number of clicks from `/` to numbered page `id`, without the cost of [`Truth::path`].
    ///
    /// # Panics
    /// If the site has no such page.
    #[must_use]
    pub fn depth(self, id: u32) -> u32 {
        self.site.graph.depth(id as usize)
    }

    /// The [`LINKS_PER_PAGE`] paths that numbered page `id` links to, in document order, with repeats. They
    /// do not include the links of the start page to the extras.
    ///
    /// # Panics
    /// If the site has no such page.
    #[must_use]
    pub fn links(self, id: u32) -> Vec<String> {
        self.site.graph.links(id as usize).iter().map(|&target| page::path(target as usize)).collect()
    }

    /// Sentences of banner, sidebar and footer. They are on every numbered page, outside the main content.
    #[must_use]
    pub fn boilerplate(self) -> &'static [&'static str] {
        chrome::BOILERPLATE
    }

    /// The contents of the extras.
    #[must_use]
    pub fn extras(self) -> &'a ExtraTruth {
        &self.site.book.truth
    }

    fn page(self, id: usize) -> PathTruth {
        let pages = &self.site.pages;
        let mut truth = PathTruth::new(page::path(id), Role::Page);
        truth.depth = Some(self.site.graph.depth(id));
        pages.title(id).clone_into(&mut truth.title);
        truth.sentences = pages.sentences(id).into_iter().map(str::to_owned).collect();
        truth
    }
}
