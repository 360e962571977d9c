//! Teams, and which of their pages waited for a slot.
//!
//! Each is a [`Group`] of the frontier, which lets them take turns and keeps them to their slots. One of which there is
//! nothing left to tell leaves its place to the next: programs that make a team for each of their users make many.

use std::collections::{BTreeSet, HashMap, HashSet};
use std::time::Duration;

use gleaner_frontier::{Frontier, Group, GroupLoad, JobSlot};

use crate::TeamId;

/// A team's place in the list.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) struct TeamSlot(usize);

impl TeamSlot {
    pub(super) const fn group(self) -> Group {
        Group(self.0 as u64)
    }
}

#[derive(Debug, Default)]
pub(super) struct Teams {
    list: Vec<Team>,
    by_name: HashMap<Option<TeamId>, TeamSlot>,
    /// Those with freed slots.
    freed: BTreeSet<TeamSlot>,
    /// Places that nobody has.
    spare: BTreeSet<TeamSlot>,
}

#[derive(Debug, Default)]
struct Team {
    jobs: BTreeSet<JobSlot>,
    slots: Option<u32>,
    /// Slots that became free while all were in use and pages waited: so many of the pages that are leased next waited
    /// for them.
    freed: u64,
    last_success: Option<Duration>,
}

impl Team {
    fn has_room(&self, load: GroupLoad) -> bool {
        self.slots.is_none_or(|slots| load.leased < u64::from(slots))
    }
}

impl Teams {
    pub(super) fn slot(&mut self, name: Option<&TeamId>) -> TeamSlot {
        if let Some(slot) = self.by_name.get(&name.cloned()) {
            return *slot;
        }
        let slot = self.spare.pop_first().unwrap_or_else(|| {
            self.list.push(Team::default());
            TeamSlot(self.list.len() - 1)
        });
        self.by_name.insert(name.cloned(), slot);
        slot
    }

    /// Forgets the teams without jobs that had their last success by then, save those whose places are still used.
    pub(super) fn forget_old(&mut self, used: &HashSet<TeamSlot>, until: Duration) {
        let Self { list, by_name, freed, spare } = self;
        by_name.retain(|_, slot| {
            let is_old = |team: &Team| team.last_success.is_none_or(|at| at <= until);
            let is_gone = |team: &Team| team.jobs.is_empty() && is_old(team) && !used.contains(slot);
            let Some(team) = list.get_mut(slot.0).filter(|team| is_gone(team)) else { return true };
            *team = Team::default();
            freed.remove(slot);
            spare.insert(*slot);
            false
        });
    }

    pub(super) fn find(&self, name: &TeamId) -> Option<TeamSlot> {
        self.by_name.get(&Some(name.clone())).copied()
    }

    /// Takes in a job that is open in the frontier.
    pub(super) fn enter(
        &mut self,
        slot: TeamSlot,
        slots: Option<u32>,
        job: JobSlot,
        frontier: &mut Frontier,
    ) {
        let Some(team) = self.list.get_mut(slot.0) else { return };
        team.jobs.insert(job);
        team.slots = slots.or(team.slots);
        frontier.set_max_in_flight(slot.group(), team.slots);
    }

    /// A job ends of which so many pages are in work. It is still open in the frontier.
    pub(super) fn leave(&mut self, slot: TeamSlot, job: JobSlot, leased: u64, frontier: &Frontier) {
        let Some(team) = self.list.get_mut(slot.0) else { return };
        team.jobs.remove(&job);
        if leased > 0 && !team.has_room(frontier.load(slot.group())) {
            team.freed += leased;
            self.freed.insert(slot);
        }
    }

    /// A page of the team was leased. Tells whether it had waited for a slot.
    pub(super) fn leased(&mut self, slot: TeamSlot) -> bool {
        let Some(team) = self.list.get_mut(slot.0).filter(|team| team.freed > 0) else { return false };
        team.freed -= 1;
        if team.freed == 0 {
            self.freed.remove(&slot);
        }
        true
    }

    /// There was nothing more to lease: what teams with slots to spare lease next has not waited for them.
    pub(super) fn ran_dry(&mut self, frontier: &Frontier) {
        let list = &mut self.list;
        self.freed.retain(|slot| {
            let Some(team) = list.get_mut(slot.0) else { return false };
            let is_full = !team.has_room(frontier.load(slot.group()));
            team.freed = if is_full { team.freed } else { 0 };
            is_full
        });
    }

    /// A page of the team is about to end; its links are not admitted yet.
    pub(super) fn finished(&mut self, slot: TeamSlot, frontier: &Frontier) {
        let load = frontier.load(slot.group());
        if let Some(team) = self.list.get_mut(slot.0).filter(|team| !team.has_room(load) && load.waiting > 0)
        {
            team.freed += 1;
            self.freed.insert(slot);
        }
    }

    /// Nobody knows any more who waited for what, after leases expired.
    pub(super) fn forget_freed(&mut self) {
        for slot in std::mem::take(&mut self.freed) {
            if let Some(team) = self.list.get_mut(slot.0) {
                team.freed = 0;
            }
        }
    }

    pub(super) fn succeeded(&mut self, slot: TeamSlot, now: Duration) {
        if let Some(team) = self.list.get_mut(slot.0) {
            team.last_success = Some(now);
        }
    }

    pub(super) fn last_success(&self, slot: TeamSlot) -> Option<Duration> {
        self.list.get(slot.0)?.last_success
    }

    /// How many jobs of the team run.
    pub(super) fn count(&self, slot: TeamSlot) -> u64 {
        self.list.get(slot.0).map_or(0, |team| team.jobs.len() as u64)
    }

    pub(super) fn jobs(&self, slot: TeamSlot) -> impl Iterator<Item = JobSlot> {
        self.list.get(slot.0).into_iter().flat_map(|team| team.jobs.iter().copied())
    }
}

#[cfg(test)]
mod tests {
    use gleaner_frontier::{Candidate, JobRules, UrlKey};
    use gleaner_types::{JobId, JobKind};
    use url::Url;
    use uuid::Uuid;

    use super::*;
    use crate::{FinishedPage, JobAccount, MemoryConfig, MemoryStore, NewJob, PageOutcome, Store};

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
    async fn a_team_is_forgotten_when_nothing_is_left_to_tell_of_it() {
        let store = MemoryStore::new(MemoryConfig { retention: HOUR, ..MemoryConfig::default() });
        let stays = TeamId::new("stays");
        submit(&store, 0, &stays, START).await;
        store.pause(JobId::from_uuid(Uuid::from_u128(0)), true).await.unwrap();
        for number in 1..100 {
            let (team, now) = (TeamId::new(number.to_string()), START + HOUR * number * 2);
            submit(&store, number.into(), &team, now).await;
            for page in store.lease(10, now).await.unwrap().pages {
                let outcome = PageOutcome::Document(Box::default(), 1);
                store.finish(FinishedPage::new(page, outcome), now).await.unwrap();
            }
            store.expire(now + HOUR / 2).await.unwrap();
            assert_eq!(store.load(&team).await.unwrap().last_success, Some(now));
            store.expire(now + HOUR).await.unwrap();
            assert_eq!(store.load(&team).await.unwrap().last_success, None);
            assert_eq!(store.load(&stays).await.unwrap().jobs, 1, "a team with a job is known");
        }
        let teams = &store.lock().teams;
        assert_eq!((teams.list.len(), teams.by_name.len()), (2, 1));
    }
}
