//! A journal in memory for tests, with simulated crashes and stalls.

mod commits;

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use bytes::Bytes;
use tokio::sync::watch;

use self::commits::Commits;
use super::port::{Batch, Committed, Journal, NewDocument, Row, Stall, StoredState};
use super::stored::{Part, ReadFacts, StoredDocument, StoredFacts};
use super::{CompactedJob, Damage, clean, compact, compact_store, ended_pages, is_delivered};
use crate::{Error, ErrorKind, NewJob, ReadBound, Retention};

/// A journal in memory, for tests: its clones share the contents, so a store can be opened again over them.
#[derive(Debug, Clone)]
pub struct VecJournal {
    contents: Arc<Mutex<Contents>>,
    commits: Arc<Mutex<Commits>>,
    committed: watch::Receiver<Committed>,
}

#[derive(Debug, Clone, Default)]
struct Contents {
    state: StoredState,
    /// The facts of each job.
    facts: BTreeMap<u64, VecFacts>,
    /// Jobs and positions of documents that cannot be read.
    damaged: BTreeSet<(u64, u64)>,
}

/// The facts of one job.
#[derive(Debug, Clone, Default)]
struct VecFacts {
    state: Option<Bytes>,
    /// The other blocks that were made of earlier ones, by number.
    parts: BTreeMap<u64, (Part, Bytes)>,
    /// The number of the last part.
    last: u64,
    /// Pages that ended up to this part are not among the parts of the queue before it.
    cleaned: u64,
    tail: Vec<Bytes>,
    documents: BTreeMap<u64, NewDocument>,
}

impl Default for VecJournal {
    fn default() -> Self {
        Self::of(Contents::default())
    }
}

impl VecJournal {
    fn of(contents: Contents) -> Self {
        let (sender, committed) = watch::channel(Committed::default());
        let commits = Arc::new(Mutex::new(Commits::new(sender)));
        Self { contents: Arc::new(Mutex::new(contents)), commits, committed }
    }

    /// What the next process finds if this one is killed now.
    #[must_use]
    pub fn after_crash(&self) -> Self {
        Self::of(self.contents().clone())
    }

    /// Writes nothing until [`resume`](Self::resume), as during a slow commit.
    pub fn hold(&self) {
        self.commits().hold(|_| {});
    }

    /// Writes nothing until [`resume`](Self::resume), and reports why.
    pub fn stall(&self, stall: Stall) {
        self.commits().hold(|committed| committed.stalled = Some(stall));
    }

    /// Writes what was held back, and goes on.
    pub fn resume(&self) {
        let mut contents = self.contents();
        self.commits().resume(|batch| contents.write(batch));
    }

    /// Writes nothing more, for ever.
    pub fn end(&self) {
        self.commits().end();
    }

    /// Makes a document unreadable.
    pub fn damage_document(&self, job: u64, position: u64) {
        self.contents().damaged.insert((job, position));
    }

    /// Removes a document without a trace.
    pub fn lose_document(&self, job: u64, position: u64) {
        self.contents().facts.entry(job).or_default().documents.remove(&position);
    }

    /// What was written, for another store.
    #[must_use]
    pub fn stored(&self) -> StoredState {
        let mut contents = self.contents();
        contents.state.epoch += 1;
        let Contents { state, facts, .. } = &*contents;
        let mut stored = state.clone();
        for job in &mut stored.jobs {
            job.facts = Arc::new(facts.get(&job.number).cloned().unwrap_or_default());
        }
        stored
    }

    /// The numbers of the jobs that have facts.
    #[must_use]
    pub fn numbers(&self) -> Vec<u64> {
        self.contents().state.jobs.iter().map(|job| job.number).collect()
    }

