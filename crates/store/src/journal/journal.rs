use std::fmt::Debug;
use std::future::Future;
use std::time::Duration;

use bytes::Bytes;
use gleaner_types::{JobId, JobKind};
use tokio::sync::{OwnedSemaphorePermit, watch};
use uuid::Uuid;

use crate::{Conclusion, Error, HistoryKey, PastScrape, ReadBound, TeamId};

/// Where a store writes its facts.
///
/// [`append`](Self::append) and [`committed`](Self::committed) are called under the lock of the store, in the
/// order of the facts, and do not block. Batches become durable in this order, each as a whole or not at all:
/// after a crash, the journal has all batches up to some ticket, and that is at least the last reported one.
/// The other methods are called without the lock, and see durable batches only.
pub trait Journal: Debug + Send + Sync + 'static {
    /// Adds a batch. Returns its ticket: a number that grows by one, from 1 in each process.
    fn append(&self, batch: Batch) -> u64;

    /// Reports how far batches are durable. Its sender lives as long as the journal can write.
    fn committed(&self) -> watch::Receiver<Committed>;

    /// False if nothing is stored; then no other method is called.
    fn is_durable(&self) -> bool;

    /// Waits until the journal accepts this many bytes. The batch that holds the room returns it.
    fn room(&self, bytes: usize) -> impl Future<Output = Room> + Send;

    /// The JSON of the documents of a job from a position, without gaps.
    ///
    /// # Errors
    /// [`Io`](crate::ErrorKind::Io), or [`Damaged`](crate::ErrorKind::Damaged).
    fn documents(
        &self,
        job: u64,
        from: u64,
        bound: ReadBound,
    ) -> impl Future<Output = Result<Vec<Bytes>, Error>> + Send;

    /// The JSON of the document of a job with this half of a scrape id.
    ///
    /// # Errors
    /// As for [`documents`](Self::documents).
    fn document_of_scrape(
        &self,
        job: u64,
        local: u64,
    ) -> impl Future<Output = Result<Option<Bytes>, Error>> + Send;

    /// The last two scrapes of a page.
    ///
    /// # Errors
    /// As for [`documents`](Self::documents).
    fn history(&self, key: &HistoryKey) -> impl Future<Output = Result<Option<StoredHistory>, Error>> + Send;

    /// The JSON of a kept single scrape.
    ///
    /// # Errors
    /// As for [`documents`](Self::documents).
    fn kept_scrape(
        &self,
        team: &TeamId,
        id: Uuid,
    ) -> impl Future<Output = Result<Option<Bytes>, Error>> + Send;

    /// The result of a job with one result.
    ///
    /// # Errors
    /// As for [`documents`](Self::documents).
    fn conclusion(&self, job: u64) -> impl Future<Output = Result<Option<Conclusion>, Error>> + Send;

    /// The latest entries of the activity log of a team, latest first.
    ///
    /// # Errors
    /// As for [`documents`](Self::documents).
    fn activities(&self, team: &TeamId, max: usize)
    -> impl Future<Output = Result<Vec<Bytes>, Error>> + Send;
}

/// How far batches are durable.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Committed {
    /// All batches up to this ticket are durable.
    pub through: u64,
    /// Why the next batch is not written. The journal tries again until it succeeds.
    pub stalled: Option<Stall>,
}

/// Why a journal cannot write.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Stall {
    /// The disk is full, or the file has reached its bound.
    Full,
    /// The medium reports errors.
    Io,
}

/// Space for a batch, from [`Journal::room`]. Dropping it returns the space.
#[derive(Debug, Default)]
pub struct Room {
    /// Returns the space when it is dropped.
    permit: Option<OwnedSemaphorePermit>,
}

impl Room {
    /// The space of this permit.
    #[must_use]
    pub const fn of(permit: OwnedSemaphorePermit) -> Self {
        Self { permit: Some(permit) }
    }

    /// True for a journal that limits nothing.
    #[must_use]
    pub const fn is_unlimited(&self) -> bool {
        self.permit.is_none()
    }
}

/// What one change of the store means for one job. It is durable as a whole or not at all.
#[derive(Debug, Default)]
pub struct Batch {
    /// The number of the job in this file; 0 is the store itself.
    pub job: u64,
    /// One block of facts ([`BlockWriter`](super::BlockWriter)); may be empty.
    pub facts: Vec<u8>,
    /// New documents of the job, without gaps.
    pub documents: Vec<Document>,
    /// Changes of rows, in this order.
    pub rows: Vec<Row>,
    /// Somebody waits for this batch alone: it does not wait for others.
    pub urgent: bool,
    /// The space that it takes until it is durable.
    pub room: Option<Room>,
}

/// A document to store.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Document {
    /// Its position within the job.
    pub position: u64,
    /// The half of its scrape id that distinguishes it within the job.
    pub scrape: Option<u64>,
    /// The document as JSON.
    pub json: Bytes,
}

/// A change beside the facts of a job.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub enum Row {
    /// The job of the batch was submitted.
    Submitted(Box<JobRow>),
    /// The job of the batch ended.
    Ended {
        /// When, since the Unix epoch.
        at: Duration,
        /// How, in the form of the store.
        outcome: Bytes,
    },
    /// The secrets of the job of the batch are these now; `None` removes them.
    Secrets(Option<Bytes>),
    /// Documents of the job of the batch before this position were read and are no longer needed.
    Read {
        /// The position.
        position: u64,
    },
    /// A page was scraped by this job. A scrape of the same job is replaced, one of another job is kept as the
    /// previous one.
    History {
        /// The page.
        key: HistoryKey,
        /// The job.
        job: JobId,
        /// The scrape.
        scrape: PastScrape,
    },
    /// The result of the job of the batch.
    Conclusion(Box<Conclusion>),
    /// A single scrape is kept. A second one with this id changes nothing.
    Scrape {
        /// The owner.
        team: TeamId,
        /// The scrape id.
        id: Uuid,
        /// When, since the Unix epoch.
        at: Duration,
        /// The document as JSON.
        json: Bytes,
    },
    /// Single scrapes kept at or before this time, since the Unix epoch, are removed.
    ScrapesExpired(Duration),
    /// An entry of the activity log. A second one for this job changes nothing.
    Activity {
        /// The team.
        team: TeamId,
        /// The job.
        job: JobId,
        /// The entry, in the form of the store.
        entry: Bytes,
    },
    /// A named value of the file; `None` removes it.
    Meta {
        /// The name.
        name: String,
        /// The value.
        value: Option<Bytes>,
    },
    /// The job of the batch and all that belongs to it is removed.
    Removed,
}

/// A submitted job.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct JobRow {
    /// The id of the job.
    pub id: JobId,
    /// The kind of the job.
    pub kind: Option<JobKind>,
    /// The team that owns it.
    pub team: Option<TeamId>,
    /// The URL under which it is listed.
    pub url: Option<String>,
    /// What the store needs besides, in its own form.
    pub record: Bytes,
    /// What must not lie in the main file: the request, the webhook and cookies.
    pub secrets: Option<Bytes>,
}

/// The last two scrapes of a page.
#[derive(Debug, Clone, PartialEq)]
pub struct StoredHistory {
    /// The job of the last one.
    pub job: JobId,
    /// The last one.
    pub current: PastScrape,
    /// The last one of another job.
    pub previous: Option<PastScrape>,
}

impl StoredHistory {
    /// The last scrape that is not of this job.
    #[must_use]
    pub fn before(self, job: JobId) -> Option<PastScrape> {
        if self.job == job { self.previous } else { Some(self.current) }
    }
}
