//! The setting of the tokio runtime that an engine works in.

use std::net::{Ipv4Addr, UdpSocket};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::time::Duration;

use gleaner_runtime::Executor;
use tokio::runtime::Handle;

use super::EngineBuilder;
use crate::Error;

/// The tokio runtime.
impl EngineBuilder {
    /// Sets the tokio runtime that the engine works in, whichever runtime calls it. It needs time and I/O
    /// (`enable_all`). Default: one of the engine's own, with a thread named `gleaner` for each processor.
    /// Its threads start with the first use, and end with the engine and its jobs.
    ///
    /// Choose the runtime of the program to share its threads. It has to run as long as the engine is used:
    /// after its end, each call gets an error ([`Error::is_stopped`](crate::Error::is_stopped)). A runtime
    /// with one thread (`current_thread`) does the engine's work only while that thread is in `block_on`.
    ///
    /// In a test, the engine follows a paused clock (`tokio::time::pause`) only if it works in the runtime of
    /// the test. With one of its own, it works in real time: then a test that does nothing but wait for the
    /// engine sees its own paused clock run ahead to its next timer, such as a timeout around the call. A
    /// paused clock also runs ahead to a timeout of the engine while a real site is silent, so let such a
    /// test answer requests by a [layer](Self::wrap_fetch).
    ///
    /// ```
    /// use gleaner::Engine;
    /// use tokio::runtime::Handle;
    ///
    /// # #[tokio::main(flavor = "current_thread")]
    /// # async fn main() -> Result<(), gleaner::Error> {
    /// let engine = Engine::builder().on_runtime(Handle::current()).build()?;
    /// # drop(engine);
    /// # Ok(())
    /// # }
    /// ```
    #[must_use]
    pub fn on_runtime(mut self, runtime: Handle) -> Self {
        self.runtime = Some(runtime);
        self
    }

    /// Where the engine works.
    pub(super) fn executor(&self) -> Result<Executor, Error> {
        match &self.runtime {
            None => Ok(Executor::own()),
            Some(runtime) => {
                check(runtime)?;
                Ok(Executor::of(runtime.clone()))
            }
        }
    }
}

/// Refuses a runtime without timers or I/O. Tokio says that only by a panic.
fn check(runtime: &Handle) -> Result<(), Error> {
    let _guard = runtime.enter();
    if catch_unwind(|| drop(tokio::time::sleep(Duration::ZERO))).is_err() {
        return Err(Error::configuration(
            "the tokio runtime of the engine has no timers: build it with `enable_all`",
        ));
    }
    let socket = UdpSocket::bind((Ipv4Addr::LOCALHOST, 0));
    // If the system refuses the socket, nothing is known.
    if let Ok(socket) = socket.and_then(|socket| socket.set_nonblocking(true).map(|()| socket))
        && catch_unwind(AssertUnwindSafe(|| drop(tokio::net::UdpSocket::from_std(socket)))).is_err()
    {
        return Err(Error::configuration(
            "the tokio runtime of the engine has no I/O: build it with `enable_all`",
        ));
    }
    Ok(())
}
