//! The accounts provider: authentication, rate limits and credits of teams.

#[cfg(feature = "testing")]
pub mod conformance;
mod memory;
mod secret;
mod unlimited;

use std::fmt::Debug;
use std::time::Duration;

use gleaner_runtime::Error;
use gleaner_store::TeamId;
use gleaner_types::limits::UNLIMITED_CREDITS;
use gleaner_types::{BoxFuture, JobId};
use uuid::Uuid;

pub use memory::{MemoryAccounts, TeamConfig};
pub use secret::Secret;
pub use unlimited::UnlimitedAccounts;

/// Default number of pages of a team that are processed at once: the team's concurrency limit in section 8 of
/// the contract.
pub const DEFAULT_TEAM_CONCURRENCY: u32 = 50;
/// Default number of jobs of a team that may run at once.
pub const DEFAULT_TEAM_JOBS: u32 = 10_000;

/// A team with its limits and permissions.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Team {
    /// Identifies the team.
    pub id: TeamId,
    /// Upper bound on pages that are processed at once, over all jobs of the team.
    pub max_concurrency: u32,
    /// Upper bound on jobs that run at once.
    pub max_jobs: u32,
    /// Whether its requests may use zero data retention.
    pub zero_data_retention: bool,
}

impl Team {
    /// A team with the default limits and every permission.
    #[must_use]
    pub fn new(id: TeamId) -> Self {
        Self {
            id,
            max_concurrency: DEFAULT_TEAM_CONCURRENCY,
            max_jobs: DEFAULT_TEAM_JOBS,
            zero_data_retention: true,
        }
    }

    /// Sets the maximum pages that are processed at once.
    #[must_use]
    pub fn max_concurrency(mut self, max_concurrency: u32) -> Self {
        self.max_concurrency = max_concurrency;
        self
    }

    /// Sets the maximum jobs that run at once.
    #[must_use]
    pub fn max_jobs(mut self, max_jobs: u32) -> Self {
        self.max_jobs = max_jobs;
        self
    }

    /// Sets whether its requests may use zero data retention.
    #[must_use]
    pub fn zero_data_retention(mut self, zero_data_retention: bool) -> Self {
        self.zero_data_retention = zero_data_retention;
        self
    }
}

/// The operation of a request; rate limits apply to each separately.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum Operation {
    /// Scrape one page.
    Scrape,
    /// Scrape many pages.
    Batch,
    /// Crawl a site.
    Crawl,
    /// List the addresses of a site.
    Map,
    /// Extract structured data.
    Extract,
    /// Read the status of a job, or usage figures of the team.
    Read,
    /// Cancel a job.
    Cancel,
}

impl Operation {
    /// Every operation.
    pub const ALL: [Self; 7] =
        [Self::Scrape, Self::Batch, Self::Crawl, Self::Map, Self::Extract, Self::Read, Self::Cancel];
}

/// The credits of a team.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[non_exhaustive]
pub struct Balance {
    /// Remaining credits, without those that are reserved for running jobs. Negative if pages cost more than
    /// what remained.
    pub remaining: i64,
    /// Credits of a full billing period.
    pub plan: i64,
    /// Start of the period, since the Unix epoch.
    pub period_start: Option<Duration>,
    /// End of the period, since the Unix epoch.
    pub period_end: Option<Duration>,
}

impl Balance {
    /// These remaining credits of a plan, in a period that has no dates.
    #[must_use]
    pub const fn new(remaining: i64, plan: i64) -> Self {
        Self { remaining, plan, period_start: None, period_end: None }
    }

    /// The reported balance of a team without a limit.
    pub const UNLIMITED: Self = Self::new(UNLIMITED_CREDITS, UNLIMITED_CREDITS);
}