    /// Folds the oldest blocks of a job, at most this many. The job 0 is the store itself.
    ///
    /// # Errors
    /// The damage of the blocks.
    pub fn compact(&self, job: u64, blocks: usize) -> Result<(), Damage> {
        let mut contents = self.contents();
        let Contents { state, facts, .. } = &mut *contents;
        if blocks == 0 {
            return Ok(());
        }
        if job == 0 {
            let blocks = blocks.min(state.blocks.len());
            let ids: Vec<_> = state.jobs.iter().map(|job| job.job.id).collect();
            let (folded, _) = state.blocks.split_at(blocks);
            let block = compact_store(folded, |id| ids.contains(&id))?;
            state.blocks.splice(..blocks, [Bytes::from(block)]);
            return Ok(());
        }
        let Some(stored) = state.jobs.iter().find(|stored| stored.number == job) else { return Ok(()) };
        let form = CompactedJob { has_max_depth: stored.job.rules.max_depth.is_some(), has_ended: false };
        facts.entry(job).or_default().compact(form, blocks)
    }

    /// Drops pages that have ended from all parts of the queue of a job.
    ///
    /// # Errors
    /// The damage of the blocks.
    pub fn clean(&self, job: u64) -> Result<(), Damage> {
        let mut contents = self.contents();
        let Contents { state, facts, .. } = &mut *contents;
        let Some(stored) = state.jobs.iter().find(|stored| stored.number == job) else { return Ok(()) };
        let has_max_depth = stored.job.rules.max_depth.is_some();
        facts.entry(job).or_default().clean(has_max_depth)
    }

    fn contents(&self) -> MutexGuard<'_, Contents> {
        self.contents.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn commits(&self) -> MutexGuard<'_, Commits> {
        self.commits.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl VecFacts {
    fn compact(&mut self, job: CompactedJob, blocks: usize) -> Result<(), Damage> {
        let blocks = blocks.min(self.tail.len());
        let (folded, _) = self.tail.split_at(blocks);
        let compacted = compact(job, self.state.as_deref(), folded)?;
        self.state = Some(compacted.state.into());
        self.tail.drain(..blocks);
        if compacted.has_ended {
            self.parts.retain(|_, (part, _)| !matches!(part, Part::Ended | Part::Queue));
        }
        for (part, block) in compacted.parts {
            self.last += 1;
            self.parts.insert(self.last, (part, block.into()));
        }
        let mut left = BTreeMap::new();
        for (number, (part, block)) in std::mem::take(&mut self.parts) {
            if part != Part::Pending || !is_delivered(&block, compacted.totals.delivered)? {
                left.insert(number, (part, block));
            }
        }
        self.parts = left;
        Ok(())
    }

    fn clean(&mut self, has_max_depth: bool) -> Result<(), Damage> {
        let mut ended = Vec::new();
        for (_, (part, block)) in self.parts.range(self.cleaned + 1..) {
            if *part == Part::Ended {
                ended_pages(block, |key| ended.push(key))?;
            }
        }
        ended.sort_unstable();
        let mut left = BTreeMap::new();
        for (number, (part, block)) in std::mem::take(&mut self.parts) {
            let cleaned = if part == Part::Queue { clean(&block, has_max_depth, &ended)? } else { None };
            match cleaned {
                Some(cleaned) => left.extend(cleaned.block.map(|block| (number, (part, block.into())))),
                None => {
                    left.insert(number, (part, block));
                }
            }
        }
        (self.parts, self.cleaned) = (left, self.last);
        Ok(())
    }
}

impl ReadFacts for VecFacts {
    fn blocks(&self, part: Part, visit: &mut dyn FnMut(&[u8]) -> Result<(), Damage>) -> Result<(), Error> {
        let state = self.state.iter().filter(|_| part == Part::State);
        let parts = self.parts.values().filter(|(of, _)| *of == part).map(|(_, block)| block);
        let tail = self.tail.iter().filter(|_| part == Part::Tail);
        for block in state.chain(parts).chain(tail) {
            visit(block).map_err(|damage| {
                Error::new(ErrorKind::Damaged, format!("a block cannot be read: {damage}"))
            })?;
        }
        Ok(())
    }

