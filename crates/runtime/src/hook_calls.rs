//! Calls of the embedder's hooks: bounded in time, and with their panics caught.
//!
//! The sync hooks run on blocking threads, with a permit each. So a hook that blocks holds no thread of the
//! runtime, and hooks that never return hold a bounded number of blocking threads.

use std::panic::AssertUnwindSafe;
use std::sync::Arc;
use std::time::Duration;

use futures_util::FutureExt as _;
use gleaner_frontier::Candidate;
use gleaner_store::{FinishedPage, PageOutcome};
use gleaner_types::{Document, ErrorCode, Interrupt, JobId, PageError};
use tokio::sync::Semaphore;
use tokio::time::{Instant, timeout_at};
use url::Url;

use crate::blocking::{BlockingError, WaitLimits, blocking};
use crate::hooks::{
    EndOutcome, Follow, FoundLink, HOOK_TIME, Pace, PageAttempt, PageEnd, PageFacts, PageHooks, RequestDraft,
    Retry,
};
use crate::timings::Measured;

/// Maximum number of blocking threads that hooks use at once.
pub const MAX_HOOK_THREADS: usize = 16;

/// The priority of a link that is followed first.
const FIRST: u8 = Candidate::AUXILIARY - 1;

/// The hooks of the embedder.
#[derive(Debug)]
pub(crate) struct Hooks {
    hooks: Arc<dyn PageHooks>,
    threads: Arc<Semaphore>,
}

/// A page whose links may be followed.
#[derive(Debug)]
pub(crate) struct LinkingPage {
    pub(crate) job: JobId,
    /// After redirects.
    pub(crate) url: Url,
    pub(crate) status: u16,
    pub(crate) depth: u32,
    pub(crate) document: Document,
}

/// The links of a page after the hook.
#[derive(Debug, Default)]
pub(crate) struct FollowedLinks {
    pub(crate) links: Vec<Candidate>,
    /// With the reason of each.
    pub(crate) skipped: Vec<(Url, String)>,
}

/// An attempt that failed, or answered with an error status.
#[derive(Debug)]
pub(crate) struct EndedAttempt {
    pub(crate) job: JobId,
    pub(crate) url: Url,
    /// From 1.
    pub(crate) number: u32,
    pub(crate) status: Option<u16>,
    pub(crate) error: Option<PageError>,
    pub(crate) retry_after: Option<Duration>,
    pub(crate) is_retryable: bool,
}

/// A page that has ended.
#[derive(Debug)]
pub(crate) struct EndedPage {
    job: JobId,
    url: Url,
    attempts: u32,
    outcome: OwnedOutcome,
}

/// The outcome of a page that has ended.
#[derive(Debug)]
enum OwnedOutcome {
    Document,
    Failed(PageError),
    RobotsBlocked,
    Skipped,
}

impl EndedPage {
    /// A page with its outcome. `None` if it returns to the queue, or if it is no page, but a sitemap.
    pub(crate) fn of(page: &FinishedPage) -> Option<Self> {
        let outcome = match &page.outcome {
            PageOutcome::Document(..) => OwnedOutcome::Document,
            PageOutcome::Failed(error) => OwnedOutcome::Failed(error.clone()),
            PageOutcome::RobotsBlocked(_) => OwnedOutcome::RobotsBlocked,
            PageOutcome::Skipped => OwnedOutcome::Skipped,
            PageOutcome::Retry(_) | PageOutcome::Return(_) => return None,
        };
        let leased = &page.lease;
        let attempts = leased.attempt.saturating_add(1);
        (!leased.auxiliary).then(|| Self { job: leased.job, url: leased.url.clone(), attempts, outcome })
    }
}

impl Hooks {
    pub(crate) fn new(hooks: Arc<dyn PageHooks>) -> Self {
        Self { hooks, threads: Arc::new(Semaphore::new(MAX_HOOK_THREADS)) }
    }

    /// Asks which links of a page to follow. The page comes back in any case.
    pub(crate) async fn follow(
        &self,
        page: LinkingPage,
        links: Vec<Candidate>,
    ) -> (Document, Result<FollowedLinks, PageError>) {
        let page = Arc::new(page);
        let shared = Arc::clone(&page);
        let followed = self.call("follow", move |hooks| follow_all(hooks, &shared, links)).await;
        let document = match Arc::try_unwrap(page) {
            Ok(page) => page.document,
            // The hook still runs.
            Err(page) => page.document.clone(),
        };
        (document, followed)
    }

