//! Limits of the frontier: pages in work, queue sizes, lease time, attempts.

use std::time::Duration;

/// Default of [`FrontierConfig::max_in_flight`], in pages.
pub const DEFAULT_MAX_IN_FLIGHT: u32 = 50;

/// Default of [`FrontierConfig::initial_per_host`], in pages.
pub const DEFAULT_INITIAL_PER_HOST: u32 = 8;

/// Default of [`FrontierConfig::initial_per_address`], in pages: the concurrency of four separate hosts.
/// Large hosting providers put thousands of sites behind one address, which must not be slower than one of
/// them, but must not get the sum of them at once either.
pub const DEFAULT_INITIAL_PER_ADDRESS: u32 = 4 * DEFAULT_INITIAL_PER_HOST;

/// Default of [`FrontierConfig::lease_time`]: three times the longest `timeout` of a page that
/// the API allows by default.
pub const DEFAULT_LEASE_TIME: Duration = Duration::from_secs(15 * 60);

/// Default of [`FrontierConfig::max_queued_per_job`], in pages.
pub const DEFAULT_MAX_QUEUED_PER_JOB: u64 = 20_000_000;

/// Default of [`FrontierConfig::max_queued_bytes_per_job`].
pub const DEFAULT_MAX_QUEUED_BYTES_PER_JOB: u64 = 128 << 20;

/// Default of [`FrontierConfig::max_queued_bytes`].
pub const DEFAULT_MAX_QUEUED_BYTES: u64 = 1 << 30;

/// Default of [`FrontierConfig::max_attempts`].
pub const DEFAULT_MAX_ATTEMPTS: u32 = 10;

/// Maximum delay of a page or a host, whatever `Retry-After` or a plan says.
pub const MAX_WAIT: Duration = Duration::from_secs(60 * 60);

/// Idle hosts are evicted above this number. They are kept for what was learned about their rate.
pub const MAX_IDLE_HOSTS: usize = 10_000;

/// Limits of a [`Frontier`](crate::Frontier), all jobs together.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct FrontierConfig {
    /// Maximum leased pages, all jobs together. Default [`DEFAULT_MAX_IN_FLIGHT`].
    pub max_in_flight: u32,
    /// Leased pages per host after its first response, before the rate controller adapts the number; until
    /// the first response at most [`MAX_BEFORE_FIRST_RESPONSE`](crate::MAX_BEFORE_FIRST_RESPONSE). Default
    /// [`DEFAULT_INITIAL_PER_HOST`].
    pub initial_per_host: u32,
    /// Maximum leased pages per host while it responds well; see
    /// [`Frontier::observe`](crate::Frontier::observe). The [`JobRules::max_in_flight`] of a job may be
    /// lower. Default [`DEFAULT_MAX_IN_FLIGHT`].
    pub max_per_host: u32,
    /// Leased pages on all hosts of one IP address, if it is known (see
    /// [`Frontier::resolved`](crate::Frontier::resolved)), before the rate controller adapts the number;
    /// fewer while the address is overloaded. Default [`DEFAULT_INITIAL_PER_ADDRESS`].
    pub initial_per_address: u32,
    /// Maximum leased pages on all hosts of one IP address while it responds well. Default
    /// [`DEFAULT_MAX_IN_FLIGHT`].
    pub max_per_address: u32,
    /// A lease expires after this time. Default [`DEFAULT_LEASE_TIME`].
    pub lease_time: Duration,
    /// Maximum waiting pages per job; further pages are refused and counted. Default
    /// [`DEFAULT_MAX_QUEUED_PER_JOB`].
    pub max_queued_per_job: u64,
    /// Maximum bytes of waiting URLs per job; further pages are refused and counted. A page takes the part of
    /// its URL after the host plus eleven bytes; a page that is too deep so far takes its whole URL. Links of
    /// pages use at most an eighth of [`max_queued_bytes`](Self::max_queued_bytes). Default
    /// [`DEFAULT_MAX_QUEUED_BYTES_PER_JOB`].
    pub max_queued_bytes_per_job: u64,
    /// Maximum bytes of waiting URLs, all jobs together, in memory or spilled (see
    /// [`QueueSpill`](crate::QueueSpill)). A [group](crate::Group) may queue links only while it leaves at
    /// least as many bytes free as it has queued, and pages given from outside only while it leaves a third
    /// of that free. So one group gets at most half of it, or three quarters, and others find space beside
    /// it. Default [`DEFAULT_MAX_QUEUED_BYTES`].
    pub max_queued_bytes: u64,
    /// A page counts as failed after this many leases. Default [`DEFAULT_MAX_ATTEMPTS`].
    pub max_attempts: u32,
}

impl Default for FrontierConfig {
    fn default() -> Self {
        Self {
            max_in_flight: DEFAULT_MAX_IN_FLIGHT,
            initial_per_host: DEFAULT_INITIAL_PER_HOST,
            max_per_host: DEFAULT_MAX_IN_FLIGHT,
            initial_per_address: DEFAULT_INITIAL_PER_ADDRESS,
            max_per_address: DEFAULT_MAX_IN_FLIGHT,
            lease_time: DEFAULT_LEASE_TIME,
            max_queued_per_job: DEFAULT_MAX_QUEUED_PER_JOB,
            max_queued_bytes_per_job: DEFAULT_MAX_QUEUED_BYTES_PER_JOB,
            max_queued_bytes: DEFAULT_MAX_QUEUED_BYTES,
            max_attempts: DEFAULT_MAX_ATTEMPTS,
        }
    }
}

/// The rules of one job.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct JobRules {
    /// Maximum number of documents.
    pub limit: u64,
    /// Maximum leased pages of the job; `None` sets no limit for the job.
    pub max_in_flight: Option<u32>,
    /// Minimum time from the end of one request of the job to a host until the start of the next. With it,
    /// the job fetches one page at a time from each host.
    pub delay: Option<Duration>,
    /// Maximum depth in clicks; deeper pages are not admitted. With it the job keeps its link graph, so that
    /// the depth of each page is the smallest number of clicks, in whatever order pages arrive.
    pub max_depth: Option<u32>,
}

impl JobRules {
    /// Rules that only limit the number of documents.
    #[must_use]
    pub const fn with_limit(limit: u64) -> Self {
        Self { limit, max_in_flight: None, delay: None, max_depth: None }
    }
}
