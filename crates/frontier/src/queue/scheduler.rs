//! Hosts and lanes, and which of them is to be looked at next.
//!
//! A *lane* is what one job wants of one host. At any time it is in one list at most: its job's `ready` list, its
//! host's `blocked` list, or the alarms. Jobs with ready lanes go round in a ring, so that each gets its turn whatever
//! the others have queued. A lane whose host is busy when its turn comes is set aside with the host and costs nothing
//! until the host is free again; then the host hands its room to the lanes set aside, in order of their arrival. So a
//! lease looks at no more lanes than changed since, however many hosts and jobs there are. In the ring and at a host,
//! jobs that have had no page yet go first, in turn with the others ([`FairQueue`](super::fair_queue::FairQueue)).
//!
//! All this is so for each group of jobs ([`Groups`]): each has a ring and a list of hosts that got free, and every host
//! keeps the lanes that are set aside apart by group. The group whose turn it is looks at its own alone. Where several want
//! one host, the one that had its last page leaves the next to the others, once, so that one which has few pages in work
//! elsewhere, and hence always the first turn, does not keep it for itself.
//!
//! Two rules keep anything from being forgotten. A host that is free and has lanes set aside is in the `freed` list of each
//! of their groups, or has an alarm. A job that may lease and has ready lanes is in the ring of its group.

mod wake;

use std::collections::BTreeMap;
use std::time::Duration;

use super::groups::{Group, Groups, Member, Share};
use super::host_queue::{HostQueue, PendingRetry, Place, Rank};
use super::hosts::Hosts;
use super::job::Job;
use super::packed::{self, Loss, Page};
use super::rate_controller::RateController;
use super::slab::{Handle, Slab};
use super::spill::QueueSpill;
use super::timers::{Sleeper, Timers};

/// In one call so many pages are looked at that are to go back.
const MOST_SENT_BACK: usize = 256;

/// A page taken out of its lane.
#[derive(Debug)]
pub(super) struct Taken {
    pub(super) job: Handle,
    pub(super) host_queue: Handle,
    pub(super) host: Handle,
    pub(super) rank: Rank,
    pub(super) attempt: u32,
    pub(super) page: Page,
    /// Its host may have been asked for something; see [`Frontier::unasked`](super::Frontier::unasked).
    pub(super) asked: bool,
}

#[derive(Debug)]
pub(super) struct Scheduler {
    pub(super) hosts: Hosts,
    host_queues: Slab<HostQueue>,
    timers: Timers,
    pub(super) groups: Groups,
    /// Where blocks of pages go that are not needed soon.
    pub(super) spill: Option<Box<dyn QueueSpill>>,
    /// Pages that did not come back from there, by job.
    dropped: BTreeMap<Handle, u64>,
    sequence: u64,
    /// Calls of [`begin`](Self::begin).
    calls: u64,
    /// Hosts are left to others for now.
    courteous: bool,
    /// Jobs, hosts and lanes that were looked at.
    #[cfg(test)]
    pub(super) looks: u64,
}

impl Scheduler {
    pub(super) fn new(rate_controller: RateController, address_tempo: RateController) -> Self {
        Self {
            hosts: Hosts::new(rate_controller, address_tempo),
            host_queues: Slab::new(),
            timers: Timers::default(),
            groups: Groups::default(),
            spill: None,
            dropped: BTreeMap::new(),
            sequence: 0,
            calls: 0,
            courteous: false,
            #[cfg(test)]
            looks: 0,
        }
    }

