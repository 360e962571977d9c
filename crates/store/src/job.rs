//! The types of jobs in a store: submission, leases, finished pages, failures, snapshots.

use std::borrow::Cow;
use std::net::IpAddr;
use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use gleaner_frontier::{Candidate, Fingerprint, JobRules, Lease, Observation, Outcome, RobotsLine, UrlKey};
use gleaner_types::plan::{WebhookPlan, as_written};
use gleaner_types::{Document, JobId, JobKind, JobState, PageError};
use url::Url;

use crate::{JobAccount, JobRequest, JobWarning, LeaseId, Note, TeamId, TrackedScrape};

/// How long documents are kept.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Retention {
    /// A document is dropped when its reader reads from a later position. While too many are left, no further
    /// page of the job is leased, so a slow reader slows the crawl but loses nothing.
    Stream,
    /// Documents are kept until the job is removed or expires: in memory up to a limit, and above it in
    /// temporary files.
    Keep,
}

/// A job to submit.
#[derive(Debug, Clone)]
pub struct NewJob {
    /// The id of the job, which must be new.
    pub id: JobId,
    /// The kind of the job; `None` for a single scrape, which is not a job of the contract.
    pub kind: Option<JobKind>,
    /// The request, so that another process can go on with the job.
    pub request: JobRequest,
    /// Limit, concurrency, delay and depth.
    pub rules: JobRules,
    /// The URL under which the job is listed, as the user wrote it; `None` uses the URL of the first page.
    pub url: Option<String>,
    /// The first pages, at depth 0.
    pub pages: Vec<Candidate>,
    /// No other pages will be added except links, so the job ends when it has nothing left to do. An unsealed
    /// job stays open until [`Store::seal`](crate::Store::seal).
    pub sealed: bool,
    /// How long the documents are kept.
    pub retention: Retention,
    /// Nothing about its pages is written to disk: if documents would have to be spilled, the job fails
    /// instead.
    pub in_memory: bool,
    /// The owner and its limits; `None` for a job without a team.
    pub account: Option<Box<JobAccount>>,
    /// The receiver of its events. The documents of a job with a webhook are kept, whatever `retention` says.
    pub webhook: Option<Arc<WebhookPlan>>,
}

impl NewJob {
    /// A sealed job without webhook and team that streams its documents.
    #[must_use]
    pub fn new(id: JobId, kind: Option<JobKind>, rules: JobRules, pages: Vec<Candidate>) -> Self {
        Self {
            id,
            kind,
            request: JobRequest::default(),
            rules,
            url: None,
            pages,
            sealed: true,
            retention: Retention::Stream,
            in_memory: false,
            account: None,
            webhook: None,
        }
    }
}

/// Leased pages, and when to lease again.
#[derive(Debug, Default)]
#[non_exhaustive]
pub struct Leases {
    /// The pages. Each is leased to the worker alone until the lease ends.
    pub pages: Vec<LeasedPage>,
    /// The next time at which pages may become ready without an event; `None` if only an event can make some
    /// ready.
    pub next: Option<Duration>,
    /// The term of the worker ends at this time, since the Unix epoch, unless it is
    /// [renewed](crate::Store::renew) before; `None` if it has no end.
    pub renew_before: Option<Duration>,
}

/// A leased page.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct LeasedPage {
    /// Identifies the lease.
    pub lease: LeaseId,
    /// The job of the page.
    pub job: JobId,
    /// The URL to fetch.
    pub url: Url,
    /// The identity of the page within the job.
    pub key: UrlKey,
    /// Clicks from the start page or a sitemap, as known now.
    pub depth: u32,
    /// The page is on another site: its links are not followed.
    pub external: bool,
    /// Not a page, but an entry that leads to pages, such as a sitemap; see [`Candidate::AUXILIARY`].
    pub auxiliary: bool,
    /// Number of earlier leases of the page.
    pub attempt: u32,
    /// The page had to wait because its team had all its slots in use.
    pub waited_for_slot: bool,
    /// Maximum concurrent requests to the host of the page, as known now.
    pub max_concurrent: u32,
    /// The time at which the lease expires.
    pub expires_at: Duration,
}

