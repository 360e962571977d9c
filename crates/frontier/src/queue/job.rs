use std::collections::{BTreeMap, VecDeque};

use super::config::JobRules;
use super::graph::{Graph, Offer};
use super::groups::{Group, Share};
use super::host_queue::Rank;
use super::model::{Admitted, Candidate, Counts};
use super::packed::{self, Loss};
use super::seen::KeySet;
use super::slab::Handle;
use super::traps::Traps;
use crate::identity::UrlKey;

/// What a job knows of pages.
#[derive(Debug)]
enum Known {
    /// That they were admitted.
    Set(KeySet),
    /// Their depth and links as well, since the job has a `max_depth`.
    Graph(Graph),
}

/// How much may be queued: by the job, and by all together.
#[derive(Debug, Clone, Copy)]
pub(super) struct QueueSpace {
    pub(super) pages: u64,
    pub(super) bytes: u64,
    /// How many bytes more, as far as its group and all jobs go.
    pub(super) more: u64,
}

#[derive(Debug)]
pub(super) struct Job {
    pub(super) rules: JobRules,
    pub(super) group: Group,
    /// Nothing of it goes to cold storage.
    pub(super) in_memory: bool,
    pub(super) held: bool,
    /// No page of it was leased yet.
    pub(super) newcomer: bool,
    pub(super) waiting: u64,
    /// What they take in the queue.
    pub(super) waiting_bytes: u64,
    pub(super) leased: u64,
    /// Of those that wait and those that are leased, what is no page.
    pub(super) auxiliary_waiting: u64,
    pub(super) auxiliary_leased: u64,
    pub(super) documents: u64,
    pub(super) failed: u64,
    pub(super) skipped: u64,
    known: Known,
    pub(super) traps: Traps,
    /// By host. Ordered, so that nothing depends on a random hash.
    pub(super) host_queues: BTreeMap<Handle, Handle>,
    /// Lanes to look at, each of which has a page.
    pub(super) ready: VecDeque<Handle>,
    /// It is in the ring of jobs that may lease.
    pub(super) in_ring: bool,
}

impl Job {
    pub(super) fn new(rules: JobRules, group: Group) -> Self {
        let known = match rules.max_depth {
            Some(max_depth) => Known::Graph(Graph::new(max_depth)),
            None => Known::Set(KeySet::default()),
        };
        Self {
            rules,
            group,
            in_memory: false,
            held: false,
            newcomer: true,
            waiting: 0,
            waiting_bytes: 0,
            leased: 0,
            auxiliary_waiting: 0,
            auxiliary_leased: 0,
            documents: 0,
            failed: 0,
            skipped: 0,
            known,
            traps: Traps::default(),
            host_queues: BTreeMap::new(),
            ready: VecDeque::new(),
            in_ring: false,
        }
    }

    /// The addresses that it holds until they are fetched, in bytes.
    pub(super) fn queued_bytes(&self) -> u64 {
        let parked = match &self.known {
            Known::Set(_) => 0,
            Known::Graph(graph) => graph.parked_bytes(),
        };
        self.waiting_bytes.saturating_add(parked)
    }

    /// What it has in the queue and in work.
    pub(super) fn share(&self) -> Share {
        Share { waiting: self.waiting, leased: self.leased, bytes: self.queued_bytes() }
    }

    /// Pages that wait, those that are too deep so far among them.
    pub(super) fn queued_pages(&self) -> u64 {
        match &self.known {
            Known::Set(_) => self.waiting,
            Known::Graph(graph) => self.waiting.saturating_add(graph.parked()),
        }
    }

    /// True where it may lease one page more, as far as its own rules go.
    pub(super) fn may_lease(&self) -> bool {
        !self.held
            && self.documents.saturating_add(self.leased) < self.rules.limit
            && self.rules.max_in_flight.is_none_or(|max| self.leased < u64::from(max))
    }

