//! A job in the frontier: its seen pages, counts and limits.

use std::collections::{BTreeMap, VecDeque};
use std::time::Duration;

use super::changes::ChangeLog;
use super::config::JobRules;
use super::graph::{Graph, Offer};
use super::groups::{Group, JobLoad};
use super::host_queue::Rank;
use super::model::{Admitted, Candidate, Counts, JobSlot};
use super::packed::{self, Loss};
use super::queue_size::QueueSize;
use super::seen::KeySet;
use super::slab::Handle;
use super::traps::Traps;
use crate::identity::UrlKey;

/// The pages that a job has seen.
#[derive(Debug)]
enum SeenPages {
    /// The keys of the admitted pages.
    Set(KeySet),
    /// Keys, depths and links, for a job with a `max_depth`.
    Graph(Graph),
    /// None: another store tells the pages of the job apart.
    Elsewhere,
}

/// Space in the queue.
#[derive(Debug, Clone, Copy)]
pub(super) struct QueueSpace {
    pub(super) pages: u64,
    pub(super) bytes: u64,
    /// Further bytes, by the limits of the group and of all jobs.
    pub(super) shared_bytes: u64,
}

#[derive(Debug)]
pub(super) struct Job {
    pub(super) rules: JobRules,
    pub(super) group: Group,
    /// None of its pages is spilled.
    pub(super) in_memory: bool,
    /// Its changes are recorded.
    records: bool,
    pub(super) held: bool,
    /// No page of the job has been leased yet.
    pub(super) newcomer: bool,
    pub(super) waiting: u64,
    /// Bytes of the waiting pages in the queue.
    pub(super) waiting_bytes: u64,
    /// Space for pages that are still to come.
    pub(super) reserved: QueueSize,
    pub(super) leased: u64,
    /// Waiting and leased entries that are not pages.
    pub(super) auxiliary_waiting: u64,
    pub(super) auxiliary_leased: u64,
    pub(super) documents: u64,
    pub(super) failed: u64,
    pub(super) skipped: u64,
    /// The documents that the job can reach: its limit, unless another store counts them.
    pub(super) reachable: u64,
    seen: SeenPages,
    pub(super) traps: Traps,
    /// By host. Ordered, so that nothing depends on a random hash.
    pub(super) host_queues: BTreeMap<Handle, Handle>,
    /// Host queues that are ready, each with a page.
    pub(super) ready: VecDeque<Handle>,
    /// The job is in the list of ready jobs.
    pub(super) in_ready_jobs: bool,
}

impl QueueSpace {
    pub(super) const UNLIMITED: Self = Self { pages: u64::MAX, bytes: u64::MAX, shared_bytes: u64::MAX };
}

impl Job {
    pub(super) fn new(rules: JobRules, group: Group) -> Self {
        let seen = match rules.max_depth {
            Some(max_depth) => SeenPages::Graph(Graph::new(max_depth)),
            None => SeenPages::Set(KeySet::default()),
        };
        Self {
            reachable: rules.limit,
            rules,
            group,
            in_memory: false,
            records: false,
            held: false,
            newcomer: true,
            waiting: 0,
            waiting_bytes: 0,
            reserved: QueueSize::default(),
            leased: 0,
            auxiliary_waiting: 0,
            auxiliary_leased: 0,
            documents: 0,
            failed: 0,
            skipped: 0,
            seen,
            traps: Traps::default(),
            host_queues: BTreeMap::new(),
            ready: VecDeque::new(),
            in_ready_jobs: false,
        }
    }

    /// A job whose pages another store tells apart and keeps. It leases nothing yet.
    pub(super) fn part(delay: Option<Duration>, group: Group) -> Self {
        let rules = JobRules { max_in_flight: Some(0), delay, ..JobRules::with_limit(u64::MAX) };
        Self { in_memory: true, seen: SeenPages::Elsewhere, ..Self::new(rules, group) }
    }

    /// True if another store tells its pages apart.
    pub(super) const fn is_part(&self) -> bool {
        matches!(self.seen, SeenPages::Elsewhere)
    }

    /// Starts or stops to record the changes of the job.
    pub(super) fn record_changes(&mut self, records: bool) {
        self.records = records;
        if let SeenPages::Graph(graph) = &mut self.seen {
            graph.record_changes(records);
        }
    }

