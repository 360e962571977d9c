//! Groups of jobs, which take turns.
//!
//! The turn is that of the group with the fewest pages in work, and among equals of the one that waited longest. Groups
//! with something to look at are kept in that order, so that a lease costs no more with many groups, or with many jobs in
//! one, than with few.

use std::collections::{BTreeMap, BTreeSet, VecDeque};

use super::fair_queue::FairQueue;
use super::slab::Handle;

/// Names a group of jobs: those of one team, say. Jobs of a group take turns with each other, and groups do.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct Group(pub u64);

/// What the jobs of a group have in the queue.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct GroupLoad {
    /// Jobs that are open.
    pub jobs: u64,
    /// Pages that wait, including those that the limits of their jobs will not let through.
    pub waiting: u64,
    /// Pages in work, those of open jobs.
    pub leased: u64,
    /// What the addresses that wait or are too deep so far take, in bytes.
    pub bytes: u64,
}

/// By how much the [`GroupLoad`] of a group changes, all but its jobs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) struct Share {
    pub(super) waiting: u64,
    pub(super) leased: u64,
    pub(super) bytes: u64,
}

#[derive(Debug, Default)]
pub(super) struct Member {
    load: GroupLoad,
    max_in_flight: Option<u64>,
    /// When it was last served, by the count of what was served.
    served: u64,
    /// Its place in the order of turns, where it has one.
    place: Option<(u64, u64)>,
    /// Jobs that may lease and have ready lanes.
    pub(super) ring: FairQueue,
    /// Hosts that are free and have lanes of its jobs set aside.
    pub(super) freed: VecDeque<Handle>,
    /// So many of these, the last ones, were listed while it had room.
    fresh: usize,
    /// Hosts of `freed` that it leaves to other groups for now.
    left: Vec<Handle>,
    /// Whether its next page comes from `freed` rather than from the ring: turn and turn about, so that a crowded
    /// host starves no other, nor they it.
    pub(super) freed_first: bool,
}

impl Member {
    fn has_room(&self) -> bool {
        self.max_in_flight.is_none_or(|max| self.load.leased < max)
    }

    fn has_to_look(&self) -> bool {
        !self.ring.is_empty() || !self.freed.is_empty()
    }

    /// The next host that got free.
    pub(super) fn next_freed(&mut self) -> Option<Handle> {
        let host = self.freed.pop_front();
        self.fresh = self.fresh.min(self.freed.len());
        host
    }
}

#[derive(Debug, Default)]
pub(super) struct Groups {
    members: BTreeMap<Group, Member>,
    /// Those that have room and something to look at, by whose turn it is.
    turns: BTreeSet<(u64, u64, Group)>,
    /// Those that have left a host to others.
    polite: BTreeSet<Group>,
    served: u64,
    /// What the addresses of all take, in bytes.
    bytes: u64,
}

impl Groups {
    pub(super) fn get_mut(&mut self, group: Group) -> Option<&mut Member> {
        self.members.get_mut(&group)
    }

    /// What all groups have queued, in bytes.
    pub(super) const fn bytes(&self) -> u64 {
        self.bytes
    }

    pub(super) fn load(&self, group: Group) -> GroupLoad {
        self.members.get(&group).map_or_else(GroupLoad::default, |member| member.load)
    }

    pub(super) fn has_room(&self, group: Group) -> bool {
        self.members.get(&group).is_none_or(Member::has_room)
    }

    /// The group, new if need be. It is behind those that wait already: who comes and goes is no sooner served than who stays.
    fn member(&mut self, group: Group) -> &mut Member {
        let served = self.served;
        self.members.entry(group).or_insert_with(|| Member { served, ..Member::default() })
    }

    pub(super) fn enter(&mut self, group: Group) {
        self.member(group).load.jobs += 1;
    }

