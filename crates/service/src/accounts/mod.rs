//! Who may ask for what, and who pays.

mod memory;
mod secret;
mod unlimited;

use std::fmt::Debug;
use std::time::Duration;

use async_trait::async_trait;
use gleaner_runtime::Error;
use gleaner_store::TeamId;
use gleaner_types::JobId;

pub use memory::{MemoryAccounts, TeamConfig};
pub use secret::Secret;
pub use unlimited::UnlimitedAccounts;

/// Pages of a team in work at once, unless its keeper says otherwise: what contract 8 calls
/// the team's concurrency limit.
pub const DEFAULT_TEAM_CONCURRENCY: u32 = 50;
/// Jobs of a team that may run at once, unless its keeper says otherwise.
pub const DEFAULT_TEAM_JOBS: u32 = 10_000;

/// Who asks, and what they may do.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Team {
    /// The team.
    pub id: TeamId,
    /// Pages in work at once, all jobs together.
    pub max_concurrency: u32,
    /// Jobs that run at once.
    pub max_jobs: u32,
    /// May it ask for zero data retention?
    pub zero_data_retention: bool,
}

impl Team {
    /// This team, with the default limits and every permission.
    #[must_use]
    pub fn new(id: TeamId) -> Self {
        Self {
            id,
            max_concurrency: DEFAULT_TEAM_CONCURRENCY,
            max_jobs: DEFAULT_TEAM_JOBS,
            zero_data_retention: true,
        }
    }
}

/// What a request wants, for limits on how often it may.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum Operation {
    /// One page.
    Scrape,
    /// Many pages.
    Batch,
    /// A site.
    Crawl,
    /// A site's addresses.
    Map,
    /// Structured data.
    Extract,
    /// The status of a job, or figures of the team.
    Read,
    /// To end a job.
    Cancel,
}

impl Operation {
    /// All of them.
    pub const ALL: [Self; 7] =
        [Self::Scrape, Self::Batch, Self::Crawl, Self::Map, Self::Extract, Self::Read, Self::Cancel];
}

/// What a team has.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Balance {
    /// Credits left, those reserved for running jobs taken off. Below zero where pages in work turned out
    /// dearer than what was left.
    pub remaining: i64,
    /// Credits of a whole billing period.
    pub plan: i64,
    /// When the period began, since the Unix epoch.
    pub period_start: Option<Duration>,
    /// When it ends, since the Unix epoch.
    pub period_end: Option<Duration>,
}

/// The keeper of accounts.
///
/// # Contract
///
/// - A job's reservation is one sum under the job's id: [`reserve`](Accounts::reserve) and
///   [`draw`](Accounts::draw) add to it, [`settle`](Accounts::settle) ends it. What is reserved is not in the
///   balance.
/// - **`settle` is idempotent**: it is called at least once for each job that ended, with the same figure
///   each time, and again after a crash. A job is charged once.
/// - A keeper that survives the process may find reservations of jobs that their store does not know, since a
///   submit reserves first; it may release them.
#[async_trait]
pub trait Accounts: Debug + Send + Sync + 'static {
    /// The team of an API key; `None` where nobody has it.
    ///
    /// # Errors
    /// Where the keeper cannot be asked.
    async fn authenticate(&self, key: &str) -> Result<Option<Team>, Error>;

    /// May the team do this now? `Some` is how long to wait before asking again.
    ///
    /// # Errors
    /// Where the keeper cannot be asked.
    async fn throttle(
        &self,
        team: &TeamId,
        operation: Operation,
        now: Duration,
    ) -> Result<Option<Duration>, Error>;

    /// Does the team pay out of a balance? Where it does not, its jobs have no budget.
    ///
    /// # Errors
    /// Where the keeper cannot be asked.
    async fn is_metered(&self, team: &TeamId) -> Result<bool, Error>;

    /// What the team has.
    ///
    /// # Errors
    /// Where the keeper cannot be asked.
    async fn balance(&self, team: &TeamId) -> Result<Balance, Error>;

    /// Adds so many credits to what is reserved for a job, all or none: false where the balance has fewer.
    ///
    /// # Errors
    /// Where the keeper cannot be asked.
    async fn reserve(&self, team: &TeamId, job: JobId, credits: u64) -> Result<bool, Error>;

    /// Adds up to so many credits to what is reserved for a job, as many as there are, and tells how many:
    /// none for a job that is settled.
    ///
    /// # Errors
    /// Where the keeper cannot be asked.
    async fn draw(&self, team: &TeamId, job: JobId, credits: u64) -> Result<u64, Error>;

    /// Takes back so many credits of what is reserved for a job: it did not come about, or was given too
    /// much.
    ///
    /// # Errors
    /// Where the keeper cannot be asked.
    async fn release(&self, team: &TeamId, job: JobId, credits: u64) -> Result<(), Error>;

    /// Charges a job that ended with what it used and ends its reservation. What it used beyond its
    /// reservation is taken from the balance even where that falls below zero.
    ///
    /// # Errors
    /// Where the keeper cannot be asked; it is asked again.
    async fn settle(&self, team: &TeamId, job: JobId, used: u64) -> Result<(), Error>;

    /// What the team's webhooks are signed with; `None` leaves them unsigned.
    ///
    /// # Errors
    /// Where the keeper cannot be asked; the webhook is tried again.
    async fn webhook_secret(&self, team: &TeamId) -> Result<Option<Secret>, Error>;
}
