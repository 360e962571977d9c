//! The compiled form of a running job's request.

use std::borrow::Cow;
use std::collections::HashSet;
use std::sync::atomic::{AtomicBool, AtomicI64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use gleaner_frontier::{Candidate, CrawlScope, Decision, Identity, SkipReason, UrlKey};
use gleaner_store::{LeasedPage, Note, NoteKind, NoteValue, TeamId};
use gleaner_types::plan::{CrawlPlan, ScrapeOptionsPlan, SitemapMode, Target, as_written};
use gleaner_types::{JobId, SafeUrl};
use url::Url;

use crate::cancellation::Cancellation;
use crate::explain::{FoundOn, Records, TraceRules, Traces};
use crate::host_limiter::RequestPacing;
use crate::rejections::Rejections;
use crate::route::route_key;
use crate::session::{LastSave, Session};
use crate::sitemaps::Sitemaps;
use crate::twins::Twins;

/// Finished pages that earn a job one retry. So a host that fails every request gets little more than one
/// request per page.
const PAGES_PER_RETRY: i64 = 10;
/// Retries that a job has at its start.
const INITIAL_RETRIES: i64 = 10;

/// Maximum number of warnings of a job about unreadable robots.txt.
const MAX_UNREADABLE_WARNINGS: usize = 3;

/// Marks the key of a page that the user named without a scheme.
const SCHEME_ASSUMED: u64 = 1 << 63;

/// Marks the key of a page that the user named without a path.
const SLASH_ADDED: u64 = 1 << 62;

/// Pages that the user named. Their keys are their positions in the list, counted from `first`, because a
/// page that is named twice is scraped twice.
pub(crate) fn candidates(first: u64, targets: &[Target]) -> Vec<Candidate> {
    let positions = (first & !(SCHEME_ASSUMED | SLASH_ADDED)..).zip(targets);
    let mark = |is_set: bool, bit: u64| if is_set { bit } else { 0 };
    positions
        .map(|(position, target)| Candidate {
            url: target.url.clone(),
            key: UrlKey::from_raw(
                position
                    | mark(target.scheme_assumed, SCHEME_ASSUMED)
                    | mark(target.slash_added, SLASH_ADDED),
            ),
            external: false,
            priority: Candidate::NORMAL,
        })
        .collect()
}

/// The compiled request of a running job, and its state in this engine.
#[derive(Debug)]
pub(crate) struct JobContext {
    pub(crate) id: JobId,
    pub(crate) options: ScrapeOptionsPlan,
    /// The options without the headers of the user, for URLs outside the site: headers can contain secrets.
    pub(crate) external_options: ScrapeOptionsPlan,
    pub(crate) zero_data_retention: bool,
    pub(crate) team: Option<TeamId>,
    /// State that the fetcher keeps for this job only.
    pub(crate) fetch_session: Session,
    /// State that the transformer keeps for this job only.
    pub(crate) transform_session: Session,
    /// State that the extract port keeps for this job only.
    pub(crate) extract_session: Session,
    /// What was last stored of the session of the fetcher, and of that of the extract port.
    pub(crate) fetch_saved: LastSave,
    pub(crate) extract_saved: LastSave,
    /// `None` for pages that the user named: no rules of a crawl apply to them, including robots.txt.
    pub(crate) crawl: Option<CrawlContext>,
    /// The start page of the crawl was given without a scheme. The keys of named pages carry this mark.
    scheme_assumed: bool,
    /// The start page of the crawl was given without a path.
    slash_added: bool,
    /// When the caller stops waiting. No retry starts after it.
    pub(crate) deadline: Option<Duration>,
    pub(crate) cancelled: Cancellation,
    /// Whether its documents go to the sink.
    pub(crate) to_sink: bool,
    retries: RetryBudget,
}

/// The rules of a crawl, compiled.
#[derive(Debug)]
pub(crate) struct CrawlContext {
    pub(crate) scope: CrawlScope,
    pub(crate) identity: Identity,
    pub(crate) start: Url,
    pub(crate) start_key: UrlKey,
    /// The agent that robots.txt is read for; `None` if the crawl ignores robots.txt.
    pub(crate) robots_agent: Option<String>,
    pub(crate) sitemap: SitemapMode,
    pub(crate) sitemaps: Sitemaps,
    /// The other spellings of pages; `None` if the crawl takes each spelling for a page of its own.
    pub(crate) twins: Option<Twins>,
    /// Delay between two requests of the job to one host.
    pub(crate) delay: Option<Duration>,
    /// Counts and traces for the caller.
    pub(crate) records: Arc<Records>,
    pub(crate) max_depth: Option<u32>,
    pub(crate) limit: u64,
    /// A URL was skipped because its patterns cost too much, and no warning was given yet.
    costly_warning_due: AtomicBool,
    /// Causes of unreadable robots.txt that the job has warned of.
    unreadable_warnings: Mutex<HashSet<Box<str>>>,
}

impl CrawlContext {
    fn new(id: JobId, plan: &CrawlPlan, agent: &str) -> Result<Self, gleaner_frontier::Error> {
        let (start, rules) = (&plan.target.url, &plan.rules);
        // A seed per job, so that no site can prepare URLs with colliding keys.
        let seed = id.as_uuid().as_u128();
        let identity = Identity::new(rules).with_seed(seed);
        Ok(Self {
            scope: CrawlScope::new(start, rules)?,
            start_key: identity.key(start),
            identity,
            start: start.clone(),
            robots_agent: (!rules.ignore_robots_txt)
                .then(|| rules.robots_user_agent.clone().unwrap_or_else(|| agent.to_owned())),
            sitemap: rules.sitemap,
            sitemaps: Sitemaps::default(),
            twins: rules.deduplicate_similar_urls.then(|| Twins::new(seed)),
            delay: plan.delay,
            records: Arc::default(),
            max_depth: rules.max_discovery_depth,
            limit: plan.limit,
            costly_warning_due: AtomicBool::new(false),
            unreadable_warnings: Mutex::default(),
        })
    }

    /// The page as a candidate, if it belongs to the crawl. Adds the cost of the decision to `steps`.
    pub(crate) fn candidate(&self, url: Url, steps: &mut u64) -> Option<Candidate> {
        let external = match self.scope.decide_counting(&url, false, steps) {
            Decision::Inside => false,
            Decision::External => true,
            Decision::Rejected(_) => return None,
        };
        Some(Candidate { key: self.identity.key(&url), url, external, priority: Candidate::NORMAL })
    }

    /// As [`candidate`](Self::candidate), for a URL found on a page or in a sitemap: records it in the
    /// traces, and counts it in `rejected` if it is rejected. Adds the cost of the decision to `steps`.
    pub(crate) fn discovered(
        &self,
        url: Url,
        on: FoundOn<'_>,
        priority: u8,
        rejected: &Rejections,
        steps: &mut u64,
    ) -> Option<Candidate> {
        let traces = &self.records.traces;
        let external = match self.scope.decide_counting(&url, false, steps) {
            Decision::Inside => false,
            Decision::External => true,
            Decision::Rejected(reason) => {
                self.count(rejected, reason);
                if !traces.is_empty() {
                    traces.record_found(self.identity.key(&url), on);
                }
                return None;
            }
        };
        let key = self.identity.key(&url);
        if !traces.is_empty() {
            traces.record_found(key, on);
        }
        let twin = self.twins.as_ref().and_then(|twins| twins.meet(key, &url));
        Some(Candidate { key: twin.unwrap_or(key), url, external, priority })
    }

    /// The key of the page that a leased page led to. One that is leased under its own spelling, because its
    /// page is missing under another one, stays apart from that one, also after a redirect to a third.
    pub(crate) fn key_after(&self, leased: &LeasedPage, status: u16, answered: &Candidate) -> UrlKey {
        match &self.twins {
            Some(twins)
                if status < 400
                    && answered.key != leased.key
                    && leased.key == twins.key(answered.key, &leased.url) =>
            {
                twins.key(answered.key, &answered.url)
            }
            _ => answered.key,
        }
    }

    /// The other spellings of a page that answered with an error. None for a page that is leased under its own
    /// spelling: the page is missing under another one already, which an earlier process may have asked for.
    pub(crate) fn twins_of(&self, leased: &LeasedPage) -> Vec<Candidate> {
        let page = self.identity.key(&leased.url);
        let Some(twins) = self.twins.as_ref().filter(|_| leased.key == page) else { return Vec::new() };
        let found = twins.miss(page, &leased.url, &self.identity);
        let candidate =
            |(url, key)| Candidate { url, key, external: leased.external, priority: Candidate::NORMAL };
        found.into_iter().map(candidate).collect()
    }

    /// Counts a nofollow link in `rejected` by the first reason that excludes it from the crawl. Adds the
    /// cost of the decision to `steps`.
    pub(crate) fn count_nofollow(&self, url: &Url, on: &Url, rejected: &Rejections, steps: &mut u64) {
        match self.scope.decide_counting(url, false, steps) {
            Decision::Rejected(reason) => self.count(rejected, reason),
            Decision::Inside | Decision::External => self.count(rejected, SkipReason::Nofollow),
        }
        if !self.records.traces.is_empty() {
            self.records.traces.record_nofollow(self.identity.key(url), on);
        }
    }

    fn count(&self, rejected: &Rejections, reason: SkipReason) {
        rejected.count(reason);
        if reason == SkipReason::TooCostly {
            self.costly_warning_due.store(true, Ordering::Relaxed);
        }
    }

    /// Whether the job must warn of skipped URLs whose patterns cost too much. Clears the flag.
    pub(crate) fn take_costly_warning(&self) -> bool {
        // The load avoids writes to shared memory for most crawls.
        self.costly_warning_due.load(Ordering::Relaxed)
            && self.costly_warning_due.swap(false, Ordering::Relaxed)
    }

    /// True once for each of the first few distinct causes of an unreadable robots.txt.
    pub(crate) fn take_unreadable_warning(&self, cause: &str) -> bool {
        let mut causes = self.unreadable_warnings.lock().unwrap_or_else(PoisonError::into_inner);
        causes.len() < MAX_UNREADABLE_WARNINGS && causes.insert(cause.into())
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
        // A cached copy counts as retained data.
        options.store_in_cache &= !zero_data_retention;
        let external_options = without_headers(&options);
        let (cancelled, retries) = (Cancellation::new(), RetryBudget::new());
        Self {
            id,
            options,
            external_options,
            zero_data_retention,
            team: None,
            fetch_session: Session::default(),
            transform_session: Session::default(),
            extract_session: Session::default(),
            fetch_saved: LastSave::default(),
            extract_saved: LastSave::default(),
            crawl,
            scheme_assumed: start.is_some_and(|start| start.scheme_assumed),
            slash_added: start.is_some_and(|start| start.slash_added),
            deadline: None,
            cancelled,
            to_sink: true,
            retries,
        }
    }

    /// Traces these URLs through a crawl, and returns its records; call this before the crawl starts.
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

    /// Did the user name the page without the slash that its URL has?
    pub(crate) fn is_slash_added(&self, key: UrlKey) -> bool {
        match &self.crawl {
            Some(crawl) => self.slash_added && crawl.start_key == key,
            None => key.to_raw() & SLASH_ADDED != 0,
        }
    }

    /// The URL of a page as the user wrote it.
    pub(crate) fn as_requested<'p>(&self, page: &'p LeasedPage) -> Cow<'p, str> {
        as_written(&page.url, self.is_slash_added(page.key))
    }

    pub(crate) fn is_start(&self, key: UrlKey) -> bool {
        self.crawl.as_ref().is_some_and(|crawl| crawl.start_key == key)
    }

    /// The options to fetch a page with. The headers of the user go to the site only, and never unencrypted
    /// if the crawl started encrypted.
    pub(crate) fn options_for(&self, page: &LeasedPage) -> &ScrapeOptionsPlan {
        let started_encrypted = self.crawl.as_ref().is_some_and(|crawl| crawl.start.scheme() == "https");
        // If the scheme was assumed, the site may support only http.
        let downgraded = started_encrypted && page.url.scheme() == "http" && !self.scheme_assumed;
        if page.external || downgraded { &self.external_options } else { &self.options }
    }

    /// Does the caller want some URLs explained?
    pub(crate) fn is_traced(&self) -> bool {
        self.crawl.as_ref().is_some_and(|crawl| !crawl.records.traces.is_empty())
    }

    /// A URL of the job for the log; `None` under zero data retention.
    pub(crate) fn log_url(&self, url: &Url) -> Option<SafeUrl> {
        (!self.zero_data_retention).then(|| SafeUrl::from(url))
    }

    /// The job's own delay between two requests to a host; zero if it sets none.
    pub(crate) fn delay(&self) -> Duration {
        self.crawl.as_ref().and_then(|crawl| crawl.delay).unwrap_or_default()
    }

    /// The limits of a request of the job, for this crawl delay of robots.txt.
    pub(crate) fn pacing(&self, gap: Duration) -> RequestPacing {
        RequestPacing { gap, delay: self.delay(), job: self.id }
    }

    /// Takes one retry from the budget, if there is one.
    pub(crate) fn take_retry(&self) -> bool {
        self.retries.take()
    }

    pub(crate) fn earn_retry(&self) {
        self.retries.earn(1);
    }

    /// Takes over what another process noted about the job, which has this number of finished pages. The
    /// notes about sessions are for the ports.
    pub(crate) fn restore(&self, notes: &[Note], finished: u64) {
        self.retries.earn(finished);
        for note in notes {
            match (note.kind, &note.value, &self.crawl) {
                (NoteKind::Retries, NoteValue::Add(used), _) => self.retries.restore_used(*used),
                (NoteKind::Sitemap | NoteKind::SitemapTotals, _, Some(crawl)) => crawl.sitemaps.restore(note),
                (NoteKind::Rejections, _, Some(crawl)) => crawl.records.rejections.restore(note),
                _ => {}
            }
        }
    }
}