    /// A job of the group ends that had this share in it.
    pub(super) fn leave(&mut self, group: Group, share: Share) {
        self.book(group, share, Share::default());
        if let Some(member) = self.members.get_mut(&group) {
            member.load.jobs = member.load.jobs.saturating_sub(1);
            if member.load.jobs == 0 {
                // What is left to look at is gone through, and then it is forgotten.
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

    /// Books that the share of a job changed. True where the group had room and has none any more.
    pub(super) fn book(&mut self, group: Group, before: Share, after: Share) -> bool {
        if before == after {
            return false;
        }
        let change = |value: u64, before: u64, after: u64| value.saturating_add(after).saturating_sub(before);
        self.bytes = change(self.bytes, before.bytes, after.bytes);
        let Some(member) = self.members.get_mut(&group) else { return false };
        let had_room = member.has_room();
        let load = &mut member.load;
        load.waiting = change(load.waiting, before.waiting, after.waiting);
        load.leased = change(load.leased, before.leased, after.leased);
        load.bytes = change(load.bytes, before.bytes, after.bytes);
        let is_full = had_room && !member.has_room();
        self.update(group);
        is_full
    }

    /// Puts a job into the ring of its group.
    pub(super) fn push_ring(&mut self, group: Group, job: Handle, newcomer: bool) {
        self.member(group).ring.push(job, newcomer);
        self.update(group);
    }

    /// Lists a host that is free and has lanes of the group set aside.
    pub(super) fn push_freed(&mut self, group: Group, host: Handle) {
        let member = self.member(group);
        member.freed.push_back(host);
        member.fresh = if member.has_room() { member.fresh + 1 } else { 0 };
        self.update(group);
    }

    /// Hosts that were listed while the group had room, which may have been counted on to be used by it.
    pub(super) fn counted_on(&mut self, group: Group) -> Vec<Handle> {
        let Some(member) = self.members.get_mut(&group) else { return Vec::new() };
        let fresh = std::mem::take(&mut member.fresh);
        member.freed.iter().rev().take(fresh).rev().copied().collect()
    }

    /// Puts the group where its turn is. To be called whenever anything of it has changed.
    pub(super) fn update(&mut self, group: Group) {
        let Some(member) = self.members.get_mut(&group) else { return };
        let place =
            (member.has_room() && member.has_to_look()).then_some((member.load.leased, member.served));
        if place != member.place {
            if let Some((leased, served)) = member.place {
                self.turns.remove(&(leased, served, group));
            }
            if let Some((leased, served)) = place {
                self.turns.insert((leased, served, group));
            }
            member.place = place;
        }
        if member.load.jobs == 0 && !member.has_to_look() && member.left.is_empty() {
            self.members.remove(&group);
        }
    }

    /// The group whose turn it is, of those that have something to look at.
    pub(super) fn next(&self) -> Option<Group> {
        self.turns.first().map(|(.., group)| *group)
    }

    /// Notes that a group had its turn.
    pub(super) fn served(&mut self, group: Group) {
        self.served += 1;
        if let Some(member) = self.members.get_mut(&group) {
            member.served = self.served;
        }
        self.update(group);
    }

    /// Leaves a host that was listed for the group to others, until [`recall`](Self::recall).
    pub(super) fn leave_to_others(&mut self, group: Group, host: Handle) {
        if let Some(member) = self.members.get_mut(&group) {
            member.left.push(host);
            self.polite.insert(group);
        }
    }

    /// Lists the hosts again that were left to others. False where there were none.
    pub(super) fn recall(&mut self) -> bool {
        let polite = std::mem::take(&mut self.polite);
        for group in &polite {
            let left = self.members.get_mut(group).map(|member| std::mem::take(&mut member.left));
            for host in left.into_iter().flatten() {
                self.push_freed(*group, host);
            }
        }
        !polite.is_empty()
    }

    #[cfg(test)]
    pub(super) fn len(&self) -> usize {
        self.members.len()
    }
}
