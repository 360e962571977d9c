//! What the store answers while its journal cannot write: memory is ahead of what a crash would leave.

use gleaner_types::{JobId, JobState};

use super::job::Job;
use super::state::State;
use crate::{Error, JobSnapshot, WaitingFor};

impl State {
    /// The state of a job that waits for the medium: it runs until its end is durable.
    pub(super) fn stalled_snapshot(&self, id: JobId) -> Result<JobSnapshot, Error> {
        let snapshot = self.snapshot(id)?;
        let Some(job) = self.jobs.get(&id).filter(|job| !job.has_durable_end()) else { return Ok(snapshot) };
        let counts = &job.final_counts;
        let at_end = counts.total.saturating_sub(counts.documents);
        let open = if job.ended_at.is_some() { at_end } else { snapshot.open };
        Ok(JobSnapshot {
            state: JobState::Scraping,
            ended_at: None,
            waiting_for: Some(WaitingFor::Disk),
            failure: None,
            error: None,
            ..snapshot
        }
        .with_open(open))
    }

    /// Whether a job has ended, and no crash can undo it. This holds for a job that is gone.
    pub(super) fn has_durable_end(&self, id: JobId) -> bool {
        self.jobs.get(&id).or_else(|| self.removed.get(&id)).is_none_or(Job::has_durable_end)
    }

    /// Whether a job was cancelled, and a crash could still undo it.
    pub(super) fn is_being_cancelled(&self, id: JobId) -> bool {
        self.jobs.get(&id).is_some_and(|job| job.state == JobState::Cancelled && !job.has_durable_end())
    }
}
