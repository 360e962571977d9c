//! The part of the link graph of a job with `max_depth` that one operation needs.
//!
//! The rules are those of the queue in memory: depth is the smallest number of clicks, and a page that comes
//! nearer brings everything nearer that is reached through it, breadth first. Here the graph lies in tables,
//! and the nodes that a step needs are loaded before it. The row of the job is locked meanwhile, so nobody
//! else changes its graph.

use std::collections::{HashMap, VecDeque};

use async_trait::async_trait;
use gleaner_frontier::{Admitted, Candidate};
use url::Url;

use super::offer::is_queueable;
use crate::failure::Failure;
use crate::units::{key, url_key};

/// A page that is too deep so far.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Parked {
    pub(super) url: String,
    pub(super) external: bool,
    pub(super) priority: u8,
}

/// A known page as it is stored.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct StoredNode {
    pub(super) job: i32,
    pub(super) key: i64,
    pub(super) depth: u32,
    /// The links of an ended page that may still matter.
    pub(super) links: Vec<i64>,
    /// The page with the same depth: the target of its redirect, or the page that redirects to it.
    pub(super) target: Option<i64>,
    /// It is too deep so far.
    pub(super) parked: Option<Parked>,
}

/// Where the graph is stored.
#[async_trait]
pub(super) trait NodeSource: Send {
    /// The known ones of these pages, by job and key.
    async fn load(&mut self, pages: &[(i32, i64)]) -> Result<Vec<StoredNode>, Failure>;
}

/// Where a page was before the operation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Stored {
    Nowhere,
    Admitted,
    TooDeep,
}

#[derive(Debug)]
struct Node {
    depth: u32,
    links: Vec<i64>,
    target: Option<i64>,
    parked: Option<Parked>,
    stored: Stored,
    depth_changed: bool,
    edges_changed: bool,
}

impl Node {
    fn new(depth: u32, parked: Option<Parked>) -> Self {
        Self {
            depth,
            links: Vec::new(),
            target: None,
            parked,
            stored: Stored::Nowhere,
            depth_changed: false,
            edges_changed: false,
        }
    }
}

/// What must be written after an operation, with jobs and keys.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct GraphChanges {
    /// Pages that are new or nearer, and not too deep.
    pub(super) pages: Vec<(i32, i64, u32)>,
    /// Pages that are new or nearer, and still too deep.
    pub(super) too_deep: Vec<(i32, i64, u32, Parked)>,
    /// Pages that are no longer too deep.
    pub(super) unparked: Vec<(i32, i64)>,
    /// Links and redirect targets.
    pub(super) edges: Vec<(i32, i64, Vec<i64>, Option<i64>)>,
}

impl GraphChanges {
    pub(super) fn is_empty(&self) -> bool {
        let Self { pages, too_deep, unparked, edges } = self;
        pages.is_empty() && too_deep.is_empty() && unparked.is_empty() && edges.is_empty()
    }
}

/// Pages offered to a job.
pub(super) struct Offers<'a> {
    pub(super) depth: u32,
    pub(super) pages: &'a [Candidate],
    /// For each of them a depth that it has at most, if the process knows the page and it is not too deep.
    pub(super) known: &'a [Option<u32>],
    /// They are the links of this page, which ends with them.
    pub(super) of: Option<i64>,
}

#[derive(Debug)]
pub(super) struct Graph {
    job: i32,
    max_depth: u32,
    /// The loaded pages. `None`: the job does not know the page.
    nodes: HashMap<i64, Option<Node>>,
    /// Depths to apply, in order.
    work: VecDeque<(i64, u32)>,
}

impl Graph {
    pub(super) fn new(job: i32, max_depth: u32) -> Self {
        Self { job, max_depth, nodes: HashMap::new(), work: VecDeque::new() }
    }

    /// The depth of a loaded page.
    pub(super) fn depth(&self, key: i64) -> Option<u32> {
        self.node(key).map(|node| node.depth)
    }

    /// The depth of a loaded page that is not too deep.
    pub(super) fn admitted_depth(&self, key: i64) -> Option<u32> {
        self.node(key).filter(|node| node.parked.is_none()).map(|node| node.depth)
    }

    /// Those of these pages that are not loaded.
    pub(super) fn not_loaded(&self, keys: impl Iterator<Item = i64>) -> Vec<(i32, i64)> {
        let mut keys: Vec<_> =
            keys.filter(|key| !self.nodes.contains_key(key)).map(|key| (self.job, key)).collect();
        keys.sort_unstable();
        keys.dedup();
        keys
    }

