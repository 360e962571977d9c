//! What is read off a page after its transform and before it is stored: what may take a language model.
//!
//! It has a time of its own, between the answer of the site and the end of the request's patience or of the page's
//! lease, and it never fails the page: what could not be had is told in the document's `warning`. A page that another
//! worker may lease, or whose reader has gone, is never waited for.

use std::panic::AssertUnwindSafe;
use std::sync::Arc;
use std::time::Duration;

use futures_util::FutureExt as _;
use gleaner_store::{LeasedPage, PageOutcome};
use gleaner_types::plan::{ChangeTracking, ChangeTrackingMode, JsonFormat};
use gleaner_types::{Document, PageError};
use serde_json::Value;
use tokio::time::Instant;
use url::Url;

use crate::context::JobContext;
use crate::extract::{Extract, Extracted};
use crate::log_suppression::without_logs;
use crate::page::end_of_work;
use crate::session::Session;
use crate::shared::Shared;

/// Kept of a request's time for storing the document and handing it over, where there is as much.
const HANDOVER: Duration = Duration::from_secs(1);

/// A page as text, for what is read off it after its transform.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct PageText {
    /// Its HTML as it came; empty where there is none.
    pub html: String,
    /// Its content as Markdown, as far as the options keep it.
    pub markdown: String,
}

/// A page, and what is wanted of it that may take a language model.
#[derive(Debug)]
pub struct PageTask<'t> {
    /// Its address after redirects.
    pub url: &'t Url,
    /// Its title.
    pub title: Option<&'t str>,
    /// HTTP status of the answer. Error pages seldom hold what a schema asks for.
    pub status: u16,
    /// What it says.
    pub text: PageText,
    /// The format `json`, where the document does not have it yet.
    pub json: Option<&'t JsonFormat>,
    /// Change tracking in mode `json`, whose fields are wanted.
    pub compared: Option<&'t ChangeTracking>,
    /// The summary that was made without a model, where one is asked for.
    pub summary: Option<&'t str>,
    /// When reading must be over. What comes later is not waited for.
    pub deadline: Instant,
    /// What the extractor keeps for the job, as long as it runs.
    pub kept: &'t Session,
}

/// What was read off a page.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct PageRead {
    /// The format `json`.
    pub json: Option<Value>,
    /// The fields that change tracking compares.
    pub compared: Option<Value>,
    /// A better summary than the one at hand.
    pub summary: Option<String>,
    /// What the reader of the document should know.
    pub notes: Vec<String>,
    /// Tokens that went into it.
    pub tokens_used: u64,
}

/// What [`Extract::read_page`] does unless it is implemented: each thing wanted by [`Extract::extract_page`].
pub(crate) async fn by_fields<E: Extract + ?Sized>(extract: &E, page: PageTask<'_>) -> PageRead {
    let mut read = PageRead::default();
    let (url, markdown) = (page.url.as_str(), page.text.markdown.as_str());
    if let Some(asked) = page.json {
        let found = extract.extract_page(url, markdown, asked.schema.as_ref(), asked.prompt.as_deref()).await;
        read.json = read.take("the format `json`", found);
    }
    if let Some(asked) = page.compared {
        let found = extract.extract_page(url, markdown, asked.schema.as_ref(), asked.prompt.as_deref()).await;
        read.compared = read.take("the fields to compare", found);
    }
    read
}

impl PageRead {
    fn noting(note: &str) -> Self {
        Self { notes: vec![note.to_owned()], ..Self::default() }
    }

    fn take(&mut self, what: &str, found: Result<Extracted, PageError>) -> Option<Value> {
        match found {
            Ok(extracted) => {
                self.notes.extend(extracted.warning);
                self.tokens_used += extracted.tokens_used;
                Some(extracted.data)
            }
            Err(error) => {
                self.notes.push(format!("{what} could not be had: {error}"));
                None
            }
        }
    }
}

/// Completes a document with what is read off its page, and gives the fields that change tracking compares.
///
/// `text` is there where the transform left something to be read; it is not for jobs whose options ask for nothing of
/// the kind, which cost nothing here.
pub(crate) async fn read(
    shared: &Arc<Shared>,
    job: &JobContext,
    page: &LeasedPage,
    text: Option<Box<PageText>>,
    outcome: &mut PageOutcome,
) -> Option<Value> {
    let PageOutcome::Document(document, _) = outcome else { return None };
    let formats = &job.options.formats;
    let is_left = text.is_some();
    let compared = formats
        .change_tracking
        .as_ref()
        .filter(|asked| asked.modes.contains(&ChangeTrackingMode::Json) && !job.zero_data_retention);
    let text = match text {
        Some(text) => *text,
        None if compared.is_some() => {
            PageText { html: String::new(), markdown: document.markdown.clone().unwrap_or_default() }
        }
        None => return None,
    };
    let extract = shared.extract.get()?;
    let url = document.metadata.url.as_deref().and_then(|url| Url::parse(url).ok());
    let summary = document.summary.clone().filter(|_| is_left && formats.summary);
    let task = PageTask {
        url: url.as_ref().unwrap_or(&page.url),
        title: document.metadata.title.as_deref(),
        status: document.metadata.status_code.unwrap_or_default(),
        text,
        json: formats.json.as_ref().filter(|_| is_left && document.json.is_none()),
        compared,
        summary: summary.as_deref(),
        deadline: deadline(shared, job, page),
        kept: &job.reading,
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
            let url = job.shown(&page.url).map(tracing::field::display);
            tracing::error!(job = %job.id, url, "reading a page's fields panicked");
            PageRead::noting("the engine failed to read the page's fields")
        }
        Err(_) => PageRead::noting("the page's fields were not read in time"),
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

/// Adds what the reader should know.
pub(crate) fn warn(document: &mut Document, remark: &str) {
    let first = document.warning.take();
    document.warning = Some(first.map_or_else(|| remark.to_owned(), |first| format!("{first}; {remark}")));
}

/// When reading must be over: so long before the request's own end that the document still comes in time, and before
/// the lease ends.
fn deadline(shared: &Shared, job: &JobContext, page: &LeasedPage) -> Instant {
    let end = end_of_work(shared, page);
    match job.deadline {
        None => end,
        Some(patience) => {
            let left = patience.saturating_sub(shared.clock.now());
            end.min(shared.clock.instant(patience) - HANDOVER.min(left / 4))
        }
    }
}
