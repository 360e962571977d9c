//! The teams of the loaded jobs: their groups, their slots, and which of their pages waited for a slot.

use std::collections::{HashMap, HashSet};

use gleaner_frontier::{Frontier, Group};
use gleaner_store::TeamId;

#[derive(Debug)]
struct Team {
    group: Group,
    /// Open jobs.
    jobs: usize,
    /// Maximum number of leased pages, of all processes.
    slots: Option<u32>,
    /// The part of it that this process holds.
    held: u32,
    /// The part of those that a running transaction may give back: no page is leased with it.
    offered: u32,
    /// Another worker needs slots.
    is_wanted: bool,
    /// Slots that became free while all were in use and pages waited: this many of the next leased pages
    /// waited for a slot.
    freed: u64,
}

impl Team {
    /// The part of its slots that each worker gets at least, if it needs them.
    fn fair(&self, workers: u64) -> u32 {
        let workers = u32::try_from(workers).unwrap_or(u32::MAX).max(1);
        self.slots.map_or(u32::MAX, |slots| slots.div_ceil(workers))
    }

    fn has_free_slot(&self, frontier: &Frontier) -> bool {
        self.slots.is_none() || frontier.load(self.group).leased < u64::from(self.held)
    }
}

/// The teams with open jobs.
#[derive(Debug, Default)]
pub(super) struct Teams {
    teams: HashMap<Option<TeamId>, Team>,
    next: u64,
}

impl Teams {
    /// Adds a job of a team. Returns its group.
    pub(super) fn enter(&mut self, name: Option<&TeamId>, slots: Option<u32>) -> Group {
        let next = &mut self.next;
        let team = self.teams.entry(name.cloned()).or_insert_with(|| {
            *next += 1;
            Team {
                group: Group(*next),
                jobs: 0,
                slots: None,
                held: 0,
                offered: 0,
                is_wanted: false,
                freed: 0,
            }
        });
        team.jobs += 1;
        team.slots = slots;
        team.group
    }

    /// Removes a job with this number of leased pages, before it is closed. The team stays while it has jobs
    /// or slots.
    pub(super) fn leave(&mut self, name: Option<&TeamId>, leased: u64, frontier: &Frontier) {
        let Some(team) = self.teams.get_mut(&name.cloned()) else { return };
        team.jobs = team.jobs.saturating_sub(1);
        if leased > 0 && !team.has_free_slot(frontier) {
            team.freed += leased;
        }
        if team.jobs == 0 && team.held == 0 {
            self.teams.remove(&name.cloned());
        }
    }

    /// The group of a team and its maximum of leased pages here. While another worker needs slots, those
    /// above the fair share are not used again.
    pub(super) fn limit(&self, name: Option<&TeamId>, workers: u64) -> Option<(Group, Option<u32>)> {
        let team = self.teams.get(&name.cloned())?;
        let own = team.held.saturating_sub(team.offered);
        let max = if team.is_wanted { own.min(team.fair(workers)) } else { own };
        Some((team.group, team.slots.map(|_| max)))
    }

    /// Records whether another worker needs slots.
    pub(super) fn want(&mut self, name: Option<&TeamId>, is_wanted: bool) {
        if let Some(team) = self.teams.get_mut(&name.cloned()) {
            team.is_wanted = is_wanted;
        }
    }

    /// Sets how many slots may be given back now.
    pub(super) fn offer(&mut self, name: &TeamId, slots: u64) {
        if let Some(team) = self.teams.get_mut(&Some(name.clone())) {
            team.offered = u32::try_from(slots).unwrap_or(u32::MAX);
        }
    }

    /// Records new slots of this process, and the limit of the team.
    pub(super) fn add_slots(&mut self, name: &TeamId, change: i64, slots: Option<u32>) {
        let key = Some(name.clone());
        let Some(team) = self.teams.get_mut(&key) else { return };
        let held = i64::from(team.held).saturating_add(change).max(0);
        team.held = u32::try_from(held).unwrap_or(u32::MAX);
        team.slots = slots;
        if team.jobs == 0 && team.held == 0 {
            self.teams.remove(&key);
        }
    }

