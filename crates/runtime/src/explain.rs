//! Why a URL was crawled or not.
//!
//! Rejected links are counted by reason for every job. Single URLs are traced only if the caller names them
//! before the crawl starts: to explain any URL afterwards, the crawl would have to store all of them, with
//! the page that each was found on.

use std::collections::HashMap;
use std::fmt;
use std::sync::{Mutex, PoisonError};

use gleaner_frontier::{CrawlScope, Decision, Identity, RobotsLine, SkipReason, Trap, UrlKey};
use gleaner_store::{JobSnapshot, PageOutcome};
use gleaner_types::{JobState, PageError};
use url::Url;

use crate::rejections::Rejections;
use crate::route::RouteKey;

/// Maximum number of URLs traced in one crawl; further ones are ignored.
pub const MAX_EXPLAINED_URLS: usize = 1_000;

/// The outcome of one URL in a crawl.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Explanation {
    /// The URL to explain.
    pub url: Url,
    /// Its outcome.
    pub verdict: Verdict,
    /// The first page that linked to it, if any.
    pub found_on: Option<Url>,
    /// The first sitemap that names it, if any.
    pub named_in: Option<Url>,
    /// Clicks from the start page, if known. The depth of a page that a sitemap names is 0.
    pub depth: Option<u32>,
    /// It was deferred behind other pages, because its URL looks like part of an endless family (a trap).
    pub deferred_by: Option<Trap>,
}

/// The outcome of a URL. Its `Display` is a sentence for people.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum Verdict {
    /// It gave a document, with this HTTP status.
    Crawled(Option<u16>),
    /// It was crawled under another spelling, which is the same page by `deduplicateSimilarURLs` or
    /// `ignoreQueryParameters`.
    SamePageAs(Url),
    /// It was fetched, and redirected to a page that counts in its place.
    RedirectedTo(Url),
    /// It was fetched for its links alone and is not one of the results.
    NotAResult,
    /// It was fetched and gave no document.
    Failed(PageError),
    /// It does not belong to the crawl.
    Rejected(SkipReason),
    /// A hook of the embedding program skips it, for this reason.
    SkippedByHook(String),
    /// robots.txt forbids it, by this line if it is known.
    RobotsTxt(Option<RobotsLine>),
    /// It is further away than `maxDiscoveryDepth` allows.
    TooManyClicks(u32),
    /// It was found, but the crawl reached its `limit` first.
    LimitReached,
    /// It was found, but the crawl was cancelled first.
    Cancelled,
    /// It was found when the queue was full, or its URL is too long for the queue. The job's warning says so
    /// too.
    QueueFull,
    /// It was found, but the crawl failed first; the job's error says why.
    CrawlFailed,
    /// It was found and is in the queue or in work: the crawl is still running.
    Waiting,
    /// It belongs to the crawl, but no page that was crawled links to it and no sitemap names it.
    NotFound,
}

impl fmt::Display for Verdict {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let safe = gleaner_types::SafeUrl::from;
        match self {
            Self::Crawled(Some(status)) => write!(f, "crawled: it answered with status {status}"),
            Self::Crawled(None) => f.write_str("crawled"),
            Self::SamePageAs(url) => write!(f, "crawled as {}, which is the same page", safe(url)),
            Self::RedirectedTo(url) => write!(f, "not a page of its own: it redirects to {}", safe(url)),
            Self::NotAResult => {
                f.write_str("fetched for its links, but the patterns leave it out of the results")
            }
            Self::Failed(error) => write!(f, "failed: {}", error.message),
            Self::Rejected(reason) => write!(f, "not crawled: {reason}"),
            Self::SkippedByHook(reason) => write!(f, "not crawled: the embedder's hook: {reason}"),
            Self::RobotsTxt(None) => write!(f, "not crawled: {}", SkipReason::RobotsTxt),
            Self::RobotsTxt(Some(line)) => write!(f, "not crawled: {}, by {line}", SkipReason::RobotsTxt),
            Self::TooManyClicks(depth) => {
                write!(f, "not crawled: it is {depth} clicks away, more than `maxDiscoveryDepth` allows")
            }
            Self::LimitReached => {
                f.write_str("not crawled: it was found, but `limit` was reached before its turn")
            }
            Self::Cancelled => {
                f.write_str("not crawled: it was found, but the crawl was cancelled before its turn")
            }
            Self::QueueFull => f.write_str(
                "not crawled: it was found when the queue was full, or its URL is too long for the queue",
            ),
            Self::CrawlFailed => {
                f.write_str("not crawled: it was found, but the crawl failed before its turn")
            }
            Self::Waiting => f.write_str("not crawled yet: it was found and waits for its turn"),
            Self::NotFound => f.write_str(
                "not crawled: it belongs to the crawl, but no crawled page links to it and no sitemap \
                 names it",
            ),
        }
    }
}

