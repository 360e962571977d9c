//! Documents on their way to the embedder's sink, before their pages are committed.

use std::panic::AssertUnwindSafe;
use std::time::Duration;

use futures_util::FutureExt as _;
use gleaner_store::{FinishedPage, PageOutcome};
use gleaner_types::{Document, ErrorCode, PageError};
use tokio::time::{Instant, sleep, timeout};

use crate::attempts::{retry, work_deadline};
use crate::context::{JobContext, retry_note};
use crate::log_suppression::without_logs;
use crate::shared::Shared;
use crate::sink::{DocumentSink, SinkPage};

/// Maximum time of one write of a [`DocumentSink`].
pub const SINK_TIME: Duration = Duration::from_secs(30);

/// Maximum number of writes of one document before its page is scraped again or fails.
pub const MAX_SINK_WRITES: u32 = 5;

/// The pause before a failed write is repeated; it doubles with each.
const FIRST_PAUSE: Duration = Duration::from_millis(250);

/// Writes the document of a page to the sink. The page then keeps its metadata only. If it was not written,
/// the page returns to the queue or fails.
pub(crate) async fn deliver(
    shared: &Shared,
    job: &JobContext,
    sink: &dyn DocumentSink,
    page: &mut FinishedPage,
) {
    let PageOutcome::Document(document, _) = &mut page.outcome else { return };
    let key = page.redirected_to.unwrap_or(page.lease.key).to_raw();
    let of_page = SinkPage::new(job.id, key, &page.lease.url, job.zero_data_retention);
    let deadline = work_deadline(shared, &page.lease);
    let writing = write(sink, document, of_page, deadline);
    let Err(cause) = without_logs(job.zero_data_retention, writing).await else {
        let written = std::mem::take(&mut **document);
        (document.metadata, document.warning) = (written.metadata, written.warning);
        return;
    };
    tracing::error!(job = %job.id, "the sink did not take a document");
    // What belongs to the document is dropped with it.
    (page.links, page.redirected_to) = (Vec::new(), None);
    (page.fingerprint, page.tracked_scrape) = (None, None);
    let retried = retry(shared, job, &page.lease, None);
    if retried.is_some() {
        page.notes.extend(shared.notes(|| vec![retry_note()]));
    }
    let message = format!("the sink of the embedding program did not take the document: {cause}");
    let failed = || PageOutcome::Failed(PageError::new(ErrorCode::UnknownError, message));
    page.outcome = retried.unwrap_or_else(failed);
}

/// Writes a document, a few times if that fails. The error is the text of the last failure.
async fn write(
    sink: &dyn DocumentSink,
    document: &Document,
    page: SinkPage<'_>,
    deadline: Instant,
) -> Result<(), String> {
    let (mut pause, mut writes) = (FIRST_PAUSE, 0);
    loop {
        writes += 1;
        // The call is inside of the future, because it may panic too.
        let writing = AssertUnwindSafe(async { sink.write(document, page).await }).catch_unwind();
        let error = match timeout(SINK_TIME, writing).await {
            Ok(Ok(Ok(()))) => return Ok(()),
            Ok(Ok(Err(error))) => error.to_string(),
            Ok(Err(_)) => "it panicked".to_owned(),
            Err(_) => format!("it took longer than {} s", SINK_TIME.as_secs()),
        };
        if writes >= MAX_SINK_WRITES || Instant::now() + pause + SINK_TIME >= deadline {
            return Err(error);
        }
        tracing::warn!(%error, "a document was not written to the sink and is written again");
        sleep(pause).await;
        pause *= 2;
    }
}
