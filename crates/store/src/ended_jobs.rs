//! The log of ended jobs.

use std::collections::{BTreeSet, HashMap, HashSet, VecDeque};

use gleaner_types::JobId;

use crate::{EndedJob, TeamId};

/// The latest ended jobs, each once. A full log drops the oldest job of the team with the most jobs, so a
/// team cannot displace the jobs of a team with fewer.
#[derive(Debug)]
pub struct EndedJobs {
    capacity: usize,
    count: usize,
    teams: HashMap<TeamId, TeamJobs>,
    /// The teams, ordered by their number of jobs.
    by_size: BTreeSet<(usize, TeamId)>,
}

#[derive(Debug, Default)]
struct TeamJobs {
    /// Ordered by end time.
    jobs: VecDeque<EndedJob>,
    ids: HashSet<JobId>,
}

impl EndedJobs {
    /// A log of at most `capacity` jobs, over all teams.
    #[must_use]
    pub fn new(capacity: usize) -> Self {
        Self { capacity, count: 0, teams: HashMap::new(), by_size: BTreeSet::new() }
    }

    /// Adds a job. Does nothing if the log has it.
    pub fn add(&mut self, job: EndedJob) {
        let team = job.team.clone();
        let of_team = self.teams.entry(team.clone()).or_default();
        if !of_team.ids.insert(job.snapshot.id) {
            return;
        }
        // Several jobs are settled at once, so they arrive only roughly in the order of their end.
        let ended_at = job.snapshot.ended_at;
        let index = of_team.jobs.partition_point(|earlier| earlier.snapshot.ended_at <= ended_at);
        of_team.jobs.insert(index, job);
        let size = of_team.jobs.len();
        self.count += 1;
        self.by_size.remove(&(size - 1, team.clone()));
        self.by_size.insert((size, team));
        while self.count > self.capacity && self.drop_from_largest_team() {}
    }

    /// At most `limit` jobs of a team, the one that ended last first.
    #[must_use]
    pub fn latest(&self, team: &TeamId, limit: usize) -> Vec<EndedJob> {
        let of_team = self.teams.get(team);
        of_team.map(|team| team.jobs.iter().rev().take(limit).cloned().collect()).unwrap_or_default()
    }

    /// All jobs: [adding](Self::add) them to an empty log in this order gives the same log.
    pub(crate) fn iter(&self) -> impl Iterator<Item = &EndedJob> {
        let teams = self.by_size.iter().filter_map(|(_, team)| self.teams.get(team));
        teams.flat_map(|team| &team.jobs)
    }

    /// Removes the oldest job of the team with the most jobs; false if the log is empty.
    fn drop_from_largest_team(&mut self) -> bool {
        let Some((size, team)) = self.by_size.pop_last() else { return false };
        let Some(of_team) = self.teams.get_mut(&team) else { return false };
        if let Some(oldest) = of_team.jobs.pop_front() {
            of_team.ids.remove(&oldest.snapshot.id);
            self.count -= 1;
        }
        if of_team.jobs.is_empty() {
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

    use super::*;

    fn ended(team: &str, number: u128) -> EndedJob {
        EndedJob::sample(&TeamId::new(team), number)
    }

    fn latest(log: &EndedJobs, team: &str, limit: usize) -> Vec<u128> {
        let jobs = log.latest(&TeamId::new(team), limit);
        jobs.iter().map(|job| job.snapshot.id.as_uuid().as_u128()).collect()
    }

    #[test]
    fn a_job_is_listed_once_and_the_largest_team_loses_entries_first() {
        let mut log = EndedJobs::new(100);
        let of = |log: &EndedJobs, team: &str| latest(log, team, usize::MAX);
        (1..=20).for_each(|number| log.add(ended("small", number)));
        (1_000..2_000).for_each(|number| log.add(ended("large", number)));
        // Repeated jobs change nothing.
        (1..=20).for_each(|number| log.add(ended("small", number)));
        assert_eq!(of(&log, "small"), (1..=20).rev().collect::<Vec<_>>());
        assert_eq!(of(&log, "large"), (1_920..2_000).rev().collect::<Vec<_>>());
        (0..60).for_each(|number| log.add(ended(&format!("team {number}"), 1)));
        assert_eq!(
            (of(&log, "small").len(), of(&log, "large").len()),
            (20, 20),
            "the largest team lost its oldest entries"
        );
    }

    #[test]
    fn a_late_job_is_ordered_by_its_end_time() {
        let mut log = EndedJobs::new(100);
        for number in [1, 4, 2, 3] {
            let mut job = ended("small", number);
            job.snapshot.ended_at = Some(Duration::from_secs(number as u64));
            log.add(job);
        }
        assert_eq!(latest(&log, "small", usize::MAX), [4, 3, 2, 1]);
        assert_eq!(latest(&log, "small", 2), [4, 3]);
    }
}
