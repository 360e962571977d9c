//! A row in the list of jobs of a file.

use std::time::Duration;

use gleaner_store::TeamId;
use gleaner_types::{JobId, JobKind};

/// A job in the file, for lists.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct JobRecord {
    /// Its number in this file.
    pub number: u64,
    /// The id of the job.
    pub id: JobId,
    /// The kind of the job.
    pub kind: Option<JobKind>,
    /// The team that owns it.
    pub team: Option<TeamId>,
    /// The URL under which it is listed.
    pub url: Option<String>,
    /// When it was submitted, since the Unix epoch.
    pub submitted_at: Duration,
    /// It has ended.
    pub has_ended: bool,
    /// Its results are removed; only its events and its account wait for something.
    pub is_removed: bool,
}
