//! The port of [`LocalStore`](crate::LocalStore) to the medium that its facts are written to.

use std::fmt::Debug;
use std::future::{self, Future};
use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use gleaner_types::JobId;
use tokio::sync::{OwnedSemaphorePermit, watch};
use uuid::Uuid;

use super::durability::Durability;
use super::stored::StoredFacts;
use crate::{Conclusion, Error, HistoryKey, NewJob, NoteValue, PastScrape, ReadBound, TeamId};

/// The largest number that a store gives to a job: keys of a journal have room for it and for a number within
/// the job.
pub const MAX_JOB_NUMBER: u64 = (1 << 31) - 1;

/// Where a store writes its facts.
///
/// # Contract
///
/// - The batches of one call of [`append`](Journal::append) become durable together, and calls become durable
///   in their order.
/// - When batches are durable, the journal calls [`Batch::committed`] for each in their order, and then
///   reports their ticket.
/// - A batch that cannot be written is kept and tried again. Meanwhile [`Committed::stalled`] says why.
/// - A journal that can never write again drops the sender of [`committed`](Journal::committed): nothing more
///   is durable, and the store refuses all changes.
pub trait Journal: Debug + Send + Sync + 'static {
    /// Whether anything is written; if not, no other method is called.
    fn is_durable(&self) -> bool {
        true
    }

    /// The bytes that all that is written may take; `None` sets no limit.
    fn capacity(&self) -> Option<u64> {
        None
    }

    /// Writes what was appended, and releases the medium. Nothing is written after that, as at an end. It may
    /// block. The default does nothing.
    fn close(&self) {}

    /// Takes batches to write, and returns their ticket: a number that grows with each call. It is called
    /// under the lock of the store, in the order of the facts, and must not block.
    fn append(&self, batches: Vec<Batch>) -> u64;

    /// What is durable.
    fn committed(&self) -> watch::Receiver<Committed>;

    /// Why nothing can be written any more, with the place of the medium. It is asked after the sender of
    /// [`committed`](Journal::committed) was dropped.
    fn end(&self) -> Option<String> {
        None
    }

    /// Waits until there is room for this number of bytes in the queue of batches. It is called without the
    /// lock of the store.
    fn room(&self, _bytes: usize) -> impl Future<Output = Room> + Send {
        future::ready(None)
    }

    /// Reads durable documents of a job as JSON, from a position on, in order and within the bound. It ends
    /// before a document that cannot be read, unless that is the first.
    ///
    /// # Errors
    /// [`Damaged`](crate::ErrorKind::Damaged) if the first one cannot be read, and never will be; others may
    /// be temporary.
    fn documents(
        &self,
        job: u64,
        from: u64,
        bound: ReadBound,
    ) -> impl Future<Output = Result<Vec<Bytes>, Error>> + Send;
}

/// Room in the queue of a journal, which is free again when it is dropped.
pub type Room = Option<OwnedSemaphorePermit>;

/// What a journal has written.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Committed {
    /// The ticket of the last durable batches.
    pub through: u64,
    /// Why nothing more can be written now.
    pub stalled: Option<Stall>,
}

/// Why a journal cannot write.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Stall {
    /// There is no space.
    Full,
    /// It would exceed its bound of this many bytes.
    Bound(u64),
    /// The medium fails.
    Io,
}

/// What one change of the store means for one job. Its documents come first, then its rows, then its facts:
/// those of a job that a row removes are dropped.
#[derive(Debug, Default)]
#[non_exhaustive]
pub struct Batch {
    /// The number of the job; 0 for the store itself.
    pub job: u64,
    /// A [block](super::Block) of facts; empty if there are none.
    pub facts: Vec<u8>,
    /// New documents, in the order of their positions.
    pub documents: Vec<NewDocument>,
    /// Changes that are no facts of the queue, in order.
    pub rows: Vec<Row>,
    /// A caller waits for this batch alone.
    pub urgent: bool,
    /// Its room in the queue.
    pub room: Room,
    /// Set when the batches of the call are durable. The first of them has it.
    pub(crate) durability: Option<Durability>,
    /// Notified when the batch is durable.
    pub(crate) watchers: Vec<watch::Sender<u64>>,
}

