//! Workers with a term, which a store of several processes gives.

mod holds;
mod store;

use std::sync::Arc;
use std::time::Duration;

use gleaner_runtime::{Job, Runtime, StartOptions};
use gleaner_store::Store as _;
use gleaner_types::JobState;
use gleaner_types::plan::SitemapMode;
use gleaner_types::request::CrawlRequest;
use tokio::time::{Instant, sleep};

use self::store::TermStore;
use crate::support::{Answer, Web, runtime_over};

const TERM: Duration = Duration::from_secs(10);
const START: &str = "https://a.example/";

/// A crawl of a page with these answers, from a store with this term.
async fn begin(
    answers: Vec<Answer>,
    term: Option<Duration>,
) -> (Arc<Web>, Arc<TermStore>, Arc<Runtime>, Job) {
    let web = Web::new([(START, answers)]);
    let store = TermStore::new(term);
    let runtime = runtime_over(&web, Arc::<TermStore>::clone(&store));
    let request = CrawlRequest::new(START).sitemap(SitemapMode::Skip);
    let job = runtime.start(request.check().unwrap(), StartOptions::default()).await.unwrap();
    (web, store, runtime, job)
}

/// Waits for the end of the job, which stored one document.
async fn complete(mut job: Job) {
    let end = job.wait().await.unwrap();
    assert_eq!((end.snapshot.state, end.snapshot.completed), (JobState::Completed, 1));
}

#[tokio::test(start_paused = true)]
async fn a_store_without_terms_is_asked_once() {
    let (_, store, _runtime, job) = begin(vec![Answer::Late(20, "")], None).await;
    complete(job).await;
    assert_eq!(store.script().renewals, 1);
}

#[tokio::test(start_paused = true)]
async fn a_term_is_renewed_while_leases_get_no_answer() {
    let (web, store, _runtime, job) = begin(vec![Answer::Late(25, "")], Some(TERM)).await;
    sleep(Duration::from_secs(1)).await;
    store.script().stalls_leases = true;
    complete(job).await;
    assert!(store.script().renewals >= 20);
    assert_eq!(web.count(START), 1, "the work was not stopped");
}

#[tokio::test(start_paused = true)]
async fn the_work_on_a_lost_lease_stops() {
    let (web, store, _runtime, job) = begin(vec![Answer::Silent, Answer::Ok("")], Some(TERM)).await;
    sleep(Duration::from_secs(1)).await;
    store.script().loses_all = true;
    // The inner store still counts the lease, so the page waits for its return.
    complete(job).await;
    assert_eq!(web.count(START), 2);
}

#[tokio::test(start_paused = true)]
async fn nothing_is_requested_between_the_end_of_a_term_and_its_renewal() {
    let (web, store, _runtime, job) = begin(vec![Answer::Silent, Answer::Ok("")], Some(TERM)).await;
    sleep(Duration::from_secs(1)).await;
    store.script().is_unreachable = true;
    sleep(TERM * 3).await;
    assert_eq!(web.count(START), 1);
    store.script().is_unreachable = false;
    let reachable = Instant::now();
    complete(job).await;
    let requests = web.requests();
    let again = requests.iter().filter(|request| request.url == START).nth(1).unwrap();
    assert!(again.began >= reachable);
}

#[tokio::test(start_paused = true)]
async fn an_answer_after_the_end_of_the_term_is_dropped() {
    let answers = vec![Answer::Late(15, "/lost"), Answer::Ok("")];
    let (web, store, _runtime, job) = begin(answers, Some(TERM)).await;
    sleep(Duration::from_secs(1)).await;
    store.script().is_unreachable = true;
    sleep(TERM * 3).await;
    store.script().is_unreachable = false;
    complete(job).await;
    assert_eq!((web.count(START), web.count("https://a.example/lost")), (2, 0));
}

#[tokio::test(start_paused = true)]
async fn a_page_that_could_not_be_stored_is_stored_again() {
    let (web, store, _runtime, job) = begin(vec![Answer::Late(5, "")], Some(TERM)).await;
    sleep(Duration::from_secs(2)).await;
    store.script().failing_finishes = 4;
    complete(job).await;
    assert_eq!((web.count(START), store.script().failing_finishes), (1, 0));
}

/// A full disk of PostgreSQL stopped all crawls of a process for 15 minutes after there was space again, and
/// sitemaps that were found meanwhile were lost.
#[tokio::test(start_paused = true)]
async fn work_goes_on_within_seconds_after_the_disk_was_full() {
    let listed = "https://a.example/listed";
    let web = Web::new([
        (START, vec![Answer::Late(5, "")]),
        ("https://a.example/sitemap.xml", vec![Answer::Ok("https://a.example/listed")]),
        (listed, vec![Answer::Ok("")]),
    ]);
    let store = TermStore::new(Some(TERM));
    let runtime = runtime_over(&web, Arc::<TermStore>::clone(&store));
    let request = CrawlRequest::new(START).check().unwrap();
    let mut job = runtime.start(request, StartOptions::default()).await.unwrap();
    sleep(Duration::from_secs(2)).await;
    store.script().is_full = true;
    sleep(Duration::from_secs(120)).await;
    store.script().is_full = false;
    let freed = Instant::now();
    let end = job.wait().await.unwrap();
    assert_eq!((end.snapshot.state, end.snapshot.completed), (JobState::Completed, 2));
    assert!(freed.elapsed() <= Duration::from_secs(5), "{:?}", freed.elapsed());
    assert_eq!((web.count(START), web.count(listed)), (1, 1), "no page is requested again");
}

#[tokio::test(start_paused = true)]
async fn a_job_that_ended_in_another_process_is_forgotten() {
    let (_, store, runtime, job) = begin(vec![Answer::Silent], Some(TERM)).await;
    sleep(Duration::from_secs(1)).await;
    let id = job.id();
    assert!(runtime.running(id).await.is_some());
    store.inner.cancel(id, runtime.clock().now()).await.unwrap();
    store.script().loses_all = true;
    sleep(Duration::from_secs(2)).await;
    assert!(runtime.running(id).await.is_none());
}
