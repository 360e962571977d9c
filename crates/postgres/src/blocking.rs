//! Work on large data, which must not delay the tasks of the runtime.

use gleaner_store::Error;

/// Work on more bytes than this runs on a thread of its own.
pub(crate) const LARGE: usize = 64 << 10;

/// Does this work: on another thread if it is large.
pub(crate) async fn run<T: Send + 'static>(
    is_large: bool,
    work: impl FnOnce() -> Result<T, Error> + Send + 'static,
) -> Result<T, Error> {
    if !is_large {
        return work();
    }
    match tokio::task::spawn_blocking(work).await {
        Ok(result) => result,
        Err(cause) => Err(Error::io("work on stored data did not end", &cause)),
    }
}
