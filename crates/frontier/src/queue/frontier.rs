//! The frontier: decides which page is fetched next, across all jobs and hosts.

mod host_feedback;
mod leases;
mod part;
mod restore;

use std::collections::VecDeque;
use std::time::Duration;

use url::Url;

pub use self::restore::Restore;
use super::allowance::allowance;
use super::changes::{ChangeLog, QueueChange, QueuedPage};
use super::config::{FrontierConfig, JobRules};
use super::groups::{Group, GroupLoad, JobLoad};
use super::host_queue::Rank;
use super::job::{Job, QueueSpace};
use super::model::{Admitted, Candidate, Counts, JobSlot, LostPage};
use super::queue_size::QueueSize;
use super::rate_controller::RateController;
use super::scheduler::{ScheduledPage, Scheduler};
use super::slab::{Handle, Slab};
use super::spill::QueueSpill;
use super::traps::{Deferral, Trap};
use super::{host_of, path_of};
use crate::identity::UrlKey;

/// The queue of all jobs of an engine: which page to fetch next, within the limits of each host, each job and
/// the engine.
///
/// It is a state machine without clock, I/O or threads. Every call that depends on time takes `now`, the time
/// since an origin that the caller chooses, such as the start of the program; it must not run backwards. The
/// same calls give the same leases. A worker loop calls [`lease`](Self::lease), fetches, and reports with
/// [`finish`](Self::finish).
///
/// - **Order.** Within one job and host: few clicks first, then high priority, then arrival. Links that look
///   like a crawler trap follow after all others (see [`deferred_counts`](Self::deferred_counts)) and are
///   never dropped. If the limit of the job does not admit all waiting pages, deferred pages also wait for
///   the leased ones, which may lead to better pages.
/// - **Fairness between jobs.** Jobs take turns, and so do the hosts of a job: neither a job with 100,000
///   pages nor a slow host delays another. The first page of a new job is served at once, or after the first
///   pages of the new jobs before it; new jobs alternate with older ones. So with `n` jobs each job gets a
///   turn within `2 n + 2` turns, however many new jobs arrive.
/// - **Groups** of jobs (teams, for example) also take turns, however many jobs each has: the group with the
///   fewest leased pages is next. If several groups wait for one host, it alternates between them. See
///   [`open_for`](Self::open_for).
/// - **Politeness.** A host never gets more concurrent requests than it is known to handle (see
///   [`observe`](Self::observe)), and none before the gap that its [`HostFeedback`](crate::HostFeedback) or
///   the delay of the job requires. The gap counts from the *end* of the last request, because only the end
///   proves that it was sent. A host without any response yet gets at most
///   [`MAX_BEFORE_FIRST_RESPONSE`](crate::MAX_BEFORE_FIRST_RESPONSE) concurrent requests, so that a tarpit
///   does not occupy the crawl. Hosts with the same IP address share a limit too (see
///   [`resolved`](Self::resolved)).
/// - **Limit.** A page is leased only while documents and leased pages together are below the limit, so there
///   are never more documents; a page that fails frees its place for another.
/// - **Depth.** With [`JobRules::max_depth`], depth is the smallest number of clicks, in whatever order pages
///   arrive. If a shorter path to a page is found later, its known links are admitted without a second fetch.
/// - **Leases** expire, and their pages are leased again. Finishing an expired lease changes nothing.
///
/// ```
/// use std::time::Duration;
/// use gleaner_frontier::{Candidate, Frontier, FrontierConfig, Identity, JobRules, Outcome};
/// use url::Url;
///
/// let identity = Identity::from_options(false, true);
/// let candidate = |text: &str| {
///     let url = Url::parse(text).expect("a URL");
///     Candidate { key: identity.key(&url), url, external: false, priority: Candidate::NORMAL }
/// };
/// let mut frontier = Frontier::new(FrontierConfig::default());
/// let job = frontier.open(JobRules::with_limit(100));
/// let now = Duration::ZERO;
/// frontier.admit(job, 0, [candidate("https://example.com/")], now);
///
/// while !frontier.is_idle(job) {
///     for lease in frontier.lease(8, now).leases {
///         // Fetch `lease.url` here; this page links to itself and to one other.
///         let links = ["https://example.com/#top", "https://example.com/about"].map(candidate);
///         frontier.finish(lease.id, Outcome::Document, links, now);
///     }
/// }
/// assert_eq!(frontier.counts(job).map(|counts| counts.documents), Some(2));
/// ```
#[derive(Debug)]
pub struct Frontier {
    config: FrontierConfig,
    jobs: Slab<Job>,
    scheduler: Scheduler,
    leases: Slab<ScheduledPage>,
    /// Ordered by time, since all leases have the same duration. Some have ended already.
    deadlines: VecDeque<(Duration, Handle)>,
    lost: Vec<LostPage>,
    /// What happened since the last [`clear_changes`](Self::clear_changes), if it is recorded.
    changes: Option<ChangeLog>,
}

