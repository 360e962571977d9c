//! The test suite for every [`Store`] implementation.
//!
//! ```
//! # tokio::runtime::Builder::new_current_thread().build().unwrap().block_on(async {
//! gleaner_store::conformance::run(async || gleaner_store::MemoryStore::default()).await;
//! # });
//! ```
//!
//! It panics at the first violation of the contract, with a message.

#![expect(clippy::expect_used, reason = "a violation of the contract ends the suite")]

mod leases;
pub mod model;
mod notes;
mod service;

use std::collections::HashSet;
use std::time::Duration;

use gleaner_frontier::{Candidate, HostFeedback, Identity, JobRules, RobotsLine};
use gleaner_types::{Document, ErrorCode, JobId, JobKind, JobState, PageError};
use tokio::time::{Instant, sleep, timeout};
use url::Url;
use uuid::Uuid;

use crate::{
    Admission, BlockedPage, FailurePosition, FinishedPage, JobWarning, LeasedPage, MAX_UNREAD_DOCUMENTS,
    NewJob, PageFailures, PageOutcome, ReadBound, Receipt, Retention, Store, WorkerId,
};

/// The start time; the suite passes time explicitly.
const START: Duration = Duration::from_secs(1_700_000_000);

/// The worker of most tests.
const WORKER: WorkerId = WorkerId::from_uuid(Uuid::from_u128(1));

/// The longest pause before a store is asked again for pages that are ready.
const LEASE_PAUSE: Duration = Duration::from_millis(100);

/// Runs the whole suite, each test on a new store from `make`.
///
/// # Panics
/// If the store violates its contract.
pub async fn run<S: Store>(make: impl AsyncFn() -> S) {
    run_patiently(make, Duration::ZERO).await;
}

/// As [`run`], for a store that waits for a database: it may return fewer pages than are ready, if it has all
/// of them within `patience`. The runtime needs a timer.
///
/// # Panics
/// If the store violates its contract.
pub async fn run_patiently<S: Store>(make: impl AsyncFn() -> S, patience: Duration) {
    let make = async || Fixture { store: make().await, patience };
    a_page_is_leased_once_and_its_links_follow(make().await).await;
    a_limit_is_never_exceeded(make().await).await;
    a_failed_page_frees_its_place_in_the_limit(make().await).await;
    a_stale_lease_changes_nothing(make().await).await;
    a_redirect_to_a_seen_page_gives_no_second_document(make().await).await;
    an_unsealed_job_stays_open(make().await).await;
    streamed_documents_are_removed_by_a_later_read(make().await).await;
    kept_documents_are_the_same_for_every_reader(make().await).await;
    an_unread_stream_stops_its_job(make().await).await;
    a_cancelled_job_keeps_its_documents(make().await).await;
    a_failed_job_has_an_error(make().await).await;
    robots_refusals_are_listed_separately(make().await).await;
    pages_without_a_document_are_listed_part_by_part(make().await).await;
    an_ended_job_is_removed_after_its_retention(make().await).await;
    unknown_jobs_are_errors(make().await).await;
    leases_respect_the_concurrency_of_the_host(make().await).await;
    leases::run(&make).await;
    notes::run(&make).await;
    service::run(&make).await;
}

/// A store with helpers for the tests.
struct Fixture<S> {
    store: S,
    patience: Duration,
}

impl<S: Store> Fixture<S> {
    async fn submit(&self, number: u128, limit: u64, retention: Retention, pages: &[&str]) -> JobId {
        let id = JobId::from_uuid(Uuid::from_u128(number));
        let rules = JobRules::with_limit(limit);
        let job = NewJob { retention, ..NewJob::new(id, Some(JobKind::Crawl), rules, candidates(pages)) };
        self.store.submit(job, START).await.expect("a job can be submitted");
        id
    }

    /// Leases at most `max` pages. Exactly `count` are ready.
    async fn lease(&self, max: usize, count: usize) -> Vec<LeasedPage> {
        self.lease_at(WORKER, max, count, START).await
    }

    async fn lease_one(&self) -> LeasedPage {
        self.lease(1, 1).await.remove(0)
    }

