//! The runtime of gleaner: one worker loop over ports, for scrape, batch and crawl.
//!
//! The loop leases pages from the [store](gleaner_store), fetches and transforms each through the [`Fetch`]
//! and [`Transform`] ports, and finishes it together with its links. All waiting happens in the store:
//! politeness, limits and back-pressure delay the lease of a page, so a leased page may be fetched now.
//!
//! [`Runtime::start`] takes a checked plan and returns a [`Job`], a stream of documents. Programs use it
//! through the `gleaner` facade, which connects the real fetcher and transformer to the ports. All of it runs
//! in the tokio runtime of an [`Executor`], whatever polls the futures.
//!
//! The crates above the runtime connect through ports as well: [`Extract`] produces results that may need a
//! model, [`TrackChanges`] compares a document with an earlier scrape, and a [`JobOwner`] pays for the parts
//! of an extract job. `gleaner-extract-jobs` and `gleaner-service` implement them; the runtime works without.
//! With the feature `testing`, `conformance` is the test suite for every [`DocumentSink`].
//!
//! # Modules
//!
//! Each module uses only modules above it in this list; a workspace test checks that.
//!
//! - base: `error`, `clock`, `executor`, `cancellation`, `term`, `blocking`, `log_suppression`, `slices`,
//!   `fair_semaphore`, `memory`, `session`, `warning`, `timings`, `hooks`, `sink`, `conformance`, `hook_calls`
//! - rules and limits: `credits`, `exports`, `limits`, `route`, `rendering`, `rejections`
//! - state of hosts: `robots` (the cache), `host_addresses`, `host_limiter`, `rendering_memory`
//! - ports: `ports`, `owner`, `extract`, `tracking`, `check_options`, `config`
//! - job: `explain`, `sitemaps`, `twins`, `context`, `resume`, `browser_access`
//! - shared by all jobs: `shared`, `session_notes`, `holds`, `hosts`, `robots_reader`, `attempts`, `commit`
//! - steps of a page: `permission`, `transforming`, `sitemap_fetch`, `sitemap_lease`, `page_trace`,
//!   `page_event`, `page_request`, `fetching`, `second_pass`, `complete_page`, `read_page`, `track_changes`,
//!   `deliver`
//! - work: `page`, `map`, `renewal`, `worker`
//! - jobs from outside: `runtime`, `job_control`, `handle`, `start`

mod attempts;
mod blocking;
mod browser_access;
mod cancellation;
mod check_options;
mod clock;
mod commit;
mod complete_page;
mod config;
#[cfg(feature = "testing")]
pub mod conformance;
mod context;
mod credits;
mod deliver;
mod error;
mod executor;
mod explain;
mod exports;
mod extract;
mod fair_semaphore;
mod fetching;
mod handle;
mod holds;
mod hook_calls;
mod hooks;
mod host_addresses;
mod host_limiter;
mod hosts;
mod job_control;
mod limits;
mod log_suppression;
mod map;
mod memory;
mod owner;
mod page;
mod page_event;
mod page_request;
mod page_trace;
mod permission;
mod ports;
mod read_page;
mod rejections;
mod rendering;
mod rendering_memory;
mod renewal;
mod resume;
mod robots;
mod robots_reader;
mod route;
mod runtime;
mod second_pass;
mod session;
mod session_notes;
mod shared;
mod sink;
mod sitemap_fetch;
mod sitemap_lease;
mod sitemaps;
mod slices;
mod start;
mod term;
mod timings;
mod track_changes;
mod tracking;
mod transforming;
mod twins;
mod warning;
mod worker;

pub use blocking::{BlockingError, WaitLimits, blocking, blocking_operation, spawn_blocking};
pub use cancellation::Cancellation;
pub use check_options::CheckOptions;
pub use clock::{Clock, rfc3339, timestamp};
pub use commit::LARGE_DOCUMENT;
pub use config::RuntimeConfig;
pub use credits::{
    CREDITS_FOR_STEALTH, CREDITS_FOR_ZERO_DATA_RETENTION, CREDITS_PER_MODEL_PAGE, CREDITS_PER_PAGE,
    TOKENS_PER_CREDIT, least_price,
};
pub use deliver::{MAX_SINK_WRITES, SINK_TIME};
pub use error::{Error, ErrorKind, QUEUE_FULL_PAUSE};
pub use executor::{Entered, Executor};
pub use explain::{Explanation, MAX_EXPLAINED_URLS, Verdict};
pub use extract::{Extract, ExtractTask, Extracted, PageRead, PageTask};
pub use fair_semaphore::{FairPermit, FairSemaphore, SlotOwner};
pub use handle::{Job, JobEnd};
pub use hook_calls::MAX_HOOK_THREADS;
pub use hooks::{
    EndOutcome, Follow, FoundLink, HOOK_TIME, HookError, Pace, PageAttempt, PageEnd, PageFacts, PageHooks,
    RequestDraft, Retry,
};
pub use job_control::JobControl;
pub use limits::{
    MAX_ATTEMPTS, MAX_CONCURRENT_MAPS, MAX_CONCURRENT_PDFS, MAX_CONCURRENT_SITEMAPS, MAX_LARGE_TRANSFORMS,
    MAX_RETRY_AFTER, MAX_TRANSFORM_TIME, MIN_MEDIUM_TRANSFORMS, RETRY_PAUSE,
};
pub use log_suppression::without_logs;
pub use map::{DEFAULT_MAP_TIMEOUT, MAPPED_URL_BYTES, MapResult};
pub use memory::{DEFAULT_PAGE_MEMORY, MemoryBudget};
pub use owner::{JobOwner, OwnerPermit, TokenMeter};
pub use ports::{
    Fetch, FetchError, FetchRequest, Fetched, PageText, PdfTask, Purpose, ReadPdf, RedirectCheck,
    RedirectRefusal, Rendering, Transform, TransformTask, Transformed,
};
pub use rendering::{RenderNeed, RenderPolicy, RenderSettings};
pub use renewal::RENEWAL_INTERVAL;
pub use robots::{MAX_CACHED_ROBOTS, MAX_ROBOTS_MEMORY, ROBOTS_LIFETIME, ROBOTS_RETRY, ROBOTS_TIMEOUT};
pub use runtime::{RunningJob, Runtime, new_id};
pub use session::Session;
pub use sink::{DocumentSink, SinkPage};
pub use sitemaps::{MAX_SITEMAP_BYTES, MAX_SITEMAP_DEPTH, MAX_SITEMAP_FILES, MAX_SITEMAP_PAGES};
pub use slices::MAX_CONCURRENT_SLICES;
pub use start::{JobSpec, StartOptions};
pub use timings::Timings;
pub use tracking::{NOT_COMPARED, TrackChanges, TrackingTask};
pub use warning::warn;
pub use worker::{STOP_TIME, SWEEP_INTERVAL};
