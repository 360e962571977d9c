//! How long the stages of a page took, and what its requests gave. The steps of a page record it where it
//! happens.

use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use gleaner_types::{CacheState, FetchEngine};
use tokio::time::Instant;

/// How long the stages of a page took, over all requests for it within one lease. What lies between them is
/// short.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Timings {
    /// Waiting for robots.txt, the pace of the host, and a browser.
    pub waited: Duration,
    /// From sending a request to the end of its answer, redirects included.
    pub fetched: Duration,
    /// From the answer to the document and its links.
    pub transformed: Duration,
    /// Reading fields and summaries, perhaps by a model, and comparing with an earlier scrape.
    pub extracted: Duration,
    /// Writing the document and its links to the store, and to the sink of the embedder.
    pub stored: Duration,
}

/// What was measured of a page.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Measured {
    pub(crate) timings: Timings,
    /// Bytes of the decoded bodies.
    pub(crate) bytes: u64,
    /// The HTTP status of the last answer.
    pub(crate) status: Option<u16>,
    /// Whether the last answer came from the cache; `None` if the cache was not used.
    pub(crate) cache_state: Option<CacheState>,
    /// What requested the last answer.
    pub(crate) engine: Option<FetchEngine>,
}

/// Measures a page in work.
#[derive(Debug)]
pub(crate) struct Stopwatch {
    began: Instant,
    measured: Mutex<Measured>,
}

impl Stopwatch {
    pub(crate) fn start() -> Self {
        Self { began: Instant::now(), measured: Mutex::default() }
    }

    /// The time since its start.
    pub(crate) fn elapsed(&self) -> Duration {
        self.began.elapsed()
    }

    /// Adds the time since `began` to a stage.
    pub(crate) fn add(&self, stage: fn(&mut Timings) -> &mut Duration, began: Instant) {
        *stage(&mut self.lock().timings) += began.elapsed();
    }

    /// Records an answer with a body of this many bytes.
    pub(crate) fn answered(
        &self,
        status: u16,
        bytes: usize,
        cache_state: Option<CacheState>,
        engine: FetchEngine,
    ) {
        let mut measured = self.lock();
        measured.bytes = measured.bytes.saturating_add(bytes as u64);
        (measured.status, measured.cache_state, measured.engine) = (Some(status), cache_state, Some(engine));
    }

    /// What was measured so far.
    pub(crate) fn measured(&self) -> Measured {
        *self.lock()
    }

    fn lock(&self) -> MutexGuard<'_, Measured> {
        self.measured.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
