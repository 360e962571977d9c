//! Limits on concurrent work and on retries.

use std::sync::Arc;
use std::time::Duration;

use tokio::sync::Semaphore;

use crate::fair_semaphore::FairSemaphore;

/// Maximum number of concurrent PDF conversions without a [`ReadPdf`](crate::ReadPdf).
pub const MAX_CONCURRENT_PDFS: usize = 2;

/// Maximum number of concurrent transforms of other bodies from 1 MiB.
pub const MAX_LARGE_TRANSFORMS: usize = 4;

/// Lower bound on the permits for transforms of smaller bodies on blocking threads: one per processor, and at
/// least this many. They are separate, so that a few large bodies do not block all others.
pub const MIN_MEDIUM_TRANSFORMS: usize = 2;

/// Maximum number of large sitemaps that are parsed, or whose pages are in memory, at once: each may be 50 MB
/// of gzip.
pub const MAX_CONCURRENT_SITEMAPS: usize = 2;

/// Maximum number of concurrent maps; further maps wait within their timeout.
pub const MAX_CONCURRENT_MAPS: usize = 32;

/// Longest wait of a page for its permit, and again for its transform. The page's deadline bounds both.
pub const MAX_TRANSFORM_TIME: Duration = Duration::from_secs(60);

/// A job with more pages is queued on a blocking thread.
pub(crate) const MANY_PAGES: usize = 4_096;

/// Maximum number of attempts of a page.
pub const MAX_ATTEMPTS: u32 = 3;

/// Pause before the second attempt if the host sent no `Retry-After`; doubled for each further attempt.
pub const RETRY_PAUSE: Duration = Duration::from_secs(1);

/// Pause of a page that this machine had no descriptor, port or memory for.
pub(crate) const EXHAUSTED_PAUSE: Duration = Duration::from_millis(500);

/// Maximum `Retry-After` to wait for. If it is longer, the answer becomes the document.
pub const MAX_RETRY_AFTER: Duration = Duration::from_secs(gleaner_types::limits::MAX_RETRY_AFTER_SECONDS);

/// Permits for transforms, by kind of page.
#[derive(Debug)]
pub(crate) struct TransformLimits {
    pub(crate) pdfs: FairSemaphore,
    pub(crate) large: FairSemaphore,
    pub(crate) medium: Arc<Semaphore>,
    /// As many as the permits of `medium`, which other work shares: pages queue here, so that teams take
    /// turns.
    pub(crate) medium_turns: FairSemaphore,
    pub(crate) sitemaps: Arc<Semaphore>,
}

impl Default for TransformLimits {
    fn default() -> Self {
        let processors = std::thread::available_parallelism().map_or(1, usize::from);
        let medium = processors.max(MIN_MEDIUM_TRANSFORMS);
        Self {
            pdfs: FairSemaphore::new(MAX_CONCURRENT_PDFS),
            large: FairSemaphore::new(processors.clamp(1, MAX_LARGE_TRANSFORMS)),
            medium: Arc::new(Semaphore::new(medium)),
            medium_turns: FairSemaphore::new(medium),
            sitemaps: Arc::new(Semaphore::new(MAX_CONCURRENT_SITEMAPS)),
        }
    }
}
