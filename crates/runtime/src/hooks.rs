//! Hooks of the embedding program for the pages of its jobs: which links to follow, what to send with a
//! request, the pace of a host, retries, and the end of each page.
//!
//! The runtime calls them through [`crate::hook_calls`], which bounds their time and catches their panics.

use std::borrow::Cow;
use std::fmt;
use std::time::Duration;

use gleaner_types::plan::ScrapeOptionsPlan;
use gleaner_types::{BoxFuture, CacheState, Document, FetchEngine, JobId, PageError, SafeUrl};
use url::Url;

use crate::timings::Timings;

/// Maximum time of one call of a hook, the wait for a thread included.
pub const HOOK_TIME: Duration = Duration::from_secs(10);

/// Hooks for each page. Every method has a default, which changes nothing.
///
/// [`follow`](Self::follow), [`pace`](Self::pace), [`retry`](Self::retry) and [`ended`](Self::ended) run on
/// blocking threads, of which at most [`MAX_HOOK_THREADS`](crate::MAX_HOOK_THREADS) are used at once. One
/// that blocks delays its own page, and no other page while a thread is free. When all are in use, further
/// calls wait, and that counts as their time. [`prepare`](Self::prepare) is async and must not block. A call
/// ends after [`HOOK_TIME`]; a later result is dropped.
///
/// robots.txt, the egress guard, the limits of the job and the rules of the crawl hold whatever hooks say.
pub trait PageHooks: Send + Sync + 'static {
    /// Whether to follow a link of a crawled page. It is asked for each link that belongs to the crawl by its
    /// rules, and not for the URLs of sitemaps. A link that is found on several pages is asked for on each.
    ///
    /// All links of a page share one [`HOOK_TIME`]. If it panics or takes too long, the page fails.
    fn follow(&self, link: &FoundLink<'_>, page: &PageFacts<'_>) -> Follow {
        let _ = (link, page);
        Follow::Yes
    }

    /// Changes the request for a page before it is sent, such as by headers for one host. It is called once
    /// for each attempt at a page, and not for the target of a redirect, robots.txt and sitemaps. Headers and
    /// cookies that it sets are not sent to another origin after a redirect.
    ///
    /// If it fails, panics or takes too long, the page fails.
    fn prepare<'a>(&'a self, request: &'a mut RequestDraft<'_>) -> BoxFuture<'a, Result<(), HookError>> {
        let _ = request;
        Box::pin(std::future::ready(Ok(())))
    }

    /// The pace of a host, in addition to the engine's own limits: the stricter one applies. `host` is its
    /// name, with the port if that is not the default of the scheme: `example.com`, `example.com:8080`. It is
    /// asked before the first request to the host, and again after some seconds of use.
    ///
    /// If it panics or takes too long, the host has no pace of its own.
    fn pace(&self, host: &str) -> Option<Pace> {
        let _ = host;
        None
    }

    /// Whether to request a page again that failed, or answered with an error status. A page has at most
    /// [`MAX_ATTEMPTS`](crate::MAX_ATTEMPTS) attempts, and a retry needs the budget of its job and time
    /// before its deadline; otherwise there is none.
    ///
    /// If it panics or takes too long, the engine decides.
    fn retry(&self, attempt: &PageAttempt<'_>) -> Retry {
        let _ = attempt;
        Retry::Default
    }

    /// Learns that a page has ended: once for each page, after its outcome is stored. The end of its job may
    /// be seen a moment earlier. A crash in between loses the call.
    fn ended(&self, end: &PageEnd<'_>) {
        let _ = end;
    }
}

impl fmt::Debug for dyn PageHooks {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("PageHooks")
    }
}

/// A link of a page.
#[derive(Debug, Clone, Copy)]
#[non_exhaustive]
pub struct FoundLink<'a> {
    /// Where it leads.
    pub url: &'a Url,
    /// Whether it leads to another site, which the crawl allows.
    pub external: bool,
    /// Clicks from the start page or a sitemap to its target.
    pub depth: u32,
}

impl<'a> FoundLink<'a> {
    pub(crate) const fn new(url: &'a Url, external: bool, depth: u32) -> Self {
        Self { url, external, depth }
    }
}

