//! Work over long lists of small items: the links of one page, the pages of a sitemap.
//!
//! The first items are processed on the caller's thread, because most lists are short. The rest is processed
//! on blocking threads, slice by slice, with a permit per slice. So a long list does not block a runtime
//! thread, several lists make progress together, and the work stops when the caller stops waiting.
//! Alternative: one blocking task for the whole list. It could not be stopped.

use std::sync::Arc;

use tokio::sync::Semaphore;

use crate::blocking::blocking_with_permit;

/// Maximum number of concurrent slices.
pub const MAX_CONCURRENT_SLICES: usize = 2;

/// Steps on the caller's thread, about a millisecond. For the meaning of a step, see
/// [`CrawlScope::decide_counting`](gleaner_frontier::CrawlScope::decide_counting).
const INLINE_STEPS: u64 = 200_000;

/// Steps per slice, about ten milliseconds.
const STEPS_PER_SLICE: u64 = 2_000_000;

/// The permits for slices.
#[derive(Debug, Clone)]
pub(crate) struct Slices(Arc<Semaphore>);

impl Default for Slices {
    fn default() -> Self {
        Self(Arc::new(Semaphore::new(MAX_CONCURRENT_SLICES)))
    }
}

impl Slices {
    /// Applies `select` to the items in order and collects its results. `select` adds its steps to its second
    /// argument.
    pub(crate) async fn filter_map<T, R>(
        &self,
        items: Vec<T>,
        select: impl Fn(T, &mut u64) -> Option<R> + Send + Sync + 'static,
    ) -> Vec<R>
    where
        T: Send + 'static,
        R: Send + 'static,
    {
        let mut rest = items.into_iter();
        let mut selected = Vec::new();
        process_slice(&mut rest, &mut selected, &select, INLINE_STEPS);
        let select = Arc::new(select);
        while !rest.as_slice().is_empty() {
            let select = Arc::clone(&select);
            let work = move || {
                process_slice(&mut rest, &mut selected, &*select, STEPS_PER_SLICE);
                (rest, selected)
            };
            match self.blocking(work).await {
                Some(done) => (rest, selected) = done,
                None => return Vec::new(),
            }
        }
        selected
    }

    /// [`blocking_with_permit`] with a permit for a slice, for work of at most some tens of milliseconds.
    pub(crate) async fn blocking<R: Send + 'static>(
        &self,
        work: impl FnOnce() -> R + Send + 'static,
    ) -> Option<R> {
        blocking_with_permit(&self.0, work).await
    }
}

/// Processes items until this many steps are made or no item is left.
fn process_slice<T, R>(
    items: &mut impl Iterator<Item = T>,
    selected: &mut Vec<R>,
    select: &impl Fn(T, &mut u64) -> Option<R>,
    max_steps: u64,
) {
    let mut steps = 0;
    while steps < max_steps
        && let Some(item) = items.next()
    {
        selected.extend(select(item, &mut steps));
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Mutex;
    use std::thread::{self, ThreadId};

    use super::*;

    /// Steps per item.
    const COST: u64 = 50_000;

    /// For each item, whether it is the first of a slice, and the thread that processed it.
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
    async fn long_lists_are_processed_in_slices_on_blocking_threads() {
        let (slices, log) = (Slices::default(), Log::default());
        let selected = slices.filter_map((0..200).collect(), logging(&log)).await;
        assert_eq!(selected, (0..200).filter(|item| item % 2 == 0).collect::<Vec<u32>>());
        let log = log.lock().unwrap();
        let caller = thread::current().id();
        let lengths: Vec<(usize, bool)> = log
            .chunk_by(|_, (is_first, _)| !is_first)
            .map(|slice| (slice.len(), slice.iter().all(|(_, thread)| *thread == caller)))
            .collect();
        let first = (INLINE_STEPS / COST) as usize;
        let others = (STEPS_PER_SLICE / COST) as usize;
        assert_eq!(lengths[0], (first, true));
        assert!(lengths[1..].iter().all(|(length, inline)| *length <= others && !inline), "{lengths:?}");
        assert_eq!(lengths.len(), 1 + (200 - first).div_ceil(others));
    }

    #[tokio::test]
    async fn short_lists_are_processed_on_the_thread_of_the_caller() {
        let (slices, log) = (Slices::default(), Log::default());
        slices.filter_map(vec![1, 2, 3], logging(&log)).await;
        assert!(log.lock().unwrap().iter().all(|(_, thread)| *thread == thread::current().id()));
    }

    #[tokio::test]
    async fn work_stops_when_the_caller_stops_waiting() {
        let (slices, log) = (Slices::default(), Log::default());
        {
            let work = slices.filter_map((0..100_000).collect(), logging(&log));
            tokio::select! {
                biased;
                _ = work => panic!("the list must be too long for the caller's thread"),
                () = std::future::ready(()) => {}
            }
        }
        // All permits are free only after the running slice has ended.
        let permits = u32::try_from(MAX_CONCURRENT_SLICES).unwrap();
        let _all = slices.0.acquire_many(permits).await.unwrap();
        let done = log.lock().unwrap().len() as u64;
        assert!(done <= (INLINE_STEPS + STEPS_PER_SLICE) / COST, "{done}");
    }
}
