//! The hosts that the queue knows, each named once.

use std::collections::{BTreeMap, VecDeque};
use std::hash::BuildHasher;
use std::net::IpAddr;
use std::time::Duration;

use hashbrown::{DefaultHashBuilder, HashTable};

use super::config::MAX_IDLE_HOSTS;
use super::host::Host;
use super::model::HostLimits;
use super::rate_controller::{Asked, Observation, RateController};
use super::slab::{Handle, Slab};

/// An address is overloaded where more than this share of its latest answers, of whatever host, say so.
const OVERLOADED: f32 = 0.25;

/// An address that hosts resolve to. Many names may be one server, which bears no more for it.
#[derive(Debug)]
struct Address {
    ip: IpAddr,
    /// Hosts that resolve to it.
    hosts: u32,
    /// Leases of all of them that may have a request under way.
    in_flight: u32,
    rate_controller: RateController,
    /// The share of refusals in its latest answers.
    refusals: f32,
    /// Hosts with lanes set aside that have room themselves, in order of arrival.
    waiting: VecDeque<Handle>,
}

impl Address {
    fn has_room(&self) -> bool {
        self.in_flight < self.rate_controller.at_once()
    }
}

#[derive(Debug)]
pub(super) struct Hosts {
    rate_controller: RateController,
    /// That of new addresses.
    address_tempo: RateController,
    addresses: Slab<Address>,
    by_ip: BTreeMap<IpAddr, Handle>,
    slab: Slab<Host>,
    /// Looked up, never iterated: its random hash does not show.
    by_name: HashTable<Handle>,
    hash: DefaultHashBuilder,
    /// Hosts that nobody uses, longest first, kept for their pace.
    idle: VecDeque<Handle>,
}

