//! Comparing a document with an earlier scrape of its page, before it is stored.

use std::panic::AssertUnwindSafe;

use futures_util::FutureExt as _;
use gleaner_store::{FinishedPage, PageOutcome};
use serde_json::Value;

use crate::attempts::page_deadline;
use crate::context::JobContext;
use crate::shared::Shared;
use crate::tracking::{NOT_COMPARED, TrackingTask};
use crate::warning::warn;

/// Warning of a document if the runtime has no [`TrackChanges`](crate::TrackChanges).
const NO_TRACKER: &str = "change tracking has no effect: this engine keeps no history of pages";

/// Completes a document whose request asks for change tracking. Mode `json` compares `fields`.
pub(crate) async fn track_changes(
    shared: &Shared,
    job: &JobContext,
    fields: Option<Value>,
    page: &mut FinishedPage,
) {
    let Some(options) = &job.options.formats.change_tracking else { return };
    let deadline = page_deadline(shared, job, &page.lease);
    let PageOutcome::Document(document, _) = &mut page.outcome else { return };
    let Some(tracker) = shared.tracker.get() else { return warn(document, NO_TRACKER) };
    let (team, zero_data_retention) = (job.team.as_ref(), job.zero_data_retention);
    let task = TrackingTask { job: job.id, team, options, fields, zero_data_retention, deadline };
    let tracking = AssertUnwindSafe(tracker.track(task, document)).catch_unwind();
    let tracked = tokio::select! {
        () = job.cancelled.cancelled() => return,
        tracked = tracking => tracked,
    };
    match tracked {
        Ok(tracked_scrape) => page.tracked_scrape = tracked_scrape,
        Err(_) => warn(document, NOT_COMPARED),
    }
}
