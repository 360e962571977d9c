//! Work over many small things: the links of one page, the pages of a sitemap.
//!
//! A few of them cost next to nothing and are worked on where they are. The rest goes to threads for blocking
//! work, slice by slice, with a place for each slice: so no list holds up the connections of a thread of the
//! runtime, who has a long list takes turns with the others, and nothing more is done once nobody waits for
//! it. One thread for the whole of a list, the obvious alternative, could not be stopped.

use std::sync::Arc;

use tokio::sync::Semaphore;

use crate::blocking::blocking_with_permit;

/// Slices that are worked on at once.
pub const MAX_CONCURRENT_SLICES: usize = 2;

/// Steps that are made on the thread of the caller, about a millisecond. What a step is, see
/// [`CrawlScope::decide_counting`](gleaner_frontier::CrawlScope::decide_counting).
const STEPS_AT_ONCE: u64 = 200_000;

/// Steps of one slice, about ten milliseconds.
const STEPS_OF_SLICE: u64 = 2_000_000;

/// The places for slices.
#[derive(Debug, Clone)]
pub(crate) struct Slices(Arc<Semaphore>);

impl Default for Slices {
    fn default() -> Self {
        Self(Arc::new(Semaphore::new(MAX_CONCURRENT_SLICES)))
    }
}

impl Slices {
    /// What `pick` gives for each of the items, in their order. It adds to its second argument the steps that
    /// it makes.
    pub(crate) async fn each<T, R>(
        &self,
        items: Vec<T>,
        pick: impl Fn(T, &mut u64) -> Option<R> + Send + Sync + 'static,
    ) -> Vec<R>
    where
        T: Send + 'static,
        R: Send + 'static,
    {
        let mut rest = items.into_iter();
        let mut picked = Vec::new();
        slice(&mut rest, &mut picked, &pick, STEPS_AT_ONCE);
        let pick = Arc::new(pick);
        while !rest.as_slice().is_empty() {
            let pick = Arc::clone(&pick);
            let work = move || {
                slice(&mut rest, &mut picked, &*pick, STEPS_OF_SLICE);
                (rest, picked)
            };
            match self.blocking(work).await {
                Some(done) => (rest, picked) = done,
                None => return Vec::new(),
            }
        }
        picked
    }

    /// [`blocking_with_permit`] in a place for a slice, for work of at most some tens of milliseconds.
    pub(crate) async fn blocking<R: Send + 'static>(
        &self,
        work: impl FnOnce() -> R + Send + 'static,
    ) -> Option<R> {
        blocking_with_permit(&self.0, work).await
    }
}

/// Works on items until this many steps are made or none is left.
fn slice<T, R>(
    items: &mut impl Iterator<Item = T>,
    picked: &mut Vec<R>,
    pick: &impl Fn(T, &mut u64) -> Option<R>,
    most: u64,
) {
    let mut steps = 0;
    while steps < most
        && let Some(item) = items.next()
    {
        picked.extend(pick(item, &mut steps));
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Mutex;
    use std::thread::{self, ThreadId};

    use super::*;

    /// What one item costs.
    const COST: u64 = 50_000;

    /// For each item, whether a slice begins with it, and where it was worked on.
    type Log = Arc<Mutex<Vec<(bool, ThreadId)>>>;

    fn logging(log: &Log) -> impl Fn(u32, &mut u64) -> Option<u32> + Send + Sync + 'static + use<> {
        let log = Arc::clone(log);
        move |item, steps| {
            log.lock().unwrap().push((*steps == 0, thread::current().id()));
            *steps += COST;
            item.is_multiple_of(2).then_some(item)
        }
    }

    #[tokio::test]
    async fn long_lists_are_worked_on_in_slices_away_from_the_runtime() {
        let (slices, log) = (Slices::default(), Log::default());
        let picked = slices.each((0..200).collect(), logging(&log)).await;
        assert_eq!(picked, (0..200).filter(|item| item % 2 == 0).collect::<Vec<u32>>());
        let log = log.lock().unwrap();
        let here = thread::current().id();
        let lengths: Vec<(usize, bool)> = log
            .chunk_by(|_, (begins, _)| !begins)
            .map(|slice| (slice.len(), slice.iter().all(|(_, on)| *on == here)))
            .collect();
        let first = (STEPS_AT_ONCE / COST) as usize;
        let others = (STEPS_OF_SLICE / COST) as usize;
        assert_eq!(lengths[0], (first, true));
        assert!(lengths[1..].iter().all(|(length, here)| *length <= others && !here), "{lengths:?}");
        assert_eq!(lengths.len(), 1 + (200 - first).div_ceil(others));
    }

    #[tokio::test]
    async fn short_lists_are_worked_on_at_once() {
        let (slices, log) = (Slices::default(), Log::default());
        slices.each(vec![1, 2, 3], logging(&log)).await;
        assert!(log.lock().unwrap().iter().all(|(_, on)| *on == thread::current().id()));
    }

    #[tokio::test]
    async fn nothing_more_is_done_once_nobody_waits() {
        let (slices, log) = (Slices::default(), Log::default());
        {
            let work = slices.each((0..100_000).collect(), logging(&log));
            tokio::select! {
                biased;
                _ = work => panic!("there is more than is done at once"),
                () = std::future::ready(()) => {}
            }
        }
        // Once all places are free, the slice that was under way has ended.
        let most = u32::try_from(MAX_CONCURRENT_SLICES).unwrap();
        let _all = slices.0.acquire_many(most).await.unwrap();
        let done = log.lock().unwrap().len() as u64;
        assert!(done <= (STEPS_AT_ONCE + STEPS_OF_SLICE) / COST, "{done}");
    }
}
