//! Hosts and host queues, and which of them is served next.
//!
//! A *host queue* holds the pages of one job on one host. At any time it is in at most one list: the `ready`
//! list of its job, the `blocked` list of its host, or the timers. Jobs with ready host queues form a
//! round-robin list, so that each gets its turn whatever the others have queued. If the host of a queue is
//! busy when the queue's turn comes, the queue is blocked at the host and costs nothing until the host has
//! capacity; then the host gives its capacity to the blocked queues in order of arrival. So a lease inspects
//! only queues that changed since the last one, however many hosts and jobs exist. In both lists, jobs
//! without any leased page yet go first, alternating with the others
//! ([`FairQueue`](super::fair_queue::FairQueue)).
//!
//! All this exists once per group of jobs ([`Groups`]): each group has a list of ready jobs and a list of
//! available hosts, and each host keeps its blocked queues separately per group. The group whose turn it is
//! uses only its own lists. If several groups want one host, the group that had its last page yields the next
//! page to the others, once. Otherwise a group with few leased pages elsewhere, which always has the first
//! turn, would keep the host for itself.
//!
//! Two invariants ensure that nothing is forgotten. A host with capacity and blocked queues is in the list of
//! available hosts of each group that has such queues, or it has a timer. A job that may lease and has ready
//! host queues is in the list of ready jobs of its group.

mod wake;

use std::collections::BTreeMap;
use std::time::Duration;

use super::groups::{Group, Groups, JobLoad, Member};
use super::host_queue::{HostQueue, PendingRetry, QueueState, Rank};
use super::hosts::Hosts;
use super::job::Job;
use super::packed::{self, Loss, Page};
use super::rate_controller::RateController;
use super::slab::{Handle, Slab};
use super::spill::QueueSpill;
use super::timers::{TimerTarget, Timers};

/// Maximum number of pages that one call moves back because they are deferred late.
const MAX_REQUEUED_PER_CALL: usize = 256;

/// A page taken out of its host queue.
#[derive(Debug)]
pub(super) struct ScheduledPage {
    pub(super) job: Handle,
    pub(super) host_queue: Handle,
    pub(super) host: Handle,
    pub(super) rank: Rank,
    pub(super) attempt: u32,
    pub(super) page: Page,
    /// A request may have been sent for it; see
    /// [`Frontier::no_request_sent`](super::Frontier::no_request_sent).
    pub(super) request_sent: bool,
}

#[derive(Debug)]
pub(super) struct Scheduler {
    pub(super) hosts: Hosts,
    host_queues: Slab<HostQueue>,
    timers: Timers,
    pub(super) groups: Groups,
    /// Storage for blocks of pages that are not needed soon.
    pub(super) spill: Option<Box<dyn QueueSpill>>,
    /// Pages that could not be read back from the spill, by job.
    dropped: BTreeMap<Handle, u64>,
    sequence: u64,
    /// Number of calls of [`begin_call`](Self::begin_call).
    calls: u64,
    /// Groups yield hosts to other groups in this phase of the call.
    may_yield: bool,
    /// Number of jobs, hosts and host queues that were inspected.
    #[cfg(test)]
    pub(super) inspections: u64,
}

