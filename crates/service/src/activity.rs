//! What stays of a job when its results are gone.

use std::collections::{BTreeSet, HashMap, HashSet, VecDeque};
use std::fmt::Debug;
use std::sync::{Mutex, MutexGuard, PoisonError};

use async_trait::async_trait;
use gleaner_runtime::Error;
use gleaner_store::{EndedJob, TeamId};
use gleaner_types::JobId;

/// So many jobs are remembered by [`MemoryActivityLog`], unless it is told another number.
pub const DEFAULT_ACTIVITY_ENTRIES: usize = 10_000;

/// Is told of each job that ended: counts, credits, times, address and outcome. At least once: after a crash
/// again, with the same id.
#[async_trait]
pub trait ActivityLog: Debug + Send + Sync + 'static {
    /// Takes note of a job. Its address, its warning and its error are left out where zero data retention was
    /// asked for.
    fn record(&self, job: EndedJob);

    /// At most this many jobs of a team, each once, the one that ended last first.
    ///
    /// # Errors
    /// Where the log cannot be read.
    async fn latest(&self, team: &TeamId, most: usize) -> Result<Vec<EndedJob>, Error>;
}

/// The latest jobs, in memory, each once. Where there are too many, the oldest of the team that has most go
/// first: so no team can make the jobs of another be forgotten that has fewer.
#[derive(Debug)]
pub struct MemoryActivityLog {
    most: usize,
    entries: Mutex<Entries>,
}

#[derive(Debug, Default)]
struct Entries {
    count: usize,
    teams: HashMap<TeamId, Share>,
    /// The teams by how many jobs they have here.
    by_size: BTreeSet<(usize, TeamId)>,
}

/// What one team has.
#[derive(Debug, Default)]
struct Share {
    /// In the order of their end.
    jobs: VecDeque<EndedJob>,
    known: HashSet<JobId>,
}

impl Default for MemoryActivityLog {
    fn default() -> Self {
        Self::new(DEFAULT_ACTIVITY_ENTRIES)
    }
}

impl MemoryActivityLog {
    /// A log of at most so many jobs, those of all teams.
    #[must_use]
    pub fn new(most: usize) -> Self {
        Self { most, entries: Mutex::default() }
    }

    /// All jobs of a team, the one that ended last first.
    #[must_use]
    pub fn of(&self, team: &TeamId) -> Vec<EndedJob> {
        self.newest(team, usize::MAX)
    }

    fn newest(&self, team: &TeamId, most: usize) -> Vec<EndedJob> {
        let entries = self.entries();
        let share = entries.teams.get(team);
        share.map(|share| share.jobs.iter().rev().take(most).cloned().collect()).unwrap_or_default()
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
        while entries.count > self.most && entries.drop_oldest_of_the_largest() {}
    }

    async fn latest(&self, team: &TeamId, most: usize) -> Result<Vec<EndedJob>, Error> {
        Ok(self.newest(team, most))
    }
}

impl Entries {
    fn add(&mut self, job: EndedJob) {
        let team = job.team.clone();
        let share = self.teams.entry(team.clone()).or_default();
        if !share.known.insert(job.snapshot.id) {
            return;
        }
        // Several are settled at once, so they come in nearly that order.
        let ended_at = job.snapshot.ended_at;
        let place = share.jobs.partition_point(|earlier| earlier.snapshot.ended_at <= ended_at);
        share.jobs.insert(place, job);
        let size = share.jobs.len();
        self.count += 1;
        self.by_size.remove(&(size - 1, team.clone()));
        self.by_size.insert((size, team));
    }

    fn drop_oldest_of_the_largest(&mut self) -> bool {
        let Some((size, team)) = self.by_size.pop_last() else { return false };
        let Some(share) = self.teams.get_mut(&team) else { return false };
        if let Some(oldest) = share.jobs.pop_front() {
            share.known.remove(&oldest.snapshot.id);
            self.count -= 1;
        }
        if share.jobs.is_empty() {
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
            warning: None,
            failure: None,
            error: None,
        };
        EndedJob { team, url: String::new(), snapshot, zero_data_retention: false }
    }

    #[test]
    fn a_job_is_noted_once_and_a_team_with_many_forgets_its_own() {
        let log = MemoryActivityLog::new(100);
        let of = |team: &str| {
            let jobs = log.of(&TeamId::new(team));
            jobs.iter().map(|job| job.snapshot.id.as_uuid().as_u128()).collect::<Vec<_>>()
        };
        (1..=20).for_each(|number| log.record(ended("small", number)));
        (1_000..2_000).for_each(|number| log.record(ended("large", number)));
        // Told again after others were.
        (1..=20).for_each(|number| log.record(ended("small", number)));
        assert_eq!(of("small"), (1..=20).rev().collect::<Vec<_>>());
        assert_eq!(of("large"), (1_920..2_000).rev().collect::<Vec<_>>());
        (0..60).for_each(|number| log.record(ended(&format!("team {number}"), 1)));
        assert_eq!(
            (of("small").len(), of("large").len()),
            (20, 20),
            "the largest gave way to the small ones"
        );
    }

    #[test]
    fn a_job_that_is_told_late_stands_where_it_ended() {
        let log = MemoryActivityLog::default();
        for number in [1, 4, 2, 3] {
            let mut job = ended("small", number);
            job.snapshot.ended_at = Some(Duration::from_secs(number as u64));
            log.record(job);
        }
        let newest = |most| {
            let jobs = log.newest(&TeamId::new("small"), most);
            jobs.iter().map(|job| job.snapshot.id.as_uuid().as_u128()).collect::<Vec<_>>()
        };
        assert_eq!(newest(usize::MAX), [4, 3, 2, 1]);
        assert_eq!(newest(2), [4, 3]);
    }
}
