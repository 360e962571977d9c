//! The facts of the current operation, for a store with a journal.

use std::collections::{BTreeMap, HashMap};

use gleaner_frontier::{Fingerprint, JobSlot, QueueChange, UrlKey};
use gleaner_types::JobId;
use tokio::sync::watch;

use super::state::State;
use crate::journal::{
    Batch, BlockWriter, DepthsWriter, Durability, Fact, KeysWriter, NewDocument, NoteChange, PageListWriter,
    Row,
};
use crate::{Note, NoteKind};

/// What is written about a job.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum JobJournal {
    /// Nothing.
    Nothing,
    /// The job with this number without anything about its pages: its counts and its end.
    Counts(u64),
    /// Everything about the job with this number.
    Everything(u64),
}

impl JobJournal {
    /// The number of the job, if everything about it is written.
    pub(super) const fn everything(self) -> Option<u64> {
        match self {
            Self::Everything(number) => Some(number),
            Self::Counts(_) | Self::Nothing => None,
        }
    }

    /// The number of the job, if anything about it is written.
    pub(super) const fn number(self) -> Option<u64> {
        match self {
            Self::Everything(number) | Self::Counts(number) => Some(number),
            Self::Nothing => None,
        }
    }
}

/// The facts that are not in the journal yet. It is empty between operations.
#[derive(Debug, Default)]
pub(super) struct FactLog {
    is_on: bool,
    /// By the number of the job.
    pending: BTreeMap<u64, Pending>,
    /// Whether the current operation is durable, if anyone asks.
    durability: Option<Durability>,
    /// The page that is being finished.
    page: Option<(UrlKey, Option<Fingerprint>)>,
    pages: PageListWriter,
    depths: DepthsWriter,
    keys: KeysWriter,
}

#[derive(Debug, Default)]
struct Pending {
    facts: BlockWriter,
    /// Further facts, which are blocks already.
    blocks: Vec<Vec<u8>>,
    documents: Vec<NewDocument>,
    rows: Vec<Row>,
    watchers: Vec<watch::Sender<u64>>,
}

/// Neighbouring changes of one kind, which become one fact.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Group {
    Nothing,
    Pages(u64),
    Depths(u64),
}

impl FactLog {
    /// A log that records facts if there is a journal.
    pub(super) fn new(is_on: bool) -> Self {
        Self { is_on, ..Self::default() }
    }

    pub(super) const fn is_on(&self) -> bool {
        self.is_on
    }

    fn pending(&mut self, job: Option<u64>) -> Option<&mut Pending> {
        let job = job.filter(|_| self.is_on)?;
        Some(self.pending.entry(job).or_default())
    }

    /// Records a fact of a job.
    pub(super) fn push(&mut self, job: Option<u64>, fact: &Fact<'_>) {
        if let Some(pending) = self.pending(job) {
            pending.facts.push(fact);
        }
    }

    /// Records a block of facts of a job, which follow the others of this operation.
    pub(super) fn push_block(&mut self, job: Option<u64>, block: Vec<u8>) {
        if let Some(pending) = self.pending(job).filter(|_| !block.is_empty()) {
            pending.blocks.push(block);
        }
    }

    /// Records a fact of the store itself.
    pub(super) fn push_global(&mut self, fact: &Fact<'_>) {
        self.push(Some(0), fact);
    }

    pub(super) fn row(&mut self, job: Option<u64>, row: impl FnOnce() -> Row) {
        if let Some(pending) = self.pending(job) {
            pending.rows.push(row());
        }
    }

    pub(super) fn document(&mut self, job: Option<u64>, document: NewDocument, credits: u64) {
        let fact = Fact::Document { position: document.position, credits, scrape: document.scrape };
        if let Some(pending) = self.pending(job) {
            pending.facts.push(&fact);
            pending.documents.push(document);
        }
    }

    /// Records a change of a note of the job `id`. Cookies are secret, so they are no fact.
    pub(super) fn note(&mut self, job: Option<u64>, id: JobId, note: &Note) {
        if note.kind == NoteKind::Cookies {
            return self.row(job, || Row::Cookies { job: id, change: note.value.clone() });
        }
        let change = NoteChange::of(&note.value);
        self.push(job, &Fact::Noted { kind: note.kind.to_raw(), key: note.key, change });
    }

    /// Tells whether the current operation is durable; `None` if there is no journal.
    pub(super) fn durability(&mut self) -> Option<Durability> {
        self.is_on.then(|| self.durability.get_or_insert_default().clone())
    }