impl Frontier {
    /// An empty queue.
    #[must_use]
    pub fn new(config: FrontierConfig) -> Self {
        let rate_controller = RateController::new(config.initial_per_host, config.max_per_host);
        let mut address_rate = RateController::new(
            config.initial_per_address.min(config.max_per_address),
            config.max_per_address,
        );
        // A missing response is counted per host: a silent host must not slow the other hosts of its address.
        address_rate.mark_answered();
        Self {
            config,
            jobs: Slab::new(),
            scheduler: Scheduler::new(rate_controller, address_rate),
            leases: Slab::new(),
            deadlines: VecDeque::new(),
            lost: Vec::new(),
            changes: None,
        }
    }

    /// Records what happens to pages, for a store that [restores](Self::restore) the queue in another
    /// process. [`changes`](Self::changes) lists it. Leases, what is learned about hosts and
    /// [`visited`](Self::visited) are not recorded, and neither are jobs that are [kept in
    /// memory](Self::keep_in_memory).
    #[must_use]
    pub fn with_changes(mut self) -> Self {
        self.changes = Some(ChangeLog::default());
        self
    }

    /// What happened since the last [`clear_changes`](Self::clear_changes), in order.
    pub fn changes(&self) -> impl Iterator<Item = QueueChange<'_>> {
        self.changes.iter().flat_map(ChangeLog::iter)
    }

    /// Forgets the recorded changes. Call it after each operation: they take memory.
    pub fn clear_changes(&mut self) {
        self.changes.iter_mut().for_each(ChangeLog::clear);
    }

    /// Stores blocks of waiting pages that are not needed soon in `storage` instead of memory.
    #[must_use]
    pub fn with_spill(mut self, storage: Box<dyn QueueSpill>) -> Self {
        self.scheduler.spill = Some(storage);
        self
    }

    /// Opens a job without pages, in the group [`Group::default`].
    pub fn open(&mut self, rules: JobRules) -> JobSlot {
        self.open_for(Group::default(), rules)
    }

    /// Opens a job of a group.
    pub fn open_for(&mut self, group: Group, rules: JobRules) -> JobSlot {
        self.scheduler.groups.enter(group);
        let mut job = Job::new(rules, group);
        job.record_changes(self.changes.is_some());
        JobSlot(self.jobs.insert(job))
    }

    /// Keeps all pages of a job in memory, so that none is spilled. Call it before the job has pages.
    pub fn keep_in_memory(&mut self, job: JobSlot) {
        if let Some(job) = self.jobs.get_mut(job.0) {
            job.in_memory = true;
            job.record_changes(false);
        }
    }

    /// Sets the maximum number of concurrently leased pages of a group with open jobs; `None` sets no limit
    /// for the group. It applies until the last job of the group is closed.
    pub fn set_max_in_flight(&mut self, group: Group, max: Option<u32>) {
        self.scheduler.groups.set_max_in_flight(group, max);
    }

    /// The pages that the open jobs of a group have in the queue.
    #[must_use]
    pub fn load(&self, group: Group) -> GroupLoad {
        self.scheduler.groups.load(group)
    }

    /// Bytes of memory used by waiting pages, without those that are too deep so far or that wait for a
    /// retry. It takes time linear in the number of hosts of all jobs, so use it for statistics only.
    #[must_use]
    pub fn queue_memory(&self) -> u64 {
        self.scheduler.bytes_in_memory()
    }

    /// Closes a job: its pages are dropped and its leases become stale. The leases still count for their
    /// hosts until they are finished or expire, because their requests may still be running.
    pub fn close(&mut self, job: JobSlot) {
        if let Some(job) = self.jobs.remove(job.0) {
            self.scheduler.groups.leave(job.group, job.load());
            self.scheduler.remove_job(&job);
        }
    }

    /// Offers pages to a job: its start page and those of sitemaps at depth 0, or pages restored from a
    /// store.
    ///
    /// Pass the links of a page to [`finish`](Self::finish) instead.
    pub fn admit(
        &mut self,
        job: JobSlot,
        depth: u32,
        candidates: impl IntoIterator<Item = Candidate>,
        now: Duration,
    ) -> Admitted {
        self.admit_pages(job.0, None, depth, candidates, now)
    }

    /// True if [`admit`](Self::admit) would queue all these pages, if none of them was known to the job.
    #[must_use]
    pub fn has_capacity(&self, job: JobSlot, candidates: &[Candidate]) -> bool {
        QueueSize::of(candidates).is_some_and(|size| self.has_space(job, size))
    }

    fn has_space(&self, job: JobSlot, size: QueueSize) -> bool {
        let Some(state) = self.jobs.get(job.0) else { return false };
        let space = self.queue_space(state.group, false);
        state.queued_pages().saturating_add(size.pages) <= space.pages
            && state.queued_bytes().saturating_add(size.bytes) <= space.bytes
            && size.bytes <= space.shared_bytes
    }

    /// Reserves space for pages of a job that [`admit_reserved`](Self::admit_reserved) queues part by part.
    /// False if there is no space for all of them: then nothing is reserved.
    #[must_use]
    pub fn reserve(&mut self, job: JobSlot, size: QueueSize, now: Duration) -> bool {
        if !self.has_space(job, size) {
            return false;
        }
        let before = self.load_of(job.0);
        if let Some(state) = self.jobs.get_mut(job.0) {
            state.reserved = state.reserved.with(size);
        }
        self.update_load(job.0, before, now);
        true
    }

    /// As [`admit`](Self::admit), for pages for which there is a [reservation](Self::reserve).
    pub fn admit_reserved(
        &mut self,
        job: JobSlot,
        depth: u32,
        candidates: Vec<Candidate>,
        now: Duration,
    ) -> Admitted {
        let before = self.load_of(job.0);
        if let (Some(state), Some(size)) = (self.jobs.get_mut(job.0), QueueSize::of(&candidates)) {
            state.reserved = state.reserved.without(size);
        }
        self.admit_within(job.0, None, depth, candidates, (QueueSpace::UNLIMITED, before), now)
    }

    /// The space that a job of this group may use, for links of its pages or for pages given from outside.
    fn queue_space(&self, group: Group, links: bool) -> QueueSpace {
        let total = self.config.max_queued_bytes;
        let per_job = self.config.max_queued_bytes_per_job;
        QueueSpace {
            pages: self.config.max_queued_per_job,
            bytes: if links { per_job.min(total / 8) } else { per_job },
            shared_bytes: allowance(
                total.saturating_sub(self.scheduler.groups.bytes()),
                self.scheduler.groups.load(group).bytes,
                links,
            ),
        }
    }

    /// Holds or resumes a job: no page of a held job is leased. Used for `pause`, and for a reader that falls
    /// behind.
    pub fn hold(&mut self, job: JobSlot, held: bool) {
        if let Some(state) = self.jobs.get_mut(job.0) {
            state.held = held;
            self.scheduler.activate(job.0, state);
        }
    }

    /// Marks the target of a redirect as visited. False if the job has admitted that page before: then the
    /// document is a duplicate, and the lease must be finished as
    /// [`Outcome::Skipped`](crate::Outcome::Skipped).
    ///
    /// [`redirected`](Self::redirected) does the same and keeps depths exact.
    pub fn visited(&mut self, job: JobSlot, key: UrlKey) -> bool {
        let before = self.load_of(job.0);
        let is_new = self.jobs.get_mut(job.0).is_some_and(|job| job.visit(key));
        self.update_load(job.0, before, Duration::ZERO);
        is_new
    }

    /// The page counts of a job; `None` after it is closed.
    #[must_use]
    pub fn counts(&self, job: JobSlot) -> Option<Counts> {
        self.jobs.get(job.0).map(Job::counts)
    }

    /// The number of deferred pages of a job for each reason with at least one: pages crawled after the
    /// others of their host, because they look like an endless family of URLs. Empty after the job is closed.
    #[must_use]
    pub fn deferred_counts(&self, job: JobSlot) -> Vec<(Trap, u64)> {
        self.jobs.get(job.0).map_or_else(Vec::new, |job| job.traps.counts().collect())
    }

    /// Whether, and why, a link to this URL would be deferred now.
    #[must_use]
    pub fn would_defer(&self, job: JobSlot, url: &Url) -> Option<Deferral> {
        self.jobs.get(job.0)?.traps.preview(url)
    }

    /// True if a job has no leased page and no waiting page that its limit admits: it is done unless more
    /// pages are admitted. Also true for a closed job.
    #[must_use]
    pub fn is_idle(&self, job: JobSlot) -> bool {
        self.jobs.get(job.0).is_none_or(Job::is_idle)
    }

    /// The number of leased pages, including those of closed jobs whose leases have not ended.
    #[must_use]
    pub fn in_flight(&self) -> usize {
        self.leases.len()
    }

    fn admit_pages(
        &mut self,
        handle: Handle,
        page: Option<UrlKey>,
        depth: u32,
        candidates: impl IntoIterator<Item = Candidate>,
        now: Duration,
    ) -> Admitted {
        let Some(group) = self.jobs.get(handle).map(|job| job.group) else { return Admitted::default() };
        let space = self.queue_space(group, page.is_some());
        let before = self.load_of(handle);
        self.admit_within(handle, page, depth, candidates, (space, before), now)
    }

    /// Admits pages for which there is this space, to a job that had this load before.
    fn admit_within(
        &mut self,
        handle: Handle,
        page: Option<UrlKey>,
        depth: u32,
        candidates: impl IntoIterator<Item = Candidate>,
        (space, before): (QueueSpace, JobLoad),
        now: Duration,
    ) -> Admitted {
        let Some(job) = self.jobs.get_mut(handle) else { return Admitted::default() };
        let mut queue = Vec::new();
        let admitted = job.admit(page, depth, candidates.into_iter(), space, &mut queue);
        self.enqueue(handle, &queue, depth, page.is_some(), now);
        self.log_depths(handle);
        self.update_load(handle, before, now);
        admitted
    }

    /// Logs the depths that changed.
    fn log_depths(&mut self, handle: Handle) {
        if let Some(job) = self.jobs.get_mut(handle)
            && let Some(log) = job.log(&mut self.changes)
        {
            job.move_changes(JobSlot(handle), log);
        }
    }

    fn load_of(&self, job: Handle) -> JobLoad {
        self.jobs.get(job).map_or_else(JobLoad::default, Job::load)
    }

    /// Updates the load of the group after the load of a job changed.
    fn update_load(&mut self, handle: Handle, before: JobLoad, now: Duration) {
        if let Some(job) = self.jobs.get(handle) {
            self.scheduler.update_load(job, before, now);
        }
    }

    /// Queues pages that a job has admitted. Only links may be deferred: pages given from outside are wanted
    /// as they are.
    fn enqueue(&mut self, handle: Handle, queue: &[Candidate], depth: u32, links: bool, now: Duration) {
        let Some(job) = self.jobs.get_mut(handle) else { return };
        for candidate in queue {
            let url = &candidate.url;
            let host = self.scheduler.hosts.intern(host_of(url));
            let depth = job.depth(candidate.key, depth);
            let deferral = if links { job.traps.count(url) } else { None };
            let rank = Rank::new(deferral.map_or(0, |deferral| deferral.distance), depth, candidate.priority);
            let https = url.scheme() == "https";
            if let Some(log) = job.log(&mut self.changes) {
                let page = QueuedPage {
                    key: candidate.key,
                    https,
                    external: candidate.external,
                    host: host_of(url),
                    path: path_of(url),
                    depth,
                    priority: candidate.priority,
                    deferral: rank.deferral,
                };
                log.queued(JobSlot(handle), page);
            }
            self.scheduler.enqueue(
                (handle, job),
                host,
                rank,
                candidate.key,
                https,
                candidate.external,
                path_of(url),
                now,
            );
        }
    }
}

#[cfg(test)]
mod tests;

#[cfg(test)]
mod properties;

#[cfg(test)]
mod fairness;
