//! The known hosts, interned by name, and their IP addresses.

use std::collections::{BTreeMap, VecDeque};
use std::hash::BuildHasher;
use std::net::IpAddr;
use std::time::Duration;

use hashbrown::{DefaultHashBuilder, HashTable};

use super::config::MAX_IDLE_HOSTS;
use super::host::Host;
use super::model::HostLimits;
use super::rate_controller::{Observation, RateController, RequestKey};
use super::slab::{Handle, Slab};

/// An address is overloaded if more than this share of the latest responses of its hosts report overload.
const OVERLOAD_SHARE: f32 = 0.25;

/// An IP address of hosts. Many names may be one server, with one capacity.
#[derive(Debug)]
struct Address {
    ip: IpAddr,
    /// Number of hosts with this address.
    hosts: u32,
    /// Number of their leases that may have a running request.
    in_flight: u32,
    rate_controller: RateController,
    /// The share of refusals in the latest responses.
    refusal_share: f32,
    /// Hosts with blocked queues and own capacity that wait for this address, in order of arrival.
    waiting: VecDeque<Handle>,
}

impl Address {
    fn has_capacity(&self) -> bool {
        self.in_flight < self.rate_controller.max_concurrent()
    }
}

#[derive(Debug)]
pub(super) struct Hosts {
    rate_controller: RateController,
    /// The controller of new addresses.
    address_rate: RateController,
    addresses: Slab<Address>,
    by_ip: BTreeMap<IpAddr, Handle>,
    slab: Slab<Host>,
    /// Used for lookups only, never iterated, so its random hash does not affect results.
    by_name: HashTable<Handle>,
    hash: DefaultHashBuilder,
    /// Unused hosts, least recently used first, kept for what was learned about their rate.
    idle: VecDeque<Handle>,
}

impl Hosts {
    /// New hosts start with `rate_controller`, new addresses with `address_rate`.
    pub(super) fn new(rate_controller: RateController, address_rate: RateController) -> Self {
        Self {
            rate_controller,
            address_rate,
            addresses: Slab::new(),
            by_ip: BTreeMap::new(),
            slab: Slab::new(),
            by_name: HashTable::new(),
            hash: DefaultHashBuilder::default(),
            idle: VecDeque::new(),
        }
    }

    pub(super) fn get(&self, handle: Handle) -> Option<&Host> {
        self.slab.get(handle)
    }

    pub(super) fn get_mut(&mut self, handle: Handle) -> Option<&mut Host> {
        self.slab.get_mut(handle)
    }

    pub(super) fn contains(&self, handle: Handle) -> bool {
        self.slab.contains(handle)
    }

    pub(super) fn len(&self) -> usize {
        self.slab.len()
    }

    /// The host with this name, if it is known.
    pub(super) fn find(&self, name: &str) -> Option<Handle> {
        let has_name = |handle: &Handle| self.slab.get(*handle).is_some_and(|host| *host.name == *name);
        self.by_name.find(self.hash.hash_one(name), has_name).copied()
    }

    /// The limits of the host with this name. An unknown host has the limits of a new one.
    pub(super) fn limits_of(&self, name: &str) -> HostLimits {
        let new =
            HostLimits { max_concurrent: self.rate_controller.max_concurrent(), not_before: Duration::ZERO };
        self.find(name).map_or(new, |handle| self.limits(handle))
    }

    /// The limits of a host.
    pub(super) fn limits(&self, handle: Handle) -> HostLimits {
        let Some(host) = self.slab.get(handle) else {
            return HostLimits { max_concurrent: 1, not_before: Duration::ZERO };
        };
        let address = host.address.and_then(|address| self.addresses.get(address));
        let address_max = address.map_or(u32::MAX, |address| address.rate_controller.max_concurrent());
        HostLimits { max_concurrent: host.max_concurrent().min(address_max), not_before: host.ready_at }
    }

    /// The host with this name. Adds it if it is unknown.
    pub(super) fn intern(&mut self, name: &str) -> Handle {
        if let Some(handle) = self.find(name) {
            return handle;
        }
        let hash = self.hash.hash_one(name);
        let handle = self.slab.insert(Host::new(name.into(), self.rate_controller.clone()));
        let (slab, state) = (&self.slab, &self.hash);
        let hash_of = |handle: &Handle| slab.get(*handle).map_or(0, |host| state.hash_one(&*host.name));
        self.by_name.insert_unique(hash, handle, hash_of);
        handle
    }

    /// Adds a host to the idle list if it is unused. Evicts the least recently used idle host above
    /// [`MAX_IDLE_HOSTS`], unless its rate limit still applies.
    pub(super) fn update_idle_list(&mut self, handle: Handle, now: Duration) {
        if let Some(host) = self.slab.get_mut(handle).filter(|host| host.is_unused() && !host.in_idle_list) {
            host.in_idle_list = true;
            self.idle.push_back(handle);
        }
        if self.idle.len() <= MAX_IDLE_HOSTS {
            return;
        }
        let Some(oldest) = self.idle.pop_front() else { return };
        let Some(host) = self.slab.get_mut(oldest) else { return };
        host.in_idle_list = false;
        if !host.is_unused() {
            return;
        }
        if host.ready_at > now {
            host.in_idle_list = true;
            self.idle.push_back(oldest);
            return;
        }
        let hash = self.hash.hash_one(&*host.name);
        if let Ok(entry) = self.by_name.find_entry(hash, |&handle| handle == oldest) {
            entry.remove();
        }
        self.leave_address(oldest);
        self.slab.remove(oldest);
    }

    /// True if the host and its address allow one more request now.
    pub(super) fn is_free(&self, handle: Handle, now: Duration) -> bool {
        self.slab.get(handle).is_some_and(|host| host.has_capacity() && host.ready_at <= now)
            && self.address_has_capacity(handle)
    }

