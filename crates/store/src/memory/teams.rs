//! Whose turn it is to lease.
//!
//! The frontier lets jobs take turns, and knows no teams. While one team alone has jobs, that is all there is to it, and
//! costs nothing here. With more, the jobs of all teams are held but for the moment in which their team has its turn:
//! that of the team with the fewest pages in work, and among equals of the one that waited longest. Within the team, a job
//! that had no page yet goes first, in turn with those that had, as in the frontier.

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
    /// Slots that became free while all were in use and pages waited: so many of the pages that are leased next waited
    /// for them.
    freed: u64,
    /// Jobs that had no turn yet, by when they came.
    newcomers: BTreeMap<u64, Turn>,
    /// The other jobs, by when each last had its turn.
    others: BTreeMap<u64, Turn>,
    /// The team's last turn was a newcomer's.
    others_first: bool,
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
    fn turns(&self) -> impl Iterator<Item = &Turn> {
        self.newcomers.values().chain(self.others.values())
    }

    fn turn(&mut self, number: u64) -> Option<&mut Turn> {
        self.newcomers.get_mut(&number).or_else(|| self.others.get_mut(&number))
    }

    /// Jobs may have had pages while nobody counted their turns.
    fn settle_newcomers(&mut self, frontier: &Frontier) {
        for (number, turn) in std::mem::take(&mut self.newcomers) {
            let counts = frontier.counts(turn.job).unwrap_or_default();
            let has_begun = counts.leased + counts.documents + counts.failed + counts.skipped > 0;
            let jobs = if has_begun { &mut self.others } else { &mut self.newcomers };
            jobs.insert(number, turn);
        }
    }

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
        team.newcomers.insert(number, Turn { job, held: false });
        if first_of_two {
            for running in &self.running {
                if let Some(team) = self.list.get_mut(running.0) {
                    team.settle_newcomers(frontier);
                }
            }
            self.hold_all(true, frontier);
        } else if self.take_turns() {
            frontier.hold(job, true);
        }
        number
    }

    pub(super) fn leave(&mut self, slot: TeamSlot, number: u64, leased: u64, frontier: &mut Frontier) {
        let Some(team) = self.list.get_mut(slot.0) else { return };
        if !team.has_room() {
            team.freed += leased;
        }
        team.in_flight = team.in_flight.saturating_sub(leased);
        let left = team.newcomers.remove(&number).or_else(|| team.others.remove(&number)).is_some();
        if left && team.turns().next().is_none() {
            self.running.remove(&slot);
            if self.running.len() == 1 {
                self.hold_all(false, frontier);
            }
        }
    }

    fn hold_all(&self, held: bool, frontier: &mut Frontier) {
        let running = self.running.iter().filter_map(|slot| self.list.get(slot.0));
        for turn in running.flat_map(Team::turns) {
            frontier.hold(turn.job, held || turn.held);
        }
    }

    /// Holds a job whatever its team's turn, or lets it go on when that comes.
    pub(super) fn hold(&mut self, slot: TeamSlot, number: u64, held: bool, frontier: &mut Frontier) {
        let take_turns = self.take_turns();
        let turn = self.list.get_mut(slot.0).and_then(|team| team.turn(number));
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

    /// So many pages of the only team with jobs were leased, all that could be where `dry`. Tells how many of them, the
    /// first ones, had waited for a slot.
    pub(super) fn leased_alone(&mut self, pages: u64, dry: bool) -> u64 {
        let Some(team) = self.running.first().and_then(|slot| self.list.get_mut(slot.0)) else { return 0 };
        team.in_flight += pages;
        let waited = team.freed.min(pages);
        team.freed = if dry { 0 } else { team.freed - waited };
        waited
    }

    /// The team has slots to spare and nothing to lease: what it leases next has not waited for them.
    pub(super) fn ran_dry(&mut self, slot: TeamSlot) {
        if let Some(team) = self.list.get_mut(slot.0) {
            team.freed = 0;
        }
    }

    /// Whether the page of the team that is leased now waited for a slot.
    pub(super) fn waited(&mut self, slot: TeamSlot) -> bool {
        let team = self.list.get_mut(slot.0).filter(|team| team.freed > 0);
        team.is_some_and(|team| {
            team.freed -= 1;
            true
        })
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
        let (first, second) = match team.others_first {
            true => (&team.others, &team.newcomers),
            false => (&team.newcomers, &team.others),
        };
        let mut got = None;
        for (jobs, from, most) in [
            (first, 0, FIRST_LOOK),
            (second, 0, FIRST_LOOK),
            (first, FIRST_LOOK, usize::MAX),
            (second, FIRST_LOOK, usize::MAX),
        ] {
            let open = jobs.values().filter(|turn| !turn.held).skip(from).take(most);
            let open: Vec<JobSlot> = open.map(|turn| turn.job).collect();
            if open.is_empty() {
                continue;
            }
            open.iter().for_each(|job| frontier.hold(*job, false));
            let (leased, found) = lease(frontier);
            open.iter().for_each(|job| frontier.hold(*job, true));
            got = Some(leased);
            if found {
                break;
            }
        }
        got.unwrap_or_else(|| lease(frontier).0)
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
        let newcomer = team.newcomers.remove(&number);
        team.others_first = newcomer.is_some();
        if let Some(turn) = newcomer.or_else(|| team.others.remove(&number)) {
            team.others.insert(self.clock, turn);
        }
        self.clock
    }

    /// A page of the team has ended; its links are not admitted yet.
    pub(super) fn finished(&mut self, slot: TeamSlot, frontier: &Frontier) {
        if let Some(team) = self.list.get_mut(slot.0) {
            let waits = |turn: &Turn| frontier.counts(turn.job).is_some_and(|counts| counts.waiting > 0);
            if !team.has_room() && team.turns().any(waits) {
                team.freed += 1;
            }
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
            team.in_flight = team.turns().map(leased).sum();
            team.freed = 0;
        }
    }

    /// How many jobs of the team run.
    pub(super) fn count(&self, slot: TeamSlot) -> u64 {
        self.list.get(slot.0).map_or(0, |team| team.newcomers.len() as u64 + team.others.len() as u64)
    }

    pub(super) fn jobs(&self, slot: TeamSlot) -> impl Iterator<Item = JobSlot> {
        self.list.get(slot.0).into_iter().flat_map(|team| team.turns().map(|turn| turn.job))
    }
}
