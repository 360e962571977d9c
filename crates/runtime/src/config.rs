use std::sync::Arc;

use gleaner_store::Store;

use crate::clock::Clock;
use crate::memory::MemoryBudget;
use crate::ports::{Fetch, ReadPdf, Transform};

/// What a [`Runtime`](crate::Runtime) is built from.
#[derive(Debug)]
pub struct RuntimeConfig {
    /// Where jobs live.
    pub store: Arc<dyn Store>,
    /// Fetches pages.
    pub fetch: Arc<dyn Fetch>,
    /// From bodies to documents.
    pub transform: Arc<dyn Transform>,
    /// From PDFs to documents; without it `transform` reads them too.
    pub pdfs: Option<Arc<dyn ReadPdf>>,
    /// The one clock.
    pub clock: Clock,
    /// The product token that robots.txt is read for.
    pub robots_agent: String,
    /// Pages at once, all jobs together.
    pub max_in_flight: u32,
    /// Compare the texts of the pages of a crawl, and put those kinds off that are nearly the same over and
    /// over: soft 404s, the empty days of a calendar. Where only links are wanted of pages, their text is not
    /// read and nothing is compared.
    pub near_duplicates: bool,
    /// Memory of the pages under way. The runtime holds the shares for their transform; the fetcher holds
    /// that for their bodies.
    pub memory: MemoryBudget,
}
