//! Cancellation and cost limits for long computations.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

/// Stops long work from outside, and counts its cost.
///
/// Pure code has no clock, and unlike a future it cannot be dropped halfway. So it [spends](Self::spend)
/// units as it works, and stops as soon as `spend` returns true. Its result is then unfinished, and the
/// caller drops it. A unit is a small step, such as one node of a tree or 64 bytes of text; it takes some
/// tens of nanoseconds. Clones share one state and may be on different threads.
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
    /// The largest single amount spent, if it is recorded.
    greatest: Option<AtomicU64>,
}

impl State {
    /// Handles spending over the limit.
    #[cold]
    fn over_limit(&self, units: usize) {
        match &self.greatest {
            Some(greatest) => {
                greatest.fetch_max(units as u64, Ordering::Relaxed);
            }
            None => self.raised.store(true, Ordering::Relaxed),
        }
    }
}

impl Interrupt {
    /// An interrupt that is never raised.
    #[must_use]
    pub const fn never() -> Self {
        Self(None)
    }

    /// An interrupt that only [`raise`](Self::raise) raises.
    #[must_use]
    pub fn armed() -> Self {
        Self::after(u64::MAX)
    }

    /// An interrupt that is also raised when more units than this are spent.
    #[must_use]
    pub fn after(units: u64) -> Self {
        Self::new(units, None)
    }

    /// Like [`armed`](Self::armed), but also records the [largest amount spent at once](Self::greatest): for
    /// tests of how long work runs between two checks.
    #[must_use]
    pub fn watched() -> Self {
        Self::new(0, Some(AtomicU64::new(0)))
    }

    fn new(limit: u64, greatest: Option<AtomicU64>) -> Self {
        let (raised, spent) = (AtomicBool::new(false), AtomicU64::new(0));
        Self(Some(Arc::new(State { raised, spent, limit, greatest })))
    }

    /// Tells the work to stop.
    pub fn raise(&self) {
        if let Some(state) = &self.0 {
            state.raised.store(true, Ordering::Relaxed);
        }
    }

    /// A guard that raises the interrupt when it is dropped, so that work for a future ends with the future.
    #[must_use]
    pub fn raise_on_drop(&self) -> RaiseOnDrop {
        RaiseOnDrop(self.clone())
    }

    /// Whether the work must stop.
    #[must_use]
    pub fn is_raised(&self) -> bool {
        self.0.as_ref().is_some_and(|state| state.raised.load(Ordering::Relaxed))
    }

    /// Counts units of work. Returns whether the work must stop.
    #[inline]
    pub fn spend(&self, units: usize) -> bool {
        let Some(state) = &self.0 else { return false };
        // Only one thread does the work, so a plain addition is exact, and it is much cheaper than an atomic
        // one.
        let spent = state.spent.load(Ordering::Relaxed).saturating_add(units as u64);
        state.spent.store(spent, Ordering::Relaxed);
        if spent > state.limit {
            state.over_limit(units);
        }
        state.raised.load(Ordering::Relaxed)
    }

    /// The units spent, including those after the interrupt was raised.
    #[must_use]
    pub fn spent(&self) -> u64 {
        self.0.as_ref().map_or(0, |state| state.spent.load(Ordering::Relaxed))
    }

    /// The largest number of units spent at once; 0 unless it is [recorded](Self::watched).
    #[must_use]
    pub fn greatest(&self) -> u64 {
        let greatest = self.0.as_ref().and_then(|state| state.greatest.as_ref());
        greatest.map_or(0, |greatest| greatest.load(Ordering::Relaxed))
    }
}

impl PartialEq for Interrupt {
    /// Whether both are clones of the same interrupt.
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
    /// Drops the guard without raising the interrupt: the work is done.
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
    fn it_is_raised_by_hand_by_its_guard_or_by_its_limit() {
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
        assert_eq!(by_cost.spent(), 16, "later spending counts too");

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
