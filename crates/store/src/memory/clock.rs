//! A clock that was set back between two processes.

use std::time::Duration;

use super::state::State;

impl State {
    /// The latest time that the jobs have.
    pub(super) fn latest_time(&self) -> Duration {
        let times = self.jobs.values().chain(self.removed.values()).flat_map(|job| {
            let failure = job.failures.failures.last().map(|failure| failure.at);
            let letter = job.outbox.as_ref().and_then(|outbox| outbox.dead_letters.last());
            [Some(job.created_at), job.ended_at, failure, letter.map(|letter| letter.at)]
        });
        times.flatten().max().unwrap_or_default()
    }

    /// Makes all events that wait due earlier by this time.
    pub(super) fn advance_events(&mut self, by: Duration) {
        if by.is_zero() {
            return;
        }
        let Self { event_schedule, jobs, removed, .. } = self;
        for (id, job) in jobs.iter_mut().chain(removed) {
            if let Some(outbox) = job.outbox.as_deref_mut() {
                event_schedule.advance(*id, outbox, by);
            }
        }
    }
}
