//! The handle of a job: a stream of its documents, and its end.

use std::collections::VecDeque;
use std::fmt;
use std::future::poll_fn;
use std::pin::Pin;
use std::sync::{Arc, Mutex, PoisonError};
use std::task::{Context, Poll, ready};
use std::time::Duration;

use futures_core::Stream;
use gleaner_frontier::SkipReason;
use gleaner_store::{
    BlockedPage, DeadLetter, JobFailure, JobSnapshot, PageFailure, PageFailures, ReadBound, Slice, Store,
};
use gleaner_types::{BoxFuture, Document, ErrorCode, JobId, JobState, PageError};

use crate::cancellation::Cancellation;
use crate::error::{Error, QUEUE_FULL_PAUSE};
use crate::explain::{Explanation, Records, Verdict};
use crate::job_control::JobControl;
use crate::runtime::Runtime;

/// A job: a [`Stream`] of its documents, in order of completion, that [`next`](Self::next) reads too.
///
/// An item is an error if the store or the job as a whole failed; it is the last item. A page without a
/// document is no item: [`wait`](Self::wait) lists these pages at the end, and [`failures`](Self::failures)
/// while the job runs.
///
/// A slow reader slows the job down and loses nothing: while many documents are unread, no further page is
/// fetched. Dropping the handle ends the job and removes its results, unless the engine was
/// [stopped](Runtime::stop) before, or the handle was [detached](Self::detach). The handle keeps its engine
/// alive; a [control](Self::control) does not.
pub struct Job {
    id: JobId,
    control: JobControl,
    runtime: Arc<Runtime>,
    next: u64,
    ready: VecDeque<Document>,
    /// Never locked, only reached through `&mut`: the mutex makes the handle `Sync`, so that a task that
    /// holds a reference to it can move between threads.
    reading: Mutex<Option<BoxFuture<'static, Result<Read, Error>>>>,
    /// The last item, once the documents before it are read.
    error: Option<Error>,
    ended: bool,
    /// Documents before the first that this handle gives.
    gone: u64,
    /// Of a crawl.
    records: Option<Arc<Records>>,
    /// Of a scrape: how long its document is waited for.
    timeout: Option<Duration>,
    /// The job goes on when the handle is dropped.
    is_detached: bool,
}

/// How a job ended: what [`Job::wait`] gives.
#[derive(Debug)]
#[non_exhaustive]
pub struct JobEnd {
    /// The documents that were not read before, in order of completion.
    pub documents: Vec<Document>,
    /// The job at its end.
    pub snapshot: JobSnapshot,
    /// The pages without a document, in order. The list is bounded; [`JobSnapshot::failed`] counts all.
    pub failures: Vec<PageFailure>,
    /// The pages that robots.txt forbids, in order. The list is bounded.
    pub robots_blocked: Vec<BlockedPage>,
    /// The links that a crawl skipped, by reason ([`Job::rejections`]).
    pub rejections: Vec<(SkipReason, u64)>,
    /// The number of documents that this handle could not read ([`Job::gone`]).
    pub gone: u64,
}

/// A part of the stream.
struct Read {
    slice: Slice,
    /// Why the job failed, at its end.
    error: Option<Error>,
}

impl Job {
    pub(crate) fn new(id: JobId, runtime: Arc<Runtime>) -> Self {
        Self {
            id,
            control: JobControl::new(id, &runtime),
            runtime,
            next: 0,
            ready: VecDeque::new(),
            reading: Mutex::default(),
            error: None,
            ended: false,
            gone: 0,
            records: None,
            timeout: None,
            is_detached: false,
        }
    }

    /// The handle of a job that does not belong to it: dropping it changes nothing.
    pub(crate) fn attached(mut self) -> Self {
        self.is_detached = true;
        self
    }

    pub(crate) fn with_records(mut self, records: Option<Arc<Records>>) -> Self {
        self.records = records;
        self
    }

