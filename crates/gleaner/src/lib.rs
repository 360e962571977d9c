//! An embeddable web-data engine: URLs in, clean Markdown, links and structured data out.
//!
//! ```no_run
//! use gleaner::{CrawlRequest, Engine};
//!
//! # async fn example() -> Result<(), gleaner::Error> {
//! let engine = Engine::builder().build()?;
//! let mut job = engine.crawl(CrawlRequest::new("https://example.com/").limit(100)).await?;
//! while let Some(page) = job.next().await {
//!     let page = page?; // fails if the crawl as a whole does
//!     println!("{:?}: {} bytes", page.metadata.title, page.markdown.unwrap_or_default().len());
//! }
//! let end = job.wait().await?;
//! println!("{} pages, {} failed", end.snapshot.completed, end.failures.len());
//! # Ok(())
//! # }
//! ```
//!
//! One page:
//!
//! ```no_run
//! # async fn example(engine: gleaner::Engine) -> Result<(), gleaner::Error> {
//! use gleaner::ScrapeRequest;
//!
//! let page = engine.scrape(ScrapeRequest::new("https://example.com/")).await?;
//! println!("{}", page.markdown.unwrap_or_default());
//! # Ok(())
//! # }
//! ```
//!
//! Structured data, with a proof for each value; [`Engine::extract_into`] returns it as a Rust type:
//!
//! ```no_run
//! # async fn example(engine: gleaner::Engine) -> Result<(), gleaner::Error> {
//! use gleaner::ExtractRequest;
//!
//! let product = gleaner::serde_json::json!({
//!     "type": "object",
//!     "properties": { "name": { "type": "string" }, "price": { "type": "number" } },
//! });
//! let schema = gleaner::serde_json::json!({
//!     "type": "object",
//!     "properties": { "products": { "type": "array", "items": product } },
//! });
//! let request = ExtractRequest::new(["https://example.com/*"]).schema(schema);
//! println!("{}", engine.plan_extract(request.clone())?);
//! let found = engine.extract(request).await?;
//! for leaf in &found.leaves {
//!     println!("{} is {}: {:?}", leaf.pointer, leaf.value, leaf.provenance);
//! }
//! # Ok(())
//! # }
//! ```
//!
//! HTML that the program already has, without the network:
//!
//! ```
//! use gleaner::{Engine, Input, ScrapeOptions};
//!
//! # fn main() -> Result<(), gleaner::Error> {
//! let engine = Engine::builder().build()?;
//! let url = "https://example.com/".parse().expect("a valid address");
//! let body = b"<h1>Tea</h1><p>Green or <b>black</b>.";
//! let input = Input { url: &url, content_type: Some("text/html"), body };
//! let whole_page = ScrapeOptions::new().only_main_content(false);
//! let page = engine.convert(input, whole_page)?;
//! assert_eq!(page.markdown.as_deref().map(str::trim), Some("# Tea\n\nGreen or **black**."));
//! # Ok(())
//! # }
//! ```
//!
//! Requests mirror the JSON of the public web-data API; see [`request`]. An engine reads no environment
//! variables and has no global state, so a program may have several.
//!
//! # Features
//!
//! - `extract` (default): structured data, the prompts of crawls, and the format `json`. Without it such
//!   requests are refused.
//! - `pdf` (default): documents of PDFs. Without it a PDF is a failed page.
//! - `service` (default): the job service with teams, credits, paging, webhooks and change tracking. Without
//!   it a job ends with its handle, and requests with a webhook are refused.
//! - `models` (off): language models and web search over HTTP, for [`EngineBuilder::model`] and
//!   [`EngineBuilder::search`]. It includes `extract`.
//! - `sqlite` (off): jobs that survive the process, in one file, for `EngineBuilder::store_at`. Without it,
//!   and without a durable [`store`](EngineBuilder::store) of your own, jobs end with the process. It
//!   contains SQLite, which a C compiler builds.
//! - `postgres` (off): jobs in a PostgreSQL database that any number of processes share, for
//!   `EngineBuilder::store_in_database`.
//! - `browser` (off, Unix only): pages rendered by an installed Chromium, for `EngineBuilder::browser`.
//!   Without it, and without a [`renderer`](EngineBuilder::renderer) of your own, `actions` and the format
//!   `screenshot` are refused, and pages that scripts build stay as served.