    async fn lease_at(&self, worker: WorkerId, max: usize, count: usize, now: Duration) -> Vec<LeasedPage> {
        let pages = lease_ready(&self.store, worker, max, count, now, self.patience).await;
        assert_eq!(pages.len(), count, "the pages that are ready are leased");
        if (1..max).contains(&count) {
            let more = self.store.lease(worker, max - count, now).await.expect("pages can be leased").pages;
            assert!(more.is_empty(), "no other page is ready");
        }
        pages
    }

    async fn finish(&self, lease: LeasedPage, outcome: PageOutcome, links: &[&str]) -> Receipt {
        let page = FinishedPage { links: candidates(links), ..FinishedPage::new(lease, outcome) };
        self.store.finish(page, START).await.expect("a page can be finished")
    }

    /// Finishes all pages that are ready, exactly `count`, each with a document that contains its host.
    async fn drain(&self, count: usize) {
        for _ in 0..count {
            let page = self.lease_one().await;
            let outcome = document(&page);
            self.finish(page, outcome, &[]).await;
        }
        self.lease(1, 0).await;
    }

    async fn read(&self, job: JobId, from: u64) -> (Vec<String>, u64, bool) {
        let bound = ReadBound { documents: usize::MAX, bytes: usize::MAX };
        let slice = self.store.read(job, from, bound).await.expect("documents can be read");
        (
            slice.documents.into_iter().filter_map(|document| document.markdown).collect(),
            slice.next,
            slice.end,
        )
    }

    async fn state(&self, job: JobId) -> (JobState, u64, u64) {
        let snapshot = self.store.snapshot(job).await.expect("a job has a snapshot");
        (snapshot.state, snapshot.completed, snapshot.contract_total())
    }
}

/// Leases at most `max` pages. If there are fewer than `count`, which are ready, the store is asked again until
/// the patience is over.
async fn lease_ready<S: Store>(
    store: &S,
    worker: WorkerId,
    max: usize,
    count: usize,
    now: Duration,
    patience: Duration,
) -> Vec<LeasedPage> {
    let (begin, mut work) = (Instant::now(), store.work());
    let mut pages: Vec<LeasedPage> = Vec::new();
    loop {
        let left = max.saturating_sub(pages.len());
        let more = store.lease(worker, left, now).await.expect("pages can be leased").pages;
        assert!(more.len() <= left, "at most {left} pages are leased");
        for page in more {
            let is_same = |other: &LeasedPage| (other.job, other.key) == (page.job, page.key);
            assert!(!pages.iter().any(is_same), "a page is leased once");
            pages.push(page);
        }
        if pages.len() >= count || begin.elapsed() >= patience {
            return pages;
        }
        // Whether it has changed or not, the store is asked again.
        if let Ok(Err(_)) = timeout(LEASE_PAUSE, work.changed()).await {
            sleep(LEASE_PAUSE).await;
        }
    }
}

fn candidates(paths: &[&str]) -> Vec<Candidate> {
    paths.iter().map(|path| candidate(path)).collect()
}

/// A page on a host of its own, so that politeness does not matter.
fn candidate(path: &str) -> Candidate {
    let url = Url::parse(&format!("http://{path}.example/")).expect("the URLs of the suite are valid");
    Candidate {
        key: Identity::from_options(false, false).key(&url),
        url,
        external: false,
        priority: Candidate::NORMAL,
    }
}

fn document(page: &LeasedPage) -> PageOutcome {
    let mut document = Document::default();
    document.markdown = page.url.host_str().map(str::to_owned);
    PageOutcome::Document(Box::new(document), 1)
}

fn failure() -> PageOutcome {
    PageOutcome::Failed(PageError {
        code: ErrorCode::ScrapeSiteError,
        message: "connection refused".to_owned(),
    })
}

