//! Random operations on a store and on the memory store. Both must give the same answers, also after the
//! store was opened again.

#![expect(
    clippy::indexing_slicing,
    clippy::unwrap_used,
    reason = "a difference between the stores ends the run"
)]

mod pair;
mod random;

use std::time::Duration;

use crate::Store;

/// A store that can be opened again.
pub trait Reopen {
    /// The type of the store.
    type Store: Store;

    /// The store, open.
    fn store(&self) -> &Self::Store;

    /// Ends the process of the store and opens the store in another one. Pages that are leased wait again.
    fn reopen(&mut self, now: Duration) -> impl Future<Output = ()>;

    /// How long pages that are ready may need until they are leased, if the store waits for a database.
    fn patience(&self) -> Duration {
        Duration::ZERO
    }

    /// Maintains the files of the store, if it does not do so by itself. `below` gives random numbers below
    /// its argument.
    fn compact(&mut self, below: &mut dyn FnMut(u64) -> u64) -> impl Future<Output = ()> {
        let _ = below;
        async {}
    }
}

/// Runs as many random operations as `steps`, which the seed determines, on an empty store. Returns how often
/// the store was opened again.
///
/// # Panics
/// At the first answer that differs from that of the memory store.
pub async fn run<R: Reopen>(seed: u64, steps: usize, tested: R) -> u64 {
    let mut pair = pair::Pair::new(seed, tested);
    for step in 0..steps {
        pair.step(step).await;
    }
    pair.reopened
}
