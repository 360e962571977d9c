//! A store that works in real time, such as one behind a network, under a simulation in virtual time.
//!
//! Its operations take no virtual time: virtual time stands still while one runs.

use std::future::Future;
use std::pin::Pin;
use std::sync::mpsc;
use std::task::{Context, Poll};
use std::time::{Duration, Instant};

use gleaner_store::{Error, HostGuard, HostHold, Store};
use tokio::runtime::{EnterGuard, Handle};
use url::Url;

/// How long the store may take to give a host back.
const HOLD_TIME: Duration = Duration::from_secs(1);
/// The store is asked again after this time.
const HOLD_PAUSE: Duration = Duration::from_millis(2);

/// The tokio runtime of the store, whose clock is not paused.
#[derive(Debug, Clone)]
pub(super) struct RealTime(Handle);

/// An operation that runs, and is dropped, in real time.
struct Operation<'r, F> {
    /// `None` while it is dropped.
    future: Option<F>,
    real_time: &'r RealTime,
}

impl<F: Future + Unpin> Future for Operation<'_, F> {
    type Output = F::Output;

    fn poll(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<F::Output> {
        let this = self.get_mut();
        let _real = this.real_time.enter();
        match &mut this.future {
            Some(future) => Pin::new(future).poll(context),
            None => Poll::Pending,
        }
    }
}

impl<F> Drop for Operation<'_, F> {
    fn drop(&mut self) {
        let _real = self.real_time.enter();
        drop(self.future.take());
    }
}

/// A hold that ends in real time.
struct Hold {
    guard: Option<HostGuard>,
    real_time: RealTime,
}

impl Drop for Hold {
    fn drop(&mut self) {
        let _real = self.real_time.enter();
        drop(self.guard.take());
    }
}

impl RealTime {
    pub(super) fn new(runtime: &Handle) -> Self {
        Self(runtime.clone())
    }

    /// Tokio's clock, timers and tasks are those of the store until the guard is dropped.
    pub(super) fn enter(&self) -> EnterGuard<'_> {
        self.0.enter()
    }

    /// Runs an operation of the store.
    pub(super) async fn run<F: Future + Unpin>(&self, operation: F) -> F::Output {
        // A paused clock stands still while a blocking task runs. This one ends with the sender.
        let (running, ended) = mpsc::channel::<()>();
        drop(tokio::task::spawn_blocking(move || ended.recv()));
        let output = Operation { future: Some(operation), real_time: self }.await;
        drop(running);
        output
    }

    /// Holds a host, in virtual time. The store gets time to give it back first, if it is about to.
    pub(super) async fn hold_host(
        &self,
        store: &dyn Store,
        url: &Url,
        now: Duration,
    ) -> Result<HostHold, Error> {
        let began = Instant::now();
        let hold = self.run(Box::pin(async {
            loop {
                match store.hold_host(url, now).await? {
                    HostHold::Busy { not_before }
                        if not_before <= now + HOLD_TIME && began.elapsed() < HOLD_TIME =>
                    {
                        tokio::time::sleep(HOLD_PAUSE).await;
                    }
                    hold => return Ok::<_, Error>(hold),
                }
            }
        }));
        Ok(match hold.await? {
            HostHold::Held(guard) => {
                HostHold::Held(HostGuard::new(Hold { guard: Some(guard), real_time: self.clone() }))
            }
            busy @ HostHold::Busy { .. } => busy,
        })
    }
}
