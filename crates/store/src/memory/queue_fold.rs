//! Folding the facts of a job into its queue.

use std::collections::{BTreeMap, HashMap};

use gleaner_frontier::{Candidate, PageEnd, QueuedPage, Restore, UrlKey};
use url::Url;

use crate::Error;
use crate::journal::{Block, Damage, Fact, Part, ReadFacts, Totals};

/// What the state and the tail of a job say about its queue, except for the pages that wait. Those are read
/// from all parts when the queue is [filled](Self::fill), without a copy of them.
#[derive(Debug, Default)]
pub(super) struct QueueFold {
    /// The job has a depth limit, so the depths of all pages matter.
    has_max_depth: bool,
    /// Pages that ended in the tail, in the order of their end.
    ended: Vec<EndedPage>,
    /// The smallest known depths, of a job with a depth limit.
    depths: HashMap<UrlKey, u32>,
    /// Pages that are or were too deep.
    too_deep: BTreeMap<UrlKey, Candidate>,
    attempts: HashMap<UrlKey, u32>,
    pub(super) documents: u64,
    pub(super) failed: u64,
    pub(super) skipped: u64,
    /// Documents that were stored.
    pub(super) stored: u64,
}

#[derive(Debug)]
struct EndedPage {
    key: UrlKey,
    links: Box<[UrlKey]>,
    target: Option<UrlKey>,
}

fn parse(url: &str) -> Result<Url, Damage> {
    Url::parse(url).map_err(|_| Damage::Invalid)
}

impl QueueFold {
    pub(super) fn new(has_max_depth: bool) -> Self {
        Self { has_max_depth, ..Self::default() }
    }

    /// Continues from these sums.
    pub(super) fn set_totals(&mut self, totals: &Totals) {
        (self.documents, self.failed, self.skipped) = (totals.documents, totals.failed, totals.skipped);
        self.stored = totals.stored;
    }

    /// Applies a fact of the state or the tail. False if it is not about the queue.
    pub(super) fn apply(&mut self, fact: &Fact<'_>) -> Result<bool, Damage> {
        match *fact {
            Fact::Ended { key, end, target, links, .. } => {
                match end {
                    PageEnd::Document => self.documents += 1,
                    PageEnd::Failed => self.failed += 1,
                    PageEnd::Skipped => self.skipped += 1,
                }
                self.attempts.remove(&key);
                self.ended.push(EndedPage { key, links: links.iter().collect(), target });
            }
            Fact::Retried { key, attempt } => {
                self.attempts.insert(key, attempt);
            }
            Fact::Admitted { .. } | Fact::TooDeep { .. } | Fact::Depths { .. } => self.learn_depths(fact)?,
            _ => return Ok(false),
        }
        Ok(true)
    }

    /// Fills the queue of the job with these facts. A page that has ended is restored first: then the queue
    /// ignores that it waited.
    pub(super) fn fill(&mut self, facts: &dyn ReadFacts, restore: &mut Restore<'_>) -> Result<(), Error> {
        if self.has_max_depth {
            for part in [Part::Ended, Part::Queue] {
                facts.blocks(part, &mut |block| {
                    for fact in Block::open(block)?.facts() {
                        self.learn_depths(&fact?)?;
                    }
                    Ok(())
                })?;
            }
        }
        let mut links = Vec::new();
        facts.blocks(Part::Ended, &mut |block| {
            for fact in Block::open(block)?.facts() {
                match fact? {
                    Fact::Done { keys } => keys.iter().for_each(|key| restore.ended(key, 0, &[], None)),
                    Fact::Linked { key, target, links: keys } => {
                        links.clear();
                        links.extend(keys.iter());
                        restore.ended(key, self.depth_of(key, 0), &links, target);
                        self.redirected_to(target);
                    }
                    Fact::Visited { .. } | Fact::Depths { .. } => {}
                    _ => return Err(Damage::Invalid),
                }
            }
            Ok(())
        })?;
        for EndedPage { key, links, target } in std::mem::take(&mut self.ended) {
            restore.ended(key, self.depth_of(key, 0), &links, target);
            self.redirected_to(target);
        }
        for part in [Part::Queue, Part::Tail] {
            facts.blocks(part, &mut |block| self.restore_waiting(block, restore))?;
        }
        for (key, page) in &self.too_deep {
            restore.too_deep(page, self.depth_of(*key, 0));
        }
        if !self.has_max_depth {
            // After the pages that wait: a target of a redirect may be one of them.
            facts.blocks(Part::Ended, &mut |block| {
                for fact in Block::open(block)?.facts() {
                    if let Fact::Visited { keys } = fact? {
                        keys.iter().for_each(|key| restore.ended(key, 0, &[], None));
                    }
                }
                Ok(())
            })?;
        }
        restore.counts(self.documents, self.failed, self.skipped);
        Ok(())
    }

    fn restore_waiting(&self, block: &[u8], restore: &mut Restore<'_>) -> Result<(), Damage> {
        for fact in Block::open(block)?.facts() {
            let Fact::Admitted { pages, .. } = fact? else { continue };
            for page in pages.pages() {
                let page = page?;
                let attempt = self.attempts.get(&page.key).copied().unwrap_or_default();
                let depth = self.depth_of(page.key, page.depth);
                restore.waiting(&QueuedPage { depth, ..page }, attempt);
            }
        }
        Ok(())
    }

    /// Learns the depths in a fact of a job with a depth limit, and which pages may be too deep.
    fn learn_depths(&mut self, fact: &Fact<'_>) -> Result<(), Damage> {
        if !self.has_max_depth {
            return Ok(());
        }
        match *fact {
            Fact::Admitted { pages, .. } => {
                for page in pages.pages() {
                    let page = page?;
                    self.lower(page.key, page.depth);
                }
            }
            Fact::TooDeep { key, depth, external, priority, url } => {
                self.lower(key, depth);
                self.too_deep.insert(key, Candidate { url: parse(url)?, key, external, priority });
            }
            Fact::Depths { depths } => {
                for item in depths {
                    let (key, depth) = item?;
                    self.lower(key, depth);
                }
            }
            _ => {}
        }
        Ok(())
    }

    /// The target of a redirect is not too deep.
    fn redirected_to(&mut self, target: Option<UrlKey>) {
        if let Some(target) = target {
            self.too_deep.remove(&target);
        }
    }

    /// A depth only ever becomes smaller, so the order of the facts does not matter.
    fn lower(&mut self, key: UrlKey, depth: u32) {
        self.depths.entry(key).and_modify(|known| *known = depth.min(*known)).or_insert(depth);
    }

    fn depth_of(&self, key: UrlKey, otherwise: u32) -> u32 {
        self.depths.get(&key).copied().unwrap_or(otherwise)
    }
}
