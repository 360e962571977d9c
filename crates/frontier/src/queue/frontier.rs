use std::collections::VecDeque;
use std::net::IpAddr;
use std::time::Duration;

use url::Url;

use super::config::{FrontierConfig, JobRules, MAX_WAIT};
use super::job::{Job, Room};
use super::lane::Rank;
use super::model::{
    Admitted, Candidate, Counts, Finished, JobSlot, Lease, LeaseId, Leased, LostPage, Outcome, Pace,
};
use super::packed;
use super::slab::{Handle, Slab};
use super::tempo::{Observation, Tempo};
use super::traps::{PutOff, Trap};
use super::yard::{Taken, Yard};
use super::{host_of, is_queueable, rest_of};
use crate::Fingerprint;
use crate::identity::UrlKey;

/// At most so many pages given up are remembered until they are taken.
const MAX_LOST: usize = 10_000;

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
/// - **Politeness.** No host is asked for more pages at once than it is known to bear (see
///   [`observe`](Self::observe)), nor before the gap that its [`Pace`] or the job's delay demands, counted from the
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
    yard: Yard,
    leases: Slab<Taken>,
    /// In order of time, since all leases last equally long. Some of them have ended.
    deadlines: VecDeque<(Duration, Handle)>,
    lost: Vec<LostPage>,
    /// What the addresses of all jobs take that wait or are too deep so far.
    queued_bytes: u64,
}

impl Frontier {
    /// An empty queue.
    #[must_use]
    pub fn new(config: FrontierConfig) -> Self {
        let tempo = Tempo::new(config.max_per_host, config.most_per_host);
        let mut address_tempo =
            Tempo::new(config.max_per_address.min(config.most_per_address), config.most_per_address);
        // Silence is a matter of each host: one that says nothing is not to hold up the others of its address.
        address_tempo.answered();
        Self {
            config,
            jobs: Slab::new(),
            yard: Yard::new(tempo, address_tempo),
            leases: Slab::new(),
            deadlines: VecDeque::new(),
            lost: Vec::new(),
            queued_bytes: 0,
        }
    }

    /// Begins a job, which has no pages yet.
    pub fn open(&mut self, rules: JobRules) -> JobSlot {
        JobSlot(self.jobs.insert(Job::new(rules)))
    }

