//! Wakes hosts and host queues when capacity becomes available.

use std::net::IpAddr;
use std::time::Duration;

use super::{QueueState, Scheduler};
use crate::queue::host::Host;
use crate::queue::job::Job;
use crate::queue::slab::{Handle, Slab};
use crate::queue::timers::TimerTarget;

impl Scheduler {
    /// Ensures that the queues blocked at a host are served. Call it whenever the host may have capacity
    /// again.
    pub(in crate::queue) fn wake_host(&mut self, handle: Handle, now: Duration) {
        let address_has_capacity = self.hosts.address_has_capacity(handle);
        let Some(host) = self.hosts.get_mut(handle) else { return };
        if !host.has_blocked() || !host.has_capacity() {
            return;
        }
        if host.ready_at > now {
            if host.timer.is_none_or(|timer| timer > host.ready_at) {
                host.timer = Some(host.ready_at);
                self.timers.set(host.ready_at, TimerTarget::Host(handle));
            }
        } else if !address_has_capacity {
            self.hosts.wait_for_address(handle);
        } else {
            for group in host.mark_listed() {
                self.groups.push_available_host(group, handle);
            }
        }
    }

    /// Offers the capacity of a host's address to the hosts that wait for it, until one of them can use it.
    /// Call it whenever the address may have capacity, or a host that was woken has not used all of it.
    pub(in crate::queue) fn wake_address(&mut self, host: Handle, now: Duration) {
        if let Some(address) = self.hosts.address_of(host) {
            self.wake_waiting(address, now);
        }
    }

    /// Records the IP address of a host. The host may release capacity at its old address, or lack it at the
    /// new one.
    pub(in crate::queue) fn resolved(&mut self, host: Handle, ip: IpAddr, now: Duration) {
        let before = self.hosts.address_of(host);
        if !self.hosts.set_address(host, ip) {
            return;
        }
        if let Some(address) = before {
            self.wake_waiting(address, now);
        }
        self.wake_host(host, now);
        self.hosts.update_idle_list(host, now);
    }

    fn wake_waiting(&mut self, address: Handle, now: Duration) {
        while let Some(waiting) = self.hosts.next_waiting_host(address) {
            self.wake_host(waiting, now);
            let mut listed_groups = self.hosts.get(waiting).into_iter().flat_map(Host::listed_groups);
            if listed_groups.any(|group| self.groups.has_capacity(group)) {
                return;
            }
        }
    }

    /// Fires the timers that are due.
    pub(in crate::queue) fn fire_timers(&mut self, jobs: &mut Slab<Job>, now: Duration) {
        while let Some((at, target)) = self.timers.pop_due(now) {
            match target {
                TimerTarget::Host(handle) => {
                    if let Some(host) = self.hosts.get_mut(handle) {
                        host.timer = host.timer.filter(|timer| *timer != at);
                    }
                    self.wake_host(handle, now);
                }
                TimerTarget::HostQueue(handle) => {
                    let Some(host_queue) = self.host_queues.get_mut(handle) else { continue };
                    host_queue.timer = host_queue.timer.filter(|timer| *timer != at);
                    let job_handle = host_queue.job;
                    if host_queue.state == QueueState::Sleeping
                        && let Some(job) = jobs.get_mut(job_handle)
                    {
                        self.reschedule(handle, (job_handle, job), now);
                    }
                }
            }
        }
        if self.timers.len() > 2 * (self.hosts.len() + self.host_queues.len()) + 64 {
            let (hosts, host_queues) = (&self.hosts, &self.host_queues);
            self.timers.retain(|target| match target {
                TimerTarget::Host(handle) => hosts.contains(handle),
                TimerTarget::HostQueue(handle) => host_queues.contains(handle),
            });
        }
    }
}
