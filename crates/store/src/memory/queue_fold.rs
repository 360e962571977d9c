//! Folding the facts of a job into its queue.

use std::collections::{BTreeMap, HashMap};

use gleaner_frontier::{Candidate, PageEnd, QueuedPage, Restore, UrlKey};
use url::Url;

use super::read_ahead::{each_fact, each_fact_of_many};
use crate::Error;
use crate::journal::{Damage, Depths, Fact, PageList, Part, ReadFacts, Totals};

/// The queue of a job with at least this many known pages is read by two threads.
const MANY_PAGES: u64 = 100_000;

/// Maximum pages for which space is made at once. More are possible.
const MAX_EXPECTED: u64 = 1 << 24;

/// Pages whose places are read before they are restored.
const PAGES_AHEAD: usize = 32;

/// The depth of a page that has ended, until another fact has it.
const UNKNOWN: u32 = u32::MAX;

/// What the state and the tail of a job say about its queue, except for the pages that wait. Those are read
/// from all parts when the queue is [filled](Self::fill), without a copy of them.
#[derive(Debug, Default)]
pub(super) struct QueueFold {
    /// The job has a depth limit, so the depths of all pages matter.
    has_max_depth: bool,
    /// Pages that ended in the tail, in the order of their end.
    ended: Vec<EndedPage>,
    /// Depths besides those with which pages were queued, of a job with a depth limit.
    depths: HashMap<UrlKey, u32>,
    /// Pages that are or were too deep.
    too_deep: BTreeMap<UrlKey, Candidate>,
    /// Targets of redirects, which are not too deep.
    targets: Vec<UrlKey>,
    attempts: HashMap<UrlKey, u32>,
    /// Pages that were queued before the tail.
    queued: u64,
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
        (self.queued, self.stored) = (totals.queued, totals.stored);
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
            Fact::Admitted { .. } => {}
            Fact::TooDeep { .. } | Fact::Depths { .. } => self.learn_depths(fact)?,
            _ => return Ok(false),
        }
        Ok(true)
    }

    /// Fills the queue of the job with these facts. A page that has ended is restored first: then the queue
    /// ignores that it waited, except for its depth.
    pub(super) fn fill(&mut self, facts: &dyn ReadFacts, restore: &mut Restore<'_>) -> Result<(), Error> {
        restore.reserve(usize::try_from(self.queued.min(MAX_EXPECTED)).unwrap_or_default());
        let each = if self.queued >= MANY_PAGES { each_fact_of_many } else { each_fact };
        each(facts, Part::Ended, &mut |fact| self.restore_ended(fact, restore))?;
        for EndedPage { key, links, target } in std::mem::take(&mut self.ended) {
            restore.ended(key, UNKNOWN, &links, target);
            self.targets.extend(target);
        }
        each(facts, Part::Queue, &mut |fact| match *fact {
            Fact::Admitted { pages, .. } => self.restore_waiting(pages, restore),
            Fact::Depths { depths } => self.restore_depths(depths, restore),
            _ => self.learn_depths(fact),
        })?;
        each_fact(facts, Part::Tail, &mut |fact| match *fact {
            Fact::Admitted { pages, .. } => self.restore_waiting(pages, restore),
            _ => Ok(()),
        })?;
        for target in &self.targets {
            self.too_deep.remove(target);
        }
        for (key, page) in &self.too_deep {
            restore.too_deep(page, self.depths.get(key).copied().unwrap_or_default());
        }
        for (key, depth) in &self.depths {
            restore.depth(*key, *depth);
        }
        if !self.has_max_depth {
            // After the pages that wait: a target of a redirect may be one of them.
            each_fact(facts, Part::Ended, &mut |fact| {
                if let Fact::Visited { keys } = *fact {
                    keys.iter().for_each(|key| restore.ended(key, UNKNOWN, &[], None));
                }
                Ok(())
            })?;
        }
        restore.counts(self.documents, self.failed, self.skipped);
        Ok(())
    }

    /// Restores pages of the part with those that have ended.
    fn restore_ended(&mut self, fact: &Fact<'_>, restore: &mut Restore<'_>) -> Result<(), Damage> {
        match *fact {
            Fact::Done { keys } => keys.iter().for_each(|key| restore.ended(key, UNKNOWN, &[], None)),
            Fact::Linked { key, target, links } => {
                let links: Vec<UrlKey> = links.iter().collect();
                restore.ended(key, UNKNOWN, &links, target);
                self.targets.extend(target);
            }
            Fact::Depths { depths } => self.restore_depths(depths, restore)?,
            Fact::Visited { .. } => {}
            _ => return Err(Damage::Invalid),
        }
        Ok(())
    }

    fn restore_waiting(&self, pages: PageList<'_>, restore: &mut Restore<'_>) -> Result<(), Damage> {
        let mut pages = pages.pages();
        let mut next: Vec<QueuedPage<'_>> = Vec::with_capacity(PAGES_AHEAD);
        loop {
            next.clear();
            for page in pages.by_ref().take(PAGES_AHEAD) {
                next.push(page?);
            }
            if next.is_empty() {
                return Ok(());
            }
            restore.read_ahead(next.iter().map(|page| page.key));
            for page in &next {
                let attempt = self.attempts.get(&page.key).copied().unwrap_or_default();
                let depth = self.depths.get(&page.key).map_or(page.depth, |depth| page.depth.min(*depth));
                restore.waiting(&QueuedPage { depth, ..*page }, attempt);
            }
        }
    }

    /// Restores the depths of pages that are known to the queue, and learns the others.
    fn restore_depths(&mut self, depths: Depths<'_>, restore: &mut Restore<'_>) -> Result<(), Damage> {
        if !self.has_max_depth {
            return Ok(());
        }
        for item in depths {
            let (key, depth) = item?;
            if !restore.depth(key, depth) {
                lower(&mut self.depths, key, depth);
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
            Fact::TooDeep { key, depth, external, priority, url } => {
                lower(&mut self.depths, key, depth);
                self.too_deep.insert(key, Candidate { url: parse(url)?, key, external, priority });
            }
            Fact::Depths { depths } => {
                for item in depths {
                    let (key, depth) = item?;
                    lower(&mut self.depths, key, depth);
                }
            }
            _ => {}
        }
        Ok(())
    }
}

/// A depth only ever becomes smaller, so the order of the facts does not matter.
fn lower(depths: &mut HashMap<UrlKey, u32>, key: UrlKey, depth: u32) {
    depths.entry(key).and_modify(|known| *known = depth.min(*known)).or_insert(depth);
}
