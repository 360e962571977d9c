//! The log line of a page's end, which carries its metrics.
//!
//! Its level is `DEBUG`: a crawl ends hundreds of pages in a second, and a library must not fill the log of
//! its program unasked. Its target is its own, so that a subscriber can ask for these lines alone.

use std::time::Duration;

use gleaner_store::{FinishedPage, PageOutcome};
use gleaner_types::{ErrorCode, JobId, SafeUrl};

use crate::context::JobContext;
use crate::timings::{Measured, Timings};

/// The target of the lines.
const TARGET: &str = "gleaner::page";

/// The end of a page.
#[derive(Debug)]
pub(crate) struct PageEvent {
    job: JobId,
    /// `None` under zero data retention.
    url: Option<SafeUrl>,
    outcome: &'static str,
    code: Option<ErrorCode>,
    tries: u32,
}

impl PageEvent {
    /// The end of this page; `None` if nobody listens, if it returns to the queue, or if it is no page, but a
    /// sitemap.
    pub(crate) fn of(job: &JobContext, page: &FinishedPage) -> Option<Self> {
        if !tracing::enabled!(target: TARGET, tracing::Level::DEBUG) || page.lease.auxiliary {
            return None;
        }
        let (outcome, code) = match &page.outcome {
            PageOutcome::Document(..) => ("document", None),
            PageOutcome::Failed(error) => ("failed", Some(error.code)),
            PageOutcome::RobotsBlocked(_) => ("robots_blocked", None),
            PageOutcome::Skipped => ("skipped", None),
            PageOutcome::Retry(_) | PageOutcome::Return(_) => return None,
        };
        let (url, tries) = (job.log_url(&page.lease.url), page.lease.attempt.saturating_add(1));
        Some(Self { job: job.id, url, outcome, code, tries })
    }

    /// Logs the end, which the store has recorded after this time.
    pub(crate) fn log(self, measured: Measured, total: Duration) {
        let Measured { timings, bytes, status, .. } = measured;
        let Timings { waited, fetched, transformed, extracted, stored } = timings;
        tracing::debug!(
            target: TARGET,
            job = %self.job,
            url = self.url.map(tracing::field::display),
            outcome = self.outcome,
            code = self.code.map(tracing::field::display),
            status,
            bytes,
            tries = self.tries,
            waited_us = micros(waited),
            fetched_us = micros(fetched),
            transformed_us = micros(transformed),
            extracted_us = micros(extracted),
            stored_us = micros(stored),
            total_us = micros(total),
            "a page ended"
        );
    }
}

fn micros(duration: Duration) -> u64 {
    u64::try_from(duration.as_micros()).unwrap_or(u64::MAX)
}
