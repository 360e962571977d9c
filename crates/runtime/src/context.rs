//! The compiled form of a running job's request.

use std::borrow::Cow;
use std::collections::HashSet;
use std::sync::atomic::{AtomicBool, AtomicI64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use gleaner_frontier::{Candidate, CrawlScope, Decision, Identity, SkipReason, UrlKey};
use gleaner_store::{LeasedPage, TeamId};
use gleaner_types::plan::{CrawlPlan, ScrapeOptionsPlan, SitemapMode, Target, as_written};
use gleaner_types::{JobId, SafeUrl};
use tokio_util::sync::CancellationToken;
use url::Url;

use crate::explain::{FoundOn, Records, TraceRules, Traces};
use crate::host_limiter::RequestPacing;
use crate::route::route_key;
use crate::session::Session;
use crate::sitemaps::Sitemaps;

/// How many pages earn a job one request beyond the first try of each. So a host that fails every request is
/// asked little more than once for each page.
const PAGES_PER_RETRY: i64 = 10;
/// Retries that a job may make before it has earned any.
const FIRST_RETRIES: i64 = 10;

/// A job tells its reader of at most this many robots.txt that could not be read.
const MAX_UNREAD_TOLD: usize = 3;

/// Marks the key of a page that the user named without a scheme.
const SCHEME_ASSUMED: u64 = 1 << 63;

/// Marks the key of a page that the user named without a path.
const SLASH_ADDED: u64 = 1 << 62;

/// Pages that the user named. One named twice is scraped twice, so its place in the list, from `first` on,
/// tells it apart.
pub(crate) fn candidates(first: u64, targets: &[Target]) -> Vec<Candidate> {
    let places = (first & !(SCHEME_ASSUMED | SLASH_ADDED)..).zip(targets);
    let mark = |is_so: bool, bit: u64| if is_so { bit } else { 0 };
    places
        .map(|(place, target)| Candidate {
            url: target.url.clone(),
            key: UrlKey::from_raw(
                place | mark(target.scheme_assumed, SCHEME_ASSUMED) | mark(target.slash_added, SLASH_ADDED),
            ),
            external: false,
            priority: Candidate::NORMAL,
        })
        .collect()
}

/// What the loop keeps ready for each running job: the compiled form of its request.
#[derive(Debug)]
pub(crate) struct JobContext {
    pub(crate) id: JobId,
    pub(crate) options: ScrapeOptionsPlan,
    /// The options without the headers of the user, for addresses outside the site: headers hold secrets.
    pub(crate) foreign_options: ScrapeOptionsPlan,
    pub(crate) zero_data_retention: bool,
    /// Whose it is.
    pub(crate) team: Option<TeamId>,
    /// What the fetcher keeps for the job, and for no other.
    pub(crate) session: Session,
    /// What the transformer keeps for the job.
    pub(crate) transforming: Session,
    /// What the extractor keeps for the job, and for no other.
    pub(crate) reading: Session,
    /// `None` for pages that the user named: no rules of a crawl hold for them, robots.txt among them.
    pub(crate) crawl: Option<CrawlContext>,
    /// The start page of the crawl was given without a scheme. Of named pages their keys tell.
    scheme_assumed: bool,
    /// The same, without a path.
    slash_added: bool,
    /// When the reader stops waiting; there is no use in trying again after it.
    pub(crate) deadline: Option<Duration>,
    pub(crate) cancelled: CancellationToken,
    retries: RetryBudget,
}

/// The rules of a crawl, compiled.
#[derive(Debug)]
pub(crate) struct CrawlContext {
    pub(crate) scope: CrawlScope,
    pub(crate) identity: Identity,
    pub(crate) start: Url,
    pub(crate) start_key: UrlKey,
    /// `None` where robots.txt is not to be read.
    pub(crate) robots_agent: Option<String>,
    pub(crate) sitemap: SitemapMode,
    pub(crate) sitemaps: Sitemaps,
    /// Between two requests to one host, as the request asks for.
    pub(crate) delay: Option<Duration>,
    /// What is written down for the caller.
    pub(crate) records: Arc<Records>,
    pub(crate) max_depth: Option<u32>,
    pub(crate) limit: u64,
    /// An address was left out because its patterns cost too much, and the reader was not told yet.
    costly: AtomicBool,
    /// Why a robots.txt could not be read, as far as the reader was told.
    unread: Mutex<HashSet<Box<str>>>,
}

impl CrawlContext {
    fn new(id: JobId, plan: &CrawlPlan, agent: &str) -> Result<Self, gleaner_frontier::Error> {
        let (start, rules) = (&plan.target.url, &plan.rules);
        // Its own seed, so that no site can prepare addresses that are taken for each other.
        let identity = Identity::new(rules).with_seed(id.as_uuid().as_u128());
        Ok(Self {
            scope: CrawlScope::new(start, rules)?,
            start_key: identity.key(start),
            identity,
            start: start.clone(),
            robots_agent: (!rules.ignore_robots_txt)
                .then(|| rules.robots_user_agent.clone().unwrap_or_else(|| agent.to_owned())),
            sitemap: rules.sitemap,
            sitemaps: Sitemaps::default(),
            delay: plan.delay,
            records: Arc::default(),
            max_depth: rules.max_discovery_depth,
            limit: plan.limit,
            costly: AtomicBool::new(false),
            unread: Mutex::default(),
        })
    }

    /// The page as a candidate, if it belongs to the crawl. Adds to `steps` the work that it was to find out.
    pub(crate) fn candidate(&self, url: Url, steps: &mut u64) -> Option<Candidate> {
        let external = match self.scope.decide_counting(&url, false, steps) {
            Decision::Inside => false,
            Decision::External => true,
            Decision::Rejected(_) => return None,
        };
        Some(Candidate { key: self.identity.key(&url), url, external, priority: Candidate::NORMAL })
    }

    /// As [`candidate`](Self::candidate), for an address that was found: where it does not belong to the
    /// crawl, that is counted. Adds to `steps` the work that it was.
    pub(crate) fn found(
        &self,
        url: Url,
        on: FoundOn<'_>,
        priority: u8,
        steps: &mut u64,
    ) -> Option<Candidate> {
        let traces = &self.records.traces;
        let external = match self.scope.decide_counting(&url, false, steps) {
            Decision::Inside => false,
            Decision::External => true,
            Decision::Rejected(reason) => {
                self.count(reason);
                if !traces.is_empty() {
                    traces.found(self.identity.key(&url), on);
                }
                return None;
            }
        };
        let key = self.identity.key(&url);
        if !traces.is_empty() {
            traces.found(key, on);
        }
        Some(Candidate { key, url, external, priority })
    }

    /// Counts an address that a page asks not to follow, by the first reason that keeps it out of the crawl.
    /// Adds to `steps` the work that it was.
    pub(crate) fn unfollowed(&self, url: &Url, on: &Url, steps: &mut u64) {
        match self.scope.decide_counting(url, false, steps) {
            Decision::Rejected(reason) => self.count(reason),
            Decision::Inside | Decision::External => self.count(SkipReason::Nofollow),
        }
        if !self.records.traces.is_empty() {
            self.records.traces.unfollowed(self.identity.key(url), on);
        }
    }

    fn count(&self, reason: SkipReason) {
        self.records.rejections.count(reason);
        if reason == SkipReason::TooCostly {
            self.costly.store(true, Ordering::Relaxed);
        }
    }

    /// True once, where an address was left out because its patterns cost too much.
    pub(crate) fn must_tell_costs(&self) -> bool {
        // Most crawls have nothing to tell, and are not to write to what all of their pages share.
        self.costly.load(Ordering::Relaxed) && self.costly.swap(false, Ordering::Relaxed)
    }

    /// True once for each of the first causes for which a robots.txt could not be read.
    pub(crate) fn must_tell_unread(&self, cause: &str) -> bool {
        let mut told = self.unread.lock().unwrap_or_else(PoisonError::into_inner);
        told.len() < MAX_UNREAD_TOLD && told.insert(cause.into())
    }
}

impl JobContext {
    /// A job of pages that the user named.
    pub(crate) fn of_targets(
        id: JobId,
        targets: &[Target],
        options: ScrapeOptionsPlan,
        zero_data_retention: bool,
    ) -> (Self, Vec<Candidate>) {
        (Self::new(id, options, zero_data_retention, None, None), candidates(0, targets))
    }

    /// A crawl.
    pub(crate) fn of_crawl(
        id: JobId,
        plan: &CrawlPlan,
        agent: &str,
    ) -> Result<(Self, Candidate), gleaner_frontier::Error> {
        let crawl = CrawlContext::new(id, plan, agent)?;
        let start = Candidate {
            url: crawl.start.clone(),
            key: crawl.start_key,
            external: false,
            priority: u8::MAX - 1,
        };
        let named = Some(&plan.target);
        Ok((Self::new(id, plan.options.clone(), plan.zero_data_retention, Some(crawl), named), start))
    }

    fn new(
        id: JobId,
        mut options: ScrapeOptionsPlan,
        zero_data_retention: bool,
        crawl: Option<CrawlContext>,
        start: Option<&Target>,
    ) -> Self {
        // A copy in the cache is data too.
        options.store_in_cache &= !zero_data_retention;
        let foreign_options = without_headers(&options);
        let (cancelled, retries) = (CancellationToken::new(), RetryBudget::new());
        Self {
            id,
            options,
            foreign_options,
            zero_data_retention,
            team: None,
            session: Session::default(),
            transforming: Session::default(),
            reading: Session::default(),
            crawl,
            scheme_assumed: start.is_some_and(|start| start.scheme_assumed),
            slash_added: start.is_some_and(|start| start.slash_added),
            deadline: None,
            cancelled,
            retries,
        }
    }

    /// Follows these addresses through a crawl, and gives what is written down about it; to be called before
    /// it begins.
    pub(crate) fn record(&mut self, explained: &[Url]) -> Option<Arc<Records>> {
        let crawl = self.crawl.as_mut()?;
        let rules = TraceRules {
            scope: &crawl.scope,
            identity: &crawl.identity,
            max_depth: crawl.max_depth,
            limit: crawl.limit,
            robots_agent: crawl.robots_agent.as_deref(),
            route_key: route_key(&self.options),
        };
        let traces = Traces::new(explained, rules);
        crawl.records = Arc::new(Records { traces, ..Records::default() });
        Some(Arc::clone(&crawl.records))
    }

    pub(crate) fn is_scheme_assumed(&self, key: UrlKey) -> bool {
        match &self.crawl {
            Some(crawl) => self.scheme_assumed && crawl.start_key == key,
            None => key.to_raw() & SCHEME_ASSUMED != 0,
        }
    }

    /// Is the slash of a page's address not that of the user who named the page?
    pub(crate) fn is_slash_added(&self, key: UrlKey) -> bool {
        match &self.crawl {
            Some(crawl) => self.slash_added && crawl.start_key == key,
            None => key.to_raw() & SLASH_ADDED != 0,
        }
    }

    /// The address of a page as it was asked for.
    pub(crate) fn as_requested<'p>(&self, page: &'p LeasedPage) -> Cow<'p, str> {
        as_written(&page.url, self.is_slash_added(page.key))
    }

    pub(crate) fn is_start(&self, key: UrlKey) -> bool {
        self.crawl.as_ref().is_some_and(|crawl| crawl.start_key == key)
    }

    /// The headers of the user are for the site, and never go out unencrypted where the crawl began
    /// encrypted.
    pub(crate) fn options_for(&self, page: &LeasedPage) -> &ScrapeOptionsPlan {
        let began_encrypted = self.crawl.as_ref().is_some_and(|crawl| crawl.start.scheme() == "https");
        // Where the scheme was assumed, the site may speak no other.
        let downgraded = began_encrypted && page.url.scheme() == "http" && !self.scheme_assumed;
        if page.external || downgraded { &self.foreign_options } else { &self.options }
    }

    /// Is it wanted how a page looks, or what it does, rather than what it says?
    pub(crate) fn wants_picture(&self) -> bool {
        !self.options.actions.is_empty() || self.options.formats.screenshot.is_some()
    }

    /// Does the caller want to know what became of some addresses?
    pub(crate) fn is_traced(&self) -> bool {
        self.crawl.as_ref().is_some_and(|crawl| !crawl.records.traces.is_empty())
    }

    /// How the log names an address of the job: not at all where nothing of its pages may be kept.
    pub(crate) fn shown(&self, url: &Url) -> Option<SafeUrl> {
        (!self.zero_data_retention).then(|| SafeUrl::from(url))
    }

    /// Between two requests to a host, as far as the job says.
    pub(crate) fn delay(&self) -> Duration {
        self.crawl.as_ref().and_then(|crawl| crawl.delay).unwrap_or_default()
    }

    /// How the job asks a host whose robots.txt demands this gap.
    pub(crate) fn pacing(&self, gap: Duration) -> RequestPacing {
        RequestPacing { gap, delay: self.delay(), job: self.id }
    }

    /// May one more request be spent on a page that failed?
    pub(crate) fn take_retry(&self) -> bool {
        self.retries.take()
    }

    pub(crate) fn earn_retry(&self) {
        self.retries.earn();
    }
}

/// The same options without the headers of the user.
pub(crate) fn without_headers(options: &ScrapeOptionsPlan) -> ScrapeOptionsPlan {
    ScrapeOptionsPlan { headers: Default::default(), ..options.clone() }
}

/// What a job has earned and not spent yet, in pages.
#[derive(Debug)]
struct RetryBudget(AtomicI64);

impl RetryBudget {
    fn new() -> Self {
        Self(AtomicI64::new(FIRST_RETRIES * PAGES_PER_RETRY))
    }

    fn take(&self) -> bool {
        let taken = self.0.fetch_update(Ordering::Relaxed, Ordering::Relaxed, |left| {
            (left >= PAGES_PER_RETRY).then_some(left - PAGES_PER_RETRY)
        });
        taken.is_ok()
    }

    fn earn(&self) {
        self.0.fetch_add(1, Ordering::Relaxed);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_job_whose_pages_all_fail_retries_one_in_ten() {
        let budget = RetryBudget::new();
        let mut retries = 0;
        for _page in 0..1_000 {
            budget.earn();
            retries += usize::from(budget.take());
        }
        assert_eq!(retries, 10 + 100);
    }
}
