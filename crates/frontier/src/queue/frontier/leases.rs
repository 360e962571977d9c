//! Leasing pages and finishing leases.

use std::time::Duration;

use url::Url;

use super::Frontier;
use crate::queue::changes::PageEnd;
use crate::queue::config::MAX_WAIT;
use crate::queue::model::{
    Admitted, Candidate, DroppedPages, Finished, JobSlot, Lease, LeaseId, Leased, LostPage, Outcome,
};
use crate::queue::scheduler::ScheduledPage;
use crate::{Fingerprint, UrlKey};

/// Maximum number of given-up pages that are kept until [`Frontier::take_lost`].
const MAX_LOST: usize = 10_000;

impl Frontier {
    /// Leases at most `max` pages to fetch now.
    pub fn lease(&mut self, max: usize, now: Duration) -> Leased {
        self.scheduler.fire_timers(&mut self.jobs, now);
        let capacity = usize::try_from(self.config.max_in_flight)
            .unwrap_or(usize::MAX)
            .saturating_sub(self.leases.len());
        let mut leases = Vec::with_capacity(max.min(capacity).min(64));
        self.scheduler.begin_call();
        while leases.len() < max.min(capacity) {
            let Some(scheduled) = self.scheduler.next_page(&mut self.jobs, now) else { break };
            leases.extend(self.start_lease(scheduled, now));
        }
        self.scheduler.end_call();
        let next = if leases.len() == max && max < capacity {
            Some(now)
        } else {
            self.drop_ended_deadlines();
            let expiry = self.deadlines.front().map(|(at, _)| *at);
            [self.scheduler.next_timer(), expiry].into_iter().flatten().min()
        };
        Leased { leases, next }
    }

    fn start_lease(&mut self, scheduled: ScheduledPage, now: Duration) -> Option<Lease> {
        let scheme = if scheduled.page.https { "https" } else { "http" };
        let name = self.scheduler.hosts.get(scheduled.host).map_or("", |host| &host.name);
        let url = Url::parse(&format!("{scheme}://{name}{}", scheduled.page.path));
        debug_assert!(url.is_ok(), "only valid URLs are queued");
        let before = self.load_of(scheduled.job);
        let job = self.jobs.get_mut(scheduled.job)?;
        let Ok(url) = url else {
            job.on_lease_ended(scheduled.rank);
            job.failed += 1;
            if let Some(log) = job.log(&mut self.changes) {
                log.ended(JobSlot(scheduled.job), scheduled.page.key, PageEnd::Failed, std::iter::empty());
            }
            let scheduled = ScheduledPage { request_sent: false, ..scheduled };
            self.scheduler.release_host_queue(&scheduled, job, now);
            self.scheduler.update_load(job, before, now);
            self.scheduler.release_host(scheduled.host, false, now);
            return None;
        };
        let key = scheduled.page.key;
        job.set_leased(key);
        let (depth, external, attempt) =
            (job.depth(key, scheduled.rank.depth), scheduled.page.external, scheduled.attempt);
        let max_concurrent = self.scheduler.hosts.limits(scheduled.host).max_concurrent;
        let (job, auxiliary) = (JobSlot(scheduled.job), scheduled.rank.is_auxiliary());
        let id = self.leases.insert(scheduled);
        self.deadlines.push_back((now.saturating_add(self.config.lease_time), id));
        Some(Lease { id: LeaseId(id), job, url, key, depth, external, auxiliary, attempt, max_concurrent })
    }