/// A page that was fetched and transformed.
#[derive(Debug, Clone, Copy)]
#[non_exhaustive]
pub struct PageFacts<'a> {
    /// Its job.
    pub job: JobId,
    /// Its URL after redirects.
    pub url: &'a Url,
    /// The HTTP status of its answer.
    pub status: u16,
    /// Clicks from the start page or a sitemap.
    pub depth: u32,
    /// Its document, with the formats that the job asks for. What a model adds comes later.
    pub document: &'a Document,
}

impl<'a> PageFacts<'a> {
    pub(crate) const fn new(
        job: JobId,
        url: &'a Url,
        status: u16,
        depth: u32,
        document: &'a Document,
    ) -> Self {
        Self { job, url, status, depth, document }
    }
}

/// Whether to follow a link.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum Follow {
    /// Yes.
    Yes,
    /// Yes, and before the other pages of its depth on its host.
    First,
    /// No, for this reason. It counts as [`SkipReason::Hook`](gleaner_frontier::SkipReason::Hook), and an
    /// [`Explanation`](crate::Explanation) of the URL has the reason.
    Skip(Cow<'static, str>),
}

impl Follow {
    /// [`Skip`](Self::Skip), for this reason.
    pub fn skip(reason: impl Into<Cow<'static, str>>) -> Self {
        Self::Skip(reason.into())
    }
}

/// The request for a page before it is sent: a `GET` of a URL that is set. `Debug` shows no header values.
#[derive(Clone)]
pub struct RequestDraft<'a> {
    job: JobId,
    url: &'a Url,
    attempt: u32,
    options: ScrapeOptionsPlan,
    rendered: Option<bool>,
}

impl<'a> RequestDraft<'a> {
    pub(crate) const fn new(job: JobId, url: &'a Url, attempt: u32, options: ScrapeOptionsPlan) -> Self {
        Self { job, url, attempt, options, rendered: None }
    }

    /// The options, and whether to render the page if that was set.
    pub(crate) fn into_parts(self) -> (ScrapeOptionsPlan, Option<bool>) {
        (self.options, self.rendered)
    }

    /// The job of the page.
    #[must_use]
    pub const fn job(&self) -> JobId {
        self.job
    }

    /// The URL of the page.
    #[must_use]
    pub const fn url(&self) -> &'a Url {
        self.url
    }

    /// The number of the attempt at the page, from 1.
    #[must_use]
    pub const fn attempt(&self) -> u32 {
        self.attempt
    }

    /// The value of a header of the job, or that was set here.
    #[must_use]
    pub fn header(&self, name: &str) -> Option<&str> {
        self.options.headers.get(&name.to_ascii_lowercase()).map(String::as_str)
    }

    /// Sets a header, in place of one of the job or the engine with this name. The page fails if HTTP does
    /// not allow its name or its value. Headers of the connection, such as `Host`, have no effect.
    pub fn set_header(&mut self, name: &str, value: impl Into<String>) {
        self.options.headers.insert(name.to_ascii_lowercase(), value.into());
    }

    /// Removes a header of the job.
    pub fn remove_header(&mut self, name: &str) {
        self.options.headers.remove(&name.to_ascii_lowercase());
    }

    /// Adds a cookie for this request to those of the job.
    pub fn add_cookie(&mut self, name: &str, value: &str) {
        let cookies = self.options.headers.entry("cookie".to_owned()).or_default();
        if !cookies.is_empty() {
            cookies.push_str("; ");
        }
        cookies.extend([name, "=", value]);
    }

    /// The time for the answer.
    #[must_use]
    pub const fn timeout(&self) -> Duration {
        self.options.timeout
    }

    /// Sets the time for the answer. The deadline of the page bounds it too.
    pub fn set_timeout(&mut self, timeout: Duration) {
        self.options.timeout = timeout;
    }

    /// Sets whether a browser renders the page. It has no effect without a browser. A page whose options need
    /// a browser, such as for a screenshot, is rendered in any case.
    pub fn set_rendered(&mut self, rendered: bool) {
        self.rendered = Some(rendered);
    }
}

