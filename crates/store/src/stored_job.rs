//! A running job as another process needs it to continue the work.

use std::time::Duration;

use gleaner_frontier::JobRules;
use gleaner_types::{JobId, JobKind};

use crate::{JobAccount, JobRequest, Note};

/// What a process needs to work on a running job that another one submitted.
#[derive(Debug, Clone)]
pub struct StoredJob {
    /// The id of the job.
    pub id: JobId,
    /// The kind of the job; `None` for a single scrape.
    pub kind: Option<JobKind>,
    /// The request. A store need not keep that of a single scrape.
    pub request: JobRequest,
    /// Limit, concurrency, delay and depth, as submitted.
    pub rules: JobRules,
    /// The owner and its limits; `None` for a job without a team. The budget is the current one.
    pub account: Option<Box<JobAccount>>,
    /// Nothing about its pages may be kept, including their URLs.
    pub zero_data_retention: bool,
    /// Time of the submit, since the Unix epoch.
    pub created_at: Duration,
    /// The notes of the job, merged, in the order of kind and key.
    pub notes: Vec<Note>,
}
