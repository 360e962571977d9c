use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use gleaner_types::JobId;
use uuid::Uuid;

/// The name of a team: who submits jobs, reads them and pays for them. Cloning it is cheap.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct TeamId(Arc<str>);

impl TeamId {
    /// The team of this name.
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
    /// The team of whoever names none.
    fn default() -> Self {
        Self::new("default")
    }
}

impl fmt::Display for TeamId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// Whose a job is, and what it may spend.
#[derive(Debug, Clone)]
pub struct JobAccount {
    /// Whose it is.
    pub team: TeamId,
    /// Pages of all jobs of the team in work at once; `None` leaves it to the store. The latest job's word holds.
    pub slots: Option<u32>,
    /// Jobs of the team that may run at once, this one included; `None` sets no bound.
    pub max_jobs: Option<u32>,
    /// The least that a page of the job costs, in credits.
    pub price: u64,
    /// The credits reserved for the job; `None` where they are not counted against a balance.
    pub budget: Option<u64>,
    /// Makes a second submit of the team under the same key an error.
    pub idempotency_key: Option<Uuid>,
    /// The job whose work this one is a part of, and which is accounted for in its place: what this one costs is told to
    /// nobody, and it is in no list of jobs.
    pub part_of: Option<JobId>,
}

impl JobAccount {
    /// A job of this team, without limits.
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

/// What a team's jobs have in the queue.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct TeamLoad {
    /// Jobs that have not ended.
    pub jobs: u64,
    /// Pages in work.
    pub leased: u64,
    /// Pages that wait and that the limits of their jobs let through.
    pub waiting: u64,
    /// When a page last gave a document, since the Unix epoch; `None` of a team without jobs once results of then have
    /// expired.
    pub last_success: Option<Duration>,
}
