use std::collections::BTreeMap;
use std::time::Duration;

use super::fair_queue::{FairQueue, Next};
use super::groups::Group;
use super::rate_controller::RateController;
use super::slab::Handle;

/// Lanes of one group that found a host busy.
#[derive(Debug, Default)]
struct SetAside {
    host_queues: FairQueue,
    /// The host is in the group's list of hosts that got free.
    listed: bool,
}

/// A host as politeness sees it: its name, and its port where that is not the scheme's default.
#[derive(Debug)]
pub(super) struct Host {
    pub(super) name: Box<str>,
    /// Leases that may have a request under way, those of closed jobs too.
    pub(super) in_flight: u32,
    /// How many there may be, as its answers have it.
    pub(super) rate_controller: RateController,
    /// From the end of one request to the next, as robots.txt has it; zero where several may run at once.
    pub(super) gap: Duration,
    /// Nothing before this time.
    pub(super) ready_at: Duration,
    /// Lanes that found the host busy, by the group of their job.
    blocked: BTreeMap<Group, SetAside>,
    /// How many these are.
    set_aside: usize,
    /// Of these, lanes that are no more.
    stale: usize,
    /// The group that had the last turn at this host.
    last_served: Option<Group>,
    /// In which call that group left its next turn to others.
    left_in: Option<u64>,
    /// The address that it resolves to, where that is known.
    pub(super) address: Option<Handle>,
    /// It is in its address's list of hosts that found the address busy.
    pub(super) listed_waiting: bool,
    /// It was handed room of its address and has not used it yet.
    pub(super) woken: bool,
    /// Lanes of all jobs.
    pub(super) host_queues: u32,
    /// It is in the list of hosts that nobody uses.
    pub(super) listed_idle: bool,
    /// The earliest alarm that is set.
    pub(super) alarm: Option<Duration>,
}

impl Host {
    pub(super) fn new(name: Box<str>, rate_controller: RateController) -> Self {
        Self {
            name,
            in_flight: 0,
            rate_controller,
            gap: Duration::ZERO,
            ready_at: Duration::ZERO,
            blocked: BTreeMap::new(),
            set_aside: 0,
            stale: 0,
            last_served: None,
            left_in: None,
            address: None,
            listed_waiting: false,
            woken: false,
            host_queues: 0,
            listed_idle: false,
            alarm: None,
        }
    }

    /// How many requests may be under way at once: one where there is a gap between them.
    pub(super) fn places(&self) -> u32 {
        if self.current_gap().is_zero() { self.rate_controller.at_once() } else { 1 }
    }

    /// True where it would take one more request, were it the time and had its address room.
    pub(super) fn has_room(&self) -> bool {
        self.in_flight < self.places()
    }

    /// From the end of one request to the next.
    pub(super) fn current_gap(&self) -> Duration {
        self.gap.max(self.rate_controller.pause())
    }

    pub(super) fn is_unused(&self) -> bool {
        self.host_queues == 0 && self.in_flight == 0
    }

    /// True where lanes wait that found it busy.
    pub(super) fn is_crowded(&self) -> bool {
        self.set_aside > 0
    }

    /// Sets a lane aside until the host is free.
    pub(super) fn set_aside(&mut self, group: Group, host_queue: Handle, newcomer: bool) {
        self.set_aside += 1;
        self.blocked.entry(group).or_default().host_queues.push(host_queue, newcomer);
    }

    /// The next lane of a group that was set aside.
    pub(super) fn next_lane(&mut self, group: Group) -> Option<Next> {
        let blocking = self.blocked.get_mut(&group)?;
        let next = blocking.host_queues.pop()?;
        self.set_aside = self.set_aside.saturating_sub(1);
        Some(next)
    }

    /// Notes that a lane of a group which was set aside used its turn.
    pub(super) fn used(&mut self, group: Group, turn: Next) {
        if let Some(blocking) = self.blocked.get_mut(&group) {
            blocking.host_queues.used(turn);
        }
    }

    /// Notes that a page of a job of this group was leased.
    pub(super) fn served(&mut self, group: Group) {
        self.last_served = Some(group);
        self.left_in = None;
    }

    /// Groups with lanes set aside in whose lists the host is not; it is taken to be in them from now on.
    pub(super) fn list(&mut self) -> Vec<Group> {
        let unlisted = self.blocked.iter_mut().filter(|(_, blocking)| !blocking.listed);
        unlisted
            .map(|(group, blocking)| {
                blocking.listed = true;
                *group
            })
            .collect()
    }

    /// Notes that the host was taken out of the list of a group.
    pub(super) fn unlist(&mut self, group: Group) {
        if let Some(blocking) = self.blocked.get_mut(&group) {
            blocking.listed = false;
        }
    }

    /// Forgets a group that has no lanes set aside any more.
    pub(super) fn tidy(&mut self, group: Group) {
        if self
            .blocked
            .get(&group)
            .is_some_and(|blocking| blocking.host_queues.is_empty() && !blocking.listed)
        {
            self.blocked.remove(&group);
        }
    }

    /// Groups in whose lists the host is.
    pub(super) fn listed(&self) -> impl Iterator<Item = Group> {
        self.blocked.iter().filter(|(_, blocking)| blocking.listed).map(|(group, _)| *group)
    }

    /// True where this group had the last turn here and should leave the next one to those of `others` that wait: once,
    /// that is in one call, since they may have something else to do.
    pub(super) fn is_to_be_left(&mut self, group: Group, call: u64, others: impl Fn(Group) -> bool) -> bool {
        let left = self.last_served == Some(group)
            && self.left_in.is_none_or(|left_in| left_in == call)
            && self.listed().any(|other| other != group && others(other));
        if left {
            self.left_in = Some(call);
        }
        left
    }

    /// Notes that a lane which was set aside is no more; `is_live` tells of which this is true.
    pub(super) fn forget_lane(&mut self, is_live: impl Fn(Handle) -> bool) {
        self.stale += 1;
        if self.stale * 2 > self.set_aside {
            for blocking in self.blocked.values_mut() {
                blocking.host_queues.retain(&is_live);
            }
            self.blocked.retain(|_, blocking| blocking.listed || !blocking.host_queues.is_empty());
            self.set_aside = self.blocked.values().map(|blocking| blocking.host_queues.len()).sum();
            self.stale = 0;
        }
    }

    /// Notes that a lane which was no more has been taken out.
    pub(super) fn took_stale(&mut self) {
        self.stale = self.stale.saturating_sub(1);
    }
}
