//! The hosts that the queue knows, each named once.

use std::collections::VecDeque;
use std::hash::BuildHasher;
use std::time::Duration;

use hashbrown::{DefaultHashBuilder, HashTable};

use super::config::MAX_IDLE_HOSTS;
use super::host::Host;
use super::slab::{Handle, Slab};
use super::tempo::Tempo;

#[derive(Debug)]
pub(super) struct Hosts {
    tempo: Tempo,
    slab: Slab<Host>,
    /// Looked up, never iterated: its random hash does not show.
    by_name: HashTable<Handle>,
    hash: DefaultHashBuilder,
    /// Hosts that nobody uses, longest first, kept for their pace.
    idle: VecDeque<Handle>,
}

impl Hosts {
    /// New hosts begin with `tempo`.
    pub(super) fn new(tempo: Tempo) -> Self {
        Self {
            tempo,
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

    /// The host of this name, made if need be.
    pub(super) fn intern(&mut self, name: &str) -> Handle {
        let hash = self.hash.hash_one(name);
        let slab = &self.slab;
        let known =
            self.by_name.find(hash, |&handle| slab.get(handle).is_some_and(|host| *host.name == *name));
        if let Some(&handle) = known {
            return handle;
        }
        let handle = self.slab.insert(Host::new(name.into(), self.tempo.clone()));
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
        self.slab.remove(oldest);
    }
}
