//! Teams, and which of their pages waited for a slot.
//!
//! Each team is a [`Group`] of the frontier, which lets teams take turns and enforces their slots. An unused
//! team frees its index for another: programs with one team per user have many teams.

use std::collections::{BTreeSet, HashMap, HashSet};
use std::time::Duration;

use gleaner_frontier::{Frontier, Group, GroupLoad, JobSlot};

use crate::TeamId;

/// The index of a team in the list.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) struct TeamIndex(usize);

impl TeamIndex {
    pub(super) const fn group(self) -> Group {
        Group(self.0 as u64)
    }
}

#[derive(Debug, Default)]
pub(super) struct Teams {
    list: Vec<Team>,
    by_name: HashMap<Option<TeamId>, TeamIndex>,
    /// Teams with freed slots.
    freed_slots: BTreeSet<TeamIndex>,
    /// Free indexes.
    free_indexes: BTreeSet<TeamIndex>,
}

#[derive(Debug, Default)]
struct Team {
    jobs: BTreeSet<JobSlot>,
    slots: Option<u32>,
    /// Slots that became free while all were in use and pages waited: this many of the next leased pages
    /// waited for a slot.
    freed_slots: u64,
    last_success: Option<Duration>,
}

impl Team {
    fn has_free_slot(&self, load: GroupLoad) -> bool {
        self.slots.is_none_or(|slots| load.leased < u64::from(slots))
    }
}

impl Teams {
    pub(super) fn find_or_insert(&mut self, name: Option<&TeamId>) -> TeamIndex {
        if let Some(index) = self.by_name.get(&name.cloned()) {
            return *index;
        }
        let index = self.free_indexes.pop_first().unwrap_or_else(|| {
            self.list.push(Team::default());
            TeamIndex(self.list.len() - 1)
        });
        self.by_name.insert(name.cloned(), index);
        index
    }

    /// Removes teams without jobs whose last success was at or before `until`, except those whose index is in
    /// use.
    pub(super) fn remove_expired(&mut self, used: &HashSet<TeamIndex>, until: Duration) {
        let Self { list, by_name, freed_slots, free_indexes } = self;
        by_name.retain(|_, index| {
            let is_old = |team: &Team| team.last_success.is_none_or(|at| at <= until);
            let is_unused = |team: &Team| team.jobs.is_empty() && is_old(team) && !used.contains(index);
            let Some(team) = list.get_mut(index.0).filter(|team| is_unused(team)) else { return true };
            *team = Team::default();
            freed_slots.remove(index);
            free_indexes.insert(*index);
            false
        });
    }

    pub(super) fn find(&self, name: &TeamId) -> Option<TeamIndex> {
        self.by_name.get(&Some(name.clone())).copied()
    }

    /// Adds a job that is open in the frontier.
    pub(super) fn add_job(
        &mut self,
        index: TeamIndex,
        slots: Option<u32>,
        job: JobSlot,
        frontier: &mut Frontier,
    ) {
        let Some(team) = self.list.get_mut(index.0) else { return };
        team.jobs.insert(job);
        team.slots = slots.or(team.slots);
        frontier.set_max_in_flight(index.group(), team.slots);
    }

    /// Removes a job with this number of leased pages, which is still open in the frontier.
    pub(super) fn remove_job(&mut self, index: TeamIndex, job: JobSlot, leased: u64, frontier: &Frontier) {
        let Some(team) = self.list.get_mut(index.0) else { return };
        team.jobs.remove(&job);
        if leased > 0 && !team.has_free_slot(frontier.load(index.group())) {
            team.freed_slots += leased;
            self.freed_slots.insert(index);
        }
    }

    /// Records a lease. Returns whether the page had waited for a slot.
    pub(super) fn page_leased(&mut self, index: TeamIndex) -> bool {
        let Some(team) = self.list.get_mut(index.0).filter(|team| team.freed_slots > 0) else { return false };
        team.freed_slots -= 1;
        if team.freed_slots == 0 {
            self.freed_slots.remove(&index);
        }
        true
    }

