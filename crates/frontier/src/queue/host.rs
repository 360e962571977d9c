//! The politeness state of a host: requests in flight, limits, gaps, and waiting queues.

use std::collections::BTreeMap;
use std::time::Duration;

use super::fair_queue::{FairEntry, FairQueue};
use super::groups::Group;
use super::rate_controller::RateController;
use super::slab::Handle;

/// Host queues of one group that are blocked at a host.
#[derive(Debug, Default)]
struct BlockedQueues {
    queues: FairQueue,
    /// The host is in the list of available hosts of the group.
    listed: bool,
}

/// A host for politeness: its name, with the port if it is not the default of the scheme.
#[derive(Debug)]
pub(super) struct Host {
    pub(super) name: Box<str>,
    /// Leases that may have a running request, including those of closed jobs.
    pub(super) in_flight: u32,
    /// Limits the concurrent requests by the responses of the host.
    pub(super) rate_controller: RateController,
    /// Maximum concurrent requests, whatever its responses are.
    pub(super) ceiling: u32,
    /// Minimum time from the end of one request to the start of the next (robots.txt); zero allows concurrent
    /// requests.
    pub(super) gap: Duration,
    /// No request starts before this time.
    pub(super) ready_at: Duration,
    /// Blocked host queues, by the group of their job.
    blocked: BTreeMap<Group, BlockedQueues>,
    /// Number of entries in `blocked`.
    blocked_count: usize,
    /// Number of these entries whose queue was removed.
    stale_count: usize,
    /// The group that was served last at this host.
    last_served: Option<Group>,
    /// The call in which that group yielded its turn.
    yielded_in: Option<u64>,
    /// The IP address of the host, if known.
    pub(super) address: Option<Handle>,
    /// The host is in the waiting list of its address.
    pub(super) waits_for_address: bool,
    /// The host was woken because its address has capacity, and has not used it yet.
    pub(super) woken: bool,
    /// Number of host queues, of all jobs.
    pub(super) queue_count: u32,
    /// Number of their pages.
    pub(super) waiting: u64,
    /// The host is in the list of idle hosts.
    pub(super) in_idle_list: bool,
    /// The time of the earliest timer that is set.
    pub(super) timer: Option<Duration>,
}

impl Host {
    pub(super) fn new(name: Box<str>, rate_controller: RateController) -> Self {
        Self {
            name,
            in_flight: 0,
            rate_controller,
            ceiling: u32::MAX,
            gap: Duration::ZERO,
            ready_at: Duration::ZERO,
            blocked: BTreeMap::new(),
            blocked_count: 0,
            stale_count: 0,
            last_served: None,
            yielded_in: None,
            address: None,
            waits_for_address: false,
            woken: false,
            queue_count: 0,
            waiting: 0,
            in_idle_list: false,
            timer: None,
        }
    }

    /// Maximum number of concurrent requests: one if there must be a gap between requests.
    pub(super) fn max_concurrent(&self) -> u32 {
        if self.current_gap().is_zero() { self.rate_controller.max_concurrent().min(self.ceiling) } else { 1 }
    }

    /// True if one more concurrent request is allowed, regardless of time and address.
    pub(super) fn has_capacity(&self) -> bool {
        self.in_flight < self.max_concurrent()
    }

    /// Minimum time from the end of one request to the start of the next.
    pub(super) fn current_gap(&self) -> Duration {
        self.gap.max(self.rate_controller.pause())
    }

    pub(super) fn is_unused(&self) -> bool {
        self.queue_count == 0 && self.in_flight == 0
    }

    /// True if host queues are blocked here.
    pub(super) fn has_blocked(&self) -> bool {
        self.blocked_count > 0
    }

    /// Blocks a host queue until the host has capacity.
    pub(super) fn block(&mut self, group: Group, host_queue: Handle, newcomer: bool) {
        self.blocked_count += 1;
        self.blocked.entry(group).or_default().queues.push(host_queue, newcomer);
    }

    /// Takes the next blocked queue of a group.
    pub(super) fn next_blocked(&mut self, group: Group) -> Option<FairEntry> {
        let blocked = self.blocked.get_mut(&group)?;
        let next = blocked.queues.pop()?;
        self.blocked_count = self.blocked_count.saturating_sub(1);
        Some(next)
    }

    /// Records that a blocked queue of a group used its turn.
    pub(super) fn mark_used(&mut self, group: Group, entry: FairEntry) {
        if let Some(blocked) = self.blocked.get_mut(&group) {
            blocked.queues.mark_used(entry);
        }
    }

    /// Records that a page of this group was leased.
    pub(super) fn mark_served(&mut self, group: Group) {
        self.last_served = Some(group);
        self.yielded_in = None;
    }

    /// Returns the groups with blocked queues that do not list this host, and marks the host as listed for
    /// them.
    pub(super) fn mark_listed(&mut self) -> Vec<Group> {
        let unlisted = self.blocked.iter_mut().filter(|(_, blocked)| !blocked.listed);
        unlisted
            .map(|(group, blocked)| {
                blocked.listed = true;
                *group
            })
            .collect()
    }

    /// Records that the host was removed from the list of a group.
    pub(super) fn unlist(&mut self, group: Group) {
        if let Some(blocked) = self.blocked.get_mut(&group) {
            blocked.listed = false;
        }
    }

    /// Removes the entry of a group without blocked queues.
    pub(super) fn drop_if_empty(&mut self, group: Group) {
        if self.blocked.get(&group).is_some_and(|blocked| blocked.queues.is_empty() && !blocked.listed) {
            self.blocked.remove(&group);
        }
    }

    /// The groups that list this host as available.
    pub(super) fn listed_groups(&self) -> impl Iterator<Item = Group> {
        self.blocked.iter().filter(|(_, blocked)| blocked.listed).map(|(group, _)| *group)
    }

    /// True if this group was served last here and should yield to waiting groups for which `others` is true.
    /// It yields in one call only, because the others may have nothing to lease here.
    pub(super) fn should_yield(&mut self, group: Group, call: u64, others: impl Fn(Group) -> bool) -> bool {
        let yields = self.last_served == Some(group)
            && self.yielded_in.is_none_or(|yielded_in| yielded_in == call)
            && self.listed_groups().any(|other| other != group && others(other));
        if yields {
            self.yielded_in = Some(call);
        }
        yields
    }

    /// Records that a blocked queue was removed; `is_live` is true for the queues that still exist.
    pub(super) fn note_removed(&mut self, is_live: impl Fn(Handle) -> bool) {
        self.stale_count += 1;
        if self.stale_count * 2 > self.blocked_count {
            for blocked in self.blocked.values_mut() {
                blocked.queues.retain(&is_live);
            }
            self.blocked.retain(|_, blocked| blocked.listed || !blocked.queues.is_empty());
            self.blocked_count = self.blocked.values().map(|blocked| blocked.queues.len()).sum();
            self.stale_count = 0;
        }
    }

    /// Records that the entry of a removed queue was popped.
    pub(super) fn note_stale_popped(&mut self) {
        self.stale_count = self.stale_count.saturating_sub(1);
    }
}
