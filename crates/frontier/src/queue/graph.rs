//! The link graph of a job with `maxDiscoveryDepth`.
//!
//! Depth is the smallest number of clicks, but pages do not arrive in that order: while a page one click away
//! is slow, others two clicks away are fetched, and what they link to seems three clicks away, although the
//! slow page links to it too. So the links of each page are kept, as numbers. When a shorter path to a page
//! is found, the smaller depth is propagated through the known links, and pages that were too deep are
//! admitted, without a second fetch.
//!
//! Alternative: finish one depth before starting the next. It needs no graph, but the slowest page of each
//! depth would delay the crawl.

use std::collections::VecDeque;

use hashbrown::HashTable;
use url::Url;

use super::changes::ChangeLog;
use super::model::{Candidate, JobSlot};
use super::seen::spread;
use crate::identity::UrlKey;

#[derive(Debug)]
enum State {
    /// Too deep so far, with what is needed to admit it later.
    Parked(Box<Parked>),
    Waiting,
    /// Leased, with the page that it redirects to, once known.
    Leased(Option<u32>),
    /// Fetched, with the links that may still matter, and the page that it redirects to.
    Done(Box<[u32]>, Option<u32>),
    /// Fetched as the target of a redirect: its links belong to this page, which redirects to it.
    Alias(u32),
}

impl State {
    /// Bytes used to park a page.
    fn parked_bytes(&self) -> usize {
        match self {
            Self::Parked(parked) => size_of::<Parked>() + parked.url.len(),
            _ => 0,
        }
    }
}

#[derive(Debug)]
struct Parked {
    url: Box<str>,
    external: bool,
    priority: u8,
}

#[derive(Debug)]
struct Node {
    key: u64,
    depth: u32,
    state: State,
}

/// The result of offering a page.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Offer {
    Admitted,
    Seen,
    TooDeep,
    Refused,
}

#[derive(Debug)]
pub(super) struct Graph {
    max_depth: u32,
    by_key: HashTable<u32>,
    nodes: Vec<Node>,
    parked: u64,
    parked_bytes: u64,
    /// Pages that became too deep, or whose depth was lowered; `None` if this is not recorded.
    changed: Option<Vec<u32>>,
}

impl Graph {
    pub(super) fn new(max_depth: u32) -> Self {
        Self {
            max_depth,
            by_key: HashTable::new(),
            nodes: Vec::new(),
            parked: 0,
            parked_bytes: 0,
            changed: None,
        }
    }

    /// Starts or stops to record changes for [`move_changes`](Self::move_changes).
    pub(super) fn record_changes(&mut self, records: bool) {
        self.changed = records.then(Vec::new);
    }

    /// Moves the recorded changes to a log.
    pub(super) fn move_changes(&mut self, job: JobSlot, log: &mut ChangeLog) {
        let changed = self.changed.as_mut().map(std::mem::take).unwrap_or_default();
        for node in changed.into_iter().filter_map(|index| self.node(index)) {
            let (key, depth) = (UrlKey::from_raw(node.key), node.depth);
            match &node.state {
                State::Parked(parked) => {
                    log.too_deep(job, key, depth, (&*parked.url, parked.external, parked.priority));
                }
                _ => log.depth(job, key, depth),
            }
        }
    }

    /// The links of an ended page that may still matter.
    pub(super) fn links(&self, key: UrlKey) -> impl Iterator<Item = UrlKey> {
        let node = self.find(key).and_then(|index| self.node(index));
        let links = match node.map(|node| &node.state) {
            Some(State::Done(links, _)) => &**links,
            _ => &[],
        };
        links.iter().filter_map(|link| self.node(*link)).map(|node| UrlKey::from_raw(node.key))
    }

    /// Makes space for this many pages.
    pub(super) fn reserve(&mut self, pages: usize) {
        let nodes = &self.nodes;
        let hash_of = |index: &u32| {
            usize::try_from(*index).ok().and_then(|index| nodes.get(index)).map_or(0, |node| spread(node.key))
        };
        self.by_key.reserve(pages, hash_of);
        self.nodes.reserve_exact(pages);
    }

    /// Restores a page that waits or has ended. False if it is known already: then only a smaller depth
    /// counts.
    pub(super) fn restore(&mut self, key: UrlKey, depth: u32, has_ended: bool) -> bool {
        let is_new = !self.restore_depth(key, depth);
        if is_new {
            let state = if has_ended { State::Done(Box::default(), None) } else { State::Waiting };
            self.insert(key, depth, state);
        }
        is_new
    }

    /// Restores the depth of a page, which only ever becomes smaller. False if the page is unknown.
    pub(super) fn restore_depth(&mut self, key: UrlKey, depth: u32) -> bool {
        let known = self.find(key).and_then(|index| self.node_mut(index));
        if let Some(node) = known {
            node.depth = node.depth.min(depth);
            return true;
        }
        false
    }

