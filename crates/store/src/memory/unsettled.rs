//! Ended jobs that the accounts provider does not know about yet.

use std::collections::{BTreeMap, HashMap};

use gleaner_types::JobId;

use crate::{EndedJob, Error, TeamId};

/// Maximum number of ended jobs that are not settled; above it no further job is accepted. A team has at most
/// as many as it leaves free, because it may be the only account that cannot be settled. Running jobs are
/// always added.
pub const MAX_UNSETTLED_JOBS: usize = 100_000;

/// Unsettled jobs in the order of their end.
#[derive(Debug, Default)]
pub(super) struct Unsettled {
    jobs: BTreeMap<u64, EndedJob>,
    sequence_by_job: HashMap<JobId, u64>,
    teams: HashMap<TeamId, usize>,
    last_sequence: u64,
}

impl Unsettled {
    pub(super) fn push(&mut self, job: EndedJob) {
        self.last_sequence += 1;
        self.sequence_by_job.insert(job.snapshot.id, self.last_sequence);
        *self.teams.entry(job.team.clone()).or_default() += 1;
        self.jobs.insert(self.last_sequence, job);
    }

    /// The first jobs that `is_wanted` is true for.
    pub(super) fn first(&self, max: usize, is_wanted: impl Fn(JobId) -> bool) -> Vec<EndedJob> {
        self.jobs.values().filter(|job| is_wanted(job.snapshot.id)).take(max).cloned().collect()
    }

    /// Removes a job, and returns what the accounts provider was told about it.
    pub(super) fn mark_settled(&mut self, id: JobId) -> Option<EndedJob> {
        let job = self.sequence_by_job.remove(&id).and_then(|sequence| self.jobs.remove(&sequence))?;
        if let Some(team_jobs) = self.teams.get_mut(&job.team) {
            *team_jobs -= 1;
            if *team_jobs == 0 {
                self.teams.remove(&job.team);
            }
        }
        Some(job)
    }

    pub(super) fn contains(&self, id: JobId) -> bool {
        self.sequence_by_job.contains_key(&id)
    }

    /// Checks that a job of this team may start.
    pub(super) fn check_capacity(&self, team: &TeamId) -> Result<(), Error> {
        let team_jobs = self.teams.get(team).copied().unwrap_or_default();
        if team_jobs < MAX_UNSETTLED_JOBS.saturating_sub(self.jobs.len()) {
            return Ok(());
        }
        Err(Error::full(format!("{team_jobs} jobs of the team have ended and are not settled yet")))
    }
}

#[cfg(test)]
mod tests {

    use uuid::Uuid;

    use super::*;

    #[test]
    fn a_team_that_cannot_be_settled_does_not_block_others() {
        let mut unsettled = Unsettled::default();
        let (unreachable, healthy) = (TeamId::new("unreachable"), TeamId::new("healthy"));
        let mut pushed = 0;
        while unsettled.check_capacity(&unreachable).is_ok() {
            unsettled.push(EndedJob::sample(&unreachable, pushed));
            pushed += 1;
        }
        assert_eq!(pushed as usize, MAX_UNSETTLED_JOBS / 2);
        assert!(unsettled.check_capacity(&unreachable).is_err_and(|error| error.is_full()));
        assert!(unsettled.check_capacity(&healthy).is_ok());
        unsettled.push(EndedJob::sample(&healthy, pushed));
        let first = |unsettled: &Unsettled| {
            unsettled.first(2, |_| true).iter().map(|job| job.snapshot.id).collect::<Vec<_>>()
        };
        let id = |number| JobId::from_uuid(Uuid::from_u128(number));
        assert_eq!(first(&unsettled), [id(0), id(1)]);
        let settled = (0..pushed).chain([0]).filter_map(|number| unsettled.mark_settled(id(number)));
        assert_eq!(settled.count() as u128, pushed, "each job is settled once");
        assert_eq!(first(&unsettled), [id(pushed)]);
        assert!(unsettled.check_capacity(&unreachable).is_ok() && unsettled.teams.len() == 1);
    }
}
