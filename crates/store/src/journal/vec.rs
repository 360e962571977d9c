mod commits;

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use bytes::Bytes;
use tokio::sync::watch;

use self::commits::Commits;
use super::port::{Batch, Committed, Journal, Row, Stall, StoredFacts, StoredState};
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
    /// The documents of each job, by position.
    documents: BTreeMap<u64, BTreeMap<u64, Bytes>>,
    /// Jobs and positions of documents that cannot be read.
    damaged: BTreeSet<(u64, u64)>,
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
        self.contents().documents.entry(job).or_default().remove(&position);
    }

    /// What was written, for another store.
    #[must_use]
    pub fn stored(&self) -> StoredState {
        let mut contents = self.contents();
        contents.state.epoch += 1;
        let Contents { state, documents } = &*contents;
        let mut stored = state.clone();
        for job in &mut stored.jobs {
            let documents = documents.get(&job.number).into_iter().flatten();
            job.documents = documents.map(|(position, json)| (*position, json.len())).collect();
        }
        stored
    }

    fn contents(&self) -> MutexGuard<'_, Contents> {
        self.contents.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn commits(&self) -> MutexGuard<'_, Commits> {
        self.commits.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Contents {
    fn write(&mut self, batch: &Batch) {
        for document in &batch.documents {
            let documents = self.documents.entry(batch.job).or_default();
            documents.insert(document.position, document.json.clone());
        }
        for row in &batch.rows {
            self.write_row(batch.job, row);
        }
        if batch.facts.is_empty() {
            return;
        }
        let facts = Bytes::copy_from_slice(&batch.facts);
        if batch.job == 0 {
            self.state.blocks.push(facts);
        } else if let Some(job) = self.job(batch.job) {
            job.blocks.push(facts);
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
                if let Some(documents) = self.documents.get_mut(&number) {
                    *documents = documents.split_off(before);
                }
            }
            Row::Removed { keeps_facts } => {
                if !keeps_facts {
                    self.state.jobs.retain(|job| job.number != number);
                    self.documents.remove(&number);
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
            Row::Scrape(scrape) => self.state.scrapes.push(scrape.clone()),
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
        for (position, json) in contents.documents.get(&job).into_iter().flat_map(|all| all.range(from..)) {
            if contents.damaged.contains(&(job, *position)) {
                let text = format!("document {position} of job {job} cannot be read");
                return if read.is_empty() { Err(Error::new(ErrorKind::Damaged, text)) } else { Ok(read) };
            }
            bytes = bytes.saturating_add(json.len());
            if read.len() >= bound.documents.max(1) || (!read.is_empty() && bytes > bound.bytes) {
                break;
            }
            read.push(json.clone());
        }
        Ok(read)
    }
}