impl Batch {
    /// Notifies those who wait for this batch. The journal calls it when the batch is durable.
    pub fn committed(&self) {
        // Before the watchers, which read it.
        if let Some(durability) = &self.durability {
            durability.reach();
        }
        for watcher in &self.watchers {
            watcher.send_modify(|version| *version = version.wrapping_add(1));
        }
    }
}

/// A document to write.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewDocument {
    /// Its position in the job.
    pub position: u64,
    /// The half of its scrape id that distinguishes it within the job.
    pub scrape: Option<u64>,
    /// The document.
    pub json: Bytes,
}

/// A change that is not a fact of a queue.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub enum Row {
    /// The job of the batch was submitted. Its pages are facts.
    Submitted {
        /// The job.
        job: Box<NewJob>,
        /// When, since the Unix epoch.
        at: Duration,
    },
    /// A change of the note with the cookies of the job. They are secret, and not needed after its end.
    Cookies {
        /// The job.
        job: JobId,
        /// The change: [`Set`](NoteValue::Set), or otherwise there are none left.
        change: NoteValue,
    },
    /// The one result of the job.
    Concluded(Arc<Conclusion>),
    /// The reader of the job has all documents before this position.
    DocumentsRead {
        /// The position.
        before: u64,
    },
    /// The job was removed, with its documents.
    Removed {
        /// Its facts are still needed: events wait for delivery, or it is not settled.
        keeps_facts: bool,
    },
    /// The job has ended, and all its events were delivered: its webhook is not needed any more.
    Delivered,
    /// A new last scrape in a history.
    History(StoredHistory),
    /// A history that is no longer kept.
    HistoryDropped(HistoryKey),
    /// A kept single scrape.
    Scrape(StoredScrape),
    /// A single scrape that is no longer kept.
    ScrapeDropped(Uuid),
}

/// A scrape in a history.
#[derive(Debug, Clone, PartialEq)]
pub struct StoredHistory {
    /// The job that scraped the page.
    pub job: JobId,
    /// The history.
    pub key: HistoryKey,
    /// The scrape.
    pub scrape: PastScrape,
}

/// A kept single scrape.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StoredScrape {
    /// The team that owns it.
    pub team: TeamId,
    /// The id of the scrape.
    pub id: Uuid,
    /// When it was kept, since the Unix epoch.
    pub at: Duration,
    /// The document.
    pub json: Bytes,
}

/// Everything that a journal has, for a store that is opened.
#[derive(Debug, Clone, Default)]
#[non_exhaustive]
pub struct StoredState {
    /// Identifies this opening: larger than in each earlier one.
    pub epoch: u64,
    /// The smallest number that a new job may have, if that is larger than those of [`jobs`](Self::jobs):
    /// rows of removed jobs may still be there.
    pub next_number: u64,
    /// The blocks of the store itself, in order: first the one that [`compact_store`](super::compact_store)
    /// made, if there is one.
    pub blocks: Vec<Bytes>,
    /// The jobs, by number.
    pub jobs: Vec<StoredFacts>,
    /// The histories, in the order in which they were recorded. Only the last two of one key matter, and of
    /// several of one job only the last.
    pub histories: Vec<StoredHistory>,
    /// The kept scrapes, oldest first.
    pub scrapes: Vec<StoredScrape>,
}

/// Writes nothing: the store ends with its process.
#[derive(Debug, Clone, Copy, Default)]
pub struct NoJournal;

impl Journal for NoJournal {
    fn is_durable(&self) -> bool {
        false
    }

    fn append(&self, _batches: Vec<Batch>) -> u64 {
        0
    }

    fn committed(&self) -> watch::Receiver<Committed> {
        watch::channel(Committed::default()).1
    }

    async fn documents(&self, _job: u64, _from: u64, _bound: ReadBound) -> Result<Vec<Bytes>, Error> {
        Ok(Vec::new())
    }
}