    /// Restores a page that is too deep so far. A page that is known already stays as it is.
    pub(super) fn restore_too_deep(&mut self, candidate: &Candidate, depth: u32) {
        if self.find(candidate.key).is_none() {
            self.park(candidate, depth);
        }
    }

    /// Restores the redirect target of an ended page, which is known, unless the target is known too.
    pub(super) fn restore_target(&mut self, key: UrlKey, target: UrlKey) {
        if self.find(target).is_none()
            && let Some(page) = self.find(key)
        {
            let depth = self.node(page).map_or(0, |node| node.depth);
            self.insert(target, depth, State::Alias(page));
        }
    }

    /// Restores the links and the redirect target of an ended page. Call it when all pages and targets are
    /// restored.
    pub(super) fn restore_links(&mut self, key: UrlKey, links: &[UrlKey], target: Option<UrlKey>) {
        let Some(index) = self.find(key) else { return };
        let links: Box<[u32]> = links.iter().filter_map(|link| self.find(*link)).collect();
        let target = target.filter(|target| *target != key).and_then(|target| self.find(target));
        if let Some(node) = self.node_mut(index) {
            node.state = State::Done(links, target);
        }
    }

    /// The number of pages that are too deep so far.
    pub(super) const fn parked(&self) -> u64 {
        self.parked
    }

    /// Their size, in bytes.
    pub(super) const fn parked_bytes(&self) -> u64 {
        self.parked_bytes
    }

    /// Records that a parked page is no longer too deep.
    fn unpark(&mut self, bytes: usize) {
        self.parked -= 1;
        self.parked_bytes = self.parked_bytes.saturating_sub(bytes as u64);
    }

    /// The smallest known number of clicks.
    pub(super) fn depth(&self, key: UrlKey) -> Option<u32> {
        Some(self.node(self.find(key)?)?.depth)
    }

    pub(super) fn set_leased(&mut self, key: UrlKey) {
        self.set_state(key, State::Leased(None));
    }

    pub(super) fn set_waiting(&mut self, key: UrlKey) {
        self.set_state(key, State::Waiting);
    }

    /// Marks a page, which may never have been offered, as fetched. False if it was admitted before.
    pub(super) fn visit(&mut self, key: UrlKey) -> bool {
        match self.find(key) {
            None => {
                self.insert(key, 0, State::Done(Box::default(), None));
                true
            }
            Some(index) => match self.node_mut(index) {
                Some(Node { state: state @ State::Parked(_), .. }) => {
                    let bytes = state.parked_bytes();
                    *state = State::Done(Box::default(), None);
                    self.unpark(bytes);
                    true
                }
                _ => false,
            },
        }
    }

    /// Marks the redirect target of a leased page as fetched. False if it was admitted before. In both cases
    /// it has the depth of the page, also after a shorter path to either of them is found.
    pub(super) fn redirect(&mut self, page: UrlKey, target: UrlKey, admitted: &mut Vec<Candidate>) -> bool {
        let Some(page_index) = self.find(page) else { return self.visit(target) };
        let depth = self.node(page_index).map_or(0, |node| node.depth);
        match self.find(target) {
            None => {
                let index = self.insert(target, depth, State::Alias(page_index));
                self.set_target(page_index, index);
                true
            }
            Some(index) if index == page_index => true,
            Some(index) if self.is_parked(index) => {
                if let Some(node) = self.node_mut(index) {
                    let bytes = node.state.parked_bytes();
                    node.state = State::Alias(page_index);
                    node.depth = depth;
                    self.unpark(bytes);
                }
                self.set_target(page_index, index);
                true
            }
            Some(index) => {
                self.set_target(page_index, index);
                self.relax(index, depth, admitted);
                false
            }
        }
    }

    /// Records the redirect target of a leased page, which has the same depth.
    fn set_target(&mut self, page: u32, target: u32) {
        if let Some(Node { state: State::Leased(to), .. }) = self.node_mut(page) {
            *to = Some(target);
        }
    }

    /// Offers a page at `depth`. Appends what must be queued to `admitted`, including pages that are no
    /// longer too deep. Without `has_capacity` a new page is refused.
    pub(super) fn offer(
        &mut self,
        candidate: Candidate,
        depth: u32,
        has_capacity: bool,
        admitted: &mut Vec<Candidate>,
    ) -> (Offer, Option<u32>) {
        if let Some(index) = self.find(candidate.key) {
            let was_parked = self.is_parked(index);
            self.relax(index, depth, admitted);
            let offer = match (was_parked, self.is_parked(index)) {
                (_, true) => Offer::TooDeep,
                (true, false) => Offer::Admitted,
                (false, false) => Offer::Seen,
            };
            return (offer, Some(index));
        }
        if !has_capacity {
            return (Offer::Refused, None);
        }
        if depth <= self.max_depth {
            let index = self.insert(candidate.key, depth, State::Waiting);
            admitted.push(candidate);
            (Offer::Admitted, Some(index))
        } else {
            let index = self.park(&candidate, depth);
            if let Some(changed) = &mut self.changed {
                changed.push(index);
            }
            (Offer::TooDeep, Some(index))
        }
    }

