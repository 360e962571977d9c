//! Alarms for hosts and lanes.

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::time::Duration;

use super::slab::Handle;

/// Whom an alarm wakes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Sleeper {
    Host(Handle),
    HostQueue(Handle),
}

/// A heap of alarms. An alarm is never taken back: whoever is woken looks whether its time has come.
#[derive(Debug, Default)]
pub(super) struct Timers {
    /// With the number of the alarm, so that those of one time ring in the order in which they were set.
    heap: BinaryHeap<Reverse<(Duration, u64, Sleeper)>>,
    count: u64,
}

impl Timers {
    pub(super) fn set(&mut self, at: Duration, sleeper: Sleeper) {
        self.count += 1;
        self.heap.push(Reverse((at, self.count, sleeper)));
    }

    /// The next alarm whose time has come.
    pub(super) fn pop_due(&mut self, now: Duration) -> Option<(Duration, Sleeper)> {
        if self.next()? > now {
            return None;
        }
        self.heap.pop().map(|Reverse((at, _, sleeper))| (at, sleeper))
    }

    pub(super) fn next(&self) -> Option<Duration> {
        self.heap.peek().map(|Reverse((at, ..))| *at)
    }

    pub(super) fn len(&self) -> usize {
        self.heap.len()
    }

    pub(super) fn retain(&mut self, keep: impl Fn(Sleeper) -> bool) {
        self.heap.retain(|Reverse((.., sleeper))| keep(*sleeper));
    }
}
