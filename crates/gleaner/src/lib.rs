//! An embeddable web-data engine: URLs in, clean Markdown, links and structured data out.
//!
//! An [`Engine`] fetches pages, converts them and keeps their results, all within your program, on tokio. It
//! reads no environment variables and has no global state, so a program may have several. One engine serves
//! any number of tokio runtimes, and programs without one.
//!
//! ```no_run
//! use gleaner::{CrawlRequest, Engine};
//!
//! #[tokio::main]
//! async fn main() -> Result<(), gleaner::Error> {
//!     let engine = Engine::builder().build()?;
//!     let mut job = engine.crawl(CrawlRequest::new("https://example.com/").limit(100)).await?;
//!     while let Some(page) = job.next().await {
//!         let page = page?; // fails if the crawl as a whole does
//!         println!("{:?}: {} bytes", page.metadata.title, page.markdown.unwrap_or_default().len());
//!     }
//!     let end = job.wait().await?;
//!     println!("{} pages, {} failed", end.snapshot.completed, end.failures.len());
//!     Ok(())
//! }
//! ```
//!
//! # Contents, by task
//!
//! | to | use | example |
//! |---|---|---|
//! | scrape one page | [`Engine::scrape`] | `scrape` |
//! | scrape a list of pages | [`Engine::batch`] | |
//! | crawl a site | [`Engine::crawl`] | `crawl_to_files` |
//! | list the URLs of a site | [`Engine::map`] | |
//! | get structured data | [`Engine::extract`]; into a Rust type [`Engine::extract_into`]; as a part of each document [`JsonFormat`](request::JsonFormat) | `extract_struct` |
//! | convert HTML or a PDF that you have | [`Engine::convert`] | |
//! | choose what a [`Document`] contains | [`Format`](request::Format) and [`ScrapeOptions`] | |
//! | read requests from JSON, with all of their faults | [`request`], [`Faults`] | |
//! | pause, cancel or await a job | [`Job`]; from other tasks [`JobControl`] | |
//! | find out why a page is missing | [`JobEnd`], [`Job::rejections`], [`Engine::crawl_explained`] | `crawl_to_files` |
//! | set the user agent | [`EngineBuilder::user_agent`] | |
//! | set proxies, certificates, the resolver, timeouts of connections | [`Network`] | `own_network` |
//! | bound memory, bodies and the cost of models | [`Limits`] | |
//! | be polite: pages at once of a host, the name for robots.txt | [`Politeness`] | |
//! | reach addresses that are not public | [`EngineBuilder::allow_private`] | |
//! | choose the threads that it works on | [`EngineBuilder::on_runtime`] | `two_runtimes` |
//! | test your program in paused time | [`EngineBuilder::on_runtime`] | `paused_time` |
//! | keep copies of pages between runs | [`DiskCache`] or your own [`CacheStore`], with [`Storage::cache`] | `own_cache` |
//! | let jobs survive a crash, in one file | [`sqlite`] | `resume` |
//! | share jobs among processes | [`postgres`] | |
//! | follow links by the content of their page | [`EngineBuilder::hooks`] with [`follow`](hooks::PageHooks::follow) | `follow_by_content` |
//! | sign in at one host, send headers or cookies | [`EngineBuilder::hooks`] with [`prepare`](hooks::PageHooks::prepare) | `auth_for_host` |
//! | set the pace of each host | [`EngineBuilder::hooks`] with [`pace`](hooks::PageHooks::pace) | `pace_per_host` |
//! | decide on retries | [`EngineBuilder::hooks`] with [`retry`](hooks::PageHooks::retry) | |
//! | measure each page | [`EngineBuilder::hooks`] with [`ended`](hooks::PageHooks::ended) | `latency_histogram` |
//! | send requests in your own way, or answer them from recorded sessions | [`EngineBuilder::wrap_fetch`] | `own_fetch_layer` |
//! | keep documents in a store of your own | [`EngineBuilder::sink`], or read the [`Job`] | `own_sink`, `own_store` |
//! | render pages in a browser, take screenshots | [`browser`], or an engine of your own by [`render`] | `screenshot` |
//! | ask a language model | [`models`], or one of your own by [`model`] | `own_model` |
//! | convert untrusted PDFs | [`pdf`] | |
//! | serve teams, with credits and webhooks | [`service`] | `own_accounts` |
//! | send webhooks in your own way | [`service::Serving::deliver`] | `own_webhooks` |
//! | write a port of your own | [`Resolve`], [`CacheStore`], [`Render`], [`DocumentSink`](hooks::DocumentSink), [`model`], [`service::Accounts`], [`store`]; the feature `testing` has their test suites | `own_resolver`, `own_cache`, `own_accounts`, `own_model` |
//! | serve HTTP | the crate `gleaner-http`, a `tower` service | |
//!
//! The examples are programs of at most 40 lines to copy, in `crates/gleaner/examples` of the repository.
//!
//! # The life of a job
//!
//! [`Engine::crawl`] and [`Engine::batch`] return a [`Job`] as soon as it is stored, and the engine works on
//! it from then on.
//!
//! - **Reading.** A [`Job`] is a stream of [`Document`]s in order of completion. While many are unread, no
//!   further page is fetched: a slow reader slows the job down and loses nothing. [`Job::next`] and
//!   [`Job::wait`] are cancel-safe. [`Job::status`] has its counts at any time, and they never shrink, but
//!   for the number of pages that are still [open](JobSnapshot::open).
//! - **Failed pages** are no errors of the job. [`Job::failures`] lists them so far, and [`JobEnd`] at the
//!   end.
//! - **Ending.** [`Job::wait`] waits for the end, and [`Job::cancel`] ends the job early, also from another
//!   task by [`Job::control`]. Dropping the [`Job`] ends it too and removes its results; [`Job::detach`] lets
//!   it run on for as long as the engine exists, and [`Engine::job`] gives a handle of it again.
//! - **Afterwards.** An ended job is kept for a day ([`Storage::result_retention`]). In memory,
//!   documents that were read are gone ([`Job::gone`]); a file and a database keep them.
//! - **Ending the program.** [`Engine::stop`] finishes the pages in work; dropping the [`Engine`] and its
//!   jobs gives them up. Jobs in a file or a database then go on in the next process or engine; others end.
//!
//! # Errors
//!
//! Each call returns one type, [`Error`], with a [`kind`](Error::kind), the [`code`](Error::code) of the
//! contract, predicates such as [`is_timeout`](Error::is_timeout), and a text for people that holds no
//! secret. An invalid request is refused with all of its [`faults`](Error::faults) at once, before anything
//! is fetched. A response with an error status, such as 404, is a [`Document`] and no error: look at
//! `metadata.status_code`. The items of a [`Job`] fail with a [`JobError`], which converts into [`Error`].
//!
//! # Logs and metrics
//!
//! The engine logs through `tracing`, with targets that begin with `gleaner`. At level `INFO` and above it
//! logs what an operator must know, and stays quiet otherwise. URLs in the log have no user names, passwords,
//! fragments and values of queries, and pages with zero data retention have no URL.
//!
//! Each page that ends, with a document or without one, is one event of level `DEBUG` with the target
//! `gleaner::page`. Its fields are `job`, `url`, `outcome` (`document`, `failed`, `robots_blocked` or
//! `skipped`), `code` (of a failure), `status`, `bytes` (of the decoded body), `tries`, and times in
//! microseconds: `waited_us` (for robots.txt, the pace of the host and a browser), `fetched_us`,
//! `transformed_us`, `extracted_us`, `stored_us` and `total_us`. They are for one lease of the page: of an
//! earlier try, only the number is known. The level is not `INFO` because a crawl ends hundreds of pages in a
//! second. A filter such as `warn,gleaner::page=debug` selects them alone. `metadata.duration` of a
//! [`Document`] has the time of its page.
//!
//! The HTML parser below, `html5ever`, logs each step by the crate `log` at the levels `debug` and `trace`.
//! It costs nothing unless the program's logger asks for it. A program whose subscriber also takes the
//! records of `log` should not select all targets at these levels: `debug,html5ever=off`.
//!
//! # Limits
//!
//! | of | default | set by |
//! |---|---|---|
//! | addresses that are connected to | public ones | [`Network::egress`], [`EngineBuilder::allow_private`] |
//! | pages in work at once | 50 | [`EngineBuilder::concurrency`] |
//! | pages of one host in work at once | 2 at first, 8 after its first response, then by how it responds | [`Politeness::concurrency_per_host`]; for one job [`CrawlRequest::max_concurrency`], [`CrawlRequest::delay`] |
//! | documents of a crawl | 10,000 | [`CrawlRequest::limit`] |
//! | clicks from the start page | none | [`CrawlRequest::max_discovery_depth`] |
//! | URLs of a map | 5,000 | [`MapRequest::limit`] |
//! | time for a page | 30 seconds | [`ScrapeOptions::timeout`], up to [`Limits::max_timeout`] |
//! | age of a copy that is used instead of a fetch | 0: each page is fetched | [`ScrapeOptions::max_age`] |
//! | time for a connection | 10 seconds | [`Network::connect_timeout`] |
//! | a call of a [hook](hooks::PageHooks) | 10 seconds | fixed ([`HOOK_TIME`](hooks::HOOK_TIME)) |
//! | a write of a [sink](hooks::DocumentSink) | 30 seconds, 5 times | fixed ([`SINK_TIME`](hooks::SINK_TIME), [`MAX_SINK_WRITES`](hooks::MAX_SINK_WRITES)) |
//! | body of a page | 50 MiB | [`Limits::max_body`] |
//! | memory of pages in work | 512 MiB | [`Limits::page_memory`] |
//! | results that wait for their reader | 256 MiB in memory, 64 GiB in temporary files | [`Storage::retained_results`] |
//! | tokens of a language model | 50,000 for a page, 500,000 for an extract | [`Limits::page_budget`], [`extract_budget`](Limits::extract_budget), [`job_budget`](Limits::job_budget) |
//!
//! [`limits`] has those of the fields of requests.
//!
//! # Features
//!
//! - `extract` (default): structured data, the prompts of crawls, and the format `json`. Without it such
//!   requests are refused.
//! - `pdf` (default): documents of PDFs. Without it a PDF is a failed page.
//! - `service` (default): the job service with teams, credits, paging, webhooks and change tracking. Without
//!   it a job ends with its handle, and requests with a webhook are refused.
//! - `zstd` (default): bodies in the content coding zstd. Without it, servers are not offered zstd.
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
//! - `testing` (off): `conformance`, the test suites for ports of your own, for your dev-dependencies.
//!
#![cfg_attr(not(feature = "browser"), doc = "[`browser`]: #features")]
#![cfg_attr(not(feature = "models"), doc = "[`models`]: #features")]
#![cfg_attr(not(feature = "postgres"), doc = "[`postgres`]: #features")]
#![cfg_attr(not(feature = "sqlite"), doc = "[`sqlite`]: #features")]

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
mod open_files;
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