mod adapters;
#[cfg(feature = "browser")]
pub mod browser;
mod builder;
mod crawl;
mod engine;
mod error;
#[cfg(feature = "extract")]
mod extract;
#[cfg(not(feature = "extract"))]
#[path = "no_extract.rs"]
mod extract;
mod jobs;
#[cfg(feature = "pdf")]
pub mod pdf;
#[cfg(not(feature = "pdf"))]
#[path = "no_pdf.rs"]
mod pdf;
#[cfg(feature = "postgres")]
pub mod postgres;
#[cfg(not(feature = "postgres"))]
#[path = "no_postgres.rs"]
mod postgres;
#[cfg(feature = "service")]
pub mod service;
#[cfg(not(feature = "service"))]
#[path = "no_service.rs"]
mod service;
#[cfg(feature = "sqlite")]
pub mod sqlite;
#[cfg(not(feature = "sqlite"))]
#[path = "no_sqlite.rs"]
mod sqlite;
mod support;
#[cfg(feature = "service")]
mod webhooks;

pub use builder::{EngineBuilder, MIN_PAGE_MEMORY};
pub use engine::Engine;
pub use error::{Error, ErrorKind};
#[cfg(feature = "extract")]
pub use gleaner_extract::{Budget, model};
/// The plan, proofs and costs of structured data, and the port for an extractor of your own.
#[cfg(feature = "extract")]
pub mod extraction {
    pub use gleaner_extract::{
        Cardinality, Conflict, ExecutionPlan, Leaf, LedgerEntry, Method, Missing, MissingReason, PagePart,
        PlanEstimate, PlanSource, PlanStep, Provenance, Span, Spent, Stop, TemplateDrift,
    };
    pub use gleaner_runtime::{
        Extract, ExtractTask, Extracted, JobOwner, OwnerPermit, PageRead, PageTask, PageText, TokenMeter,
    };
}
#[cfg(feature = "extract")]
pub use gleaner_extract_jobs::{ExtractResult, ExtractWatch, PageCoverage, PageReport, PromptedCrawl, Typed};
pub use gleaner_fetch::{
    CacheStore, DiskCache, DnsAnswer, EgressPolicy, FetcherBuilder, MemoryCache, Proxy, ProxyPool, Render,
    Resolve, SystemResolver,
};
/// The types of an implementation of [`Render`].
pub mod render {
    pub use gleaner_fetch::{
        ActionResult, CookieJar, DocumentFacts, Error, ErrorKind, FollowAll, HeaderMap, HeaderValue,
        JarCookie, Load, LoadKind, MAX_RESULTS_BYTES_PER_PAGE, Method, Picture, RedirectCheck,
        RedirectRefused, Render, RenderProxy, RenderRequest, Rendered, RenderedPage, Request, Response,
        SameSite,
    };
}
pub use gleaner_frontier::{SkipReason, Trap};
#[cfg(feature = "models")]
pub use gleaner_models as models;
pub use gleaner_runtime::{
    Error as JobError, Explanation, Job, JobEnd, MAX_EXPLAINED_URLS, MapResult, MemoryBudget, RenderPolicy,
    Verdict,
};
pub use gleaner_store::{BlockedPage, JobSnapshot, JobWarning, PageFailure, PageFailures, WaitingFor};
pub use gleaner_transform::Input;
pub use gleaner_types::request::{
    self, BatchScrapeRequest, CrawlRequest, ExtractRequest, MapRequest, ScrapeOptions, ScrapeRequest,
};
pub use gleaner_types::{
    Checked, Document, ErrorCode, Fault, FaultPath, Faults, FetchEngine, JobId, JobKind, JobState, Metadata,
    PageError, PathPart, RequestBounds, SafeUrl, event, limits, media, parse_json, plan, response,
};
// The crates whose types occur in signatures of this crate, in the matching versions.
pub use {ipnet, schemars, serde_json, url};