/// Records about a crawl for its caller.
#[derive(Debug, Default)]
pub(crate) struct Records {
    pub(crate) rejections: Rejections,
    pub(crate) traces: Traces,
}

/// The URLs that are traced through a crawl.
#[derive(Debug, Default)]
pub(crate) struct Traces {
    traces: HashMap<UrlKey, Mutex<Vec<Trace>>>,
    /// The keys in the order in which the caller named the URLs.
    order: Vec<UrlKey>,
    max_depth: Option<u32>,
    limit: u64,
    /// The agent that robots.txt is read for; `None` if the crawl ignores it.
    robots_agent: Option<String>,
    /// The route of the job, if it is not the default route.
    route_key: Option<RouteKey>,
}

/// Where a URL was found.
#[derive(Debug, Clone, Copy)]
pub(crate) enum FoundOn<'a> {
    /// On a page at this depth.
    Page { url: &'a Url, depth: u32 },
    /// In a sitemap.
    Sitemap(&'a Url),
}

/// The rules of a crawl that decide the outcome of traced URLs.
#[derive(Debug)]
pub(crate) struct TraceRules<'a> {
    pub(crate) scope: &'a CrawlScope,
    pub(crate) identity: &'a Identity,
    pub(crate) max_depth: Option<u32>,
    pub(crate) limit: u64,
    pub(crate) robots_agent: Option<&'a str>,
    pub(crate) route_key: Option<RouteKey>,
}

#[derive(Debug)]
struct Trace {
    url: Url,
    verdict: Option<Verdict>,
    /// The verdict is about this very spelling, so that of another one does not replace it.
    is_own: bool,
    found: bool,
    /// A page links to it with nofollow.
    nofollow: bool,
    admitted: bool,
    found_on: Option<Url>,
    named_in: Option<Url>,
    depth: Option<u32>,
    trap: Option<Trap>,
}

impl Traces {
    pub(crate) fn new(urls: &[Url], rules: TraceRules<'_>) -> Self {
        let TraceRules { scope, identity, max_depth, limit, robots_agent, route_key } = rules;
        let robots_agent = robots_agent.map(str::to_owned);
        let mut traces = Self { max_depth, limit, robots_agent, route_key, ..Self::default() };
        for url in urls.iter().take(MAX_EXPLAINED_URLS) {
            let key = identity.key(url);
            let verdict = match scope.decide(url, false) {
                Decision::Rejected(reason) => Some(Verdict::Rejected(reason)),
                Decision::Inside | Decision::External => None,
            };
            let trace = Trace {
                url: url.clone(),
                verdict,
                is_own: false,
                found: false,
                nofollow: false,
                admitted: false,
                found_on: None,
                named_in: None,
                depth: None,
                trap: None,
            };
            let same_key = traces.traces.entry(key).or_default();
            same_key.get_mut().unwrap_or_else(PoisonError::into_inner).push(trace);
            traces.order.push(key);
        }
        traces
    }

    /// Whether no URL is traced. Callers then skip the work for traces.
    pub(crate) fn is_empty(&self) -> bool {
        self.traces.is_empty()
    }

    /// The agent that robots.txt is read for; `None` if the crawl ignores it.
    pub(crate) fn robots_agent(&self) -> Option<&str> {
        self.robots_agent.as_deref()
    }

