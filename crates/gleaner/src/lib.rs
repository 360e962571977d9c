//! An embeddable web-data engine: URLs in, clean Markdown, links and structured data out.
//!
//! ```no_run
//! use gleaner::{CrawlRequest, Engine};
//!
//! # async fn example() -> Result<(), gleaner::Error> {
//! let engine = Engine::builder().build()?;
//! let mut job = engine.crawl(CrawlRequest { limit: Some(100), ..CrawlRequest::new("https://example.com/") }).await?;
//! while let Some(page) = job.next().await {
//!     println!("{:?}: {} bytes", page.metadata.title, page.markdown.unwrap_or_default().len());
//! }
//! println!("{:?}", job.status().await?);
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
//! HTML that is at hand already, without the network:
//!
//! ```
//! use gleaner::{Engine, Input, ScrapeOptions};
//!
//! # fn main() -> Result<(), gleaner::Error> {
//! let engine = Engine::builder().build()?;
//! let url = "https://example.com/".parse().expect("a valid address");
//! let input = Input { url: &url, content_type: Some("text/html"), body: b"<h1>Tea</h1><p>Green or <b>black</b>." };
//! let whole_page = ScrapeOptions { only_main_content: Some(false), ..ScrapeOptions::default() };
//! let page = engine.convert(input, whole_page)?;
//! assert_eq!(page.markdown.as_deref().map(str::trim), Some("# Tea\n\nGreen or **black**."));
//! # Ok(())
//! # }
//! ```
//!
//! Requests mirror the JSON of the public web-data API; [`request`] has them all. An engine reads no environment
//! variables and keeps no global state; several may live in one program.

mod adapters;
mod builder;
pub mod desk;
mod engine;
mod error;
mod structured;
mod support;
mod webhooks;

pub use builder::EngineBuilder;
pub use engine::Engine;
pub use error::{Error, ErrorKind};
pub use gleaner_extract::{Budget, model};
pub use gleaner_fetch::{CacheStore, DiskCache, EgressPolicy, MemoryCache, Proxy, ProxyPool, Render};
/// What an implementation of [`Render`] is written in.
pub mod render {
    pub use gleaner_fetch::{
        ActionResult, Error, FollowAll, Gate, HopCheck, HopRefused, Method, Picture, Render, RenderRequest,
        Rendered, Request, Response,
    };
}
pub use gleaner_frontier::{Reason, Trap};
pub use gleaner_jobs::{Explanation, Job, JobResult, MAX_EXPLAINED, MapResult, Verdict, rfc3339};
#[cfg(feature = "models")]
pub use gleaner_models as models;
pub use gleaner_store::{JobSnapshot, PageFailure, PageFailures};
pub use gleaner_transform::Input;
pub use gleaner_types::request::{
    self, BatchScrapeRequest, CrawlRequest, ExtractRequest, MapRequest, ScrapeOptions, ScrapeRequest,
};
pub use gleaner_types::{
    Document, ErrorCode, Fault, Faults, JobId, JobKind, JobState, Metadata, PageError, SafeUrl, limits,
    parse_json, plan,
};
pub use gleaner_types::{event, response};
pub use structured::{DEFAULT_EXTRACT_TOKENS, MAX_EXTERNAL_PAGES, MAX_EXTRACT_PAGES};
