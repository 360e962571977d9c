//! The job service of gleaner: many teams on one [runtime](gleaner_runtime).
//!
//! [`JobService`] checks each request against the permissions and limits of its team, starts the job, and
//! answers by job id: a job outlives the connection that submitted it. An accounts provider, the [`Accounts`]
//! trait, manages credits. [`Deliver`] sends webhooks. [`ActivityLog`] keeps a record of ended jobs. Change
//! tracking compares documents with their last scrape. Every port has a default, so a service needs only a
//! runtime. With the feature `testing`, `conformance` is the test suite for every accounts provider.

mod accounts;
mod activity;
mod credit_reservation;
mod job_service;
mod lookups;
mod tracking;
mod webhook;

#[cfg(feature = "testing")]
pub use accounts::conformance;
pub use accounts::{
    Accounts, Balance, DEFAULT_TEAM_CONCURRENCY, DEFAULT_TEAM_JOBS, MemoryAccounts, Operation, Secret, Team,
    TeamConfig, UnlimitedAccounts,
};
pub use activity::{ActivityLog, DEFAULT_ACTIVITY_ENTRIES, MemoryActivityLog};
pub use credit_reservation::CREDITS_AHEAD;
// The errors of the service are those of the runtime, whose kinds cover both.
pub use gleaner_runtime::{Error, ErrorKind};
pub use job_service::{
    DEFAULT_RESPONSE_MEMORY, JobService, LONG_POLL, MIN_RESPONSE_MEMORY, Mapped, Page, PieceWriter,
    RESPONSE_MEMORY_WAIT, RESPONSE_PIECE, ResponseJson, ResponseMemory, ResponseShare, ServiceConfig,
    StatusBody, SubmitContext, Submitted, WatchMessage,
};
pub use lookups::{LOOKUP_WAIT, MAX_LOOKUPS_PER_TEAM};
pub use tracking::{MAX_DIFF_BYTES, MAX_REPORTED_LINES};
pub use webhook::{
    BREAKER_FAILURES, BREAKER_PAUSE, DELIVERY_HOLD, DELIVERY_RETRIES, DELIVERY_TIMEOUT, Deliver,
    DeliverError, Delivery, MAX_DELIVERIES, MAX_DELIVERIES_PER_ENDPOINT, MAX_DELIVERIES_PER_TEAM,
    MAX_TRACKED_ENDPOINTS, SignatureError, WebhookConfig, sign, verify,
};
