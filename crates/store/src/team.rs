//! Teams, and the limits and credits of their jobs.

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use gleaner_types::JobId;
use uuid::Uuid;

/// The name of a team, which submits, reads and pays for jobs. Cheap to clone.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct TeamId(Arc<str>);

impl TeamId {
    /// The team with this name.
    #[must_use]
    pub fn new(name: impl AsRef<str>) -> Self {
        Self(Arc::from(name.as_ref()))
    }

    /// The name.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl Default for TeamId {
    /// The team of callers that name none.
    fn default() -> Self {
        Self::new("default")
    }
}

impl fmt::Display for TeamId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// The owner of a job, and what it may spend.
#[derive(Debug, Clone)]
pub struct JobAccount {
    /// The team that owns the job.
    pub team: TeamId,
    /// Maximum number of leased pages of all jobs of the team; `None` sets no limit for the team. The latest
    /// job sets it.
    pub slots: Option<u32>,
    /// Maximum number of running jobs of the team, including this one; `None` sets no limit.
    pub max_jobs: Option<u32>,
    /// Minimum price of a page of the job, in credits.
    pub price: u64,
    /// The credits reserved for the job; `None` if credits are not limited.
    pub budget: Option<u64>,
    /// A second submit of the team with the same key is an error.
    pub idempotency_key: Option<Uuid>,
    /// The job that this one is a part of. That job is billed instead: the cost of this one is not reported
    /// to the accounts provider, and it is in no list of jobs.
    pub part_of: Option<JobId>,
}

impl JobAccount {
    /// A job of this team without limits.
    #[must_use]
    pub fn of(team: TeamId) -> Self {
        Self {
            team,
            slots: None,
            max_jobs: None,
            price: 1,
            budget: None,
            idempotency_key: None,
            part_of: None,
        }
    }
}

/// The pages that the jobs of a team have in the queue.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct TeamLoad {
    /// Number of running jobs.
    pub jobs: u64,
    /// Number of leased pages.
    pub leased: u64,
    /// Number of waiting pages that the limits of their jobs admit.
    pub waiting: u64,
    /// Time of the last document, since the Unix epoch; `None` for a team without jobs once results of that
    /// time have expired.
    pub last_success: Option<Duration>,
}
