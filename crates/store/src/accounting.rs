//! What the accounts provider must be told. It is part of the outbox, so that a crash between the end of a
//! job and its settlement loses nothing.

use gleaner_types::JobId;

use crate::{JobSnapshot, TeamId};

/// What must be settled with the accounts provider.
#[derive(Debug, Clone, Default, PartialEq)]
#[non_exhaustive]
pub struct Accounting {
    /// Jobs whose reservation does not cover their next page. They are held until
    /// [`Store::grant`](crate::Store::grant).
    pub short: Vec<Shortage>,
    /// Ended jobs, in the order of their end, each until [`Store::settled`](crate::Store::settled).
    pub ended: Vec<EndedJob>,
}

impl Accounting {
    /// True if there is nothing to do.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.short.is_empty() && self.ended.is_empty()
    }
}

/// A job that cannot continue with its reserved credits.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Shortage {
    /// The job.
    pub job: JobId,
    /// The team that pays.
    pub team: TeamId,
    /// Minimum number of further credits for its next page.
    pub credits: u64,
    /// Minimum price of a page, in credits.
    pub price: u64,
}

/// An ended job, as it was at its end.
#[derive(Debug, Clone, PartialEq)]
pub struct EndedJob {
    /// The team that pays.
    pub team: TeamId,
    /// The URL that it started with; empty if it was submitted without one.
    pub url: String,
    /// Counts, credits, times and outcome.
    pub snapshot: JobSnapshot,
    /// Nothing about its pages may be kept, including their URLs.
    pub zero_data_retention: bool,
}
