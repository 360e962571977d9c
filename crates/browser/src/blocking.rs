//! Long work, off the threads of the runtime.

/// Work over at least this many bytes runs on a blocking thread.
const LARGE: usize = 1024 * 1024;

/// Runs `work` over this many bytes, in place if they are few.
pub(crate) async fn blocking<T: Send + 'static>(
    bytes: usize,
    work: impl FnOnce() -> T + Send + 'static,
) -> T {
    if bytes < LARGE {
        return work();
    }
    match tokio::task::spawn_blocking(work).await {
        Ok(result) => result,
        Err(error) => match error.try_into_panic() {
            Ok(panic) => std::panic::resume_unwind(panic),
            // The tokio runtime shuts down, and drops the caller as well.
            Err(_) => std::future::pending().await,
        },
    }
}
