mod host_feedback;
mod leases;

use std::collections::VecDeque;
use std::time::Duration;

use url::Url;

use super::allowance::allowance;
use super::config::{FrontierConfig, JobRules};
use super::groups::{Group, GroupLoad, Share};
use super::host_queue::Rank;
use super::job::{Job, QueueSpace};
use super::model::{Admitted, Candidate, Counts, JobSlot, LostPage};
use super::packed;
use super::rate_controller::RateController;
use super::scheduler::{Scheduler, Taken};
use super::slab::{Handle, Slab};
use super::spill::QueueSpill;
use super::traps::{Deferral, Trap};
use super::{host_of, is_queueable, rest_of};
use crate::identity::UrlKey;

/// The queue of all jobs of an engine: which page to fetch next, under the limits of each host, each job and the whole.
///
/// A state machine without clock, I/O or threads: every call that depends on time is given `now`, the time since an
/// origin of the caller's choice (say, the start of the program), which must not run backwards. The same calls give
/// the same leases. A worker loop calls [`lease`](Self::lease), fetches, and reports with [`finish`](Self::finish).
///
/// - **Order.** Within a job and host: few clicks first, then high priority, then arrival; behind them links that look
///   like a trap (see [`put_off`](Self::put_off)), which are never dropped. Where the limit will not let all through,
///   these wait for the others in work as well, which may lead to better ones. Jobs take turns, and so do
///   the hosts of a job: neither a job with 100,000 pages nor a slow host delays another. A new job's first page has
///   its turn at once, or after those of the new jobs before it, each in turn with a page of an older job: so however
///   many come, `n` jobs each have every `2 n + 2`nd turn at least.
/// - **Groups** of jobs (teams, say) take turns as well, whatever the number of their jobs: that of the group with the
///   fewest pages in work. Where several wait for one host, it goes round among them. See
///   [`open_for`](Self::open_for).
/// - **Politeness.** No host is asked for more pages at once than it is known to bear (see
///   [`observe`](Self::observe)), nor before the gap that its [`HostFeedback`](crate::HostFeedback) or the job's delay demands, counted from the
///   *end* of the last request: only that is certain to have left. One that has not answered yet gets
///   [`MAX_BEFORE_FIRST_ANSWER`](crate::MAX_BEFORE_FIRST_ANSWER) places, so that a tarpit does not fill the crawl. Hosts that are known to be one address share a bound as well (see [`resolved`](Self::resolved)).
/// - **Limit.** A page is leased only while documents and leased pages together are below it, so that there are
///   never more documents; a page that fails makes room for another.
/// - **Depth.** With [`JobRules::max_depth`] it is the least number of clicks, in whatever order pages come in. Where
///   a shorter way to a page is found later, its known links are admitted without a second fetch.
/// - **Leases** expire, and their pages are leased again. Finishing one that expired changes nothing.
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
    leases: Slab<Taken>,
    /// In order of time, since all leases last equally long. Some of them have ended.
    deadlines: VecDeque<(Duration, Handle)>,
    lost: Vec<LostPage>,
}

impl Frontier {
    /// An empty queue.
    #[must_use]
    pub fn new(config: FrontierConfig) -> Self {
        let rate_controller = RateController::new(config.max_per_host, config.most_per_host);
        let mut address_tempo =
            RateController::new(config.max_per_address.min(config.most_per_address), config.most_per_address);
        // Silence is a matter of each host: one that says nothing is not to hold up the others of its address.
        address_tempo.answered();
        Self {
            config,
            jobs: Slab::new(),
            scheduler: Scheduler::new(rate_controller, address_tempo),
            leases: Slab::new(),
            deadlines: VecDeque::new(),
            lost: Vec::new(),
        }
    }

    /// Keeps blocks of waiting pages that are not needed soon in `storage` instead of in memory.
    #[must_use]
    pub fn with_cold_storage(mut self, storage: Box<dyn QueueSpill>) -> Self {
        self.scheduler.spill = Some(storage);
        self
    }

