//! Teams, and which of their pages waited for a slot.
//!
//! Each is a [`Group`] of the frontier, which lets them take turns and keeps them to their slots.

use std::collections::{BTreeSet, HashMap};
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
        let slot = TeamSlot(self.list.len());
        self.list.push(Team::default());
        self.by_name.insert(name.cloned(), slot);
        slot
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