impl Hosts {
    /// New hosts begin with `rate_controller`, new addresses with `address_tempo`.
    pub(super) fn new(rate_controller: RateController, address_tempo: RateController) -> Self {
        Self {
            rate_controller,
            address_tempo,
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

    /// The host of this name, where it is known.
    fn find(&self, name: &str) -> Option<Handle> {
        let is_it = |handle: &Handle| self.slab.get(*handle).is_some_and(|host| *host.name == *name);
        self.by_name.find(self.hash.hash_one(name), is_it).copied()
    }

    /// How the host of this name may be asked now. One that is not known is asked like a new one.
    pub(super) fn limits_of(&self, name: &str) -> HostLimits {
        let new = HostLimits { places: self.rate_controller.at_once(), not_before: Duration::ZERO };
        self.find(name).map_or(new, |handle| self.limits(handle))
    }

    /// How a host may be asked now.
    pub(super) fn limits(&self, handle: Handle) -> HostLimits {
        let Some(host) = self.slab.get(handle) else {
            return HostLimits { places: 1, not_before: Duration::ZERO };
        };
        let address = host.address.and_then(|address| self.addresses.get(address));
        let most = address.map_or(u32::MAX, |address| address.rate_controller.at_once());
        HostLimits { places: host.places().min(most), not_before: host.ready_at }
    }

    /// The host of this name, made if need be.
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

    /// Notes that a host may not be used any more, and forgets the one that was not used for longest where there are
    /// too many and its pace does not bind any more.
    pub(super) fn note_idle(&mut self, handle: Handle, now: Duration) {
        if let Some(host) = self.slab.get_mut(handle).filter(|host| host.is_unused() && !host.listed_idle) {
            host.listed_idle = true;
            self.idle.push_back(handle);
        }
        if self.idle.len() <= MAX_IDLE_HOSTS {
            return;
        }
        let Some(oldest) = self.idle.pop_front() else { return };
        let Some(host) = self.slab.get_mut(oldest) else { return };
        host.listed_idle = false;
        if !host.is_unused() {
            return;
        }
        if host.ready_at > now {
            host.listed_idle = true;
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

    /// True where the host and its address would take one more request now.
    pub(super) fn is_free(&self, handle: Handle, now: Duration) -> bool {
        self.slab.get(handle).is_some_and(|host| host.has_room() && host.ready_at <= now)
            && self.address_has_room(handle)
    }

    /// True where the address of a host would take one more request, or is not known.
    pub(super) fn address_has_room(&self, handle: Handle) -> bool {
        self.address_of(handle).and_then(|address| self.addresses.get(address)).is_none_or(Address::has_room)
    }

    /// The address of a host.
    pub(super) fn address_of(&self, handle: Handle) -> Option<Handle> {
        self.slab.get(handle)?.address
    }

    /// Books a request that begins.
    pub(super) fn occupy(&mut self, handle: Handle) {
        let Some(host) = self.slab.get_mut(handle) else { return };
        host.woken = false;
        host.in_flight += 1;
        if let Some(address) = host.address.and_then(|address| self.addresses.get_mut(address)) {
            address.in_flight += 1;
        }
    }

    /// Books a request that has ended.
    pub(super) fn release(&mut self, handle: Handle) {
        let Some(host) = self.slab.get_mut(handle).filter(|host| host.in_flight > 0) else { return };
        host.in_flight -= 1;
        if let Some(address) = host.address.and_then(|address| self.addresses.get_mut(address)) {
            address.in_flight = address.in_flight.saturating_sub(1);
        }
    }

    /// Puts a host where it is found when its address has room again.
    pub(super) fn wait_for_address(&mut self, handle: Handle) {
        let Some(host) = self.slab.get_mut(handle).filter(|host| !host.listed_waiting) else { return };
        if let Some(address) = host.address.and_then(|address| self.addresses.get_mut(address)) {
            host.listed_waiting = true;
            // One whose turn it was, and who came too late for it, has its turn next.
            if std::mem::take(&mut host.woken) {
                address.waiting.push_front(handle);
            } else {
                address.waiting.push_back(handle);
            }
        }
    }

    /// The next host that waits for an address, if that has room.
    pub(super) fn next_waiting(&mut self, address: Handle) -> Option<Handle> {
        let address = self.addresses.get_mut(address)?;
        while address.has_room() {
            let waiting = address.waiting.pop_front()?;
            if let Some(host) = self.slab.get_mut(waiting) {
                host.listed_waiting = false;
                host.woken = true;
                return Some(waiting);
            }
        }
        None
    }

    /// Teaches the address of a host how it answered: only what the server says of itself. Silence, and how long it
    /// took, tell of one of its sites; a tarpit among thousands at one address, or a slow one, is not to slow the others.
    /// Neither are a few that are out of order: refusals count once they are more than [`OVERLOADED`] of the answers.
    pub(super) fn teach_address(&mut self, handle: Handle, seen: Observation, asked: Asked, now: Duration) {
        if seen.status.is_none() {
            return;
        }
        let Some(address) = self.address_of(handle).and_then(|address| self.addresses.get_mut(address))
        else {
            return;
        };
        let refused = if seen.is_overload() { 1.0 } else { 0.0 };
        address.refusals += (refused - address.refusals) / 16.0;
        if seen.is_overload() && address.refusals < OVERLOADED {
            return;
        }
        let latency = if seen.is_overload() { seen.latency } else { Duration::ZERO };
        let in_flight = address.in_flight;
        // The pause is the host's own.
        address.rate_controller.learn(Observation { latency, ..seen }, asked, in_flight, now);
    }

    /// Notes what a host resolves to. False where that was known.
    pub(super) fn resolve(&mut self, handle: Handle, ip: IpAddr) -> bool {
        let known = self.address_of(handle).and_then(|address| self.addresses.get(address));
        if known.is_some_and(|address| address.ip == ip) {
            return false;
        }
        self.leave_address(handle);
        let address = *self.by_ip.entry(ip).or_insert_with(|| {
            let rate_controller = self.address_tempo.clone();
            self.addresses.insert(Address {
                ip,
                hosts: 0,
                in_flight: 0,
                rate_controller,
                refusals: 0.0,
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

    /// Takes a host from its address, which is forgotten with its last host.
    fn leave_address(&mut self, handle: Handle) {
        let Some(host) = self.slab.get_mut(handle) else { return };
        let Some(address) = host.address.take() else { return };
        let in_flight = host.in_flight;
        let was_waiting = std::mem::take(&mut host.listed_waiting);
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
