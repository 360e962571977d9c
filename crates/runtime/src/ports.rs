//! The ports to the layers below the worker loop, as traits.
//!
//! The loop knows neither HTTP nor HTML: the facade connects `gleaner-fetch` and `gleaner-transform` to these
//! ports, and the simulator connects scripted ones. The ports to the layers above are
//! [`Extract`](crate::Extract), [`TrackChanges`](crate::TrackChanges) and [`JobOwner`](crate::JobOwner).

use std::fmt::Debug;
use std::net::IpAddr;
use std::time::Duration;

use bytes::Bytes;
use gleaner_frontier::RobotsLine;
use gleaner_store::TeamId;
use gleaner_types::plan::ScrapeOptionsPlan;
use gleaner_types::{
    ActionResults, BoxFuture, CacheState, Document, FetchEngine, Interrupt, PageError, ProxyUsed,
};
use serde_json::Value;
use tokio::time::Instant;
use url::Url;

use crate::session::Session;

/// Fetches or renders one URL.
pub trait Fetch: Debug + Send + Sync + 'static {
    /// Fetches one URL, following the redirects that `redirects` allows, within the timeout of the options.
    ///
    /// An answer of any HTTP status is a success. So are endless redirects of a robots.txt (a loop, or more
    /// than are followed): the result has a redirect's status and no body.
    ///
    /// # Errors
    /// Why there is no answer, in the contract's codes.
    fn fetch<'a>(
        &'a self,
        request: FetchRequest<'a>,
        redirects: &'a dyn RedirectCheck,
    ) -> BoxFuture<'a, Result<Fetched, FetchError>>;

    /// The IP address that a request to the host of this URL would go to, if it can be told soon. Redirects are
    /// counted by it. `None`, the default, counts them by host only.
    fn address<'a>(&'a self, url: &'a Url) -> BoxFuture<'a, Option<IpAddr>> {
        Box::pin(async move {
            let _ = url;
            None
        })
    }

    /// The state of a session, such as its cookies, for [`restore_session`](Self::restore_session) in another
    /// process. It may contain secrets. `None`, the default, if there is nothing to keep.
    fn save_session(&self, session: &Session) -> Option<Vec<u8>> {
        let _ = session;
        None
    }

    /// Fills the session of a job that another process began. Bytes that cannot be read are ignored. The
    /// default does nothing.
    fn restore_session(&self, session: &Session, saved: &[u8]) {
        let _ = (session, saved);
    }
}

/// Decides before each redirect whether to follow it, and whether requests may start.
pub trait RedirectCheck: Send + Sync {
    /// Allows or refuses a redirect. May wait, such as for a permit of the host.
    ///
    /// # Errors
    /// Why the redirect is refused; the fetch then ends with [`FetchError::refused_redirect`].
    fn check<'a>(&'a self, from: &'a Url, to: &'a Url) -> BoxFuture<'a, Result<(), RedirectRefusal>>;

    /// Whether a request may start now, also that of a redirect or of a resource of the page. A fetcher asks
    /// as late as possible before it connects or sends. The default is true.
    fn may_start(&self) -> bool {
        true
    }

    /// Waits until [`may_start`](Self::may_start) returns true. The work on a page is stopped meanwhile.
    fn wait_for_start(&self) -> BoxFuture<'_, ()> {
        Box::pin(async {})
    }
}

/// Why a redirect is not followed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum RedirectRefusal {
    /// robots.txt forbids the target.
    Robots {
        /// The line that forbids it, if it is known.
        rule: Option<RobotsLine>,
    },
    /// The robots.txt of the target could not be read.
    RobotsUnreadable {
        /// The cause.
        cause: PageError,
        /// Another attempt may succeed.
        is_transient: bool,
        /// The server answered, with a status that reports a failure.
        answered: bool,
    },
    /// The target does not belong to the job.
    OutOfScope(String),
    /// Another process sends requests to the host of the target, or there is no place at it.
    HostBusy {
        /// When the page may be requested again, since the Unix epoch.
        not_before: Duration,
    },
}

