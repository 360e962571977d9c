//! What the worker loop needs from below, as traits that it owns.
//!
//! The loop knows neither HTTP nor HTML: the facade fits `gleaner-fetch` and `gleaner-transform` to these
//! ports, and the simulator fits scripted ones. What it needs from above are the ports
//! [`Extract`](crate::Extract), [`TrackChanges`](crate::TrackChanges) and [`JobOwner`](crate::JobOwner).

use std::fmt::Debug;
use std::net::IpAddr;
use std::time::Duration;

use async_trait::async_trait;
use bytes::Bytes;
use gleaner_store::TeamId;
use gleaner_types::plan::ScrapeOptionsPlan;
use gleaner_types::{ActionResults, CacheState, Document, Interrupt, PageError, ProxyUsed};
use tokio::time::Instant;
use url::Url;

use crate::session::Session;

/// Fetches or renders one address.
#[async_trait]
pub trait Fetch: Debug + Send + Sync + 'static {
    /// Fetches one address, following redirects that `hops` lets through, within the deadline of the options.
    ///
    /// An answer of any HTTP status is a success. So are the redirects of a robots.txt that have no end (a
    /// circle, or more than are followed): they are an answer of a redirect's status, without a body.
    ///
    /// # Errors
    /// What kept the address from answering, in the contract's codes.
    async fn fetch(&self, request: FetchRequest<'_>, hops: &dyn RedirectCheck)
    -> Result<Fetched, FetchError>;
}

/// Is asked before a redirect is followed.
#[async_trait]
pub trait RedirectCheck: Send + Sync {
    /// May the fetch go on from one address to another?
    ///
    /// # Errors
    /// Why not; the fetch then ends with [`FetchError::refused_hop`].
    async fn check(&self, from: &Url, to: &Url) -> Result<(), RedirectRefusal>;
}

/// Why a redirect is not followed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum RedirectRefusal {
    /// robots.txt forbids the target.
    Robots,
    /// The robots.txt of the target could not be read, so that nobody knows whether it forbids it.
    RobotsUnread {
        /// Why not, for people.
        cause: String,
        /// Another try may do better.
        passes: bool,
    },
    /// The target does not belong to the job.
    OutOfScope(String),
}

/// What to fetch.
#[derive(Debug, Clone, Copy)]
pub struct FetchRequest<'a> {
    /// The address.
    pub url: &'a Url,
    /// The request named no scheme: try `http` where `https` does not connect.
    pub scheme_assumed: bool,
    /// How.
    pub options: &'a ScrapeOptionsPlan,
    /// What for.
    pub purpose: Purpose,
    /// What is kept for the job that the address belongs to. robots.txt is read for all jobs at once and has
    /// none.
    pub session: Option<&'a Session>,
}

/// What an address is fetched for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Purpose {
    /// A page: binary kinds that cannot be scraped are refused before their body is read.
    Page,
    /// robots.txt.
    Robots,
    /// A sitemap.
    Sitemap,
}

/// An answer.
#[derive(Debug, Clone)]
pub struct Fetched {
    /// The address that answered, after redirects.
    pub url: Url,
    /// HTTP status.
    pub status: u16,
    /// `Content-Type` as sent, or what the body is where that is missing or lies.
    pub content_type: Option<String>,
    /// The body, content encoding undone.
    pub body: Bytes,
    /// How long the host asks to be left alone.
    pub retry_after: Option<Duration>,
    /// From the request that was answered, the last one where there were redirects, until the first byte of
    /// its answer.
    pub latency: Duration,
    /// The address that was dialled for the answer; `None` where a proxy, a cache or a browser stood in
    /// between.
    pub address: Option<IpAddr>,
    /// Which kind of proxy was used.
    pub proxy_used: ProxyUsed,
    /// Did it come from the cache? `None` where that was not asked.
    pub cache_state: Option<CacheState>,
    /// When the cached copy was stored, RFC 3339.
    pub cached_at: Option<String>,
    /// What a browser made beside the page; `None` where none rendered it.
    pub rendering: Option<Box<Rendering>>,
    /// Its `X-Robots-Tag` headers, one a line; empty where it has none. [`Transform`] heeds what they say of
    /// links.
    pub robots_tag: String,
}

