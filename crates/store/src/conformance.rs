//! What every [`Store`] must do, as a suite that each implementation runs against itself.
//!
//! ```
//! # tokio::runtime::Builder::new_current_thread().build().unwrap().block_on(async {
//! gleaner_store::conformance::run(|| gleaner_store::MemoryStore::default()).await;
//! # });
//! ```
//!
//! It panics at the first promise that is not kept, naming it.

#![expect(clippy::expect_used, reason = "a promise that is not kept ends the suite")]

mod service;

use std::collections::HashSet;
use std::time::Duration;

use gleaner_frontier::{Candidate, HostFeedback, Identity, JobRules};
use gleaner_types::{Document, ErrorCode, JobId, JobKind, JobState, PageError};
use url::Url;
use uuid::Uuid;

use crate::{
    BlockedPage, FinishedPage, LeasedPage, MAX_UNREAD_DOCUMENTS, NewJob, PageOutcome, ReadBound, Receipt,
    Retention, Store,
};

/// Some moment; the suite passes time by hand.
const START: Duration = Duration::from_secs(1_700_000_000);

/// Runs the whole suite, each part on a store of its own that `make` gives.
///
/// # Panics
/// Where the store breaks its contract.
pub async fn run<S: Store>(make: impl Fn() -> S) {
    a_page_is_leased_once_and_its_links_follow(Bench::new(make())).await;
    a_limit_is_never_exceeded(Bench::new(make())).await;
    a_failed_page_frees_its_place(Bench::new(make())).await;
    a_stale_lease_changes_nothing(Bench::new(make())).await;
    a_redirect_to_a_known_page_is_no_second_document(Bench::new(make())).await;
    an_unsealed_job_stays_open(Bench::new(make())).await;
    what_was_read_of_a_stream_is_gone(Bench::new(make())).await;
    what_is_kept_is_read_by_everyone_alike(Bench::new(make())).await;
    an_unread_stream_stops_its_job_until_it_is_read(Bench::new(make())).await;
    a_cancelled_job_keeps_what_it_has(Bench::new(make())).await;
    a_failed_job_says_why(Bench::new(make())).await;
    refusals_are_listed_apart_from_failures(Bench::new(make())).await;
    an_ended_job_is_forgotten_after_its_retention(Bench::new(make())).await;
    unknown_jobs_are_errors(Bench::new(make())).await;
    leased_pages_are_as_many_as_their_host_has_places(Bench::new(make())).await;
    service::run(&make).await;
}

/// A store and what the suite needs around it.
struct Bench<S> {
    store: S,
}

impl<S: Store> Bench<S> {
    fn new(store: S) -> Self {
        Self { store }
    }

    async fn submit(&self, number: u128, limit: u64, retention: Retention, pages: &[&str]) -> JobId {
        let id = JobId::from_uuid(Uuid::from_u128(number));
        let rules = JobRules::with_limit(limit);
        let job = NewJob { retention, ..NewJob::new(id, Some(JobKind::Crawl), rules, candidates(pages)) };
        self.store.submit(job, START).await.expect("a job can be submitted");
        id
    }

    async fn lease(&self, max: usize) -> Vec<LeasedPage> {
        self.store.lease(max, START).await.expect("pages can be leased").pages
    }

    async fn finish(&self, lease: LeasedPage, outcome: PageOutcome, links: &[&str]) -> Receipt {
        let page = FinishedPage { links: candidates(links), ..FinishedPage::new(lease, outcome) };
        self.store.finish(page, START).await.expect("a page can be finished")
    }

    /// Works through all that can be leased; each page gives a document that holds its address.
    async fn drain(&self) -> usize {
        let mut finished = 0;
        while let Some(page) = self.lease(1).await.pop() {
            let outcome = document(&page);
            self.finish(page, outcome, &[]).await;
            finished += 1;
        }
        finished
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
        (snapshot.state, snapshot.completed, snapshot.total)
    }
}

fn candidates(paths: &[&str]) -> Vec<Candidate> {
    paths.iter().map(|path| candidate(path)).collect()
}

/// Pages are spread over hosts, so that politeness does not enter here.
fn candidate(path: &str) -> Candidate {
    let url = Url::parse(&format!("http://{path}.example/")).expect("the suite's addresses are valid");
    Candidate {
        key: Identity::from_options(false, false).key(&url),
        url,
        external: false,
        priority: Candidate::NORMAL,
    }
}

fn document(page: &LeasedPage) -> PageOutcome {
    let text = page.url.host_str().map(str::to_owned);
    PageOutcome::Document(Box::new(Document { markdown: text, ..Document::default() }), 1)
}