impl LeasedPage {
    /// The page of a lease from the frontier, which belongs to this job and expires at this time.
    #[must_use]
    pub fn new(lease: Lease, epoch: u64, job: JobId, expires_at: Duration) -> Self {
        let Lease { id, url, key, depth, external, auxiliary, attempt, max_concurrent, .. } = lease;
        Self {
            lease: LeaseId { number: id.to_raw(), epoch },
            job,
            url,
            key,
            depth,
            external,
            auxiliary,
            attempt,
            waited_for_slot: false,
            max_concurrent,
            expires_at,
        }
    }
}

/// The result of a leased page.
#[derive(Debug, Clone)]
pub struct FinishedPage {
    /// The lease.
    pub lease: LeasedPage,
    /// How the page ended.
    pub outcome: PageOutcome,
    /// The page that responded after redirects, if it is not the requested one. If the job has seen it
    /// already, the document is a duplicate and is not stored.
    pub redirected_to: Option<UrlKey>,
    /// Whether a request was sent for this page. If not, for example because robots.txt forbids it, the gap
    /// of the host and the delay of the job continue from the request before.
    pub request_sent: bool,
    /// The response of the host, if a request was sent. It adapts the concurrency of the host.
    pub observed: Option<Observation>,
    /// The IP address of the host, if it was dialed. Hosts with the same address share a limit.
    pub address: Option<IpAddr>,
    /// The fingerprint of the page, if its text is to be compared with other pages of the job: families of
    /// pages that repeat the same text are deferred behind the others of their host. `None` changes nothing.
    pub fingerprint: Option<Fingerprint>,
    /// The links that belong to the job.
    pub links: Vec<Candidate>,
    /// The new last scrape in the history of the page, if its document is stored.
    pub tracked_scrape: Option<Box<TrackedScrape>>,
    /// The user wrote the URL without its slash ([`PageFailure::slash_added`]).
    pub slash_added: bool,
    /// Changes of the notes of the job.
    pub notes: Vec<Note>,
}

impl FinishedPage {
    /// A page with this outcome and no further information. A request was sent unless it is
    /// [`PageOutcome::Return`].
    #[must_use]
    pub fn new(lease: LeasedPage, outcome: PageOutcome) -> Self {
        Self {
            lease,
            request_sent: !matches!(outcome, PageOutcome::Return(_)),
            outcome,
            redirected_to: None,
            observed: None,
            address: None,
            fingerprint: None,
            links: Vec::new(),
            tracked_scrape: None,
            slash_added: false,
            notes: Vec::new(),
        }
    }
}

/// How a leased page ended.
#[derive(Debug, Clone)]
pub enum PageOutcome {
    /// It gave a document, with its price in credits.
    Document(Box<Document>, u64),
    /// It failed.
    Failed(PageError),
    /// A rule of robots.txt forbids it: this one, if it is known.
    RobotsBlocked(Option<RobotsLine>),
    /// It is not a result: it was fetched only for its links.
    Skipped,
    /// It returns to the queue and is not leased before this time.
    Retry(Duration),
    /// As [`Retry`](Self::Retry), but no request was sent while it was leased: this does not count as an
    /// attempt.
    Return(Duration),
}

impl PageOutcome {
    /// The outcome for the queue.
    #[must_use]
    pub const fn queue_outcome(&self) -> Outcome {
        match *self {
            Self::Document(..) => Outcome::Document,
            Self::Failed(_) => Outcome::Failed,
            Self::RobotsBlocked(_) | Self::Skipped => Outcome::Skipped,
            Self::Retry(not_before) => Outcome::Retry { not_before },
            Self::Return(not_before) => Outcome::Return { not_before },
        }
    }
}

/// What the store did with a finished page. The default means that it changed nothing.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Receipt {
    /// Whether anything was changed: not if the lease had expired or the job had ended.
    pub accepted: bool,
    /// Number of new links.
    pub admitted: u64,
    /// The job ended with this page.
    pub job_ended: bool,
}

/// How much [`Store::read`](crate::Store::read) may return. The first document is returned whatever its size.
#[derive(Debug, Clone, Copy)]
pub struct ReadBound {
    /// Maximum number of documents.
    pub documents: usize,
    /// Maximum total size in bytes: of the JSON if that is stored, otherwise of the approximate memory use.
    pub bytes: usize,
}

