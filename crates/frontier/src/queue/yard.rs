//! Hosts and lanes, and which of them is to be looked at next.
//!
//! A *lane* is what one job wants of one host. At any time it is in one list at most: its job's `ready` list, its
//! host's `blocked` list, or the alarms. Jobs with ready lanes go round in a ring, so that each gets its turn whatever
//! the others have queued. A lane whose host is busy when its turn comes is set aside with the host and costs nothing
//! until the host is free again; then the host hands its room to the lanes set aside, in order of their arrival. So a
//! lease looks at no more lanes than changed since, however many hosts and jobs there are. In the ring and at a host,
//! jobs that have had no page yet go first, in turn with the others ([`Round`]).
//!
//! Two rules keep anything from being forgotten. A host that is free and has lanes set aside is in `freed`, or has an
//! alarm. A job that may lease and has ready lanes is in the ring.

use std::collections::VecDeque;
use std::net::IpAddr;
use std::time::Duration;

use super::hosts::Hosts;
use super::job::Job;
use super::lane::{Again, Lane, Place, Rank};
use super::packed::{self, Page};
use super::round::Round;
use super::slab::{Handle, Slab};
use super::tempo::Tempo;
use super::timers::{Sleeper, Timers};

/// In one call so many pages are looked at that are to go back.
const MOST_SENT_BACK: usize = 256;

/// A page taken out of its lane.
#[derive(Debug)]
pub(super) struct Taken {
    pub(super) job: Handle,
    pub(super) lane: Handle,
    pub(super) host: Handle,
    pub(super) rank: Rank,
    pub(super) attempt: u32,
    pub(super) page: Page,
}

#[derive(Debug)]
pub(super) struct Yard {
    pub(super) hosts: Hosts,
    lanes: Slab<Lane>,
    timers: Timers,
    /// Jobs that may lease and have ready lanes.
    ring: Round,
    /// Hosts that are free and have lanes set aside.
    freed: VecDeque<Handle>,
    /// Whether the next page comes from `freed` rather than from the ring: turn and turn about, so that a crowded
    /// host starves no other, nor they it.
    freed_first: bool,
    sequence: u64,
}