    /// Adds a page that is too deep so far.
    fn park(&mut self, candidate: &Candidate, depth: u32) -> u32 {
        let Candidate { url, external, priority, .. } = candidate;
        let parked = Parked { url: url.as_str().into(), external: *external, priority: *priority };
        self.parked += 1;
        self.parked_bytes += (size_of::<Parked>() + parked.url.len()) as u64;
        self.insert(candidate.key, depth, State::Parked(Box::new(parked)))
    }

    /// Marks a page as fetched and keeps those of its links that may still matter.
    ///
    /// The smallest depth that a page can still get is 0, from a sitemap; its links then get depth 1. So a
    /// page at depth 0 needs no links, and no page needs links to pages at depth 1, which are mostly the
    /// menus that all pages share.
    pub(super) fn finish(&mut self, key: UrlKey, mut links: Vec<u32>) {
        let Some(index) = self.find(key) else { return };
        let is_final = self.node(index).is_none_or(|node| node.depth == 0);
        links.retain(|link| !is_final && self.node(*link).is_some_and(|node| node.depth > 1));
        links.sort_unstable();
        links.dedup();
        if let Some(node) = self.node_mut(index) {
            let target = if let State::Leased(target) = node.state { target } else { None };
            node.state = State::Done(links.into(), target);
        }
    }

    /// Lowers the depth of a page, and of everything reached through it.
    ///
    /// Breadth first, without recursion. Each step lowers the depth of its page by at least one, so a job
    /// visits each link at most `max_depth` times.
    fn relax(&mut self, index: u32, depth: u32, admitted: &mut Vec<Candidate>) {
        let mut work = VecDeque::from([(index, depth)]);
        let (mut lowered, is_recorded) = (Vec::new(), self.changed.is_some());
        while let Some((index, depth)) = work.pop_front() {
            let max_depth = self.max_depth;
            let Some(node) = self.node_mut(index).filter(|node| depth < node.depth) else { continue };
            node.depth = depth;
            if is_recorded {
                lowered.push(index);
            }
            match &mut node.state {
                State::Waiting | State::Leased(None) => {}
                State::Leased(Some(page)) | State::Alias(page) => work.push_back((*page, depth)),
                State::Done(links, target) => {
                    work.extend(target.map(|target| (target, depth)));
                    if depth < max_depth {
                        work.extend(links.iter().map(|&link| (link, depth + 1)));
                    }
                }
                State::Parked(parked) => {
                    if depth > max_depth {
                        continue;
                    }
                    let url = Url::parse(&parked.url);
                    let (key, external, priority) =
                        (UrlKey::from_raw(node.key), parked.external, parked.priority);
                    let bytes = node.state.parked_bytes();
                    node.state = State::Waiting;
                    self.unpark(bytes);
                    // Only valid URLs are parked.
                    if let Ok(url) = url {
                        admitted.push(Candidate { url, key, external, priority });
                    }
                }
            }
        }
        if let Some(changed) = &mut self.changed {
            changed.append(&mut lowered);
        }
    }

    fn insert(&mut self, key: UrlKey, depth: u32, state: State) -> u32 {
        let index = u32::try_from(self.nodes.len()).unwrap_or(u32::MAX);
        let nodes = &self.nodes;
        let hash_of = |index: &u32| {
            usize::try_from(*index).ok().and_then(|index| nodes.get(index)).map_or(0, |node| spread(node.key))
        };
        self.by_key.insert_unique(spread(key.to_raw()), index, hash_of);
        self.nodes.push(Node { key: key.to_raw(), depth, state });
        index
    }

    fn find(&self, key: UrlKey) -> Option<u32> {
        let key = key.to_raw();
        self.by_key.find(spread(key), |&index| self.node(index).is_some_and(|node| node.key == key)).copied()
    }

    fn is_parked(&self, index: u32) -> bool {
        self.node(index).is_some_and(|node| matches!(node.state, State::Parked(_)))
    }

    fn node(&self, index: u32) -> Option<&Node> {
        self.nodes.get(usize::try_from(index).ok()?)
    }

    fn node_mut(&mut self, index: u32) -> Option<&mut Node> {
        self.nodes.get_mut(usize::try_from(index).ok()?)
    }

    fn set_state(&mut self, key: UrlKey, state: State) {
        if let Some(node) = self.find(key).and_then(|index| self.node_mut(index)) {
            node.state = state;
        }
    }
}