    /// The route of the job, if it is not the default route.
    pub(crate) fn route_key(&self) -> Option<&RouteKey> {
        self.route_key.as_ref()
    }

    /// Records where a page was found.
    pub(crate) fn record_found(&self, key: UrlKey, on: FoundOn<'_>) {
        self.update(key, |trace| {
            trace.found = true;
            let (first, url, depth) = match on {
                FoundOn::Page { url, depth } => (&mut trace.found_on, url, depth.saturating_add(1)),
                FoundOn::Sitemap(url) => (&mut trace.named_in, url, 0),
            };
            first.get_or_insert_with(|| url.clone());
            trace.depth = Some(trace.depth.map_or(depth, |known| known.min(depth)));
        });
    }

    /// Records a nofollow link to a page.
    pub(crate) fn record_nofollow(&self, key: UrlKey, on: &Url) {
        self.update(key, |trace| {
            trace.nofollow = true;
            trace.found_on.get_or_insert_with(|| on.clone());
        });
    }

    /// Marks a page as admitted to the queue. True the first time, for traced pages only.
    pub(crate) fn admit(&self, key: UrlKey) -> bool {
        let mut is_new = false;
        self.update(key, |trace| {
            is_new |= !std::mem::replace(&mut trace.admitted, true);
            // A link on another page is followed.
            if matches!(trace.verdict, Some(Verdict::SkippedByHook(_))) {
                trace.verdict = None;
            }
        });
        is_new
    }

    /// Records that the embedder's hook skips a link to a page.
    pub(crate) fn record_hook(&self, key: UrlKey, reason: &str) {
        self.update(key, |trace| {
            if trace.verdict.is_none() && !trace.admitted {
                trace.verdict = Some(Verdict::SkippedByHook(reason.to_owned()));
            }
        });
    }

    /// Records that a page is deferred.
    pub(crate) fn record_deferral(&self, key: UrlKey, trap: Trap) {
        self.update(key, |trace| trace.trap = Some(trap));
    }

    /// Records that a page does not belong to the crawl, as its answer showed.
    pub(crate) fn record_rejected(&self, key: UrlKey, reason: SkipReason) {
        self.update(key, |trace| trace.verdict = Some(Verdict::Rejected(reason)));
    }

    /// Records the outcome of a page that was leased with `url` and, after redirects, answered at `answered`.
    pub(crate) fn record_outcome(
        &self,
        key: UrlKey,
        url: &Url,
        answered: Option<&Url>,
        moved: bool,
        outcome: &PageOutcome,
    ) {
        self.update(key, |trace| {
            trace.found = true;
            if trace.is_own && trace.url != *url {
                return;
            }
            let verdict = match outcome {
                PageOutcome::Retry(_) | PageOutcome::Return(_) => return,
                PageOutcome::Failed(error) => Verdict::Failed(error.clone()),
                PageOutcome::RobotsBlocked(rule) => Verdict::RobotsTxt(rule.clone()),
                PageOutcome::Skipped => Verdict::NotAResult,
                PageOutcome::Document(..) if moved && answered.is_some_and(|answered| answered != url) => {
                    Verdict::RedirectedTo(answered.unwrap_or(url).clone())
                }
                PageOutcome::Document(..) if trace.url != *url => Verdict::SamePageAs(url.clone()),
                PageOutcome::Document(document, _) => Verdict::Crawled(document.metadata.status_code),
            };
            trace.verdict = Some(verdict);
            trace.is_own = trace.url == *url;
        });
    }

    fn update(&self, key: UrlKey, mut change: impl FnMut(&mut Trace)) {
        if let Some(traces) = self.traces.get(&key) {
            traces.lock().unwrap_or_else(PoisonError::into_inner).iter_mut().for_each(&mut change);
        }
    }