impl Yard {
    pub(super) fn new(tempo: Tempo, address_tempo: Tempo) -> Self {
        Self {
            hosts: Hosts::new(tempo, address_tempo),
            lanes: Slab::new(),
            timers: Timers::default(),
            ring: Round::default(),
            freed: VecDeque::new(),
            freed_first: false,
            sequence: 0,
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
        let Some(lane) = self.lanes.get_mut(handle) else { return };
        lane.push(rank, key, https, external, rest);
        job.waiting += 1;
        job.waiting_bytes += packed::size_of(rest);
        if matches!(lane.place, Place::Idle | Place::Asleep) {
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
        let Some(lane) = self.lanes.get_mut(handle) else { return };
        self.sequence += 1;
        job.waiting_bytes += packed::size_of(&taken.page.rest);
        lane.push_again(Again {
            not_before,
            sequence: self.sequence,
            attempt: taken.attempt,
            rank: taken.rank,
            page: taken.page,
        });
        job.waiting += 1;
        if matches!(lane.place, Place::Idle | Place::Asleep) {
            self.place(handle, (job_handle, job), now);
        }
    }

    fn lane_of(&mut self, job_handle: Handle, job: &mut Job, host: Handle) -> Handle {
        *job.lanes.entry(host).or_insert_with(|| {
            if let Some(host) = self.hosts.get_mut(host) {
                host.lanes += 1;
            }
            self.lanes.insert(Lane::new(job_handle, host))
        })
    }

    /// Puts a lane that is in no list where it belongs. One that has nothing left is taken down.
    fn place(&mut self, handle: Handle, (job_handle, job): (Handle, &mut Job), now: Duration) {
        let Some(lane) = self.lanes.get_mut(handle) else { return };
        lane.place = Place::Idle;
        let busy = lane.leased > 0;
        let one_at_a_time = job.rules.delay.is_some();
        match lane.next_page_at() {
            Some(_) if busy && one_at_a_time => {}
            // Not everything will be crawled, so the pages in work are waited for: what they lead to comes first.
            Some(_) if lane.had_better_wait(now) && job.is_choosy() => {}
            Some(at) if at <= now => {
                lane.place = Place::Ready;
                job.ready.push_back(handle);
                self.touch(job_handle, job);
            }
            Some(at) => self.sleep(handle, at),
            None if busy => {}
            // It is kept until then, so that a page which comes in between has to wait as well.
            None if lane.ready_at > now => {
                let at = lane.ready_at;
                self.sleep(handle, at);
            }
            None => {
                let host = lane.host;
                job.lanes.remove(&host);
                self.lanes.remove(handle);
                self.leave_host(host, now);
            }
        }
    }

    fn sleep(&mut self, handle: Handle, at: Duration) {
        let Some(lane) = self.lanes.get_mut(handle) else { return };
        lane.place = Place::Asleep;
        if lane.alarm.is_none_or(|alarm| alarm > at) {
            lane.alarm = Some(at);
            self.timers.set(at, Sleeper::Lane(handle));
        }
    }

    fn leave_host(&mut self, host: Handle, now: Duration) {
        if let Some(host) = self.hosts.get_mut(host) {
            host.lanes = host.lanes.saturating_sub(1);
        }
        self.hosts.note_idle(host, now);
    }

    /// Puts a job into the ring if it belongs there. To be called whenever it may have become able to lease.
    pub(super) fn touch(&mut self, handle: Handle, job: &mut Job) {
        if !job.in_ring && !job.ready.is_empty() && job.may_lease() {
            job.in_ring = true;
            self.ring.push(handle, job.newcomer);
        }
    }

    /// Sees to it that lanes set aside with a host get their turn. To be called whenever it may have become free.
    pub(super) fn wake_host(&mut self, handle: Handle, now: Duration) {
        let address_has_room = self.hosts.address_has_room(handle);
        let Some(host) = self.hosts.get_mut(handle) else { return };
        if host.blocked.is_empty() || !host.has_room() {
            return;
        }
        if host.ready_at > now {
            if host.alarm.is_none_or(|alarm| alarm > host.ready_at) {
                host.alarm = Some(host.ready_at);
                self.timers.set(host.ready_at, Sleeper::Host(handle));
            }
        } else if !address_has_room {
            self.hosts.wait_for_address(handle);
        } else if !host.listed_free {
            host.listed_free = true;
            self.freed.push_back(handle);
        }
    }

    /// Hands the room of a host's address to the hosts that wait for it, until one can use it. To be called whenever
    /// the address may have room, or a host that was handed it has not used it all.
    pub(super) fn wake_address(&mut self, host: Handle, now: Duration) {
        if let Some(address) = self.hosts.address_of(host) {
            self.wake_waiting(address, now);
        }
    }

    /// Notes what a host resolves to. It may leave room behind where it was, or come to where there is none.
    pub(super) fn resolved(&mut self, host: Handle, ip: IpAddr, now: Duration) {
        let before = self.hosts.address_of(host);
        if !self.hosts.resolve(host, ip) {
            return;
        }
        if let Some(address) = before {
            self.wake_waiting(address, now);
        }
        self.wake_host(host, now);
        self.hosts.note_idle(host, now);
    }

    fn wake_waiting(&mut self, address: Handle, now: Duration) {
        while let Some(waiting) = self.hosts.next_waiting(address) {
            self.wake_host(waiting, now);
            if self.hosts.get(waiting).is_some_and(|host| host.listed_free) {
                return;
            }
        }
    }

    /// Rings the alarms whose time has come.
    pub(super) fn ring_alarms(&mut self, jobs: &mut Slab<Job>, now: Duration) {
        while let Some((at, sleeper)) = self.timers.pop_due(now) {
            match sleeper {
                Sleeper::Host(handle) => {
                    if let Some(host) = self.hosts.get_mut(handle) {
                        host.alarm = host.alarm.filter(|alarm| *alarm != at);
                    }
                    self.wake_host(handle, now);
                }
                Sleeper::Lane(handle) => {
                    let Some(lane) = self.lanes.get_mut(handle) else { continue };
                    lane.alarm = lane.alarm.filter(|alarm| *alarm != at);
                    let job_handle = lane.job;
                    if lane.place == Place::Asleep
                        && let Some(job) = jobs.get_mut(job_handle)
                    {
                        self.place(handle, (job_handle, job), now);
                    }
                }
            }
        }
        if self.timers.len() > 2 * (self.hosts.len() + self.lanes.len()) + 64 {
            let (hosts, lanes) = (&self.hosts, &self.lanes);
            self.timers.retain(|sleeper| match sleeper {
                Sleeper::Host(handle) => hosts.contains(handle),
                Sleeper::Lane(handle) => lanes.contains(handle),
            });
        }
    }

    /// When the next alarm rings.
    pub(super) fn next_alarm(&self) -> Option<Duration> {
        self.timers.next()
    }

    /// The next page to lease.
    pub(super) fn take(&mut self, jobs: &mut Slab<Job>, now: Duration) -> Option<Taken> {
        let taken = if self.freed_first {
            self.take_from_freed(jobs, now).or_else(|| self.take_from_ring(jobs, now))
        } else {
            self.take_from_ring(jobs, now).or_else(|| self.take_from_freed(jobs, now))
        };
        // A vain look changes nothing, so that it does not matter how often somebody asks.
        self.freed_first ^= taken.is_some();
        taken
    }

    /// From the job whose turn it is, from the first of its lanes whose host is free and crowded by nobody.
    fn take_from_ring(&mut self, jobs: &mut Slab<Job>, now: Duration) -> Option<Taken> {
        while let Some(turn) = self.ring.pop() {
            let job_handle = turn.handle;
            let Some(job) = jobs.get_mut(job_handle) else { continue };
            job.in_ring = false;
            if !job.may_lease() {
                continue;
            }
            while let Some(handle) = job.ready.pop_front() {
                let Some(lane) = self.lanes.get_mut(handle) else { continue };
                let host_handle = lane.host;
                let is_free = self.hosts.is_free(host_handle, now);
                let Some(host) = self.hosts.get_mut(host_handle) else { continue };
                if !is_free || !host.blocked.is_empty() {
                    lane.place = Place::Blocked;
                    host.blocked.push(handle, job.newcomer);
                    self.wake_host(host_handle, now);
                } else if let Some(taken) = self.take_from_lane(handle, (job_handle, job), now) {
                    self.ring.used(turn);
                    return Some(taken);
                }
            }
        }
        None
    }

    /// From the host that got free first, from the lane whose turn it is.
    fn take_from_freed(&mut self, jobs: &mut Slab<Job>, now: Duration) -> Option<Taken> {
        while let Some(host_handle) = self.freed.pop_front() {
            let Some(host) = self.hosts.get_mut(host_handle) else { continue };
            host.listed_free = false;
            if !self.hosts.is_free(host_handle, now) {
                self.wake_host(host_handle, now);
                self.wake_address(host_handle, now);
                continue;
            }
            while let Some(turn) = self.hosts.get_mut(host_handle).and_then(|host| host.blocked.pop()) {
                let handle = turn.handle;
                let Some(lane) = self.lanes.get_mut(handle) else {
                    self.forget_stale(host_handle);
                    continue;
                };
                let job_handle = lane.job;
                let Some(job) = jobs.get_mut(job_handle) else { continue };
                if !job.may_lease() {
                    // It goes back to its job and is looked at when that may lease again.
                    lane.place = Place::Ready;
                    job.ready.push_back(handle);
                } else if let Some(taken) = self.take_from_lane(handle, (job_handle, job), now) {
                    if let Some(host) = self.hosts.get_mut(host_handle) {
                        host.blocked.used(turn);
                    }
                    self.wake_host(host_handle, now);
                    self.wake_address(host_handle, now);
                    return Some(taken);
                }
            }
            self.wake_address(host_handle, now);
        }
        None
    }

    /// Takes a page out of a lane that is in no list any more, and puts the lane where it belongs.
    fn take_from_lane(
        &mut self,
        handle: Handle,
        (job_handle, job): (Handle, &mut Job),
        now: Duration,
    ) -> Option<Taken> {
        let lane = self.lanes.get_mut(handle)?;
        let host = lane.host;
        let name = self.hosts.get(host).map_or("", |host| &*host.name);
        let due = lane.next_page_at().is_some_and(|at| at <= now);
        let popped = if due { pop_wanted(lane, job, name, now) } else { None };
        if let Some((rank, _, page)) = &popped {
            lane.leased_wanted += u32::from(rank.put_off == 0);
            job.waiting_bytes = job.waiting_bytes.saturating_sub(packed::size_of(&page.rest));
            lane.leased += 1;
            job.newcomer = false;
            job.waiting = job.waiting.saturating_sub(1);
            job.leased += 1;
            self.hosts.occupy(host);
        }
        self.place(handle, (job_handle, job), now);
        self.touch(job_handle, job);
        let (rank, attempt, page) = popped?;
        Some(Taken { job: job_handle, lane: handle, host, rank, attempt, page })
    }

    /// Gives back the lane's part of a lease that has ended.
    pub(super) fn release_lane(&mut self, taken: &Taken, job: &mut Job, now: Duration) {
        let Some(lane) = self.lanes.get_mut(taken.lane) else { return };
        lane.leased = lane.leased.saturating_sub(1);
        lane.leased_wanted = lane.leased_wanted.saturating_sub(u32::from(taken.rank.put_off == 0));
        if let Some(delay) = job.rules.delay {
            lane.ready_at = lane.ready_at.max(now.saturating_add(delay));
        }
        if lane.place == Place::Idle {
            self.place(taken.lane, (taken.job, job), now);
        }
    }

    /// Gives back the host's part of a lease that has ended, or whose job has.
    pub(super) fn release_host(&mut self, handle: Handle, now: Duration) {
        self.hosts.release(handle);
        let Some(host) = self.hosts.get_mut(handle) else { return };
        let gap = host.current_gap();
        if !gap.is_zero() {
            host.ready_at = host.ready_at.max(now.saturating_add(gap));
        }
        self.wake_host(handle, now);
        self.wake_address(handle, now);
        self.hosts.note_idle(handle, now);
    }

    /// Takes down the lanes of a job that ended.
    pub(super) fn clear(&mut self, job: &Job) {
        for (&host_handle, &handle) in &job.lanes {
            let Some(lane) = self.lanes.remove(handle) else { continue };
            if let Some(host) = self.hosts.get_mut(host_handle)
                && lane.place == Place::Blocked
            {
                host.stale += 1;
                if host.stale * 2 > host.blocked.len() {
                    let lanes = &self.lanes;
                    host.blocked.retain(|handle| lanes.contains(handle));
                    host.stale = 0;
                }
            }
            // Without the time: a pace that may still bind counts as one that does.
            self.leave_host(host_handle, Duration::ZERO);
        }
    }

    fn forget_stale(&mut self, host: Handle) {
        if let Some(host) = self.hosts.get_mut(host) {
            host.stale = host.stale.saturating_sub(1);
        }
    }
}

/// The next page of a lane. Pages whose kind was found to say the same over and over since they were queued go back,
/// each once, and so many in one call at most.
fn pop_wanted(lane: &mut Lane, job: &Job, host: &str, now: Duration) -> Option<(Rank, u32, Page)> {
    for _ in 0..MOST_SENT_BACK {
        if lane.had_better_wait(now) && job.is_choosy() {
            return None;
        }
        let (rank, attempt, page) = lane.pop(now)?;
        match job.traps.goes_back(host, &page.rest, rank.put_off) {
            Some(put_off) if attempt == 0 => {
                lane.push(Rank { put_off, ..rank }, page.key, page.https, page.external, &page.rest);
            }
            _ => return Some((rank, attempt, page)),
        }
    }
    lane.pop(now)
}