    /// Begins a job, which has no pages yet, in the group that [`Group::default`] names.
    pub fn open(&mut self, rules: JobRules) -> JobSlot {
        self.open_for(Group::default(), rules)
    }

    /// Begins a job of a group.
    pub fn open_for(&mut self, group: Group, rules: JobRules) -> JobSlot {
        self.scheduler.groups.enter(group);
        JobSlot(self.jobs.insert(Job::new(rules, group)))
    }

    /// Sees to it that nothing of a job goes to cold storage. To be called before it has pages.
    pub fn keep_in_memory(&mut self, job: JobSlot) {
        if let Some(job) = self.jobs.get_mut(job.0) {
            job.in_memory = true;
        }
    }

    /// Sets how many pages of a group with open jobs may be in work at once; `None` leaves it to the jobs. It holds until the
    /// last job of the group is closed.
    pub fn set_max_in_flight(&mut self, group: Group, max: Option<u32>) {
        self.scheduler.groups.set_max_in_flight(group, max);
    }

    /// What the open jobs of a group have in the queue.
    #[must_use]
    pub fn load(&self, group: Group) -> GroupLoad {
        self.scheduler.groups.load(group)
    }

    /// Bytes of memory that waiting pages take, those that are too deep so far or are to be tried again left out. For figures:
    /// it takes time linear in the number of hosts of all jobs.
    #[must_use]
    pub fn queue_memory(&self) -> u64 {
        self.scheduler.bytes_in_memory()
    }

    /// Ends a job, done or cancelled: its pages are dropped, and its leases are stale. The hosts of those leases stay
    /// occupied until they are finished or expire, since their requests may still be under way.
    pub fn close(&mut self, job: JobSlot) {
        if let Some(job) = self.jobs.remove(job.0) {
            self.scheduler.groups.leave(job.group, job.share());
            self.scheduler.clear(&job);
        }
    }

    /// Offers pages to a job: its start page and those of sitemaps at depth 0, or pages restored from a store.
    ///
    /// The links of a page are given to [`finish`](Self::finish).
    pub fn admit(
        &mut self,
        job: JobSlot,
        depth: u32,
        candidates: impl IntoIterator<Item = Candidate>,
        now: Duration,
    ) -> Admitted {
        self.take_in(job.0, None, depth, candidates, now)
    }

    /// Would the queue take all of these pages in by [`admit`](Self::admit), were none of them known to the job?
    #[must_use]
    pub fn has_room(&self, job: JobSlot, candidates: &[Candidate]) -> bool {
        let Some(state) = self.jobs.get(job.0) else { return false };
        let bytes = candidates.iter().map(|page| packed::size_of(rest_of(&page.url)));
        let bytes = bytes.fold(0, u64::saturating_add);
        let pages = u64::try_from(candidates.len()).unwrap_or(u64::MAX);
        let room = self.room(state.group, false);
        candidates.iter().all(|page| is_queueable(&page.url))
            && state.queued_pages().saturating_add(pages) <= room.pages
            && state.queued_bytes().saturating_add(bytes) <= room.bytes
            && bytes <= room.more
    }

    /// How much a job of this group may queue: what pages link to, or what is given from outside.
    fn room(&self, group: Group, links: bool) -> QueueSpace {
        let most = self.config.max_queued_bytes;
        let per_job = self.config.max_queued_bytes_per_job;
        QueueSpace {
            pages: self.config.max_queued_per_job,
            bytes: if links { per_job.min(most / 8) } else { per_job },
            more: allowance(
                most.saturating_sub(self.scheduler.groups.bytes()),
                self.scheduler.groups.load(group).bytes,
                links,
            ),
        }
    }

    /// Holds a job, or lets it go on: nothing of a held job is leased. For `pause`, and for a reader that falls behind.
    pub fn hold(&mut self, job: JobSlot, held: bool) {
        if let Some(state) = self.jobs.get_mut(job.0) {
            state.held = held;
            self.scheduler.touch(job.0, state);
        }
    }