pub use builder::{EngineBuilder, Limits, MIN_PAGE_MEMORY, Network, Pages, Politeness, Storage};
pub use engine::Engine;
pub use error::{Error, ErrorKind};
#[cfg(feature = "extract")]
#[doc(inline)]
pub use gleaner_extract::{Budget, model};
pub use open_files::raise_open_files;
/// The plan, proofs and costs of structured data, and the port for an extractor of your own.
#[cfg(feature = "extract")]
pub mod extraction {
    #[doc(inline)]
    pub use gleaner_extract::{
        Cardinality, Conflict, ExecutionPlan, Leaf, LedgerEntry, Method as ProvenanceMethod, Missing,
        MissingReason, PagePart, PlanEstimate, PlanSource, PlanStep, Provenance, Span, Spent, Stop,
        TemplateDrift,
    };
    #[doc(inline)]
    pub use gleaner_runtime::{
        Cancellation, Extract, ExtractTask, Extracted, JobOwner, OwnerPermit, PageRead, PageTask, PageText,
        Session, TokenMeter,
    };
}
#[cfg(feature = "extract")]
#[doc(inline)]
pub use gleaner_extract_jobs::{ExtractResult, ExtractWatch, PageCoverage, PageReport, PromptedCrawl, Typed};
#[doc(inline)]
pub use gleaner_fetch::{
    CacheEntry, CacheKey, CacheStore, CorruptEntry, DiskCache, DnsAnswer, EgressPolicy, FetcherBuilder,
    MemoryCache, Proxy, ProxyPool, Render, Resolve, SystemResolver,
};
/// The test suites for implementations of the ports: call one in a test of yours.
///
/// Each panics at the first rule that is broken, with a message. They need a tokio runtime whose time is not
/// paused.
#[cfg(feature = "testing")]
pub mod conformance {
    #[cfg(feature = "extract")]
    #[doc(inline)]
    pub use gleaner_extract::model::conformance::{language_model, web_search};
    #[doc(inline)]
    pub use gleaner_fetch::conformance::{cache_store, render, resolve};
    #[doc(inline)]
    pub use gleaner_runtime::conformance::document_sink;
    #[cfg(feature = "service")]
    #[doc(inline)]
    pub use gleaner_service::conformance::accounts;
    #[doc(inline)]
    pub use gleaner_store::conformance::{run as store, run_patiently as store_patiently};
}
/// The types of an implementation of [`Render`].
pub mod render {
    #[doc(inline)]
    pub use gleaner_fetch::{
        ActionResult, CookieJar, DocumentFacts, Error as FetchError, ErrorKind as FetchErrorKind, FollowAll,
        HeaderMap, HeaderValue, JarCookie, Load, LoadKind, MAX_RESULTS_BYTES_PER_PAGE, Method, Picture,
        RedirectCheck, RedirectRefused, Render, RenderProxy, RenderRequest, Rendered, RenderedPage, Request,
        Response, SameSite,
    };
}
/// The types of a [layer around the fetcher](EngineBuilder::wrap_fetch).
pub mod layer {
    #[doc(inline)]
    pub use gleaner_fetch::{
        AnswerBody, Error as FetchError, ErrorKind as FetchErrorKind, FetchLayer, HeaderMap, HeaderName,
        HeaderValue, LayerAnswer, LayerRequest, Method, Next,
    };
}
/// The types of [hooks for each page](EngineBuilder::hooks) and of a [sink of documents](EngineBuilder::sink).
pub mod hooks {
    #[doc(inline)]
    pub use gleaner_runtime::{
        DocumentSink, EndOutcome, Follow, FoundLink, HOOK_TIME, HookError, MAX_HOOK_THREADS, MAX_SINK_WRITES,
        Pace, PageAttempt, PageEnd, PageFacts, PageHooks, RequestDraft, Retry, SINK_TIME, SinkPage, Timings,
    };
}
/// The attribute of an implementation of [`Store`](store::Store). The other ports need none: their methods
/// return a [`BoxFuture`].
pub use async_trait::async_trait;
/// The rules and the queue of a crawl, whose types occur in the port of a [`store`].
#[doc(inline)]
pub use gleaner_frontier as frontier;
#[doc(inline)]
pub use gleaner_frontier::{RobotsLine, SkipReason, Trap};
#[cfg(feature = "models")]
#[doc(inline)]
pub use gleaner_models as models;
#[doc(inline)]
pub use gleaner_runtime::{
    Error as JobError, ErrorKind as JobErrorKind, Explanation, Job, JobControl, JobEnd, MAX_EXPLAINED_URLS,
    MapResult, MemoryBudget, RenderPolicy, Verdict,
};
/// The port of a store of your own, for [`EngineBuilder::store`], and the types of its jobs.
pub mod store {
    #[doc(inline)]
    pub use gleaner_store::{
        ALWAYS_LISTED_FAILURES, Accounting, Admission, ApiVersion, BlockedPage, Conclusion,
        DEFAULT_ALL_RETAINED_BYTES, DEFAULT_RETAINED_BYTES, DEFAULT_SPILLED_BYTES, DELIVERY_LEASE,
        DeadLetter, DeliveryOutcome, DueEvent, DueEvents, EndedJob, EndedJobs, Error as StoreError,
        ErrorKind as StoreErrorKind, EventId, FailurePosition, FinishedPage, HistoryKey, HostGuard, HostHold,
        JobAccount, JobFailure, JobListing, JobRequest, JobSnapshot, JobWarning, JsonSlice, LeaseId,
        LeasedPage, Leases, LocalStore, MAX_ACTIVITIES, MAX_ALL_LISTED_FAILURES, MAX_HISTORIES,
        MAX_HISTORY_BYTES, MAX_IDEMPOTENCY_KEYS, MAX_KEPT_SCRAPE_BYTES, MAX_KEPT_SCRAPES,
        MAX_LISTED_DEAD_LETTERS, MAX_LISTED_FAILURES, MAX_NOTE_BYTES, MAX_NOTES_PER_JOB, MAX_UNREAD_BYTES,
        MAX_UNREAD_DOCUMENTS, MAX_UNSETTLED_JOBS, MAX_WARNINGS, MemoryConfig, MemoryStore, NewJob, Note,
        NoteKind, NoteValue, PageFailure, PageFailures, PageOutcome, PastScrape, ReadBound, Receipt, Renewal,
        Reservation, Retention, Shortage, Slice, Store, StoredJob, TeamId, TeamLoad, TrackedScrape,
        WaitingFor, WorkerId, grant_operation, journal, parts, scrape_id,
    };
    #[doc(inline)]
    pub use gleaner_types::is_heavier;
}
#[doc(inline)]
pub use gleaner_store::{
    BlockedPage, DeadLetter, JobFailure, JobSnapshot, JobWarning, PageFailure, PageFailures, WaitingFor,
};
#[doc(inline)]
pub use gleaner_transform::Input;
#[doc(inline)]
pub use gleaner_types::request::{
    self, BatchScrapeRequest, CrawlRequest, ExtractRequest, MapRequest, ScrapeOptions, ScrapeRequest,
};
#[doc(inline)]
pub use gleaner_types::{
    BoxFuture, CacheState, Checked, Document, ErrorCode, Fault, FaultPath, Faults, FetchEngine, JobId,
    JobKind, JobState, Metadata, PageError, PathPart, ProxyUsed, RequestBounds, SafeUrl, event, limits,
    media, parse_json, plan, response,
};
// The crates whose types occur in signatures of this crate, in the matching versions.
pub use {bytes, http, ipnet, schemars, serde_json, tokio, url, uuid};
