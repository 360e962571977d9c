//! The port for stores of jobs, with its contract.

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
    Accounting, Admission, Conclusion, DeadLetter, DeliveryOutcome, DueEvents, EndedJob, Error, EventId,
    FailurePosition, FinishedPage, HistoryKey, HostHold, JobListing, JobSnapshot, JobWarning, JsonSlice,
    LeasedPage, Leases, NewJob, Note, PageFailures, PastScrape, ReadBound, Receipt, Renewal, Reservation,
    Slice, StoredJob, TeamId, TeamLoad, WorkerId,
};

/// A store of jobs.
///
/// # Contract
///
/// - **Each operation is one transaction**: it is applied completely or not at all, and later operations see
///   its changes. If its future is dropped, it is applied or not.
/// - **Durable before it returns**: a store that survives its process has written the changes of
///   [`submit`](Store::submit), [`intend`](Store::intend), [`admit`](Store::admit),
///   [`append`](Store::append), [`finish_many`](Store::finish_many), [`cancel`](Store::cancel),
///   [`fail`](Store::fail), [`conclude`](Store::conclude) and [`delivered`](Store::delivered) to its medium
///   before it returns. Every other change is written at the latest with the next of these. Changes are
///   written in their order: after a crash the store has all changes up to some moment, which is not before
///   the last durable return.
/// - **A page is leased to one worker at a time.** A lease ends with [`finish_many`](Store::finish_many) or
///   [`release`](Store::release), with the end of its job, when it expires
///   ([`LeasedPage::expires_at`](crate::LeasedPage::expires_at), [`expire`](Store::expire)), or when the term
///   of its worker ends without [`renew`](Store::renew). A later finish changes nothing, and its receipt says
///   so. So a page may be fetched twice after a crash, but its document is stored once. A live worker returns
///   a page before its lease expires, so that no page is fetched twice at the same time.
/// - **Limits are exact**: pages with a document and leased pages together never exceed the limit of the job.
/// - **No reader misses a document**: the documents of a job have positions from 0 without gaps, in the order
///   in which they become readable. A document is readable once it is durable, and keeps its position.
/// - **A job ends once**: when it is sealed, no page is leased, and no page waits that its limit admits; or
///   with [`cancel`](Store::cancel) or [`fail`](Store::fail). Its documents stay readable.
/// - **Events are written with their cause**: a job with a webhook has its events in the outbox as soon as
///   the operation that causes them returns, in the order of the causes. They leave it one at a time.
/// - **A history holds only stored scrapes**: a scrape is recorded together with its document, or not at all.
/// - **Teams take turns** at leasing, and so do the jobs of a team. A new job gets a turn at once, but at
///   least every second turn of a team goes to an older job. No team has more leased pages than slots.
/// - **Stored documents stay**: no limit drops an unread document. If there is no space for the next one, its
///   job fails with the reason.
/// - **A page that has not started never overdraws credits**: a job with a budget leases a page only if the
///   budget covers the price of its documents, the minimum price of its leased pages, and one more page.
/// - **The pace of hosts is state of this process** ([`feedback`](Store::feedback),
///   [`limits`](Store::limits)): it applies at once and begins anew in the next process. A store of several
///   processes lets one of them at a time send requests to a host, and hands the pace on with the host. A
///   request that no lease allows, such as a redirect to another host, needs a [hold](Store::hold_host).
/// - **Time is an argument**: `now` is the time since the Unix epoch, and every time that a store returns is
///   on the clock of its caller. Within a process it never runs backwards. A later process may start at an
///   earlier time: results are then kept longer, but no event waits longer for its next attempt.
#[async_trait]
pub trait Store: Debug + Send + Sync + 'static {
    /// Whether jobs survive their process, so that another one can go on with them. If not, notes need not be
    /// stored.
    fn is_durable(&self) -> bool {
        false
    }

    /// Ends the store: writes what was changed, and releases its medium, so that another one can open it.
    /// Later changes are refused. It may block for as long as the medium needs. The default does nothing: for
    /// stores without a medium that only one may use.
    fn close(&self) {}

    /// Submits a job. Durable. It ends the [intended](Store::intend) reservation of the job.
    ///
    /// # Errors
    /// [`JobExists`](crate::ErrorKind::JobExists) if the id was used before;
    /// [`KeyUsed`](crate::ErrorKind::KeyUsed) if the team used the idempotency key before;
    /// [`TooManyJobs`](crate::ErrorKind::TooManyJobs) if the team runs its maximum number of jobs;
    /// [`Full`](crate::ErrorKind::Full) if the queue cannot take all pages, there is no space for the
    /// documents of a job that keeps them in memory only, or too many jobs of the team are not settled. A
    /// rejected job leaves no trace.
    async fn submit(&self, job: NewJob, now: Duration) -> Result<(), Error>;

    /// Records that credits are about to be reserved for a job that is not submitted yet. Until the job is
    /// submitted or the reservation is [withdrawn](Store::withdrawn), [`accounting`](Store::accounting) of
    /// every later process lists it. Durable. A store that ends with its process has nothing to do.
    ///
    /// # Errors
    /// [`Io`](crate::ErrorKind::Io).
    async fn intend(&self, _reservation: Reservation, _now: Duration) -> Result<(), Error> {
        Ok(())
    }

    /// Records that the credits of an [intended](Store::intend) reservation were returned or charged. Does
    /// nothing for an unknown one.
    ///
    /// # Errors
    /// [`Io`](crate::ErrorKind::Io).
    async fn withdrawn(&self, _operation: Uuid) -> Result<(), Error> {
        Ok(())
    }

    /// Whether the team used this idempotency key before. Use it to avoid work for a request that
    /// [`submit`](Store::submit) would reject; only `submit` decides. A store that does not know returns
    /// false.
    ///
    /// # Errors
    /// [`Io`](crate::ErrorKind::Io).
    async fn is_key_used(&self, _team: &TeamId, _idempotency_key: Uuid) -> Result<bool, Error> {
        Ok(false)
    }

    /// Adds pages that are not links of a page, such as those of a sitemap, together with notes. Durable.
    ///
    /// # Errors
    /// [`UnknownJob`](crate::ErrorKind::UnknownJob), or [`JobEnded`](crate::ErrorKind::JobEnded) if it
    /// accepts no more pages.
    async fn admit(&self, job: JobId, admission: Admission, now: Duration) -> Result<Admitted, Error>;

    /// Seals a job: [`admit`](Store::admit) is not called again, so the job ends when it has nothing left to
    /// do.
    ///
    /// # Errors
    /// [`UnknownJob`](crate::ErrorKind::UnknownJob). Sealing twice, or after the end, does nothing.
    async fn seal(&self, job: JobId, now: Duration) -> Result<(), Error>;

    /// Leases at most `max` pages that may be fetched now to a worker, fair between jobs and hosts.
    /// [`Leases::renew_before`] tells when the term of the worker ends. A store that waits too long for its
    /// database returns fewer pages than are ready; [`work`](Store::work) changes when it has them.
    ///
    /// # Errors
    /// [`Io`](crate::ErrorKind::Io).
    async fn lease(&self, worker: WorkerId, max: usize, now: Duration) -> Result<Leases, Error>;

    /// Extends the term of a worker, and names the leases that it has lost. A store of one process may let
    /// terms have no end.
    ///
    /// # Errors
    /// [`Io`](crate::ErrorKind::Io).
    async fn renew(&self, _worker: WorkerId, _now: Duration) -> Result<Renewal, Error> {
        Ok(Renewal::unlimited())
    }

    /// Returns all pages that are leased to a worker to the queue; none counts as an attempt. A worker calls
    /// it when it stops, after its last request has ended.
    ///
    /// # Errors
    /// [`Io`](crate::ErrorKind::Io).
    async fn release(&self, worker: WorkerId, now: Duration) -> Result<(), Error>;

    /// Ends leases: stores the result of each page and admits its links, all in one transaction. Returns one
    /// receipt for each page, in the order of the pages. Durable.
    ///
    /// # Errors
    /// [`Io`](crate::ErrorKind::Io); no page is finished then, and all stay leased.
    async fn finish_many(&self, pages: Vec<FinishedPage>, now: Duration) -> Result<Vec<Receipt>, Error>;

    /// [`finish_many`](Store::finish_many) of one page.
    ///
    /// # Errors
    /// As for [`finish_many`](Store::finish_many).
    async fn finish(&self, page: FinishedPage, now: Duration) -> Result<Receipt, Error> {
        let receipts = self.finish_many(vec![page], now).await?;
        Ok(receipts.into_iter().next().unwrap_or_default())
    }

    /// Reports what was learned about the host of `url`, for all jobs. It applies at once, in this process.
    fn feedback(&self, url: &Url, feedback: HostFeedback, now: Duration);

    /// The current limits of the host of `url` for requests without a lease, such as a redirect to it. Such
    /// requests and leased pages share the concurrency of the host.
    fn limits(&self, url: &Url) -> HostLimits;

    /// Holds the host of `url` for a request without a lease, until the guard is dropped. If another process
    /// holds it, the answer is [`Busy`](HostHold::Busy) at once, and that process gives it back when its
    /// requests in work have ended: ask again after a moment. With the term of this process, all holds end.
    /// A store of one process has nothing to do.
    ///
    /// # Errors
    /// [`Io`](crate::ErrorKind::Io).
    async fn hold_host(&self, _url: &Url, _now: Duration) -> Result<HostHold, Error> {
        Ok(HostHold::free())
    }

    /// Whether the lease of a page keeps its host with this process. If not, requests for the page need a
    /// [hold](Store::hold_host).
    fn holds_by_lease(&self, _page: &LeasedPage) -> bool {
        true
    }

    /// Reads durable documents from position `from`. If there is none yet, the slice is empty: wait on
    /// [`progress`](Store::progress). Under [`Retention::Stream`](crate::Retention::Stream) this removes the
    /// documents before `from`, which the reader has. A reader that drops the future, or fails, reads from
    /// the same position again. There, a document that cannot be read from its medium is removed too: the
    /// others are returned, and a warning of the job counts it.
    ///
    /// # Errors
    /// [`UnknownJob`](crate::ErrorKind::UnknownJob), or [`Io`](crate::ErrorKind::Io) if no document could be
    /// read.
    async fn read(&self, job: JobId, from: u64, bound: ReadBound) -> Result<Slice, Error>;

    /// The current state of a job. It is durable, unless the medium cannot be written now: then a running job
    /// [waits for it](crate::WaitingFor::Disk), and a job whose end is not durable still runs.
    ///
    /// # Errors
    /// [`UnknownJob`](crate::ErrorKind::UnknownJob).
    async fn snapshot(&self, job: JobId) -> Result<JobSnapshot, Error>;

    /// The pages of a job without a document.
    ///
    /// # Errors
    /// [`UnknownJob`](crate::ErrorKind::UnknownJob).
    async fn failures(&self, job: JobId) -> Result<PageFailures, Error>;

    /// The part of [`failures`](Store::failures) that [`PageFailures::part`] gives: the lists only grow, so
    /// that a long one can be read part by part. The default reads all of them.
    ///
    /// # Errors
    /// [`UnknownJob`](crate::ErrorKind::UnknownJob).
    async fn failures_from(
        &self,
        job: JobId,
        from: FailurePosition,
        bytes: usize,
    ) -> Result<PageFailures, Error> {
        Ok(self.failures(job).await?.part(from, bytes))
    }

    /// Changes notes of a running job that change without a page. Notes above the
    /// [number](crate::MAX_NOTES_PER_JOB) and [size](crate::MAX_NOTE_BYTES) of one job are dropped.
    ///
    /// # Errors
    /// [`UnknownJob`](crate::ErrorKind::UnknownJob), or [`JobEnded`](crate::ErrorKind::JobEnded).
    async fn note(&self, job: JobId, notes: Vec<Note>) -> Result<(), Error>;

    /// What another process needs to go on with a running job.
    ///
    /// # Errors
    /// [`UnknownJob`](crate::ErrorKind::UnknownJob), or [`JobEnded`](crate::ErrorKind::JobEnded).
    async fn stored(&self, job: JobId) -> Result<StoredJob, Error>;

    /// Adds a warning for the reader of the job. A repeated warning is kept once, and at most
    /// [`MAX_WARNINGS`](crate::MAX_WARNINGS) are kept.
    ///
    /// # Errors
    /// [`UnknownJob`](crate::ErrorKind::UnknownJob).
    async fn warn(&self, job: JobId, warning: JobWarning) -> Result<(), Error>;

    /// Ends a job as failed, for this reason. Durable.
    ///
    /// # Errors
    /// [`UnknownJob`](crate::ErrorKind::UnknownJob), or [`JobEnded`](crate::ErrorKind::JobEnded).
    async fn fail(&self, job: JobId, reason: &str, now: Duration) -> Result<JobSnapshot, Error>;

    /// Cancels a job; its documents stay readable. Durable.
    ///
    /// # Errors
    /// [`UnknownJob`](crate::ErrorKind::UnknownJob), or [`JobEnded`](crate::ErrorKind::JobEnded);
    /// [`Full`](crate::ErrorKind::Full) if the job is cancelled, but the medium cannot be written now, so a
    /// crash would undo it. It becomes durable as soon as the medium can be written.
    async fn cancel(&self, job: JobId, now: Duration) -> Result<JobSnapshot, Error>;

    /// Pauses or resumes a job. No page of a paused job is leased; pages that are leased already are finished
    /// and count.
    ///
    /// # Errors
    /// [`UnknownJob`](crate::ErrorKind::UnknownJob), or [`JobEnded`](crate::ErrorKind::JobEnded).
    async fn pause(&self, job: JobId, paused: bool) -> Result<JobSnapshot, Error>;

    /// Whether, and why, a link to `url` on a page of the job would be deferred now, behind the other pages
    /// of its host.
    ///
    /// # Errors
    /// [`UnknownJob`](crate::ErrorKind::UnknownJob), or [`JobEnded`](crate::ErrorKind::JobEnded).
    async fn would_defer(&self, job: JobId, url: &Url) -> Result<Option<Deferral>, Error>;

    /// Removes a job with its documents, and cancels it if it runs. Its waiting events are still delivered,
    /// until the retention after its end has passed.
    ///
    /// # Errors
    /// [`UnknownJob`](crate::ErrorKind::UnknownJob).
    async fn remove(&self, job: JobId, now: Duration) -> Result<(), Error>;

    /// Ends expired leases, and removes jobs that ended longer than the retention ago, with their undelivered
    /// events, which are logged but not listed. Returns the removed jobs. It may start other work that a
    /// store needs from time to time.
    ///
    /// # Errors
    /// [`Io`](crate::ErrorKind::Io).
    async fn expire(&self, now: Duration) -> Result<Vec<JobId>, Error>;

    /// Adds pages of the user to a batch, and credits to its budget. Durable.
    ///
    /// # Errors
    /// [`UnknownJob`](crate::ErrorKind::UnknownJob), [`JobEnded`](crate::ErrorKind::JobEnded), or
    /// [`KeyUsed`](crate::ErrorKind::KeyUsed) and [`Full`](crate::ErrorKind::Full) as for
    /// [`submit`](Store::submit). With an error, no page and no credits are added and no key is used.
    async fn append(
        &self,
        job: JobId,
        pages: Vec<Candidate>,
        credits: u64,
        idempotency_key: Option<Uuid>,
        now: Duration,
    ) -> Result<Admitted, Error>;

    /// Reads documents as stored JSON from position `from`; `bound.bytes` is exact. Only for jobs with
    /// [`Retention::Keep`](crate::Retention::Keep), which store JSON; for other jobs the slice is empty.
    ///
    /// # Errors
    /// As for [`read`](Store::read).
    async fn read_json(&self, job: JobId, from: u64, bound: ReadBound) -> Result<JsonSlice, Error>;

    /// Keeps the document of a single scrape for [`scraped`](Store::scraped), at most as long as results are
    /// kept. A store keeps a limited number and chooses which to drop first. A document without a scrape id
    /// is not kept.
    ///
    /// # Errors
    /// [`Io`](crate::ErrorKind::Io).
    async fn keep_scrape(&self, team: &TeamId, document: &Document, now: Duration) -> Result<(), Error>;

    /// The JSON of the document of this team with this `metadata.scrapeId`: a [kept](Store::keep_scrape)
    /// scrape, or a page of a job with [`Retention::Keep`](crate::Retention::Keep).
    /// [`scrape_id`](crate::scrape_id) makes the ids.
    ///
    /// # Errors
    /// [`Io`](crate::ErrorKind::Io).
    async fn scraped(&self, team: &TeamId, scrape: Uuid) -> Result<Option<Bytes>, Error>;

    /// Ends a job with one result instead of documents. Its tokens and credits become those of the job.
    /// Durable.
    ///
    /// # Errors
    /// [`UnknownJob`](crate::ErrorKind::UnknownJob), or [`JobEnded`](crate::ErrorKind::JobEnded).
    async fn conclude(&self, job: JobId, conclusion: Conclusion, now: Duration)
    -> Result<JobSnapshot, Error>;

    /// Reports the tokens and credits that a running job with one result has used so far. Each call replaces
    /// the values of the one before; [`conclude`](Store::conclude) sets the final ones.
    ///
    /// # Errors
    /// [`UnknownJob`](crate::ErrorKind::UnknownJob), or [`JobEnded`](crate::ErrorKind::JobEnded).
    async fn charge(&self, job: JobId, tokens_used: u64, credits: u64) -> Result<(), Error>;

    /// The result that [`conclude`](Store::conclude) stored.
    ///
    /// # Errors
    /// [`UnknownJob`](crate::ErrorKind::UnknownJob).
    async fn conclusion(&self, job: JobId) -> Result<Option<Conclusion>, Error>;

    /// The running jobs of a team and kind, oldest first.
    ///
    /// # Errors
    /// [`Io`](crate::ErrorKind::Io).
    async fn running(&self, team: &TeamId, kind: JobKind) -> Result<Vec<JobListing>, Error>;

    /// The running jobs of a kind that have no pages of their own, such as extract jobs, and that no worker
    /// runs: their process has ended. The caller is the worker that runs them from now on, and no other call
    /// returns them while it lives. It runs them from the beginning, so their
    /// [parts](crate::JobAccount::part_of) of the former process are removed.
    ///
    /// # Errors
    /// [`Io`](crate::ErrorKind::Io).
    async fn orphans(&self, _worker: WorkerId, _kind: JobKind) -> Result<Vec<JobId>, Error> {
        Ok(Vec::new())
    }

    /// At most `max` of the latest ended jobs of a team that are [settled](Store::settled), in the form
    /// [for a log](EndedJob::for_log), the last first; `None` if the store keeps no log of them. The log
    /// outlives the results.
    ///
    /// # Errors
    /// [`Io`](crate::ErrorKind::Io).
    async fn activities(&self, _team: &TeamId, _max: usize) -> Result<Option<Vec<EndedJob>>, Error> {
        Ok(None)
    }

    /// The pages that a team has in the queue.
    ///
    /// # Errors
    /// [`Io`](crate::ErrorKind::Io).
    async fn load(&self, team: &TeamId) -> Result<TeamLoad, Error>;

    /// The last scrape of a history that is not of this job, so that a page which the job scrapes twice is
    /// compared with the same scrape. [`finish`](Store::finish) stores the new one together with the document
    /// that reports the difference.
    ///
    /// # Errors
    /// [`Io`](crate::ErrorKind::Io).
    async fn last_scrape(&self, job: JobId, key: &HistoryKey) -> Result<Option<PastScrape>, Error>;

    /// Takes at most `max` due events, each of another job. An event without a reported outcome
    /// ([`delivered`](Store::delivered)) is due again after [`DELIVERY_LEASE`](crate::DELIVERY_LEASE).
    ///
    /// # Errors
    /// [`Io`](crate::ErrorKind::Io).
    async fn due(&self, max: usize, now: Duration) -> Result<DueEvents, Error>;

    /// The exact bytes of a taken event, the same for each attempt; `None` if it is no longer the next event
    /// of its job. It is separate from [`due`](Store::due), so that an event that must wait costs no body.
    ///
    /// # Errors
    /// [`Io`](crate::ErrorKind::Io).
    async fn event_body(&self, event: EventId) -> Result<Option<Vec<u8>>, Error>;

    /// Reports the outcome of a taken event. It changes nothing if the event is gone or is not the next of
    /// its job. Durable.
    ///
    /// # Errors
    /// [`Io`](crate::ErrorKind::Io).
    async fn delivered(&self, event: EventId, outcome: DeliveryOutcome, now: Duration) -> Result<(), Error>;

    /// The events of a job that were given up, in order, up to a limit.
    ///
    /// # Errors
    /// [`UnknownJob`](crate::ErrorKind::UnknownJob).
    async fn dead_letters(&self, job: JobId) -> Result<Vec<DeadLetter>, Error>;

    /// What the accounts provider must be told, at most `max` entries of each kind.
    ///
    /// # Errors
    /// [`Io`](crate::ErrorKind::Io).
    async fn accounting(&self, max: usize) -> Result<Accounting, Error>;

    /// Adds credits to a job with a shortage. With 0 credits, no further page of the job is leased, and it
    /// fails with `insufficient credits` once none is leased. Does nothing for an unknown job.
    ///
    /// # Errors
    /// [`Io`](crate::ErrorKind::Io).
    async fn grant(&self, job: JobId, credits: u64, now: Duration) -> Result<(), Error>;

    /// Records that the accounts provider knows about the end of a job.
    ///
    /// # Errors
    /// [`Io`](crate::ErrorKind::Io).
    async fn settled(&self, job: JobId) -> Result<(), Error>;

    /// Changes whenever an event may have become due, or there is something for the accounts provider.
    fn maintenance(&self) -> watch::Receiver<u64>;

    /// Changes whenever pages may have become ready to lease.
    fn work(&self) -> watch::Receiver<u64>;

    /// Changes after a document became readable or the job ended.
    ///
    /// # Errors
    /// [`UnknownJob`](crate::ErrorKind::UnknownJob), or [`Io`](crate::ErrorKind::Io) if the store cannot
    /// watch the job.
    async fn progress(&self, job: JobId) -> Result<watch::Receiver<u64>, Error>;
}
