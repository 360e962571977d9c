//! The types of the public API of the frontier.

use std::net::IpAddr;
use std::time::Duration;

use url::Url;

use super::rate_controller::Observation;
use super::slab::Handle;
use crate::identity::UrlKey;

/// Identifies a job in a [`Frontier`](crate::Frontier). It becomes stale when the job is closed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct JobSlot(pub(super) Handle);

/// Identifies a lease. It becomes stale when the lease is finished or expires, or its job is closed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct LeaseId(pub(super) Handle);

impl LeaseId {
    /// The id with these bits.
    #[must_use]
    pub const fn from_raw(bits: u64) -> Self {
        Self(Handle::from_raw(bits))
    }

    /// The bits, which no other lease of the queue has.
    #[must_use]
    pub const fn to_raw(self) -> u64 {
        self.0.to_raw()
    }
}

/// A page that is offered to a job.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Candidate {
    /// The URL to fetch. User name, password and a fragment that is not a hash route are removed.
    pub url: Url,
    /// The identity of the page; see [`Identity::key`](crate::Identity::key).
    pub key: UrlKey,
    /// A page of another site: its links are not followed.
    pub external: bool,
    /// The order among pages of one depth on one host: the higher priority goes first.
    pub priority: u8,
}

impl Candidate {
    /// The priority of a page without further information.
    pub const NORMAL: u8 = 128;

    /// The priority of an auxiliary entry, which is not a page but leads to pages, such as a sitemap. It goes
    /// before the pages of its depth and is not counted in [`Counts::total`]. Pages have a lower priority.
    pub const AUXILIARY: u8 = u8::MAX;
}

/// The result of offering candidates: how many of them had each outcome.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[non_exhaustive]
pub struct Admitted {
    /// Queued, including pages that were too deep before.
    pub new: u64,
    /// Already known in this job.
    pub seen: u64,
    /// Too deep. A shorter path may admit them later; then they count as new.
    pub too_deep: u64,
    /// Refused because the queue is full, in pages or bytes, or because the URL exceeds 64 KiB. They are not
    /// remembered.
    pub overflow: u64,
}

/// A leased page.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Lease {
    /// Identifies the lease.
    pub id: LeaseId,
    /// The job of the page.
    pub job: JobSlot,
    /// The URL to fetch.
    pub url: Url,
    /// The identity of the page.
    pub key: UrlKey,
    /// Clicks from the start page, as far as known now.
    pub depth: u32,
    /// A page of another site: its links are not followed.
    pub external: bool,
    /// Not a page, but an entry that leads to pages; see [`Candidate::AUXILIARY`].
    pub auxiliary: bool,
    /// Number of earlier leases of this page that expired or ended in a retry.
    pub attempt: u32,
    /// Maximum concurrent requests to the host of the page, as known now; see
    /// [`Frontier::limits`](crate::Frontier::limits).
    pub max_concurrent: u32,
}

/// Leases, and when to lease again.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
#[non_exhaustive]
pub struct Leased {
    /// The leases, at most as many as requested.
    pub leases: Vec<Lease>,
    /// The next time at which something may become ready without an event: a delay ends, or a lease expires
    /// (call [`Frontier::expire`](crate::Frontier::expire) first, then lease again). `None` if only an event
    /// can change anything.
    pub next: Option<Duration>,
}

/// How a leased page ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Outcome {
    /// It gave a document.
    Document,
    /// It gave an error. Its place within the limit is free again.
    Failed,
    /// It gave neither: a duplicate after a redirect, a start page that is not in the results, or a page that
    /// robots.txt forbids. This does not tell whether the host responded; [`HostFeedback`] does.
    Skipped,
    /// It returns to the queue and is not leased before `not_before`, at most [`MAX_WAIT`](crate::MAX_WAIT)
    /// ahead. After [`FrontierConfig::max_attempts`](crate::FrontierConfig::max_attempts) leases it counts as
    /// failed, and [`Frontier::take_lost`](crate::Frontier::take_lost) lists it.
    Retry {
        /// The earliest time of the next lease, with the same origin as `now`.
        not_before: Duration,
    },
    /// As [`Retry`](Self::Retry), but no request was sent while it was leased, because the host had no
    /// capacity (see [`Frontier::no_request_sent`](crate::Frontier::no_request_sent)): it does not count as
    /// an attempt.
    Return {
        /// The earliest time of the next lease, with the same origin as `now`.
        not_before: Duration,
    },
}