    /// Adds pages that were looked up.
    pub(super) fn add(&mut self, looked_up: &[(i32, i64)], found: Vec<StoredNode>) {
        for (job, key) in looked_up {
            if *job == self.job {
                self.nodes.entry(*key).or_insert(None);
            }
        }
        for StoredNode { job, key, depth, links, target, parked } in found {
            let slot = self.nodes.get_mut(&key).filter(|slot| job == self.job && slot.is_none());
            if let Some(slot) = slot {
                let stored = if parked.is_some() { Stored::TooDeep } else { Stored::Admitted };
                *slot = Some(Node { links, target, stored, ..Node::new(depth, parked) });
            }
        }
    }

    /// Loads those of these pages that are not loaded.
    pub(super) async fn ensure(
        &mut self,
        source: &mut dyn NodeSource,
        keys: impl Iterator<Item = i64> + Send,
    ) -> Result<(), Failure> {
        let keys = self.not_loaded(keys);
        if !keys.is_empty() {
            let found = source.load(&keys).await?;
            self.add(&keys, found);
        }
        Ok(())
    }

    /// Makes sure that a leased page is known, with the depth of its lease if it is not.
    pub(super) async fn ensure_leased(
        &mut self,
        source: &mut dyn NodeSource,
        page: i64,
        depth: u32,
    ) -> Result<u32, Failure> {
        self.ensure(source, std::iter::once(page)).await?;
        Ok(match self.depth(page) {
            Some(depth) => depth,
            None => {
                self.insert(page, Node::new(depth, None));
                depth
            }
        })
    }

    /// Marks the redirect target of a leased page as fetched. False if it was admitted before. In both cases
    /// it has the depth of the page, also after a shorter path to either of them is found. Appends pages that
    /// are no longer too deep to `queue`.
    pub(super) async fn redirect(
        &mut self,
        source: &mut dyn NodeSource,
        page: i64,
        target: i64,
        queue: &mut Vec<Candidate>,
    ) -> Result<bool, Failure> {
        if page == target {
            return Ok(true);
        }
        self.ensure(source, [page, target].into_iter()).await?;
        let depth = self.depth(page).unwrap_or(0);
        if let Some(node) = self.node_mut(page) {
            (node.target, node.edges_changed) = (Some(target), true);
        }
        let alias = match self.node_mut(target) {
            Some(node) if node.parked.is_none() => {
                self.work.push_back((target, depth));
                self.settle(source, queue).await?;
                return Ok(false);
            }
            Some(node) => Node { stored: node.stored, ..Node::new(depth, None) },
            None => Node::new(depth, None),
        };
        self.insert(target, Node { target: Some(page), edges_changed: true, ..alias });
        Ok(true)
    }

    /// Offers pages, at most `space` new ones, and appends what must be queued to `queue`.
    pub(super) async fn admit(
        &mut self,
        source: &mut dyn NodeSource,
        offers: Offers<'_>,
        space: &mut u64,
        queue: &mut Vec<Candidate>,
    ) -> Result<Admitted, Failure> {
        let Offers { depth, pages, known, of } = offers;
        let mut admitted = Admitted::default();
        let before = queue.len();
        // The pages that the job knows now, with a depth that they have at most.
        let mut links = Vec::new();
        let needed = pages.iter().zip(known).filter(|(_, known)| known.is_none_or(|known| known > depth));
        let needed: Vec<i64> = needed.map(|(page, _)| key(page.key)).collect();
        self.ensure(source, needed.into_iter()).await?;
        for (page, known) in pages.iter().zip(known) {
            if !is_queueable(page) {
                admitted.overflow += 1;
                continue;
            }
            let link = key(page.key);
            if let Some(node) = self.node(link) {
                let was_parked = node.parked.is_some();
                self.work.push_back((link, depth));
                self.settle(source, queue).await?;
                match (was_parked, self.node(link).is_some_and(|node| node.parked.is_some())) {
                    (_, true) => admitted.too_deep += 1,
                    (true, false) => *space = space.saturating_sub(1),
                    (false, false) => admitted.seen += 1,
                }
                links.push((link, u32::MAX));
            } else if let Some(known) = known.filter(|known| *known <= depth) {
                admitted.seen += 1;
                links.push((link, known));
            } else if *space == 0 {
                admitted.overflow += 1;
            } else {
                *space -= 1;
                if depth <= self.max_depth {
                    self.insert(link, Node::new(depth, None));
                    queue.push(page.clone());
                } else {
                    let (url, external) = (page.url.to_string(), page.external);
                    let parked = Parked { url, external, priority: page.priority };
                    self.insert(link, Node::new(depth, Some(parked)));
                    admitted.too_deep += 1;
                }
                links.push((link, u32::MAX));
            }
        }
        if let Some(page) = of {
            self.finish(page, links);
        }
        admitted.new = u64::try_from(queue.len().saturating_sub(before)).unwrap_or(u64::MAX);
        Ok(admitted)
    }

