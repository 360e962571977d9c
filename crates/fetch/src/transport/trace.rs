//! What a request learns from the connection that is opened on its behalf.
//!
//! The client opens connections deep inside itself and shares them between requests, so the connector cannot
//! get the request as an argument. But the client calls the connector in the request's task, so the connector
//! finds the request's trace in a task-local. If the pool finds another connection first, the new one is
//! finished in the background; it then reports to a trace that nobody reads any more.

use std::pin::pin;
use std::sync::atomic::{AtomicU8, AtomicU64, Ordering::Relaxed};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use tokio::time::Instant;
use tokio::time::error::Elapsed;

/// During a pause the deadline is checked at most this often.
const PAUSE_TICK: Duration = Duration::from_millis(20);

tokio::task_local! {
    static CURRENT: Arc<Trace>;
}

/// What one request is doing, and how long its connection took.
#[derive(Debug, Default)]
pub(crate) struct Trace {
    /// A [`Stage`], or 0 before the first.
    stage: AtomicU8,
    /// Since when the request waits for the head of its answer; `None` in every other stage.
    waiting_since: Mutex<Option<Instant>>,
    dns_nanos: AtomicU64,
    connect_nanos: AtomicU64,
    tls_nanos: AtomicU64,
    /// Longest time for opening a connection; 0 leaves it to the default.
    connect_limit_nanos: AtomicU64,
    /// How long all pauses took, except the current one.
    paused_nanos: AtomicU64,
    /// When the current pause began.
    paused_since: Mutex<Option<Instant>>,
}

/// The stage of a request. A timeout error names it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(u8)]
pub(crate) enum Stage {
    /// Resolving, connecting, or the TLS handshake.
    Connecting = 1,
    /// The request is sent; nothing has come back.
    Answer = 2,
    /// The head is there; the body is coming in.
    Body = 3,
    /// The caller checks whether a redirect may be followed.
    RedirectCheck = 4,
    /// Another request fetches the same page.
    Shared = 5,
    /// Other bodies hold the memory that the body needs.
    Memory = 6,
}

impl Trace {
    pub(crate) fn enter(&self, stage: Stage) {
        self.stage.store(stage as u8, Relaxed);
        *locked(&self.waiting_since) = (stage == Stage::Answer).then(Instant::now);
    }

    /// The stage in words that fit behind "while".
    pub(crate) fn stage(&self) -> &'static str {
        match self.stage.load(Relaxed) {
            1 => "connecting",
            2 => "waiting for the answer",
            3 => "reading the body",
            4 => "a redirect was being checked",
            5 => "waiting for another request for the same page",
            6 => "waiting for memory for the body",
            _ => "preparing the request",
        }
    }

    pub(crate) fn dns(&self) -> Duration {
        Duration::from_nanos(self.dns_nanos.load(Relaxed))
    }

    pub(crate) fn connect(&self) -> Duration {
        Duration::from_nanos(self.connect_nanos.load(Relaxed))
    }

    pub(crate) fn tls(&self) -> Duration {
        Duration::from_nanos(self.tls_nanos.load(Relaxed))
    }

    /// Stops the clock of the request until the value is dropped, for time that is not the server's. One
    /// pause at a time.
    pub(crate) fn pause(&self, stage: Stage) -> Pause<'_> {
        self.enter(stage);
        *locked(&self.paused_since) = Some(Instant::now());
        Pause(self)
    }

    /// The deadline, later by the time of all pauses.
    pub(crate) fn extended(&self, deadline: Instant) -> Instant {
        let done = Duration::from_nanos(self.paused_nanos.load(Relaxed));
        let current = *locked(&self.paused_since);
        match current {
            Some(since) => deadline + done + since.elapsed().max(PAUSE_TICK),
            None => deadline + done,
        }
    }

    pub(crate) fn limit_connect(&self, limit: Option<Duration>) {
        self.connect_limit_nanos.store(limit.map_or(0, nanos), Relaxed);
    }
}

/// Nothing panics while one of these locks is held.
fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// A pause, until it is dropped.
#[derive(Debug)]
pub(crate) struct Pause<'a>(&'a Trace);

impl Drop for Pause<'_> {
    fn drop(&mut self) {
        if let Some(since) = locked(&self.0.paused_since).take() {
            self.0.paused_nanos.fetch_add(nanos(since.elapsed()), Relaxed);
        }
    }
}

/// Runs `work` until the deadline, which pauses extend.
pub(crate) async fn run_until<F: Future>(
    deadline: Instant,
    trace: &Trace,
    work: F,
) -> Result<F::Output, Elapsed> {
    let mut work = pin!(work);
    loop {
        let outcome = tokio::time::timeout_at(trace.extended(deadline), work.as_mut()).await;
        if outcome.is_ok() || trace.extended(deadline) <= Instant::now() {
            return outcome;
        }
    }
}

/// Runs `work`, which sends a request, until the server has been silent for `limit`. Connecting does not
/// count: it has a limit of its own.
pub(crate) async fn run_unless_silent<F: Future>(
    limit: Duration,
    trace: &Trace,
    work: F,
) -> Result<F::Output, Elapsed> {
    let mut work = pin!(work);
    let waiting_since = || *locked(&trace.waiting_since);
    loop {
        let until = waiting_since().unwrap_or_else(Instant::now) + limit;
        let outcome = tokio::time::timeout_at(until, work.as_mut()).await;
        if outcome.is_ok() || waiting_since().is_some_and(|since| since + limit <= Instant::now()) {
            return outcome;
        }
    }
}

/// Runs `future` as the work of the request that `trace` belongs to.
pub(crate) async fn scope<F: Future>(trace: Arc<Trace>, future: F) -> F::Output {
    CURRENT.scope(trace, future).await
}

pub(crate) fn now() -> Instant {
    Instant::now()
}

/// A lookup that began at `started` ended, with or without success.
pub(crate) fn resolved(trace: Option<&Trace>, started: Instant) {
    if let Some(trace) = trace {
        trace.dns_nanos.fetch_add(nanos(started.elapsed()), Relaxed);
    }
}

/// A TLS handshake that began at `started` ended, with or without success.
pub(crate) fn secured(trace: Option<&Trace>, started: Instant) {
    if let Some(trace) = trace {
        trace.tls_nanos.fetch_add(nanos(started.elapsed()), Relaxed);
    }
}

/// Opening a connection, TLS included, began at `started` and ended, with or without success.
pub(crate) fn connected(trace: Option<&Trace>, started: Instant) {
    if let Some(trace) = trace {
        trace.connect_nanos.fetch_add(nanos(started.elapsed()), Relaxed);
        trace.enter(Stage::Answer);
    }
}

/// The trace of the request whose task this is.
pub(crate) fn current() -> Option<Arc<Trace>> {
    CURRENT.try_with(Arc::clone).ok()
}

/// The longest time that the request of `trace` allows for opening a connection.
pub(crate) fn connect_limit(trace: Option<&Trace>, default: Duration) -> Duration {
    match trace.map_or(0, |trace| trace.connect_limit_nanos.load(Relaxed)) {
        0 => default,
        nanos => default.min(Duration::from_nanos(nanos)),
    }
}

fn nanos(duration: Duration) -> u64 {
    u64::try_from(duration.as_nanos()).unwrap_or(u64::MAX)
}
