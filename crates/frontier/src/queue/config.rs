use std::time::Duration;

/// Pages in work at once, all jobs together.
pub const DEFAULT_MAX_IN_FLIGHT: u32 = 50;

/// Pages in work at once on one host.
pub const DEFAULT_MAX_PER_HOST: u32 = 8;

/// Pages in work at once on all hosts of one address, to begin with: what so many hosts of their own would be asked for.
/// Large hosters put thousands of sites behind one address, which is not to be slower than one of them; but neither is it
/// to get at once what all of them together would.
pub const DEFAULT_MAX_PER_ADDRESS: u32 = 4 * DEFAULT_MAX_PER_HOST;

/// After so long a lease is taken for lost: longer than the longest page timeout and all its retries.
pub const DEFAULT_LEASE_TIME: Duration = Duration::from_secs(15 * 60);

/// Pages that wait in one job; further ones are refused and counted.
pub const DEFAULT_MAX_QUEUED_PER_JOB: u64 = 20_000_000;

/// Bytes of addresses that wait in one job; further pages are refused and counted.
pub const DEFAULT_MAX_QUEUED_BYTES_PER_JOB: u64 = 128 << 20;

/// Bytes of addresses that wait in all jobs together; further pages are refused and counted.
pub const DEFAULT_MAX_QUEUED_BYTES: u64 = 1 << 30;

/// How often one page is leased before it counts as failed.
pub const DEFAULT_MAX_ATTEMPTS: u32 = 10;

/// No page and no host is put off for longer, whatever `Retry-After` or a plan says.
pub const MAX_WAIT: Duration = Duration::from_secs(60 * 60);

/// Hosts without pages that are remembered for their pace.
pub const MAX_IDLE_HOSTS: usize = 10_000;

/// What a [`Frontier`](crate::Frontier) allows over all jobs.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct FrontierConfig {
    /// Pages in work at once, all jobs together. Default [`DEFAULT_MAX_IN_FLIGHT`].
    pub max_in_flight: u32,
    /// Pages in work at once on one host of which no more is known than that it answers; until then at most
    /// [`MAX_BEFORE_FIRST_ANSWER`](crate::MAX_BEFORE_FIRST_ANSWER). Default [`DEFAULT_MAX_PER_HOST`].
    pub max_per_host: u32,
    /// Pages in work at once on one host that answers well; see [`Frontier::observe`](crate::Frontier::observe).
    /// A job's own [`JobRules::max_in_flight`] may be lower. Default [`DEFAULT_MAX_IN_FLIGHT`].
    pub most_per_host: u32,
    /// Pages in work at once on all hosts of one address, where it is known (see
    /// [`Frontier::resolved`](crate::Frontier::resolved)), to begin with; fewer while it is overloaded. Default
    /// [`DEFAULT_MAX_PER_ADDRESS`].
    pub max_per_address: u32,
    /// The same on an address that answers well. Default [`DEFAULT_MAX_IN_FLIGHT`].
    pub most_per_address: u32,
    /// After so long a lease is taken for lost. Default [`DEFAULT_LEASE_TIME`].
    pub lease_time: Duration,
    /// Pages that wait in one job. Default [`DEFAULT_MAX_QUEUED_PER_JOB`].
    pub max_queued_per_job: u64,
    /// Bytes of addresses that wait in one job: what stands behind the host of each, and eleven bytes; of those that are
    /// too deep so far, the whole. What pages link to fills an eighth of [`max_queued_bytes`](Self::max_queued_bytes) at
    /// most. Default [`DEFAULT_MAX_QUEUED_BYTES_PER_JOB`].
    pub max_queued_bytes_per_job: u64,
    /// The same for all jobs together, wherever they lie (see [`QueueSpill`](crate::QueueSpill)). No
    /// [group](crate::Group) takes in more links of its pages than leave as many bytes free as it has queued, nor more of
    /// what is given from outside than leave a third of that: so one comes to half of it at most, or to three quarters, and
    /// others find room beside it. Default [`DEFAULT_MAX_QUEUED_BYTES`].
    pub max_queued_bytes: u64,
    /// How often one page is leased before it counts as failed. Default [`DEFAULT_MAX_ATTEMPTS`].
    pub max_attempts: u32,
}

impl Default for FrontierConfig {
    fn default() -> Self {
        Self {
            max_in_flight: DEFAULT_MAX_IN_FLIGHT,
            max_per_host: DEFAULT_MAX_PER_HOST,
            most_per_host: DEFAULT_MAX_IN_FLIGHT,
            max_per_address: DEFAULT_MAX_PER_ADDRESS,
            most_per_address: DEFAULT_MAX_IN_FLIGHT,
            lease_time: DEFAULT_LEASE_TIME,
            max_queued_per_job: DEFAULT_MAX_QUEUED_PER_JOB,
            max_queued_bytes_per_job: DEFAULT_MAX_QUEUED_BYTES_PER_JOB,
            max_queued_bytes: DEFAULT_MAX_QUEUED_BYTES,
            max_attempts: DEFAULT_MAX_ATTEMPTS,
        }
    }
}

/// What one job allows.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct JobRules {
    /// At most so many documents.
    pub limit: u64,
    /// At most so many pages of the job in work at once; `None` leaves it to the engine.
    pub max_in_flight: Option<u32>,
    /// From the end of one request of the job to a host until the next begins; the job then asks each host for one
    /// page at a time.
    pub delay: Option<Duration>,
    /// Pages more clicks away are not admitted. With it the job keeps its link graph, so that the depth of each page
    /// is the least number of clicks in whatever order pages come in.
    pub max_depth: Option<u32>,
}

impl JobRules {
    /// Rules that set nothing but the number of documents.
    #[must_use]
    pub const fn with_limit(limit: u64) -> Self {
        Self { limit, max_in_flight: None, delay: None, max_depth: None }
    }
}