fn failure() -> PageOutcome {
    PageOutcome::Failed(PageError {
        code: ErrorCode::ScrapeSiteError,
        message: "connection refused".to_owned(),
    })
}

async fn a_page_is_leased_once_and_its_links_follow<S: Store>(bench: Bench<S>) {
    let job = bench.submit(1, 100, Retention::Keep, &["a"]).await;
    let mut leased = bench.lease(10).await;
    assert_eq!(leased.len(), 1, "the first page is ready");
    assert!(bench.lease(10).await.is_empty(), "a leased page is not leased again");
    let page = leased.remove(0);
    assert!(page.expires_at > START, "the worker knows how long it has");
    let outcome = document(&page);
    let receipt = bench.finish(page, outcome, &["a", "b", "c", "b"]).await;
    assert_eq!(
        receipt,
        Receipt { accepted: true, admitted: 2, job_ended: false },
        "links are admitted once each"
    );
    assert_eq!(bench.state(job).await, (JobState::Scraping, 1, 3));
    let depths: HashSet<u32> = bench.lease(10).await.iter().map(|page| page.depth).collect();
    assert_eq!(depths, HashSet::from([1]), "a link is one click further than its page");
}

async fn a_limit_is_never_exceeded<S: Store>(bench: Bench<S>) {
    let job = bench.submit(1, 3, Retention::Keep, &["a", "b", "c", "d", "e"]).await;
    let leased = bench.lease(10).await;
    assert_eq!(leased.len(), 3, "no more pages are leased than the limit lets through");
    assert_eq!(bench.state(job).await, (JobState::Scraping, 0, 3), "the total stays within the limit");
    for page in leased {
        let outcome = document(&page);
        bench.finish(page, outcome, &["f"]).await;
    }
    assert_eq!(bench.state(job).await, (JobState::Completed, 3, 3));
    assert!(bench.lease(10).await.is_empty(), "an ended job has no pages to lease");
}

async fn a_failed_page_frees_its_place<S: Store>(bench: Bench<S>) {
    let job = bench.submit(1, 2, Retention::Keep, &["a", "b", "c"]).await;
    let page = bench.lease(1).await.remove(0);
    let url = page.url.clone();
    bench.finish(page, failure(), &[]).await;
    assert_eq!(bench.drain().await, 2, "two more pages take the places");
    assert_eq!(bench.state(job).await, (JobState::Completed, 2, 2));
    let failures = bench.store.failures(job).await.expect("failures can be listed").failures;
    assert_eq!(failures.iter().map(|failure| &failure.url).collect::<Vec<_>>(), [&url]);
}

async fn a_stale_lease_changes_nothing<S: Store>(bench: Bench<S>) {
    let job = bench.submit(1, 10, Retention::Keep, &["a"]).await;
    let first = bench.lease(1).await.remove(0);
    let much_later = START + Duration::from_secs(86_400);
    bench.store.expire(much_later).await.expect("leases can expire");
    let second = bench.store.lease(1, much_later).await.expect("pages can be leased").pages.remove(0);
    assert_eq!(second.url, first.url, "an expired lease gives the page to another");
    let outcome = document(&first);
    assert!(!bench.finish(first, outcome, &["b"]).await.accepted, "the first worker comes too late");
    let outcome = document(&second);
    assert!(bench.finish(second, outcome, &[]).await.accepted);
    assert_eq!(bench.read(job, 0).await.0.len(), 1, "the document is stored once");
    assert_eq!(bench.state(job).await, (JobState::Completed, 1, 1));
}

async fn a_redirect_to_a_known_page_is_no_second_document<S: Store>(bench: Bench<S>) {
    let job = bench.submit(1, 10, Retention::Keep, &["old", "new"]).await;
    for page in bench.lease(10).await {
        let outcome = document(&page);
        let redirected_to =
            page.url.host_str().is_some_and(|host| host.starts_with("old")).then(|| candidate("new").key);
        let page = FinishedPage { redirected_to, ..FinishedPage::new(page, outcome) };
        bench.store.finish(page, START).await.expect("a page can be finished");
    }
    assert_eq!(bench.read(job, 0).await.0, ["new.example"]);

    let job = bench.submit(2, 10, Retention::Keep, &["moved"]).await;
    let lease = bench.lease(1).await.remove(0);
    let outcome = document(&lease);
    let page = FinishedPage {
        redirected_to: Some(candidate("target").key),
        links: candidates(&["target"]),
        ..FinishedPage::new(lease, outcome)
    };
    let receipt = bench.store.finish(page, START).await.expect("a page can be finished");
    assert_eq!(
        receipt,
        Receipt { accepted: true, admitted: 0, job_ended: true },
        "the target counts as visited"
    );
    assert_eq!(bench.read(job, 0).await.0.len(), 1);
}

