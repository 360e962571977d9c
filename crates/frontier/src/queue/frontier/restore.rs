//! Restoring the queue of a job from what a store has recorded.

use std::time::Duration;

use super::Frontier;
use crate::UrlKey;
use crate::queue::changes::QueuedPage;
use crate::queue::host_queue::{PendingRetry, Rank};
use crate::queue::model::{Candidate, JobSlot};
use crate::queue::packed::{MAX_PATH_BYTES, Page};
use crate::queue::slab::Handle;

/// Fills a job that was just opened; see [`Frontier::restore`].
#[derive(Debug)]
pub struct Restore<'f> {
    frontier: &'f mut Frontier,
    job: Handle,
    now: Duration,
    /// The host of the last waiting page, and the queue of the job for it: neighbours are often on one host.
    last: Option<(Box<str>, Handle)>,
    /// Links and redirect targets, which are restored when all pages are known.
    links: Vec<(UrlKey, Box<[UrlKey]>, Option<UrlKey>)>,
}

impl Frontier {
    /// Restores what another process has [recorded](Self::with_changes) about the pages of a job. The job was
    /// just opened with the same rules, and `fill` gives each page in its last state. Waiting pages are given
    /// in the order in which they were queued, and ended ones in the order of their end: a new redirect target
    /// belongs to the first page that redirects to it. A page that was given before is ignored, except that a
    /// smaller depth counts; so `fill` may give all pages that were ever queued after those that have ended.
    ///
    /// Pages that were leased wait again. The limits of the queue do not apply, no crawler traps are counted,
    /// and nothing is recorded. Does nothing for a closed job.
    pub fn restore<R>(
        &mut self,
        job: JobSlot,
        now: Duration,
        fill: impl FnOnce(&mut Restore<'_>) -> R,
    ) -> Option<R> {
        if !self.jobs.contains(job.0) {
            return None;
        }
        let before = self.load_of(job.0);
        let mut restore = Restore { frontier: self, job: job.0, now, last: None, links: Vec::new() };
        let filled = fill(&mut restore);
        let links = std::mem::take(&mut restore.links);
        if let Some(job) = self.jobs.get_mut(job.0) {
            for (key, _, target) in &links {
                if let Some(target) = target {
                    job.restore_target(*key, *target);
                }
            }
            for (key, links, target) in &links {
                job.restore_links(*key, links, *target);
            }
        }
        self.update_load(job.0, before, now);
        Some(filled)
    }
}

impl Restore<'_> {
    /// Makes space for this many pages, which saves time. They may be more or fewer.
    pub fn reserve(&mut self, pages: usize) {
        if let Some(job) = self.frontier.jobs.get_mut(self.job) {
            job.reserve_pages(pages);
        }
    }

    /// Prepares for a few pages with these keys that are given next, which saves time.
    pub fn read_ahead(&self, keys: impl Iterator<Item = UrlKey>) {
        if let Some(job) = self.frontier.jobs.get(self.job) {
            job.read_ahead(keys);
        }
    }

    /// The depth of a page, which is the smallest that is given for it. False if the page was not given so
    /// far: then nothing is remembered. Also false if the job has no depth limit.
    pub fn depth(&mut self, key: UrlKey, depth: u32) -> bool {
        self.frontier.jobs.get_mut(self.job).is_some_and(|job| job.restore_depth(key, depth))
    }

    /// A page that waits, after this number of leases that ended in a retry.
    pub fn waiting(&mut self, page: &QueuedPage<'_>, attempt: u32) {
        let Frontier { jobs, scheduler, .. } = &mut *self.frontier;
        let Some(job) = jobs.get_mut(self.job).filter(|_| page.path.len() <= MAX_PATH_BYTES) else { return };
        let &QueuedPage { key, https, external, host, path, depth, priority, deferral } = page;
        if !job.restore(key, depth, false) {
            return;
        }
        let rank = Rank::new(deferral, depth, priority);
        if attempt == 0 {
            let queue = match &self.last {
                Some((name, queue)) if **name == *host => *queue,
                _ => {
                    let handle = scheduler.hosts.intern(host);
                    let queue = scheduler.host_queue_for(self.job, job, handle);
                    self.last = Some((host.into(), queue));
                    queue
                }
            };
            scheduler.enqueue_in(queue, (self.job, job), rank, key, https, external, path, self.now);
        } else {
            let host = scheduler.hosts.intern(host);
            let page = Page { key, https, external, path: path.into() };
            let retry = PendingRetry { not_before: self.now, sequence: 0, attempt, rank, page };
            scheduler.enqueue_pending((self.job, job), host, retry, self.now);
        }
    }

    /// A page that has ended, with its links that may still matter and the page that it redirects to.
    pub fn ended(&mut self, key: UrlKey, depth: u32, links: &[UrlKey], target: Option<UrlKey>) {
        if let Some(job) = self.frontier.jobs.get_mut(self.job) {
            job.restore(key, depth, true);
        }
        if target.is_some() || !links.is_empty() {
            self.links.push((key, links.into(), target));
        }
    }

    /// A page that is too deep so far.
    pub fn too_deep(&mut self, page: &Candidate, depth: u32) {
        if let Some(job) = self.frontier.jobs.get_mut(self.job) {
            job.restore_too_deep(page, depth);
        }
    }

    /// The number of pages that have ended, by how they ended.
    pub fn counts(&mut self, documents: u64, failed: u64, skipped: u64) {
        if let Some(job) = self.frontier.jobs.get_mut(self.job) {
            (job.documents, job.failed, job.skipped) = (documents, failed, skipped);
        }
    }
}
