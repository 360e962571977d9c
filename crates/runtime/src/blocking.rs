//! Long work on blocking threads.
//!
//! All of it starts through [`spawn_blocking`]. [`blocking`] stops the work at a time limit or when the
//! caller stops waiting. [`blocking_with_permit`] and [`blocking_to_end`] wait for the end of the work, and
//! are for work whose cost is bounded.

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use gleaner_types::Interrupt;
use tokio::runtime::Handle;
use tokio::sync::Semaphore;
use tokio::task::JoinHandle;
use tokio::time::{Instant, timeout_at};
use tracing::dispatcher::{Dispatch, with_default};

/// Why [`blocking`] work has no result.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum BlockingError {
    /// No permit was free in time.
    NoCapacity,
    /// The work took too long.
    Late,
    /// The work panicked.
    Failed,
}

impl fmt::Display for BlockingError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::NoCapacity => "no slot was free in time",
            Self::Late => "the work took too long",
            Self::Failed => "the work failed",
        })
    }
}

impl std::error::Error for BlockingError {}

/// Limits on the wait for work.
#[derive(Debug, Clone, Copy)]
pub struct WaitLimits {
    /// The deadline for the result.
    pub deadline: Instant,
    /// Maximum wait for a permit, and again for the work.
    pub max_wait: Duration,
}

impl WaitLimits {
    fn next_deadline(self) -> Instant {
        self.deadline.min(Instant::now() + self.max_wait)
    }
}

/// Runs work on a blocking thread, with a permit.
///
/// A thread cannot be stopped from outside. So the interrupt is raised at a time limit and when the future is
/// dropped, and the work must check it. The permit becomes free only when the thread ends: work that does not
/// stop delays only work that needs the same permits.
///
/// # Errors
/// Why there is no result.
pub async fn blocking<T: Send + 'static>(
    permits: &Arc<Semaphore>,
    interrupt: &Interrupt,
    limits: WaitLimits,
    work: impl FnOnce() -> T + Send + 'static,
) -> Result<T, BlockingError> {
    let permit = async { Arc::clone(permits).acquire_owned().await.ok() };
    blocking_in_turn(permit, interrupt, limits, work).await
}

/// As [`blocking`], with any kind of permit, which is awaited first.
pub(crate) async fn blocking_in_turn<P: Send + 'static, T: Send + 'static>(
    permit: impl Future<Output = Option<P>>,
    interrupt: &Interrupt,
    limits: WaitLimits,
    work: impl FnOnce() -> T + Send + 'static,
) -> Result<T, BlockingError> {
    let raise_on_drop = interrupt.raise_on_drop();
    let Ok(Some(permit)) = timeout_at(limits.next_deadline(), permit).await else {
        return Err(BlockingError::NoCapacity);
    };
    let thread = spawn_blocking(with_permit(permit, work));
    let result = timeout_at(limits.next_deadline(), thread).await.map_err(|_| BlockingError::Late)?;
    raise_on_drop.disarm();
    result.map_err(|_| BlockingError::Failed)
}

/// Runs work to its end on a blocking thread, with a permit. A panic resumes in the caller. `None` if the
/// tokio runtime shuts down.
pub(crate) async fn blocking_with_permit<T: Send + 'static>(
    permits: &Arc<Semaphore>,
    work: impl FnOnce() -> T + Send + 'static,
) -> Option<T> {
    let permit = Arc::clone(permits).acquire_owned().await.ok()?;
    blocking_to_end(with_permit(permit, work)).await
}

/// Runs a long store operation, which does not yield, on a blocking thread. It runs to its end even if the
/// caller stops waiting.
pub async fn blocking_operation<T: Send + 'static>(operation: impl Future<Output = T> + Send + 'static) -> T {
    let runtime = Handle::current();
    match blocking_to_end(move || runtime.block_on(operation)).await {
        Some(result) => result,
        // The tokio runtime shuts down, and drops the caller as well.
        None => std::future::pending().await,
    }
}

