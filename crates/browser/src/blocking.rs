//! Long work, off the threads of the runtime.

use std::sync::{Arc, Mutex, PoisonError};

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
    let result = Arc::new(Mutex::new(None));
    let slot = Arc::clone(&result);
    aside(Box::new(move || {
        let result = work();
        *slot.lock().unwrap_or_else(PoisonError::into_inner) = Some(result);
    }))
    .await;
    let result = result.lock().unwrap_or_else(PoisonError::into_inner).take();
    match result {
        Some(result) => result,
        // The tokio runtime shuts down, and drops the caller as well.
        None => std::future::pending().await,
    }
}

/// Apart from [`blocking`], which is compiled once per kind of work: the machinery of a task is large.
async fn aside(work: Box<dyn FnOnce() + Send>) {
    if let Err(error) = tokio::task::spawn_blocking(work).await
        && let Ok(panic) = error.try_into_panic()
    {
        std::panic::resume_unwind(panic);
    }
}
