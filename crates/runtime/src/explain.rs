//! Why an address was crawled or not.
//!
//! Rejected links are counted by reason for every job. Single addresses are followed only where the caller
//! names them before the crawl begins: to answer for any address afterwards would take remembering all of
//! them, with the page that each was found on.

use std::collections::HashMap;
use std::fmt;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};

use gleaner_frontier::{CrawlScope, Decision, Identity, SkipReason, Trap, UrlKey};
use gleaner_store::{JobSnapshot, PageOutcome};
use gleaner_types::{JobState, PageError};
use url::Url;

use crate::route::RouteKey;

/// At most so many addresses of one crawl are followed; further ones are left out.
pub const MAX_EXPLAINED: usize = 1_000;

/// What became of one address in a crawl.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Explanation {
    /// The address asked about.
    pub url: Url,
    /// What became of it.
    pub verdict: Verdict,
    /// The first page that linked to it, where one did.
    pub found_on: Option<Url>,
    /// The first sitemap that names it, where one does.
    pub named_in: Option<Url>,
    /// Clicks from the start page, as far as is known. A page that a sitemap names is none away.
    pub depth: Option<u32>,
    /// It was put off, because it looks like one of a family of addresses that may go on for ever.
    pub put_off: Option<Trap>,
}

/// What became of an address. Its `Display` is a sentence for people.
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
    /// robots.txt forbids it.
    RobotsTxt,
    /// It is further away than `maxDiscoveryDepth` lets pages be.
    TooManyClicks(u32),
    /// It was found, but the crawl had as many documents as its `limit` lets it have before its turn came.
    LimitReached,
    /// It was found, but the crawl was cancelled before its turn came.
    Cancelled,
    /// It was found when the queue was full, or its address is too long to be queued. The job's warning says
    /// so too.
    QueueFull,
    /// It was found, but the crawl failed before its turn came; the job's error says why.
    CrawlFailed,
    /// It was found and waits for its turn, or is in work: the crawl goes on.
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
            Self::NotAResult => f.write_str("fetched for its links, but the patterns leave it out of the results"),
            Self::Failed(error) => write!(f, "fetched, without success: {}", error.message),
            Self::Rejected(reason) => write!(f, "not crawled: {reason}"),
            Self::RobotsTxt => write!(f, "not crawled: {}", SkipReason::RobotsTxt),
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
                "not crawled: it was found when the queue was full, or its address is too long to be queued",
            ),
            Self::CrawlFailed => {
                f.write_str("not crawled: it was found, but the crawl failed before its turn")
            }
            Self::Waiting => f.write_str("not crawled yet: it was found and waits for its turn"),
            Self::NotFound => {
                f.write_str("not crawled: it belongs to the crawl, but no crawled page links to it and no sitemap names it")
            }
        }
    }
}

/// What is written down about a crawl for its caller.
#[derive(Debug, Default)]
pub(crate) struct Records {
    pub(crate) rejections: Rejections,
    pub(crate) traces: Traces,
}

/// Rejected links of a job, by reason.
#[derive(Debug, Default)]
pub(crate) struct Rejections([AtomicU64; SkipReason::ALL.len()]);

impl Rejections {
    pub(crate) fn count(&self, reason: SkipReason) {
        let place = SkipReason::ALL.iter().position(|known| *known == reason);
        if let Some(counter) = place.and_then(|place| self.0.get(place)) {
            counter.fetch_add(1, Ordering::Relaxed);
        }
    }

    /// The reasons that came up.
    pub(crate) fn all(&self) -> Vec<(SkipReason, u64)> {
        let counts = self.0.iter().map(|counter| counter.load(Ordering::Relaxed));
        SkipReason::ALL.into_iter().zip(counts).filter(|(_, count)| *count > 0).collect()
    }
}

/// The addresses that are followed through a crawl.
#[derive(Debug, Default)]
pub(crate) struct Traces {
    traces: HashMap<UrlKey, Mutex<Vec<Trace>>>,
    /// As they were asked for.
    order: Vec<UrlKey>,
    max_depth: Option<u32>,
    limit: u64,
    /// Whom robots.txt is read for; `None` where it is not heeded.
    robots_agent: Option<String>,
    /// By which way, where it cannot be had by the usual one.
    route_key: Option<RouteKey>,
}