    /// Reports the outcome of a page and its links, which are admitted one click deeper.
    ///
    /// Links are followed only with [`Outcome::Document`] and [`Outcome::Skipped`], and not on external
    /// pages.
    pub fn finish(
        &mut self,
        lease: LeaseId,
        outcome: Outcome,
        links: impl IntoIterator<Item = Candidate>,
        now: Duration,
    ) -> Finished {
        let Some(scheduled) = self.leases.remove(lease.0) else { return Finished::Stale };
        let (job_handle, host, request_sent) = (scheduled.job, scheduled.host, scheduled.request_sent);
        if !self.jobs.contains(job_handle) {
            self.scheduler.release_host(host, request_sent, now);
            return Finished::Stale;
        }
        let key = scheduled.page.key;
        let followed = !scheduled.page.external && matches!(outcome, Outcome::Document | Outcome::Skipped);
        let queued_depth = scheduled.rank.depth;
        // Admit the links first, so that the host queue of the page need not be removed and added again.
        let depth = self.jobs.get(job_handle).map_or(queued_depth, |job| job.depth(key, queued_depth));
        let admitted = match outcome {
            Outcome::Retry { .. } | Outcome::Return { .. } => Admitted::default(),
            _ if followed => self.admit_pages(job_handle, Some(key), depth.saturating_add(1), links, now),
            _ => self.admit_pages(job_handle, Some(key), depth, std::iter::empty(), now),
        };
        self.end_lease(scheduled, outcome, now);
        // For other outcomes the caller reports the response, if any: a page may be skipped without one.
        if outcome == Outcome::Document
            && let Some(host) = self.scheduler.hosts.get_mut(host)
        {
            host.rate_controller.mark_answered();
        }
        self.scheduler.release_host(host, request_sent, now);
        Finished::Accepted { admitted }
    }

    /// Records the end of a lease of an open job, except for its links and its host.
    fn end_lease(&mut self, scheduled: ScheduledPage, outcome: Outcome, now: Duration) {
        let before = self.load_of(scheduled.job);
        let Some(job) = self.jobs.get_mut(scheduled.job) else { return };
        let handle = scheduled.job;
        job.on_lease_ended(scheduled.rank);
        self.scheduler.release_host_queue(&scheduled, job, now);
        if let Some(log) = job.log(&mut self.changes) {
            let (slot, key) = (JobSlot(handle), scheduled.page.key);
            let attempt = scheduled.attempt.saturating_add(1);
            let end = match outcome {
                Outcome::Document => Some(PageEnd::Document),
                Outcome::Skipped => Some(PageEnd::Skipped),
                Outcome::Failed => Some(PageEnd::Failed),
                Outcome::Retry { .. } if attempt >= self.config.max_attempts => Some(PageEnd::Failed),
                Outcome::Retry { .. } => {
                    log.retried(slot, key, attempt);
                    None
                }
                Outcome::Return { .. } => None,
            };
            if let Some(end) = end {
                log.ended(slot, key, end, job.links(key));
            }
        }
        match outcome {
            Outcome::Document => job.documents += 1,
            Outcome::Failed => job.failed += 1,
            Outcome::Skipped => job.skipped += 1,
            Outcome::Retry { not_before }
                if scheduled.attempt.saturating_add(1) < self.config.max_attempts =>
            {
                let not_before = not_before.min(now.saturating_add(MAX_WAIT));
                job.set_waiting(scheduled.page.key);
                let retry = ScheduledPage { attempt: scheduled.attempt.saturating_add(1), ..scheduled };
                self.scheduler.enqueue_retry((handle, job), retry, not_before, now);
            }
            Outcome::Return { not_before } => {
                let not_before = not_before.min(now.saturating_add(MAX_WAIT));
                job.set_waiting(scheduled.page.key);
                self.scheduler.enqueue_retry((handle, job), scheduled, not_before, now);
            }
            Outcome::Retry { .. } => {
                job.failed += 1;
                let name = self.scheduler.hosts.get(scheduled.host).map_or("", |host| &host.name);
                let scheme = if scheduled.page.https { "https" } else { "http" };
                if let Ok(url) = Url::parse(&format!("{scheme}://{name}{}", scheduled.page.path))
                    && self.lost.len() < MAX_LOST
                {
                    let attempts = scheduled.attempt.saturating_add(1);
                    self.lost.push(LostPage { job: JobSlot(handle), url, key: scheduled.page.key, attempts });
                }
            }
        }
        self.scheduler.activate(handle, job);
        self.update_load(handle, before, now);
    }