async fn a_page_is_leased_once_and_its_links_follow<S: Store>(fixture: Fixture<S>) {
    let job = fixture.submit(1, 100, Retention::Keep, &["a"]).await;
    let mut leased = fixture.lease(10, 1).await;
    assert_eq!(leased.len(), 1, "the first page is ready");
    assert!(fixture.lease(10, 0).await.is_empty(), "a leased page is not leased again");
    let page = leased.remove(0);
    assert!(page.expires_at > START, "a lease has an end");
    let outcome = document(&page);
    let receipt = fixture.finish(page, outcome, &["a", "b", "c", "b"]).await;
    assert_eq!(
        receipt,
        Receipt { accepted: true, admitted: 2, job_ended: false },
        "each link is admitted once"
    );
    assert_eq!(fixture.state(job).await, (JobState::Scraping, 1, 3));
    let depths: HashSet<u32> = fixture.lease(10, 2).await.iter().map(|page| page.depth).collect();
    assert_eq!(depths, HashSet::from([1]), "a link is one click deeper than its page");
}

async fn a_limit_is_never_exceeded<S: Store>(fixture: Fixture<S>) {
    let job = fixture.submit(1, 3, Retention::Keep, &["a", "b", "c", "d", "e"]).await;
    let leased = fixture.lease(10, 3).await;
    assert_eq!(leased.len(), 3, "at most as many pages as the limit are leased");
    assert_eq!(fixture.state(job).await, (JobState::Scraping, 0, 3), "the total stays within the limit");
    for page in leased {
        let outcome = document(&page);
        fixture.finish(page, outcome, &["f"]).await;
    }
    assert_eq!(fixture.state(job).await, (JobState::Completed, 3, 3));
    assert!(fixture.lease(10, 0).await.is_empty(), "an ended job has no pages to lease");
}

async fn a_failed_page_frees_its_place_in_the_limit<S: Store>(fixture: Fixture<S>) {
    let job = fixture.submit(1, 2, Retention::Keep, &["a", "b", "c"]).await;
    let page = fixture.lease_one().await;
    let url = page.url.clone();
    fixture.finish(page, failure(), &[]).await;
    // Two more pages are fetched.
    fixture.drain(2).await;
    assert_eq!(fixture.state(job).await, (JobState::Completed, 2, 2));
    let failures = fixture.store.failures(job).await.expect("failures can be listed").failures;
    assert_eq!(failures.iter().map(|failure| &failure.url).collect::<Vec<_>>(), [&url]);
}

async fn a_stale_lease_changes_nothing<S: Store>(fixture: Fixture<S>) {
    let job = fixture.submit(1, 10, Retention::Keep, &["a"]).await;
    let first = fixture.lease_one().await;
    let much_later = START + Duration::from_secs(86_400);
    fixture.store.expire(much_later).await.expect("leases can expire");
    let second = fixture.lease_at(WORKER, 1, 1, much_later).await.remove(0);
    assert_eq!(second.url, first.url, "the page of an expired lease is leased again");
    let outcome = document(&first);
    assert!(!fixture.finish(first, outcome, &["b"]).await.accepted, "the first worker is too late");
    let outcome = document(&second);
    assert!(fixture.finish(second, outcome, &[]).await.accepted);
    assert_eq!(fixture.read(job, 0).await.0.len(), 1, "the document is stored once");
    assert_eq!(fixture.state(job).await, (JobState::Completed, 1, 1));
}

async fn a_redirect_to_a_seen_page_gives_no_second_document<S: Store>(fixture: Fixture<S>) {
    let job = fixture.submit(1, 10, Retention::Keep, &["old", "new"]).await;
    for page in fixture.lease(10, 2).await {
        let outcome = document(&page);
        let redirected_to =
            page.url.host_str().is_some_and(|host| host.starts_with("old")).then(|| candidate("new").key);
        let page = FinishedPage { redirected_to, ..FinishedPage::new(page, outcome) };
        fixture.store.finish(page, START).await.expect("a page can be finished");
    }
    assert_eq!(fixture.read(job, 0).await.0, ["new.example"]);

    let job = fixture.submit(2, 10, Retention::Keep, &["moved"]).await;
    let lease = fixture.lease_one().await;
    let outcome = document(&lease);
    let page = FinishedPage {
        redirected_to: Some(candidate("target").key),
        links: candidates(&["target"]),
        ..FinishedPage::new(lease, outcome)
    };
    let receipt = fixture.store.finish(page, START).await.expect("a page can be finished");
    assert_eq!(
        receipt,
        Receipt { accepted: true, admitted: 0, job_ended: true },
        "the target counts as visited"
    );
    assert_eq!(fixture.read(job, 0).await.0.len(), 1);
}