async fn an_unsealed_job_stays_open<S: Store>(bench: Bench<S>) {
    let id = JobId::from_uuid(Uuid::from_u128(1));
    let job = NewJob {
        sealed: false,
        retention: Retention::Keep,
        ..NewJob::new(id, Some(JobKind::BatchScrape), JobRules::with_limit(10), Vec::new())
    };
    bench.store.submit(job.clone(), START).await.expect("a job can be submitted");
    assert!(bench.store.submit(job, START).await.is_err(), "an id is used once");
    assert_eq!(bench.state(id).await.0, JobState::Scraping, "it waits for pages");
    bench.store.admit(id, 0, candidates(&["a"]), START).await.expect("pages can be admitted");
    bench.drain().await;
    assert_eq!(bench.state(id).await.0, JobState::Scraping, "it still waits");
    bench.store.seal(id, START).await.expect("a job can be sealed");
    assert_eq!(bench.state(id).await, (JobState::Completed, 1, 1));
    bench.store.seal(id, START).await.expect("sealing again does nothing");
    let late = bench.store.admit(id, 0, candidates(&["b"]), START).await;
    assert!(late.is_err_and(|error| error.is_job_ended()), "an ended job takes no pages");
}

async fn what_was_read_of_a_stream_is_gone<S: Store>(bench: Bench<S>) {
    let job = bench.submit(1, 10, Retention::Stream, &["a", "b", "c"]).await;
    bench.drain().await;
    let one = ReadBound { documents: 1, bytes: usize::MAX };
    let mut seen = HashSet::new();
    let mut from = 0;
    loop {
        let slice = bench.store.read(job, from, one).await.expect("documents can be read");
        assert_eq!(slice.next, from + slice.documents.len() as u64);
        from = slice.next;
        seen.extend(slice.documents.into_iter().filter_map(|document| document.markdown));
        if slice.end {
            break;
        }
    }
    assert_eq!(seen.len(), 3, "each document is read once");
    assert_eq!(bench.read(job, 0).await, (Vec::new(), 3, true), "and is gone then");
}

async fn what_is_kept_is_read_by_everyone_alike<S: Store>(bench: Bench<S>) {
    let pages = ["a", "b", "c", "d"];
    let job = bench.submit(1, 10, Retention::Keep, &pages).await;
    bench.drain().await;
    let first = bench.read(job, 0).await;
    assert_eq!(first.0.len(), pages.len());
    assert_eq!(bench.read(job, 0).await, first, "a second reader sees the same order");
    assert_eq!(
        bench.read(job, 2).await.0.as_slice(),
        first.0.get(2..).unwrap_or_default(),
        "and so does one who skips"
    );
    assert_eq!(bench.read(job, 99).await, (Vec::new(), 99, true), "beyond the end there is nothing");
}

async fn an_unread_stream_stops_its_job_until_it_is_read<S: Store>(bench: Bench<S>) {
    let names: Vec<String> = (0..MAX_UNREAD_DOCUMENTS * 2).map(|number| format!("p{number}")).collect();
    let pages: Vec<&str> = names.iter().map(String::as_str).collect();
    let job = bench.submit(1, 1_000, Retention::Stream, &pages).await;
    assert_eq!(bench.drain().await, MAX_UNREAD_DOCUMENTS, "a full stream stops its job");
    let mut work = bench.store.work();
    work.mark_unchanged();
    let (read, from, _) = bench.read(job, 0).await;
    assert_eq!(read.len(), MAX_UNREAD_DOCUMENTS);
    assert!(work.has_changed().is_ok_and(|changed| changed), "reading says that there is work again");
    assert_eq!(bench.drain().await, MAX_UNREAD_DOCUMENTS, "and lets it go on");
    assert_eq!(bench.read(job, from).await.0.len(), MAX_UNREAD_DOCUMENTS, "nothing is lost");
}

async fn a_cancelled_job_keeps_what_it_has<S: Store>(bench: Bench<S>) {
    let job = bench.submit(1, 10, Retention::Keep, &["a", "b", "c"]).await;
    let mut leased = bench.lease(2).await;
    let (late, page) = (leased.remove(1), leased.remove(0));
    let outcome = document(&page);
    bench.finish(page, outcome, &[]).await;
    let mut progress = bench.store.progress(job).expect("a job can be watched");
    progress.mark_unchanged();
    let snapshot = bench.store.cancel(job, START).await.expect("a running job can be cancelled");
    assert_eq!((snapshot.state, snapshot.completed, snapshot.total), (JobState::Cancelled, 1, 1));
    assert!(progress.has_changed().is_ok_and(|changed| changed), "who waits is told");
    let outcome = document(&late);
    assert!(!bench.finish(late, outcome, &[]).await.accepted, "a page in work comes too late");
    assert!(bench.lease(10).await.is_empty());
    assert_eq!(bench.read(job, 0).await.0.len(), 1);
    assert!(bench.store.cancel(job, START).await.is_err_and(|error| error.is_job_ended()), "a job ends once");
}