    pub(crate) fn with_timeout(mut self, timeout: Option<Duration>) -> Self {
        self.timeout = timeout;
        self
    }

    /// Gives up the handle and lets the job run on for as long as its engine exists: until the last clone of
    /// the engine and its last [`Job`] are dropped, or it is stopped. Then the job stops too; in a file or a
    /// database, it goes on with the next engine. The id gets a handle again: `Engine::job`, or
    /// [`Runtime::job`].
    ///
    /// While nobody reads a job in memory, it waits when its first 64 documents are unread.
    #[must_use = "the job is known by its id alone from then on"]
    pub fn detach(mut self) -> JobId {
        self.is_detached = true;
        self.id
    }

    /// The document of a job with one page, such as a scrape, whose timeout bounds the wait.
    ///
    /// # Errors
    /// The failure of the page, or of the job as a whole, or of the store.
    pub fn document(mut self) -> BoxFuture<'static, Result<Document, Error>> {
        let executor = self.runtime.executor().clone();
        let reading = async move {
            let document = match self.timeout {
                Some(timeout) => {
                    tokio::time::timeout(timeout, self.next()).await.map_err(|_| timed_out(timeout))?
                }
                None => self.next().await,
            };
            match document {
                Some(Ok(document)) => Ok(document),
                Some(Err(error)) if error.is_stopped() => Err(error),
                Some(Err(_)) | None => Err(match self.failures().await?.failures.pop() {
                    Some(failure) => failure.error.into(),
                    None => missing_document_error(self.status().await?),
                }),
            }
        };
        Box::pin(async move { executor.run(reading).await })
    }

    /// How many links a crawl skipped so far, by reason, in the order in which the reasons are tested. A link
    /// counts each time that it is found on a page; a page that robots.txt forbids counts once. Empty for a
    /// job that is no crawl, and for a handle of a job that had already ended ([`Runtime::job`]).
    #[must_use]
    pub fn rejections(&self) -> Vec<(SkipReason, u64)> {
        self.records.as_ref().map(|records| records.rejections.all()).unwrap_or_default()
    }

    /// The outcome so far of the URLs that were named before the crawl started
    /// ([`StartOptions::explained`](crate::StartOptions::explained), `Engine::crawl_explained`), in their
    /// order. A URL that no link led to is checked against the robots.txt of its origin, if that was read.
    /// Empty if none was named.
    ///
    /// # Errors
    /// If the store fails.
    pub async fn explanations(&self) -> Result<Vec<Explanation>, Error> {
        let Some(records) = self.records.as_ref().filter(|records| !records.traces.is_empty()) else {
            return Ok(Vec::new());
        };
        let snapshot = self.status().await?;
        let traces = &records.traces;
        Ok(traces.all(&snapshot, |url| {
            let (agent, shared) = (traces.robots_agent(), self.runtime.shared());
            let read = agent.and_then(|agent| shared.robots_read(agent, url, traces.route_key()));
            let policy = &read.as_ref().filter(|robots| !robots.policy.allows(url))?.policy;
            Some(Verdict::RobotsTxt(policy.forbidding_line(url)))
        }))
    }

    /// The id of the job, which stays the same in later processes.
    #[must_use]
    pub fn id(&self) -> JobId {
        self.id
    }

    /// What cancels, pauses and watches this job from other tasks, while this handle reads. It can be cloned.
    #[must_use]
    pub fn control(&self) -> JobControl {
        self.control.clone()
    }

    /// The number of documents before the first one that this handle gives, known once that was read. In
    /// memory, a document is removed when its reader asks for later ones, so that another handle
    /// ([`Runtime::job`]) does not find it any more. 0 for the handle that started the job and is its only
    /// reader.
    #[must_use]
    pub fn gone(&self) -> u64 {
        self.gone
    }

    /// The next document; `None` once the job has ended and all documents are read.
    ///
    /// It is cancel-safe: if its future is dropped, as in `tokio::select!` or by a timeout, no document is
    /// lost, and the next call goes on.
    ///
    /// # Errors
    /// If the store failed, or the job as a whole: then this is the last item. Also if the job has ended, and
    /// all of its documents were read by another handle and are [gone](Self::gone) ([`Error::is_gone`]).
    pub async fn next(&mut self) -> Option<Result<Document, Error>> {
        poll_fn(|context| Pin::new(&mut *self).poll_next(context)).await
    }

    /// The state and the counts of the job at this moment. It may be called at any time, also after the end.
    /// The counts of one handle never shrink, except for [`JobSnapshot::open`].
    ///
    /// # Errors
    /// If the store fails, or has removed the job.
    pub async fn status(&self) -> Result<JobSnapshot, Error> {
        self.control.status().await
    }

    /// The pages without a document so far: those that failed, and those that robots.txt forbids. The lists
    /// are bounded; [`JobSnapshot::failed`] and [`JobSnapshot::robots_blocked`] count all.
    ///
    /// # Errors
    /// If the store fails, or has removed the job.
    pub async fn failures(&self) -> Result<PageFailures, Error> {
        let reading = async { Ok(self.runtime.store().failures(self.id).await?) };
        self.runtime.executor().run(reading).await
    }

    /// The events of the job that were given up because its webhook did not accept them.
    ///
    /// # Errors
    /// If the store fails, or has removed the job.
    pub async fn dead_letters(&self) -> Result<Vec<DeadLetter>, Error> {
        let reading = async { Ok(self.runtime.store().dead_letters(self.id).await?) };
        self.runtime.executor().run(reading).await
    }

    /// Ends the job early. Its documents so far can still be read; the work on further pages stops. A job
    /// that has ended stays as it is. Returns the job afterwards.
    ///
    /// # Errors
    /// If the store fails, or has removed the job.
    pub async fn cancel(&self) -> Result<JobSnapshot, Error> {
        self.control.cancel().await
    }

    /// Pauses the job: no further page of it is fetched until [`resume`](Self::resume). Pages in work are
    /// finished and count. A job that has ended stays as it is. Returns the job afterwards, with
    /// [`WaitingFor::User`](gleaner_store::WaitingFor::User).
    ///
    /// # Errors
    /// If the store fails, or has removed the job.
    pub async fn pause(&self) -> Result<JobSnapshot, Error> {
        self.control.pause().await
    }

    /// Lets a paused job go on. Returns the job afterwards.
    ///
    /// # Errors
    /// If the store fails, or has removed the job.
    pub async fn resume(&self) -> Result<JobSnapshot, Error> {
        self.control.resume().await
    }

    /// Waits for the end of the job and returns its counts, the pages without a document, and the documents
    /// that were not read before, all in memory. For a large job, read the documents by [`next`](Self::next)
    /// first.
    ///
    /// It is cancel-safe: if its future is dropped, [`next`](Self::next) and a second call give the documents
    /// that it has collected.
    ///
    /// # Errors
    /// If the store failed, or the job as a whole. Pages without a document are no error, and neither is a
    /// job that was cancelled, nor documents that are [gone](JobEnd::gone).
    pub fn wait(&mut self) -> BoxFuture<'_, Result<JobEnd, Error>> {
        Box::pin(async move {
            while !self.ended {
                poll_fn(|context| self.poll_part(context)).await;
            }
            if let Some(error) = self.error.take().filter(|error| !error.is_gone()) {
                return Err(error);
            }
            let (snapshot, pages) = (self.status().await?, self.failures().await?);
            match failure_of(&snapshot) {
                Some(error) => Err(error),
                None => Ok(JobEnd {
                    documents: std::mem::take(&mut self.ready).into(),
                    snapshot,
                    failures: pages.failures,
                    robots_blocked: pages.robots_blocked,
                    rejections: self.rejections(),
                    gone: self.gone,
                }),
            }
        })
    }

    /// Reads the next part of the stream behind the documents that are ready.
    fn poll_part(&mut self, context: &mut Context<'_>) -> Poll<()> {
        let (store, id, next) = (Arc::clone(self.runtime.store()), self.id, self.next);
        let (stopped, executor) = (self.runtime.stopped().clone(), self.runtime.executor().clone());
        let reading = self.reading.get_mut().unwrap_or_else(PoisonError::into_inner);
        let reading = reading.get_or_insert_with(|| {
            Box::pin(async move { executor.run(read(store, id, next, stopped)).await })
        });
        let part = ready!(reading.as_mut().poll(context));
        *self.reading.get_mut().unwrap_or_else(PoisonError::into_inner) = None;
        match part {
            Ok(Read { slice, error }) => {
                // The read after the last document tells the store that this handle has it.
                self.ended = slice.end && slice.documents.is_empty();
                if next == 0 {
                    self.gone = slice.next.saturating_sub(slice.documents.len() as u64);
                    let is_all = self.ended && self.gone > 0;
                    self.error = is_all.then(|| Error::gone(self.gone));
                }
                self.next = slice.next;
                self.error = error.or_else(|| self.error.take());
                self.ready.extend(slice.documents);
            }
            Err(error) => {
                self.ended = true;
                self.error = Some(error);
            }
        }
        Poll::Ready(())
    }
}

