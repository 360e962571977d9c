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

mod selection;
mod wake;

use std::collections::BTreeMap;
use std::time::Duration;

use super::groups::{Groups, JobLoad};
use super::host_queue::{HostQueue, PendingRetry, QueueState, Rank};
use super::hosts::Hosts;
use super::job::Job;
use super::packed::{self, Page};
use super::rate_controller::RateController;
use super::slab::{Handle, Slab};
use super::spill::QueueSpill;
use super::timers::{TimerTarget, Timers};

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
        self.enqueue_in(handle, (job_handle, job), rank, key, https, external, path, now);
    }

    /// As [`enqueue`](Self::enqueue), in a host queue that is known.
    #[expect(clippy::too_many_arguments, reason = "as for `enqueue`")]
    pub(super) fn enqueue_in(
        &mut self,
        handle: Handle,
        (job_handle, job): (Handle, &mut Job),
        rank: Rank,
        key: crate::UrlKey,
        https: bool,
        external: bool,
        path: &str,
        now: Duration,
    ) {
        let Some(host_queue) = self.host_queues.get_mut(handle) else { return };
        let host = host_queue.host;
        let spill = self.spill.as_deref_mut().filter(|_| !job.in_memory);
        host_queue.push(rank, key, https, external, path, spill);
        job.on_queued(rank, packed::size_of(path));
        self.hosts.add_waiting(host, 1);
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
        let ScheduledPage { host, rank, attempt, page, .. } = scheduled;
        let retry = PendingRetry { not_before, sequence: 0, attempt, rank, page };
        self.enqueue_pending((job_handle, job), host, retry, now);
    }

    /// Queues a page that waits for a retry, behind the others with its time.
    pub(super) fn enqueue_pending(
        &mut self,
        (job_handle, job): (Handle, &mut Job),
        host: Handle,
        retry: PendingRetry,
        now: Duration,
    ) {
        let handle = self.host_queue_for(job_handle, job, host);
        let Some(host_queue) = self.host_queues.get_mut(handle) else { return };
        self.sequence += 1;
        job.on_queued(retry.rank, packed::size_of(&retry.page.path));
        host_queue.push_retry(PendingRetry { sequence: self.sequence, ..retry });
        self.hosts.add_waiting(host, 1);
        if matches!(host_queue.state, QueueState::Idle | QueueState::Sleeping) {
            self.reschedule(handle, (job_handle, job), now);
        }
    }

    /// The queue of a job for a host. Adds it if there is none; it stays while it has pages.
    pub(super) fn host_queue_for(&mut self, job_handle: Handle, job: &mut Job, host: Handle) -> Handle {
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
            self.hosts.remove_waiting(host_handle, host_queue.waiting());
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

    /// Drops the waiting pages of a job on a host. Returns their number. The delay of the job applies to the
    /// host from now on.
    pub(super) fn unload(
        &mut self,
        (job_handle, job): (Handle, &mut Job),
        host_handle: Handle,
        now: Duration,
    ) -> u64 {
        let Some(&handle) = job.host_queues.get(&host_handle) else { return 0 };
        let Some(host_queue) = self.host_queues.get_mut(handle) else { return 0 };
        let before = job.load();
        let dropped = host_queue.clear();
        job.on_dropped(dropped);
        self.hosts.remove_waiting(host_handle, dropped.pages);
        let ready_at = std::mem::take(&mut host_queue.ready_at);
        if let Some(host) = self.hosts.get_mut(host_handle) {
            host.ready_at = host.ready_at.max(ready_at);
        }
        let (state, is_leased) = (host_queue.state, host_queue.leased > 0);
        match state {
            // It stays until its turn comes: without a page it does not use it.
            QueueState::Blocked if is_leased => {}
            QueueState::Blocked => {
                job.host_queues.remove(&host_handle);
                self.host_queues.remove(handle);
                let host_queues = &self.host_queues;
                if let Some(host) = self.hosts.get_mut(host_handle) {
                    host.note_removed(|handle| host_queues.contains(handle));
                }
                self.leave_host(host_handle, now);
            }
            QueueState::Idle | QueueState::Ready | QueueState::Sleeping => {
                if state == QueueState::Ready {
                    job.ready.retain(|ready| *ready != handle);
                }
                self.reschedule(handle, (job_handle, job), now);
            }
        }
        self.update_load(job, before, now);
        dropped.pages
    }
}
