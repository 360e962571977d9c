//! The activity log: records of ended jobs, kept beyond their results.

use std::collections::{BTreeSet, HashMap, HashSet, VecDeque};
use std::fmt::Debug;
use std::sync::{Mutex, MutexGuard, PoisonError};

use async_trait::async_trait;
use gleaner_runtime::Error;
use gleaner_store::{EndedJob, TeamId};
use gleaner_types::JobId;

/// Default capacity of [`MemoryActivityLog`], in jobs.
pub const DEFAULT_ACTIVITY_ENTRIES: usize = 10_000;

/// Receives a record of each ended job: counts, credits, times, address and outcome. A job is recorded at
/// least once; after a crash it may be recorded again with the same id.
#[async_trait]
pub trait ActivityLog: Debug + Send + Sync + 'static {
    /// Records a job. With zero data retention, its address is empty, and its warning and error are `None`.
    fn record(&self, job: EndedJob);

    /// At most `limit` jobs of a team, each once, the one that ended last first.
    ///
    /// # Errors
    /// If the log cannot be read.
    async fn latest(&self, team: &TeamId, limit: usize) -> Result<Vec<EndedJob>, Error>;
}

/// The latest jobs, in memory, each once. A full log evicts the oldest job of the team with the most jobs, so
/// a team cannot displace the jobs of a team with fewer.
#[derive(Debug)]
pub struct MemoryActivityLog {
    capacity: usize,
    entries: Mutex<Entries>,
}

#[derive(Debug, Default)]
struct Entries {
    count: usize,
    teams: HashMap<TeamId, TeamEntries>,
    /// The teams, ordered by their number of jobs.
    by_size: BTreeSet<(usize, TeamId)>,
}

#[derive(Debug, Default)]
struct TeamEntries {
    /// Ordered by end time.
    jobs: VecDeque<EndedJob>,
    ids: HashSet<JobId>,
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
        Self { capacity, entries: Mutex::default() }
    }

    /// All jobs of a team, the one that ended last first.
    #[must_use]
    pub fn of(&self, team: &TeamId) -> Vec<EndedJob> {
        self.newest(team, usize::MAX)
    }

    fn newest(&self, team: &TeamId, limit: usize) -> Vec<EndedJob> {
        let entries = self.entries();
        let team = entries.teams.get(team);
        team.map(|team| team.jobs.iter().rev().take(limit).cloned().collect()).unwrap_or_default()
    }

    fn entries(&self) -> MutexGuard<'_, Entries> {
        self.entries.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[async_trait]
impl ActivityLog for MemoryActivityLog {
    fn record(&self, job: EndedJob) {
        let mut entries = self.entries();
        entries.add(job);
        while entries.count > self.capacity && entries.evict_from_largest_team() {}
    }

    async fn latest(&self, team: &TeamId, limit: usize) -> Result<Vec<EndedJob>, Error> {
        Ok(self.newest(team, limit))
    }
}

impl Entries {
    fn add(&mut self, job: EndedJob) {
        let team = job.team.clone();
        let entries = self.teams.entry(team.clone()).or_default();
        if !entries.ids.insert(job.snapshot.id) {
            return;
        }
        // Several jobs are settled at once, so records arrive only roughly in the order of their end.
        let ended_at = job.snapshot.ended_at;
        let index = entries.jobs.partition_point(|earlier| earlier.snapshot.ended_at <= ended_at);
        entries.jobs.insert(index, job);
        let size = entries.jobs.len();
        self.count += 1;
        self.by_size.remove(&(size - 1, team.clone()));
        self.by_size.insert((size, team));
    }

    /// Removes the oldest job of the team with the most jobs; false if the log is empty.
    fn evict_from_largest_team(&mut self) -> bool {
        let Some((size, team)) = self.by_size.pop_last() else { return false };
        let Some(entries) = self.teams.get_mut(&team) else { return false };
        if let Some(oldest) = entries.jobs.pop_front() {
            entries.ids.remove(&oldest.snapshot.id);
            self.count -= 1;
        }
        if entries.jobs.is_empty() {
            self.teams.remove(&team);
        } else {
            self.by_size.insert((size - 1, team));
        }
        true
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use gleaner_store::JobSnapshot;
    use gleaner_types::JobState;
    use uuid::Uuid;

    use super::*;

    fn ended(team: &str, number: u128) -> EndedJob {
        let team = TeamId::new(team);
        let snapshot = JobSnapshot {
            id: JobId::from_uuid(Uuid::from_u128(number)),
            kind: None,
            team: Some(team.clone()),
            state: JobState::Completed,
            completed: 1,
            total: 1,
            failed: 0,
            robots_blocked: 0,
            tokens_used: 0,
            credits_used: 1,
            created_at: Duration::ZERO,
            ended_at: Some(Duration::ZERO),
            waiting_for: None,
            warnings: Vec::new(),
            failure: None,
            error: None,
        };
        EndedJob { team, url: String::new(), snapshot, zero_data_retention: false }
    }

    #[test]
    fn a_job_is_recorded_once_and_the_largest_team_loses_entries_first() {
        let log = MemoryActivityLog::new(100);
        let of = |team: &str| {
            let jobs = log.of(&TeamId::new(team));
            jobs.iter().map(|job| job.snapshot.id.as_uuid().as_u128()).collect::<Vec<_>>()
        };
        (1..=20).for_each(|number| log.record(ended("small", number)));
        (1_000..2_000).for_each(|number| log.record(ended("large", number)));
        // Repeated records change nothing.
        (1..=20).for_each(|number| log.record(ended("small", number)));
        assert_eq!(of("small"), (1..=20).rev().collect::<Vec<_>>());
        assert_eq!(of("large"), (1_920..2_000).rev().collect::<Vec<_>>());
        (0..60).for_each(|number| log.record(ended(&format!("team {number}"), 1)));
        assert_eq!(
            (of("small").len(), of("large").len()),
            (20, 20),
            "the largest team lost its oldest entries"
        );
    }

    #[test]
    fn a_late_record_is_ordered_by_its_end_time() {
        let log = MemoryActivityLog::default();
        for number in [1, 4, 2, 3] {
            let mut job = ended("small", number);
            job.snapshot.ended_at = Some(Duration::from_secs(number as u64));
            log.record(job);
        }
        let newest = |limit| {
            let jobs = log.newest(&TeamId::new("small"), limit);
            jobs.iter().map(|job| job.snapshot.id.as_uuid().as_u128()).collect::<Vec<_>>()
        };
        assert_eq!(newest(usize::MAX), [4, 3, 2, 1]);
        assert_eq!(newest(2), [4, 3]);
    }
}
