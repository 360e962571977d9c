//! The figures of one simulated seed.

use std::fmt::Write as _;
use std::time::Duration;

use super::monitor::{Event, Moment};

/// The result of simulating one seed.
#[derive(Debug, Clone)]
pub struct Report {
    /// The seed.
    pub seed: u64,
    /// A hash of all events with their times. Events of the same millisecond are sorted, not ordered by
    /// occurrence.
    pub trace: u64,
    /// Duration on the virtual clock.
    pub virtual_time: Duration,
    /// Jobs that were run.
    pub jobs: u64,
    /// Requests that the hosts received, including redirect hops.
    pub requests: u64,
    /// Redirect hops from one host to another.
    pub cross_host_hops: u64,
    /// Documents that were read.
    pub documents: u64,
    /// Leases lost through crashes, fetches that hang, or a late store.
    pub leases_lost: u64,
    /// How often an address that several hosts share reached its limit of leased pages.
    pub full_addresses: u64,
    /// Jobs that left out pages because the queue was full.
    pub full_queues: u64,
    /// Maps that were made.
    pub maps: u64,
    /// How often the worker loop panicked and restarted.
    pub crashes: u64,
    /// Processes that ended with a loss of power.
    pub power_losses: u64,
    /// Processes that ended while the system went on.
    pub kills: u64,
    /// How often a process found a damaged end of the disk, and cut it.
    pub damaged_ends: u64,
    /// How often the disk was full or failed for a while.
    pub stalls: u64,
    /// Events that the receiver of webhooks got.
    pub events: u64,
    /// Violated invariants, a sentence each.
    pub violations: Vec<String>,
    history: Vec<(Moment, Event)>,
}

impl Report {
    pub(super) fn new(seed: u64, mut history: Vec<(Moment, Event)>, virtual_time: Duration) -> Self {
        history.sort_unstable();
        let stalls = history.iter().filter(|(_, event)| *event == Event::DiskStalled).count();
        Self {
            seed,
            trace: trace(&history),
            virtual_time,
            jobs: 0,
            requests: 0,
            cross_host_hops: 0,
            documents: 0,
            leases_lost: 0,
            full_addresses: 0,
            full_queues: 0,
            maps: 0,
            crashes: 0,
            power_losses: 0,
            kills: 0,
            damaged_ends: 0,
            stalls: stalls as u64,
            events: 0,
            violations: Vec::new(),
            history,
        }
    }

    /// The seed, the violations and all events, one per line, to debug a seed that fails.
    #[must_use]
    pub fn transcript(&self) -> String {
        let mut transcript = format!("seed {}\n", self.seed);
        for violation in &self.violations {
            let _ = writeln!(transcript, "VIOLATED {violation}");
        }
        for (at, event) in &self.history {
            let _ = writeln!(transcript, "{at:>10} {event:?}");
        }
        transcript
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
