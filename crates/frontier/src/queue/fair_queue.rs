//! A queue in which new jobs alternate with older ones.

use std::collections::VecDeque;

use super::slab::Handle;

/// A queue of jobs or host queues. Newcomers, whose job has not had a page yet, go first, but they alternate
/// with the other entries.
///
/// So a new job starts within a few pages, however long the queue is, and a stream of newcomers takes at most
/// half of the turns: with `n` other entries, each entry has a turn within `2 n + 2` turns. With a single
/// line, a job with one page would wait for one page of every other job.
#[derive(Debug, Default)]
pub(super) struct FairQueue {
    newcomers: VecDeque<Handle>,
    others: VecDeque<Handle>,
    /// The last turn went to a newcomer.
    others_first: bool,
}

/// An entry whose turn it is.
#[derive(Debug, Clone, Copy)]
pub(super) struct FairEntry {
    pub(super) handle: Handle,
    newcomer: bool,
}

impl FairQueue {
    pub(super) fn push(&mut self, handle: Handle, newcomer: bool) {
        if newcomer {
            self.newcomers.push_back(handle);
        } else {
            self.others.push_back(handle);
        }
    }

    /// Takes out the next entry. Call [`mark_used`](Self::mark_used) if it used its turn; otherwise the order
    /// of the others does not change.
    pub(super) fn pop(&mut self) -> Option<FairEntry> {
        let newcomer = !self.newcomers.is_empty() && (!self.others_first || self.others.is_empty());
        let queue = if newcomer { &mut self.newcomers } else { &mut self.others };
        Some(FairEntry { handle: queue.pop_front()?, newcomer })
    }

    /// Records that an entry used its turn.
    pub(super) fn mark_used(&mut self, entry: FairEntry) {
        self.others_first = entry.newcomer;
    }

    pub(super) fn is_empty(&self) -> bool {
        self.newcomers.is_empty() && self.others.is_empty()
    }

    pub(super) fn len(&self) -> usize {
        self.newcomers.len() + self.others.len()
    }

    pub(super) fn retain(&mut self, mut keep: impl FnMut(Handle) -> bool) {
        self.newcomers.retain(|handle| keep(*handle));
        self.others.retain(|handle| keep(*handle));
    }
}

#[cfg(test)]
mod tests {
    use super::super::slab::Slab;
    use super::*;

    #[test]
    fn newcomers_go_first_and_take_at_most_every_second_turn() {
        let mut names = Slab::new();
        let mut name = |text: &'static str| names.insert(text);
        let (a, b, new, newer, newest) = (name("a"), name("b"), name("new"), name("newer"), name("newest"));
        let mut queue = FairQueue::default();
        for (handle, newcomer) in [(a, false), (b, false), (new, true), (newer, true)] {
            queue.push(handle, newcomer);
        }
        let mut order = Vec::new();
        while let Some(next) = queue.pop() {
            order.push(next.handle);
            // An entry that cannot use its turn costs the others none.
            if next.handle != newer {
                queue.mark_used(next);
            }
            if next.handle == newer {
                queue.push(newest, true);
            }
        }
        assert_eq!(order, [new, a, newer, newest, b]);
    }
}
