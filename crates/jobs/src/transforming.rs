//! From an answer to a document: what is small is transformed where it is, the rest on threads for blocking work, of which
//! there are a few.
//!
//! Why places and not threads without end: a large page keeps a processor busy for long, and a PDF is read by a parser that
//! a small file can keep busy for long and that nothing can stop. Where there is a [`ReadPdf`](crate::ReadPdf), PDFs are not
//! read here. Where they are, one that takes too long is given up, but its place is only free when its thread has ended: the
//! worst that such files do is that other PDFs wait and are given up too, while everything else goes on. What pages take in
//! memory is counted apart ([`crate::memory`]).

use std::panic::AssertUnwindSafe;
use std::sync::Arc;
use std::time::Duration;

use futures_util::FutureExt as _;
use gleaner_frontier::{Sitemap, sitemap};
use gleaner_types::{ErrorCode, PageError};
use tokio::sync::Semaphore;
use tokio::time::{Instant, timeout};

use crate::context::JobContext;
use crate::ports::{Fetched, PdfTurn, Transformed};
use crate::shared::Shared;

/// PDFs that are read at once, where no [`ReadPdf`](crate::ReadPdf) reads them.
pub const MAX_PDFS_AT_ONCE: usize = 2;

/// Other bodies larger than 256 KiB that are transformed at once.
pub const MAX_LARGE_AT_ONCE: usize = 4;

/// Large sitemaps that are read at once: each may be gzip of 50 MB.
pub const MAX_SITEMAPS_AT_ONCE: usize = 2;

/// A PDF or a large body waits so long for its place, and is given up when it has been worked on for so long again.
pub const MAX_TRANSFORM_TIME: Duration = Duration::from_secs(60);

/// Bodies larger than this are not transformed on a thread of the runtime, where they would hold up the connections
/// that share it with them.
const LARGE_BODY: usize = 256 << 10;

/// What a gzip file begins with (RFC 1952, 2.3.1).
const GZIP: &[u8] = &[0x1f, 0x8b];

/// The places for what takes long.
#[derive(Debug)]
pub(crate) struct Places {
    pdfs: Arc<Semaphore>,
    large: Arc<Semaphore>,
    sitemaps: Arc<Semaphore>,
}

impl Default for Places {
    fn default() -> Self {
        Self {
            pdfs: Arc::new(Semaphore::new(MAX_PDFS_AT_ONCE)),
            large: Arc::new(Semaphore::new(MAX_LARGE_AT_ONCE)),
            sitemaps: Arc::new(Semaphore::new(MAX_SITEMAPS_AT_ONCE)),
        }
    }
}

/// The answer back, and what came of it. A panic of the transformer is this page's failure.
pub(crate) async fn transform(
    shared: &Arc<Shared>,
    job: &Arc<JobContext>,
    page: Fetched,
) -> (Fetched, Result<Transformed, PageError>) {
    let pdf = is_pdf(&page);
    if pdf && let Some(read) = read_pdf(shared, job, &page).await {
        return (page, read);
    }
    if page.body.len() < LARGE_BODY && !pdf {
        let transform = AssertUnwindSafe(|| shared.transform.transform(&page, &job.options));
        let transformed = std::panic::catch_unwind(transform).unwrap_or_else(|_| Err(panicked()));
        return (page, transformed);
    }
    // Before the place, which a page that waits for memory would keep from others. Only the lease bounds this wait: it is
    // no fault of the page, and those before it have their time.
    let memory = if pdf { None } else { shared.memory.grant(shared.transform.memory(&page)).await };
    let places = if pdf { &shared.places.pdfs } else { &shared.places.large };
    let Ok(Ok(place)) = timeout(MAX_TRANSFORM_TIME, Arc::clone(places).acquire_owned()).await else {
        return (page, Err(too_slow("no place to work on it in")));
    };
    let (shared, job, large) = (Arc::clone(shared), Arc::clone(job), page.clone());
    let work = tokio::task::spawn_blocking(move || {
        // Freed when the work has ended, and not when nobody waits for it any more.
        let _held = (place, memory);
        shared.transform.transform(&large, &job.options)
    });
    match timeout(MAX_TRANSFORM_TIME, work).await {
        Ok(transformed) => (page, transformed.unwrap_or_else(|_| Err(panicked()))),
        Err(_) => (page, Err(too_slow("no end of the work on it"))),
    }
}

/// Has a PDF read where that can be stopped. `None` leaves it to the transformer.
async fn read_pdf(
    shared: &Shared,
    job: &JobContext,
    page: &Fetched,
) -> Option<Result<Transformed, PageError>> {
    let pdfs = shared.pdfs.as_ref()?;
    let until = match job.deadline {
        Some(deadline) => shared.clock.instant(deadline),
        None => Instant::now() + job.options.timeout.min(MAX_TRANSFORM_TIME),
    };
    let turn = PdfTurn { team: job.team.as_ref(), until };
    let read = AssertUnwindSafe(pdfs.read_pdf(page, &job.options, turn)).catch_unwind().await;
    read.unwrap_or_else(|_| Some(Err(panicked())))
}

/// Reads a sitemap and the order of its pages, which nothing can stop: the wait for a place ends because each is bounded in
/// bytes.
pub(crate) async fn sitemap(shared: &Shared, page: Fetched) -> (Sitemap, Vec<u8>) {
    // What is packed may be as much as the rest.
    let is_small = page.body.len() < LARGE_BODY && !page.body.starts_with(GZIP);
    let parse = move || {
        let sitemap = sitemap::parse(&page.body, &page.url);
        let priorities = sitemap.crawl_priorities();
        (sitemap, priorities)
    };
    if is_small {
        return std::panic::catch_unwind(AssertUnwindSafe(parse)).unwrap_or_default();
    }
    let place = Arc::clone(&shared.places.sitemaps).acquire_owned().await;
    let work = tokio::task::spawn_blocking(move || {
        let _place = place;
        parse()
    });
    work.await.unwrap_or_default()
}

/// By its type, or by its first bytes, which the transformer believes more.
fn is_pdf(page: &Fetched) -> bool {
    let said = page.content_type.as_deref().and_then(|header| header.split(';').next()).unwrap_or_default();
    let head = page.body.get(..1_024).unwrap_or(&page.body);
    said.trim().eq_ignore_ascii_case("application/pdf") || memchr::memmem::find(head, b"%PDF-").is_some()
}

fn panicked() -> PageError {
    PageError { code: ErrorCode::UnknownError, message: "the engine failed on this page".to_owned() }
}

fn too_slow(what: &str) -> PageError {
    let seconds = MAX_TRANSFORM_TIME.as_secs();
    PageError {
        code: ErrorCode::ScrapeTimeout,
        message: format!("there was {what} within {seconds} seconds"),
    }
}