    /// The outcome of each URL, in the order in which the caller named them. `forbidden` is the verdict about a
    /// URL that the robots.txt of its origin forbids.
    pub(crate) fn all(
        &self,
        job: &JobSnapshot,
        forbidden: impl Fn(&Url) -> Option<Verdict>,
    ) -> Vec<Explanation> {
        let mut next: HashMap<UrlKey, usize> = HashMap::new();
        let explain = |key: &UrlKey| {
            let index = next.entry(*key).or_default();
            let traces = self.traces.get(key)?.lock().unwrap_or_else(PoisonError::into_inner);
            let trace = traces.get(*index)?;
            *index += 1;
            let too_deep = |depth: &u32| self.max_depth.is_some_and(|max| *depth > max);
            let verdict = match (&trace.verdict, trace.depth.filter(too_deep)) {
                (Some(verdict), _) => verdict.clone(),
                (None, Some(depth)) => Verdict::TooManyClicks(depth),
                (None, None) => forbidden(&trace.url).unwrap_or_else(|| match trace.found {
                    true => self.not_reached(job),
                    // Any other link to it would have been followed.
                    false if trace.nofollow => Verdict::Rejected(SkipReason::Nofollow),
                    false => Verdict::NotFound,
                }),
            };
            Some(Explanation {
                url: trace.url.clone(),
                verdict,
                found_on: trace.found_on.clone(),
                named_in: trace.named_in.clone(),
                depth: trace.depth,
                deferred_by: trace.trap,
            })
        };
        self.order.iter().filter_map(explain).collect()
    }

    /// Why a page that was found has no outcome.
    fn not_reached(&self, job: &JobSnapshot) -> Verdict {
        match job.state {
            JobState::Scraping => Verdict::Waiting,
            JobState::Cancelled => Verdict::Cancelled,
            JobState::Failed => Verdict::CrawlFailed,
            JobState::Completed if job.completed >= self.limit => Verdict::LimitReached,
            // A crawl below its limit ends when the queue is empty, so this page was never queued.
            JobState::Completed => Verdict::QueueFull,
        }
    }
}

#[cfg(test)]
mod tests {
    use gleaner_types::ErrorCode;

    use super::*;

    #[test]
    fn every_verdict_has_its_own_sentence() {
        let url = || Url::parse("https://site.example/a").unwrap();
        let error =
            PageError { code: ErrorCode::ScrapeSiteError, message: "the connection broke".to_owned() };
        for (verdict, text) in [
            (Verdict::Crawled(Some(404)), "crawled: it answered with status 404"),
            (Verdict::Crawled(None), "crawled"),
            (Verdict::SamePageAs(url()), "crawled as https://site.example/a, which is the same page"),
            (Verdict::RedirectedTo(url()), "not a page of its own: it redirects to https://site.example/a"),
            (Verdict::NotAResult, "fetched for its links, but the patterns leave it out of the results"),
            (Verdict::Failed(error), "failed: the connection broke"),
            (
                Verdict::Rejected(SkipReason::TooDeep),
                "not crawled: there are more path segments below the start URL than `maxDepth` allows",
            ),
            (Verdict::SkippedByHook("old".to_owned()), "not crawled: the embedder's hook: old"),
            (
                Verdict::RobotsTxt(None),
                "not crawled: robots.txt forbids access (`ignoreRobotsTxt` lets it in)",
            ),
            (
                Verdict::RobotsTxt(Some(RobotsLine::new(2, "Disallow: /a".to_owned()))),
                "not crawled: robots.txt forbids access (`ignoreRobotsTxt` lets it in), by line 2: \
                 Disallow: /a",
            ),
            (
                Verdict::TooManyClicks(3),
                "not crawled: it is 3 clicks away, more than `maxDiscoveryDepth` allows",
            ),
            (Verdict::LimitReached, "not crawled: it was found, but `limit` was reached before its turn"),
            (Verdict::Cancelled, "not crawled: it was found, but the crawl was cancelled before its turn"),
            (
                Verdict::QueueFull,
                "not crawled: it was found when the queue was full, or its URL is too long for the queue",
            ),
            (Verdict::CrawlFailed, "not crawled: it was found, but the crawl failed before its turn"),
            (Verdict::Waiting, "not crawled yet: it was found and waits for its turn"),
            (
                Verdict::NotFound,
                "not crawled: it belongs to the crawl, but no crawled page links to it and no sitemap \
                 names it",
            ),
        ] {
            assert_eq!(verdict.to_string(), text, "{verdict:?}");
        }
    }
}
