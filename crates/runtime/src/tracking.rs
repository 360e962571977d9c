//! The port of change tracking.

use std::fmt::Debug;

use gleaner_store::{TeamId, TrackedScrape};
use gleaner_types::plan::ChangeTracking;
use gleaner_types::{BoxFuture, Document, JobId};
use serde_json::Value;
use tokio::time::Instant;

/// Warning of a document that could not be compared.
pub const NOT_COMPARED: &str = "the page could not be compared with its last scrape";

/// Compares documents with an earlier scrape of their page. Without it, `changeTracking` only adds a warning.
pub trait TrackChanges: Debug + Send + Sync + 'static {
    /// Completes a document whose request asks for change tracking, and returns the scrape that the store
    /// keeps for the next comparison. Dropping the future must end the work.
    fn track<'a>(
        &'a self,
        task: TrackingTask<'a>,
        document: &'a mut Document,
    ) -> BoxFuture<'a, Option<Box<TrackedScrape>>>;
}

/// A comparison to make.
#[derive(Debug)]
pub struct TrackingTask<'t> {
    /// The job of the page.
    pub job: JobId,
    /// The team of the job, if any. Each team has its own history.
    pub team: Option<&'t TeamId>,
    /// What to compare.
    pub options: &'t ChangeTracking,
    /// The fields that mode `json` compares.
    pub fields: Option<Value>,
    /// The job runs under zero data retention: nothing of the page may be kept.
    pub zero_data_retention: bool,
    /// The deadline of the page.
    pub deadline: Instant,
}
