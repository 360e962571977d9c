//! Jobs that another process submitted, and pages of a worker that was dropped.

use std::sync::{Arc, OnceLock, Weak};
use std::time::Duration;

use futures_util::FutureExt as _;
use gleaner_runtime::{CheckOptions, Runtime, StartOptions};
use gleaner_store::journal::VecJournal;
use gleaner_store::{LocalStore, MemoryConfig, MemoryStore, Store, WorkerId};
use gleaner_types::JobId;
use gleaner_types::plan::ScrapeOptionsPlan;
use gleaner_types::request::{BatchScrapeRequest, CrawlRequest};
use tokio::runtime::Builder;

use crate::support::{Answer, NOW, Web, paths, runtime_over};

fn store(journal: &VecJournal) -> Arc<dyn Store> {
    let journal = journal.after_crash();
    let stored = journal.stored();
    Arc::new(LocalStore::open(MemoryConfig::default(), journal, stored, NOW).unwrap())
}

/// Cancels a job as its options are checked, or lets it go on.
#[derive(Debug)]
struct CancelAtCheck {
    job: Option<JobId>,
    runtime: OnceLock<Weak<Runtime>>,
}

impl CheckOptions for CancelAtCheck {
    fn check(&self, _: &ScrapeOptionsPlan) -> Result<(), String> {
        if let (Some(job), Some(runtime)) = (self.job, self.runtime.get().and_then(Weak::upgrade)) {
            runtime.store().cancel(job, NOW).now_or_never().unwrap().unwrap();
            runtime.stop_job(job);
        }
        Ok(())
    }
}

#[tokio::test(start_paused = true)]
async fn a_job_that_is_cancelled_while_it_is_compiled_does_not_go_on() {
    let web = Web::new([("https://a.example/", vec![Answer::Silent])]);
    let journal = VecJournal::default();
    let stored = journal.stored();
    let first = LocalStore::open(MemoryConfig::default(), journal.clone(), stored, NOW).unwrap();
    let request = CrawlRequest::new("https://a.example/");
    let options = StartOptions::default().with_request(request.to_stored());
    let started = runtime_over(&web, Arc::new(first)).start(request.check().unwrap(), options).await.unwrap();
    let id = started.detach();

    for (job, goes_on) in [(None, true), (Some(id), false)] {
        let runtime = runtime_over(&web, store(&journal));
        let check = Arc::new(CancelAtCheck { job, runtime: OnceLock::new() });
        check.runtime.set(Arc::downgrade(&runtime)).unwrap();
        runtime.set_options_check(check);
        assert_eq!(runtime.running(id).await.is_some(), goes_on);
    }
}

#[tokio::test(start_paused = true)]
async fn a_spelling_that_an_earlier_process_asked_for_is_not_asked_for_again() {
    let (town, slashed) = ("https://a.example/town", "https://a.example/town/");
    let sheets = "https://a.example/sheets";
    let web = Web::new([
        ("https://a.example/", vec![Answer::Ok("/town\n/town/\n/sheets")]),
        (slashed, vec![Answer::Silent, Answer::status(404)]),
        (sheets, vec![Answer::Silent, Answer::Ok("/town")]),
    ]);
    let journal = VecJournal::default();
    let stored = journal.stored();
    let store_of_first = LocalStore::open(MemoryConfig::default(), journal.clone(), stored, NOW).unwrap();
    let first = runtime_over(&web, Arc::new(store_of_first));
    let request = CrawlRequest::new("https://a.example/");
    let options = StartOptions::default().with_request(request.to_stored());
    let id = first.start(request.check().unwrap(), options).await.unwrap().detach();
    let has_arrived =
        |url: &str| web.requests().iter().any(|request| request.url == url && request.ended.is_some());
    let both_hang = async {
        while !has_arrived(slashed)
            || !has_arrived(sheets)
            || first.store().snapshot(id).await.unwrap().completed < 2
        {
            tokio::time::sleep(Duration::from_millis(1)).await;
        }
    };
    tokio::time::timeout(Duration::from_secs(60), both_hang).await.unwrap();

    let second = runtime_over(&web, store(&journal));
    second.wake();
    let end = second.job(id).await.unwrap().wait().await.unwrap();
    assert_eq!(paths(&end), ["/", "/sheets", "/town"]);
    assert_eq!(end.snapshot.credits_used, 3);
    assert_eq!((web.count(town), web.count(slashed), web.count(sheets)), (1, 2, 2));
}

#[test]
fn a_page_in_work_is_free_again_when_the_tokio_runtime_ends() {
    let url = "https://a.example/";
    let web = Web::new([(url, vec![Answer::Silent])]);
    let store: Arc<dyn Store> = Arc::new(MemoryStore::default());
    let tokio = Builder::new_current_thread().enable_time().start_paused(true).build().unwrap();
    let (runtime, id) = tokio.block_on(async {
        let runtime = runtime_over(&web, Arc::clone(&store));
        let plan = BatchScrapeRequest::new([url]).check().unwrap();
        let id = runtime.start(plan, StartOptions::default()).await.unwrap().detach();
        while web.count(url) == 0 {
            tokio::time::sleep(Duration::from_millis(1)).await;
        }
        (runtime, id)
    });
    drop(tokio);
    // Long before its lease would expire.
    let leased = store.lease(WorkerId::random(), 1, NOW + Duration::from_secs(60)).now_or_never().unwrap();
    assert_eq!(leased.unwrap().pages.iter().map(|page| page.job).collect::<Vec<_>>(), [id]);
    assert!(runtime.executor().has_ended());
}