impl Stream for Job {
    type Item = Result<Document, Error>;

    fn poll_next(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        loop {
            if let Some(document) = self.ready.pop_front() {
                return Poll::Ready(Some(Ok(document)));
            }
            if self.ended {
                return Poll::Ready(self.error.take().map(Err));
            }
            ready!(self.poll_part(context));
        }
    }
}

/// Reads from a position on, waiting until there is something or the job has ended.
async fn read(store: Arc<dyn Store>, job: JobId, from: u64, stopped: Cancellation) -> Result<Read, Error> {
    let mut progress = store.progress(job).await?;
    loop {
        progress.borrow_and_update();
        let slice = store.read(job, from, ReadBound::default()).await?;
        if slice.end {
            let error = failure_of(&store.snapshot(job).await?);
            return Ok(Read { slice, error });
        }
        if !slice.documents.is_empty() {
            return Ok(Read { slice, error: None });
        }
        tokio::select! {
            biased;
            changed = progress.changed() => if changed.is_err() {
                return Ok(Read { slice, error: None });
            },
            () = stopped.cancelled() => return Err(Error::stopped()),
        }
    }
}

/// Why a job failed as a whole.
fn failure_of(job: &JobSnapshot) -> Option<Error> {
    (job.state == JobState::Failed)
        .then(|| Error::failed(job.error.clone().unwrap_or_else(|| "the job failed".to_owned())))
}

impl fmt::Debug for Job {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Job")
            .field("id", &self.id)
            .field("next", &self.next)
            .field("ended", &self.ended)
            .finish_non_exhaustive()
    }
}

impl Drop for Job {
    fn drop(&mut self) {
        // A job of an engine that was stopped goes on in the next one.
        if !self.is_detached && !self.runtime.shared().stopping.is_cancelled() {
            self.runtime.abandon(self.id);
        }
    }
}

fn timed_out(timeout: Duration) -> PageError {
    PageError {
        code: ErrorCode::ScrapeTimeout,
        message: format!("the page was not done within the timeout of {} ms", timeout.as_millis()),
    }
}

/// Why a scrape that lists no failure gave no document.
fn missing_document_error(job: JobSnapshot) -> Error {
    let reason = job.error.unwrap_or_else(|| "the page gave no document".to_owned());
    match job.failure {
        Some(JobFailure::InsufficientCredits) => Error::insufficient_credits(reason),
        Some(JobFailure::StorageFull) => Error::rate_limited(reason, QUEUE_FULL_PAUSE),
        _ => PageError { code: ErrorCode::UnknownError, message: reason }.into(),
    }
}