    /// True if the address of a host allows one more request, or is not known.
    pub(super) fn address_has_capacity(&self, handle: Handle) -> bool {
        self.address_of(handle)
            .and_then(|address| self.addresses.get(address))
            .is_none_or(Address::has_capacity)
    }

    /// The address of a host.
    pub(super) fn address_of(&self, handle: Handle) -> Option<Handle> {
        self.slab.get(handle)?.address
    }

    /// The IP address of a host.
    pub(super) fn ip_of(&self, handle: Handle) -> Option<IpAddr> {
        self.addresses.get(self.address_of(handle)?).map(|address| address.ip)
    }

    /// Records pages that wait for a host.
    pub(super) fn add_waiting(&mut self, handle: Handle, pages: u64) {
        if let Some(host) = self.slab.get_mut(handle) {
            host.waiting = host.waiting.saturating_add(pages);
        }
    }

    /// Records pages that do not wait for a host any more.
    pub(super) fn remove_waiting(&mut self, handle: Handle, pages: u64) {
        if let Some(host) = self.slab.get_mut(handle) {
            host.waiting = host.waiting.saturating_sub(pages);
        }
    }

    /// Records the start of a request.
    pub(super) fn occupy(&mut self, handle: Handle) {
        let Some(host) = self.slab.get_mut(handle) else { return };
        host.woken = false;
        host.in_flight += 1;
        if let Some(address) = host.address.and_then(|address| self.addresses.get_mut(address)) {
            address.in_flight += 1;
        }
    }

    /// Records the end of a request.
    pub(super) fn release(&mut self, handle: Handle) {
        let Some(host) = self.slab.get_mut(handle).filter(|host| host.in_flight > 0) else { return };
        host.in_flight -= 1;
        if let Some(address) = host.address.and_then(|address| self.addresses.get_mut(address)) {
            address.in_flight = address.in_flight.saturating_sub(1);
        }
    }

    /// Adds a host to the waiting list of its address.
    pub(super) fn wait_for_address(&mut self, handle: Handle) {
        let Some(host) = self.slab.get_mut(handle).filter(|host| !host.waits_for_address) else { return };
        if let Some(address) = host.address.and_then(|address| self.addresses.get_mut(address)) {
            host.waits_for_address = true;
            // A host that was woken but too late for the capacity is first in line again.
            if std::mem::take(&mut host.woken) {
                address.waiting.push_front(handle);
            } else {
                address.waiting.push_back(handle);
            }
        }
    }

    /// Takes the next host that waits for an address, if the address has capacity.
    pub(super) fn next_waiting_host(&mut self, address: Handle) -> Option<Handle> {
        let address = self.addresses.get_mut(address)?;
        while address.has_capacity() {
            let waiting = address.waiting.pop_front()?;
            if let Some(host) = self.slab.get_mut(waiting) {
                host.waits_for_address = false;
                host.woken = true;
                return Some(waiting);
            }
        }
        None
    }

    /// Updates the rate controller of an address with a response of one of its hosts. Only what the server
    /// reports about itself counts. A missing response and a slow one describe one site: a tarpit or a slow
    /// site among thousands at one address must not slow the others. The same holds for a few sites that are
    /// out of order: refusals count only above [`OVERLOAD_SHARE`] of the responses.
    pub(super) fn observe_address(
        &mut self,
        handle: Handle,
        observation: Observation,
        key: RequestKey,
        now: Duration,
    ) {
        if observation.status.is_none() {
            return;
        }
        let Some(address) = self.address_of(handle).and_then(|address| self.addresses.get_mut(address))
        else {
            return;
        };
        let refused = if observation.is_overload() { 1.0 } else { 0.0 };
        address.refusal_share += (refused - address.refusal_share) / 16.0;
        if observation.is_overload() && address.refusal_share < OVERLOAD_SHARE {
            return;
        }
        let latency = if observation.is_overload() { observation.latency } else { Duration::ZERO };
        let in_flight = address.in_flight;
        // The pause applies to the host only.
        address.rate_controller.observe(Observation { latency, ..observation }, key, in_flight, now);
    }

    /// Sets the IP address of a host. False if it has not changed.
    pub(super) fn set_address(&mut self, handle: Handle, ip: IpAddr) -> bool {
        let current = self.address_of(handle).and_then(|address| self.addresses.get(address));
        if current.is_some_and(|address| address.ip == ip) {
            return false;
        }
        self.leave_address(handle);
        let address = *self.by_ip.entry(ip).or_insert_with(|| {
            let rate_controller = self.address_rate.clone();
            self.addresses.insert(Address {
                ip,
                hosts: 0,
                in_flight: 0,
                rate_controller,
                refusal_share: 0.0,
                waiting: VecDeque::new(),
            })
        });
        if let (Some(host), Some(state)) = (self.slab.get_mut(handle), self.addresses.get_mut(address)) {
            host.address = Some(address);
            state.hosts += 1;
            state.in_flight += host.in_flight;
        }
        true
    }

    /// Removes a host from its address, and an address without hosts.
    fn leave_address(&mut self, handle: Handle) {
        let Some(host) = self.slab.get_mut(handle) else { return };
        let Some(address) = host.address.take() else { return };
        let in_flight = host.in_flight;
        let was_waiting = std::mem::take(&mut host.waits_for_address);
        let Some(state) = self.addresses.get_mut(address) else { return };
        state.hosts = state.hosts.saturating_sub(1);
        state.in_flight = state.in_flight.saturating_sub(in_flight);
        if was_waiting {
            state.waiting.retain(|waiting| *waiting != handle);
        }
        if state.hosts == 0 {
            self.by_ip.remove(&state.ip);
            self.addresses.remove(address);
        }
    }
}