    /// Lets the hook change a request. It is stopped at `deadline`.
    pub(crate) async fn prepare(
        &self,
        request: &mut RequestDraft<'_>,
        deadline: Instant,
    ) -> Result<(), PageError> {
        let deadline = deadline.min(Instant::now() + HOOK_TIME);
        // The call is inside of the future, because it may panic too.
        let preparing = AssertUnwindSafe(async { self.hooks.prepare(request).await }).catch_unwind();
        match timeout_at(deadline, preparing).await {
            Ok(Ok(Ok(()))) => Ok(()),
            Ok(Ok(Err(error))) => Err(failure("prepare", &format!("failed: {error}"))),
            Ok(Err(_)) => Err(failure("prepare", PANICKED)),
            Err(_) => Err(failure("prepare", TOO_SLOW)),
        }
    }

    /// The pace of a host.
    pub(crate) async fn pace(&self, host: Box<str>) -> Pace {
        let pace = self.call("pace", move |hooks| hooks.pace(&host)).await;
        logged(pace).flatten().unwrap_or_default()
    }

    /// Whether to request a page again.
    pub(crate) async fn retry(&self, attempt: EndedAttempt) -> Retry {
        let ask = move |hooks: &dyn PageHooks| {
            let EndedAttempt { job, url, number, status, error, retry_after, is_retryable } = &attempt;
            hooks.retry(&PageAttempt {
                job: *job,
                url,
                number: *number,
                status: *status,
                error: error.as_ref(),
                retry_after: *retry_after,
                is_retryable: *is_retryable,
            })
        };
        logged(self.call("retry", ask).await).unwrap_or_default()
    }

    /// Reports the end of a page.
    pub(crate) async fn ended(&self, page: EndedPage, measured: Measured, total: Duration) {
        let report = move |hooks: &dyn PageHooks| {
            let EndedPage { job, url, attempts, outcome } = &page;
            let Measured { timings, bytes, status, cache_state, engine } = measured;
            let outcome = match outcome {
                OwnedOutcome::Document => EndOutcome::Document,
                OwnedOutcome::Failed(error) => EndOutcome::Failed(error),
                OwnedOutcome::RobotsBlocked => EndOutcome::RobotsBlocked,
                OwnedOutcome::Skipped => EndOutcome::Skipped,
            };
            let (job, attempts) = (*job, *attempts);
            hooks.ended(&PageEnd {
                job,
                url,
                status,
                bytes,
                attempts,
                timings,
                total,
                cache_state,
                engine,
                outcome,
            });
        };
        logged(self.call("ended", report).await);
    }

    /// Calls the hook `name` on a blocking thread.
    async fn call<T: Send + 'static>(
        &self,
        name: &str,
        work: impl FnOnce(&dyn PageHooks) -> T + Send + 'static,
    ) -> Result<T, PageError> {
        let hooks = Arc::clone(&self.hooks);
        let limits = WaitLimits { deadline: Instant::now() + HOOK_TIME, max_wait: HOOK_TIME };
        let called = blocking(&self.threads, &Interrupt::armed(), limits, move || work(&*hooks)).await;
        called.map_err(|error| match error {
            BlockingError::Failed => failure(name, PANICKED),
            BlockingError::Late | BlockingError::NoCapacity => failure(name, TOO_SLOW),
        })
    }
}

const PANICKED: &str = "panicked";
const TOO_SLOW: &str = "did not return in time";

/// The failure of a page by the hook `name`.
fn failure(name: &str, what: &str) -> PageError {
    PageError::new(ErrorCode::UnknownError, format!("the hook `{name}` of the embedding program {what}"))
}

/// The result of a hook whose failure is none of its page.
fn logged<T>(result: Result<T, PageError>) -> Option<T> {
    result.inspect_err(|error| tracing::error!(%error, "a hook was ignored")).ok()
}

fn follow_all(hooks: &dyn PageHooks, page: &LinkingPage, links: Vec<Candidate>) -> FollowedLinks {
    let facts = PageFacts::new(page.job, &page.url, page.status, page.depth, &page.document);
    let mut followed = FollowedLinks::default();
    for mut link in links {
        let found = FoundLink::new(&link.url, link.external, page.depth.saturating_add(1));
        match hooks.follow(&found, &facts) {
            Follow::Yes => followed.links.push(link),
            Follow::First => {
                link.priority = FIRST;
                followed.links.push(link);
            }
            Follow::Skip(reason) => followed.skipped.push((link.url, reason.into_owned())),
        }
    }
    followed
}