/// The accounts provider.
///
/// # Contract
///
/// - The reservation of a job is one amount under the job's id. [`reserve`](Accounts::reserve) and
///   [`draw`](Accounts::draw) add to it, and [`settle`](Accounts::settle) ends it. The balance does not
///   include reserved credits.
/// - **An operation counts once**: each call of `reserve` and `draw` has an id. A repeated call with the id
///   and the job of an earlier one, whatever its `credits`, adds nothing and returns the same. A call that
///   added nothing (`reserve` returned false, `draw` returned 0) does not count: a repeated one is a new
///   attempt. The service repeats a call whose answer it does not know: after a failure, and after a crash in
///   a later process. So the provider remembers the operations of a job until its settlement, as durably as
///   the balance.
/// - **`settle` is idempotent**: the service calls it at least once for each ended job, and again after a
///   crash. The first call counts; a later one changes nothing, also with another amount. After it, `reserve`
///   and `draw` for the job add nothing.
/// - A submit reserves credits before the store has the job. If the process ends in between, the next process
///   over the same durable store settles the job with 0. Over a store that ends with its process, the
///   provider may hold reservations of jobs that nobody knows, and may release them.
///
/// A provider whose teams do not pay from a balance implements [`authenticate`](Accounts::authenticate) and
/// [`settle`](Accounts::settle), which tells it what each job used. One with balances also implements
/// `is_metered`, `balance`, `reserve`, `draw` and `release`: their defaults refuse nothing.
pub trait Accounts: Debug + Send + Sync + 'static {
    /// The team of an API key; `None` if the key is unknown.
    ///
    /// # Errors
    /// If the provider fails.
    fn authenticate<'a>(&'a self, key: &'a str) -> BoxFuture<'a, Result<Option<Team>, Error>>;

    /// Counts a request against the team's rate limits. `Some` refuses it and is the time until the next
    /// attempt. The default refuses none.
    ///
    /// # Errors
    /// If the provider fails.
    fn throttle<'a>(
        &'a self,
        team: &'a TeamId,
        operation: Operation,
        now: Duration,
    ) -> BoxFuture<'a, Result<Option<Duration>, Error>> {
        let _ = (team, operation, now);
        Box::pin(async { Ok(None) })
    }

    /// Whether the team pays from a balance. If not, its jobs have no budget. The default is false.
    ///
    /// # Errors
    /// If the provider fails.
    fn is_metered<'a>(&'a self, team: &'a TeamId) -> BoxFuture<'a, Result<bool, Error>> {
        let _ = team;
        Box::pin(async { Ok(false) })
    }

    /// The credits of the team. The default is [`Balance::UNLIMITED`].
    ///
    /// # Errors
    /// If the provider fails.
    fn balance<'a>(&'a self, team: &'a TeamId) -> BoxFuture<'a, Result<Balance, Error>> {
        let _ = team;
        Box::pin(async { Ok(Balance::UNLIMITED) })
    }

    /// Adds `credits` to the reservation of a job, all or nothing: false if the balance is too low, or if the
    /// job is settled. The default is true.
    ///
    /// # Errors
    /// If the provider fails.
    fn reserve<'a>(
        &'a self,
        team: &'a TeamId,
        job: JobId,
        operation: Uuid,
        credits: u64,
    ) -> BoxFuture<'a, Result<bool, Error>> {
        let _ = (team, job, operation, credits);
        Box::pin(async { Ok(true) })
    }

    /// Adds at most `credits` to the reservation of a job, as the balance allows, and returns the number
    /// added: 0 for a settled job. The default is `credits`.
    ///
    /// # Errors
    /// If the provider fails.
    fn draw<'a>(
        &'a self,
        team: &'a TeamId,
        job: JobId,
        operation: Uuid,
        credits: u64,
    ) -> BoxFuture<'a, Result<u64, Error>> {
        let _ = (team, job, operation);
        Box::pin(async move { Ok(credits) })
    }

    /// Returns the `credits` that an operation added to the reservation of a job to the balance, because the
    /// job did not start. A repeated call does nothing. The default does nothing.
    ///
    /// # Errors
    /// If the provider fails.
    fn release<'a>(
        &'a self,
        team: &'a TeamId,
        job: JobId,
        operation: Uuid,
        credits: u64,
    ) -> BoxFuture<'a, Result<(), Error>> {
        let _ = (team, job, operation, credits);
        Box::pin(async { Ok(()) })
    }

    /// Charges an ended job for what it used and ends its reservation. Usage beyond the reservation comes off
    /// the balance, which may become negative.
    ///
    /// # Errors
    /// If the provider fails; the service calls again later.
    fn settle<'a>(&'a self, team: &'a TeamId, job: JobId, used: u64) -> BoxFuture<'a, Result<(), Error>>;

    /// The secret that signs the team's webhooks; `None`, the default, leaves them unsigned.
    ///
    /// # Errors
    /// If the provider fails; the service sends the webhook later.
    fn webhook_secret<'a>(&'a self, team: &'a TeamId) -> BoxFuture<'a, Result<Option<Secret>, Error>> {
        let _ = team;
        Box::pin(async { Ok(None) })
    }
}