    /// Notifies the watcher when the facts of the job are durable. False if there is no journal: then the
    /// caller does.
    pub(super) fn notify(&mut self, job: Option<u64>, watcher: &watch::Sender<u64>) -> bool {
        let Some(pending) = self.pending(job) else { return false };
        if !pending.watchers.iter().any(|other| other.same_channel(watcher)) {
            pending.watchers.push(watcher.clone());
        }
        true
    }

    /// The following changes of the queue are those of this page.
    pub(super) fn set_page(&mut self, page: Option<(UrlKey, Option<Fingerprint>)>) {
        self.page = page;
    }

    /// Records changes of the queue. `job` gives the number of a job, if everything about it is written.
    pub(super) fn queue_changes<'c>(
        &mut self,
        changes: impl Iterator<Item = QueueChange<'c>>,
        job: impl Fn(JobSlot) -> Option<u64>,
    ) {
        let mut targets: HashMap<(u64, UrlKey), UrlKey> = HashMap::new();
        let mut group = Group::Nothing;
        for change in changes {
            let slot = match &change {
                QueueChange::Queued { job, .. }
                | QueueChange::TooDeep { job, .. }
                | QueueChange::Depth { job, .. }
                | QueueChange::Redirected { job, .. }
                | QueueChange::Ended { job, .. }
                | QueueChange::Retried { job, .. } => *job,
            };
            let Some(number) = job(slot) else { continue };
            let next = match &change {
                QueueChange::Queued { .. } => Group::Pages(number),
                QueueChange::Depth { .. } => Group::Depths(number),
                _ => Group::Nothing,
            };
            if next != group {
                self.end_group(group);
                group = next;
            }
            match change {
                QueueChange::Queued { page, .. } => self.pages.push(&page),
                QueueChange::Depth { key, depth, .. } => self.depths.push(key, depth),
                QueueChange::TooDeep { key, depth, external, priority, url, .. } => {
                    self.push(Some(number), &Fact::TooDeep { key, depth, external, priority, url });
                }
                QueueChange::Redirected { key, target, .. } => {
                    targets.insert((number, key), target);
                }
                QueueChange::Ended { key, end, links, .. } => {
                    self.keys.clear();
                    links.iter().for_each(|link| self.keys.push(*link));
                    let fingerprint =
                        self.page.filter(|(page, _)| *page == key).and_then(|(_, fingerprint)| fingerprint);
                    let target = targets.get(&(number, key)).copied();
                    let links = self.keys.finish();
                    let fact = Fact::Ended { key, end, target, fingerprint, links };
                    self.pending.entry(number).or_default().facts.push(&fact);
                }
                QueueChange::Retried { key, attempt, .. } => {
                    self.push(Some(number), &Fact::Retried { key, attempt });
                }
            }
        }
        self.end_group(group);
    }

    fn end_group(&mut self, group: Group) {
        match group {
            Group::Nothing => {}
            Group::Pages(number) => {
                let (by, pages) = (self.page.map(|(page, _)| page), self.pages.finish());
                self.pending.entry(number).or_default().facts.push(&Fact::Admitted { by, pages });
                self.pages.clear();
            }
            Group::Depths(number) => {
                let depths = self.depths.finish();
                self.pending.entry(number).or_default().facts.push(&Fact::Depths { depths });
                self.depths.clear();
            }
        }
    }

    /// Takes everything as batches. If there are none, the operation is durable.
    pub(super) fn take(&mut self) -> Vec<Batch> {
        let durability = self.durability.take();
        let batches = std::mem::take(&mut self.pending).into_iter().flat_map(|(job, mut pending)| {
            let facts = if pending.facts.is_empty() { Vec::new() } else { pending.facts.finish() };
            let Pending { blocks, documents, rows, watchers, .. } = pending;
            let first = Batch { job, facts, documents, rows, watchers, ..Batch::default() };
            let blocks = blocks.into_iter().map(move |facts| Batch { job, facts, ..Batch::default() });
            std::iter::once(first).chain(blocks)
        });
        let mut batches: Vec<Batch> = batches.collect();
        match batches.first_mut() {
            Some(first) => first.durability = durability,
            None => durability.iter().for_each(Durability::reach),
        }
        batches
    }
}

impl State {
    /// Records what happened in the queue. Call it before a job is closed, and at the end of each operation.
    pub(super) fn log_changes(&mut self) {
        if !self.log.is_on() {
            return;
        }
        let Self { frontier, running, jobs, log, .. } = self;
        let number = |slot: JobSlot| {
            let (id, _) = running.get(&slot)?;
            jobs.get(id)?.journal.everything()
        };
        log.queue_changes(frontier.changes(), number);
        frontier.clear_changes();
        log.set_page(None);
    }
}
