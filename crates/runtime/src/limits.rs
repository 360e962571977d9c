//! How much is worked on at once, and how often and when a page is tried again.

use std::sync::Arc;
use std::time::Duration;

use tokio::sync::Semaphore;

/// PDFs that are converted at once if no [`ReadPdf`](crate::ReadPdf) converts them.
pub const MAX_CONCURRENT_PDFS: usize = 2;

/// Other bodies larger than 1 MiB that are transformed at once.
pub const MAX_LARGE_TRANSFORMS: usize = 4;

/// Smaller bodies that are not transformed on a thread of the runtime: as many at once as there are
/// processors, and at least this many. They have permits of their own, so that a few large ones do not hold
/// up all others.
pub const MIN_MEDIUM_TRANSFORMS: usize = 2;

/// Large sitemaps that are parsed at once: each may be gzip of 50 MB.
pub const MAX_CONCURRENT_SITEMAPS: usize = 2;

/// Sites that are mapped at once; further maps wait within their timeout.
pub const MAX_MAPS: usize = 32;

/// Longest wait of a page for its permit, and again for its transform. The end of its request bounds both.
pub const MAX_TRANSFORM_TIME: Duration = Duration::from_secs(60);

/// Upper bound on the tries of a page.
pub const MAX_ATTEMPTS: u32 = 3;

/// Before the second try, where the host does not say; doubled for each further one.
pub const RETRY_PAUSE: Duration = Duration::from_secs(1);

/// A host that asks for a longer pause is not waited for: its answer is the document.
pub const MAX_RETRY_AFTER: Duration = Duration::from_secs(gleaner_types::limits::MAX_RETRY_AFTER_SECONDS);

/// Permits for work that takes long.
#[derive(Debug)]
pub(crate) struct TransformLimits {
    pub(crate) pdfs: Arc<Semaphore>,
    pub(crate) large: Arc<Semaphore>,
    pub(crate) medium: Arc<Semaphore>,
    pub(crate) sitemaps: Arc<Semaphore>,
}

impl Default for TransformLimits {
    fn default() -> Self {
        let processors = std::thread::available_parallelism().map_or(1, usize::from);
        Self {
            pdfs: Arc::new(Semaphore::new(MAX_CONCURRENT_PDFS)),
            large: Arc::new(Semaphore::new(processors.clamp(1, MAX_LARGE_TRANSFORMS))),
            medium: Arc::new(Semaphore::new(processors.max(MIN_MEDIUM_TRANSFORMS))),
            sitemaps: Arc::new(Semaphore::new(MAX_CONCURRENT_SITEMAPS)),
        }
    }
}
