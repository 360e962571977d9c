//! The vocabulary of the frontier's doors.

use std::net::IpAddr;
use std::time::Duration;

use url::Url;

use super::rate_controller::Observation;
use super::slab::Handle;
use crate::identity::UrlKey;

/// A job in a [`Frontier`](crate::Frontier). Goes stale when the job is closed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct JobSlot(pub(super) Handle);

/// A lease. Goes stale when it is finished, expires, or its job is closed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct LeaseId(pub(super) Handle);

/// A page that a job may come to crawl.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Candidate {
    /// What is fetched. User name, password and a fragment that is no hash route are dropped.
    pub url: Url,
    /// What makes it one page; see [`Identity::key`](crate::Identity::key).
    pub key: UrlKey,
    /// A page of another site: its links are not followed.
    pub external: bool,
    /// Among pages of one depth on one host the higher one goes first.
    pub priority: u8,
}

impl Candidate {
    /// The priority of a page of which nothing else is known.
    pub const NORMAL: u8 = 128;

    /// The priority of what is no page but leads to pages: a sitemap. It goes before the pages of its depth, and is not
    /// counted in [`Counts::total`]. Pages have a lower one.
    pub const AUXILIARY: u8 = u8::MAX;
}

/// What became of candidates.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Admitted {
    /// Queued now. Includes pages that had been too deep and are not any more.
    pub new: u64,
    /// Known already, in this job.
    pub seen: u64,
    /// Too many clicks away. A shorter way may admit them later; then they count as new.
    pub too_deep: u64,
    /// Refused because the queue is full, in pages or in bytes, or the URL exceeds 64 KiB; not remembered.
    pub overflow: u64,
}

/// A page to work on.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Lease {
    /// To finish it by.
    pub id: LeaseId,
    /// Whose it is.
    pub job: JobSlot,
    /// What to fetch.
    pub url: Url,
    /// The page.
    pub key: UrlKey,
    /// Clicks from the start, as far as known now.
    pub depth: u32,
    /// A page of another site: its links are not followed.
    pub external: bool,
    /// Earlier leases of this page that expired or ended in a retry.
    pub attempt: u32,
    /// How many requests its host may have under way at once, as known now; see
    /// [`Frontier::limits`](crate::Frontier::limits).
    pub places: u32,
}

/// Leases, and when to ask again.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Leased {
    /// At most as many as were asked for.
    pub leases: Vec<Lease>,
    /// When something may become ready by time alone: a delay ends, or a lease expires (call
    /// [`Frontier::expire`](crate::Frontier::expire) first, then lease again). `None`: only an event changes anything.
    pub next: Option<Duration>,
}

/// How the work on a page ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Outcome {
    /// It gave a document.
    Document,
    /// It gave an error. Its place within the limit is free again.
    Failed,
    /// It gave neither: a duplicate after a redirect, a start page that is not in the results, or a page that robots.txt
    /// forbids. This says nothing of whether its host answered; [`HostFeedback`] does.
    Skipped,
    /// It goes back to the queue, not to be leased before this time (at most [`MAX_WAIT`](crate::MAX_WAIT) ahead).
    /// After [`FrontierConfig::max_attempts`](crate::FrontierConfig::max_attempts) leases it counts as failed and is
    /// listed by [`Frontier::take_lost`](crate::Frontier::take_lost).
    Retry {
        /// From the same origin as every `now`.
        not_before: Duration,
    },
    /// As [`Retry`](Self::Retry), of a page that was not asked for while it was leased, because its host's turn did not
    /// come (see [`Frontier::unasked`](crate::Frontier::unasked)): this was none of its tries.
    Return {
        /// From the same origin as every `now`.
        not_before: Duration,
    },
}

/// What finishing a lease did.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Finished {
    /// The outcome counts.
    Accepted {
        /// What became of the links.
        admitted: Admitted,
    },
    /// The lease had expired or its job was closed: nothing of the job changed.
    Stale,
}

/// A page that was given up because its leases kept being lost or retried.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LostPage {
    /// Whose it was.
    pub job: JobSlot,
    /// What was to be fetched.
    pub url: Url,
    /// The page.
    pub key: UrlKey,
    /// How often it was leased.
    pub attempts: u32,
}

/// Pages that waited in [`QueueSpill`](crate::QueueSpill) and did not come back.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct DroppedPages {
    /// Whose they were.
    pub job: JobSlot,
    /// How many.
    pub pages: u64,
}

/// How a host wants to be asked.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct HostFeedback {
    /// From the end of one request until the next begins, one at a time (robots.txt `Crawl-delay`). Replaces what was
    /// set before; `None` leaves it.
    pub min_gap: Option<Duration>,
    /// Nothing before this time (`Retry-After`), at most [`MAX_WAIT`](crate::MAX_WAIT) ahead.
    pub not_before: Option<Duration>,
    /// How it answered; see [`Frontier::observe`](crate::Frontier::observe).
    pub observed: Option<Observation>,
    /// It gave an answer, of which nothing else is to be learnt: it is no host that
    /// [never answers](crate::MAX_BEFORE_FIRST_ANSWER). What was [`observed`](Self::observed) with a status, and a
    /// document, say so too.
    pub answered: bool,
    /// Where it was found; see [`Frontier::resolved`](crate::Frontier::resolved).
    pub address: Option<IpAddr>,
    /// Where the request that was [`observed`](Self::observed) belongs to no lease of this host, because a redirect led
    /// to it: how many requests were under way there when it ended, this one included. 0 where it belongs to a lease.
    pub under_way: u32,
}

/// How a host may be asked for what is not leased; see [`Frontier::limits`](crate::Frontier::limits).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct HostLimits {
    /// Requests that may be under way at once, leased pages among them: at least one, and no more where the host wants a
    /// gap between them.
    pub places: u32,
    /// Nothing begins before this time.
    pub not_before: Duration,
}

/// Where a job stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Counts {
    /// Pages in the queue, including those that the limit will not let through.
    pub waiting: u64,
    /// Pages in work.
    pub leased: u64,
    /// Of those in work, what is no page (see [`Candidate::AUXILIARY`]).
    pub auxiliary: u64,
    /// Pages that gave a document.
    pub documents: u64,
    /// Pages that gave an error, or could not be read back from [`QueueSpill`](crate::QueueSpill).
    pub failed: u64,
    /// Pages that gave neither.
    pub skipped: u64,
    /// Documents there are or may yet be: `documents + leased + min(waiting, what the limit leaves)`, without what is no
    /// page (see [`Candidate::AUXILIARY`]). Equals `documents` at the end.
    pub total: u64,
}