/// What to fetch.
#[derive(Debug, Clone, Copy)]
pub struct FetchRequest<'a> {
    /// The URL.
    pub url: &'a Url,
    /// The user named no scheme: try `http` if `https` does not connect.
    pub scheme_assumed: bool,
    /// Timeout, headers, proxy and other options.
    pub options: &'a ScrapeOptionsPlan,
    /// The purpose of the request.
    pub purpose: Purpose,
    /// The session of the job; `None` for robots.txt, which is shared by all jobs.
    pub session: Option<&'a Session>,
    /// The team of the job, if any. Memory for bodies is shared fairly between teams.
    pub team: Option<&'a TeamId>,
    /// What requests the page. The choice is made: a `Browser` request is rendered whatever its options say,
    /// and a `Static` one is not. Only a [page](Purpose::Page) is requested by a browser, and only if
    /// [`RuntimeConfig::rendering`](crate::RuntimeConfig::rendering) is set.
    pub engine: FetchEngine,
    /// When the answer is due, before the deadline of the page and with time for its transform. It is at
    /// most the `timeout` of the options from now. A browser returns by then what the page shows, with a
    /// warning if it is not complete. A static request only needs the `timeout`, because the runtime stops
    /// the work on a page at its deadline.
    pub deadline: Instant,
    /// Nothing of the page may reach a disk or a log.
    pub zero_data_retention: bool,
}

/// The purpose of a request.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Purpose {
    /// A page: binary types that cannot be scraped are refused before their body is read.
    Page,
    /// robots.txt.
    Robots,
    /// A sitemap.
    Sitemap,
}

/// An answer.
#[derive(Debug, Clone)]
pub struct Fetched {
    /// The final URL, after redirects.
    pub url: Url,
    /// HTTP status.
    pub status: u16,
    /// `Content-Type` as sent, or the type of the body if the header is missing or wrong.
    pub content_type: Option<String>,
    /// The body, without content encoding.
    pub body: Bytes,
    /// The `Retry-After` of the answer.
    pub retry_after: Option<Duration>,
    /// Time from the last request, after redirects, to the first byte of its answer.
    pub latency: Duration,
    /// The IP address of the connection; `None` for an answer from a proxy, a cache or a browser.
    pub address: Option<IpAddr>,
    /// The kind of proxy used.
    pub proxy_used: ProxyUsed,
    /// Whether it came from the cache; `None` if the cache was not used.
    pub cache_state: Option<CacheState>,
    /// When the cached copy was stored, RFC 3339.
    pub cached_at: Option<String>,
    /// Further results of a browser; `None` if no browser rendered the page.
    pub rendering: Option<Box<Rendering>>,
    /// Its `X-Robots-Tag` headers, one per line; empty if it has none. [`Transform`] applies their rules for
    /// links.
    pub robots_tag: String,
}

impl Fetched {
    /// A direct answer with nothing but a status and a body.
    #[must_use]
    pub fn new(url: Url, status: u16, body: Bytes) -> Self {
        Self {
            url,
            status,
            content_type: None,
            body,
            retry_after: None,
            latency: Duration::ZERO,
            address: None,
            proxy_used: ProxyUsed::Basic,
            cache_state: None,
            cached_at: None,
            rendering: None,
            robots_tag: String::new(),
        }
    }
}

/// Results of a browser in addition to the page.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Rendering {
    /// The name of the document's encoding, in which the queries of its links are written; `None` for UTF-8.
    pub charset: Option<String>,
    /// The screenshot of the page: a `data:` URI.
    pub screenshot: Option<String>,
    /// The results of the actions.
    pub actions: Option<ActionResults>,
    /// Warnings of the browser.
    pub warnings: Vec<String>,
    /// The computed styles for the format `branding`, as the page gave them: [`Transform`] checks them.
    pub styles: Option<Value>,
}

/// Why there is no answer.
#[derive(Debug, Clone)]
pub struct FetchError {
    /// The error of the page, with the contract's code.
    pub error: PageError,
    /// Another attempt may succeed: the connection broke or the host was busy.
    pub retryable: bool,
    /// The browser ended while it rendered the page. The page may be the cause, so it gets one more attempt
    /// and no third.
    pub browser_crashed: bool,
    /// This process or machine had no descriptor, port or memory for the request, which says nothing about
    /// the host. The page waits, and that is no attempt at it.
    pub exhausted: bool,
    /// The redirect that [`RedirectCheck`] refused.
    pub refused_redirect: Option<RedirectRefusal>,
}

