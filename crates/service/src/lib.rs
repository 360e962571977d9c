//! The job service of gleaner: many teams on one [runtime](gleaner_runtime).
//!
//! [`JobService`] holds requests of teams against what they may, starts their jobs, and answers by id: jobs
//! outlive their submitter. Credits are the business of an accounts provider, by the [`Accounts`] trait;
//! webhooks leave by [`Deliver`]; [`ActivityLog`] keeps what remains of jobs that ended; documents are
//! compared with their last scrape. Every port has a default, so a service needs a runtime alone.

mod accounts;
mod activity;
mod credit_reservation;
mod job_service;
mod lookups;
mod tracking;
mod webhook;

pub use accounts::{
    Accounts, Balance, DEFAULT_TEAM_CONCURRENCY, DEFAULT_TEAM_JOBS, MemoryAccounts, Operation, Secret, Team,
    TeamConfig, UnlimitedAccounts,
};
pub use activity::{ActivityLog, DEFAULT_ACTIVITY_ENTRIES, MemoryActivityLog};
pub use credit_reservation::CREDITS_AHEAD;
// The errors of the service are those of the runtime, whose kinds cover both.
pub use gleaner_runtime::{Error, ErrorKind};
pub use job_service::{
    BODY_WAIT, JobService, LONG_POLL, MAX_BODIES_PER_TEAM, MAX_CONCURRENT_BODIES, Page, ServiceConfig,
    StatusBody, Submit, Submitted,
};
pub use lookups::{LOOKUP_WAIT, MAX_LOOKUPS_PER_TEAM};
pub use tracking::{MAX_DIFF_BYTES, MAX_REPORTED_LINES};
pub use webhook::{
    BREAKER_FAILURES, BREAKER_PAUSE, DELIVERY_HOLD, DELIVERY_RETRIES, DELIVERY_TIMEOUT, Deliver,
    DeliverError, Delivery, MAX_DELIVERIES, MAX_DELIVERIES_PER_ENDPOINT, MAX_DELIVERIES_PER_TEAM,
    MAX_ENDPOINTS_KNOWN, SignatureError, WebhookConfig, sign, verify,
};
