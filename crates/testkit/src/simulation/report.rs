use std::fmt::Write as _;
use std::time::Duration;

use super::wire::{Event, Moment};

/// What came of the simulation of one seed.
#[derive(Debug, Clone)]
pub struct Report {
    /// The seed.
    pub seed: u64,
    /// A hash of all that happened and when. Things of one millisecond have no order among them.
    pub trace: u64,
    /// How long it took on the virtual clock.
    pub virtual_time: Duration,
    /// Jobs that were run.
    pub jobs: u64,
    /// Requests that the hosts saw, hops of redirects included.
    pub requests: u64,
    /// Hops of redirects that led to another host.
    pub hops_across_hosts: u64,
    /// Documents that were read.
    pub documents: u64,
    /// Leases that were lost: by crashes, by fetches that hang, by a store that is late.
    pub leases_lost: u64,
    /// How often an address that several hosts share had as many pages in work as it may.
    pub full_addresses: u64,
    /// Jobs of which pages found no room in the queue.
    pub full_queues: u64,
    /// Maps that were made.
    pub maps: u64,
    /// How often the worker loop broke and began anew.
    pub crashes: u64,
    /// What should not have happened, a sentence each.
    pub violations: Vec<String>,
    events: Vec<(Moment, Event)>,
}

impl Report {
    pub(super) fn new(seed: u64, mut events: Vec<(Moment, Event)>, virtual_time: Duration) -> Self {
        events.sort_unstable();
        Self {
            seed,
            trace: trace(&events),
            virtual_time,
            jobs: 0,
            requests: 0,
            hops_across_hosts: 0,
            documents: 0,
            leases_lost: 0,
            full_addresses: 0,
            full_queues: 0,
            maps: 0,
            crashes: 0,
            violations: Vec::new(),
            events,
        }
    }

    /// The seed, what should not have happened, and all that happened, an event a line: for looking into one that fails.
    #[must_use]
    pub fn story(&self) -> String {
        let mut story = format!("seed {}\n", self.seed);
        for violation in &self.violations {
            let _ = writeln!(story, "VIOLATED {violation}");
        }
        for (at, event) in &self.events {
            let _ = writeln!(story, "{at:>10} {event:?}");
        }
        story
    }
}

/// FNV-1a over the text of the events: the same on every platform and in every release.
fn trace(events: &[(Moment, Event)]) -> u64 {
    let mut line = String::new();
    let mut hash = 0xcbf2_9ce4_8422_2325_u64;
    for event in events {
        line.clear();
        let _ = write!(line, "{event:?}");
        for byte in line.bytes() {
            hash = (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
        }
    }
    hash
}
