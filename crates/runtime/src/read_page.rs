//! Reading fields and summaries off a page through the extract port, after its transform and before it is
//! stored. This may call a language model.
//!
//! It never fails the page: the document's `warning` says what is missing. It stops before the request's
//! timeout and before the page's lease ends, so that it does not work on a page that another worker may
//! lease or whose caller no longer waits.

use std::panic::AssertUnwindSafe;
use std::time::Duration;

use futures_util::FutureExt as _;
use gleaner_store::{FinishedPage, LeasedPage, PageOutcome};
use gleaner_types::Document;
use gleaner_types::plan::ChangeTrackingMode;
use serde_json::Value;
use tokio::time::Instant;
use url::Url;

use crate::attempts::work_deadline;
use crate::context::JobContext;
use crate::extract::{PageRead, PageTask};
use crate::log_suppression::without_logs;
use crate::ports::PageText;
use crate::shared::Shared;
use crate::warning::warn;

/// Time reserved at the end of a request to store and return the document; at most a quarter of the rest.
const HANDOVER: Duration = Duration::from_secs(1);

/// Completes the document of a page with the results of the extract port, and returns the fields that change
/// tracking compares.
///
/// `text` is set if the transform left something to the extract port. Jobs whose options ask for no such
/// format do no work here.
pub(crate) async fn read_page(
    shared: &Shared,
    job: &JobContext,
    text: Option<Box<PageText>>,
    page: &mut FinishedPage,
) -> Option<Value> {
    let leased = &page.lease;
    let PageOutcome::Document(document, _) = &mut page.outcome else { return None };
    let formats = &job.options.formats;
    let has_text = text.is_some();
    let compared = formats
        .change_tracking
        .as_ref()
        .filter(|tracking| tracking.modes.contains(&ChangeTrackingMode::Json) && !job.zero_data_retention);
    let text = match text {
        Some(text) => *text,
        None if compared.is_some() => {
            PageText { markdown: document.markdown.clone().unwrap_or_default(), ..PageText::default() }
        }
        None => return None,
    };
    let extract = shared.extract.get()?;
    let url = document.metadata.url.as_deref().and_then(|url| Url::parse(url).ok());
    let summary = document.summary.clone().filter(|_| has_text && formats.summary);
    let task = PageTask {
        url: url.as_ref().unwrap_or(&leased.url),
        title: document.metadata.title.as_deref(),
        status: document.metadata.status_code.unwrap_or_default(),
        text,
        json: formats.json.as_ref().filter(|_| has_text && document.json.is_none()),
        compared,
        summary: summary.as_deref(),
        deadline: reading_deadline(shared, job, leased),
        kept: &job.extract_session,
    };
    if task.json.is_none() && task.compared.is_none() && task.summary.is_none() {
        return None;
    }
    let deadline = task.deadline;
    let reading =
        AssertUnwindSafe(without_logs(job.zero_data_retention, extract.read_page(task))).catch_unwind();
    let read = match tokio::time::timeout_at(deadline, reading).await {
        Ok(Ok(read)) => read,
        Ok(Err(_)) => {
            let url = job.log_url(&leased.url).map(tracing::field::display);
            tracing::error!(job = %job.id, url, "reading a page's fields panicked");
            PageRead::with_note("the engine failed to read the page's fields")
        }
        Err(_) => PageRead::with_note("the page's fields were not read in time"),
    };
    if read.tokens_used > 0 {
        tracing::debug!(job = %job.id, tokens = read.tokens_used, "a model read a page");
    }
    complete(document, read)
}

fn complete(document: &mut Document, read: PageRead) -> Option<Value> {
    document.json = document.json.take().or(read.json);
    document.summary = read.summary.or(document.summary.take());
    for note in read.notes {
        warn(document, &note);
    }
    read.compared
}

/// When reading must end: early enough to return the document before the deadline of the request, and before
/// the lease ends.
fn reading_deadline(shared: &Shared, job: &JobContext, page: &LeasedPage) -> Instant {
    let end = work_deadline(shared, page);
    match job.deadline {
        None => end,
        Some(deadline) => {
            let left = deadline.saturating_sub(shared.clock.now());
            end.min(shared.clock.instant(deadline) - HANDOVER.min(left / 4))
        }
    }
}
