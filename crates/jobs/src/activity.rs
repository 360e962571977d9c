//! What stays of a job when its results are gone.

use std::collections::VecDeque;
use std::fmt::Debug;
use std::sync::{Mutex, PoisonError};

use gleaner_store::{EndedJob, TeamId};

/// So many jobs are remembered by [`MemoryActivityLog`], unless it is told another number.
pub const DEFAULT_ACTIVITY_ENTRIES: usize = 10_000;

/// Is told of each job that ended: counts, credits, times, address and outcome. At least once: after a crash again, with
/// the same id.
pub trait ActivityLog: Debug + Send + Sync + 'static {
    /// Takes note of a job. The address is left out where zero data retention was asked for.
    fn record(&self, job: EndedJob);
}

/// The latest jobs, in memory.
#[derive(Debug)]
pub struct MemoryActivityLog {
    most: usize,
    entries: Mutex<VecDeque<EndedJob>>,
}

impl Default for MemoryActivityLog {
    fn default() -> Self {
        Self::new(DEFAULT_ACTIVITY_ENTRIES)
    }
}

impl MemoryActivityLog {
    /// A log of at most so many jobs.
    #[must_use]
    pub fn new(most: usize) -> Self {
        Self { most, entries: Mutex::default() }
    }

    /// The jobs of a team, the latest first.
    #[must_use]
    pub fn of(&self, team: &TeamId) -> Vec<EndedJob> {
        let entries = self.entries.lock().unwrap_or_else(PoisonError::into_inner);
        entries.iter().rev().filter(|job| job.team == *team).cloned().collect()
    }
}

impl ActivityLog for MemoryActivityLog {
    fn record(&self, job: EndedJob) {
        let mut entries = self.entries.lock().unwrap_or_else(PoisonError::into_inner);
        if entries.iter().rev().take(64).any(|known| known.snapshot.id == job.snapshot.id) {
            return;
        }
        entries.push_back(job);
        while entries.len() > self.most {
            entries.pop_front();
        }
    }
}