    /// Named teams: their slots, those of this process, and their leased pages.
    pub(super) fn loads(&self, frontier: &Frontier, workers: u64) -> Vec<(TeamId, TeamShare)> {
        let named = self.teams.iter().filter_map(|(name, team)| Some((name.clone()?, team)));
        let mut loads: Vec<_> = named
            .map(|(name, team)| {
                let load = frontier.load(team.group);
                let has_limit = team.slots.is_some();
                let most = if team.is_wanted { team.fair(workers) } else { u32::MAX };
                let (held, leased) = (team.held, load.leased);
                (name, TeamShare { has_limit, held, most, leased })
            })
            .collect();
        loads.sort_by(|one, other| one.0.cmp(&other.0));
        loads
    }

    /// Records that a page is about to end.
    pub(super) fn page_finished(&mut self, name: Option<&TeamId>, frontier: &Frontier) {
        let Some(team) = self.teams.get_mut(&name.cloned()) else { return };
        if !team.has_free_slot(frontier) && frontier.load(team.group).waiting > 0 {
            team.freed += 1;
        }
    }

    /// Records a lease. True if the page had waited for a slot.
    pub(super) fn page_leased(&mut self, name: Option<&TeamId>) -> bool {
        let Some(team) = self.teams.get_mut(&name.cloned()).filter(|team| team.freed > 0) else {
            return false;
        };
        team.freed -= 1;
        true
    }

    /// Records that no more pages can be leased: pages that teams with free slots lease next have not waited
    /// for a slot. The pages of the teams in `moving` may wait for a share that a transaction holds, so
    /// nothing is known of them.
    pub(super) fn nothing_to_lease(&mut self, frontier: &Frontier, moving: &HashSet<Option<TeamId>>) {
        for (name, team) in &mut self.teams {
            if team.has_free_slot(frontier) && !moving.contains(name) {
                team.freed = 0;
            }
        }
    }
}

/// The part of a team in this process.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct TeamShare {
    /// The team has a limit.
    pub(super) has_limit: bool,
    pub(super) held: u32,
    /// It keeps at most this many, unless they are in use.
    pub(super) most: u32,
    pub(super) leased: u64,
}

#[cfg(test)]
mod tests {
    use gleaner_frontier::FrontierConfig;

    use super::*;

    #[test]
    fn slots_above_the_fair_share_are_not_used_again_while_others_need_some() {
        let (mut teams, team) = (Teams::default(), TeamId::new("a"));
        teams.enter(Some(&team), Some(10));
        teams.add_slots(&team, 9, Some(10));
        let limit = |teams: &Teams| teams.limit(Some(&team), 2).unwrap().1;
        assert_eq!(limit(&teams), Some(9));
        teams.offer(&team, 2);
        assert_eq!(limit(&teams), Some(7));
        teams.want(Some(&team), true);
        assert_eq!(limit(&teams), Some(5));
        teams.offer(&team, 6);
        assert_eq!(limit(&teams), Some(3), "what is offered is not used either");
    }

    #[test]
    fn a_page_that_waited_for_a_slot_is_known_after_its_shares_were_on_their_way() {
        let (mut teams, frontier) = (Teams::default(), Frontier::new(FrontierConfig::default()));
        let team = Some(TeamId::new("a"));
        teams.enter(team.as_ref(), None);
        let mut is_marked = |moving: HashSet<Option<TeamId>>| {
            teams.teams.get_mut(&team).unwrap().freed = 1;
            teams.nothing_to_lease(&frontier, &moving);
            teams.page_leased(team.as_ref())
        };
        assert!(is_marked(HashSet::from([team.clone()])));
        assert!(!is_marked(HashSet::new()), "it found a free slot");
    }
}
