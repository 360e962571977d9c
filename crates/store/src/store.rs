use std::fmt::Debug;
use std::time::Duration;

use async_trait::async_trait;
use bytes::Bytes;
use gleaner_frontier::{Admitted, Candidate, Deferral, HostFeedback, HostLimits};
use gleaner_types::{Document, JobId, JobKind};
use tokio::sync::watch;
use url::Url;
use uuid::Uuid;

use crate::{
    Accounting, Conclusion, DeadLetter, DeliveryOutcome, Due, Error, EventId, FinishedPage, HistoryKey,
    JobListing, JobSnapshot, JsonSlice, Leases, NewJob, PageFailures, PastScrape, ReadBound, Receipt, Slice,
    TeamId, TeamLoad,
};

/// Where jobs live.
///
/// # Contract
///
/// - **Each operation is one transaction**: it happens whole or not at all, and what it changed is seen by every
///   later operation. A durable store has it on the medium before it returns.
/// - **A page is leased to one caller at a time.** A lease ends by [`finish`](Store::finish), by the end of its
///   job, or by time ([`LeasedPage::expires_at`](crate::LeasedPage::expires_at), [`expire`](Store::expire)); a finish after
///   that changes nothing and says so in the receipt. So a page may be fetched twice after a crash, and its document is
///   stored once. A caller that lives gives a page back before that time, so that nothing is fetched twice at once.
/// - **Limits are exact**: pages with a document and pages leased never exceed the job's limit together.
/// - **Documents have an order that never changes**, that of their finishing. Reading misses and repeats nothing.
/// - **A job ends once**, when it is sealed, nothing is leased and nothing waits that its limit lets through; or by
///   [`cancel`](Store::cancel) or [`fail`](Store::fail). What it holds stays readable.
/// - **Events are written with what they tell of**: a job with a webhook has its events in the outbox as soon as the
///   operation that caused them returns, in the order of their causes. They leave it one at a time.
/// - **A history holds what somebody got**: a scrape is remembered with the document that it is of, or not at all.
/// - **Teams take turns** at leasing, and so do the jobs of a team, a new one at once; but of two turns of a team at least
///   one is an older job's. No team has more pages in work than its slots.
/// - **What was stored stays**: no bound drops a document that nobody has read. Where the next one can be kept nowhere, its
///   job fails and says why.
/// - **Credits are never overdrawn by a page that has not started**: a job with a budget leases a page only while what
///   its documents cost and what the pages in work cost at least leave the price of one more.
/// - **Time is an argument**: `now` is the time since the Unix epoch and never runs backwards.
#[async_trait]
pub trait Store: Debug + Send + Sync + 'static {
    /// Begins a job.
    ///
    /// # Errors
    /// [`JobExists`](crate::ErrorKind::JobExists) where the id was used before, [`KeyUsed`](crate::ErrorKind::KeyUsed)
    /// where the team used the idempotency key before, [`TooManyJobs`](crate::ErrorKind::TooManyJobs) where it has as many
    /// jobs as it may, [`Full`](crate::ErrorKind::Full) where the queue cannot take all pages, there is no room for the
    /// documents of a job that keeps them in memory alone, or too many jobs of the team are not settled. A job that was refused has left no trace.
    async fn submit(&self, job: NewJob, now: Duration) -> Result<(), Error>;

    /// Did the team use this idempotency key before? To be asked before work that a second submit would do in vain; the
    /// word of [`submit`](Store::submit) is the one that holds. A store that cannot tell says no.
    ///
    /// # Errors
    /// [`Io`](crate::ErrorKind::Io).
    async fn is_key_used(&self, _team: &TeamId, _idempotency_key: Uuid) -> Result<bool, Error> {
        Ok(false)
    }

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
    async fn feedback(&self, url: &Url, feedback: HostFeedback, now: Duration) -> Result<(), Error>;

    /// How the host of `url` may be asked now for what is not leased: a redirect that leads to it, say. Requests of that
    /// kind and leased pages share its places.
    ///
    /// # Errors
    /// [`Io`](crate::ErrorKind::Io).
    async fn limits(&self, url: &Url) -> Result<HostLimits, Error>;

    /// Reads documents from position `from` on. Where there is none yet, the slice is empty: wait on
    /// [`progress`](Store::progress). Under [`Retention::Stream`](crate::Retention::Stream) what was read is gone, and so is
    /// what could not be read from its medium: the documents beside it are given, and a warning of the job counts it.
    ///
    /// # Errors
    /// [`UnknownJob`](crate::ErrorKind::UnknownJob), or [`Io`](crate::ErrorKind::Io) where no document could be read.
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

    /// Holds a job, or lets it go on. Nothing of a paused job is leased; pages in work are finished and count as ever.
    ///
    /// # Errors
    /// [`UnknownJob`](crate::ErrorKind::UnknownJob), or [`JobEnded`](crate::ErrorKind::JobEnded).
    async fn pause(&self, job: JobId, paused: bool) -> Result<JobSnapshot, Error>;

    /// Whether, and why, a link to `url` on a page of the job would be put off now, behind the other pages of its host.
    ///
    /// # Errors
    /// [`UnknownJob`](crate::ErrorKind::UnknownJob), or [`JobEnded`](crate::ErrorKind::JobEnded).
    async fn would_defer(&self, job: JobId, url: &Url) -> Result<Option<Deferral>, Error>;

    /// Forgets a job and all that it holds, cancelling it where it runs. Its events that wait are delivered all the same,
    /// until the retention after its end is over.
    ///
    /// # Errors
    /// [`UnknownJob`](crate::ErrorKind::UnknownJob).
    async fn remove(&self, job: JobId, now: Duration) -> Result<(), Error>;

    /// Takes back leases that are past their time, and forgets jobs that ended longer than the retention ago, with those of
    /// their events that still wait: these are in the log, and in no list. Returns the forgotten jobs.
    ///
    /// # Errors
    /// [`Io`](crate::ErrorKind::Io).
    async fn expire(&self, now: Duration) -> Result<Vec<JobId>, Error>;

    /// Adds pages that the user named to a batch, and credits to its budget.
    ///
    /// # Errors
    /// [`UnknownJob`](crate::ErrorKind::UnknownJob), [`JobEnded`](crate::ErrorKind::JobEnded), or
    /// [`KeyUsed`](crate::ErrorKind::KeyUsed) and [`Full`](crate::ErrorKind::Full) as for [`submit`](Store::submit): then
    /// no page is taken, no credit added and no key used.
    async fn append(
        &self,
        job: JobId,
        pages: Vec<Candidate>,
        credits: u64,
        idempotency_key: Option<Uuid>,
        now: Duration,
    ) -> Result<Admitted, Error>;

    /// Reads documents as the JSON that was stored, from position `from` on, with `bound.bytes` exact. For jobs under
    /// [`Retention::Keep`](crate::Retention::Keep), whose documents are JSON already; of others nothing is read.
    ///
    /// # Errors
    /// As for [`read`](Store::read).
    async fn read_json(&self, job: JobId, from: u64, bound: ReadBound) -> Result<JsonSlice, Error>;

    /// Keeps the document of a page that was answered at once, for [`scraped`](Store::scraped), as long as results are kept
    /// at most. A store keeps a bounded number of them, and which go first is its choice; one without an id is not kept.
    ///
    /// # Errors
    /// [`Io`](crate::ErrorKind::Io).
    async fn keep_scrape(&self, team: &TeamId, document: &Document, now: Duration) -> Result<(), Error>;

    /// The JSON of the document with this `metadata.scrapeId`, of the team alone: one that was
    /// [kept](Store::keep_scrape), or of a page of a job under [`Retention::Keep`](crate::Retention::Keep). Ids are made by
    /// [`scrape_id`](crate::scrape_id).
    ///
    /// # Errors
    /// [`Io`](crate::ErrorKind::Io).
    async fn scraped(&self, team: &TeamId, scrape: Uuid) -> Result<Option<Bytes>, Error>;

    /// Ends a job with one result in place of documents. What it used and what it cost become the job's.
    ///
    /// # Errors
    /// [`UnknownJob`](crate::ErrorKind::UnknownJob), or [`JobEnded`](crate::ErrorKind::JobEnded).
    async fn conclude(&self, job: JobId, conclusion: Conclusion, now: Duration)
    -> Result<JobSnapshot, Error>;

    /// Tells what the work on a running job's one result has used so far. Each word takes the place of the one before, and
    /// that of [`conclude`](Store::conclude) is the last.
    ///
    /// # Errors
    /// [`UnknownJob`](crate::ErrorKind::UnknownJob), or [`JobEnded`](crate::ErrorKind::JobEnded).
    async fn charge(&self, job: JobId, tokens_used: u64, credits: u64) -> Result<(), Error>;

    /// What [`conclude`](Store::conclude) stored.
    ///
    /// # Errors
    /// [`UnknownJob`](crate::ErrorKind::UnknownJob).
    async fn conclusion(&self, job: JobId) -> Result<Option<Conclusion>, Error>;

    /// The jobs of a team and kind that have not ended, oldest first.
    ///
    /// # Errors
    /// [`Io`](crate::ErrorKind::Io).
    async fn running(&self, team: &TeamId, kind: JobKind) -> Result<Vec<JobListing>, Error>;

    /// What a team has in the queue.
    ///
    /// # Errors
    /// [`Io`](crate::ErrorKind::Io).
    async fn load(&self, team: &TeamId) -> Result<TeamLoad, Error>;

    /// The last scrape of a history; of one whose last scrape is of this job, that before it, so that a page which is done
    /// twice is told the same. The new one is stored by [`finish`](Store::finish), with the document that tells of the
    /// difference.
    ///
    /// # Errors
    /// [`Io`](crate::ErrorKind::Io).
    async fn last_scrape(&self, job: JobId, key: &HistoryKey) -> Result<Option<PastScrape>, Error>;

    /// Takes up to `max` events that are due, each of another job. One whose outcome is not told by
    /// [`delivered`](Store::delivered) is due again after [`DELIVERY_LEASE`](crate::DELIVERY_LEASE).
    ///
    /// # Errors
    /// [`Io`](crate::ErrorKind::Io).
    async fn due(&self, max: usize, now: Duration) -> Result<Due, Error>;

    /// The exact bytes of an event that was taken, the same at each try; `None` where it is not its job's next any more.
    /// Asked for when the event is sent, and not with [`due`](Store::due), so that one which has to wait costs none.
    ///
    /// # Errors
    /// [`Io`](crate::ErrorKind::Io).
    async fn event_body(&self, event: EventId) -> Result<Option<Vec<u8>>, Error>;

    /// Tells what came of an event that was taken. Of one that is gone or is not its job's next, nothing is changed.
    ///
    /// # Errors
    /// [`Io`](crate::ErrorKind::Io).
    async fn delivered(&self, event: EventId, outcome: DeliveryOutcome, now: Duration) -> Result<(), Error>;

    /// The events of a job that were given up, in order, bounded.
    ///
    /// # Errors
    /// [`UnknownJob`](crate::ErrorKind::UnknownJob).
    async fn dead_letters(&self, job: JobId) -> Result<Vec<DeadLetter>, Error>;

    /// What accounts are to be told, at most `max` of each kind.
    ///
    /// # Errors
    /// [`Io`](crate::ErrorKind::Io).
    async fn accounting(&self, max: usize) -> Result<Accounting, Error>;

    /// Answers a shortage with so many more credits. With none, no further page of the job is leased, and it fails with
    /// `insufficient credits` once nothing of it is in work. A job that is gone is left alone.
    ///
    /// # Errors
    /// [`Io`](crate::ErrorKind::Io).
    async fn grant(&self, job: JobId, credits: u64, now: Duration) -> Result<(), Error>;

    /// The end of a job was told to accounts and need not be told again.
    ///
    /// # Errors
    /// [`Io`](crate::ErrorKind::Io).
    async fn settled(&self, job: JobId) -> Result<(), Error>;

    /// Changes whenever an event may have become due or there is something to account for.
    fn chores(&self) -> watch::Receiver<u64>;

    /// Changes whenever pages may have become ready to lease.
    fn work(&self) -> watch::Receiver<u64>;

    /// Changes whenever a document is stored or the job ends.
    ///
    /// # Errors
    /// [`UnknownJob`](crate::ErrorKind::UnknownJob).
    fn progress(&self, job: JobId) -> Result<watch::Receiver<u64>, Error>;
}