async fn an_unsealed_job_stays_open<S: Store>(fixture: Fixture<S>) {
    let id = JobId::from_uuid(Uuid::from_u128(1));
    let job = NewJob {
        sealed: false,
        retention: Retention::Keep,
        ..NewJob::new(id, Some(JobKind::BatchScrape), JobRules::with_limit(10), Vec::new())
    };
    fixture.store.submit(job.clone(), START).await.expect("a job can be submitted");
    assert!(fixture.store.submit(job, START).await.is_err(), "an id is used once");
    assert_eq!(fixture.state(id).await.0, JobState::Scraping, "the job waits for pages");
    fixture
        .store
        .admit(id, Admission::new(0, candidates(&["a"])), START)
        .await
        .expect("pages can be admitted");
    fixture.drain(1).await;
    assert_eq!(fixture.state(id).await.0, JobState::Scraping, "the job still waits");
    fixture.store.seal(id, START).await.expect("a job can be sealed");
    assert_eq!(fixture.state(id).await, (JobState::Completed, 1, 1));
    fixture.store.seal(id, START).await.expect("sealing again does nothing");
    let late = fixture.store.admit(id, Admission::new(0, candidates(&["b"])), START).await;
    assert!(late.is_err_and(|error| error.is_job_ended()), "an ended job accepts no pages");
}

async fn streamed_documents_are_removed_by_a_later_read<S: Store>(fixture: Fixture<S>) {
    let job = fixture.submit(1, 10, Retention::Stream, &["a", "b", "c"]).await;
    fixture.drain(3).await;
    let one = ReadBound { documents: 1, bytes: usize::MAX };
    let mut seen = HashSet::new();
    let mut from = 0;
    loop {
        let slice = fixture.store.read(job, from, one).await.expect("documents can be read");
        let again = fixture.store.read(job, from, one).await.expect("documents can be read");
        assert_eq!(slice.documents, again.documents, "a reader may ask again");
        assert_eq!(slice.next, from + slice.documents.len() as u64);
        from = slice.next;
        seen.extend(slice.documents.into_iter().filter_map(|document| document.markdown));
        if slice.end {
            break;
        }
    }
    assert_eq!(seen.len(), 3, "each document is read");
    assert_eq!(fixture.read(job, 0).await.1, 3);
    assert_eq!(fixture.read(job, 0).await.0.len(), 1, "those before the last position are removed");
    assert_eq!(fixture.read(job, 3).await, (Vec::new(), 3, true));
    assert_eq!(fixture.read(job, 0).await, (Vec::new(), 3, true), "and then the last");
}

async fn kept_documents_are_the_same_for_every_reader<S: Store>(fixture: Fixture<S>) {
    let pages = ["a", "b", "c", "d"];
    let job = fixture.submit(1, 10, Retention::Keep, &pages).await;
    fixture.drain(pages.len()).await;
    let first = fixture.read(job, 0).await;
    assert_eq!(first.0.len(), pages.len());
    assert_eq!(fixture.read(job, 0).await, first, "a second reader sees the same order");
    assert_eq!(
        fixture.read(job, 2).await.0.as_slice(),
        first.0.get(2..).unwrap_or_default(),
        "and so does a reader that starts later"
    );
    assert_eq!(fixture.read(job, 99).await, (Vec::new(), 99, true), "there is nothing after the end");
}

