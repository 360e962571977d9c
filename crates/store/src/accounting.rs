//! What the keeper of accounts is to be told: a part of the outbox, so that a crash between a job's end and its
//! settlement loses nothing.

use gleaner_types::JobId;

use crate::{JobSnapshot, TeamId};

/// What is to be settled with accounts.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Accounting {
    /// Jobs whose next page their reservation does not cover. They are held until [`Store::grant`](crate::Store::grant).
    pub short: Vec<Shortage>,
    /// Jobs that ended and are told of until [`Store::settled`](crate::Store::settled), in the order of their end.
    pub ended: Vec<EndedJob>,
}

impl Accounting {
    /// Is there nothing to do?
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.short.is_empty() && self.ended.is_empty()
    }
}

/// A job that may not go on with what is reserved for it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Shortage {
    /// The job.
    pub job: JobId,
    /// Who pays.
    pub team: TeamId,
    /// So many credits more are needed at least for its next page.
    pub credits: u64,
    /// What a page costs at least.
    pub price: u64,
}

/// A job that ended, as it was at its end.
#[derive(Debug, Clone, PartialEq)]
pub struct EndedJob {
    /// Who pays.
    pub team: TeamId,
    /// The address that it began with; empty for a job that was given none.
    pub url: String,
    /// Counts, credits, times and outcome.
    pub snapshot: JobSnapshot,
    /// Nothing of its pages, their addresses included, may be kept.
    pub zero_data_retention: bool,
}