/// The note of one used retry.
pub(crate) const fn retry_note() -> Note {
    Note { kind: NoteKind::Retries, key: 0, value: NoteValue::Add(1) }
}

/// The same options without the headers of the user.
pub(crate) fn without_headers(options: &ScrapeOptionsPlan) -> ScrapeOptionsPlan {
    ScrapeOptionsPlan { headers: Default::default(), ..options.clone() }
}

/// The retries of a job, in units of pages: each finished page adds one, each retry takes
/// [`PAGES_PER_RETRY`].
#[derive(Debug)]
struct RetryBudget(AtomicI64);

impl RetryBudget {
    fn new() -> Self {
        Self(AtomicI64::new(INITIAL_RETRIES * PAGES_PER_RETRY))
    }

    fn take(&self) -> bool {
        let update = self.0.fetch_update(Ordering::Relaxed, Ordering::Relaxed, |left| {
            (left >= PAGES_PER_RETRY).then_some(left - PAGES_PER_RETRY)
        });
        update.is_ok()
    }

    fn earn(&self, pages: u64) {
        self.0.fetch_add(i64::try_from(pages).unwrap_or(i64::MAX / 2), Ordering::Relaxed);
    }

    /// Retries that another process used.
    fn restore_used(&self, retries: u64) {
        let pages = i64::try_from(retries).unwrap_or(i64::MAX).saturating_mul(PAGES_PER_RETRY);
        let update = |left: i64| Some(left.saturating_sub(pages));
        let _always = self.0.fetch_update(Ordering::Relaxed, Ordering::Relaxed, update);
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
            budget.earn(1);
            retries += usize::from(budget.take());
        }
        assert_eq!(retries, 10 + 100);
    }

    #[test]
    fn another_process_has_what_is_left_of_the_retries() {
        let restored = |finished, used| {
            let budget = RetryBudget::new();
            budget.earn(finished);
            budget.restore_used(used);
            std::iter::repeat_with(|| budget.take()).take_while(|taken| *taken).count()
        };
        assert_eq!((restored(0, 0), restored(100, 5), restored(0, 10)), (10, 15, 0));
        assert_eq!((restored(u64::MAX, u64::MAX), restored(0, 11)), (0, 0));
    }
}
