//! From an answer to a document: light pages are transformed inline, the others on blocking threads with
//! permits.
//!
//! Permits bound the work, because a large page occupies a processor for long, and a small PDF can keep its
//! parser busy for long with nothing to stop it. With a [`ReadPdf`](crate::ReadPdf), PDFs are not parsed
//! here. Without it, a PDF that takes too long fails, but its permit becomes free only when its thread ends:
//! at worst, other PDFs wait and fail too, while all other work continues. Other pages stop soon after their
//! time is over. The memory of pages is bounded separately ([`crate::memory`]).

use std::panic::AssertUnwindSafe;
use std::sync::Arc;

use futures_util::FutureExt as _;
use gleaner_frontier::{Sitemap, sitemap};
use gleaner_types::media::{MediaType, is_pdf};
use gleaner_types::plan::ScrapeOptionsPlan;
use gleaner_types::{ErrorCode, Interrupt, PageError};
use tokio::sync::OwnedSemaphorePermit;
use tokio::time::{Instant, timeout_at};

use crate::blocking::{BlockingError, WaitLimits, blocking_in_turn, blocking_to_end};
use crate::context::JobContext;
use crate::fair_semaphore::SlotOwner;
use crate::limits::MAX_TRANSFORM_TIME;
use crate::ports::{Fetched, PdfTask, TransformTask, Transformed};
use crate::shared::Shared;

/// Bodies from this size on use the permits for large bodies.
const LARGE_BODY: usize = 1 << 20;

/// Maximum bytes of a light body. Light pages are transformed on a runtime thread, which blocks the
/// connections that share it: a typical page of this size takes at most 2 ms. On another thread, the work
/// loses its caches and waits in a queue.
const MAX_LIGHT_BODY: usize = 128 << 10;

/// Maximum number of tags of a light page. The cost of a page grows with its elements, by about a
/// microsecond each.
const MAX_LIGHT_TAGS: usize = 8_000;

/// Maximum bytes of the selectors of a light page.
const MAX_LIGHT_SELECTORS: usize = 2_000;

/// Units of work after which a page that seemed light restarts on a blocking thread, about 10 ms: a few bytes
/// can produce many elements.
const MAX_LIGHT_UNITS: u64 = 500_000;

/// Sitemaps from this size on are parsed on a blocking thread.
const LARGE_SITEMAP: usize = 256 << 10;

/// The first bytes of a gzip file (RFC 1952, 2.3.1).
const GZIP: &[u8] = &[0x1f, 0x8b];

/// Transforms a page until the deadline. Returns the answer as well. A panic of the transformer fails this
/// page only.
pub(crate) async fn transform(
    shared: &Arc<Shared>,
    job: &Arc<JobContext>,
    page: Fetched,
    deadline: Instant,
) -> (Fetched, Result<Transformed, PageError>) {
    let pdf = is_pdf(page.content_type.as_deref(), &page.body);
    if pdf && let Some(result) = read_pdf(shared, job, &page, deadline).await {
        return (page, result);
    }
    if !pdf && is_light(&page, &job.options) {
        let interrupt = Interrupt::after(MAX_LIGHT_UNITS);
        let transform = AssertUnwindSafe(|| shared.transform.transform(task(job, &page, &interrupt)));
        let transformed =
            std::panic::catch_unwind(transform).unwrap_or_else(|_| Err(failed(BlockingError::Failed)));
        if !interrupt.is_raised() {
            return (page, transformed);
        }
    }
    // Memory comes before the permit, so that a page that waits for memory holds no permit. Only the deadline
    // bounds this wait, because it depends on the pages before this one.
    let bytes = shared.transform.memory(&page);
    let owner = SlotOwner::new(job.team.as_ref(), &page.url);
    let Ok(memory) = timeout_at(deadline, shared.memory.grant(&owner, bytes)).await else {
        return (page, Err(failed(BlockingError::NoCapacity)));
    };
    let places = &shared.transforms;
    let (turns, also) = match page.body.len() {
        _ if pdf => (&places.pdfs, None),
        LARGE_BODY.. => (&places.large, None),
        _ => (&places.medium_turns, Some(Arc::clone(&places.medium))),
    };
    let permit = async {
        let turn = turns.acquire(&owner, false).await;
        let also = match also {
            Some(permits) => Some(permits.acquire_owned().await.ok()?),
            None => None,
        };
        Some((turn, also))
    };
    let interrupt = Interrupt::armed();
    let limits = WaitLimits { deadline, max_wait: MAX_TRANSFORM_TIME };
    let work = {
        let (shared, job, page, interrupt) =
            (Arc::clone(shared), Arc::clone(job), page.clone(), interrupt.clone());
        move || {
            // Released when the work ends, even if the caller stops waiting earlier.
            let _memory = memory;
            shared.transform.transform(task(&job, &page, &interrupt))
        }
    };
    let transformed =
        blocking_in_turn(permit, &interrupt, limits, work).await.unwrap_or_else(|error| Err(failed(error)));
    (page, transformed)
}

