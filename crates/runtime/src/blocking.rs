//! Work that takes long, on threads for blocking work.
//!
//! [`spawn_blocking`] is the one way there. Who waits for the work chooses how: [`blocking`] ends the work
//! when the time is over or nobody waits any more; [`blocking_with_permit`] and [`blocking_to_end`] wait for
//! its end, and are for work that is bounded by itself.

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use gleaner_types::Interrupt;
use tokio::runtime::Handle;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio::task::JoinHandle;
use tokio::time::{Instant, timeout_at};
use tracing::dispatcher::{Dispatch, with_default};

/// Why work that was done [`blocking`] has no result.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum BlockingError {
    /// All places were taken until the time was over.
    NoCapacity,
    /// It was not done in time.
    Late,
    /// It panicked.
    Failed,
}

impl fmt::Display for BlockingError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::NoCapacity => "there was no place to work on it in time",
            Self::Late => "it was not done in time",
            Self::Failed => "the engine failed on it",
        })
    }
}

impl std::error::Error for BlockingError {}

/// When the wait for work ends.
#[derive(Debug, Clone, Copy)]
pub struct WaitLimits {
    /// Nobody waits for the result beyond this.
    pub until: Instant,
    /// Longest wait for a place, and then again for the work.
    pub each: Duration,
}

impl WaitLimits {
    fn next(self) -> Instant {
        self.until.min(Instant::now() + self.each)
    }
}

/// Does work on a thread for blocking work, in one of a few places.
///
/// A thread cannot be ended from outside. So the interrupt is raised when the time is over and when the
/// future is dropped, and the work is to stop at it. Its place is free only when its thread has ended: what
/// does not stop keeps others of its kind waiting, and nothing else.
///
/// # Errors
/// Why there is no result.
pub async fn blocking<T: Send + 'static>(
    places: &Arc<Semaphore>,
    interrupt: &Interrupt,
    patience: WaitLimits,
    work: impl FnOnce() -> T + Send + 'static,
) -> Result<T, BlockingError> {
    let ends = interrupt.raise_on_drop();
    let Ok(Ok(place)) = timeout_at(patience.next(), Arc::clone(places).acquire_owned()).await else {
        return Err(BlockingError::NoCapacity);
    };
    let thread = spawn_blocking(holding(place, work));
    let done = timeout_at(patience.next(), thread).await.map_err(|_| BlockingError::Late)?;
    ends.disarm();
    done.map_err(|_| BlockingError::Failed)
}

/// Does work to its end on a thread for blocking work, in one of a few places. A panic goes on in the caller.
/// `None` where the runtime comes to its end.
pub(crate) async fn blocking_with_permit<T: Send + 'static>(
    places: &Arc<Semaphore>,
    work: impl FnOnce() -> T + Send + 'static,
) -> Option<T> {
    let place = Arc::clone(places).acquire_owned().await.ok()?;
    blocking_to_end(holding(place, work)).await
}

/// Does an operation of a store that takes long, and cannot let others have their turn, on a thread for
/// blocking work. It is done whether anybody waits for it or not.
pub async fn blocking_operation<T: Send + 'static>(operation: impl Future<Output = T> + Send + 'static) -> T {
    let runtime = Handle::current();
    match blocking_to_end(move || runtime.block_on(operation)).await {
        Some(done) => done,
        // The runtime comes to its end, and with it whoever waits for this.
        None => std::future::pending().await,
    }
}

/// As [`blocking_with_permit`], without a place.
pub(crate) async fn blocking_to_end<T: Send + 'static>(
    work: impl FnOnce() -> T + Send + 'static,
) -> Option<T> {
    match spawn_blocking(work).await {
        Ok(done) => Some(done),
        Err(error) => match error.try_into_panic() {
            Ok(panic) => std::panic::resume_unwind(panic),
            Err(_) => None,
        },
    }
}

/// Begins work on a thread for blocking work. What it logs goes where the log of the caller goes: a log that
/// is [silenced](crate::without_logs) is so on one thread alone.
pub fn spawn_blocking<T: Send + 'static>(work: impl FnOnce() -> T + Send + 'static) -> JoinHandle<T> {
    let log = Dispatch::default();
    tokio::task::spawn_blocking(move || with_default(&log, work))
}

/// Work whose place is free when the work has ended, and not when nobody waits for it any more.
fn holding<T: Send + 'static>(
    place: OwnedSemaphorePermit,
    work: impl FnOnce() -> T + Send + 'static,
) -> impl FnOnce() -> T + Send + 'static {
    move || {
        let _place = place;
        work()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn patience(seconds: u64) -> WaitLimits {
        let each = Duration::from_secs(seconds);
        WaitLimits { until: Instant::now() + each, each }
    }

    /// Works until it is interrupted, and tells that it has ended.
    fn endless(interrupt: &Interrupt) -> (impl FnOnce() + Send + 'static, std::sync::mpsc::Receiver<()>) {
        let (tell, ended) = std::sync::mpsc::channel();
        let interrupt = interrupt.clone();
        let work = move || {
            while !interrupt.spend(1) {
                std::thread::yield_now();
            }
            tell.send(()).unwrap();
        };
        (work, ended)
    }

    #[tokio::test]
    async fn work_is_done_on_another_thread_and_may_fail() {
        let (places, interrupt) = (Arc::new(Semaphore::new(1)), Interrupt::armed());
        let here = std::thread::current().id();
        let there =
            blocking(&places, &interrupt, patience(60), || std::thread::current().id()).await.unwrap();
        assert_ne!(here, there);
        assert!(!interrupt.is_raised(), "what is done in time may be followed by more");
        let failed: Result<(), _> =
            blocking(&places, &interrupt, patience(60), || panic!("on purpose")).await;
        assert_eq!(failed, Err(BlockingError::Failed));
        assert_eq!(places.available_permits(), 1);
    }

    #[tokio::test]
    #[should_panic(expected = "of the work itself")]
    async fn a_panic_goes_on_in_who_waits_for_the_end() {
        let work = || assert!(std::hint::black_box(false), "of the work itself");
        blocking_with_permit(&Arc::new(Semaphore::new(1)), work).await;
    }

    #[tokio::test]
    async fn work_ends_with_its_time_and_gives_its_place_back() {
        let (places, interrupt) = (Arc::new(Semaphore::new(1)), Interrupt::armed());
        let (work, ended) = endless(&interrupt);
        // The time is over before it begins.
        let over = WaitLimits { until: Instant::now(), each: Duration::from_secs(60) };
        assert_eq!(blocking(&places, &interrupt, over, work).await, Err(BlockingError::Late));
        ended.recv().unwrap();
        let other = Interrupt::armed();
        assert_eq!(blocking(&places, &other, patience(60), || 7).await, Ok(7));
    }

    #[tokio::test]
    async fn work_ends_with_whoever_waits_for_it_and_others_wait_for_its_place() {
        let (places, interrupt) = (Arc::new(Semaphore::new(1)), Interrupt::armed());
        let (work, ended) = endless(&interrupt);
        let mut waits = Box::pin(blocking(&places, &interrupt, patience(60), work));
        assert!(tokio::time::timeout(Duration::ZERO, &mut waits).await.is_err());
        let none = WaitLimits { until: Instant::now(), each: Duration::ZERO };
        assert_eq!(blocking(&places, &Interrupt::armed(), none, || ()).await, Err(BlockingError::NoCapacity));
        drop(waits);
        ended.recv().unwrap();
    }
}