/// As [`blocking_with_permit`], without a permit.
pub(crate) async fn blocking_to_end<T: Send + 'static>(
    work: impl FnOnce() -> T + Send + 'static,
) -> Option<T> {
    match spawn_blocking(work).await {
        Ok(result) => Some(result),
        Err(error) => match error.try_into_panic() {
            Ok(panic) => std::panic::resume_unwind(panic),
            Err(_) => None,
        },
    }
}

/// Starts work on a blocking thread, with the log subscriber of the caller:
/// [`without_logs`](crate::without_logs) sets the subscriber for the current thread only.
pub fn spawn_blocking<T: Send + 'static>(work: impl FnOnce() -> T + Send + 'static) -> JoinHandle<T> {
    let log = Dispatch::default();
    tokio::task::spawn_blocking(move || with_default(&log, work))
}

/// Work that holds its permit until it ends, even if the caller stops waiting earlier.
fn with_permit<P: Send + 'static, T: Send + 'static>(
    permit: P,
    work: impl FnOnce() -> T + Send + 'static,
) -> impl FnOnce() -> T + Send + 'static {
    move || {
        let _permit = permit;
        work()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn wait_limits(seconds: u64) -> WaitLimits {
        let max_wait = Duration::from_secs(seconds);
        WaitLimits { deadline: Instant::now() + max_wait, max_wait }
    }

    /// Work that runs until it is interrupted, and a channel that receives a message at its end.
    fn endless(interrupt: &Interrupt) -> (impl FnOnce() + Send + 'static, std::sync::mpsc::Receiver<()>) {
        let (sender, ended) = std::sync::mpsc::channel();
        let interrupt = interrupt.clone();
        let work = move || {
            while !interrupt.spend(1) {
                std::thread::yield_now();
            }
            sender.send(()).unwrap();
        };
        (work, ended)
    }

    #[tokio::test]
    async fn work_runs_on_another_thread_and_may_panic() {
        let (permits, interrupt) = (Arc::new(Semaphore::new(1)), Interrupt::armed());
        let caller = std::thread::current().id();
        let worker =
            blocking(&permits, &interrupt, wait_limits(60), || std::thread::current().id()).await.unwrap();
        assert_ne!(caller, worker);
        assert!(!interrupt.is_raised(), "work in time leaves the interrupt usable");
        let failed: Result<(), _> =
            blocking(&permits, &interrupt, wait_limits(60), || panic!("on purpose")).await;
        assert_eq!(failed, Err(BlockingError::Failed));
        assert_eq!(permits.available_permits(), 1);
    }

    #[tokio::test]
    #[should_panic(expected = "of the work itself")]
    async fn a_panic_resumes_in_the_caller() {
        let work = || assert!(std::hint::black_box(false), "of the work itself");
        blocking_with_permit(&Arc::new(Semaphore::new(1)), work).await;
    }

    #[tokio::test]
    async fn work_stops_at_its_time_limit_and_releases_its_permit() {
        let (permits, interrupt) = (Arc::new(Semaphore::new(1)), Interrupt::armed());
        let (work, ended) = endless(&interrupt);
        // A free permit is taken even though the deadline has passed.
        let expired = WaitLimits { deadline: Instant::now(), max_wait: Duration::from_secs(60) };
        assert_eq!(blocking(&permits, &interrupt, expired, work).await, Err(BlockingError::Late));
        ended.recv().unwrap();
        let other = Interrupt::armed();
        assert_eq!(blocking(&permits, &other, wait_limits(60), || 7).await, Ok(7));
    }

    #[tokio::test]
    async fn work_stops_when_the_caller_stops_waiting_and_holds_its_permit_until_then() {
        let (permits, interrupt) = (Arc::new(Semaphore::new(1)), Interrupt::armed());
        let (work, ended) = endless(&interrupt);
        let mut waiting = Box::pin(blocking(&permits, &interrupt, wait_limits(60), work));
        assert!(tokio::time::timeout(Duration::ZERO, &mut waiting).await.is_err());
        let no_wait = WaitLimits { deadline: Instant::now(), max_wait: Duration::ZERO };
        let second = blocking(&permits, &Interrupt::armed(), no_wait, || ()).await;
        assert_eq!(second, Err(BlockingError::NoCapacity));
        drop(waiting);
        ended.recv().unwrap();
    }
}