    /// Ends a job, done or cancelled: its pages are dropped, and its leases are stale. The hosts of those leases stay
    /// occupied until they are finished or expire, since their requests may still be under way.
    pub fn close(&mut self, job: JobSlot) {
        if let Some(job) = self.jobs.remove(job.0) {
            self.queued_bytes = self.queued_bytes.saturating_sub(job.queued_bytes());
            self.yard.clear(&job);
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

    /// Would the queue take all of these pages in, were none of them known to the job? Where it would,
    /// [`admit`](Self::admit) refuses none.
    #[must_use]
    pub fn has_room(&self, job: JobSlot, candidates: &[Candidate]) -> bool {
        let Some(state) = self.jobs.get(job.0) else { return false };
        let bytes = candidates.iter().map(|page| packed::size_of(rest_of(&page.url)));
        let bytes = bytes.fold(0, u64::saturating_add);
        let pages = u64::try_from(candidates.len()).unwrap_or(u64::MAX);
        candidates.iter().all(|page| is_queueable(&page.url))
            && state.queued_pages().saturating_add(pages) <= self.config.max_queued_per_job
            && state.queued_bytes().saturating_add(bytes) <= self.config.max_queued_bytes_per_job
            && self.queued_bytes.saturating_add(bytes) <= self.config.max_queued_bytes
    }

    /// Holds a job, or lets it go on: nothing of a held job is leased. For `pause`, and for a reader that falls behind.
    pub fn hold(&mut self, job: JobSlot, held: bool) {
        if let Some(state) = self.jobs.get_mut(job.0) {
            state.held = held;
            self.yard.touch(job.0, state);
        }
    }

    /// At most `max` pages to fetch now.
    pub fn lease(&mut self, max: usize, now: Duration) -> Leased {
        self.yard.ring_alarms(&mut self.jobs, now);
        let room = usize::try_from(self.config.max_in_flight)
            .unwrap_or(usize::MAX)
            .saturating_sub(self.leases.len());
        let mut leases = Vec::with_capacity(max.min(room).min(64));
        while leases.len() < max.min(room) {
            let Some(taken) = self.yard.take(&mut self.jobs, now) else { break };
            leases.extend(self.lease_out(taken, now));
        }
        let next = if leases.len() == max && max < room {
            Some(now)
        } else {
            self.drop_ended_deadlines();
            let expiry = self.deadlines.front().map(|(at, _)| *at);
            [self.yard.next_alarm(), expiry].into_iter().flatten().min()
        };
        Leased { leases, next }
    }

    fn lease_out(&mut self, taken: Taken, now: Duration) -> Option<Lease> {
        self.queued_bytes = self.queued_bytes.saturating_sub(packed::size_of(&taken.page.rest));
        let scheme = if taken.page.https { "https" } else { "http" };
        let name = self.yard.hosts.get(taken.host).map_or("", |host| &host.name);
        let url = Url::parse(&format!("{scheme}://{name}{}", taken.page.rest));
        debug_assert!(url.is_ok(), "it was a URL when it was queued");
        let job = self.jobs.get_mut(taken.job)?;
        let Ok(url) = url else {
            job.leased = job.leased.saturating_sub(1);
            job.failed += 1;
            self.yard.release_lane(&taken, job, now);
            self.yard.release_host(taken.host, now);
            return None;
        };
        let key = taken.page.key;
        job.set_leased(key);
        let (depth, external, attempt) =
            (job.depth(key, taken.rank.depth), taken.page.external, taken.attempt);
        let job = JobSlot(taken.job);
        let id = self.leases.insert(taken);
        self.deadlines.push_back((now.saturating_add(self.config.lease_time), id));
        Some(Lease { id: LeaseId(id), job, url, key, depth, external, attempt })
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
        let (job_handle, host) = (taken.job, taken.host);
        if !self.jobs.contains(job_handle) {
            self.yard.release_host(host, now);
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
        if matches!(outcome, Outcome::Document | Outcome::Skipped)
            && let Some(host) = self.yard.hosts.get_mut(host)
        {
            host.tempo.answered();
        }
        self.yard.release_host(host, now);
        Finished::Accepted { admitted }
    }

    /// Books the end of a lease of a live job, all but its links and its host.
    fn end_lease(&mut self, taken: Taken, outcome: Outcome, now: Duration) {
        let before = self.queued_bytes_of(taken.job);
        let Some(job) = self.jobs.get_mut(taken.job) else { return };
        let handle = taken.job;
        job.leased = job.leased.saturating_sub(1);
        self.yard.release_lane(&taken, job, now);
        match outcome {
            Outcome::Document => job.documents += 1,
            Outcome::Failed => job.failed += 1,
            Outcome::Skipped => job.skipped += 1,
            Outcome::Retry { not_before } if taken.attempt.saturating_add(1) < self.config.max_attempts => {
                let not_before = not_before.min(now.saturating_add(MAX_WAIT));
                job.set_waiting(taken.page.key);
                let tried = Taken { attempt: taken.attempt.saturating_add(1), ..taken };
                self.yard.enqueue_again((handle, job), tried, not_before, now);
            }
            Outcome::Return { not_before } => {
                let not_before = not_before.min(now.saturating_add(MAX_WAIT));
                job.set_waiting(taken.page.key);
                self.yard.enqueue_again((handle, job), taken, not_before, now);
            }
            Outcome::Retry { .. } => {
                job.failed += 1;
                let name = self.yard.hosts.get(taken.host).map_or("", |host| &host.name);
                let scheme = if taken.page.https { "https" } else { "http" };
                if let Ok(url) = Url::parse(&format!("{scheme}://{name}{}", taken.page.rest))
                    && self.lost.len() < MAX_LOST
                {
                    let attempts = taken.attempt.saturating_add(1);
                    self.lost.push(LostPage { job: JobSlot(handle), url, key: taken.page.key, attempts });
                }
            }
        }
        self.yard.touch(handle, job);
        self.book_bytes(handle, before);
    }

    /// True while a lease counts: it was not finished, has not expired, and its job goes on.
    #[must_use]
    pub fn is_leased(&self, lease: LeaseId) -> bool {
        self.leases.get(lease.0).is_some_and(|taken| self.jobs.contains(taken.job))
    }

    /// As [`visited`](Self::visited), for the target of a redirect that a lease ended at. In a job with
    /// [`JobRules::max_depth`] this keeps depths exact as well: the target is as many clicks away as the page. True
    /// also where the target is the page itself (`/a` that redirects to `/a/`); false where the lease is stale.
    pub fn redirected(&mut self, lease: LeaseId, target: UrlKey, now: Duration) -> bool {
        let Some(taken) = self.leases.get(lease.0) else { return false };
        let (handle, page) = (taken.job, taken.page.key);
        let before = self.queued_bytes_of(handle);
        let Some(job) = self.jobs.get_mut(handle) else { return false };
        let mut queue = Vec::new();
        let is_new = job.redirect(page, target, &mut queue);
        self.enqueue(handle, &queue, 0, false, now);
        self.book_bytes(handle, before);
        is_new
    }

    /// Marks the target of a redirect as visited. False if the job had admitted that page before: then the document
    /// is a duplicate, and the lease is to be finished as [`Outcome::Skipped`].
    ///
    /// [`redirected`](Self::redirected) does the same and keeps depths exact.
    pub fn visited(&mut self, job: JobSlot, key: UrlKey) -> bool {
        let before = self.queued_bytes_of(job.0);
        let is_new = self.jobs.get_mut(job.0).is_some_and(|job| job.visit(key));
        self.book_bytes(job.0, before);
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
        let Some(host) = self.yard.hosts.get(taken.host) else { return false };
        job.traps.learn(&host.name, &taken.page.rest, said)
    }

    /// Says how the host of a URL wants to be asked, by any job.
    pub fn pace(&mut self, host_of_url: &Url, pace: Pace, now: Duration) {
        let handle = self.yard.hosts.intern(host_of(host_of_url));
        if let Some(address) = pace.address {
            self.yard.resolved(handle, address, now);
        }
        if let Some(host) = self.yard.hosts.get_mut(handle) {
            let latest = now.saturating_add(MAX_WAIT);
            if let Some(gap) = pace.min_gap.map(|gap| gap.min(MAX_WAIT))
                && gap != host.gap
            {
                // What told the gap was a request itself.
                host.ready_at = host.ready_at.max(now.saturating_add(gap));
                host.gap = gap;
            }
            if let Some(at) = pace.not_before {
                host.ready_at = host.ready_at.max(at.min(latest));
            }
            if let Some(observed) = pace.observed
                && let Some(pause) = host.tempo.learn(observed, host.in_flight, now)
            {
                host.ready_at = host.ready_at.max(now.saturating_add(pause));
            }
        }
        if let Some(observed) = pace.observed {
            // The pause is the host's own: others of its address are only asked for less at once.
            self.yard.hosts.teach_address(handle, observed, now);
            self.yard.wake_address(handle, now);
        }
        self.yard.wake_host(handle, now);
        self.yard.hosts.note_idle(handle, now);
    }

    /// Says how the host of a URL answered a page that is about to be [finished](Self::finish). The number of pages in
    /// work at once on that host, [`FrontierConfig::max_per_host`] once it has answered, rises up to
    /// [`FrontierConfig::most_per_host`] while it answers well, and falls when it is overloaded or slows down.
    ///
    /// The same as [`pace`](Self::pace) with [`Pace::observed`] alone.
    pub fn observe(&mut self, host_of_url: &Url, observed: Observation, now: Duration) {
        self.pace(host_of_url, Pace { observed: Some(observed), ..Pace::default() }, now);
    }

    /// Says what the host of a URL resolves to. All hosts of one address together are then asked for at most
    /// [`FrontierConfig::max_per_address`] pages at once, and up to [`FrontierConfig::most_per_address`] while it answers
    /// well: many names may be one server. When that says that it is overloaded (see [`observe`](Self::observe)), in more
    /// than a quarter of its answers, its hosts are asked for less, together, until it answers well again. A host that says
    /// nothing, or is slow, is slowed alone, and so are a few that are out of order.
    ///
    /// Where a host has several addresses, the one that was dialled is meant. The same as [`pace`](Self::pace) with
    /// [`Pace::address`] alone.
    pub fn resolved(&mut self, host_of_url: &Url, address: IpAddr, now: Duration) {
        let handle = self.yard.hosts.intern(host_of(host_of_url));
        self.yard.resolved(handle, address, now);
    }

    /// Takes back leases whose time is over: their pages are queued again, or given up after
    /// [`FrontierConfig::max_attempts`]. Returns how many they were, those of closed jobs included.
    pub fn expire(&mut self, now: Duration) -> u64 {
        let mut expired = 0;
        while let Some(&(at, handle)) = self.deadlines.front() {
            if at > now {
                break;
            }
            self.deadlines.pop_front();
            let Some(taken) = self.leases.remove(handle) else { continue };
            expired += 1;
            let host = taken.host;
            self.end_lease(taken, Outcome::Retry { not_before: now }, now);
            self.yard.release_host(host, now);
        }
        expired
    }

    /// The pages given up since this was last asked: leased [`FrontierConfig::max_attempts`] times in vain. They are
    /// counted as failed already.
    pub fn take_lost(&mut self) -> Vec<LostPage> {
        std::mem::take(&mut self.lost)
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
    pub fn would_put_off(&self, job: JobSlot, url: &Url) -> Option<PutOff> {
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
        let room = Room {
            pages: self.config.max_queued_per_job,
            bytes: self.config.max_queued_bytes_per_job,
            // What pages link to leaves room for what users name.
            in_all: match page {
                Some(_) => self.config.max_queued_bytes / 4 * 3,
                None => self.config.max_queued_bytes,
            }
            .saturating_sub(self.queued_bytes),
        };
        let before = self.queued_bytes_of(handle);
        let Some(job) = self.jobs.get_mut(handle) else { return Admitted::default() };
        let mut queue = Vec::new();
        let admitted = job.take_in(page, depth, candidates.into_iter(), room, &mut queue);
        self.enqueue(handle, &queue, depth, page.is_some(), now);
        self.book_bytes(handle, before);
        admitted
    }

    fn queued_bytes_of(&self, job: Handle) -> u64 {
        self.jobs.get(job).map_or(0, Job::queued_bytes)
    }

    /// Books what the addresses of a job take more, or less, than before.
    fn book_bytes(&mut self, job: Handle, before: u64) {
        self.queued_bytes =
            self.queued_bytes.saturating_add(self.queued_bytes_of(job)).saturating_sub(before);
    }

    /// Queues pages that a job has taken in. Those that come by `links` may be put off: what is given from outside is
    /// wanted as it is.
    fn enqueue(&mut self, handle: Handle, queue: &[Candidate], depth: u32, links: bool, now: Duration) {
        let Some(job) = self.jobs.get_mut(handle) else { return };
        for candidate in queue {
            let url = &candidate.url;
            let host = self.yard.hosts.intern(host_of(url));
            let depth = job.depth(candidate.key, depth);
            let put_off = if links { job.traps.count(url) } else { None };
            let rank = Rank::new(put_off.map_or(0, |put_off| put_off.distance), depth, candidate.priority);
            let https = url.scheme() == "https";
            self.yard.enqueue(
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

#[cfg(test)]
mod tests;

#[cfg(test)]
mod laws;

#[cfg(test)]
mod fairness;