    /// Records that no more pages can be leased: pages that teams with free slots lease next have not waited
    /// for a slot.
    pub(super) fn nothing_to_lease(&mut self, frontier: &Frontier) {
        let list = &mut self.list;
        self.freed_slots.retain(|index| {
            let Some(team) = list.get_mut(index.0) else { return false };
            let is_full = !team.has_free_slot(frontier.load(index.group()));
            team.freed_slots = if is_full { team.freed_slots } else { 0 };
            is_full
        });
    }

    /// Records that a page is about to end, before its links are admitted.
    pub(super) fn page_finished(&mut self, index: TeamIndex, frontier: &Frontier) {
        let load = frontier.load(index.group());
        if let Some(team) =
            self.list.get_mut(index.0).filter(|team| !team.has_free_slot(load) && load.waiting > 0)
        {
            team.freed_slots += 1;
            self.freed_slots.insert(index);
        }
    }

    /// After leases expired, it is unknown which pages waited for a slot.
    pub(super) fn clear_freed_slots(&mut self) {
        for index in std::mem::take(&mut self.freed_slots) {
            if let Some(team) = self.list.get_mut(index.0) {
                team.freed_slots = 0;
            }
        }
    }

    pub(super) fn page_succeeded(&mut self, index: TeamIndex, now: Duration) {
        if let Some(team) = self.list.get_mut(index.0) {
            team.last_success = Some(now);
        }
    }

    pub(super) fn last_success(&self, index: TeamIndex) -> Option<Duration> {
        self.list.get(index.0)?.last_success
    }

    /// The number of running jobs of the team.
    pub(super) fn job_count(&self, index: TeamIndex) -> u64 {
        self.list.get(index.0).map_or(0, |team| team.jobs.len() as u64)
    }

    pub(super) fn jobs(&self, index: TeamIndex) -> impl Iterator<Item = JobSlot> {
        self.list.get(index.0).into_iter().flat_map(|team| team.jobs.iter().copied())
    }
}

#[cfg(test)]
mod tests {
    use gleaner_frontier::{Candidate, JobRules, UrlKey};
    use gleaner_types::{JobId, JobKind};
    use url::Url;
    use uuid::Uuid;

    use super::*;
    use crate::{FinishedPage, JobAccount, MemoryConfig, MemoryStore, NewJob, PageOutcome, Store, WorkerId};

    const WORKER: WorkerId = WorkerId::from_uuid(Uuid::nil());
    const START: Duration = Duration::from_secs(1_700_000_000);
    const HOUR: Duration = Duration::from_secs(3_600);

    async fn submit(store: &MemoryStore, number: u64, team: &TeamId, now: Duration) {
        let url = Url::parse(&format!("https://site-{number}.example/")).unwrap();
        let key = UrlKey::from_raw(number);
        let page = Candidate { url, key, external: false, priority: Candidate::NORMAL };
        let id = JobId::from_uuid(Uuid::from_u128(number.into()));
        let job = NewJob::new(id, Some(JobKind::Crawl), JobRules::with_limit(1), vec![page]);
        let account = Some(Box::new(JobAccount::of(team.clone())));
        store.submit(NewJob { account, ..job }, now).await.unwrap();
    }

    #[tokio::test]
    async fn an_unused_team_is_removed() {
        let store = MemoryStore::new(MemoryConfig { retention: HOUR, ..MemoryConfig::default() });
        let stays = TeamId::new("stays");
        submit(&store, 0, &stays, START).await;
        store.pause(JobId::from_uuid(Uuid::from_u128(0)), true).await.unwrap();
        for number in 1..100 {
            let (team, now) = (TeamId::new(number.to_string()), START + HOUR * number * 2);
            submit(&store, number.into(), &team, now).await;
            for page in store.lease(WORKER, 10, now).await.unwrap().pages {
                let outcome = PageOutcome::Document(Box::default(), 1);
                store.finish(FinishedPage::new(page, outcome), now).await.unwrap();
            }
            store.expire(now + HOUR / 2).await.unwrap();
            assert_eq!(Store::load(&store, &team).await.unwrap().last_success, Some(now));
            store.expire(now + HOUR).await.unwrap();
            assert_eq!(Store::load(&store, &team).await.unwrap().last_success, None);
            assert_eq!(Store::load(&store, &stays).await.unwrap().jobs, 1, "a team with a job is kept");
        }
        let teams = &store.lock().teams;
        assert_eq!((teams.list.len(), teams.by_name.len()), (2, 1));
    }
}
