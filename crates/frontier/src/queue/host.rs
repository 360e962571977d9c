use std::time::Duration;

use super::round::Round;
use super::slab::Handle;
use super::tempo::Tempo;

/// A host as politeness sees it: its name, and its port where that is not the scheme's default.
#[derive(Debug)]
pub(super) struct Host {
    pub(super) name: Box<str>,
    /// Leases that may have a request under way, those of closed jobs too.
    pub(super) in_flight: u32,
    /// How many there may be, as its answers have it.
    pub(super) tempo: Tempo,
    /// From the end of one request to the next, as robots.txt has it; zero where several may run at once.
    pub(super) gap: Duration,
    /// Nothing before this time.
    pub(super) ready_at: Duration,
    /// Lanes that found the host busy.
    pub(super) blocked: Round,
    /// Of these, lanes that are no more.
    pub(super) stale: usize,
    /// The address that it resolves to, where that is known.
    pub(super) address: Option<Handle>,
    /// It is in its address's list of hosts that found the address busy.
    pub(super) listed_waiting: bool,
    /// It was handed room of its address and has not used it yet.
    pub(super) woken: bool,
    /// Lanes of all jobs.
    pub(super) lanes: u32,
    /// It is in the list of hosts that got free while lanes were blocked.
    pub(super) listed_free: bool,
    /// It is in the list of hosts that nobody uses.
    pub(super) listed_idle: bool,
    /// The earliest alarm that is set.
    pub(super) alarm: Option<Duration>,
}

impl Host {
    pub(super) fn new(name: Box<str>, tempo: Tempo) -> Self {
        Self {
            name,
            in_flight: 0,
            tempo,
            gap: Duration::ZERO,
            ready_at: Duration::ZERO,
            blocked: Round::default(),
            stale: 0,
            address: None,
            listed_waiting: false,
            woken: false,
            lanes: 0,
            listed_free: false,
            listed_idle: false,
            alarm: None,
        }
    }

    /// True where it would take one more request, were it the time and had its address room.
    pub(super) fn has_room(&self) -> bool {
        self.in_flight < if self.current_gap().is_zero() { self.tempo.at_once() } else { 1 }
    }

    /// From the end of one request to the next.
    pub(super) fn current_gap(&self) -> Duration {
        self.gap.max(self.tempo.pause())
    }

    pub(super) fn is_unused(&self) -> bool {
        self.lanes == 0 && self.in_flight == 0
    }
}
