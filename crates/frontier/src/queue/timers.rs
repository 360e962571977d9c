//! Timers for hosts and host queues.

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::time::Duration;

use super::slab::Handle;

/// What a timer wakes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum TimerTarget {
    Host(Handle),
    HostQueue(Handle),
}

/// A heap of timers. A timer is never removed early: what it wakes checks whether its time has come.
#[derive(Debug, Default)]
pub(super) struct Timers {
    /// Each with its number, so that timers with the same time fire in the order in which they were set.
    heap: BinaryHeap<Reverse<(Duration, u64, TimerTarget)>>,
    count: u64,
}

impl Timers {
    pub(super) fn set(&mut self, at: Duration, target: TimerTarget) {
        self.count += 1;
        self.heap.push(Reverse((at, self.count, target)));
    }

    /// Takes the next timer that is due.
    pub(super) fn pop_due(&mut self, now: Duration) -> Option<(Duration, TimerTarget)> {
        if self.next()? > now {
            return None;
        }
        self.heap.pop().map(|Reverse((at, _, target))| (at, target))
    }

    pub(super) fn next(&self) -> Option<Duration> {
        self.heap.peek().map(|Reverse((at, ..))| *at)
    }

    pub(super) fn len(&self) -> usize {
        self.heap.len()
    }

    pub(super) fn retain(&mut self, keep: impl Fn(TimerTarget) -> bool) {
        self.heap.retain(|Reverse((.., target))| keep(*target));
    }
}