impl Default for ReadBound {
    fn default() -> Self {
        Self { documents: 16, bytes: 1 << 20 }
    }
}

/// Documents in order of completion.
#[derive(Debug, Default)]
#[non_exhaustive]
pub struct Slice {
    /// The documents.
    pub documents: Vec<Document>,
    /// The position to read from next.
    pub next: u64,
    /// The job has ended and there are no documents after these.
    pub end: bool,
}

/// Documents in order of completion, as stored JSON.
#[derive(Debug, Default)]
#[non_exhaustive]
pub struct JsonSlice {
    /// The documents. Cloning one copies no bytes.
    pub documents: Vec<Bytes>,
    /// The position to read from next.
    pub next: u64,
    /// The job has ended and there are no documents after these.
    pub end: bool,
}

/// A running job, for lists of jobs.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct JobListing {
    /// The current state.
    pub snapshot: JobSnapshot,
    /// The request.
    pub request: JobRequest,
}

impl JobListing {
    /// A job in this state, with its request.
    #[must_use]
    pub const fn new(snapshot: JobSnapshot, request: JobRequest) -> Self {
        Self { snapshot, request }
    }
}

/// A failed page.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct PageFailure {
    /// The number of the failure within the job.
    pub sequence: u64,
    /// The time of the failure, since the Unix epoch.
    pub at: Duration,
    /// The requested URL.
    pub url: Url,
    /// The user wrote the URL without a path (`https://example.com`), so its slash was added.
    pub slash_added: bool,
    /// The error.
    pub error: PageError,
}

impl PageFailure {
    /// The URL as the user wrote it.
    #[must_use]
    pub fn as_requested(&self) -> Cow<'_, str> {
        as_written(&self.url, self.slash_added)
    }

    /// The failure with this number at this time, of a URL that the user wrote in full.
    #[must_use]
    pub fn new(sequence: u64, at: Duration, url: Url, error: PageError) -> Self {
        Self { sequence, at, url, slash_added: false, error }
    }
}

/// A page that robots.txt forbids.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct BlockedPage {
    /// The URL of the page.
    pub url: Url,
    /// As in [`PageFailure::slash_added`].
    pub slash_added: bool,
    /// The line of robots.txt that forbids it. `None` if an earlier version listed the page, or if robots.txt
    /// has more rules than are searched for one URL.
    pub rule: Option<RobotsLine>,
}

impl BlockedPage {
    /// The URL as the user wrote it.
    #[must_use]
    pub fn as_requested(&self) -> Cow<'_, str> {
        as_written(&self.url, self.slash_added)
    }

    /// The page at a URL that the user wrote in full.
    #[must_use]
    pub fn new(url: Url, rule: Option<RobotsLine>) -> Self {
        Self { url, slash_added: false, rule }
    }
}

/// The pages of a job without a document.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct PageFailures {
    /// Failed pages in order, up to a limit; [`JobSnapshot::failed`] is their number.
    pub failures: Vec<PageFailure>,
    /// Pages that robots.txt forbids, in order, up to a limit.
    pub robots_blocked: Vec<BlockedPage>,
}

/// A position in the lists of [`PageFailures`]: the number of entries before it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[non_exhaustive]
pub struct FailurePosition {
    /// In the list of failed pages.
    pub failures: usize,
    /// In the list of pages that robots.txt forbids.
    pub robots_blocked: usize,
}

impl PageFailures {
    /// The entries from a position on, of about this many bytes: at least one if there is one. Failed pages
    /// come first.
    #[must_use]
    pub fn part(&self, from: FailurePosition, bytes: usize) -> Self {
        let mut left = bytes;
        let failures = self.failures.get(from.failures..).unwrap_or_default();
        let failures = fitting(failures, &mut left, |page| {
            page.url.as_str().len().saturating_add(page.error.message.len())
        });
        let blocked = self.robots_blocked.get(from.robots_blocked..).unwrap_or_default();
        let blocked = fitting(blocked, &mut left, |page| {
            page.url.as_str().len().saturating_add(page.rule.as_ref().map_or(0, |line| line.rule.len()))
        });
        Self { failures: failures.to_vec(), robots_blocked: blocked.to_vec() }
    }
}