    fn documents(&self, visit: &mut dyn FnMut(StoredDocument)) -> Result<(), Error> {
        for NewDocument { position, scrape, json } in self.documents.values() {
            visit(StoredDocument { position: *position, length: json.len(), scrape: *scrape });
        }
        Ok(())
    }
}

impl Contents {
    fn write(&mut self, batch: &Batch) {
        let facts = self.facts.entry(batch.job).or_default();
        for document in &batch.documents {
            facts.documents.insert(document.position, document.clone());
        }
        for row in &batch.rows {
            self.write_row(batch.job, row);
        }
        if batch.facts.is_empty() {
            return;
        }
        let block = Bytes::copy_from_slice(&batch.facts);
        if batch.job == 0 {
            self.state.blocks.push(block);
        } else if self.job(batch.job).is_some() {
            self.facts.entry(batch.job).or_default().tail.push(block);
        }
    }

    fn write_row(&mut self, number: u64, row: &Row) {
        match row {
            Row::Submitted { job, at } => {
                self.state.jobs.push(StoredFacts::new(number, NewJob::clone(job), *at));
            }
            Row::Cookies { change, .. } => {
                if let Some(job) = self.job(number) {
                    job.cookies = Some(change.clone());
                }
            }
            Row::Concluded(conclusion) => {
                if let Some(job) = self.job(number) {
                    job.conclusion = Some(Arc::clone(conclusion));
                }
            }
            Row::DocumentsRead { before } => {
                let documents = &mut self.facts.entry(number).or_default().documents;
                *documents = documents.split_off(before);
            }
            Row::Removed { keeps_facts } => {
                if !keeps_facts {
                    self.state.jobs.retain(|job| job.number != number);
                    self.facts.remove(&number);
                } else if let Some(job) = self.job(number) {
                    job.is_removed = true;
                }
            }
            Row::Delivered => {
                if let Some(job) = self.job(number) {
                    // Its documents stay.
                    (job.job.webhook, job.job.retention) = (None, Retention::Keep);
                }
            }
            Row::History(history) => self.state.histories.push(history.clone()),
            Row::HistoryDropped(key) => self.state.histories.retain(|history| history.key != *key),
            Row::Scrape(scrape) => self.state.scrapes.push(scrape.clone()),
            Row::ScrapeDropped(id) => self.state.scrapes.retain(|scrape| scrape.id != *id),
        }
    }

    fn job(&mut self, number: u64) -> Option<&mut StoredFacts> {
        self.state.jobs.iter_mut().find(|job| job.number == number)
    }
}

impl Journal for VecJournal {
    fn append(&self, batches: Vec<Batch>) -> u64 {
        let mut contents = self.contents();
        self.commits().append(batches, |batch| contents.write(batch))
    }

    fn committed(&self) -> watch::Receiver<Committed> {
        self.committed.clone()
    }

    async fn documents(&self, job: u64, from: u64, bound: ReadBound) -> Result<Vec<Bytes>, Error> {
        let contents = self.contents();
        let mut read: Vec<Bytes> = Vec::new();
        let mut bytes = 0_usize;
        let facts = contents.facts.get(&job).into_iter();
        for document in facts.flat_map(|facts| facts.documents.range(from..)).map(|(_, document)| document) {
            let position = document.position;
            if contents.damaged.contains(&(job, position)) {
                let text = format!("document {position} of job {job} cannot be read");
                return if read.is_empty() { Err(Error::new(ErrorKind::Damaged, text)) } else { Ok(read) };
            }
            bytes = bytes.saturating_add(document.json.len());
            if read.len() >= bound.documents.max(1) || (!read.is_empty() && bytes > bound.bytes) {
                break;
            }
            read.push(document.json.clone());
        }
        Ok(read)
    }
}
