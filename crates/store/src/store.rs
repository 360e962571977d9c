use std::fmt::Debug;
use std::time::Duration;

use async_trait::async_trait;
use gleaner_frontier::{Admitted, Candidate, Pace};
use gleaner_types::JobId;
use tokio::sync::watch;
use url::Url;

use crate::{Error, FinishedPage, JobSnapshot, Leases, NewJob, PageFailures, ReadBound, Receipt, Slice};

/// Where jobs live.
///
/// # Contract
///
/// - **Each operation is one transaction**: it happens whole or not at all, and what it changed is seen by every
///   later operation. A durable store has it on the medium before it returns.
/// - **A page is leased to one caller at a time.** A lease ends by [`finish`](Store::finish), by the end of its
///   job, or by time ([`expire`](Store::expire)); a finish after that changes nothing and says so in the receipt. So a
///   page may be fetched twice after a crash, and its document is stored once.
/// - **Limits are exact**: pages with a document and pages leased never exceed the job's limit together.
/// - **Documents have an order that never changes**, that of their finishing. Reading misses and repeats nothing.
/// - **A job ends once**, when it is sealed, nothing is leased and nothing waits that its limit lets through; or by
///   [`cancel`](Store::cancel) or [`fail`](Store::fail). What it holds stays readable.
/// - **Time is an argument**: `now` is the time since the Unix epoch and never runs backwards.
#[async_trait]
pub trait Store: Debug + Send + Sync + 'static {
    /// Begins a job.
    ///
    /// # Errors
    /// [`JobExists`](crate::ErrorKind::JobExists) where the id was used before.
    async fn submit(&self, job: NewJob, now: Duration) -> Result<(), Error>;

    /// Adds pages that were found otherwise than by a link: from a sitemap, or appended by the user.
    ///
    /// # Errors
    /// [`UnknownJob`](crate::ErrorKind::UnknownJob), or [`JobEnded`](crate::ErrorKind::JobEnded) where it takes no more.
    async fn admit(
        &self,
        job: JobId,
        depth: u32,
        pages: Vec<Candidate>,
        now: Duration,
    ) -> Result<Admitted, Error>;

    /// Says that [`admit`](Store::admit) will not be called again: the job ends when it runs dry.
    ///
    /// # Errors
    /// [`UnknownJob`](crate::ErrorKind::UnknownJob). Sealing twice, or after the end, does nothing.
    async fn seal(&self, job: JobId, now: Duration) -> Result<(), Error>;

    /// Takes up to `max` pages that may be fetched now, fair between jobs and hosts.
    ///
    /// # Errors
    /// [`Io`](crate::ErrorKind::Io).
    async fn lease(&self, max: usize, now: Duration) -> Result<Leases, Error>;

    /// Ends a lease: stores what came of the page and admits its links, all together.
    ///
    /// # Errors
    /// [`Io`](crate::ErrorKind::Io); the page then stays leased.
    async fn finish(&self, page: FinishedPage, now: Duration) -> Result<Receipt, Error>;

    /// Sets how fast the host of `url` may be asked, for all jobs.
    ///
    /// # Errors
    /// [`Io`](crate::ErrorKind::Io).
    async fn pace(&self, url: &Url, pace: Pace, now: Duration) -> Result<(), Error>;

    /// Reads documents from position `from` on. Where there is none yet, the slice is empty: wait on
    /// [`progress`](Store::progress). Under [`Retention::Stream`](crate::Retention::Stream) what was read is gone.
    ///
    /// # Errors
    /// [`UnknownJob`](crate::ErrorKind::UnknownJob), or [`Io`](crate::ErrorKind::Io).
    async fn read(&self, job: JobId, from: u64, bound: ReadBound) -> Result<Slice, Error>;

    /// Where a job stands.
    ///
    /// # Errors
    /// [`UnknownJob`](crate::ErrorKind::UnknownJob).
    async fn snapshot(&self, job: JobId) -> Result<JobSnapshot, Error>;

    /// Which pages of a job gave no document.
    ///
    /// # Errors
    /// [`UnknownJob`](crate::ErrorKind::UnknownJob).
    async fn failures(&self, job: JobId) -> Result<PageFailures, Error>;

    /// Adds a remark for the reader of the job; repeated ones are kept once.
    ///
    /// # Errors
    /// [`UnknownJob`](crate::ErrorKind::UnknownJob).
    async fn warn(&self, job: JobId, warning: &str) -> Result<(), Error>;

    /// Ends a job that cannot go on.
    ///
    /// # Errors
    /// [`UnknownJob`](crate::ErrorKind::UnknownJob), or [`JobEnded`](crate::ErrorKind::JobEnded).
    async fn fail(&self, job: JobId, reason: &str, now: Duration) -> Result<JobSnapshot, Error>;

    /// Ends a job at the user's wish; its documents stay readable.
    ///
    /// # Errors
    /// [`UnknownJob`](crate::ErrorKind::UnknownJob), or [`JobEnded`](crate::ErrorKind::JobEnded).
    async fn cancel(&self, job: JobId, now: Duration) -> Result<JobSnapshot, Error>;

    /// Forgets a job and all that it holds, cancelling it where it runs.
    ///
    /// # Errors
    /// [`UnknownJob`](crate::ErrorKind::UnknownJob).
    async fn remove(&self, job: JobId) -> Result<(), Error>;

    /// Takes back leases that are past their time, and forgets jobs that ended longer than the retention ago.
    /// Returns the forgotten jobs.
    ///
    /// # Errors
    /// [`Io`](crate::ErrorKind::Io).
    async fn expire(&self, now: Duration) -> Result<Vec<JobId>, Error>;

    /// Changes whenever pages may have become ready to lease.
    fn work(&self) -> watch::Receiver<u64>;

    /// Changes whenever a document is stored or the job ends.
    ///
    /// # Errors
    /// [`UnknownJob`](crate::ErrorKind::UnknownJob).
    fn progress(&self, job: JobId) -> Result<watch::Receiver<u64>, Error>;
}
