//! Groups of jobs, which take turns.
//!
//! The next turn belongs to the group with the fewest leased pages, among equals to the one that waited
//! longest. Groups that have something to lease are kept in this order, so a lease costs the same with many
//! groups, or with many jobs in one.

use std::collections::{BTreeMap, BTreeSet, VecDeque};

use super::fair_queue::FairQueue;
use super::slab::Handle;

/// Identifies a group of jobs, such as those of one team. Groups take turns, and so do the jobs of a group.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct Group(pub u64);

/// The pages that the jobs of a group have in the queue.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[non_exhaustive]
pub struct GroupLoad {
    /// Open jobs.
    pub jobs: u64,
    /// Waiting pages, including those that the limits of their jobs do not admit.
    pub waiting: u64,
    /// Leased pages of open jobs.
    pub leased: u64,
    /// Bytes of the URLs that wait or are too deep so far.
    pub bytes: u64,
}

/// The part of a [`GroupLoad`] that one job contributes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) struct JobLoad {
    pub(super) waiting: u64,
    pub(super) leased: u64,
    pub(super) bytes: u64,
}

#[derive(Debug, Default)]
pub(super) struct Member {
    load: GroupLoad,
    max_in_flight: Option<u64>,
    /// The value of [`Groups::served`] when the group was last served.
    served: u64,
    /// Its key in the order of turns, if it is there: leased pages, then last served.
    turn: Option<(u64, u64)>,
    /// Jobs that may lease and have ready host queues.
    pub(super) ready_jobs: FairQueue,
    /// Hosts with capacity and blocked queues of the group.
    pub(super) available_hosts: VecDeque<Handle>,
    /// The number of hosts, at the end of that list, that were listed while the group had capacity.
    listed_with_capacity: usize,
    /// Hosts that the group yields to other groups for now.
    yielded: Vec<Handle>,
    /// The next page comes from `available_hosts` rather than from `ready_jobs`. It alternates, so that
    /// neither a contended host nor the ready jobs starve the other.
    pub(super) hosts_first: bool,
}

impl Member {
    fn has_capacity(&self) -> bool {
        self.max_in_flight.is_none_or(|max| self.load.leased < max)
    }

    fn has_candidates(&self) -> bool {
        !self.ready_jobs.is_empty() || !self.available_hosts.is_empty()
    }

    /// Takes the next available host.
    pub(super) fn next_available_host(&mut self) -> Option<Handle> {
        let host = self.available_hosts.pop_front();
        self.listed_with_capacity = self.listed_with_capacity.min(self.available_hosts.len());
        host
    }
}

#[derive(Debug, Default)]
pub(super) struct Groups {
    members: BTreeMap<Group, Member>,
    /// Groups with capacity and something to lease, in the order of turns.
    turns: BTreeSet<(u64, u64, Group)>,
    /// Groups that have yielded a host.
    yielding: BTreeSet<Group>,
    served: u64,
    /// Bytes of the URLs of all groups.
    bytes: u64,
}

impl Groups {
    pub(super) fn get_mut(&mut self, group: Group) -> Option<&mut Member> {
        self.members.get_mut(&group)
    }

    /// Bytes that all groups have queued.
    pub(super) const fn bytes(&self) -> u64 {
        self.bytes
    }

    pub(super) fn load(&self, group: Group) -> GroupLoad {
        self.members.get(&group).map_or_else(GroupLoad::default, |member| member.load)
    }

    pub(super) fn has_capacity(&self, group: Group) -> bool {
        self.members.get(&group).is_none_or(Member::has_capacity)
    }

    /// The group; adds it if it is new. A new group starts behind those that wait already: one that comes and
    /// goes is not served sooner than one that stays.
    fn member(&mut self, group: Group) -> &mut Member {
        let served = self.served;
        self.members.entry(group).or_insert_with(|| Member { served, ..Member::default() })
    }

    pub(super) fn enter(&mut self, group: Group) {
        self.member(group).load.jobs += 1;
    }

    /// Removes a job of the group, with its load.
    pub(super) fn leave(&mut self, group: Group, load: JobLoad) {
        self.update_load(group, load, JobLoad::default());
        if let Some(member) = self.members.get_mut(&group) {
            member.load.jobs = member.load.jobs.saturating_sub(1);
            if member.load.jobs == 0 {
                // The remaining lists are processed before the group is removed.
                member.max_in_flight = None;
            }
        }
        self.update(group);
    }

