//! The configuration of a runtime: its ports and limits.

use std::sync::Arc;

use gleaner_store::Store;

use crate::clock::Clock;
use crate::executor::Executor;
use crate::memory::MemoryBudget;
use crate::ports::{Fetch, ReadPdf, Transform};
use crate::rendering::RenderSettings;

/// The configuration and parts of a [`Runtime`](crate::Runtime).
#[derive(Debug)]
pub struct RuntimeConfig {
    /// Runs all work.
    pub executor: Executor,
    /// Stores jobs, their queues and results.
    pub store: Arc<dyn Store>,
    /// Fetches pages.
    pub fetch: Arc<dyn Fetch>,
    /// Transforms bodies into documents.
    pub transform: Arc<dyn Transform>,
    /// Converts PDFs into documents. Without it, `transform` converts them.
    pub pdfs: Option<Arc<dyn ReadPdf>>,
    /// The use of the browser of `fetch`; `None` if it has none.
    pub rendering: Option<RenderSettings>,
    /// The clock of the engine: that of the executor.
    pub clock: Clock,
    /// The product token that robots.txt is read for.
    pub robots_agent: String,
    /// Maximum number of concurrent pages, over all jobs.
    pub max_in_flight: u32,
    /// Compare the texts of a crawl's pages, and defer kinds of pages that are nearly the same repeatedly:
    /// soft 404s, the empty days of a calendar. Pages fetched for their links only have no text and are not
    /// compared.
    pub near_duplicates: bool,
    /// Memory for pages in work. The runtime enforces the shares for transforms; the fetcher enforces the
    /// share for bodies.
    pub memory: MemoryBudget,
}
