use std::borrow::Cow;
use std::net::IpAddr;
use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use gleaner_frontier::{Candidate, Fingerprint, JobRules, LeaseId, Observation, UrlKey};
use gleaner_types::plan::{WebhookPlan, as_written};
use gleaner_types::{Document, JobId, JobKind, JobState, PageError};
use serde_json::Value;
use url::Url;

use crate::{JobAccount, Remembered, TeamId};

/// What becomes of documents after they were read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Retention {
    /// Dropped as they are read. While too many are unread, no further page of the job is leased, so a slow reader
    /// slows the crawl and loses nothing.
    Stream,
    /// Kept until the job is removed or expires; in memory up to a bound, beyond it in temporary files.
    Keep,
}

/// A job to begin.
#[derive(Debug, Clone)]
pub struct NewJob {
    /// Its id, used once.
    pub id: JobId,
    /// What it is for; `None` for a page that is answered at once, which is no job of the contract.
    pub kind: Option<JobKind>,
    /// The request as it came, so that another process can take the job over.
    pub request: Value,
    /// Limit, concurrency, delay and depth.
    pub rules: JobRules,
    /// The address that it is listed under, as it was written; `None` takes that of the first page.
    pub url: Option<String>,
    /// The first pages, at depth 0.
    pub pages: Vec<Candidate>,
    /// No pages will come but those that these lead to, so the job ends when it runs dry. Otherwise it stays open
    /// until [`Store::seal`](crate::Store::seal).
    pub sealed: bool,
    /// What becomes of documents after they were read.
    pub retention: Retention,
    /// Nothing of its pages reaches a disk: where documents would have to be put aside, the job fails.
    pub in_memory: bool,
    /// Whose it is and what it may spend; `None` where nobody asks.
    pub account: Option<Box<JobAccount>>,
    /// Where its events go. The documents of a job with a webhook are kept, whatever `retention` says.
    pub webhook: Option<Arc<WebhookPlan>>,
}

impl NewJob {
    /// A sealed job that streams its documents, has no webhook and belongs to nobody.
    #[must_use]
    pub fn new(id: JobId, kind: Option<JobKind>, rules: JobRules, pages: Vec<Candidate>) -> Self {
        Self {
            id,
            kind,
            request: Value::Null,
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

/// Pages to work on now.
#[derive(Debug, Default)]
pub struct Leases {
    /// The pages, each leased to the caller alone until it finishes them or the lease expires.
    pub pages: Vec<LeasedPage>,
    /// When more may become ready by time alone; `None` where only an event can make more ready.
    pub next: Option<Duration>,
}

/// A page to work on.
#[derive(Debug, Clone)]
pub struct LeasedPage {
    /// Names this lease.
    pub lease: LeaseId,
    /// The job it belongs to.
    pub job: JobId,
    /// What to fetch.
    pub url: Url,
    /// Its identity within the job.
    pub key: UrlKey,
    /// Clicks from the start page or the sitemap, as known now.
    pub depth: u32,
    /// The page is outside the site: its links are not followed.
    pub external: bool,
    /// How often it was leased before.
    pub attempt: u32,
    /// It waited because its team had all of its slots in use.
    pub waited_for_slot: bool,
    /// How many requests its host may have under way at once, as known now.
    pub places: u32,
    /// When the lease ends of itself.
    pub expires_at: Duration,
}

/// What came of a leased page.
#[derive(Debug)]
pub struct FinishedPage {
    /// The lease.
    pub lease: LeasedPage,
    /// How it ended.
    pub outcome: PageOutcome,
    /// The page that answered, where it is another than the one asked for. If the job has seen it already, the
    /// document is a duplicate and is not stored.
    pub redirected_to: Option<UrlKey>,
    /// False where nothing was asked of the host for this page, because robots.txt forbids it, say: the gap that the host
    /// wishes and the delay of the job then go on from the request before.
    pub asked: bool,
    /// How the host answered, where it was asked: it is asked for more or less at once from then on.
    pub observed: Option<Observation>,
    /// The address that the host was found at, where it was dialled: hosts of one address are not asked for more together
    /// than it bears.
    pub address: Option<IpAddr>,
    /// What the page said, where that is to be compared with other pages of the job: families of pages that say the
    /// same over and over are put off behind the others of their host. `None` changes nothing.
    pub fingerprint: Option<Fingerprint>,
    /// Links found that belong to the job.
    pub links: Vec<Candidate>,
    /// What the history of the page is to have as its last scrape, where its document is stored.
    pub remembered: Option<Box<Remembered>>,
    /// The user named the page without the slash of its address ([`PageFailure::slash_added`]).
    pub slash_added: bool,
}

impl FinishedPage {
    /// A page that ended so, and of which nothing else is known. It was asked for unless it was returned.
    #[must_use]
    pub fn new(lease: LeasedPage, outcome: PageOutcome) -> Self {
        Self {
            lease,
            asked: !matches!(outcome, PageOutcome::Return(_)),
            outcome,
            redirected_to: None,
            observed: None,
            address: None,
            fingerprint: None,
            links: Vec::new(),
            remembered: None,
            slash_added: false,
        }
    }
}

/// How a page ended.
#[derive(Debug)]
pub enum PageOutcome {
    /// With a document, which cost so many credits.
    Document(Box<Document>, u64),
    /// Without one.
    Failed(PageError),
    /// robots.txt forbids it.
    RobotsBlocked,
    /// It is not one of the results: fetched for its links alone.
    Skipped,
    /// It goes back to the queue, not to be leased before then.
    Retry(Duration),
    /// The same, of a page that was not asked for while it was leased: this was none of its tries.
    Return(Duration),
}

/// What the store did with a finished page.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Receipt {
    /// False where the lease had expired or its job had ended: nothing was changed.
    pub accepted: bool,
    /// So many links were new.
    pub admitted: u64,
    /// The job ended with this page.
    pub job_ended: bool,
}

/// How much [`Store::read`](crate::Store::read) may return. One document is returned whatever its size.
#[derive(Debug, Clone, Copy)]
pub struct ReadBound {
    /// At most so many documents.
    pub documents: usize,
    /// At most so many bytes of them: of the JSON where that is kept, else by the store's own weight.
    pub bytes: usize,
}

impl Default for ReadBound {
    fn default() -> Self {
        Self { documents: 16, bytes: 1 << 20 }
    }
}

/// Documents in order of completion.
#[derive(Debug, Default)]
pub struct Slice {
    /// The documents.
    pub documents: Vec<Document>,
    /// The position of the next one, to be read from next.
    pub next: u64,
    /// The job has ended and nothing comes after these.
    pub end: bool,
}

/// Documents in order of completion, each as the JSON that was stored.
#[derive(Debug, Default)]
pub struct JsonSlice {
    /// The documents. Cloning one copies nothing.
    pub documents: Vec<Bytes>,
    /// The position of the next one, to be read from next.
    pub next: u64,
    /// The job has ended and nothing comes after these.
    pub end: bool,
}

/// A job that runs, for lists of them.
#[derive(Debug, Clone)]
pub struct JobListing {
    /// Where it stands.
    pub snapshot: JobSnapshot,
    /// The request as it came.
    pub request: Value,
}

/// A page without a document.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PageFailure {
    /// A number within the job.
    pub sequence: u64,
    /// When, since the Unix epoch.
    pub at: Duration,
    /// The address asked for.
    pub url: Url,
    /// The user wrote it without a path (`https://example.com`), so that its slash was added.
    pub slash_added: bool,
    /// Why.
    pub error: PageError,
}

impl PageFailure {
    /// The address as it was asked for.
    #[must_use]
    pub fn asked_for(&self) -> Cow<'_, str> {
        as_written(&self.url, self.slash_added)
    }
}

