//! Selects the next page to lease.

use std::time::Duration;

use super::{ScheduledPage, Scheduler};
use crate::queue::groups::{Group, Member};
use crate::queue::host_queue::{HostQueue, QueueState, Rank};
use crate::queue::job::Job;
use crate::queue::packed::{self, Loss, Page};
use crate::queue::slab::{Handle, Slab};
use crate::queue::spill::QueueSpill;

/// Maximum number of pages that one call moves back because they are deferred late.
const MAX_REQUEUED_PER_CALL: usize = 256;

impl Scheduler {
    /// Starts a call that takes pages.
    pub(in crate::queue) fn begin_call(&mut self) {
        self.calls += 1;
        self.may_yield = true;
    }

    /// Ends a call that takes pages.
    pub(in crate::queue) fn end_call(&mut self) {
        self.groups.restore_yielded();
    }

    /// The next page to lease.
    pub(in crate::queue) fn next_page(
        &mut self,
        jobs: &mut Slab<Job>,
        now: Duration,
    ) -> Option<ScheduledPage> {
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
        let (waiting, mut loss) = (host_queue.waiting(), Loss::default());
        let spill = self.spill.as_deref_mut().filter(|_| !job.in_memory);
        let popped = if due { pop_next(host_queue, job, name, now, spill, &mut loss) } else { None };
        self.hosts.remove_waiting(host, waiting.saturating_sub(host_queue.waiting()));
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
