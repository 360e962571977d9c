//! The activity log: records of ended jobs, kept beyond their results.

use std::fmt::Debug;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use gleaner_runtime::Error;
use gleaner_store::{EndedJob, EndedJobs, MAX_ACTIVITIES, Store, TeamId};
use gleaner_types::BoxFuture;

/// Default capacity of [`MemoryActivityLog`], in jobs: that of the log of a store.
pub const DEFAULT_ACTIVITY_ENTRIES: usize = MAX_ACTIVITIES;

/// Receives a record of each ended job: counts, credits, times, address and outcome. A job is recorded at
/// least once; after a crash it may be recorded again with the same id.
pub trait ActivityLog: Debug + Send + Sync + 'static {
    /// Records a job. With zero data retention, its address is empty, and its warning and error are `None`.
    fn record(&self, job: EndedJob);

    /// At most `limit` jobs of a team, each once, the one that ended last first.
    ///
    /// # Errors
    /// If the log cannot be read.
    fn latest<'a>(&'a self, team: &'a TeamId, limit: usize) -> BoxFuture<'a, Result<Vec<EndedJob>, Error>>;
}

/// The latest jobs, in memory, each once. A full log evicts the oldest job of the team with the most jobs, so
/// a team cannot displace the jobs of a team with fewer.
#[derive(Debug)]
pub struct MemoryActivityLog {
    jobs: Mutex<EndedJobs>,
}

impl Default for MemoryActivityLog {
    fn default() -> Self {
        Self::new(DEFAULT_ACTIVITY_ENTRIES)
    }
}

impl MemoryActivityLog {
    /// A log of at most `capacity` jobs, over all teams.
    #[must_use]
    pub fn new(capacity: usize) -> Self {
        Self { jobs: Mutex::new(EndedJobs::new(capacity)) }
    }

    /// All jobs of a team, the one that ended last first.
    #[must_use]
    pub fn of(&self, team: &TeamId) -> Vec<EndedJob> {
        self.jobs().latest(team, usize::MAX)
    }

    fn jobs(&self) -> MutexGuard<'_, EndedJobs> {
        self.jobs.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl ActivityLog for MemoryActivityLog {
    fn record(&self, job: EndedJob) {
        self.jobs().add(job);
    }

    fn latest<'a>(&'a self, team: &'a TeamId, limit: usize) -> BoxFuture<'a, Result<Vec<EndedJob>, Error>> {
        Box::pin(async move { Ok(self.jobs().latest(team, limit)) })
    }
}

/// The activity log of a service: its own, or that of the store, or one in memory if the store keeps none.
#[derive(Debug)]
pub(crate) struct Activities {
    log: Option<Arc<dyn ActivityLog>>,
    store: Arc<dyn Store>,
    memory: MemoryActivityLog,
}

impl Activities {
    pub(crate) fn new(log: Option<Arc<dyn ActivityLog>>, store: Arc<dyn Store>) -> Self {
        Self { log, store, memory: MemoryActivityLog::default() }
    }

    /// Records a job that the store settles next.
    pub(crate) async fn record(&self, job: EndedJob) -> Result<(), Error> {
        match &self.log {
            Some(log) => log.record(job),
            None if self.store.activities(&job.team, 0).await?.is_none() => self.memory.record(job),
            None => {}
        }
        Ok(())
    }

    /// At most `limit` jobs of a team, the one that ended last first.
    pub(crate) async fn latest(&self, team: &TeamId, limit: usize) -> Result<Vec<EndedJob>, Error> {
        match &self.log {
            Some(log) => log.latest(team, limit).await,
            None => match self.store.activities(team, limit).await? {
                Some(jobs) => Ok(jobs),
                None => self.memory.latest(team, limit).await,
            },
        }
    }
}