impl Scheduler {
    pub(super) fn new(rate_controller: RateController, address_rate: RateController) -> Self {
        Self {
            hosts: Hosts::new(rate_controller, address_rate),
            host_queues: Slab::new(),
            timers: Timers::default(),
            groups: Groups::default(),
            spill: None,
            dropped: BTreeMap::new(),
            sequence: 0,
            calls: 0,
            may_yield: false,
            #[cfg(test)]
            inspections: 0,
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
        path: &str,
        now: Duration,
    ) {
        let handle = self.host_queue_for(job_handle, job, host);
        let Some(host_queue) = self.host_queues.get_mut(handle) else { return };
        let spill = self.spill.as_deref_mut().filter(|_| !job.in_memory);
        host_queue.push(rank, key, https, external, path, spill);
        job.on_queued(rank, packed::size_of(path));
        if matches!(host_queue.state, QueueState::Idle | QueueState::Sleeping) {
            self.reschedule(handle, (job_handle, job), now);
        }
    }

    /// Queues a page again after its lease was returned.
    pub(super) fn enqueue_retry(
        &mut self,
        (job_handle, job): (Handle, &mut Job),
        scheduled: ScheduledPage,
        not_before: Duration,
        now: Duration,
    ) {
        let handle = self.host_queue_for(job_handle, job, scheduled.host);
        let Some(host_queue) = self.host_queues.get_mut(handle) else { return };
        self.sequence += 1;
        job.on_queued(scheduled.rank, packed::size_of(&scheduled.page.path));
        host_queue.push_retry(PendingRetry {
            not_before,
            sequence: self.sequence,
            attempt: scheduled.attempt,
            rank: scheduled.rank,
            page: scheduled.page,
        });
        if matches!(host_queue.state, QueueState::Idle | QueueState::Sleeping) {
            self.reschedule(handle, (job_handle, job), now);
        }
    }

    fn host_queue_for(&mut self, job_handle: Handle, job: &mut Job, host: Handle) -> Handle {
        *job.host_queues.entry(host).or_insert_with(|| {
            if let Some(host) = self.hosts.get_mut(host) {
                host.queue_count += 1;
            }
            self.host_queues.insert(HostQueue::new(job_handle, host))
        })
    }

    /// Moves a host queue that is in no list to the list where it belongs, and removes an empty one.
    fn reschedule(&mut self, handle: Handle, (job_handle, job): (Handle, &mut Job), now: Duration) {
        let Some(host_queue) = self.host_queues.get_mut(handle) else { return };
        host_queue.state = QueueState::Idle;
        let busy = host_queue.leased > 0;
        let one_at_a_time = job.rules.delay.is_some();
        match host_queue.next_page_at() {
            Some(_) if busy && one_at_a_time => {}
            // Not every page will be crawled, so wait for the leased pages: what they link to comes first.
            Some(_) if host_queue.should_wait(now) && job.exceeds_limit() => {}
            Some(at) if at <= now => {
                host_queue.state = QueueState::Ready;
                job.ready.push_back(handle);
                self.activate(job_handle, job);
            }
            Some(at) => self.sleep_until(handle, at),
            None if busy => {}
            // Keep the queue until then, so that a page that arrives in between waits too.
            None if host_queue.ready_at > now => {
                let at = host_queue.ready_at;
                self.sleep_until(handle, at);
            }
            None => {
                let host = host_queue.host;
                job.host_queues.remove(&host);
                self.host_queues.remove(handle);
                self.leave_host(host, now);
            }
        }
    }

    fn sleep_until(&mut self, handle: Handle, at: Duration) {
        let Some(host_queue) = self.host_queues.get_mut(handle) else { return };
        host_queue.state = QueueState::Sleeping;
        if host_queue.timer.is_none_or(|timer| timer > at) {
            host_queue.timer = Some(at);
            self.timers.set(at, TimerTarget::HostQueue(handle));
        }
    }

    fn leave_host(&mut self, host: Handle, now: Duration) {
        if let Some(host) = self.hosts.get_mut(host) {
            host.queue_count = host.queue_count.saturating_sub(1);
        }
        self.hosts.update_idle_list(host, now);
    }

    /// Adds a job to the ready jobs if it belongs there. Call it whenever the job may have become able to
    /// lease.
    pub(super) fn activate(&mut self, handle: Handle, job: &mut Job) {
        if !job.in_ready_jobs && !job.ready.is_empty() && job.may_lease() {
            job.in_ready_jobs = true;
            self.groups.push_ready_job(job.group, handle, job.newcomer);
        }
    }

    /// The time of the next timer.
    pub(super) fn next_timer(&self) -> Option<Duration> {
        self.timers.next()
    }

    /// Starts a call that takes pages.
    pub(super) fn begin_call(&mut self) {
        self.calls += 1;
        self.may_yield = true;
    }

    /// Ends a call that takes pages.
    pub(super) fn end_call(&mut self) {
        self.groups.restore_yielded();
    }

    /// The next page to lease.
    pub(super) fn next_page(&mut self, jobs: &mut Slab<Job>, now: Duration) -> Option<ScheduledPage> {
        loop {
            let Some(group) = self.groups.next() else {
                self.may_yield = false;
                if self.groups.restore_yielded() {
                    continue;
                }
                return None;
            };
            let hosts_first = self.groups.get_mut(group).is_some_and(|member| member.hosts_first);
            let scheduled = if hosts_first {
                self.page_from_available_hosts(group, jobs, now)
                    .or_else(|| self.page_from_ready_jobs(group, jobs, now))
            } else {
                self.page_from_ready_jobs(group, jobs, now)
                    .or_else(|| self.page_from_available_hosts(group, jobs, now))
            };
            // An attempt without a page changes nothing, so the number of attempts does not matter.
            if let Some(scheduled) = scheduled {
                if let Some(member) = self.groups.get_mut(group) {
                    member.hosts_first ^= true;
                }
                self.groups.mark_served(group);
                return Some(scheduled);
            }
            self.groups.update(group);
        }
    }

    /// Takes a page of the next ready job of the group: from its first host queue whose host has capacity and
    /// no blocked queues.
    fn page_from_ready_jobs(
        &mut self,
        group: Group,
        jobs: &mut Slab<Job>,
        now: Duration,
    ) -> Option<ScheduledPage> {
        while let Some(entry) = self.groups.get_mut(group).and_then(|member| member.ready_jobs.pop()) {
            self.count_inspection();
            let job_handle = entry.handle;
            let Some(job) = jobs.get_mut(job_handle) else { continue };
            job.in_ready_jobs = false;
            if !job.may_lease() {
                continue;
            }
            while let Some(handle) = job.ready.pop_front() {
                self.count_inspection();
                let Some(host_queue) = self.host_queues.get_mut(handle) else { continue };
                let host_handle = host_queue.host;
                let is_free = self.hosts.is_free(host_handle, now);
                let Some(host) = self.hosts.get_mut(host_handle) else { continue };
                if !is_free || host.has_blocked() {
                    host_queue.state = QueueState::Blocked;
                    host.block(group, handle, job.newcomer);
                    self.wake_host(host_handle, now);
                } else if let Some(scheduled) = self.page_from_queue(handle, (job_handle, job), now) {
                    if let Some(member) = self.groups.get_mut(group) {
                        member.ready_jobs.mark_used(entry);
                    }
                    return Some(scheduled);
                }
            }
        }
        None
    }

    /// Takes a page from the first available host on which queues of the group are blocked.
    fn page_from_available_hosts(
        &mut self,
        group: Group,
        jobs: &mut Slab<Job>,
        now: Duration,
    ) -> Option<ScheduledPage> {
        while let Some(host_handle) = self.groups.get_mut(group).and_then(Member::next_available_host) {
            self.count_inspection();
            let is_free = self.hosts.is_free(host_handle, now);
            let Some(host) = self.hosts.get_mut(host_handle) else { continue };
            if !is_free {
                host.unlist(group);
                host.drop_if_empty(group);
                self.wake_host(host_handle, now);
                self.wake_address(host_handle, now);
                continue;
            }
            let others_wait = |other| self.groups.has_capacity(other);
            if self.may_yield && host.should_yield(group, self.calls, others_wait) {
                self.groups.yield_host(group, host_handle);
                continue;
            }
            host.unlist(group);
            let scheduled = self.page_from_blocked_queues(group, host_handle, jobs, now);
            if let Some(host) = self.hosts.get_mut(host_handle) {
                host.drop_if_empty(group);
            }
            if scheduled.is_some() {
                self.wake_host(host_handle, now);
            }
            self.wake_address(host_handle, now);
            if scheduled.is_some() {
                return scheduled;
            }
        }
        None
    }

    /// Takes a page from the first blocked queue of the group at an available host whose job may lease.
    fn page_from_blocked_queues(
        &mut self,
        group: Group,
        host_handle: Handle,
        jobs: &mut Slab<Job>,
        now: Duration,
    ) -> Option<ScheduledPage> {
        while let Some(entry) = self.hosts.get_mut(host_handle).and_then(|host| host.next_blocked(group)) {
            self.count_inspection();
            let handle = entry.handle;
            let Some(host_queue) = self.host_queues.get_mut(handle) else {
                if let Some(host) = self.hosts.get_mut(host_handle) {
                    host.note_stale_popped();
                }
                continue;
            };
            let job_handle = host_queue.job;
            let Some(job) = jobs.get_mut(job_handle) else { continue };
            if !job.may_lease() {
                // Return it to its job, which handles it once it may lease again.
                host_queue.state = QueueState::Ready;
                job.ready.push_back(handle);
            } else if let Some(scheduled) = self.page_from_queue(handle, (job_handle, job), now) {
                if let Some(host) = self.hosts.get_mut(host_handle) {
                    host.mark_used(group, entry);
                }
                return Some(scheduled);
            }
        }
        None
    }

    #[cfg_attr(not(test), expect(clippy::unused_self, reason = "counted in tests"))]
    const fn count_inspection(&mut self) {
        #[cfg(test)]
        {
            self.inspections += 1;
        }
    }

    /// Takes a page out of a host queue that is in no list, and moves the queue to the list where it belongs.
    fn page_from_queue(
        &mut self,
        handle: Handle,
        (job_handle, job): (Handle, &mut Job),
        now: Duration,
    ) -> Option<ScheduledPage> {
        let host_queue = self.host_queues.get_mut(handle)?;
        let host = host_queue.host;
        let name = self.hosts.get(host).map_or("", |host| &*host.name);
        let due = host_queue.next_page_at().is_some_and(|at| at <= now);
        let before = job.load();
        let mut loss = Loss::default();
        let spill = self.spill.as_deref_mut().filter(|_| !job.in_memory);
        let popped = if due { pop_next(host_queue, job, name, now, spill, &mut loss) } else { None };
        if let Some((rank, _, page)) = &popped {
            host_queue.leased_undeferred += u32::from(rank.deferral == 0);
            job.on_leased(*rank, packed::size_of(&page.path));
            host_queue.leased += 1;
            job.newcomer = false;
            self.hosts.occupy(host);
            if let Some(host) = self.hosts.get_mut(host) {
                host.mark_served(job.group);
            }
        }
        if loss.pages > 0 {
            job.on_lost(loss);
            *self.dropped.entry(job_handle).or_default() += loss.pages;
        }
        self.update_load(job, before, now);
        self.reschedule(handle, (job_handle, job), now);
        self.activate(job_handle, job);
        let (rank, attempt, page) = popped?;
        Some(ScheduledPage {
            job: job_handle,
            host_queue: handle,
            host,
            rank,
            attempt,
            page,
            request_sent: true,
        })
    }

    /// Updates the load of the group after the load of a job changed.
    pub(super) fn update_load(&mut self, job: &Job, before: JobLoad, now: Duration) {
        if self.groups.update_load(job.group, before, job.load()) {
            // The group has no capacity any more: offer the hosts that it was expected to use to others.
            for host in self.groups.take_listed_with_capacity(job.group) {
                self.wake_address(host, now);
            }
        }
    }

    /// Takes the numbers of pages that could not be read back from the spill since the last call, by job.
    pub(super) fn take_dropped(&mut self) -> BTreeMap<Handle, u64> {
        std::mem::take(&mut self.dropped)
    }

    /// Bytes of memory used by waiting pages, without those that wait for a retry.
    pub(super) fn bytes_in_memory(&self) -> u64 {
        self.host_queues.iter().map(HostQueue::bytes_in_memory).sum()
    }

    /// Releases the host queue of a lease that has ended.
    pub(super) fn release_host_queue(&mut self, scheduled: &ScheduledPage, job: &mut Job, now: Duration) {
        let Some(host_queue) = self.host_queues.get_mut(scheduled.host_queue) else { return };
        host_queue.leased = host_queue.leased.saturating_sub(1);
        host_queue.leased_undeferred =
            host_queue.leased_undeferred.saturating_sub(u32::from(scheduled.rank.deferral == 0));
        if let Some(delay) = job.rules.delay.filter(|_| scheduled.request_sent) {
            host_queue.ready_at = host_queue.ready_at.max(now.saturating_add(delay));
        }
        if host_queue.state == QueueState::Idle {
            self.reschedule(scheduled.host_queue, (scheduled.job, job), now);
        }
    }

    /// Releases the host of a lease that has ended or whose job has ended. If no request was sent, the gap of
    /// the host continues from the request before.
    pub(super) fn release_host(&mut self, handle: Handle, request_sent: bool, now: Duration) {
        self.hosts.release(handle);
        let Some(host) = self.hosts.get_mut(handle) else { return };
        let gap = host.current_gap();
        if request_sent && !gap.is_zero() {
            host.ready_at = host.ready_at.max(now.saturating_add(gap));
        }
        self.wake_host(handle, now);
        self.wake_address(handle, now);
        self.hosts.update_idle_list(handle, now);
    }

    /// Removes the host queues of a closed job.
    pub(super) fn remove_job(&mut self, job: &Job) {
        for (&host_handle, &handle) in &job.host_queues {
            let Some(host_queue) = self.host_queues.remove(handle) else { continue };
            if let Some(host) = self.hosts.get_mut(host_handle)
                && host_queue.state == QueueState::Blocked
            {
                let host_queues = &self.host_queues;
                host.note_removed(|handle| host_queues.contains(handle));
            }
            // Time is unknown here, so a rate limit that may still apply counts as applying.
            self.leave_host(host_handle, Duration::ZERO);
        }
    }
}

/// Takes the next page of a host queue. A page whose shape was found to repeat since it was queued is moved
/// back, each page once, and at most [`MAX_REQUEUED_PER_CALL`] per call.
fn pop_next(
    host_queue: &mut HostQueue,
    job: &Job,
    host: &str,
    now: Duration,
    mut spill: Option<&mut (dyn QueueSpill + 'static)>,
    loss: &mut Loss,
) -> Option<(Rank, u32, Page)> {
    for _ in 0..MAX_REQUEUED_PER_CALL {
        if host_queue.should_wait(now) && job.exceeds_limit() {
            return None;
        }
        let (rank, attempt, page) = host_queue.pop(now, loss)?;
        match job.traps.late_deferral(host, &page.path, rank.deferral) {
            Some(deferral) if attempt == 0 => {
                let (rank, spill) = (Rank { deferral, ..rank }, spill.as_deref_mut());
                host_queue.push(rank, page.key, page.https, page.external, &page.path, spill);
            }
            _ => return Some((rank, attempt, page)),
        }
    }
    host_queue.pop(now, loss)
}