async fn an_unread_stream_stops_its_job<S: Store>(fixture: Fixture<S>) {
    let names: Vec<String> = (0..MAX_UNREAD_DOCUMENTS * 2).map(|number| format!("p{number}")).collect();
    let pages: Vec<&str> = names.iter().map(String::as_str).collect();
    let job = fixture.submit(1, 1_000, Retention::Stream, &pages).await;
    // A full stream stops its job.
    fixture.drain(MAX_UNREAD_DOCUMENTS).await;
    let mut work = fixture.store.work();
    work.mark_unchanged();
    let (read, from, _) = fixture.read(job, 0).await;
    assert_eq!(read.len(), MAX_UNREAD_DOCUMENTS);
    // Until its next read the reader may ask for the same documents again, so no page is ready.
    fixture.drain(0).await;
    assert!(fixture.read(job, from).await.0.is_empty());
    assert!(work.has_changed().is_ok_and(|changed| changed), "reading notifies the workers");
    // That read resumes the job.
    fixture.drain(MAX_UNREAD_DOCUMENTS).await;
    assert_eq!(fixture.read(job, from).await.0.len(), MAX_UNREAD_DOCUMENTS, "nothing is lost");
}

async fn a_cancelled_job_keeps_its_documents<S: Store>(fixture: Fixture<S>) {
    let job = fixture.submit(1, 10, Retention::Keep, &["a", "b", "c"]).await;
    let mut leased = fixture.lease(2, 2).await;
    let (late, page) = (leased.remove(1), leased.remove(0));
    let outcome = document(&page);
    fixture.finish(page, outcome, &[]).await;
    let mut progress = fixture.store.progress(job).await.expect("a job can be watched");
    progress.mark_unchanged();
    let snapshot = fixture.store.cancel(job, START).await.expect("a running job can be cancelled");
    assert_eq!((snapshot.state, snapshot.completed, snapshot.total), (JobState::Cancelled, 1, 1));
    assert!(progress.has_changed().is_ok_and(|changed| changed), "the watcher is notified");
    let outcome = document(&late);
    assert!(!fixture.finish(late, outcome, &[]).await.accepted, "a leased page is too late");
    assert!(fixture.lease(10, 0).await.is_empty());
    assert_eq!(fixture.read(job, 0).await.0.len(), 1);
    assert!(
        fixture.store.cancel(job, START).await.is_err_and(|error| error.is_job_ended()),
        "a job ends once"
    );
}

async fn a_failed_job_has_an_error<S: Store>(fixture: Fixture<S>) {
    let job = fixture.submit(1, 10, Retention::Keep, &["a"]).await;
    let warning = || JobWarning::Request("ignored fields: a".to_owned());
    fixture.store.warn(job, warning()).await.expect("a job can carry a warning");
    fixture.store.warn(job, warning()).await.expect("a job can carry a warning");
    let snapshot =
        fixture.store.fail(job, "insufficient credits", START).await.expect("a running job can fail");
    assert_eq!((snapshot.state, snapshot.error.as_deref()), (JobState::Failed, Some("insufficient credits")));
    assert_eq!(snapshot.warnings, [warning()], "a repeated warning is kept once");
}

async fn robots_refusals_are_listed_separately<S: Store>(fixture: Fixture<S>) {
    let job = fixture.submit(1, 10, Retention::Keep, &["a"]).await;
    let page = fixture.lease_one().await;
    let rule = Some(RobotsLine::new(3, "Disallow: /a".to_owned()));
    let blocked = BlockedPage { url: page.url.clone(), slash_added: false, rule: rule.clone() };
    fixture.finish(page, PageOutcome::RobotsBlocked(rule), &[]).await;
    let failures = fixture.store.failures(job).await.expect("failures can be listed");
    assert_eq!((failures.failures.len(), failures.robots_blocked), (0, vec![blocked]), "with its rule");
    let snapshot = fixture.store.snapshot(job).await.expect("a job has a snapshot");
    assert_eq!((snapshot.state, snapshot.failed, snapshot.robots_blocked), (JobState::Completed, 0, 1));
}