    /// The log, if the changes of the job are recorded.
    pub(super) fn log<'l>(&self, log: &'l mut Option<ChangeLog>) -> Option<&'l mut ChangeLog> {
        log.as_mut().filter(|_| self.records)
    }

    /// Moves the changes of depths to the log.
    pub(super) fn move_changes(&mut self, job: JobSlot, log: &mut ChangeLog) {
        if let SeenPages::Graph(graph) = &mut self.seen {
            graph.move_changes(job, log);
        }
    }

    /// The links of an ended page that may still matter.
    pub(super) fn links(&self, key: UrlKey) -> impl Iterator<Item = UrlKey> {
        let graph = match &self.seen {
            SeenPages::Set(_) | SeenPages::Elsewhere => None,
            SeenPages::Graph(graph) => Some(graph),
        };
        graph.into_iter().flat_map(move |graph| graph.links(key))
    }

    /// Makes space for this many pages to restore.
    pub(super) fn reserve_pages(&mut self, pages: usize) {
        match &mut self.seen {
            SeenPages::Set(set) => set.reserve(pages),
            SeenPages::Graph(graph) => graph.reserve(pages),
            SeenPages::Elsewhere => {}
        }
    }

    /// Prepares the restoring of pages with these keys.
    pub(super) fn read_ahead(&self, keys: impl Iterator<Item = UrlKey>) {
        if let SeenPages::Set(set) = &self.seen {
            set.read_ahead(keys);
        }
    }

    /// Restores the depth of a page. False if the page is unknown, or depths do not matter.
    pub(super) fn restore_depth(&mut self, key: UrlKey, depth: u32) -> bool {
        match &mut self.seen {
            SeenPages::Set(_) | SeenPages::Elsewhere => false,
            SeenPages::Graph(graph) => graph.restore_depth(key, depth),
        }
    }

    /// Restores a page that waits or has ended. False if it is known already: then only a smaller depth
    /// counts.
    pub(super) fn restore(&mut self, key: UrlKey, depth: u32, has_ended: bool) -> bool {
        match &mut self.seen {
            SeenPages::Set(set) => set.insert(key),
            SeenPages::Graph(graph) => graph.restore(key, depth, has_ended),
            SeenPages::Elsewhere => !has_ended,
        }
    }

    /// Restores a page that is too deep so far.
    pub(super) fn restore_too_deep(&mut self, candidate: &Candidate, depth: u32) {
        if let SeenPages::Graph(graph) = &mut self.seen {
            graph.restore_too_deep(candidate, depth);
        }
    }

    /// Restores the redirect target of an ended page.
    pub(super) fn restore_target(&mut self, key: UrlKey, target: UrlKey) {
        match &mut self.seen {
            SeenPages::Set(set) => {
                set.insert(target);
            }
            SeenPages::Graph(graph) => graph.restore_target(key, target),
            SeenPages::Elsewhere => {}
        }
    }

    /// Restores the links of an ended page, after all pages and redirect targets.
    pub(super) fn restore_links(&mut self, key: UrlKey, links: &[UrlKey], target: Option<UrlKey>) {
        if let SeenPages::Graph(graph) = &mut self.seen {
            graph.restore_links(key, links, target);
        }
    }

    /// Bytes of the URLs that wait to be fetched, and of those for which there is a reservation.
    pub(super) fn queued_bytes(&self) -> u64 {
        let parked = match &self.seen {
            SeenPages::Set(_) | SeenPages::Elsewhere => 0,
            SeenPages::Graph(graph) => graph.parked_bytes(),
        };
        self.waiting_bytes.saturating_add(parked).saturating_add(self.reserved.bytes)
    }

    /// The load of the job on its group.
    pub(super) fn load(&self) -> JobLoad {
        JobLoad { waiting: self.waiting, leased: self.leased, bytes: self.queued_bytes() }
    }

    /// The number of waiting pages, including those that are too deep so far, and those for which there is a
    /// reservation.
    pub(super) fn queued_pages(&self) -> u64 {
        let parked = match &self.seen {
            SeenPages::Set(_) | SeenPages::Elsewhere => 0,
            SeenPages::Graph(graph) => graph.parked(),
        };
        self.waiting.saturating_add(parked).saturating_add(self.reserved.pages)
    }

    /// True if the rules of the job allow one more lease.
    pub(super) fn may_lease(&self) -> bool {
        !self.held
            && self.documents.saturating_add(self.leased) < self.rules.limit
            && self.rules.max_in_flight.is_none_or(|max| self.leased < u64::from(max))
    }

    /// True if more pages wait than the limit admits.
    pub(super) fn exceeds_limit(&self) -> bool {
        self.documents.saturating_add(self.leased).saturating_add(self.waiting) > self.reachable
    }

    pub(super) fn is_idle(&self) -> bool {
        self.leased == 0 && (self.waiting == 0 || self.documents >= self.rules.limit)
    }

    pub(super) fn counts(&self) -> Counts {
        let pages = self.leased.saturating_sub(self.auxiliary_leased);
        let waiting = self.waiting.saturating_sub(self.auxiliary_waiting);
        let taken = self.documents.saturating_add(pages);
        Counts {
            waiting: self.waiting,
            leased: self.leased,
            auxiliary: self.auxiliary_leased,
            documents: self.documents,
            failed: self.failed,
            skipped: self.skipped,
            total: taken.saturating_add(waiting.min(self.reachable.saturating_sub(taken))),
        }
    }

    /// Records a queued entry.
    pub(super) fn on_queued(&mut self, rank: Rank, bytes: u64) {
        self.waiting += 1;
        self.waiting_bytes = self.waiting_bytes.saturating_add(bytes);
        self.auxiliary_waiting += u64::from(rank.is_auxiliary());
    }

    /// Records the lease of a queued entry.
    pub(super) fn on_leased(&mut self, rank: Rank, bytes: u64) {
        let auxiliary = u64::from(rank.is_auxiliary());
        self.waiting = self.waiting.saturating_sub(1);
        self.waiting_bytes = self.waiting_bytes.saturating_sub(bytes);
        self.auxiliary_waiting = self.auxiliary_waiting.saturating_sub(auxiliary);
        self.leased += 1;
        self.auxiliary_leased += auxiliary;
    }

    /// Records queued pages that were dropped.
    pub(super) fn on_dropped(&mut self, dropped: Loss) {
        self.waiting = self.waiting.saturating_sub(dropped.pages);
        self.waiting_bytes = self.waiting_bytes.saturating_sub(dropped.bytes);
        self.auxiliary_waiting = self.auxiliary_waiting.saturating_sub(dropped.auxiliary);
    }

    /// Records queued pages that were lost.
    pub(super) fn on_lost(&mut self, loss: Loss) {
        self.on_dropped(loss);
        self.failed += loss.pages;
    }

    /// Records the end of a lease.
    pub(super) fn on_lease_ended(&mut self, rank: Rank) {
        self.leased = self.leased.saturating_sub(1);
        self.auxiliary_leased = self.auxiliary_leased.saturating_sub(u64::from(rank.is_auxiliary()));
    }

    /// The depth of a leased page: the smallest known, or the depth with which it was queued.
    pub(super) fn depth(&self, key: UrlKey, queued_depth: u32) -> u32 {
        match &self.seen {
            SeenPages::Set(_) | SeenPages::Elsewhere => queued_depth,
            SeenPages::Graph(graph) => graph.depth(key).unwrap_or(queued_depth),
        }
    }

    pub(super) fn set_leased(&mut self, key: UrlKey) {
        if let SeenPages::Graph(graph) = &mut self.seen {
            graph.set_leased(key);
        }
    }

    pub(super) fn set_waiting(&mut self, key: UrlKey) {
        if let SeenPages::Graph(graph) = &mut self.seen {
            graph.set_waiting(key);
        }
    }

    /// Marks a page as fetched; false if it was admitted before.
    pub(super) fn visit(&mut self, key: UrlKey) -> bool {
        match &mut self.seen {
            SeenPages::Set(set) => set.insert(key),
            SeenPages::Graph(graph) => graph.visit(key),
            SeenPages::Elsewhere => true,
        }
    }

    /// As [`visit`](Self::visit), for the redirect target of the leased `page`.
    pub(super) fn redirect(&mut self, page: UrlKey, target: UrlKey, queue: &mut Vec<Candidate>) -> bool {
        match &mut self.seen {
            SeenPages::Set(set) => page == target || set.insert(target),
            SeenPages::Graph(graph) => graph.redirect(page, target, queue),
            SeenPages::Elsewhere => true,
        }
    }

    /// Admits pages at `depth` and appends what must be queued to `queue`. With `page` the candidates are its
    /// links, and it is marked as fetched.
    pub(super) fn admit(
        &mut self,
        page: Option<UrlKey>,
        depth: u32,
        candidates: impl Iterator<Item = Candidate>,
        mut space: QueueSpace,
        queue: &mut Vec<Candidate>,
    ) -> Admitted {
        let mut admitted = Admitted::default();
        let mut links = Vec::new();
        space.pages = space.pages.saturating_sub(self.queued_pages());
        space.bytes = space.bytes.saturating_sub(self.queued_bytes()).min(space.shared_bytes);
        for candidate in candidates {
            let offer = if !super::is_queueable(&candidate.url) {
                Offer::Refused
            } else {
                let bytes = packed::size_of(super::path_of(&candidate.url));
                let fits = space.pages > 0 && space.bytes >= bytes;
                let offer = match &mut self.seen {
                    SeenPages::Set(set) if !fits => {
                        if set.contains(candidate.key) {
                            Offer::Seen
                        } else {
                            Offer::Refused
                        }
                    }
                    SeenPages::Set(set) => {
                        if set.insert(candidate.key) {
                            queue.push(candidate);
                            Offer::Admitted
                        } else {
                            Offer::Seen
                        }
                    }
                    SeenPages::Graph(graph) => {
                        let (offer, index) = graph.offer(candidate, depth, fits, queue);
                        links.extend(index.filter(|_| page.is_some()));
                        offer
                    }
                    SeenPages::Elsewhere => Offer::Refused,
                };
                if matches!(offer, Offer::Admitted | Offer::TooDeep) {
                    space.pages = space.pages.saturating_sub(1);
                    space.bytes = space.bytes.saturating_sub(bytes);
                }
                offer
            };
            match offer {
                Offer::Admitted => {}
                Offer::Seen => admitted.seen += 1,
                Offer::TooDeep => admitted.too_deep += 1,
                Offer::Refused => admitted.overflow += 1,
            }
        }
        if let (Some(key), SeenPages::Graph(graph)) = (page, &mut self.seen) {
            graph.finish(key, links);
        }
        admitted.new = u64::try_from(queue.len()).unwrap_or(u64::MAX);
        admitted
    }
}