impl fmt::Debug for RequestDraft<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("RequestDraft")
            .field("job", &self.job)
            .field("url", &SafeUrl::from(self.url))
            .field("attempt", &self.attempt)
            .field("options", &self.options)
            .field("rendered", &self.rendered)
            .finish()
    }
}

/// Why a hook or a sink failed. Any error converts into it by `?`. Its text becomes that of the page's
/// failure, so it must hold no secrets.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HookError(String);

impl HookError {
    /// An error with this text.
    pub fn new(text: impl Into<String>) -> Self {
        Self(text.into())
    }
}

impl fmt::Display for HookError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// It is no [`Error`](std::error::Error) itself, because every one converts into it.
impl<E: std::error::Error> From<E> for HookError {
    fn from(error: E) -> Self {
        Self(error.to_string())
    }
}

/// The pace of a host. Default: no limits of its own.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Pace {
    pub(crate) places: u32,
    pub(crate) gap: Duration,
}

impl Pace {
    /// Maximum [gap](Self::gap).
    pub const MAX_GAP: Duration = Duration::from_secs(3_600);

    /// No limits.
    #[must_use]
    pub const fn new() -> Self {
        Self { places: u32::MAX, gap: Duration::ZERO }
    }

    /// Sets the maximum number of concurrent requests; at least 1.
    #[must_use]
    pub const fn places(self, places: u32) -> Self {
        Self { places: if places == 0 { 1 } else { places }, ..self }
    }

    /// Sets the minimum time from the end of one request to the start of the next; at most
    /// [`MAX_GAP`](Self::MAX_GAP). With a gap, the host gets one request at a time, whatever
    /// [`places`](Self::places) says.
    #[must_use]
    pub const fn gap(self, gap: Duration) -> Self {
        Self { gap: if gap.as_secs() < Self::MAX_GAP.as_secs() { gap } else { Self::MAX_GAP }, ..self }
    }
}

impl Default for Pace {
    fn default() -> Self {
        Self::new()
    }
}

/// An attempt at a page that failed, or answered with an error status.
#[derive(Debug, Clone, Copy)]
#[non_exhaustive]
pub struct PageAttempt<'a> {
    /// The job of the page.
    pub job: JobId,
    /// The URL of the page.
    pub url: &'a Url,
    /// The number of the attempt, from 1.
    pub number: u32,
    /// The status of the answer; `None` if there is none.
    pub status: Option<u16>,
    /// Why there is no answer.
    pub error: Option<&'a PageError>,
    /// The `Retry-After` of the answer. No request to the host starts before it.
    pub retry_after: Option<Duration>,
    /// Whether the engine would try again by itself.
    pub is_retryable: bool,
}

/// Whether to request a page again.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[non_exhaustive]
pub enum Retry {
    /// As the engine decides.
    #[default]
    Default,
    /// No. An answer with an error status becomes the document.
    Never,
    /// After this pause, or later if the answer has a `Retry-After`.
    After(Duration),
}

/// The end of a page.
#[derive(Debug, Clone, Copy)]
#[non_exhaustive]
pub struct PageEnd<'a> {
    /// Its job.
    pub job: JobId,
    /// Its URL.
    pub url: &'a Url,
    /// The status of its last answer; `None` without one.
    pub status: Option<u16>,
    /// The bytes of the bodies of its answers, without content coding.
    pub bytes: u64,
    /// The number of attempts, from 1. The other figures are those of the last one.
    pub attempts: u32,
    /// How long its stages took.
    pub timings: Timings,
    /// How long all of it took.
    pub total: Duration,
    /// Whether its last answer came from the cache; `None` if the cache was not used.
    pub cache_state: Option<CacheState>,
    /// What requested its last answer; `None` without one.
    pub engine: Option<FetchEngine>,
    /// Its outcome.
    pub outcome: EndOutcome<'a>,
}

/// The outcome of a page.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum EndOutcome<'a> {
    /// It gave a document.
    Document,
    /// It failed.
    Failed(&'a PageError),
    /// robots.txt forbids it.
    RobotsBlocked,
    /// It is not a result: it was fetched only for its links.
    Skipped,
}
