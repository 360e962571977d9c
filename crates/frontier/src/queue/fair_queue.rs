use std::collections::VecDeque;

use super::slab::Handle;

/// Who waits for a turn. Newcomers, whose job has had none yet, go first; but after each of them one of the others has
/// its turn.
///
/// So what has just been submitted begins within a few pages, however long the queue is, and a stream of newcomers takes
/// half of the turns at most: with `n` others before it, everybody has a turn within `2 n + 2` turns. With one line for
/// all, a job with a single page would wait for one page of every job there is.
#[derive(Debug, Default)]
pub(super) struct FairQueue {
    newcomers: VecDeque<Handle>,
    others: VecDeque<Handle>,
    /// The last turn was a newcomer's.
    others_first: bool,
}

/// One who is to have a turn, if it can use it.
#[derive(Debug, Clone, Copy)]
pub(super) struct Next {
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

    /// Takes out the one whose turn it is. Whether that was a turn is told by [`used`](Self::used): a look in vain
    /// changes nobody's place.
    pub(super) fn pop(&mut self) -> Option<Next> {
        let newcomer = !self.newcomers.is_empty() && (!self.others_first || self.others.is_empty());
        let line = if newcomer { &mut self.newcomers } else { &mut self.others };
        Some(Next { handle: line.pop_front()?, newcomer })
    }

    /// Notes that one which was taken out used its turn.
    pub(super) fn used(&mut self, turn: Next) {
        self.others_first = turn.newcomer;
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
    fn newcomers_go_first_and_take_every_second_turn_at_most() {
        let mut names = Slab::new();
        let mut name = |text: &'static str| names.insert(text);
        let (a, b, new, newer, newest) = (name("a"), name("b"), name("new"), name("newer"), name("newest"));
        let mut round = FairQueue::default();
        for (handle, newcomer) in [(a, false), (b, false), (new, true), (newer, true)] {
            round.push(handle, newcomer);
        }
        let mut order = Vec::new();
        while let Some(next) = round.pop() {
            order.push(next.handle);
            // One that cannot use its turn costs the others none.
            if next.handle != newer {
                round.used(next);
            }
            if next.handle == newer {
                round.push(newest, true);
            }
        }
        assert_eq!(order, [new, a, newer, newest, b]);
    }
}
