//! What is leased, and what became of it.

use std::time::Duration;

use url::Url;

use super::Frontier;
use crate::queue::config::MAX_WAIT;
use crate::queue::model::{
    Admitted, Candidate, DroppedPages, Finished, JobSlot, Lease, LeaseId, Leased, LostPage, Outcome,
};
use crate::queue::scheduler::Taken;
use crate::{Fingerprint, UrlKey};

/// At most so many pages given up are remembered until they are taken.
const MAX_LOST: usize = 10_000;

impl Frontier {
    /// At most `max` pages to fetch now.
    pub fn lease(&mut self, max: usize, now: Duration) -> Leased {
        self.scheduler.ring_alarms(&mut self.jobs, now);
        let room = usize::try_from(self.config.max_in_flight)
            .unwrap_or(usize::MAX)
            .saturating_sub(self.leases.len());
        let mut leases = Vec::with_capacity(max.min(room).min(64));
        self.scheduler.begin();
        while leases.len() < max.min(room) {
            let Some(taken) = self.scheduler.take(&mut self.jobs, now) else { break };
            leases.extend(self.lease_out(taken, now));
        }
        self.scheduler.end();
        let next = if leases.len() == max && max < room {
            Some(now)
        } else {
            self.drop_ended_deadlines();
            let expiry = self.deadlines.front().map(|(at, _)| *at);
            [self.scheduler.next_alarm(), expiry].into_iter().flatten().min()
        };
        Leased { leases, next }
    }

    fn lease_out(&mut self, taken: Taken, now: Duration) -> Option<Lease> {
        let scheme = if taken.page.https { "https" } else { "http" };
        let name = self.scheduler.hosts.get(taken.host).map_or("", |host| &host.name);
        let url = Url::parse(&format!("{scheme}://{name}{}", taken.page.rest));
        debug_assert!(url.is_ok(), "it was a URL when it was queued");
        let before = self.share_of(taken.job);
        let job = self.jobs.get_mut(taken.job)?;
        let Ok(url) = url else {
            job.ended(taken.rank);
            job.failed += 1;
            let taken = Taken { asked: false, ..taken };
            self.scheduler.release_lane(&taken, job, now);
            self.scheduler.book(job, before, now);
            self.scheduler.release_host(taken.host, false, now);
            return None;
        };
        let key = taken.page.key;
        job.set_leased(key);
        let (depth, external, attempt) =
            (job.depth(key, taken.rank.depth), taken.page.external, taken.attempt);
        let places = self.scheduler.hosts.limits(taken.host).places;
        let job = JobSlot(taken.job);
        let id = self.leases.insert(taken);
        self.deadlines.push_back((now.saturating_add(self.config.lease_time), id));
        Some(Lease { id: LeaseId(id), job, url, key, depth, external, attempt, places })
    }

    /// Reports how the work on a page ended, and its links, which are admitted one click further away.
    ///
    /// Links of an external page, and those given with any other outcome than [`Outcome::Document`] and
    /// [`Outcome::Skipped`], are not followed.
    pub fn finish(
        &mut self,
        lease: LeaseId,
        outcome: Outcome,
        links: impl IntoIterator<Item = Candidate>,
        now: Duration,
    ) -> Finished {
        let Some(taken) = self.leases.remove(lease.0) else { return Finished::Stale };
        let (job_handle, host, asked) = (taken.job, taken.host, taken.asked);
        if !self.jobs.contains(job_handle) {
            self.scheduler.release_host(host, asked, now);
            return Finished::Stale;
        }
        let key = taken.page.key;
        let followed = !taken.page.external && matches!(outcome, Outcome::Document | Outcome::Skipped);
        let queued_depth = taken.rank.depth;
        // Links first: the lane of the page, if it is to go on, need not be taken down and put up again.
        let depth = self.jobs.get(job_handle).map_or(queued_depth, |job| job.depth(key, queued_depth));
        let admitted = match outcome {
            Outcome::Retry { .. } | Outcome::Return { .. } => Admitted::default(),
            _ if followed => self.take_in(job_handle, Some(key), depth.saturating_add(1), links, now),
            _ => self.take_in(job_handle, Some(key), depth, std::iter::empty(), now),
        };
        self.end_lease(taken, outcome, now);
        // Of the others it is said how the host answered, if it did: a page may be skipped without a word from it.
        if outcome == Outcome::Document
            && let Some(host) = self.scheduler.hosts.get_mut(host)
        {
            host.rate_controller.answered();
        }
        self.scheduler.release_host(host, asked, now);
        Finished::Accepted { admitted }
    }