    pub(super) fn set_max_in_flight(&mut self, group: Group, max: Option<u32>) {
        if let Some(member) = self.members.get_mut(&group).filter(|member| member.load.jobs > 0) {
            member.max_in_flight = max.map(u64::from);
        }
        self.update(group);
    }

    /// Records a change in the load of a job. True if the group had capacity and now has none.
    pub(super) fn update_load(&mut self, group: Group, before: JobLoad, after: JobLoad) -> bool {
        if before == after {
            return false;
        }
        let change = |value: u64, before: u64, after: u64| value.saturating_add(after).saturating_sub(before);
        self.bytes = change(self.bytes, before.bytes, after.bytes);
        let Some(member) = self.members.get_mut(&group) else { return false };
        let had_capacity = member.has_capacity();
        let load = &mut member.load;
        load.waiting = change(load.waiting, before.waiting, after.waiting);
        load.leased = change(load.leased, before.leased, after.leased);
        load.bytes = change(load.bytes, before.bytes, after.bytes);
        let is_full = had_capacity && !member.has_capacity();
        self.update(group);
        is_full
    }

    /// Adds a job to the ready jobs of its group.
    pub(super) fn push_ready_job(&mut self, group: Group, job: Handle, newcomer: bool) {
        self.member(group).ready_jobs.push(job, newcomer);
        self.update(group);
    }

    /// Lists a host with capacity and blocked queues of the group.
    pub(super) fn push_available_host(&mut self, group: Group, host: Handle) {
        let member = self.member(group);
        member.available_hosts.push_back(host);
        member.listed_with_capacity = if member.has_capacity() { member.listed_with_capacity + 1 } else { 0 };
        self.update(group);
    }

    /// Takes the hosts that were listed while the group had capacity. Other groups may have left them to this
    /// group, which cannot use them now.
    pub(super) fn take_listed_with_capacity(&mut self, group: Group) -> Vec<Handle> {
        let Some(member) = self.members.get_mut(&group) else { return Vec::new() };
        let listed_with_capacity = std::mem::take(&mut member.listed_with_capacity);
        member.available_hosts.iter().rev().take(listed_with_capacity).rev().copied().collect()
    }

    /// Moves the group to its position in the order of turns. Call it after every change.
    pub(super) fn update(&mut self, group: Group) {
        let Some(member) = self.members.get_mut(&group) else { return };
        let turn =
            (member.has_capacity() && member.has_candidates()).then_some((member.load.leased, member.served));
        if turn != member.turn {
            if let Some((leased, served)) = member.turn {
                self.turns.remove(&(leased, served, group));
            }
            if let Some((leased, served)) = turn {
                self.turns.insert((leased, served, group));
            }
            member.turn = turn;
        }
        if member.load.jobs == 0 && !member.has_candidates() && member.yielded.is_empty() {
            self.members.remove(&group);
        }
    }

    /// The next group that has something to lease.
    pub(super) fn next(&self) -> Option<Group> {
        self.turns.first().map(|(.., group)| *group)
    }

    /// Records that a group had its turn.
    pub(super) fn mark_served(&mut self, group: Group) {
        self.served += 1;
        if let Some(member) = self.members.get_mut(&group) {
            member.served = self.served;
        }
        self.update(group);
    }

    /// Yields a host that is listed for the group, until [`restore_yielded`](Self::restore_yielded).
    pub(super) fn yield_host(&mut self, group: Group, host: Handle) {
        if let Some(member) = self.members.get_mut(&group) {
            member.yielded.push(host);
            self.yielding.insert(group);
        }
    }

    /// Lists the yielded hosts again. False if there were none.
    pub(super) fn restore_yielded(&mut self) -> bool {
        let yielding = std::mem::take(&mut self.yielding);
        for group in &yielding {
            let yielded = self.members.get_mut(group).map(|member| std::mem::take(&mut member.yielded));
            for host in yielded.into_iter().flatten() {
                self.push_available_host(*group, host);
            }
        }
        !yielding.is_empty()
    }

    #[cfg(test)]
    pub(super) fn len(&self) -> usize {
        self.members.len()
    }
}
