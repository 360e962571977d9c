//! What a request learns from the connection that is opened on its behalf.
//!
//! The client opens connections deep inside itself and shares them between requests, so there is no argument through
//! which the connector could report to the request it works for. It is called in its task, though, and finds its trace
//! there. A connection that is finished in the background, because the pool had something better to offer, reports to a
//! trace that nobody reads any more.

use std::pin::pin;
use std::sync::atomic::{AtomicU8, AtomicU64, Ordering::Relaxed};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use tokio::time::Instant;
use tokio::time::error::Elapsed;

/// While a check is under way, the deadline is looked at no more often than this.
const CHECK_TICK: Duration = Duration::from_millis(20);

tokio::task_local! {
    static CURRENT: Arc<Trace>;
}

/// What one request is doing, and how long its connection took.
#[derive(Debug, Default)]
pub(crate) struct Trace {
    stage: AtomicU8,
    dns_nanos: AtomicU64,
    connect_nanos: AtomicU64,
    tls_nanos: AtomicU64,
    /// Longest time for opening a connection; 0 leaves it to the default.
    connect_limit_nanos: AtomicU64,
    /// What the caller's checks of redirects took, apart from one under way.
    checked_nanos: AtomicU64,
    /// When the check under way began.
    checking_since: Mutex<Option<Instant>>,
}

/// Where in its way a request is; told when the deadline cuts it off.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(u8)]
pub(crate) enum Stage {
    /// Waiting before a repeated try.
    Pause = 0,
    /// Resolving, connecting, or shaking hands.
    Connecting = 1,
    /// The request is sent; nothing has come back.
    Answer = 2,
    /// The head is there; the body is coming in.
    Body = 3,
    /// The caller is asked whether a redirect may be followed.
    RedirectCheck = 4,
    /// Another request fetches the same page.
    Shared = 5,
    /// The host or the whole is at its limit.
    Permit = 6,
    /// Other bodies hold the memory that the body needs.
    Memory = 7,
}

impl Trace {
    pub(crate) fn enter(&self, stage: Stage) {
        self.stage.store(stage as u8, Relaxed);
    }

    /// The stage in words that fit behind "while".
    pub(crate) fn stage(&self) -> &'static str {
        match self.stage.load(Relaxed) {
            0 => "waiting before another try",
            1 => "connecting",
            2 => "waiting for the answer",
            3 => "reading the body",
            4 => "a redirect was being checked",
            5 => "waiting for another request for the same page",
            7 => "waiting for memory for the body",
            _ => "waiting for its turn",
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

    /// The caller is about to be asked about a redirect, and what that takes is the caller's own time until the value
    /// is dropped.
    pub(crate) fn checking(&self) -> Checking<'_> {
        self.pausing(Stage::RedirectCheck)
    }

    /// What comes next is no part of the request's time until the value is dropped. One such value at a time.
    pub(crate) fn pausing(&self, stage: Stage) -> Checking<'_> {
        self.enter(stage);
        *self.since() = Some(Instant::now());
        Checking(self)
    }

    /// The deadline, put off by the time that the caller took.
    pub(crate) fn put_off(&self, deadline: Instant) -> Instant {
        let done = Duration::from_nanos(self.checked_nanos.load(Relaxed));
        let under_way = *self.since();
        match under_way {
            Some(since) => deadline + done + since.elapsed().max(CHECK_TICK),
            None => deadline + done,
        }
    }

    fn since(&self) -> MutexGuard<'_, Option<Instant>> {
        self.checking_since.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(crate) fn limit_connect(&self, limit: Option<Duration>) {
        self.connect_limit_nanos.store(limit.map_or(0, nanos), Relaxed);
    }
}

/// A check under way; it ends when this is dropped.
#[derive(Debug)]
pub(crate) struct Checking<'a>(&'a Trace);

impl Drop for Checking<'_> {
    fn drop(&mut self) {
        if let Some(since) = self.0.since().take() {
            self.0.checked_nanos.fetch_add(nanos(since.elapsed()), Relaxed);
        }
    }
}

/// Waits for `work` until the deadline, which time in the caller's own hands puts off.
pub(crate) async fn before<F: Future>(
    deadline: Instant,
    trace: &Trace,
    work: F,
) -> Result<F::Output, Elapsed> {
    let mut work = pin!(work);
    loop {
        let outcome = tokio::time::timeout_at(trace.put_off(deadline), work.as_mut()).await;
        if outcome.is_ok() || trace.put_off(deadline) <= Instant::now() {
            return outcome;
        }
    }
}

/// Runs `future` as the work of the request that `trace` belongs to.
pub(crate) async fn within<F: Future>(trace: Arc<Trace>, future: F) -> F::Output {
    CURRENT.scope(trace, future).await
}

pub(crate) fn now() -> Instant {
    Instant::now()
}

/// A name was resolved, or could not be, since `started`.
pub(crate) fn resolved(trace: Option<&Trace>, started: Instant) {
    if let Some(trace) = trace {
        trace.dns_nanos.fetch_add(nanos(started.elapsed()), Relaxed);
    }
}

/// A TLS handshake was done, or failed, since `started`.
pub(crate) fn secured(trace: Option<&Trace>, started: Instant) {
    if let Some(trace) = trace {
        trace.tls_nanos.fetch_add(nanos(started.elapsed()), Relaxed);
    }
}

/// A connection was opened, or could not be, since `started`. TLS included.
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

/// The longest time that the request of `trace` grants to a connection.
pub(crate) fn connect_limit(trace: Option<&Trace>, default: Duration) -> Duration {
    match trace.map_or(0, |trace| trace.connect_limit_nanos.load(Relaxed)) {
        0 => default,
        nanos => default.min(Duration::from_nanos(nanos)),
    }
}

fn nanos(duration: Duration) -> u64 {
    u64::try_from(duration.as_nanos()).unwrap_or(u64::MAX)
}