/// Where an address was found.
#[derive(Debug, Clone, Copy)]
pub(crate) enum FoundOn<'a> {
    /// On a page so many clicks from the start.
    Page { url: &'a Url, depth: u32 },
    /// In a sitemap.
    Sitemap(&'a Url),
}

/// What decides in a crawl about the addresses that are followed through it.
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
    found: bool,
    /// A page links to it that asks not to follow the link.
    unfollowed: bool,
    admitted: bool,
    found_on: Option<Url>,
    named_in: Option<Url>,
    depth: Option<u32>,
    put_off: Option<Trap>,
}

impl Traces {
    pub(crate) fn new(urls: &[Url], rules: TraceRules<'_>) -> Self {
        let TraceRules { scope, identity, max_depth, limit, robots_agent, route_key } = rules;
        let robots_agent = robots_agent.map(str::to_owned);
        let mut traces = Self { max_depth, limit, robots_agent, route_key, ..Self::default() };
        for url in urls.iter().take(MAX_EXPLAINED) {
            let key = identity.key(url);
            let verdict = match scope.decide(url, false) {
                Decision::Rejected(reason) => Some(Verdict::Rejected(reason)),
                Decision::Inside | Decision::External => None,
            };
            let trace = Trace {
                url: url.clone(),
                verdict,
                found: false,
                unfollowed: false,
                admitted: false,
                found_on: None,
                named_in: None,
                depth: None,
                put_off: None,
            };
            let of_key = traces.traces.entry(key).or_default();
            of_key.get_mut().unwrap_or_else(PoisonError::into_inner).push(trace);
            traces.order.push(key);
        }
        traces
    }

    /// Is nothing followed? Then nothing need be worked out for it.
    pub(crate) fn is_empty(&self) -> bool {
        self.traces.is_empty()
    }

    /// Whom robots.txt is read for; `None` where it is not heeded.
    pub(crate) fn robots_agent(&self) -> Option<&str> {
        self.robots_agent.as_deref()
    }

    /// The way of the job, where it is not the usual one.
    pub(crate) fn route_key(&self) -> Option<&RouteKey> {
        self.route_key.as_ref()
    }

    /// The page was found.
    pub(crate) fn found(&self, key: UrlKey, on: FoundOn<'_>) {
        self.each(key, |trace| {
            trace.found = true;
            let (first, url, depth) = match on {
                FoundOn::Page { url, depth } => (&mut trace.found_on, url, depth.saturating_add(1)),
                FoundOn::Sitemap(url) => (&mut trace.named_in, url, 0),
            };
            first.get_or_insert_with(|| url.clone());
            trace.depth = Some(trace.depth.map_or(depth, |known| known.min(depth)));
        });
    }

    /// A link to the page that is not followed, because the page that it is on asks for that.
    pub(crate) fn unfollowed(&self, key: UrlKey, on: &Url) {
        self.each(key, |trace| {
            trace.unfollowed = true;
            trace.found_on.get_or_insert_with(|| on.clone());
        });
    }

    /// True once for each page that is followed: when it is admitted, it may be put off.
    pub(crate) fn is_new(&self, key: UrlKey) -> bool {
        let mut new = false;
        self.each(key, |trace| new |= !std::mem::replace(&mut trace.admitted, true));
        new
    }

    /// The page is put off.
    pub(crate) fn put_off(&self, key: UrlKey, trap: Trap) {
        self.each(key, |trace| trace.put_off = Some(trap));
    }

    /// The page was leased from `url` and ended so, after redirects at `answered`.
    pub(crate) fn ended(
        &self,
        key: UrlKey,
        url: &Url,
        answered: Option<&Url>,
        moved: bool,
        outcome: &PageOutcome,
    ) {
        self.each(key, |trace| {
            trace.found = true;
            let verdict = match outcome {
                PageOutcome::Retry(_) | PageOutcome::Return(_) => return,
                PageOutcome::Failed(error) => Verdict::Failed(error.clone()),
                PageOutcome::RobotsBlocked => Verdict::RobotsTxt,
                PageOutcome::Skipped => Verdict::NotAResult,
                PageOutcome::Document(..) if moved && answered.is_some_and(|answered| answered != url) => {
                    Verdict::RedirectedTo(answered.unwrap_or(url).clone())
                }
                PageOutcome::Document(..) if trace.url != *url => Verdict::SamePageAs(url.clone()),
                PageOutcome::Document(document, _) => Verdict::Crawled(document.metadata.status_code),
            };
            trace.verdict = Some(verdict);
        });
    }

