//! The lock of the state, which long work can hand over between its parts.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

/// A lock that counts who asks for it: a thread that takes a plain lock again at once leaves no time to those
/// that wait.
#[derive(Debug)]
pub(super) struct StateLock<S> {
    state: Mutex<S>,
    /// Calls that asked for it, and those of them that got it.
    asked: AtomicU64,
    got: AtomicU64,
}

impl<S> StateLock<S> {
    pub(super) fn new(state: S) -> Self {
        Self { state: Mutex::new(state), asked: AtomicU64::new(0), got: AtomicU64::new(0) }
    }

    pub(super) fn lock(&self) -> MutexGuard<'_, S> {
        self.asked.fetch_add(1, Ordering::Relaxed);
        // No foreign code runs under the lock, and each operation keeps the state consistent at every step.
        let state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        self.got.fetch_add(1, Ordering::Relaxed);
        state
    }

    /// Waits until all who asked for it so far have got it. The caller does not hold it.
    pub(super) fn give_way(&self) {
        let asked = self.asked.load(Ordering::Relaxed);
        while self.got.load(Ordering::Relaxed) < asked {
            std::thread::yield_now();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn who_waits_comes_before_who_gives_way() {
        let lock = StateLock::new(Vec::new());
        lock.give_way();
        std::thread::scope(|scope| {
            for round in 1..=100_u64 {
                let mut state = lock.lock();
                state.push("first");
                scope.spawn(|| lock.lock().push("other"));
                while lock.asked.load(Ordering::Relaxed) < 3 * round - 1 {
                    std::thread::yield_now();
                }
                drop(state);
                lock.give_way();
                lock.lock().push("last");
            }
        });
        let expected = ["first", "other", "last"];
        assert!(lock.lock().chunks(3).all(|turn| turn == expected));
    }
}
