//! What the accounts provider must be told. It is part of the outbox, so that a crash between the end of a
//! job and its settlement loses nothing.

use gleaner_types::JobId;
use uuid::Uuid;

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
    /// Reservations of earlier processes whose jobs were never submitted, each until
    /// [`Store::withdrawn`](crate::Store::withdrawn).
    pub unsubmitted: Vec<Reservation>,
}

impl Accounting {
    /// Whether there is nothing to do.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.short.is_empty() && self.ended.is_empty() && self.unsubmitted.is_empty()
    }
}

/// A job that cannot continue with its reserved credits.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Shortage {
    /// The job.
    pub job: JobId,
    /// The team that pays.
    pub team: TeamId,
    /// Identifies the grant: the same until [`Store::grant`](crate::Store::grant), also in a later process, so
    /// that the accounts provider recognizes a repeated call.
    pub operation: Uuid,
    /// Minimum number of further credits for its next page.
    pub credits: u64,
    /// Minimum price of a page, in credits.
    pub price: u64,
}

/// The id of the grant that a job needs after this number of grants: the same in every process.
#[must_use]
pub fn grant_operation(job: JobId, grants: u64) -> Uuid {
    // Version and variant are those of the job id: they are above the low 62 bits.
    let number = (grants.wrapping_add(1) << 1) & (u64::MAX >> 2);
    Uuid::from_u128(job.as_uuid().as_u128() ^ u128::from(number))
}

/// Credits that are about to be reserved for a job that is not submitted yet.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Reservation {
    /// Identifies the reservation to the accounts provider.
    pub operation: Uuid,
    /// The job.
    pub job: JobId,
    /// The team that pays.
    pub team: TeamId,
    /// The credits.
    pub credits: u64,
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

impl EndedJob {
    /// The job as a log may keep it beyond its results: with zero data retention, without its URL, and
    /// without its warnings and its error, because these texts can contain URLs.
    #[must_use]
    pub fn for_log(mut self) -> Self {
        if self.zero_data_retention {
            self.url.clear();
            (self.snapshot.warnings, self.snapshot.error) = (Vec::new(), None);
        }
        self
    }

    /// A completed job with one document, for tests.
    #[cfg(test)]
    pub(crate) fn sample(team: &TeamId, number: u128) -> Self {
        let snapshot = JobSnapshot {
            id: JobId::from_uuid(Uuid::from_u128(number)),
            kind: None,
            team: Some(team.clone()),
            state: gleaner_types::JobState::Completed,
            completed: 1,
            total: 1,
            open: 0,
            failed: 0,
            robots_blocked: 0,
            tokens_used: 0,
            credits_used: 1,
            created_at: std::time::Duration::ZERO,
            ended_at: Some(std::time::Duration::ZERO),
            waiting_for: None,
            warnings: Vec::new(),
            failure: None,
            error: None,
        };
        Self { team: team.clone(), url: String::new(), snapshot, zero_data_retention: false }
    }
}