async fn pages_without_a_document_are_listed_part_by_part<S: Store>(fixture: Fixture<S>) {
    let job = fixture.submit(1, 10, Retention::Keep, &["a", "b", "c", "d"]).await;
    let blocked = || PageOutcome::RobotsBlocked(None);
    let outcomes = [failure(), blocked(), failure(), blocked()];
    for (page, outcome) in fixture.lease(4, 4).await.into_iter().zip(outcomes) {
        fixture.finish(page, outcome, &[]).await;
    }
    let whole = fixture.store.failures(job).await.expect("failures can be listed");
    assert_eq!((whole.failures.len(), whole.robots_blocked.len()), (2, 2));
    let (mut listed, mut from) = (PageFailures::default(), FailurePosition::default());
    for _ in 0..4 {
        let part = fixture.store.failures_from(job, from, 1).await.expect("a part can be listed");
        assert_eq!(part.failures.len() + part.robots_blocked.len(), 1, "a part has at least one entry");
        from.failures += part.failures.len();
        from.robots_blocked += part.robots_blocked.len();
        listed.failures.extend(part.failures);
        listed.robots_blocked.extend(part.robots_blocked);
    }
    assert_eq!(listed, whole, "the parts are the whole lists");
    let nothing = fixture.store.failures_from(job, from, 1).await.expect("the end can be listed");
    assert_eq!(nothing, PageFailures::default());
    let all = fixture.store.failures_from(job, FailurePosition::default(), 1 << 20).await;
    assert_eq!(all.expect("a part can be listed"), whole, "a large part has all entries");
}

async fn an_ended_job_is_removed_after_its_retention<S: Store>(fixture: Fixture<S>) {
    let job = fixture.submit(1, 10, Retention::Keep, &["a"]).await;
    fixture.drain(1).await;
    assert!(
        fixture.store.expire(START + Duration::from_secs(3_600)).await.expect("time may pass").is_empty()
    );
    let removed = fixture.store.expire(START + Duration::from_secs(25 * 3_600)).await.expect("time may pass");
    assert_eq!(removed, [job]);
    assert!(fixture.store.snapshot(job).await.is_err_and(|error| error.is_unknown_job()));
}

async fn unknown_jobs_are_errors<S: Store>(fixture: Fixture<S>) {
    let job = JobId::from_uuid(Uuid::from_u128(7));
    assert!(fixture.store.snapshot(job).await.is_err_and(|error| error.is_unknown_job()));
    assert!(
        fixture.store.read(job, 0, ReadBound::default()).await.is_err_and(|error| error.is_unknown_job())
    );
    assert!(fixture.store.cancel(job, START).await.is_err_and(|error| error.is_unknown_job()));
    assert!(fixture.store.seal(job, START).await.is_err_and(|error| error.is_unknown_job()));
    assert!(fixture.store.remove(job, START).await.is_err_and(|error| error.is_unknown_job()));
    assert!(fixture.store.progress(job).await.is_err_and(|error| error.is_unknown_job()));
}

async fn leases_respect_the_concurrency_of_the_host<S: Store>(fixture: Fixture<S>) {
    let page = |number: u32| {
        let url =
            Url::parse(&format!("http://one.example/{number}")).expect("the URLs of the suite are valid");
        Candidate { url, ..candidate("one") }
    };
    let pages: Vec<Candidate> = (0..40)
        .map(page)
        .map(|page| Candidate { key: Identity::from_options(false, false).key(&page.url), ..page })
        .collect();
    let url = page(0).url;
    let id = JobId::from_uuid(Uuid::from_u128(1));
    let job = NewJob::new(id, Some(JobKind::Crawl), JobRules::with_limit(100), pages);
    fixture.store.submit(job, START).await.expect("a job can be submitted");
    let mut leased = Vec::new();
    for answered in [false, true] {
        let feedback = HostFeedback { answered, ..HostFeedback::default() };
        fixture.store.feedback(&url, feedback, START);
        let limits = fixture.store.limits(&url);
        leased.extend(fixture.lease(40, (limits.max_concurrent as usize).saturating_sub(leased.len())).await);
        assert_eq!(leased.len(), limits.max_concurrent as usize, "the host has responded: {answered}");
        assert!(
            leased.last().is_some_and(|page| page.max_concurrent == limits.max_concurrent),
            "a lease has the same limit"
        );
        assert!(limits.not_before <= START, "no pause was requested");
    }
}
