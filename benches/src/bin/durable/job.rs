//! A job that the measurements run through the API of a store, in virtual time.

use std::path::Path;
use std::time::Duration;

use futures_util::future::join_all;
use gleaner_benches::pages;
use gleaner_frontier::{Candidate, FrontierConfig, Identity, JobRules, Observation};
use gleaner_store::{
    Admission, FinishedPage, LeasedPage, MemoryConfig, NewJob, PageOutcome, Retention, Store, WorkerId,
};
use gleaner_transform::html_to_markdown;
use gleaner_types::{Document, JobId, JobKind};
use url::Url;

use crate::Failure;

/// The time of all calls, since the Unix epoch.
pub(crate) const NOW: Duration = Duration::from_secs(1_700_000_000);

/// Maximum concurrent leases.
pub(crate) const CONCURRENCY: usize = 64;

/// Pages of the job at its start, so that there is a page for each lease.
pub(crate) const FIRST_PAGES: u64 = CONCURRENCY as u64;

/// Bytes of the path of each page, as of `/catalogue/item-00000001`.
pub(crate) const PATH_BYTES: u64 = 24;

/// Limits of a store that takes any number of pages. Its temporary files are in this folder.
pub(crate) fn config(folder: &Path) -> MemoryConfig {
    let mut frontier = FrontierConfig::default();
    let concurrency = CONCURRENCY as u32;
    (frontier.max_in_flight, frontier.initial_per_host, frontier.max_per_host) =
        (concurrency, concurrency, concurrency);
    frontier.max_queued_per_job = u64::MAX;
    (frontier.max_queued_bytes_per_job, frontier.max_queued_bytes) = (u64::MAX, u64::MAX);
    MemoryConfig::default().frontier(frontier).spill_folder(folder.to_owned())
}

/// The job of a store.
pub(crate) fn id() -> Result<JobId, Failure> {
    Ok("0195c0de-0000-7000-8000-000000000001".parse()?)
}

/// The pages of the site, by number.
#[derive(Debug)]
pub(crate) struct Pages(Identity);

impl Pages {
    pub(crate) fn new() -> Self {
        Self(Identity::from_options(false, true))
    }

    pub(crate) fn page(&self, number: u64) -> Result<Candidate, Failure> {
        let url = Url::parse(&format!("https://www.example.com/catalogue/item-{number:08}"))?;
        let key = self.0.key(&url);
        Ok(Candidate { key, url, external: false, priority: Candidate::NORMAL })
    }

    pub(crate) fn range(&self, numbers: std::ops::Range<u64>) -> Result<Vec<Candidate>, Failure> {
        numbers.map(|number| self.page(number)).collect()
    }
}

/// The documents of pages, one after the other: the Markdown of generated pages.
#[derive(Debug)]
pub(crate) struct Documents(Vec<Document>);

impl Documents {
    pub(crate) fn new() -> Self {
        let document = |html: &str| Document::of_markdown(html_to_markdown(html, None));
        Self(pages(500).iter().map(|page| document(&page.html)).collect())
    }

    pub(crate) fn outcome(&self, number: u64) -> PageOutcome {
        let document = self.0.get(number as usize % self.0.len().max(1)).cloned();
        PageOutcome::Document(Box::new(document.unwrap_or_default()), 1)
    }
}

/// Submits the job with its [`FIRST_PAGES`]. It does not end before it is sealed.
pub(crate) async fn start(store: &impl Store, pages: &Pages) -> Result<(), Failure> {
    let job = NewJob {
        sealed: false,
        retention: Retention::Keep,
        ..NewJob::new(id()?, Some(JobKind::Crawl), JobRules::with_limit(u64::MAX), Vec::new())
    };
    store.submit(job, NOW).await?;
    let first = Admission::new(0, pages.range(0..FIRST_PAGES)?);
    let admitted = store.admit(id()?, first, NOW).await?;
    if admitted.new == FIRST_PAGES { Ok(()) } else { Err("the first pages are not admitted".into()) }
}

/// A finished page. Its host has responded.
pub(crate) fn finished(lease: LeasedPage, outcome: PageOutcome, links: Vec<Candidate>) -> FinishedPage {
    let observed = Some(Observation { status: Some(200), latency: Duration::ZERO });
    FinishedPage { observed, links, ..FinishedPage::new(lease, outcome) }
}

/// Leases and finishes this number of pages. Their links give `new` further pages in all. Each page is
/// finished on its own, as by an engine, and [`CONCURRENCY`] of them at once.
pub(crate) async fn crawl(
    store: &impl Store,
    pages: &Pages,
    (ended, new): (u64, u64),
    outcome: impl Fn(u64) -> PageOutcome,
) -> Result<(), Failure> {
    let worker = WorkerId::random();
    // Rounded up, so that a page waits until the last one ends.
    let found_before =
        |number: u64| FIRST_PAGES + (u128::from(number) * u128::from(new)).div_ceil(u128::from(ended)) as u64;
    let mut done = 0;
    while done < ended {
        let max = CONCURRENCY.min(usize::try_from(ended - done).unwrap_or(CONCURRENCY));
        let leases = store.lease(worker, max, NOW).await?.pages;
        if leases.is_empty() {
            return Err("no page is ready".into());
        }
        let mut batch = Vec::with_capacity(leases.len());
        for lease in leases {
            let links = pages.range(found_before(done)..found_before(done + 1))?;
            batch.push(store.finish(finished(lease, outcome(done), links), NOW));
            done += 1;
        }
        for receipt in join_all(batch).await {
            if !receipt?.accepted {
                return Err("a page is not accepted".into());
            }
        }
    }
    Ok(())
}