    /// True where more pages wait than the limit lets through.
    pub(super) fn is_choosy(&self) -> bool {
        self.documents.saturating_add(self.leased).saturating_add(self.waiting) > self.rules.limit
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
            total: taken.saturating_add(waiting.min(self.rules.limit.saturating_sub(taken))),
        }
    }

    /// Books that something is queued.
    pub(super) fn queued(&mut self, rank: Rank, bytes: u64) {
        self.waiting += 1;
        self.waiting_bytes = self.waiting_bytes.saturating_add(bytes);
        self.auxiliary_waiting += u64::from(rank.is_auxiliary());
    }

    /// Books that something that was queued is leased.
    pub(super) fn begun(&mut self, rank: Rank, bytes: u64) {
        let errand = u64::from(rank.is_auxiliary());
        self.waiting = self.waiting.saturating_sub(1);
        self.waiting_bytes = self.waiting_bytes.saturating_sub(bytes);
        self.auxiliary_waiting = self.auxiliary_waiting.saturating_sub(errand);
        self.leased += 1;
        self.auxiliary_leased += errand;
    }

    /// Books that pages which were queued are lost.
    pub(super) fn lost(&mut self, loss: Loss) {
        self.waiting = self.waiting.saturating_sub(loss.pages);
        self.waiting_bytes = self.waiting_bytes.saturating_sub(loss.bytes);
        self.auxiliary_waiting = self.auxiliary_waiting.saturating_sub(loss.auxiliary);
        self.failed += loss.pages;
    }

    /// Books that a lease has ended.
    pub(super) fn ended(&mut self, rank: Rank) {
        self.leased = self.leased.saturating_sub(1);
        self.auxiliary_leased = self.auxiliary_leased.saturating_sub(u64::from(rank.is_auxiliary()));
    }

    /// The depth of a page that is leased: the best known now, or the one that it was queued with.
    pub(super) fn depth(&self, key: UrlKey, queued: u32) -> u32 {
        match &self.known {
            Known::Set(_) => queued,
            Known::Graph(graph) => graph.depth(key).unwrap_or(queued),
        }
    }

    pub(super) fn set_leased(&mut self, key: UrlKey) {
        if let Known::Graph(graph) = &mut self.known {
            graph.set_leased(key);
        }
    }

    pub(super) fn set_waiting(&mut self, key: UrlKey) {
        if let Known::Graph(graph) = &mut self.known {
            graph.set_waiting(key);
        }
    }

    /// Marks a page as fetched; false if it had been admitted before.
    pub(super) fn visit(&mut self, key: UrlKey) -> bool {
        match &mut self.known {
            Known::Set(set) => set.insert(key),
            Known::Graph(graph) => graph.visit(key),
        }
    }

    /// As [`visit`](Self::visit), for the target of a redirect of the leased `page`.
    pub(super) fn redirect(&mut self, page: UrlKey, target: UrlKey, queue: &mut Vec<Candidate>) -> bool {
        match &mut self.known {
            Known::Set(set) => page == target || set.insert(target),
            Known::Graph(graph) => graph.redirect(page, target, queue),
        }
    }

    /// Takes in pages at `depth`. What is to be queued in consequence goes to `queue`.
    /// With `page`, which is then marked as fetched, they are its links.
    pub(super) fn take_in(
        &mut self,
        page: Option<UrlKey>,
        depth: u32,
        candidates: impl Iterator<Item = Candidate>,
        mut room: QueueSpace,
        queue: &mut Vec<Candidate>,
    ) -> Admitted {
        let mut tally = Admitted::default();
        let mut links = Vec::new();
        let (pages, parked) = match &self.known {
            Known::Set(_) => (self.waiting, 0),
            Known::Graph(graph) => (self.waiting.saturating_add(graph.parked()), graph.parked_bytes()),
        };
        room.pages = room.pages.saturating_sub(pages);
        room.bytes = room.bytes.saturating_sub(self.waiting_bytes.saturating_add(parked)).min(room.more);
        for candidate in candidates {
            let offer = if !super::is_queueable(&candidate.url) {
                Offer::Refused
            } else {
                let bytes = packed::size_of(super::rest_of(&candidate.url));
                let fits = room.pages > 0 && room.bytes >= bytes;
                let offer = match &mut self.known {
                    Known::Set(set) if !fits => {
                        if set.contains(candidate.key) {
                            Offer::Seen
                        } else {
                            Offer::Refused
                        }
                    }
                    Known::Set(set) => {
                        if set.insert(candidate.key) {
                            queue.push(candidate);
                            Offer::Admitted
                        } else {
                            Offer::Seen
                        }
                    }
                    Known::Graph(graph) => {
                        let (offer, index) = graph.offer(candidate, depth, fits, queue);
                        links.extend(index.filter(|_| page.is_some()));
                        offer
                    }
                };
                if matches!(offer, Offer::Admitted | Offer::TooDeep) {
                    room.pages = room.pages.saturating_sub(1);
                    room.bytes = room.bytes.saturating_sub(bytes);
                }
                offer
            };
            match offer {
                Offer::Admitted => {}
                Offer::Seen => tally.seen += 1,
                Offer::TooDeep => tally.too_deep += 1,
                Offer::Refused => tally.overflow += 1,
            }
        }
        if let (Some(key), Known::Graph(graph)) = (page, &mut self.known) {
            graph.finish(key, links);
        }
        tally.new = u64::try_from(queue.len()).unwrap_or(u64::MAX);
        tally
    }
}
