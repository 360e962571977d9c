//! Ending long work from outside.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

/// Ends long work from outside, and counts what the work has cost.
///
/// Pure code knows no clock, and unlike a future it cannot be dropped halfway. So it [spends](Self::spend) units as it goes,
/// and stops where that says so: what it gives then is unfinished, and its caller drops it. A unit is a small step, such as
/// one node of a tree or 64 bytes of text; it takes some tens of nanoseconds. Clones share one state, and the clone that
/// raises may be on another thread.
///
/// ```
/// use gleaner_types::Interrupt;
///
/// let interrupt = Interrupt::after(1_000);
/// let steps = (0_u32..).take_while(|_| !interrupt.spend(1)).count();
/// assert_eq!(steps, 1_000);
/// assert!(interrupt.is_raised());
/// assert!(!Interrupt::never().spend(usize::MAX));
/// ```
#[derive(Debug, Clone, Default)]
pub struct Interrupt(Option<Arc<State>>);

#[derive(Debug)]
struct State {
    raised: AtomicBool,
    spent: AtomicU64,
    limit: u64,
    /// The most that was spent at once, where that is noted.
    greatest: Option<AtomicU64>,
}

impl State {
    /// Where more is spent than the limit.
    #[cold]
    fn beyond(&self, units: usize) {
        match &self.greatest {
            Some(greatest) => {
                greatest.fetch_max(units as u64, Ordering::Relaxed);
            }
            None => self.raised.store(true, Ordering::Relaxed),
        }
    }
}

impl Interrupt {
    /// One that is never raised.
    #[must_use]
    pub const fn never() -> Self {
        Self(None)
    }

    /// One that is raised by [`raise`](Self::raise) alone.
    #[must_use]
    pub fn armed() -> Self {
        Self::after(u64::MAX)
    }

    /// One that is also raised once more units than this are spent.
    #[must_use]
    pub fn after(units: u64) -> Self {
        Self::new(units, None)
    }

    /// As [`armed`](Self::armed), and notes the [most that is spent at once](Self::greatest): for tests of how long work goes
    /// on between two looks at it.
    #[must_use]
    pub fn watched() -> Self {
        Self::new(0, Some(AtomicU64::new(0)))
    }

    fn new(limit: u64, greatest: Option<AtomicU64>) -> Self {
        let (raised, spent) = (AtomicBool::new(false), AtomicU64::new(0));
        Self(Some(Arc::new(State { raised, spent, limit, greatest })))
    }

    /// Ends the work.
    pub fn raise(&self) {
        if let Some(state) = &self.0 {
            state.raised.store(true, Ordering::Relaxed);
        }
    }

    /// Raises it when the guard is dropped: work for a future ends with the future.
    #[must_use]
    pub fn raise_on_drop(&self) -> RaiseOnDrop {
        RaiseOnDrop(self.clone())
    }

    /// Is the work to end?
    #[must_use]
    pub fn is_raised(&self) -> bool {
        self.0.as_ref().is_some_and(|state| state.raised.load(Ordering::Relaxed))
    }

    /// Counts units of work; true where the work is to end.
    #[inline]
    pub fn spend(&self, units: usize) -> bool {
        let Some(state) = &self.0 else { return false };
        // One thread does the work, so a plain addition loses nothing, and it costs a fraction of an atomic one.
        let spent = state.spent.load(Ordering::Relaxed).saturating_add(units as u64);
        state.spent.store(spent, Ordering::Relaxed);
        if spent > state.limit {
            state.beyond(units);
        }
        state.raised.load(Ordering::Relaxed)
    }

    /// The units that were spent, those after it was raised among them.
    #[must_use]
    pub fn spent(&self) -> u64 {
        self.0.as_ref().map_or(0, |state| state.spent.load(Ordering::Relaxed))
    }

    /// The most units that were spent at once; 0 where it is not [watched](Self::watched).
    #[must_use]
    pub fn greatest(&self) -> u64 {
        let greatest = self.0.as_ref().and_then(|state| state.greatest.as_ref());
        greatest.map_or(0, |greatest| greatest.load(Ordering::Relaxed))
    }
}

impl PartialEq for Interrupt {
    /// Are they clones of one?
    fn eq(&self, other: &Self) -> bool {
        match (&self.0, &other.0) {
            (Some(one), Some(other)) => Arc::ptr_eq(one, other),
            (one, other) => one.is_none() && other.is_none(),
        }
    }
}

impl Eq for Interrupt {}

/// Raises an [`Interrupt`] when it is dropped.
#[derive(Debug)]
pub struct RaiseOnDrop(Interrupt);

impl RaiseOnDrop {
    /// Leaves the interrupt as it is: the work is done.
    pub fn disarm(mut self) {
        self.0 = Interrupt::never();
    }
}

impl Drop for RaiseOnDrop {
    fn drop(&mut self) {
        self.0.raise();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_is_raised_from_outside_by_its_guard_or_by_what_is_spent() {
        let by_hand = Interrupt::armed();
        assert!(!by_hand.spend(1_000_000));
        by_hand.clone().raise();
        assert!(by_hand.is_raised() && by_hand.spend(0));

        let by_guard = Interrupt::armed();
        let guard = by_guard.raise_on_drop();
        assert!(!by_guard.is_raised());
        by_guard.raise_on_drop().disarm();
        assert!(!by_guard.is_raised());
        drop(guard);
        assert!(by_guard.is_raised());

        let by_cost = Interrupt::after(10);
        assert!(!by_cost.spend(10));
        assert!(by_cost.spend(1) && by_cost.spend(5));
        assert_eq!(by_cost.spent(), 16, "what is spent afterwards counts too");

        let watched = Interrupt::watched();
        for units in [3, 7, 0, 5] {
            assert!(!watched.spend(units));
        }
        assert_eq!((watched.spent(), watched.greatest(), by_cost.greatest()), (15, 7, 0));
        watched.raise();
        assert!(watched.spend(1));

        let never = Interrupt::never();
        never.raise();
        assert!(!never.is_raised() && never == Interrupt::default() && never != by_hand);
    }
}
