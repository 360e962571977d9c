//! The figures of a page for the embedder's hook `ended`: times, sizes and facts of its answer.

use gleaner_store::{FinishedPage, PageOutcome};
use gleaner_types::{CacheState, FetchEngine};
use tokio::time::Instant;
use url::Url;

use crate::hooked::{EndedPage, OwnedOutcome};
use crate::hooks::StageTimes;
use crate::ports::Fetched;

/// The figures of a page in work. They are collected only if there are hooks.
#[derive(Debug)]
pub(crate) struct Figures {
    began: Instant,
    /// When its first request was sent.
    sent: Option<Instant>,
    /// When its answer was complete.
    fetched: Option<Instant>,
    /// When its document was complete.
    transformed: Option<Instant>,
    /// When the extract port and change tracking had completed it.
    extracted: Option<Instant>,
    answer: Option<Answer>,
}

/// The facts of an answer.
#[derive(Debug)]
struct Answer {
    url: Url,
    status: u16,
    bytes: u64,
    cache_state: Option<CacheState>,
    engine: FetchEngine,
}

impl Figures {
    /// The figures of a page whose work begins now.
    pub(crate) fn begin() -> Self {
        let began = Instant::now();
        Self { began, sent: None, fetched: None, transformed: None, extracted: None, answer: None }
    }

    /// Records that a request was sent. Only the first one counts.
    pub(crate) fn sent(&mut self, at: Instant) {
        self.sent.get_or_insert(at);
    }

    /// Records an answer that is complete.
    pub(crate) fn fetched(&mut self, answer: &Fetched, engine: FetchEngine) {
        self.fetched.get_or_insert_with(Instant::now);
        self.answer = Some(Answer {
            url: answer.url.clone(),
            status: answer.status,
            bytes: answer.body.len() as u64,
            cache_state: answer.cache_state,
            engine,
        });
    }

    /// Records the end of the transform.
    pub(crate) fn transformed(&mut self) {
        self.transformed = Some(Instant::now());
    }

    /// Records that the document is complete.
    pub(crate) fn extracted(&mut self) {
        self.extracted = Some(Instant::now());
    }

    /// The times of the stages, if the page is stored now.
    pub(crate) fn times(&self) -> StageTimes {
        let now = Instant::now();
        let extracted = self.extracted.unwrap_or(now);
        let transformed = self.transformed.unwrap_or(extracted);
        // Without an answer, the request lasted until the page had failed.
        let fetched = self.fetched.unwrap_or(transformed);
        let sent = self.sent.unwrap_or(fetched);
        StageTimes {
            waited: sent.saturating_duration_since(self.began),
            fetched: fetched.saturating_duration_since(sent),
            transformed: transformed.saturating_duration_since(fetched),
            extracted: extracted.saturating_duration_since(transformed),
            stored: now.saturating_duration_since(extracted),
        }
    }

    /// The page, if it ends with this outcome. `None` if it returns to the queue.
    pub(crate) fn end_of(&self, page: &FinishedPage) -> Option<EndedPage> {
        let outcome = match &page.outcome {
            PageOutcome::Document(..) => OwnedOutcome::Document,
            PageOutcome::Failed(error) => OwnedOutcome::Failed(error.clone()),
            PageOutcome::RobotsBlocked => OwnedOutcome::RobotsBlocked,
            PageOutcome::Skipped => OwnedOutcome::Skipped,
            PageOutcome::Retry(_) | PageOutcome::Return(_) => return None,
        };
        let answer = self.answer.as_ref();
        Some(EndedPage {
            job: page.lease.job,
            url: page.lease.url.clone(),
            answered: answer.map(|answer| answer.url.clone()),
            status: answer.map(|answer| answer.status),
            bytes: answer.map_or(0, |answer| answer.bytes),
            attempts: page.lease.attempt.saturating_add(1),
            cache_state: answer.and_then(|answer| answer.cache_state),
            engine: answer.map(|answer| answer.engine),
            outcome,
        })
    }
}
