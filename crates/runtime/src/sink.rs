//! The port of documents: a store of the embedding program that keeps them.

use std::fmt;

use gleaner_types::{BoxFuture, Document, JobId};
use url::Url;

use crate::hooks::HookError;

/// Takes the documents of crawls and batches, each before its page counts as done.
///
/// A page ends only after its document was written. If the process ends between the two, the page is scraped
/// and written again: each document arrives at least once, and a document that arrives again has the same
/// [`SinkPage::job`] and [`SinkPage::page`]. A sink that replaces by this key has each page once. A job in
/// memory does not go on after its process: crawling again is another job, with another id.
///
/// A failed write is repeated after a pause, up to [`MAX_SINK_WRITES`](crate::MAX_SINK_WRITES) writes in all.
/// Then the page is scraped again if it has attempts left, or fails, and its links are not followed.
///
/// The job keeps the metadata of a written document and nothing else of it, so that its reader need not read.
/// Its status and its webhooks have no more either. Single scrapes and the pages of extract jobs are not
/// written.
pub trait DocumentSink: Send + Sync + 'static {
    /// Writes a document. It must be durable when this returns, and the call must not block its thread. It is
    /// dropped after [`SINK_TIME`](crate::SINK_TIME) and when its job ends; it counts as failed if it panics.
    ///
    /// # Errors
    /// If it was not written.
    fn write<'a>(
        &'a self,
        document: &'a Document,
        page: SinkPage<'a>,
    ) -> BoxFuture<'a, Result<(), HookError>>;
}

impl fmt::Debug for dyn DocumentSink {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("DocumentSink")
    }
}

/// The page of a document.
#[derive(Debug, Clone, Copy)]
#[non_exhaustive]
pub struct SinkPage<'a> {
    /// Its job.
    pub job: JobId,
    /// Identifies the page within the job. It stays the same when the page is scraped again, also by another
    /// process. Pages that redirect to one page share its number.
    pub page: u64,
    /// The URL that was requested. The document's metadata has the URL after redirects.
    pub url: &'a Url,
    /// Whether the job asks that nothing of its pages is kept.
    pub zero_data_retention: bool,
}

impl<'a> SinkPage<'a> {
    pub(crate) const fn new(job: JobId, page: u64, url: &'a Url, zero_data_retention: bool) -> Self {
        Self { job, page, url, zero_data_retention }
    }
}