/// The result of finishing a lease.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Finished {
    /// The outcome was recorded.
    Accepted {
        /// The result of offering the links.
        admitted: Admitted,
    },
    /// The lease had expired or its job was closed: the job did not change.
    Stale,
}

/// A page that was given up because its leases kept expiring or ending in a retry.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct LostPage {
    /// The job of the page.
    pub job: JobSlot,
    /// The URL of the page.
    pub url: Url,
    /// The identity of the page.
    pub key: UrlKey,
    /// Number of leases.
    pub attempts: u32,
}

/// Pages in a [`QueueSpill`](crate::QueueSpill) that could not be read back.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct DroppedPages {
    /// The job of the pages.
    pub job: JobSlot,
    /// The number of pages.
    pub pages: u64,
}

/// What was learned about a host.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct HostFeedback {
    /// Minimum time from the end of one request until the start of the next, one request at a time
    /// (robots.txt `Crawl-delay`). Replaces the earlier value; `None` keeps it.
    pub min_gap: Option<Duration>,
    /// Maximum concurrent requests, whatever its responses are: at least one. Replaces the earlier value;
    /// `None` keeps it.
    pub max_concurrent: Option<u32>,
    /// No request starts before this time (`Retry-After`), at most [`MAX_WAIT`](crate::MAX_WAIT) ahead.
    pub not_before: Option<Duration>,
    /// The response; see [`Frontier::observe`](crate::Frontier::observe).
    pub observed: Option<Observation>,
    /// The host responded, and nothing else is known about the response: it is not a host that [never
    /// responds](crate::MAX_BEFORE_FIRST_RESPONSE). An [`observed`](Self::observed) status and a document
    /// imply this.
    pub answered: bool,
    /// The IP address of the host; see [`Frontier::resolved`](crate::Frontier::resolved).
    pub address: Option<IpAddr>,
    /// Number of concurrent requests to this host when the [`observed`](Self::observed) request ended,
    /// including it. Set it only for a request without a lease of this host, such as a redirect to it; 0 for
    /// the request of a leased page.
    pub in_flight: u32,
}

/// Limits of a host for requests without a lease; see [`Frontier::limits`](crate::Frontier::limits).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct HostLimits {
    /// Maximum concurrent requests, including leased pages: at least one, and exactly one if the host
    /// requires a gap.
    pub max_concurrent: u32,
    /// No request starts before this time.
    pub not_before: Duration,
}

impl HostLimits {
    /// Limits of at most `max_concurrent` concurrent requests, none before `not_before`.
    #[must_use]
    pub const fn new(max_concurrent: u32, not_before: Duration) -> Self {
        Self { max_concurrent, not_before }
    }
}

/// The pages of a host in a frontier; see [`Frontier::host_load`](crate::Frontier::host_load).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct HostLoad {
    /// Waiting pages of all jobs, including those that their jobs may not lease now.
    pub waiting: u64,
    /// Leases that may have a running request, including those of closed jobs.
    pub in_flight: u32,
    /// No request starts before this time.
    pub ready_at: Duration,
    /// Maximum concurrent requests, by what is known about the host and its address; at least one.
    pub places: u32,
}

/// How often a host may be asked, for another process that continues with it; see
/// [`Frontier::pace`](crate::Frontier::pace). The default is that of an unknown host.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct HostPace {
    /// No request starts before this time.
    pub ready_at: Duration,
    /// Minimum time from the end of one request until the start of the next (robots.txt `Crawl-delay`); zero
    /// if none is known.
    pub gap: Duration,
    /// The number of concurrent requests that the host was found to handle; `None` if it has not responded.
    pub places: Option<u32>,
    /// The IP address that was dialed last.
    pub address: Option<IpAddr>,
}

/// The page counts of a job.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[non_exhaustive]
pub struct Counts {
    /// Waiting pages, including those that the limit does not admit.
    pub waiting: u64,
    /// Leased pages.
    pub leased: u64,
    /// Leased entries that are not pages (see [`Candidate::AUXILIARY`]).
    pub auxiliary: u64,
    /// Pages with a document.
    pub documents: u64,
    /// Pages that failed, or that could not be read back from [`QueueSpill`](crate::QueueSpill).
    pub failed: u64,
    /// Pages with neither.
    pub skipped: u64,
    /// Current and still possible documents: `documents + leased + min(waiting, what the limit leaves)`,
    /// without entries that are not pages (see [`Candidate::AUXILIARY`]). Equals `documents` at the end.
    pub total: u64,
}
