//! From an answer to a document: what is light is transformed where it is, the rest on a few threads for
//! blocking work.
//!
//! Why places and not threads without end: a large page keeps a processor busy for long, and a PDF is read by
//! a parser that a small file can keep busy for long and that nothing can stop. Where there is a
//! [`ReadPdf`](crate::ReadPdf), PDFs are not read here. Where they are, one that takes too long is given up,
//! but its place is only free when its thread has ended: the worst that such files do is that other PDFs wait
//! and are given up too, while everything else goes on. Other pages end soon after they are given up. What
//! pages take in memory is counted apart ([`crate::memory`]).

use std::panic::AssertUnwindSafe;
use std::sync::Arc;

use futures_util::FutureExt as _;
use gleaner_frontier::{Sitemap, sitemap};
use gleaner_types::plan::ScrapeOptionsPlan;
use gleaner_types::{ErrorCode, Interrupt, PageError};
use tokio::time::{Instant, timeout_at};

use crate::blocking::{BlockingError, WaitLimits, blocking, blocking_with_permit};
use crate::context::JobContext;
use crate::limits::MAX_TRANSFORM_TIME;
use crate::ports::{Fetched, PdfTurn, TransformTask, Transformed};
use crate::shared::Shared;

/// Bodies from this size on are transformed in the places for large ones.
const LARGE_BODY: usize = 1 << 20;

/// Bodies up to this size may be transformed on a thread of the runtime, where they hold up the connections
/// that share it with them: a common page of this size takes 2 ms at most, and work that moves to another
/// thread loses its caches and waits for a turn there.
const LIGHT_BODY: usize = 128 << 10;

/// More tags than this are too many for a light page: it is the number of its elements that a page costs by,
/// about a microsecond for each.
const LIGHT_TAGS: usize = 8_000;

/// More bytes of selectors than this are too many for a light page.
const LIGHT_SELECTORS: usize = 2_000;

/// Units of work after which a page that seemed light is begun anew elsewhere, about 10 ms: a few bytes can
/// make many elements.
const LIGHT_UNITS: u64 = 500_000;

/// Sitemaps from this size on are read aside.
const LARGE_SITEMAP: usize = 256 << 10;

/// What a gzip file begins with (RFC 1952, 2.3.1).
const GZIP: &[u8] = &[0x1f, 0x8b];

/// The answer back, and what came of it until nobody waits for it any more. A panic of the transformer is
/// this page's failure.
pub(crate) async fn transform(
    shared: &Arc<Shared>,
    job: &Arc<JobContext>,
    page: Fetched,
    until: Instant,
) -> (Fetched, Result<Transformed, PageError>) {
    let pdf = is_pdf(&page);
    if pdf && let Some(read) = read_pdf(shared, job, &page, until).await {
        return (page, read);
    }
    if !pdf && is_light(&page, &job.options) {
        let interrupt = Interrupt::after(LIGHT_UNITS);
        let transform = AssertUnwindSafe(|| shared.transform.transform(task(job, &page, &interrupt)));
        let transformed =
            std::panic::catch_unwind(transform).unwrap_or_else(|_| Err(failed(BlockingError::Failed)));
        if !interrupt.is_raised() {
            return (page, transformed);
        }
    }
    // Before the place, which a page that waits for memory would keep from others. Only the end of all bounds
    // this wait: it is no fault of the page, and those before it have their time.
    let needs = shared.transform.memory(&page);
    let Ok(memory) = timeout_at(until, shared.memory.grant(needs)).await else {
        return (page, Err(failed(BlockingError::NoCapacity)));
    };
    let places = match page.body.len() {
        _ if pdf => &shared.transforms.pdfs,
        LARGE_BODY.. => &shared.transforms.large,
        _ => &shared.transforms.medium,
    };
    let interrupt = Interrupt::armed();
    let patience = WaitLimits { until, each: MAX_TRANSFORM_TIME };
    let work = {
        let (shared, job, page, interrupt) =
            (Arc::clone(shared), Arc::clone(job), page.clone(), interrupt.clone());
        move || {
            // Freed when the work has ended, and not when nobody waits for it any more.
            let _memory = memory;
            shared.transform.transform(task(&job, &page, &interrupt))
        }
    };
    let transformed =
        blocking(places, &interrupt, patience, work).await.unwrap_or_else(|error| Err(failed(error)));
    (page, transformed)
}

