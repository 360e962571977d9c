//! The row of a job: it is locked, changed in memory by the rules of a job, and written back.

use std::time::Duration;

use gleaner_store::{JobFailure, JobSnapshot, JobWarning, TeamId, WaitingFor};
use gleaner_types::{JobId, JobKind, JobState};

/// The state of a job, as in the table `job`, which has the meaning of each column.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct JobRow {
    pub(crate) number: i32,
    pub(crate) id: JobId,
    pub(crate) team: Option<TeamId>,
    pub(crate) kind: Option<JobKind>,
    pub(crate) state: JobState,
    pub(crate) sealed: bool,
    pub(crate) paused: bool,
    pub(crate) keeps: bool,
    pub(crate) max_documents: u64,
    pub(crate) max_in_flight: Option<u32>,
    pub(crate) max_depth: Option<u32>,
    pub(crate) pending: u64,
    pub(crate) pending_auxiliary: u64,
    pub(crate) documents: u64,
    pub(crate) failed: u64,
    pub(crate) robots_blocked: u64,
    pub(crate) failures_listed: u32,
    pub(crate) blocked_listed: u32,
    pub(crate) tokens_held: u64,
    pub(crate) slots_held: u32,
    pub(crate) read_position: u64,
    pub(crate) unread_bytes: u64,
    pub(crate) price: u64,
    pub(crate) budget: Option<u64>,
    pub(crate) grants: u64,
    pub(crate) denied: bool,
    pub(crate) tokens_used: u64,
    pub(crate) credits_used: u64,
    pub(crate) created_at: Duration,
    pub(crate) ended_at: Option<Duration>,
    pub(crate) failure: Option<JobFailure>,
    pub(crate) error: Option<String>,
    pub(crate) warnings: Vec<JobWarning>,
    pub(crate) next_event: u64,
    pub(crate) events: u64,
    pub(crate) has_webhook: bool,
    pub(crate) part_of: Option<JobId>,
    pub(crate) unsettled: bool,
    pub(crate) removed: bool,
    pub(crate) runner: Option<i64>,
}