    /// Books the end of a lease of a live job, all but its links and its host.
    fn end_lease(&mut self, taken: Taken, outcome: Outcome, now: Duration) {
        let before = self.share_of(taken.job);
        let Some(job) = self.jobs.get_mut(taken.job) else { return };
        let handle = taken.job;
        job.ended(taken.rank);
        self.scheduler.release_lane(&taken, job, now);
        match outcome {
            Outcome::Document => job.documents += 1,
            Outcome::Failed => job.failed += 1,
            Outcome::Skipped => job.skipped += 1,
            Outcome::Retry { not_before } if taken.attempt.saturating_add(1) < self.config.max_attempts => {
                let not_before = not_before.min(now.saturating_add(MAX_WAIT));
                job.set_waiting(taken.page.key);
                let tried = Taken { attempt: taken.attempt.saturating_add(1), ..taken };
                self.scheduler.enqueue_again((handle, job), tried, not_before, now);
            }
            Outcome::Return { not_before } => {
                let not_before = not_before.min(now.saturating_add(MAX_WAIT));
                job.set_waiting(taken.page.key);
                self.scheduler.enqueue_again((handle, job), taken, not_before, now);
            }
            Outcome::Retry { .. } => {
                job.failed += 1;
                let name = self.scheduler.hosts.get(taken.host).map_or("", |host| &host.name);
                let scheme = if taken.page.https { "https" } else { "http" };
                if let Ok(url) = Url::parse(&format!("{scheme}://{name}{}", taken.page.rest))
                    && self.lost.len() < MAX_LOST
                {
                    let attempts = taken.attempt.saturating_add(1);
                    self.lost.push(LostPage { job: JobSlot(handle), url, key: taken.page.key, attempts });
                }
            }
        }
        self.scheduler.touch(handle, job);
        self.book(handle, before, now);
    }

    /// True while a lease counts: it was not finished, has not expired, and its job goes on.
    #[must_use]
    pub fn is_leased(&self, lease: LeaseId) -> bool {
        self.leases.get(lease.0).is_some_and(|taken| self.jobs.contains(taken.job))
    }

    /// As [`visited`](Self::visited), for the target of a redirect that a lease ended at. In a job with
    /// [`JobRules::max_depth`](crate::JobRules::max_depth) this keeps depths exact as well: the target is as many clicks away as the page. True
    /// also where the target is the page itself (`/a` that redirects to `/a/`); false where the lease is stale.
    pub fn redirected(&mut self, lease: LeaseId, target: UrlKey, now: Duration) -> bool {
        let Some(taken) = self.leases.get(lease.0) else { return false };
        let (handle, page) = (taken.job, taken.page.key);
        let before = self.share_of(handle);
        let Some(job) = self.jobs.get_mut(handle) else { return false };
        let mut queue = Vec::new();
        let is_new = job.redirect(page, target, &mut queue);
        self.enqueue(handle, &queue, 0, false, now);
        self.book(handle, before, now);
        is_new
    }

    /// Says what a leased page said, before it is finished. True where the pages of its shape say nearly the same over
    /// and over: soft 404s, the empty days of a calendar. All of them that wait, and those that are found from now on,
    /// then go behind the other pages of their host; none is dropped.
    ///
    /// Optional: a job whose pages are never fingerprinted pays nothing for it. Not for pages that answer with an error,
    /// which are known as such already.
    pub fn fingerprinted(&mut self, lease: LeaseId, said: Fingerprint) -> bool {
        let Some(taken) = self.leases.get(lease.0) else { return false };
        let Some(job) = self.jobs.get_mut(taken.job) else { return false };
        let Some(host) = self.scheduler.hosts.get(taken.host) else { return false };
        job.traps.learn(&host.name, &taken.page.rest, said)
    }

    /// Says that nothing was asked of the host for a leased page, before it is finished: robots.txt forbids the page, say,
    /// or the host's turn did not come. It then costs neither the host's gap nor the
    /// [`JobRules::delay`](crate::JobRules::delay), which both go on from the request before. Of a lease for which this is
    /// not said it is taken that something was asked.
    pub fn unasked(&mut self, lease: LeaseId) {
        if let Some(taken) = self.leases.get_mut(lease.0) {
            taken.asked = false;
        }
    }

    /// Takes back leases whose time is over: their pages are queued again, or given up after
    /// [`FrontierConfig::max_attempts`](crate::FrontierConfig::max_attempts). Returns how many they were, those of closed jobs included.
    pub fn expire(&mut self, now: Duration) -> u64 {
        let mut expired = 0;
        while let Some(&(at, handle)) = self.deadlines.front() {
            if at > now {
                break;
            }
            self.deadlines.pop_front();
            let Some(taken) = self.leases.remove(handle) else { continue };
            expired += 1;
            let (host, asked) = (taken.host, taken.asked);
            self.end_lease(taken, Outcome::Retry { not_before: now }, now);
            self.scheduler.release_host(host, asked, now);
        }
        expired
    }

    /// The pages given up since this was last asked: leased [`FrontierConfig::max_attempts`](crate::FrontierConfig::max_attempts) times in vain. They are
    /// counted as failed already.
    pub fn take_lost(&mut self) -> Vec<LostPage> {
        std::mem::take(&mut self.lost)
    }

    /// The pages that did not come back from [cold storage](Self::with_cold_storage) since this was last asked, in the order of
    /// their jobs. They are counted as failed already.
    pub fn take_dropped(&mut self) -> Vec<DroppedPages> {
        let dropped = self.scheduler.take_dropped().into_iter();
        dropped.map(|(job, pages)| DroppedPages { job: JobSlot(job), pages }).collect()
    }

    /// Deadlines of leases that have ended are dropped once they outnumber the others.
    fn drop_ended_deadlines(&mut self) {
        if self.deadlines.len() > 2 * self.leases.len() + 64 {
            let leases = &self.leases;
            self.deadlines.retain(|(_, handle)| leases.contains(*handle));
        }
        while self.deadlines.front().is_some_and(|(_, handle)| !self.leases.contains(*handle)) {
            self.deadlines.pop_front();
        }
    }
}