/// Transforms an answer into a document.
pub trait Transform: Debug + Send + Sync + 'static {
    /// Produces the requested formats, the page's metadata and its links from the body. Pure, and may take
    /// long: it must end soon after the interrupt of the task is raised; its result is then dropped. A page
    /// that seems light starts on a runtime thread with an interrupt that is raised after a few milliseconds
    /// of work. If that happens, it restarts on a blocking thread.
    ///
    /// # Errors
    /// If the type of the body gives no document.
    fn transform(&self, task: TransformTask<'_>) -> Result<Transformed, PageError>;

    /// Maximum memory of [`transform`](Self::transform) for this page in bytes, without its body;
    /// 0 if it is bounded elsewhere, as for a PDF. On a blocking thread, the page waits until this much
    /// memory is free. The default is 0.
    fn memory(&self, page: &Fetched) -> usize {
        let _ = page;
        0
    }
}

/// A page to transform.
#[derive(Debug, Clone, Copy)]
pub struct TransformTask<'t> {
    /// The answer.
    pub page: &'t Fetched,
    /// The requested formats and other options.
    pub options: &'t ScrapeOptionsPlan,
    /// Stops the work.
    pub interrupt: &'t Interrupt,
    /// State that the transformer keeps for the job while it runs. All pages of a job have the same options.
    pub kept: &'t Session,
    /// The job is a crawl or a batch: what the transformer learns from its pages may serve later ones.
    pub many_pages: bool,
}

/// Converts PDFs with bounded resources and a way to stop, such as in other processes. Without it,
/// [`Transform`] converts them and cannot be stopped.
pub trait ReadPdf: Debug + Send + Sync + 'static {
    /// Converts an answer that may be a PDF. `None` leaves it to [`Transform`]: it is not a PDF, or must not
    /// be converted. The work must stop at the deadline and when the future is dropped.
    ///
    /// # Errors
    /// If the file gives no document, or not in time.
    fn read_pdf<'a>(
        &'a self,
        page: &'a Fetched,
        options: &'a ScrapeOptionsPlan,
        turn: PdfTask<'a>,
    ) -> BoxFuture<'a, Option<Result<Transformed, PageError>>>;
}

/// The team and deadline of a PDF conversion.
#[derive(Debug, Clone, Copy)]
pub struct PdfTask<'a> {
    /// The team of the job, if any. Conversions alternate fairly between teams.
    pub team: Option<&'a TeamId>,
    /// The deadline of the conversion.
    pub deadline: Instant,
}

/// A document and its links.
#[derive(Debug, Default)]
pub struct Transformed {
    /// With the page's own metadata; the loop adds the metadata of the fetch.
    pub document: Document,
    /// All links of the page, absolute, without duplicates, in their order.
    pub links: Vec<Url>,
    /// Links with nofollow, which are counted and not followed. If the options follow nofollow links, they
    /// are in [`links`](Self::links) instead.
    pub nofollow: Vec<Url>,
    /// Converted pages of a PDF, which determine its price; `None` for other pages.
    pub pages_converted: Option<u32>,
    /// The page seems to be an empty shell that scripts fill. With a browser, it is rendered; otherwise the
    /// document gets a warning.
    pub needs_scripts: bool,
    /// The text of the page, if the options ask for a result of [`Extract::read_page`].
    ///
    /// [`Extract::read_page`]: crate::Extract::read_page
    pub text: Option<Box<PageText>>,
}

/// The text of a page, for [`Extract::read_page`](crate::Extract::read_page).
#[derive(Debug, Clone, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct PageText {
    /// Its original HTML; empty if there is none.
    pub html: String,
    /// Its content as Markdown, as far as the options include it.
    pub markdown: String,
    /// The document's warning about the summary, unless a better summary replaces it.
    pub summary_warning: Option<&'static str>,
}

impl PageText {
    /// The text of a page without a summary.
    #[must_use]
    pub fn new(html: String, markdown: String) -> Self {
        Self { html, markdown, summary_warning: None }
    }
}
