//! A store that works in real time, such as one behind a network, under a simulation in virtual time.
//!
//! Its operations take no virtual time: virtual time stands still while one runs.

use std::fmt;
use std::future::{Future, poll_fn};
use std::pin::Pin;
use std::sync::mpsc;

use gleaner_store::{HostGuard, HostHold};
use tokio::runtime::{EnterGuard, Handle};

/// The tokio runtime of the store, whose clock is not paused.
#[derive(Clone)]
pub(super) struct RealTime(Handle);

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
    pub(super) async fn run<F: Future + Unpin>(&self, mut operation: F) -> F::Output {
        // A paused clock stands still while a blocking task runs. This one ends with the sender.
        let (running, ended) = mpsc::channel::<()>();
        drop(tokio::task::spawn_blocking(move || ended.recv()));
        let output = poll_fn(|context| {
            let _real = self.enter();
            Pin::new(&mut operation).poll(context)
        })
        .await;
        drop(running);
        output
    }

    /// The same hold, which may be dropped in virtual time.
    pub(super) fn keep(&self, hold: HostHold) -> HostHold {
        match hold {
            HostHold::Held(guard) => {
                HostHold::Held(HostGuard::new(Hold { guard: Some(guard), real_time: self.clone() }))
            }
            HostHold::Busy { .. } => hold,
        }
    }
}

impl fmt::Debug for RealTime {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("RealTime")
    }
}
