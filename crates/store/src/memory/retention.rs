//! What the store no longer keeps goes from its journal, too.

use std::collections::BTreeMap;
use std::time::Duration;

use bytes::Bytes;
use gleaner_types::JobId;
use uuid::Uuid;

use super::facts::FactLog;
use super::histories::Histories;
use super::state::State;
use super::teams::TeamIndex;
use crate::journal::{Fact, Row};
use crate::{HistoryKey, PastScrape, TeamId};

impl Histories {
    /// Records a scrape. What is dropped for it is removed from the journal, after the rows of this job.
    pub(super) fn record_logged(
        &mut self,
        (log, journal): (&mut FactLog, Option<u64>),
        job: JobId,
        key: HistoryKey,
        scrape: PastScrape,
    ) {
        for dropped in self.record(job, key, scrape) {
            log.row(journal.or(Some(0)), || Row::HistoryDropped(HistoryKey::clone(&dropped)));
        }
    }
}

impl State {
    /// Removes ended jobs until at most `max` are left: the oldest of the teams with the most, so that a team
    /// with many jobs loses no results of others.
    pub(super) fn remove_excess(&mut self, max: usize) -> Vec<JobId> {
        if self.jobs.len() <= max {
            return Vec::new();
        }
        let mut of_teams: BTreeMap<TeamIndex, Vec<(Duration, JobId)>> = BTreeMap::new();
        for (id, job) in &self.jobs {
            if let Some(ended) = job.ended_at {
                of_teams.entry(job.team).or_default().push((ended, *id));
            }
        }
        let share = largest_share(of_teams.values().map(Vec::len).collect(), max);
        let mut removed = Vec::new();
        for (_, mut jobs) in of_teams {
            let excess = jobs.len().saturating_sub(share);
            jobs.sort_unstable();
            removed.extend(jobs.into_iter().take(excess).map(|(_, id)| id));
        }
        removed.sort_unstable();
        for id in &removed {
            self.remove_job(*id);
        }
        removed
    }

    /// Keeps a single scrape.
    pub(super) fn keep_scrape(&mut self, team: &TeamId, scrape: Uuid, json: Bytes, now: Duration) {
        let dropped = self.scrapes.keep(team, scrape, json, now);
        self.drop_scrapes(dropped);
    }

    /// Removes single scrapes that were kept at or before `until`.
    pub(super) fn expire_scrapes(&mut self, until: Duration) {
        let dropped = self.scrapes.remove_expired(until);
        self.drop_scrapes(dropped);
    }

    fn drop_scrapes(&mut self, dropped: Vec<Uuid>) {
        for scrape in dropped {
            self.log.row(Some(0), || Row::ScrapeDropped(scrape));
        }
    }

    /// Forgets idempotency keys that were used at or before `until`.
    pub(super) fn expire_keys(&mut self, until: Duration) {
        if self.keys.expire(until) {
            self.log.push_global(&Fact::KeysExpired { until });
        }
    }
}

/// The largest share of each team with which these numbers of jobs are together at most `max`.
fn largest_share(mut counts: Vec<usize>, max: usize) -> usize {
    counts.sort_unstable();
    let (mut left, mut teams) = (max, counts.len());
    for count in counts {
        let share = left / teams.max(1);
        if count > share {
            return share;
        }
        left -= count;
        teams -= 1;
    }
    usize::MAX
}

#[cfg(test)]
mod tests {
    use gleaner_frontier::JobRules;
    use uuid::Uuid;

    use super::*;
    use crate::{JobAccount, MemoryConfig, MemoryStore, NewJob, Store as _};

    #[test]
    fn teams_share_what_is_kept() {
        for (counts, max, expected) in [
            (vec![], 10, usize::MAX),
            (vec![3, 7], 10, usize::MAX),
            (vec![3, 8], 10, 7),
            (vec![100, 100], 10, 5),
            (vec![1, 1, 100], 10, 8),
            (vec![5], 0, 0),
        ] {
            assert_eq!(largest_share(counts.clone(), max), expected, "{counts:?}");
        }
    }

    #[tokio::test]
    async fn the_oldest_jobs_of_the_team_with_the_most_go_first() {
        let store = MemoryStore::new(MemoryConfig { ended_jobs: 5, ..MemoryConfig::default() });
        let now = |number: u128| MemoryConfig::default().retention + Duration::from_secs(number as u64);
        let id = |number: u128| JobId::from_uuid(Uuid::from_u128(number << 64 | 1 << 63));
        for number in 1..=8 {
            let account = JobAccount::of(TeamId::new(if number <= 2 { "few" } else { "many" }));
            let job = NewJob::new(id(number), None, JobRules::with_limit(1), Vec::new());
            let job = NewJob { account: Some(Box::new(account)), ..job };
            store.submit(job, now(number)).await.unwrap();
            let _has_ended = store.cancel(id(number), now(number)).await;
        }
        assert_eq!(store.expire(now(9)).await.unwrap(), [3, 4, 5].map(id));
        assert!(store.snapshot(id(1)).await.is_ok() && store.snapshot(id(6)).await.is_ok());
    }
}
