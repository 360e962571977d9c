//! The engine room of gleaner: one worker loop over ports, for scrape, batch and crawl.
//!
//! The loop leases pages from the [store](gleaner_store), fetches and transforms each through the [`Fetch`] and
//! [`Transform`] ports, and finishes it together with the links it gave. All waiting is in the store: politeness, limits
//! and back-pressure are reasons why a page is not leased yet, so a page in work is always one that may be fetched now.
//!
//! [`Runtime`] takes checked plans and gives [`Job`]s, which are streams of documents. Programs use it through the
//! `gleaner` facade, which fits the real fetcher and transformer to the ports.
//!
//! [`JobService`] stands before a room and serves many teams: jobs that outlive their submitter, read by id; credits, by the
//! [`Accounts`] trait; webhooks, by [`Deliver`]; structured data, by [`Extract`]; what became of jobs, by
//! [`ActivityLog`]. Every port has a default, so a desk can be had for a room alone.

mod accounts;
mod activity;
mod blocking;
mod clock;
mod context;
mod credit_reservation;
mod credits;
mod error;
mod explain;
mod exports;
mod extract;
mod handle;
mod host_limiter;
mod log_suppression;
mod lookups;
mod map;
mod memory;
mod page;
mod permission;
mod ports;
mod reading;
mod robots;
mod runtime;
mod service;
mod session;
mod shared;
mod sitemap_lease;
mod sitemaps;
mod slices;
mod tracking;
mod transforming;
mod webhook;
mod worker;

pub use accounts::{
    Accounts, Balance, DEFAULT_TEAM_CONCURRENCY, DEFAULT_TEAM_JOBS, MemoryAccounts, Operation, Secret, Team,
    TeamConfig, UnlimitedAccounts,
};
pub use activity::{ActivityLog, DEFAULT_ACTIVITY_ENTRIES, MemoryActivityLog};
pub use blocking::{BlockingError, WaitLimits, blocking, spawn_blocking};
pub use clock::{Clock, rfc3339};
pub use credit_reservation::{CREDITS_AHEAD, CreditReservation};
pub use credits::{
    CREDITS_FOR_STEALTH, CREDITS_FOR_ZERO_DATA_RETENTION, CREDITS_PER_MODEL_PAGE, CREDITS_PER_PAGE,
};
pub use error::{Error, ErrorKind};
pub use explain::{Explanation, MAX_EXPLAINED, Verdict};
pub use extract::{Extract, ExtractTask, Extracted, TOKENS_PER_CREDIT};
pub use handle::{Job, JobEnd, JobResult};
pub use log_suppression::without_logs;
pub use lookups::{LOOKUP_WAIT, MAX_LOOKUPS_PER_TEAM};
pub use map::{DEFAULT_MAP_TIMEOUT, MapResult};
pub use memory::{DEFAULT_PAGE_MEMORY, MemoryBudget};
pub use page::{MAX_ATTEMPTS, MAX_RETRY_AFTER, RETRY_PAUSE};
pub use ports::{
    Fetch, FetchError, FetchRequest, Fetched, PdfTurn, Purpose, ReadPdf, RedirectCheck, RedirectRefusal,
    Rendering, Transform, TransformTask, Transformed,
};
pub use reading::{PageRead, PageTask, PageText};
pub use robots::{MAX_ROBOTS_KEPT, MAX_ROBOTS_MEMORY, ROBOTS_LIFETIME, ROBOTS_RETRY, ROBOTS_TIMEOUT};
pub use runtime::{Runtime, RuntimeConfig};
pub use service::{
    BODY_WAIT, JobService, LONG_POLL, MAX_BODIES_PER_TEAM, MAX_CONCURRENT_BODIES, Page, ServiceConfig,
    StatusBody, Submit, Submitted,
};
pub use session::Session;
pub use shared::MAX_MAPS;
pub use sitemaps::{MAX_SITEMAP_BYTES, MAX_SITEMAP_DEPTH, MAX_SITEMAP_FILES, MAX_SITEMAP_PAGES};
pub use slices::MAX_CONCURRENT_SLICES;
pub use tracking::{MAX_DIFF_BYTES, MAX_REPORTED_LINES};
pub use transforming::{
    MAX_CONCURRENT_PDFS, MAX_CONCURRENT_SITEMAPS, MAX_LARGE_TRANSFORMS, MAX_TRANSFORM_TIME,
    MIN_MEDIUM_TRANSFORMS,
};
pub use webhook::{
    BREAKER_FAILURES, BREAKER_PAUSE, DELIVERY_HOLD, DELIVERY_RETRIES, DELIVERY_TIMEOUT, Deliver,
    DeliverError, Delivery, MAX_DELIVERIES, MAX_DELIVERIES_PER_ENDPOINT, MAX_DELIVERIES_PER_TEAM,
    MAX_ENDPOINTS_KNOWN, SignatureError, WebhookConfig, sign, verify,
};
pub use worker::SWEEP_EVERY;
