//! A server on its own thread.
//!
//! Alternative: a task on the runtime of the test. A test that blocks, or whose runtime has a single thread
//! or a paused clock, would then stall its own server, and a benchmark would include the work of the server.

use std::future::Future;
use std::io;
use std::thread::JoinHandle;

use tokio::sync::watch;

/// A running server. Dropping it stops the server and waits until it has stopped.
#[derive(Debug)]
pub(crate) struct Background {
    stop: watch::Sender<bool>,
    thread: Option<JoinHandle<()>>,
}

impl Background {
    /// Runs `serve` on a new thread with its own runtime, until it returns.
    ///
    /// `serve` gets a signal that becomes true when it should stop. It must then return promptly.
    pub(crate) fn start<S, F>(name: &str, serve: S) -> io::Result<Self>
    where
        S: FnOnce(watch::Receiver<bool>) -> F + Send + 'static,
        F: Future<Output = ()>,
    {
        let (stop, stopped) = watch::channel(false);
        let runtime = tokio::runtime::Builder::new_current_thread().enable_io().enable_time().build()?;
        let thread = std::thread::Builder::new()
            .name(name.to_owned())
            .spawn(move || runtime.block_on(serve(stopped)))?;
        Ok(Self { stop, thread: Some(thread) })
    }
}

/// Returns when the server should stop.
pub(crate) async fn stopped(stop: &mut watch::Receiver<bool>) {
    // An error means that the sender was dropped, which also stops the server.
    let _ = stop.wait_for(|stop| *stop).await;
}

impl Drop for Background {
    fn drop(&mut self) {
        // This fails if the server has already stopped: its receiver is gone.
        let _ = self.stop.send(true);
        if let Some(thread) = self.thread.take()
            && thread.join().is_err()
            && !std::thread::panicking()
        {
            panic!("the server thread panicked");
        }
    }
}