async fn a_failed_job_says_why<S: Store>(bench: Bench<S>) {
    let job = bench.submit(1, 10, Retention::Keep, &["a"]).await;
    bench.store.warn(job, "slow").await.expect("a job can carry a warning");
    bench.store.warn(job, "slow").await.expect("a job can carry a warning");
    let snapshot =
        bench.store.fail(job, "insufficient credits", START).await.expect("a running job can fail");
    assert_eq!((snapshot.state, snapshot.error.as_deref()), (JobState::Failed, Some("insufficient credits")));
    assert_eq!(snapshot.warning.as_deref(), Some("slow"), "a repeated warning is kept once");
}

async fn refusals_are_listed_apart_from_failures<S: Store>(bench: Bench<S>) {
    let job = bench.submit(1, 10, Retention::Keep, &["a"]).await;
    let page = bench.lease(1).await.remove(0);
    let blocked = BlockedPage { url: page.url.clone(), slash_added: false };
    bench.finish(page, PageOutcome::RobotsBlocked, &[]).await;
    let failures = bench.store.failures(job).await.expect("failures can be listed");
    assert_eq!((failures.failures.len(), failures.robots_blocked), (0, vec![blocked]));
    let snapshot = bench.store.snapshot(job).await.expect("a job has a snapshot");
    assert_eq!((snapshot.state, snapshot.failed, snapshot.robots_blocked), (JobState::Completed, 0, 1));
}

async fn an_ended_job_is_forgotten_after_its_retention<S: Store>(bench: Bench<S>) {
    let job = bench.submit(1, 10, Retention::Keep, &["a"]).await;
    bench.drain().await;
    assert!(bench.store.expire(START + Duration::from_secs(3_600)).await.expect("time may pass").is_empty());
    let forgotten = bench.store.expire(START + Duration::from_secs(25 * 3_600)).await.expect("time may pass");
    assert_eq!(forgotten, [job]);
    assert!(bench.store.snapshot(job).await.is_err_and(|error| error.is_unknown_job()));
}

async fn unknown_jobs_are_errors<S: Store>(bench: Bench<S>) {
    let job = JobId::from_uuid(Uuid::from_u128(7));
    assert!(bench.store.snapshot(job).await.is_err_and(|error| error.is_unknown_job()));
    assert!(bench.store.read(job, 0, ReadBound::default()).await.is_err_and(|error| error.is_unknown_job()));
    assert!(bench.store.cancel(job, START).await.is_err_and(|error| error.is_unknown_job()));
    assert!(bench.store.seal(job, START).await.is_err_and(|error| error.is_unknown_job()));
    assert!(bench.store.remove(job, START).await.is_err_and(|error| error.is_unknown_job()));
    assert!(bench.store.progress(job).is_err_and(|error| error.is_unknown_job()));
}

async fn leased_pages_are_as_many_as_their_host_has_places<S: Store>(bench: Bench<S>) {
    let page = |number: u32| {
        let url =
            Url::parse(&format!("http://one.example/{number}")).expect("the suite's addresses are valid");
        Candidate { url, ..candidate("one") }
    };
    let pages: Vec<Candidate> = (0..40)
        .map(page)
        .map(|page| Candidate { key: Identity::from_options(false, false).key(&page.url), ..page })
        .collect();
    let url = page(0).url;
    let id = JobId::from_uuid(Uuid::from_u128(1));
    let job = NewJob::new(id, Some(JobKind::Crawl), JobRules::with_limit(100), pages);
    bench.store.submit(job, START).await.expect("a job can be submitted");
    let mut leased = Vec::new();
    for answered in [false, true] {
        let feedback = HostFeedback { answered, ..HostFeedback::default() };
        bench.store.feedback(&url, feedback, START).await.expect("a pace can be set");
        let limits = bench.store.limits(&url).await.expect("limits can be read");
        leased.extend(bench.lease(40).await);
        assert_eq!(leased.len(), limits.places as usize, "a host that has answered: {answered}");
        assert!(leased.last().is_some_and(|page| page.places == limits.places), "a lease says so too");
        assert!(limits.not_before <= START, "nobody asked for a pause");
    }
}
