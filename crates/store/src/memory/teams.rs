//! Whose turn it is to lease.
//!
//! The frontier lets jobs take turns, and knows no teams. While one team alone has jobs, that is all there is to it, and
//! costs nothing here. With more, the jobs of all teams are held but for the moment in which their team has its turn:
//! that of the team with the fewest pages in work, and among equals of the one that waited longest.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::time::Duration;

use gleaner_frontier::{Frontier, JobSlot};

use crate::TeamId;

/// So many jobs of a team, those that waited longest, are looked at before all the others are.
const FIRST_LOOK: usize = 16;

/// A team's place in the list.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct TeamSlot(usize);

#[derive(Debug, Default)]
pub(super) struct Teams {
    list: Vec<Team>,
    by_name: HashMap<Option<TeamId>, TeamSlot>,
    /// Teams with jobs.
    running: BTreeSet<TeamSlot>,
    clock: u64,
}

#[derive(Debug, Default)]
struct Team {
    slots: Option<u32>,
    in_flight: u64,
    /// By when each last had its turn.
    jobs: BTreeMap<u64, Turn>,
    served: u64,
    last_success: Option<Duration>,
}

#[derive(Debug)]
struct Turn {
    job: JobSlot,
    /// Not to be leased even in its team's turn.
    held: bool,
}

impl Team {
    fn has_room(&self) -> bool {
        self.slots.is_none_or(|slots| self.in_flight < u64::from(slots))
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

    /// Do jobs lease only in the turn of their team?
    pub(super) fn take_turns(&self) -> bool {
        self.running.len() > 1
    }

    /// Takes a job in and tells its turn's number.
    pub(super) fn enter(
        &mut self,
        slot: TeamSlot,
        slots: Option<u32>,
        job: JobSlot,
        frontier: &mut Frontier,
    ) -> u64 {
        self.clock += 1;
        let number = self.clock;
        let Some(team) = self.list.get_mut(slot.0) else { return number };
        team.slots = slots.or(team.slots);
        let first_of_two = self.running.insert(slot) && self.running.len() == 2;
        team.jobs.insert(number, Turn { job, held: false });
        if first_of_two {
            self.hold_all(true, frontier);
        } else if self.take_turns() {
            frontier.hold(job, true);
        }
        number
    }

    pub(super) fn leave(&mut self, slot: TeamSlot, number: u64, leased: u64, frontier: &mut Frontier) {
        let Some(team) = self.list.get_mut(slot.0) else { return };
        team.in_flight = team.in_flight.saturating_sub(leased);
        if team.jobs.remove(&number).is_some() && team.jobs.is_empty() {
            self.running.remove(&slot);
            if self.running.len() == 1 {
                self.hold_all(false, frontier);
            }
        }
    }

    fn hold_all(&self, held: bool, frontier: &mut Frontier) {
        let running = self.running.iter().filter_map(|slot| self.list.get(slot.0));
        for turn in running.flat_map(|team| team.jobs.values()) {
            frontier.hold(turn.job, held || turn.held);
        }
    }

    /// Holds a job whatever its team's turn, or lets it go on when that comes.
    pub(super) fn hold(&mut self, slot: TeamSlot, number: u64, held: bool, frontier: &mut Frontier) {
        let take_turns = self.take_turns();
        let turn = self.list.get_mut(slot.0).and_then(|team| team.jobs.get_mut(&number));
        if let Some(turn) = turn {
            turn.held = held;
            frontier.hold(turn.job, held || take_turns);
        }
    }

    /// How many pages more may be leased while one team alone has jobs.
    pub(super) fn room(&self) -> usize {
        let team = self.running.first().and_then(|slot| self.list.get(slot.0));
        let slots = team.and_then(|team| Some(u64::from(team.slots?).saturating_sub(team.in_flight)));
        slots.and_then(|room| usize::try_from(room).ok()).unwrap_or(usize::MAX)
    }

    /// The team whose turn it is, but for those that have nothing to lease now.
    pub(super) fn next(&self, spent: &BTreeSet<TeamSlot>) -> Option<TeamSlot> {
        let teams = self.running.difference(spent).filter_map(|slot| Some((slot, self.list.get(slot.0)?)));
        let ready = teams.filter(|(_, team)| team.has_room());
        ready.min_by_key(|(_, team)| (team.in_flight, team.served)).map(|(slot, _)| *slot)
    }

    /// So many pages of the only team with jobs were leased.
    pub(super) fn leased_alone(&mut self, pages: u64) {
        if let Some(team) = self.running.first().and_then(|slot| self.list.get_mut(slot.0)) {
            team.in_flight += pages;
        }
    }

    /// Runs `lease` while the jobs of one team may lease, as long as it gives nothing and there are more to look at.
    pub(super) fn in_turn<T>(
        &self,
        slot: TeamSlot,
        frontier: &mut Frontier,
        mut lease: impl FnMut(&mut Frontier) -> (T, bool),
    ) -> T {
        let Some(team) = self.list.get(slot.0).filter(|_| self.take_turns()) else {
            return lease(frontier).0;
        };
        let open = || team.jobs.values().filter(|turn| !turn.held).map(|turn| turn.job);
        open().take(FIRST_LOOK).for_each(|job| frontier.hold(job, false));
        let (mut got, found) = lease(frontier);
        if !found && team.jobs.len() > FIRST_LOOK {
            open().skip(FIRST_LOOK).for_each(|job| frontier.hold(job, false));
            got = lease(frontier).0;
            open().skip(FIRST_LOOK).for_each(|job| frontier.hold(job, true));
        }
        open().take(FIRST_LOOK).for_each(|job| frontier.hold(job, true));
        got
    }

    /// A page of the job was leased: the others of its team are first now. Tells its new number.
    pub(super) fn leased(&mut self, slot: TeamSlot, number: u64) -> u64 {
        let take_turns = self.take_turns();
        let Some(team) = self.list.get_mut(slot.0) else { return number };
        team.in_flight += 1;
        if !take_turns {
            return number;
        }
        self.clock += 1;
        team.served = self.clock;
        if let Some(turn) = team.jobs.remove(&number) {
            team.jobs.insert(self.clock, turn);
        }
        self.clock
    }

    pub(super) fn finished(&mut self, slot: TeamSlot) {
        if let Some(team) = self.list.get_mut(slot.0) {
            team.in_flight = team.in_flight.saturating_sub(1);
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

    /// Counts anew after leases expired.
    pub(super) fn recount(&mut self, frontier: &Frontier) {
        for team in &mut self.list {
            let leased = |turn: &Turn| frontier.counts(turn.job).map_or(0, |counts| counts.leased);
            team.in_flight = team.jobs.values().map(leased).sum();
        }
    }

    pub(super) fn jobs(&self, slot: TeamSlot) -> impl Iterator<Item = JobSlot> {
        self.list.get(slot.0).into_iter().flat_map(|team| team.jobs.values().map(|turn| turn.job))
    }
}
