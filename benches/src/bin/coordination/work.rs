//! Works on a job through the API of the store. Fetch and transform take no time.

use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use futures_util::StreamExt as _;
use futures_util::stream::FuturesUnordered;
use gleaner_frontier::{Candidate, JobRules, Observation};
use gleaner_postgres::{PostgresConfig, PostgresStore};
use gleaner_store::{FinishedPage, LeasedPage, NewJob, PageOutcome, Retention, Store as _, WorkerId};
use gleaner_types::{Document, JobId, JobKind};

use crate::site::text;
use crate::{Failure, now};

/// Pages in work at once, of one store.
pub(crate) const CONCURRENCY: usize = 64;
/// Wait at most this long for pages that become ready without a notice.
const MAX_PAUSE: Duration = Duration::from_millis(50);

/// The configuration of a store whose limits do not matter.
pub(crate) fn config(url: &str, schema: &str) -> PostgresConfig {
    let mut config = PostgresConfig::new(url);
    schema.clone_into(&mut config.schema);
    let frontier = &mut config.memory.frontier;
    let concurrency = CONCURRENCY as u32;
    (frontier.max_in_flight, frontier.initial_per_host, frontier.max_per_host) =
        (concurrency, concurrency, concurrency);
    frontier.max_queued_per_job = u64::MAX;
    (frontier.max_queued_bytes_per_job, frontier.max_queued_bytes) = (u64::MAX, u64::MAX);
    config
}

/// Submits a job that keeps its documents and does not end.
pub(crate) async fn submit(store: &PostgresStore, pages: Vec<Candidate>) -> Result<JobId, Failure> {
    let id: JobId = "0195c0de-0000-7000-8000-000000000001".parse()?;
    let rules = JobRules::with_limit(u64::from(u32::MAX));
    let job = NewJob {
        sealed: false,
        retention: Retention::Keep,
        ..NewJob::new(id, Some(JobKind::Crawl), rules, pages)
    };
    store.submit(job, now()).await?;
    Ok(id)
}

/// A page that gave a document with these links.
fn finished(lease: LeasedPage, number: u64, links: Vec<Candidate>) -> FinishedPage {
    let document = Document::of_markdown(text(number));
    let observed = Some(Observation { status: Some(200), latency: Duration::ZERO });
    let outcome = PageOutcome::Document(Box::new(document), 1);
    FinishedPage { observed, links, ..FinishedPage::new(lease, outcome) }
}

/// Leases and finishes pages through one store until `is_done` is true of the number of finished pages of
/// all stores. `links` gives the number and the links of a page.
pub(crate) async fn work(
    store: &PostgresStore,
    done: &AtomicU64,
    is_done: impl Fn(u64) -> bool,
    links: impl Fn(&LeasedPage) -> Result<(u64, Vec<Candidate>), Failure>,
) -> Result<(), Failure> {
    let worker = WorkerId::random();
    let mut ready = store.work();
    let mut finishing = FuturesUnordered::new();
    while !is_done(done.load(Ordering::Relaxed)) {
        ready.mark_unchanged();
        let free = CONCURRENCY - finishing.len();
        // Not one page at a time, as by an engine whose pages end together.
        if free >= CONCURRENCY / 8 {
            for lease in store.lease(worker, free, now()).await?.pages {
                let (number, links) = links(&lease)?;
                finishing.push(store.finish(finished(lease, number, links), now()));
            }
        }
        match finishing.next().await {
            Some(receipt) => {
                done.fetch_add(u64::from(receipt?.accepted), Ordering::Relaxed);
            }
            // Ready pages may appear without a notice.
            None => {
                let _ = tokio::time::timeout(MAX_PAUSE, ready.changed()).await;
            }
        }
    }
    while let Some(receipt) = finishing.next().await {
        done.fetch_add(u64::from(receipt?.accepted), Ordering::Relaxed);
    }
    store.release(worker, now()).await?;
    Ok(())
}