fn task<'t>(job: &'t JobContext, page: &'t Fetched, interrupt: &'t Interrupt) -> TransformTask<'t> {
    TransformTask { page, options: &job.options, interrupt, kept: &job.transforming }
}

/// Is a page likely to take no more than a few milliseconds?
fn is_light(page: &Fetched, options: &ScrapeOptionsPlan) -> bool {
    let formats = &options.formats;
    let tags = options.include_tags.iter().chain(&options.exclude_tags);
    let selectors = tags.chain(formats.attributes.iter().map(|asked| &asked.selector));
    page.body.len() <= LIGHT_BODY
        // Fields are bound to all that the page says.
        && formats.json.is_none()
        && selectors.map(String::len).sum::<usize>() <= LIGHT_SELECTORS
        && memchr::memchr_iter(b'<', &page.body).count() <= LIGHT_TAGS
}

/// Has a PDF read where that can be stopped. `None` leaves it to the transformer.
async fn read_pdf(
    shared: &Shared,
    job: &JobContext,
    page: &Fetched,
    until: Instant,
) -> Option<Result<Transformed, PageError>> {
    let pdfs = shared.pdfs.as_ref()?;
    let until = match job.deadline {
        Some(_) => until,
        None => until.min(Instant::now() + job.options.timeout.min(MAX_TRANSFORM_TIME)),
    };
    let turn = PdfTurn { team: job.team.as_ref(), until };
    let read = AssertUnwindSafe(pdfs.read_pdf(page, &job.options, turn)).catch_unwind().await;
    read.unwrap_or_else(|_| Some(Err(failed(BlockingError::Failed))))
}

/// Reads a sitemap and the order of its pages, which nothing can stop: the wait for a place ends because each
/// is bounded in bytes.
pub(crate) async fn sitemap(shared: &Shared, page: Fetched) -> (Sitemap, Vec<u8>) {
    // What is packed may be as much as the rest.
    let is_small = page.body.len() < LARGE_SITEMAP && !page.body.starts_with(GZIP);
    let parse = move || {
        let sitemap = sitemap::parse(&page.body, &page.url);
        let priorities = sitemap.crawl_priorities();
        (sitemap, priorities)
    };
    let places = &shared.transforms.sitemaps;
    let read =
        async move { if is_small { Some(parse()) } else { blocking_with_permit(places, parse).await } };
    let read = AssertUnwindSafe(read).catch_unwind().await;
    read.ok().flatten().unwrap_or_default()
}

/// May it be one? Its type says so, or its first bytes. What it is read as, the transformer decides.
fn is_pdf(page: &Fetched) -> bool {
    let said = page.content_type.as_deref().and_then(|header| header.split(';').next()).unwrap_or_default();
    let head = page.body.get(..1_024).unwrap_or(&page.body);
    said.trim().eq_ignore_ascii_case("application/pdf") || memchr::memmem::find(head, b"%PDF-").is_some()
}

fn failed(error: BlockingError) -> PageError {
    let (code, message) = match error {
        BlockingError::Failed => (ErrorCode::UnknownError, "the engine failed on this page"),
        BlockingError::NoCapacity => (
            ErrorCode::ScrapeTimeout,
            "Scrape timed out: there was no place to transform the page in before its time was over",
        ),
        BlockingError::Late => (
            ErrorCode::ScrapeTimeout,
            "Scrape timed out: the page was still being transformed when its time was over",
        ),
    };
    PageError { code, message: message.to_owned() }
}