    /// Keeps those links of an ended page that may still matter.
    ///
    /// The smallest depth that a page can still get is 0, from a sitemap; its links then get depth 1. So a
    /// page at depth 0 needs no links, and no page needs links to pages at depth 1.
    fn finish(&mut self, page: i64, links: Vec<(i64, u32)>) {
        if self.depth(page).is_none_or(|depth| depth == 0) {
            return;
        }
        let may_matter = |(link, known): &(i64, u32)| self.depth(*link).unwrap_or(*known).min(*known) > 1;
        let mut links: Vec<i64> = links.into_iter().filter(may_matter).map(|(link, _)| link).collect();
        links.sort_unstable();
        links.dedup();
        if let Some(node) = self.node_mut(page).filter(|_| !links.is_empty()) {
            (node.links, node.edges_changed) = (links, true);
        }
    }

    /// Applies the depths that wait, and loads what they reach.
    async fn settle(
        &mut self,
        source: &mut dyn NodeSource,
        queue: &mut Vec<Candidate>,
    ) -> Result<(), Failure> {
        while !self.relax(queue) {
            let keys: Vec<i64> = self.work.iter().map(|(key, _)| *key).collect();
            self.ensure(source, keys.into_iter()).await?;
        }
        Ok(())
    }

    /// Lowers depths, breadth first. False if the next page is not loaded.
    fn relax(&mut self, queue: &mut Vec<Candidate>) -> bool {
        let max_depth = self.max_depth;
        while let Some((key, depth)) = self.work.front().copied() {
            let Some(node) = self.nodes.get_mut(&key) else { return false };
            self.work.pop_front();
            let Some(node) = node.as_mut().filter(|node| depth < node.depth) else { continue };
            (node.depth, node.depth_changed) = (depth, true);
            if node.parked.is_some() && depth > max_depth {
                continue;
            }
            match node.parked.take() {
                Some(Parked { url, external, priority }) => {
                    // Only valid URLs are parked.
                    if let Ok(url) = Url::parse(&url) {
                        queue.push(Candidate { url, key: url_key(key), external, priority });
                    }
                }
                None => {
                    self.work.extend(node.target.map(|target| (target, depth)));
                    if depth < max_depth {
                        self.work.extend(node.links.iter().map(|link| (*link, depth + 1)));
                    }
                }
            }
        }
        true
    }

    /// Moves what has changed to `changes`, in the order of the keys.
    pub(super) fn take_changes(self, changes: &mut GraphChanges) {
        let job = self.job;
        let mut nodes: Vec<(i64, Node)> =
            self.nodes.into_iter().filter_map(|(key, node)| Some((key, node?))).collect();
        nodes.sort_unstable_by_key(|(key, _)| *key);
        for (key, node) in nodes {
            let Node { depth, links, target, parked, stored, depth_changed, edges_changed } = node;
            match parked {
                None => {
                    if stored != Stored::Admitted || depth_changed {
                        changes.pages.push((job, key, depth));
                    }
                    if stored == Stored::TooDeep {
                        changes.unparked.push((job, key));
                    }
                }
                Some(parked) => {
                    if stored == Stored::Nowhere || depth_changed {
                        changes.too_deep.push((job, key, depth, parked));
                    }
                }
            }
            if edges_changed {
                changes.edges.push((job, key, links, target));
            }
        }
    }

    fn insert(&mut self, key: i64, node: Node) {
        self.nodes.insert(key, Some(node));
    }

    fn node(&self, key: i64) -> Option<&Node> {
        self.nodes.get(&key)?.as_ref()
    }

    fn node_mut(&mut self, key: i64) -> Option<&mut Node> {
        self.nodes.get_mut(&key)?.as_mut()
    }
}

#[cfg(test)]
mod tests;