/// What a browser made beside the page, as the document will have it.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Rendering {
    /// The picture of the page: a `data:` URI.
    pub screenshot: Option<String>,
    /// What the actions gave.
    pub actions: Option<ActionResults>,
}

/// Why there is no answer.
#[derive(Debug, Clone)]
pub struct FetchError {
    /// In the contract's words.
    pub error: PageError,
    /// Another try may do better: the connection broke or the host was busy.
    pub retryable: bool,
    /// [`RedirectCheck`] refused a redirect.
    pub refused_hop: Option<RedirectRefusal>,
}

/// Makes a document of an answer.
pub trait Transform: Debug + Send + Sync + 'static {
    /// Reads the formats asked for, the page's own metadata and its links off the body. Pure, and may take
    /// long: it is to end soon after the interrupt of the task is raised, and what it gives then is dropped.
    /// A page that seems small is begun on a thread of the runtime under an interrupt that a few milliseconds
    /// of work raise, and begun anew elsewhere if they do.
    ///
    /// # Errors
    /// Where the body is of a kind that gives no document.
    fn transform(&self, task: TransformTask<'_>) -> Result<Transformed, PageError>;

    /// Bytes of memory that [`transform`](Self::transform) takes for this page at most, its body not counted;
    /// 0 where they are bounded otherwise, such as those of a PDF. Where it runs aside it waits until the
    /// pages under way leave as much. The default counts nothing.
    fn memory(&self, page: &Fetched) -> usize {
        let _ = page;
        0
    }
}

/// A page to make a document of.
#[derive(Debug, Clone, Copy)]
pub struct TransformTask<'t> {
    /// The answer.
    pub page: &'t Fetched,
    /// What is asked for.
    pub options: &'t ScrapeOptionsPlan,
    /// Ends the work.
    pub interrupt: &'t Interrupt,
    /// What the transformer keeps for the job, as long as it runs: all of its pages have the same options.
    pub kept: &'t Session,
}

/// Makes documents of PDFs where their conversion can be bounded and stopped, such as in other processes.
/// Without it they are left to [`Transform`], which nothing stops.
#[async_trait]
pub trait ReadPdf: Debug + Send + Sync + 'static {
    /// Makes a document of an answer that may be a PDF; `None` where it is none, or is not to be converted.
    /// Then it is left to [`Transform`]. Whatever goes on for it stops at the end of its turn, and when the
    /// future is dropped.
    ///
    /// # Errors
    /// Where the file gives no document, or not in time.
    async fn read_pdf(
        &self,
        page: &Fetched,
        options: &ScrapeOptionsPlan,
        turn: PdfTurn<'_>,
    ) -> Option<Result<Transformed, PageError>>;
}

/// For whom a PDF is converted, and until when.
#[derive(Debug, Clone, Copy)]
pub struct PdfTurn<'a> {
    /// The team of its job, if any. Teams take turns.
    pub team: Option<&'a TeamId>,
    /// Nobody waits for it any longer.
    pub until: Instant,
}

/// A document and what it leads to.
#[derive(Debug, Default)]
pub struct Transformed {
    /// With the page's own metadata; the loop adds those of the fetch.
    pub document: Document,
    /// All links of the page, absolute, each once, in their order.
    pub links: Vec<Url>,
    /// Further links, which the page asks not to follow and which are not followed: they are counted alone.
    /// Where such links are followed, they are among [`links`](Self::links).
    pub nofollow: Vec<Url>,
    /// Pages of a PDF that were converted, which is what it costs; `None` for other pages.
    pub pages_converted: Option<u32>,
    /// The page as text, where the options ask for something that is left to [`Extract::read_page`].
    ///
    /// [`Extract::read_page`]: crate::Extract::read_page
    pub text: Option<Box<PageText>>,
}

/// A page as text, for what is read off it after its transform.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct PageText {
    /// Its HTML as it came; empty where there is none.
    pub html: String,
    /// Its content as Markdown, as far as the options keep it.
    pub markdown: String,
    /// What the document's warning says of the summary unless a better one takes its place.
    pub summary_warning: Option<&'static str>,
}
