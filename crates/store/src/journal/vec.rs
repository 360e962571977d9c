use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use bytes::Bytes;
use tokio::sync::watch;

use super::port::{Batch, Committed, Journal, Row, StoredFacts, StoredState};
use crate::{Error, NewJob, ReadBound, Retention};

/// A journal in memory, for tests: its clones share the contents, so a store can be opened again over them.
#[derive(Debug, Clone)]
pub struct VecJournal {
    contents: Arc<Mutex<Contents>>,
    committed: watch::Sender<Committed>,
}

#[derive(Debug, Default)]
struct Contents {
    state: StoredState,
    /// The documents of each job, by position.
    documents: BTreeMap<u64, BTreeMap<u64, Bytes>>,
}

impl Default for VecJournal {
    fn default() -> Self {
        Self { contents: Arc::default(), committed: watch::Sender::new(Committed::default()) }
    }
}

impl VecJournal {
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
        batches.iter().for_each(|batch| contents.write(batch));
        drop(contents);
        batches.iter().for_each(Batch::committed);
        let mut ticket = 0;
        self.committed.send_modify(|committed| {
            committed.through += 1;
            ticket = committed.through;
        });
        ticket
    }

    fn committed(&self) -> watch::Receiver<Committed> {
        self.committed.subscribe()
    }

    async fn documents(&self, job: u64, from: u64, bound: ReadBound) -> Result<Vec<Bytes>, Error> {
        let contents = self.contents();
        let mut read: Vec<Bytes> = Vec::new();
        let mut bytes = 0_usize;
        for (_, json) in contents.documents.get(&job).into_iter().flat_map(|all| all.range(from..)) {
            bytes = bytes.saturating_add(json.len());
            if read.len() >= bound.documents.max(1) || (!read.is_empty() && bytes > bound.bytes) {
                break;
            }
            read.push(json.clone());
        }
        Ok(read)
    }
}