    /// Marks the target of a redirect as visited. False if the job had admitted that page before: then the document
    /// is a duplicate, and the lease is to be finished as [`Outcome::Skipped`](crate::Outcome::Skipped).
    ///
    /// [`redirected`](Self::redirected) does the same and keeps depths exact.
    pub fn visited(&mut self, job: JobSlot, key: UrlKey) -> bool {
        let before = self.share_of(job.0);
        let is_new = self.jobs.get_mut(job.0).is_some_and(|job| job.visit(key));
        self.book(job.0, before, Duration::ZERO);
        is_new
    }

    /// Where a job stands; `None` once it is closed.
    #[must_use]
    pub fn counts(&self, job: JobSlot) -> Option<Counts> {
        self.jobs.get(job.0).map(Job::counts)
    }

    /// How many pages of a job were put off, for each reason that applied: crawled after the others of their host, since
    /// they look like a family that may go on for ever. Empty once the job is closed.
    #[must_use]
    pub fn put_off(&self, job: JobSlot) -> Vec<(Trap, u64)> {
        self.jobs.get(job.0).map_or_else(Vec::new, |job| job.traps.counts().collect())
    }

    /// Whether, and why, a link to this URL would be put off now.
    #[must_use]
    pub fn would_defer(&self, job: JobSlot, url: &Url) -> Option<Deferral> {
        self.jobs.get(job.0)?.traps.look_up(url)
    }

    /// True where a job has nothing in work and nothing waiting that its limit lets through: it is done unless more
    /// is admitted. Also true for a closed job.
    #[must_use]
    pub fn is_idle(&self, job: JobSlot) -> bool {
        self.jobs.get(job.0).is_none_or(Job::is_idle)
    }

    /// Pages in work, those of closed jobs included whose leases have not ended.
    #[must_use]
    pub fn in_flight(&self) -> usize {
        self.leases.len()
    }

    fn take_in(
        &mut self,
        handle: Handle,
        page: Option<UrlKey>,
        depth: u32,
        candidates: impl IntoIterator<Item = Candidate>,
        now: Duration,
    ) -> Admitted {
        let Some(group) = self.jobs.get(handle).map(|job| job.group) else { return Admitted::default() };
        let room = self.room(group, page.is_some());
        let before = self.share_of(handle);
        let Some(job) = self.jobs.get_mut(handle) else { return Admitted::default() };
        let mut queue = Vec::new();
        let admitted = job.take_in(page, depth, candidates.into_iter(), room, &mut queue);
        self.enqueue(handle, &queue, depth, page.is_some(), now);
        self.book(handle, before, now);
        admitted
    }

    fn share_of(&self, job: Handle) -> Share {
        self.jobs.get(job).map_or_else(Share::default, Job::share)
    }

    /// Books what a job has queued and in work, more or less than before.
    fn book(&mut self, handle: Handle, before: Share, now: Duration) {
        if let Some(job) = self.jobs.get(handle) {
            self.scheduler.book(job, before, now);
        }
    }

    /// Queues pages that a job has taken in. Those that come by `links` may be put off: what is given from outside is
    /// wanted as it is.
    fn enqueue(&mut self, handle: Handle, queue: &[Candidate], depth: u32, links: bool, now: Duration) {
        let Some(job) = self.jobs.get_mut(handle) else { return };
        for candidate in queue {
            let url = &candidate.url;
            let host = self.scheduler.hosts.intern(host_of(url));
            let depth = job.depth(candidate.key, depth);
            let put_off = if links { job.traps.count(url) } else { None };
            let rank = Rank::new(put_off.map_or(0, |put_off| put_off.distance), depth, candidate.priority);
            let https = url.scheme() == "https";
            self.scheduler.enqueue(
                (handle, job),
                host,
                rank,
                candidate.key,
                https,
                candidate.external,
                rest_of(url),
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
