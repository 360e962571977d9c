//! Which worker holds which lease.

use std::collections::HashMap;
use std::time::Duration;

use gleaner_frontier::{LeaseId, Outcome};
use gleaner_types::JobId;

use super::state::State;
use crate::WorkerId;

/// The holders of the leases, including those of ended jobs that their workers have not finished.
#[derive(Debug, Default)]
pub(super) struct LeaseHolders(HashMap<LeaseId, Holder>);

#[derive(Debug)]
struct Holder {
    worker: WorkerId,
    job: JobId,
    expires_at: Duration,
}

impl LeaseHolders {
    pub(super) fn insert(&mut self, lease: LeaseId, worker: WorkerId, job: JobId, expires_at: Duration) {
        self.0.insert(lease, Holder { worker, job, expires_at });
    }

    pub(super) fn remove(&mut self, lease: LeaseId) {
        self.0.remove(&lease);
    }

    pub(super) fn remove_expired(&mut self, now: Duration) {
        self.0.retain(|_, holder| holder.expires_at > now);
    }

    /// Removes the leases of a worker and returns them, with their jobs, in a fixed order.
    fn take(&mut self, worker: WorkerId) -> Vec<(LeaseId, JobId)> {
        let held = self.0.extract_if(|_, holder| holder.worker == worker);
        let mut held: Vec<(LeaseId, JobId)> = held.map(|(lease, holder)| (lease, holder.job)).collect();
        held.sort_unstable();
        held
    }
}

impl State {
    /// The lease with this id in the queue; `None` if another process leased the page.
    pub(super) fn queue_lease(&self, lease: crate::LeaseId) -> Option<LeaseId> {
        (lease.epoch == self.epoch).then(|| LeaseId::from_raw(lease.number))
    }

    /// Returns the pages of a worker to the queue, without an attempt.
    pub(super) fn release(&mut self, worker: WorkerId, now: Duration) {
        for (lease, id) in self.lease_holders.take(worker) {
            if self.frontier.is_leased(lease)
                && let Some(job) = self.jobs.get(&id)
            {
                self.teams.page_finished(job.team, &self.frontier);
            }
            // A request may have been sent, so the gap of the host begins now.
            self.frontier.finish(lease, Outcome::Return { not_before: now }, [], now);
            self.check_budget(id);
            let _ended = self.end_if_done(id, now) || self.fail_if_denied(id, now);
        }
    }

    /// Ends expired leases. Returns whether there were any.
    pub(super) fn expire_leases(&mut self, now: Duration) -> bool {
        if self.frontier.expire(now) == 0 {
            return false;
        }
        self.lease_holders.remove_expired(now);
        self.teams.clear_freed_slots();
        self.list_lost_pages(now);
        self.end_done_jobs(now);
        true
    }

    /// Ends the running jobs that have nothing left to do, or no credits.
    pub(super) fn end_done_jobs(&mut self, now: Duration) {
        let mut running: Vec<JobId> = self.running.values().map(|(id, _)| *id).collect();
        running.sort_unstable();
        for id in running {
            self.check_budget(id);
            let _ended = self.end_if_done(id, now) || self.fail_if_denied(id, now);
        }
    }
}