    fn each(&self, key: UrlKey, mut change: impl FnMut(&mut Trace)) {
        if let Some(traces) = self.traces.get(&key) {
            traces.lock().unwrap_or_else(PoisonError::into_inner).iter_mut().for_each(&mut change);
        }
    }

    /// What became of each address, in the order they were asked about. `forbids` is what the robots.txt that
    /// was read of its origin says of an address.
    pub(crate) fn all(&self, job: &JobSnapshot, forbids: impl Fn(&Url) -> bool) -> Vec<Explanation> {
        let mut next: HashMap<UrlKey, usize> = HashMap::new();
        let explain = |key: &UrlKey| {
            let nth = next.entry(*key).or_default();
            let traces = self.traces.get(key)?.lock().unwrap_or_else(PoisonError::into_inner);
            let trace = traces.get(*nth)?;
            *nth += 1;
            let too_far = |depth: &u32| self.max_depth.is_some_and(|most| *depth > most);
            let verdict = match (&trace.verdict, trace.depth.filter(too_far)) {
                (Some(verdict), _) => verdict.clone(),
                (None, Some(depth)) => Verdict::TooManyClicks(depth),
                (None, None) if forbids(&trace.url) => Verdict::RobotsTxt,
                (None, None) if trace.found => self.not_reached(job),
                // Any other way to it would have been taken.
                (None, None) if trace.unfollowed => Verdict::Rejected(SkipReason::Nofollow),
                (None, None) => Verdict::NotFound,
            };
            Some(Explanation {
                url: trace.url.clone(),
                verdict,
                found_on: trace.found_on.clone(),
                named_in: trace.named_in.clone(),
                depth: trace.depth,
                put_off: trace.put_off,
            })
        };
        self.order.iter().filter_map(explain).collect()
    }

    /// Why a page that was found did not come to its end.
    fn not_reached(&self, job: &JobSnapshot) -> Verdict {
        match job.state {
            JobState::Scraping => Verdict::Waiting,
            JobState::Cancelled => Verdict::Cancelled,
            JobState::Failed => Verdict::CrawlFailed,
            JobState::Completed if job.completed >= self.limit => Verdict::LimitReached,
            // A crawl below its limit ends when nothing waits any more: so this never did.
            JobState::Completed => Verdict::QueueFull,
        }
    }
}

#[cfg(test)]
mod tests {
    use gleaner_types::ErrorCode;

    use super::*;

    #[test]
    fn every_verdict_is_a_sentence_of_its_own() {
        let url = || Url::parse("https://site.example/a").unwrap();
        let error =
            PageError { code: ErrorCode::ScrapeSiteError, message: "the connection broke".to_owned() };
        for (verdict, text) in [
            (Verdict::Crawled(Some(404)), "crawled: it answered with status 404"),
            (Verdict::Crawled(None), "crawled"),
            (Verdict::SamePageAs(url()), "crawled as https://site.example/a, which is the same page"),
            (Verdict::RedirectedTo(url()), "not a page of its own: it redirects to https://site.example/a"),
            (Verdict::NotAResult, "fetched for its links, but the patterns leave it out of the results"),
            (Verdict::Failed(error), "fetched, without success: the connection broke"),
            (
                Verdict::Rejected(SkipReason::TooDeep),
                "not crawled: there are more path segments below the start URL than `maxDepth` allows",
            ),
            (
                Verdict::RobotsTxt,
                "not crawled: robots.txt forbids access (`ignoreRobotsTxt` passes over that)",
            ),
            (
                Verdict::TooManyClicks(3),
                "not crawled: it is 3 clicks away, more than `maxDiscoveryDepth` allows",
            ),
            (Verdict::LimitReached, "not crawled: it was found, but `limit` was reached before its turn"),
            (Verdict::Cancelled, "not crawled: it was found, but the crawl was cancelled before its turn"),
            (
                Verdict::QueueFull,
                "not crawled: it was found when the queue was full, or its address is too long to be queued",
            ),
            (Verdict::CrawlFailed, "not crawled: it was found, but the crawl failed before its turn"),
            (Verdict::Waiting, "not crawled yet: it was found and waits for its turn"),
            (
                Verdict::NotFound,
                "not crawled: it belongs to the crawl, but no crawled page links to it and no sitemap names it",
            ),
        ] {
            assert_eq!(verdict.to_string(), text, "{verdict:?}");
        }
    }
}
