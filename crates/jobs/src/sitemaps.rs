//! Reading the sitemaps of a site: which there are, in which order they are fetched, and when enough was read.

use std::collections::{HashSet, VecDeque};
use std::sync::Arc;
use std::time::Duration;

use gleaner_frontier::{RobotsPolicy, SitemapEntry, sitemap};
use url::Url;

use crate::context::JobContext;
use crate::page::errand_options;
use crate::ports::{FetchRequest, Purpose};
use crate::shared::{AnyHop, Shared};

/// At most so many sitemap files of one site are read.
pub const MAX_SITEMAP_FILES: usize = 1_000;
/// Indexes are followed this far.
pub const MAX_SITEMAP_DEPTH: u32 = 3;
/// At most so many pages are taken from the sitemaps of one site.
pub const MAX_SITEMAP_PAGES: usize = 2_000_000;
/// No further sitemap is fetched after this.
pub const MAX_SITEMAP_TIME: Duration = Duration::from_secs(600);

/// The sitemaps of a site, file by file.
pub(crate) struct Sitemaps<'a> {
    shared: &'a Arc<Shared>,
    job: &'a JobContext,
    queue: VecDeque<(Url, u32)>,
    seen: HashSet<Url>,
    pages: usize,
    delay: Duration,
    deadline: Duration,
    first: bool,
}

impl<'a> Sitemaps<'a> {
    /// Those that robots.txt names, the one at the root, and the one of the start page's folder.
    pub(crate) fn new(
        shared: &'a Arc<Shared>,
        job: &'a JobContext,
        start: &Url,
        robots: Option<&RobotsPolicy>,
        delay: Duration,
    ) -> Self {
        let named = robots.iter().flat_map(|robots| robots.sitemaps().iter().cloned());
        let usual = ["/sitemap.xml", "sitemap.xml"].iter().filter_map(|path| start.join(path).ok());
        let crawl_delay = robots.and_then(RobotsPolicy::crawl_delay).unwrap_or_default();
        let mut sitemaps = Self {
            shared,
            job,
            queue: VecDeque::new(),
            seen: HashSet::new(),
            pages: 0,
            delay: delay.max(crawl_delay),
            deadline: shared.clock.now() + MAX_SITEMAP_TIME,
            first: true,
        };
        for url in named.chain(usual) {
            sitemaps.put(url, 0);
        }
        sitemaps
    }

    fn put(&mut self, url: Url, depth: u32) {
        if self.seen.len() < MAX_SITEMAP_FILES && self.seen.insert(url.clone()) {
            self.queue.push_back((url, depth));
        }
    }

    /// The pages of the next file; `None` at the end. A file that cannot be had gives none.
    pub(crate) async fn next(&mut self) -> Option<Vec<SitemapEntry>> {
        let (url, depth) = self.queue.pop_front()?;
        if self.pages >= MAX_SITEMAP_PAGES || self.shared.clock.now() >= self.deadline {
            tracing::warn!(left = self.queue.len() + 1, "sitemaps are left unread: a bound was reached");
            return None;
        }
        if !std::mem::take(&mut self.first) {
            tokio::time::sleep(self.delay).await;
        }
        let options = errand_options(self.job, &url);
        let request = FetchRequest { url: &url, scheme_assumed: false, options: &options, purpose: Purpose::Sitemap };
        let answer = match self.shared.fetch.fetch(request, &AnyHop).await {
            Ok(answer) if answer.status == 200 => answer,
            Ok(_) => return Some(Vec::new()),
            Err(failure) => {
                tracing::debug!(error = %failure.error, "a sitemap could not be fetched");
                return Some(Vec::new());
            }
        };
        // Up to 50 MB of XML: not beside the connections.
        let parsed = tokio::task::spawn_blocking(move || sitemap::parse(&answer.body, &answer.url)).await;
        let Ok(mut parsed) = parsed else { return Some(Vec::new()) };
        for warning in &parsed.warnings {
            tracing::info!(%warning, "a sitemap was read in part");
        }
        if depth < MAX_SITEMAP_DEPTH {
            for child in parsed.children {
                self.put(child, depth + 1);
            }
        }
        parsed.pages.truncate(MAX_SITEMAP_PAGES - self.pages);
        self.pages += parsed.pages.len();
        Some(parsed.pages)
    }
}

/// Admits the pages of a site's sitemaps to its crawl, and seals the job: nothing but links comes after them.
pub(crate) async fn discover(shared: Arc<Shared>, job: Arc<JobContext>, delay: Duration) {
    tokio::select! {
        () = job.cancelled.cancelled() => return,
        () = admit_all(&shared, &job, delay) => {}
    }
    if let Err(error) = shared.store.seal(job.id, shared.clock.now()).await {
        tracing::debug!(%error, "a crawl was gone before its sitemaps were read");
    }
    if shared.has_ended(job.id).await {
        shared.forget(job.id);
    }
}

async fn admit_all(shared: &Arc<Shared>, job: &JobContext, delay: Duration) {
    let Some(crawl) = &job.crawl else { return };
    let robots = match &crawl.robots_agent {
        None => None,
        Some(agent) => {
            let assumed = job.is_scheme_assumed(crawl.start_key);
            match shared.robots(agent, &crawl.start, assumed, job).await.reading {
                Ok(policy) if policy.allows(&crawl.start) => Some(policy),
                // The start page itself says so.
                Ok(_) | Err(_) => return,
            }
        }
    };
    let mut sitemaps = Sitemaps::new(shared, job, &crawl.start, robots.as_deref(), delay);
    while let Some(pages) = sitemaps.next().await {
        let inside = pages.into_iter().filter_map(|page| crawl.candidate(page.url, false));
        let candidates: Vec<_> = inside.filter(|candidate| !candidate.external).collect();
        if !candidates.is_empty() {
            if let Err(error) = shared.store.admit(job.id, 0, candidates, shared.clock.now()).await {
                tracing::debug!(%error, "a crawl ended before its sitemaps were read");
                return;
            }
        }
    }
}
