use std::fmt;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio::time::Instant;

use super::HostLimits;
use super::rate::Rate;

/// One host: who may be under way to it, and when the next may begin.
pub(super) struct Host {
    permits: Arc<Semaphore>,
    rate: Mutex<Option<Arc<Rate>>>,
    /// When the last request began.
    began: Mutex<Option<Instant>>,
    /// Held by the one that waits for the interval. The others queue behind it, in their order: a rate alone would be
    /// won by whoever looks first after each interval.
    turn: tokio::sync::Mutex<()>,
}

impl Host {
    pub(super) fn new(limits: HostLimits) -> Self {
        let host = Self {
            permits: Arc::new(Semaphore::new(limits.concurrency.max(1) as usize)),
            rate: Mutex::new(None),
            began: Mutex::new(None),
            turn: tokio::sync::Mutex::new(()),
        };
        host.set_interval(limits.interval.min(super::MAX_INTERVAL));
        host
    }

    pub(super) fn set_interval(&self, interval: Duration) {
        *self.rate.lock().unwrap_or_else(PoisonError::into_inner) =
            Rate::new(interval, self.last_began()).map(Arc::new);
    }

    fn last_began(&self) -> Option<Instant> {
        *self.began.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Notes that a request begins.
    fn note(&self) {
        *self.began.lock().unwrap_or_else(PoisonError::into_inner) = Some(Instant::now());
    }

    fn rate(&self) -> Option<Arc<Rate>> {
        self.rate.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Waits for the host's permit, for its interval, and for one of the permits in `total`.
    pub(super) async fn enter(&self, total: &Arc<Semaphore>) -> (OwnedSemaphorePermit, OwnedSemaphorePermit) {
        let permit = acquire(&self.permits).await;
        if self.rate().is_none() {
            let all = acquire(total).await;
            self.note();
            return (permit, all);
        }
        let _turn = self.turn.lock().await;
        loop {
            let all = acquire(total).await;
            // Looked at each time: the interval may have been changed meanwhile.
            let begins = self.rate().map_or(Ok(()), |rate| rate.begin());
            match begins {
                Ok(()) => {
                    self.note();
                    return (permit, all);
                }
                Err(wait) => {
                    drop(all);
                    tokio::time::sleep(wait).await;
                }
            }
        }
    }

    /// May a request begin at once, so that nothing is lost where the host is forgotten?
    pub(super) fn is_rested(&self) -> bool {
        self.rate().is_none_or(|rate| rate.is_rested())
    }
}

/// A permit of `semaphore`, which nobody closes.
async fn acquire(semaphore: &Arc<Semaphore>) -> OwnedSemaphorePermit {
    loop {
        if let Ok(permit) = Arc::clone(semaphore).acquire_owned().await {
            return permit;
        }
        // Only a closed semaphore leads here, and to wait for ever is what it would mean.
        std::future::pending::<()>().await;
    }
}

impl fmt::Debug for Host {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Host").field("free", &self.permits.available_permits()).finish_non_exhaustive()
    }
}
