//! Leases that end.

use std::time::Duration;

use gleaner_frontier::{HostFeedback, LeaseId, Outcome};
use gleaner_store::LeasedPage;

use super::{LeasedEntry, Local};
use crate::queue::{CommittedPage, GivenUp};

impl Local {
    /// The page of a lease; `None` if the lease is not valid any more.
    pub(crate) fn leased(&self, page: &LeasedPage) -> Option<LeasedEntry> {
        if page.lease.epoch != self.term.epoch.cast_unsigned() {
            return None;
        }
        let lease = self.leases.get(&page.lease.number)?;
        self.jobs.contains_key(&lease.entry.job).then(|| lease.entry.clone())
    }

    /// Ends a lease after its commit. A lease that is not valid any more only ends for its host.
    pub(crate) fn finished(&mut self, page: &CommittedPage, now: Duration) {
        let now = self.at(now);
        if page.lease.lease.epoch != self.term.epoch.cast_unsigned() {
            return;
        }
        let lease = LeaseId::from_raw(page.lease.lease.number);
        if !page.request_sent {
            self.frontier.no_request_sent(lease);
        }
        if page.feedback != HostFeedback::default() {
            self.frontier.feedback(&page.lease.url, page.feedback, now);
        }
        let held = self.leases.remove(&page.lease.lease.number);
        let is_open = held.as_ref().is_some_and(|held| self.jobs.contains_key(&held.entry.job));
        if !page.is_accepted || !is_open {
            // Without a commit the page would be gone from a running job, so it waits again.
            let outcome = if is_open { Outcome::Return { not_before: now } } else { Outcome::Skipped };
            self.end_lease(lease, held.map(|held| held.entry), outcome, now);
            return;
        }
        if let Some(fingerprint) = page.fingerprint {
            self.frontier.record_fingerprint(lease, fingerprint);
        }
        self.end_lease(lease, held.map(|held| held.entry), page.outcome, now);
    }

    /// Ends a lease in the frontier and in the counts of its job.
    pub(super) fn end_lease(
        &mut self,
        lease: LeaseId,
        entry: Option<LeasedEntry>,
        outcome: Outcome,
        now: Duration,
    ) {
        let Some(entry) = entry else {
            self.frontier.finish(lease, Outcome::Skipped, [], now);
            return;
        };
        if let Some(job) = self.jobs.get(&entry.job) {
            self.teams.page_finished(job.team.as_ref(), &self.frontier);
        }
        self.frontier.finish(lease, outcome, [], now);
        self.paced.insert(entry.host);
        let waits = matches!(outcome, Outcome::Retry { .. } | Outcome::Return { .. });
        if let Some(job) = self.jobs.get_mut(&entry.job) {
            job.leased = job.leased.saturating_sub(1);
            job.leased_auxiliary = job.leased_auxiliary.saturating_sub(u64::from(entry.auxiliary));
            if outcome == Outcome::Document {
                job.tokens = job.tokens.saturating_sub(1);
                job.documents += 1;
                job.remaining = job.remaining.saturating_sub(1);
            }
        }
        if waits {
            self.count_waiting(entry.job, entry.host, true);
        }
        if self.is_low(entry.host, entry.job) {
            self.due = true;
        }
        self.update_job(entry.job);
    }

    /// Ends expired leases: their pages wait again, or are given up.
    pub(crate) fn expire_leases(&mut self, now: Duration) {
        let now = self.at(now);
        if self.frontier.expire(now) == 0 {
            return;
        }
        let epoch = self.term.epoch.cast_unsigned();
        let expired = self.leases.extract_if(|_, lease| lease.expires_at <= now);
        let expired: Vec<_> = expired.collect();
        let lost_pages = self.frontier.take_lost();
        for (number, lease) in expired {
            let entry = lease.entry;
            let worker = self.lost.entry(entry.worker).or_default();
            worker.push(gleaner_store::LeaseId { number, epoch });
            let Some(job) = self.jobs.get_mut(&entry.job) else { continue };
            job.leased = job.leased.saturating_sub(1);
            job.leased_auxiliary = job.leased_auxiliary.saturating_sub(u64::from(entry.auxiliary));
            let slot = job.slot;
            let lost = lost_pages.iter().find(|page| page.job == slot && page.key == entry.key);
            match lost {
                Some(page) => {
                    let (url, attempts) = (page.url.clone(), page.attempts);
                    let epoch = self.term.epoch;
                    self.given_up.push(GivenUp { entry: entry.clone(), epoch, url, attempts });
                }
                None => self.count_waiting(entry.job, entry.host, true),
            }
            self.update_job(entry.job);
        }
    }

    /// Takes the pages that were given up.
    pub(super) fn take_given_up(&mut self) -> Vec<GivenUp> {
        std::mem::take(&mut self.given_up)
    }

    /// Keeps pages whose commit failed for the next time.
    pub(super) fn keep_given_up(&mut self, pages: Vec<GivenUp>) {
        let epoch = self.term.epoch;
        self.given_up.extend(pages.into_iter().filter(|page| page.epoch == epoch));
    }
}
