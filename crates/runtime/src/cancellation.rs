//! The signal that ends work early.

use tokio_util::sync::CancellationToken;

/// A signal that work is no longer wanted. Clones share one state.
///
/// ```
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() {
/// let job = gleaner_runtime::Cancellation::new();
/// let part = job.child();
/// job.cancel();
/// part.cancelled().await;
/// assert!(part.is_cancelled());
/// # }
/// ```
#[derive(Debug, Clone, Default)]
pub struct Cancellation(CancellationToken);

impl Cancellation {
    /// A signal that only [`cancel`](Self::cancel) gives.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// A signal that is also given with this one. Giving it alone does not affect this one.
    #[must_use]
    pub fn child(&self) -> Self {
        Self(self.0.child_token())
    }

    /// Gives the signal. It cannot be taken back.
    pub fn cancel(&self) {
        self.0.cancel();
    }

    /// Whether the signal was given.
    #[must_use]
    pub fn is_cancelled(&self) -> bool {
        self.0.is_cancelled()
    }

    /// Waits until the signal is given. It is cancel-safe.
    pub async fn cancelled(&self) {
        self.0.cancelled().await;
    }
}