/// The first entries that fit into the bytes that are left, and one more.
fn fitting<'a, T>(entries: &'a [T], left: &mut usize, text: impl Fn(&T) -> usize) -> &'a [T] {
    /// Of an entry without its texts.
    const ENTRY: usize = 128;
    let mut count = 0;
    for entry in entries {
        if *left == 0 {
            break;
        }
        *left = left.saturating_sub(text(entry).saturating_add(ENTRY));
        count += 1;
    }
    entries.get(..count).unwrap_or_default()
}

/// Why a job failed as a whole.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum JobFailure {
    /// The team cannot pay for another page.
    InsufficientCredits,
    /// There is no space for another document.
    StorageFull,
    /// The worker reported it ([`Store::fail`](crate::Store::fail)).
    Other,
}

/// What a running job waits for before another of its pages is leased.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum WaitingFor {
    /// The user, who paused it.
    User,
    /// The reader of its documents ([`Retention::Stream`]).
    Reader,
    /// Credits for its next page.
    Credits,
    /// Space on the disk of the store.
    Disk,
}

/// The state of a job at one moment.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct JobSnapshot {
    /// The id of the job.
    pub id: JobId,
    /// The kind of the job; `None` for a single scrape.
    pub kind: Option<JobKind>,
    /// The team; `None` for a job without a team.
    pub team: Option<TeamId>,
    /// The state.
    pub state: JobState,
    /// Pages with a document.
    pub completed: u64,
    /// Pages known so far: with a document, failed, forbidden by robots.txt, or [open](Self::open). A page
    /// that fails stays in it.
    pub total: u64,
    /// Pages that wait or are in work, as far as the limit admits them; 0 at the end.
    pub open: u64,
    /// Pages that failed.
    pub failed: u64,
    /// Pages that robots.txt forbids.
    pub robots_blocked: u64,
    /// Tokens used for the result of a job with one result.
    pub tokens_used: u64,
    /// The price of the documents, or of the one result, in credits.
    pub credits_used: u64,
    /// Time of the submit, since the Unix epoch.
    pub created_at: Duration,
    /// Time of the end, since the Unix epoch; `None` while it runs.
    pub ended_at: Option<Duration>,
    /// What it waits for, if that is not only time or other pages.
    pub waiting_for: Option<WaitingFor>,
    /// Warnings for the reader.
    pub warnings: Vec<JobWarning>,
    /// Why the job failed as a whole; `None` unless it did.
    pub failure: Option<JobFailure>,
    /// The same as a message.
    pub error: Option<String>,
}

impl JobSnapshot {
    /// This snapshot with this number of open pages. The total follows from it and the other counts.
    #[must_use]
    pub fn with_open(mut self, open: u64) -> Self {
        self.open = open;
        let done = self.completed.saturating_add(self.failed).saturating_add(self.robots_blocked);
        self.total = done.saturating_add(open);
        self
    }

    /// The `total` of the contract: pages with a document, and those that may still give one. It shrinks when
    /// a page fails, and equals `completed` at the end.
    #[must_use]
    pub fn contract_total(&self) -> u64 {
        self.completed.saturating_add(self.open)
    }

    /// The text of all warnings; `None` if there are none.
    #[must_use]
    pub fn warning(&self) -> Option<String> {
        let texts: Vec<String> = self.warnings.iter().map(ToString::to_string).collect();
        (!texts.is_empty()).then(|| texts.join("; "))
    }

    /// A job of no team, without pages, in this state and with this time of its submit.
    #[must_use]
    pub fn new(id: JobId, state: JobState, created_at: Duration) -> Self {
        Self {
            id,
            kind: None,
            team: None,
            state,
            completed: 0,
            total: 0,
            open: 0,
            failed: 0,
            robots_blocked: 0,
            tokens_used: 0,
            credits_used: 0,
            created_at,
            ended_at: None,
            waiting_for: None,
            warnings: Vec::new(),
            failure: None,
            error: None,
        }
    }
}
