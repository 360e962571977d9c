//! Jobs that ended and of which their keeper of accounts does not know yet.

use std::collections::{BTreeMap, HashMap};

use gleaner_types::JobId;

use crate::{EndedJob, Error, TeamId};

/// While so many jobs that ended are not settled, no further one is begun. A team has as many of them as it leaves free,
/// since it may be its account alone that cannot be settled; what runs already is always taken in.
pub const MAX_UNSETTLED_JOBS: usize = 100_000;

/// In the order of their end.
#[derive(Debug, Default)]
pub(super) struct Unsettled {
    jobs: BTreeMap<u64, EndedJob>,
    places: HashMap<JobId, u64>,
    teams: HashMap<TeamId, usize>,
    clock: u64,
}

impl Unsettled {
    pub(super) fn push(&mut self, job: EndedJob) {
        self.clock += 1;
        self.places.insert(job.snapshot.id, self.clock);
        *self.teams.entry(job.team.clone()).or_default() += 1;
        self.jobs.insert(self.clock, job);
    }

    pub(super) fn first(&self, max: usize) -> Vec<EndedJob> {
        self.jobs.values().take(max).cloned().collect()
    }

    pub(super) fn settled(&mut self, id: JobId) {
        let Some(job) = self.places.remove(&id).and_then(|place| self.jobs.remove(&place)) else { return };
        if let Some(of_team) = self.teams.get_mut(&job.team) {
            *of_team -= 1;
            if *of_team == 0 {
                self.teams.remove(&job.team);
            }
        }
    }

    /// May a job of this team begin?
    pub(super) fn check(&self, team: &TeamId) -> Result<(), Error> {
        let of_team = self.teams.get(team).copied().unwrap_or_default();
        if of_team < MAX_UNSETTLED_JOBS.saturating_sub(self.jobs.len()) {
            return Ok(());
        }
        Err(Error::full(format!("{of_team} jobs of the team have ended and are not settled yet")))
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use gleaner_types::JobState;
    use uuid::Uuid;

    use super::*;
    use crate::JobSnapshot;

    fn ended(team: &TeamId, number: u128) -> EndedJob {
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
        EndedJob { team: team.clone(), url: String::new(), snapshot, zero_data_retention: false }
    }

    #[test]
    fn a_team_that_cannot_be_settled_holds_up_no_other() {
        let mut unsettled = Unsettled::default();
        let (gone, well) = (TeamId::new("gone"), TeamId::new("well"));
        let mut taken = 0;
        while unsettled.check(&gone).is_ok() {
            unsettled.push(ended(&gone, taken));
            taken += 1;
        }
        assert_eq!(taken as usize, MAX_UNSETTLED_JOBS / 2);
        assert!(unsettled.check(&gone).is_err_and(|error| error.is_full()));
        assert!(unsettled.check(&well).is_ok());
        unsettled.push(ended(&well, taken));
        let first =
            |unsettled: &Unsettled| unsettled.first(2).iter().map(|job| job.snapshot.id).collect::<Vec<_>>();
        let id = |number| JobId::from_uuid(Uuid::from_u128(number));
        assert_eq!(first(&unsettled), [id(0), id(1)]);
        (0..taken).chain([0]).for_each(|number| unsettled.settled(id(number)));
        assert_eq!(first(&unsettled), [id(taken)]);
        assert!(unsettled.check(&gone).is_ok() && unsettled.teams.len() == 1);
    }
}
