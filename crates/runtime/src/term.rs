//! The term of the worker. A store of several processes leases pages to a worker for a term, which the worker
//! renews. After its end, another process may send requests to the same hosts, so none starts here.

use std::collections::{HashMap, HashSet};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use gleaner_store::{LeaseId, LeasedPage};
use gleaner_types::JobId;
use tokio::sync::watch;

use crate::cancellation::Cancellation;
use crate::clock::Clock;

/// The term of a worker, and the pages in work that depend on it. A store of one process sets no end.
#[derive(Debug)]
pub(crate) struct Term {
    clock: Clock,
    /// When the term ends, since the Unix epoch; `None` if it has no end.
    end: watch::Sender<Option<Duration>>,
    in_work: Mutex<HashMap<LeaseId, InWork>>,
}

#[derive(Debug)]
struct InWork {
    job: JobId,
    stop: Cancellation,
}

impl Term {
    pub(crate) fn new(clock: Clock) -> Arc<Self> {
        Arc::new(Self { clock, end: watch::Sender::new(None), in_work: Mutex::default() })
    }

    /// Whether the term can end.
    pub(crate) fn has_end(&self) -> bool {
        self.end.borrow().is_some()
    }

    /// Whether the term has ended, so that no request may start.
    pub(crate) fn is_over(&self) -> bool {
        self.end.borrow().is_some_and(|end| self.clock.now() >= end)
    }

    /// Returns at once while the term lasts; otherwise waits until it is renewed. Pages in work are stopped
    /// meanwhile.
    pub(crate) async fn lasts(&self) {
        if !self.is_over() {
            return;
        }
        let mut end = self.end.subscribe();
        while self.is_over() {
            // The sender is a part of `self`.
            let _always = end.changed().await;
        }
    }

    /// Waits until the term has ended.
    pub(crate) async fn ended(&self) {
        let mut changes = self.end.subscribe();
        loop {
            let end = *changes.borrow_and_update();
            let over = async {
                match end {
                    Some(end) => tokio::time::sleep_until(self.clock.instant(end)).await,
                    None => std::future::pending().await,
                }
            };
            tokio::select! {
                biased;
                _ = changes.changed() => {}
                () = over => return,
            }
        }
    }

    /// Waits until the term can end.
    pub(crate) async fn limited(&self) {
        let mut end = self.end.subscribe();
        let _always = end.wait_for(Option::is_some).await;
    }

    /// Sets the end that a renewal gave.
    pub(crate) fn renewed(&self, end: Option<Duration>) {
        match end {
            Some(_) => self.extend(end),
            None => {
                let _former = self.end.send_replace(None);
            }
        }
    }

    /// Applies the end that came with leases. Answers may arrive in another order than they were made, so the
    /// end never moves back.
    pub(crate) fn extend(&self, end: Option<Duration>) {
        self.end.send_if_modified(|current| {
            let is_later = end > *current;
            if is_later {
                *current = end;
            }
            is_later
        });
    }

    /// Registers a leased page, until the result is dropped.
    pub(crate) fn begin(self: &Arc<Self>, page: &LeasedPage) -> PageInWork {
        if !self.has_end() {
            return PageInWork(None);
        }
        let stop = Cancellation::new();
        self.in_work().insert(page.lease, InWork { job: page.job, stop: stop.clone() });
        // After the insert: the end of the term stops all pages that it finds.
        if self.is_over() {
            stop.cancel();
        }
        PageInWork(Some(Registered { term: Arc::clone(self), lease: page.lease, stop }))
    }

    /// Stops the work on these leases. Returns their jobs.
    pub(crate) fn lose(&self, lost: &[LeaseId]) -> HashSet<JobId> {
        let in_work = self.in_work();
        let lost = lost.iter().filter_map(|lease| in_work.get(lease));
        lost.map(|page| {
            page.stop.cancel();
            page.job
        })
        .collect()
    }

    /// Stops the work on all pages.
    pub(crate) fn stop_all(&self) -> usize {
        let in_work = self.in_work();
        in_work.values().for_each(|page| page.stop.cancel());
        in_work.len()
    }

    fn in_work(&self) -> MutexGuard<'_, HashMap<LeaseId, InWork>> {
        self.in_work.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A leased page in work.
#[derive(Debug)]
pub(crate) struct PageInWork(Option<Registered>);

#[derive(Debug)]
struct Registered {
    term: Arc<Term>,
    lease: LeaseId,
    stop: Cancellation,
}

impl PageInWork {
    /// Waits until the lease of the page is lost, or the term has ended.
    pub(crate) async fn stopped(&self) {
        match &self.0 {
            Some(page) => page.stop.cancelled().await,
            None => std::future::pending().await,
        }
    }
}

impl Drop for Registered {
    fn drop(&mut self) {
        self.term.in_work().remove(&self.lease);
    }
}

#[cfg(test)]
mod tests {
    use futures_util::FutureExt as _;

    use super::*;

    const NOW: Duration = Duration::from_secs(1_000);
    const SECOND: Duration = Duration::from_secs(1);

    #[tokio::test(start_paused = true)]
    async fn a_term_without_an_end_lasts() {
        let term = Term::new(Clock::starting_at(NOW));
        tokio::time::advance(Duration::from_secs(1_000_000)).await;
        assert!(!term.has_end() && !term.is_over());
        assert_eq!(term.lasts().now_or_never(), Some(()));
        assert_eq!(term.ended().now_or_never(), None);
        assert_eq!(term.limited().now_or_never(), None);
    }

    #[tokio::test(start_paused = true)]
    async fn a_term_is_over_at_its_end_until_it_is_renewed() {
        let term = Term::new(Clock::starting_at(NOW));
        term.renewed(Some(NOW + SECOND));
        // An older answer.
        term.extend(Some(NOW));
        term.extend(None);
        assert!(term.has_end() && !term.is_over());
        let ended = tokio::time::Instant::now();
        term.ended().await;
        assert_eq!(ended.elapsed(), SECOND);
        assert!(term.is_over());
        let mut waits = Box::pin(term.lasts());
        assert_eq!(waits.as_mut().now_or_never(), None);
        term.renewed(Some(NOW + 2 * SECOND));
        assert_eq!(waits.now_or_never(), Some(()));
        term.renewed(None);
        assert!(!term.has_end());
    }
}