fn task<'t>(job: &'t JobContext, page: &'t Fetched, interrupt: &'t Interrupt) -> TransformTask<'t> {
    // Only a scrape has a deadline for the whole job.
    let many_pages = job.deadline.is_none();
    TransformTask { page, options: &job.options, interrupt, kept: &job.transform_session, many_pages }
}

/// Is the transform of a page likely to take at most a few milliseconds?
fn is_light(page: &Fetched, options: &ScrapeOptionsPlan) -> bool {
    let formats = &options.formats;
    let tags = options.include_tags.iter().chain(&options.exclude_tags);
    let selectors = tags.chain(formats.attributes.iter().map(|attribute| &attribute.selector));
    page.body.len() <= MAX_LIGHT_BODY
        // The search for the fields of a schema covers the whole page.
        && formats.json.is_none()
        && selectors.map(String::len).sum::<usize>() <= MAX_LIGHT_SELECTORS
        && memchr::memchr_iter(b'<', &page.body).count() <= MAX_LIGHT_TAGS
}

/// Converts a PDF through the [`ReadPdf`](crate::ReadPdf) port. `None` leaves it to the transformer.
async fn read_pdf(
    shared: &Shared,
    job: &JobContext,
    page: &Fetched,
    deadline: Instant,
) -> Option<Result<Transformed, PageError>> {
    let pdfs = shared.pdfs.as_ref()?;
    let deadline = match job.deadline {
        Some(_) => deadline,
        None => deadline.min(Instant::now() + job.options.timeout.min(MAX_TRANSFORM_TIME)),
    };
    let turn = PdfTask { team: job.team.as_ref(), deadline };
    let result = AssertUnwindSafe(pdfs.read_pdf(page, &job.options, turn)).catch_unwind().await;
    result.unwrap_or_else(|_| Some(Err(failed(BlockingError::Failed))))
}

/// A parsed sitemap, with the crawl priority of each page.
#[derive(Debug, Default)]
pub(crate) struct ParsedSitemap {
    pub(crate) sitemap: Sitemap,
    pub(crate) priorities: Vec<u8>,
    /// Held by a large one as long as its pages are in memory: few are at once.
    pub(crate) place: Option<OwnedSemaphorePermit>,
}

/// Parses a sitemap and ranks its pages. This cannot be interrupted; the wait for a permit is finite because
/// the size of each sitemap is bounded.
pub(crate) async fn sitemap(shared: &Shared, page: Fetched) -> ParsedSitemap {
    // A compressed sitemap can be large once it is decompressed.
    let is_small = page.body.len() < LARGE_SITEMAP && !page.body.starts_with(GZIP);
    let parse = move |place| {
        let sitemap = sitemap::parse_as(&page.body, &page.url, charset(&page).as_deref());
        let priorities = sitemap.crawl_priorities();
        ParsedSitemap { sitemap, priorities, place }
    };
    let permits = &shared.transforms.sitemaps;
    let parsing = async move {
        if is_small {
            return Some(parse(None));
        }
        let place = Arc::clone(permits).acquire_owned().await.ok()?;
        blocking_to_end(move || parse(Some(place))).await
    };
    let parsed = AssertUnwindSafe(parsing).catch_unwind().await;
    parsed.ok().flatten().unwrap_or_default()
}

/// The `charset` of a content type.
fn charset(page: &Fetched) -> Option<String> {
    let content_type = MediaType::of_header(page.content_type.as_deref()?);
    content_type.parameter("charset").map(ToOwned::to_owned)
}

fn failed(error: BlockingError) -> PageError {
    let (code, message) = match error {
        BlockingError::Failed => (ErrorCode::UnknownError, "the engine failed on this page"),
        BlockingError::NoCapacity => {
            (ErrorCode::ScrapeTimeout, "Scrape timed out: no slot was free in time to transform the page")
        }
        BlockingError::Late => {
            (ErrorCode::ScrapeTimeout, "Scrape timed out: the transform of the page took too long")
        }
    };
    PageError { code, message: message.to_owned() }
}
