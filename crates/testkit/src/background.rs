//! A server on a thread of its own.
//!
//! Servers of tests could be tasks on the runtime of the test. Then a test that blocks, or whose runtime has
//! a single thread or a paused clock, would stall its own server, and a benchmark would count the work of
//! both.

use std::future::Future;
use std::io;
use std::thread::JoinHandle;

use tokio::sync::watch;

/// A running server; dropping it ends the server and waits until it has ended.
#[derive(Debug)]
pub(crate) struct Background {
    stop: watch::Sender<bool>,
    thread: Option<JoinHandle<()>>,
}

impl Background {
    /// Runs `serve` on a new thread with a runtime of its own, until it returns.
    ///
    /// `serve` gets a signal that turns true when it should end; it should then do so within moments.
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

/// Returns when the server should end.
pub(crate) async fn stopped(stop: &mut watch::Receiver<bool>) {
    // An error means that the sender is gone, which means the same.
    let _ = stop.wait_for(|stop| *stop).await;
}

impl Drop for Background {
    fn drop(&mut self) {
        // The receiver is gone where the server has ended by itself.
        let _ = self.stop.send(true);
        if let Some(thread) = self.thread.take()
            && thread.join().is_err()
            && !std::thread::panicking()
        {
            panic!("the server thread panicked");
        }
    }
}
