//! Who is woken when something got free.

use std::net::IpAddr;
use std::time::Duration;

use super::{Place, Scheduler};
use crate::queue::host::Host;
use crate::queue::job::Job;
use crate::queue::slab::{Handle, Slab};
use crate::queue::timers::Sleeper;

impl Scheduler {
    /// Sees to it that lanes set aside with a host get their turn. To be called whenever it may have become free.
    pub(in crate::queue) fn wake_host(&mut self, handle: Handle, now: Duration) {
        let address_has_room = self.hosts.address_has_room(handle);
        let Some(host) = self.hosts.get_mut(handle) else { return };
        if !host.is_crowded() || !host.has_room() {
            return;
        }
        if host.ready_at > now {
            if host.alarm.is_none_or(|alarm| alarm > host.ready_at) {
                host.alarm = Some(host.ready_at);
                self.timers.set(host.ready_at, Sleeper::Host(handle));
            }
        } else if !address_has_room {
            self.hosts.wait_for_address(handle);
        } else {
            for group in host.list() {
                self.groups.push_freed(group, handle);
            }
        }
    }

    /// Hands the room of a host's address to the hosts that wait for it, until one can use it. To be called whenever
    /// the address may have room, or a host that was handed it has not used it all.
    pub(in crate::queue) fn wake_address(&mut self, host: Handle, now: Duration) {
        if let Some(address) = self.hosts.address_of(host) {
            self.wake_waiting(address, now);
        }
    }

    /// Notes what a host resolves to. It may leave room behind where it was, or come to where there is none.
    pub(in crate::queue) fn resolved(&mut self, host: Handle, ip: IpAddr, now: Duration) {
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
            let mut counted_on = self.hosts.get(waiting).into_iter().flat_map(Host::listed);
            if counted_on.any(|group| self.groups.has_room(group)) {
                return;
            }
        }
    }

    /// Rings the alarms whose time has come.
    pub(in crate::queue) fn ring_alarms(&mut self, jobs: &mut Slab<Job>, now: Duration) {
        while let Some((at, sleeper)) = self.timers.pop_due(now) {
            match sleeper {
                Sleeper::Host(handle) => {
                    if let Some(host) = self.hosts.get_mut(handle) {
                        host.alarm = host.alarm.filter(|alarm| *alarm != at);
                    }
                    self.wake_host(handle, now);
                }
                Sleeper::HostQueue(handle) => {
                    let Some(host_queue) = self.host_queues.get_mut(handle) else { continue };
                    host_queue.alarm = host_queue.alarm.filter(|alarm| *alarm != at);
                    let job_handle = host_queue.job;
                    if host_queue.place == Place::Asleep
                        && let Some(job) = jobs.get_mut(job_handle)
                    {
                        self.place(handle, (job_handle, job), now);
                    }
                }
            }
        }
        if self.timers.len() > 2 * (self.hosts.len() + self.host_queues.len()) + 64 {
            let (hosts, host_queues) = (&self.hosts, &self.host_queues);
            self.timers.retain(|sleeper| match sleeper {
                Sleeper::Host(handle) => hosts.contains(handle),
                Sleeper::HostQueue(handle) => host_queues.contains(handle),
            });
        }
    }
}
