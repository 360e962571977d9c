//! Jobs whose work ended with an earlier process, and does not go on with their pages.

use gleaner_types::{JobId, JobKind};

use super::state::State;

/// True for jobs that are a task of their process: they have no pages of their own in the queue.
pub(super) fn has_no_pages(kind: Option<JobKind>) -> bool {
    kind == Some(JobKind::Extract)
}

impl State {
    /// Takes the running jobs of this kind that an earlier process worked on.
    pub(super) fn take_orphans(&mut self, kind: JobKind) -> Vec<JobId> {
        let Self { orphans, jobs, .. } = self;
        let mut taken = Vec::new();
        orphans.retain(|id| {
            let Some(job) = jobs.get(id).filter(|job| job.ended_at.is_none()) else { return false };
            let is_taken = job.kind == Some(kind);
            taken.extend(is_taken.then_some(*id));
            !is_taken
        });
        taken
    }
}