    /// True while a lease is valid: not finished, not expired, and its job is open.
    #[must_use]
    pub fn is_leased(&self, lease: LeaseId) -> bool {
        self.leases.get(lease.0).is_some_and(|scheduled| self.jobs.contains(scheduled.job))
    }

    /// As [`visited`](Self::visited), for the redirect target of a leased page. In a job with
    /// [`JobRules::max_depth`](crate::JobRules::max_depth) it also keeps depths exact: the target has the
    /// depth of the page. True also if the target is the page itself (`/a` redirects to `/a/`); false if the
    /// lease is stale.
    pub fn redirected(&mut self, lease: LeaseId, target: UrlKey, now: Duration) -> bool {
        let Some(scheduled) = self.leases.get(lease.0) else { return false };
        let (handle, page) = (scheduled.job, scheduled.page.key);
        let before = self.load_of(handle);
        let Some(job) = self.jobs.get_mut(handle) else { return false };
        let mut queue = Vec::new();
        let is_new = job.redirect(page, target, &mut queue);
        if let Some(log) = job.log(&mut self.changes) {
            log.redirected(JobSlot(handle), page, target);
        }
        self.enqueue(handle, &queue, 0, false, now);
        self.log_depths(handle);
        self.update_load(handle, before, now);
        is_new
    }

    /// Records the fingerprint of a leased page, before it is finished. True if the pages of its shape repeat
    /// nearly the same text: soft 404s, or the empty days of a calendar. All waiting and future pages of this
    /// shape then go after the other pages of their host; none is dropped.
    ///
    /// Optional: a job without fingerprints costs nothing. Do not record error pages, which are recognized
    /// already.
    pub fn record_fingerprint(&mut self, lease: LeaseId, fingerprint: Fingerprint) -> bool {
        let Some(scheduled) = self.leases.get(lease.0) else { return false };
        let Some(job) = self.jobs.get_mut(scheduled.job) else { return false };
        let Some(host) = self.scheduler.hosts.get(scheduled.host) else { return false };
        job.traps.record(&host.name, &scheduled.page.path, fingerprint)
    }

    /// Reports, before a leased page is finished, that no request was sent for it, for example because
    /// robots.txt forbids it or the host had no capacity. The page then affects neither the gap of the host
    /// nor [`JobRules::delay`](crate::JobRules::delay); both continue from the request before. Without this
    /// call a lease counts as a request.
    pub fn no_request_sent(&mut self, lease: LeaseId) {
        if let Some(scheduled) = self.leases.get_mut(lease.0) {
            scheduled.request_sent = false;
        }
    }

    /// Ends expired leases: their pages are queued again, or given up after
    /// [`FrontierConfig::max_attempts`](crate::FrontierConfig::max_attempts). Returns the number of ended
    /// leases, including those of closed jobs.
    pub fn expire(&mut self, now: Duration) -> u64 {
        let mut expired = 0;
        while let Some(&(at, handle)) = self.deadlines.front() {
            if at > now {
                break;
            }
            self.deadlines.pop_front();
            let Some(scheduled) = self.leases.remove(handle) else { continue };
            expired += 1;
            let (host, request_sent) = (scheduled.host, scheduled.request_sent);
            self.end_lease(scheduled, Outcome::Retry { not_before: now }, now);
            self.scheduler.release_host(host, request_sent, now);
        }
        expired
    }

    /// Takes the pages given up since the last call: each was leased
    /// [`FrontierConfig::max_attempts`](crate::FrontierConfig::max_attempts) times without a result. They
    /// already count as failed.
    pub fn take_lost(&mut self) -> Vec<LostPage> {
        std::mem::take(&mut self.lost)
    }

    /// Takes the numbers of pages that could not be read back from the [spill](Self::with_spill) since the
    /// last call, ordered by job. They already count as failed.
    pub fn take_dropped(&mut self) -> Vec<DroppedPages> {
        let dropped = self.scheduler.take_dropped().into_iter();
        dropped.map(|(job, pages)| DroppedPages { job: JobSlot(job), pages }).collect()
    }

    /// Drops the deadlines of ended leases once they outnumber the others.
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