    /// Queues a page for the first time.
    #[expect(
        clippy::too_many_arguments,
        reason = "the parts of a page, borrowed: packing them costs an allocation"
    )]
    pub(super) fn enqueue(
        &mut self,
        (job_handle, job): (Handle, &mut Job),
        host: Handle,
        rank: Rank,
        key: crate::UrlKey,
        https: bool,
        external: bool,
        rest: &str,
        now: Duration,
    ) {
        let handle = self.lane_of(job_handle, job, host);
        let Some(host_queue) = self.host_queues.get_mut(handle) else { return };
        let spill = self.spill.as_deref_mut().filter(|_| !job.in_memory);
        host_queue.push(rank, key, https, external, rest, spill);
        job.queued(rank, packed::size_of(rest));
        if matches!(host_queue.place, Place::Idle | Place::Asleep) {
            self.place(handle, (job_handle, job), now);
        }
    }

    /// Queues a page again whose lease was given back.
    pub(super) fn enqueue_again(
        &mut self,
        (job_handle, job): (Handle, &mut Job),
        taken: Taken,
        not_before: Duration,
        now: Duration,
    ) {
        let handle = self.lane_of(job_handle, job, taken.host);
        let Some(host_queue) = self.host_queues.get_mut(handle) else { return };
        self.sequence += 1;
        job.queued(taken.rank, packed::size_of(&taken.page.rest));
        host_queue.push_again(PendingRetry {
            not_before,
            sequence: self.sequence,
            attempt: taken.attempt,
            rank: taken.rank,
            page: taken.page,
        });
        if matches!(host_queue.place, Place::Idle | Place::Asleep) {
            self.place(handle, (job_handle, job), now);
        }
    }

    fn lane_of(&mut self, job_handle: Handle, job: &mut Job, host: Handle) -> Handle {
        *job.host_queues.entry(host).or_insert_with(|| {
            if let Some(host) = self.hosts.get_mut(host) {
                host.host_queues += 1;
            }
            self.host_queues.insert(HostQueue::new(job_handle, host))
        })
    }

    /// Puts a lane that is in no list where it belongs. One that has nothing left is taken down.
    fn place(&mut self, handle: Handle, (job_handle, job): (Handle, &mut Job), now: Duration) {
        let Some(host_queue) = self.host_queues.get_mut(handle) else { return };
        host_queue.place = Place::Idle;
        let busy = host_queue.leased > 0;
        let one_at_a_time = job.rules.delay.is_some();
        match host_queue.next_page_at() {
            Some(_) if busy && one_at_a_time => {}
            // Not everything will be crawled, so the pages in work are waited for: what they lead to comes first.
            Some(_) if host_queue.had_better_wait(now) && job.is_choosy() => {}
            Some(at) if at <= now => {
                host_queue.place = Place::Ready;
                job.ready.push_back(handle);
                self.touch(job_handle, job);
            }
            Some(at) => self.sleep(handle, at),
            None if busy => {}
            // It is kept until then, so that a page which comes in between has to wait as well.
            None if host_queue.ready_at > now => {
                let at = host_queue.ready_at;
                self.sleep(handle, at);
            }
            None => {
                let host = host_queue.host;
                job.host_queues.remove(&host);
                self.host_queues.remove(handle);
                self.leave_host(host, now);
            }
        }
    }

    fn sleep(&mut self, handle: Handle, at: Duration) {
        let Some(host_queue) = self.host_queues.get_mut(handle) else { return };
        host_queue.place = Place::Asleep;
        if host_queue.alarm.is_none_or(|alarm| alarm > at) {
            host_queue.alarm = Some(at);
            self.timers.set(at, Sleeper::HostQueue(handle));
        }
    }

    fn leave_host(&mut self, host: Handle, now: Duration) {
        if let Some(host) = self.hosts.get_mut(host) {
            host.host_queues = host.host_queues.saturating_sub(1);
        }
        self.hosts.note_idle(host, now);
    }

    /// Puts a job into the ring if it belongs there. To be called whenever it may have become able to lease.
    pub(super) fn touch(&mut self, handle: Handle, job: &mut Job) {
        if !job.in_ring && !job.ready.is_empty() && job.may_lease() {
            job.in_ring = true;
            self.groups.push_ring(job.group, handle, job.newcomer);
        }
    }

    /// When the next alarm rings.
    pub(super) fn next_alarm(&self) -> Option<Duration> {
        self.timers.next()
    }

    /// Begins a call that takes pages.
    pub(super) fn begin(&mut self) {
        self.calls += 1;
        self.courteous = true;
    }

    /// Ends it.
    pub(super) fn end(&mut self) {
        self.groups.recall();
    }

    /// The next page to lease.
    pub(super) fn take(&mut self, jobs: &mut Slab<Job>, now: Duration) -> Option<Taken> {
        loop {
            let Some(group) = self.groups.next() else {
                self.courteous = false;
                if self.groups.recall() {
                    continue;
                }
                return None;
            };
            let freed_first = self.groups.get_mut(group).is_some_and(|member| member.freed_first);
            let taken = if freed_first {
                self.take_from_freed(group, jobs, now).or_else(|| self.take_from_ring(group, jobs, now))
            } else {
                self.take_from_ring(group, jobs, now).or_else(|| self.take_from_freed(group, jobs, now))
            };
            // A vain look changes nothing, so that it does not matter how often somebody asks.
            if let Some(taken) = taken {
                if let Some(member) = self.groups.get_mut(group) {
                    member.freed_first ^= true;
                }
                self.groups.served(group);
                return Some(taken);
            }
            self.groups.update(group);
        }
    }

    /// From the job of the group whose turn it is, from the first of its lanes whose host is free and crowded by nobody.
    fn take_from_ring(&mut self, group: Group, jobs: &mut Slab<Job>, now: Duration) -> Option<Taken> {
        while let Some(turn) = self.groups.get_mut(group).and_then(|member| member.ring.pop()) {
            self.note_look();
            let job_handle = turn.handle;
            let Some(job) = jobs.get_mut(job_handle) else { continue };
            job.in_ring = false;
            if !job.may_lease() {
                continue;
            }
            while let Some(handle) = job.ready.pop_front() {
                self.note_look();
                let Some(host_queue) = self.host_queues.get_mut(handle) else { continue };
                let host_handle = host_queue.host;
                let is_free = self.hosts.is_free(host_handle, now);
                let Some(host) = self.hosts.get_mut(host_handle) else { continue };
                if !is_free || host.is_crowded() {
                    host_queue.place = Place::Blocked;
                    host.set_aside(group, handle, job.newcomer);
                    self.wake_host(host_handle, now);
                } else if let Some(taken) = self.take_from_lane(handle, (job_handle, job), now) {
                    if let Some(member) = self.groups.get_mut(group) {
                        member.ring.used(turn);
                    }
                    return Some(taken);
                }
            }
        }
        None
    }

    /// From the host that got free first of those where lanes of the group are set aside, from the lane whose turn it is.
    fn take_from_freed(&mut self, group: Group, jobs: &mut Slab<Job>, now: Duration) -> Option<Taken> {
        while let Some(host_handle) = self.groups.get_mut(group).and_then(Member::next_freed) {
            self.note_look();
            let is_free = self.hosts.is_free(host_handle, now);
            let Some(host) = self.hosts.get_mut(host_handle) else { continue };
            if !is_free {
                host.unlist(group);
                host.tidy(group);
                self.wake_host(host_handle, now);
                self.wake_address(host_handle, now);
                continue;
            }
            let others_wait = |other| self.groups.has_room(other);
            if self.courteous && host.is_to_be_left(group, self.calls, others_wait) {
                self.groups.leave_to_others(group, host_handle);
                continue;
            }
            host.unlist(group);
            let taken = self.take_from_set_aside(group, host_handle, jobs, now);
            if let Some(host) = self.hosts.get_mut(host_handle) {
                host.tidy(group);
            }
            if taken.is_some() {
                self.wake_host(host_handle, now);
            }
            self.wake_address(host_handle, now);
            if taken.is_some() {
                return taken;
            }
        }
        None
    }

    /// From the first lane of the group that is set aside with a free host and whose job may lease.
    fn take_from_set_aside(
        &mut self,
        group: Group,
        host_handle: Handle,
        jobs: &mut Slab<Job>,
        now: Duration,
    ) -> Option<Taken> {
        while let Some(turn) = self.hosts.get_mut(host_handle).and_then(|host| host.next_lane(group)) {
            self.note_look();
            let handle = turn.handle;
            let Some(host_queue) = self.host_queues.get_mut(handle) else {
                if let Some(host) = self.hosts.get_mut(host_handle) {
                    host.took_stale();
                }
                continue;
            };
            let job_handle = host_queue.job;
            let Some(job) = jobs.get_mut(job_handle) else { continue };
            if !job.may_lease() {
                // It goes back to its job and is looked at when that may lease again.
                host_queue.place = Place::Ready;
                job.ready.push_back(handle);
            } else if let Some(taken) = self.take_from_lane(handle, (job_handle, job), now) {
                if let Some(host) = self.hosts.get_mut(host_handle) {
                    host.used(group, turn);
                }
                return Some(taken);
            }
        }
        None
    }

    #[cfg_attr(not(test), expect(clippy::unused_self, reason = "counted in tests"))]
    const fn note_look(&mut self) {
        #[cfg(test)]
        {
            self.looks += 1;
        }
    }

    /// Takes a page out of a lane that is in no list any more, and puts the lane where it belongs.
    fn take_from_lane(
        &mut self,
        handle: Handle,
        (job_handle, job): (Handle, &mut Job),
        now: Duration,
    ) -> Option<Taken> {
        let host_queue = self.host_queues.get_mut(handle)?;
        let host = host_queue.host;
        let name = self.hosts.get(host).map_or("", |host| &*host.name);
        let due = host_queue.next_page_at().is_some_and(|at| at <= now);
        let before = job.share();
        let mut loss = Loss::default();
        let spill = self.spill.as_deref_mut().filter(|_| !job.in_memory);
        let popped = if due { pop_wanted(host_queue, job, name, now, spill, &mut loss) } else { None };
        if let Some((rank, _, page)) = &popped {
            host_queue.leased_wanted += u32::from(rank.put_off == 0);
            job.begun(*rank, packed::size_of(&page.rest));
            host_queue.leased += 1;
            job.newcomer = false;
            self.hosts.occupy(host);
            if let Some(host) = self.hosts.get_mut(host) {
                host.served(job.group);
            }
        }
        if loss.pages > 0 {
            job.lost(loss);
            *self.dropped.entry(job_handle).or_default() += loss.pages;
        }
        self.book(job, before, now);
        self.place(handle, (job_handle, job), now);
        self.touch(job_handle, job);
        let (rank, attempt, page) = popped?;
        Some(Taken { job: job_handle, host_queue: handle, host, rank, attempt, page, asked: true })
    }

    /// Books what changed in what a job has queued and in work.
    pub(super) fn book(&mut self, job: &Job, before: Share, now: Duration) {
        if self.groups.book(job.group, before, job.share()) {
            // It has no room any more: what it was counted on to use is for others.
            for host in self.groups.counted_on(job.group) {
                self.wake_address(host, now);
            }
        }
    }

    /// Pages that did not come back from cold storage since this was last asked, by job.
    pub(super) fn take_dropped(&mut self) -> BTreeMap<Handle, u64> {
        std::mem::take(&mut self.dropped)
    }

    /// Bytes of memory that waiting pages take, those to be tried again left out.
    pub(super) fn bytes_in_memory(&self) -> u64 {
        self.host_queues.iter().map(HostQueue::bytes_in_memory).sum()
    }

    /// Gives back the lane's part of a lease that has ended.
    pub(super) fn release_lane(&mut self, taken: &Taken, job: &mut Job, now: Duration) {
        let Some(host_queue) = self.host_queues.get_mut(taken.host_queue) else { return };
        host_queue.leased = host_queue.leased.saturating_sub(1);
        host_queue.leased_wanted =
            host_queue.leased_wanted.saturating_sub(u32::from(taken.rank.put_off == 0));
        if let Some(delay) = job.rules.delay.filter(|_| taken.asked) {
            host_queue.ready_at = host_queue.ready_at.max(now.saturating_add(delay));
        }
        if host_queue.place == Place::Idle {
            self.place(taken.host_queue, (taken.job, job), now);
        }
    }

    /// Gives back the host's part of a lease that has ended, or whose job has. Where the host was not asked for anything,
    /// its gap goes on from the request before.
    pub(super) fn release_host(&mut self, handle: Handle, asked: bool, now: Duration) {
        self.hosts.release(handle);
        let Some(host) = self.hosts.get_mut(handle) else { return };
        let gap = host.current_gap();
        if asked && !gap.is_zero() {
            host.ready_at = host.ready_at.max(now.saturating_add(gap));
        }
        self.wake_host(handle, now);
        self.wake_address(handle, now);
        self.hosts.note_idle(handle, now);
    }

    /// Takes down the lanes of a job that ended.
    pub(super) fn clear(&mut self, job: &Job) {
        for (&host_handle, &handle) in &job.host_queues {
            let Some(host_queue) = self.host_queues.remove(handle) else { continue };
            if let Some(host) = self.hosts.get_mut(host_handle)
                && host_queue.place == Place::Blocked
            {
                let host_queues = &self.host_queues;
                host.forget_lane(|handle| host_queues.contains(handle));
            }
            // Without the time: a pace that may still bind counts as one that does.
            self.leave_host(host_handle, Duration::ZERO);
        }
    }
}

/// The next page of a lane. Pages whose kind was found to say the same over and over since they were queued go back,
/// each once, and so many in one call at most.
fn pop_wanted(
    host_queue: &mut HostQueue,
    job: &Job,
    host: &str,
    now: Duration,
    mut spill: Option<&mut (dyn QueueSpill + 'static)>,
    loss: &mut Loss,
) -> Option<(Rank, u32, Page)> {
    for _ in 0..MOST_SENT_BACK {
        if host_queue.had_better_wait(now) && job.is_choosy() {
            return None;
        }
        let (rank, attempt, page) = host_queue.pop(now, loss)?;
        match job.traps.goes_back(host, &page.rest, rank.put_off) {
            Some(put_off) if attempt == 0 => {
                let (rank, spill) = (Rank { put_off, ..rank }, spill.as_deref_mut());
                host_queue.push(rank, page.key, page.https, page.external, &page.rest, spill);
            }
            _ => return Some((rank, attempt, page)),
        }
    }
    host_queue.pop(now, loss)
}