/// A page that robots.txt forbids.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BlockedPage {
    /// Its address.
    pub url: Url,
    /// As of a [`PageFailure`].
    pub slash_added: bool,
}

impl BlockedPage {
    /// The address as it was asked for.
    #[must_use]
    pub fn asked_for(&self) -> Cow<'_, str> {
        as_written(&self.url, self.slash_added)
    }
}

/// Pages of a job that gave no document.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct PageFailures {
    /// In order, bounded; how many there were is in [`JobSnapshot::failed`].
    pub failures: Vec<PageFailure>,
    /// What robots.txt forbade, in order, bounded.
    pub robots_blocked: Vec<BlockedPage>,
}

/// Why a job failed as a whole.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum JobFailure {
    /// Its team can pay for no further page.
    InsufficientCredits,
    /// There is no room for a further document.
    NoRoom,
    /// Whoever works on it said so ([`Store::fail`](crate::Store::fail)).
    Other,
}

/// A job at one moment.
#[derive(Debug, Clone, PartialEq)]
pub struct JobSnapshot {
    /// Its id.
    pub id: JobId,
    /// What it is for; `None` for a page that is answered at once.
    pub kind: Option<JobKind>,
    /// Whose it is; `None` where nobody asks.
    pub team: Option<TeamId>,
    /// Where it stands.
    pub state: JobState,
    /// Pages with a document.
    pub completed: u64,
    /// Pages admitted: waiting, in work, done. Equal to `completed` at the end.
    pub total: u64,
    /// Pages that failed.
    pub failed: u64,
    /// Pages that robots.txt forbade.
    pub robots_blocked: u64,
    /// Tokens that went into the one result of a job that gives one.
    pub tokens_used: u64,
    /// What the documents cost, or the one result.
    pub credits_used: u64,
    /// Since the Unix epoch.
    pub created_at: Duration,
    /// Since the Unix epoch; `None` while it runs.
    pub ended_at: Option<Duration>,
    /// What the reader should know.
    pub warning: Option<String>,
    /// Why the job failed as a whole; `None` unless it did.
    pub failure: Option<JobFailure>,
    /// The same in words.
    pub error: Option<String>,
}
