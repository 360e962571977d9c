//! A medium that is slow, full or broken: what is not durable yet is not told, and nobody waits in vain.
#![expect(clippy::unwrap_used, reason = "a test stops at the first error")]

use std::sync::Arc;
use std::time::Duration;

use gleaner_store::journal::{Stall, VecJournal};
use gleaner_store::{
    DeliveryOutcome, Error, ErrorKind, FinishedPage, LeasedPage, LocalStore, MemoryConfig, NewJob,
    PageOutcome, ReadBound, Retention, Store, WaitingFor, WorkerId,
};
use gleaner_types::JobState;
use gleaner_types::plan::{EventKind, WebhookPlan};
use url::Url;
use uuid::Uuid;

const NOW: Duration = Duration::from_secs(1_700_000_000);
const WORKER: WorkerId = WorkerId::from_uuid(Uuid::from_u128(1));

fn open(journal: &VecJournal) -> LocalStore<VecJournal> {
    LocalStore::open(MemoryConfig::default(), journal.clone(), journal.stored(), NOW).unwrap()
}

/// A crawl of this number of pages, whose documents are kept.
fn crawl(number: u128, pages: u64) -> NewJob {
    NewJob { retention: Retention::Keep, ..super::reopened::crawl(number, pages) }
}

async fn lease(store: &LocalStore<VecJournal>) -> LeasedPage {
    store.lease(WORKER, 1, NOW).await.unwrap().pages.remove(0)
}

fn document(page: LeasedPage) -> FinishedPage {
    FinishedPage::new(page, PageOutcome::Document(Box::default(), 1))
}

/// Polls a future once. It must wait.
macro_rules! waits {
    ($future:expr) => {
        tokio::select! {
            biased;
            _ = $future.as_mut() => panic!("it did not wait"),
            () = std::future::ready(()) => {}
        }
    };
}

fn kind<T>(result: Result<T, Error>) -> Option<ErrorKind> {
    result.err().map(|error| error.kind())
}

#[tokio::test]
async fn the_end_of_a_job_is_told_once_it_is_durable() {
    let journal = VecJournal::default();
    let store = open(&journal);
    let webhook = WebhookPlan {
        url: Url::parse("https://hook.example/").unwrap(),
        headers: Default::default(),
        metadata: Default::default(),
        events: vec![EventKind::Started, EventKind::Page, EventKind::Completed],
    };
    let job = NewJob { webhook: Some(Arc::new(webhook)), ..crawl(1, 1) };
    let id = job.id;
    store.submit(job, NOW).await.unwrap();
    let started = store.due(10, NOW).await.unwrap().events.remove(0);
    store.delivered(started.id, DeliveryOutcome::Delivered, NOW).await.unwrap();
    let page = lease(&store).await;

    journal.hold();
    let mut finish = store.finish(document(page), NOW);
    waits!(finish);
    let mut snapshot = store.snapshot(id);
    waits!(snapshot);
    let slice = store.read(id, 0, ReadBound::default()).await.unwrap();
    assert!(slice.documents.is_empty() && !slice.end);
    journal.stall(Stall::Full);
    // It began before the stall.
    let stalled = snapshot.await.unwrap();
    assert_eq!((stalled.state, stalled.ended_at), (JobState::Scraping, None));
    assert_eq!(stalled.waiting_for, Some(WaitingFor::Disk));
    assert!(store.accounting(10).await.unwrap().ended.is_empty());
    let due = store.due(10, NOW).await.unwrap();
    assert!(due.events.is_empty() && due.next.is_some_and(|next| next > NOW));

    let (mut progress, mut maintenance) = (store.progress(id).await.unwrap(), store.maintenance());
    progress.mark_unchanged();
    maintenance.mark_unchanged();
    journal.resume();
    assert!(progress.has_changed().unwrap() && maintenance.has_changed().unwrap());
    assert!(finish.await.unwrap().job_ended);
    assert_eq!(store.snapshot(id).await.unwrap().state, JobState::Completed);
    let slice = store.read(id, 0, ReadBound::default()).await.unwrap();
    assert!(slice.documents.len() == 1 && slice.end);
    assert_eq!(store.accounting(10).await.unwrap().ended.len(), 1);
    assert_eq!(store.due(10, NOW).await.unwrap().events.len(), 1);
}

#[tokio::test]
async fn a_job_can_be_cancelled_while_the_disk_is_full() {
    let journal = VecJournal::default();
    let store = open(&journal);
    let job = crawl(1, 2);
    let id = job.id;
    store.submit(job, NOW).await.unwrap();
    let page = lease(&store).await;
    journal.stall(Stall::Full);
    for _ in 0..2 {
        assert_eq!(kind(store.cancel(id, NOW).await), Some(ErrorKind::Full));
    }
    assert!(!store.finish(document(page), NOW).await.unwrap().accepted, "its work is in vain");
    for json in [false, true] {
        let bound = ReadBound::default();
        let end = match json {
            true => store.read_json(id, 0, bound).await.unwrap().end,
            false => store.read(id, 0, bound).await.unwrap().end,
        };
        assert!(!end);
    }
    assert_eq!(store.snapshot(id).await.unwrap().state, JobState::Scraping);
    let crashed = open(&journal.after_crash());
    assert_eq!(crashed.snapshot(id).await.unwrap().state, JobState::Scraping);
    assert_eq!(crashed.lease(WORKER, 10, NOW).await.unwrap().pages.len(), 2);

    journal.resume();
    assert_eq!(store.snapshot(id).await.unwrap().state, JobState::Cancelled);
    assert!(store.read(id, 0, ReadBound::default()).await.unwrap().end);
    assert_eq!(kind(store.cancel(id, NOW).await), Some(ErrorKind::JobEnded));
    assert_eq!(open(&journal).snapshot(id).await.unwrap().state, JobState::Cancelled);
}

#[tokio::test]
async fn jobs_that_ended_before_the_disk_was_full_are_settled_and_removed() {
    let journal = VecJournal::default();
    let store = open(&journal);
    let (before, after) = (crawl(1, 1), crawl(2, 1));
    for job in [&before, &after] {
        store.submit(job.clone(), NOW).await.unwrap();
    }
    store.cancel(before.id, NOW).await.unwrap();
    journal.stall(Stall::Full);
    assert!(store.cancel(after.id, NOW).await.is_err());
    let ended = store.accounting(10).await.unwrap().ended;
    assert_eq!(ended.iter().map(|ended| ended.snapshot.id).collect::<Vec<_>>(), [before.id]);
    store.settled(before.id).await.unwrap();
    store.remove(before.id, NOW).await.unwrap();
    assert!(store.accounting(10).await.unwrap().ended.is_empty());
    journal.resume();
    let ended = store.accounting(10).await.unwrap().ended;
    assert_eq!(ended.iter().map(|ended| ended.snapshot.id).collect::<Vec<_>>(), [after.id]);
    assert_eq!(journal.stored().jobs.len(), 1);
}

#[tokio::test]
async fn a_call_that_changes_nothing_does_not_wait_for_others() {
    let journal = VecJournal::default();
    let store = open(&journal);
    let (job, other) = (crawl(1, 1), crawl(2, 1));
    store.submit(job.clone(), NOW).await.unwrap();
    let page = lease(&store).await;
    store.cancel(job.id, NOW).await.unwrap();
    journal.hold();
    let mut submit = store.submit(other, NOW);
    waits!(submit);
    assert!(!store.finish(document(page), NOW).await.unwrap().accepted);
    journal.resume();
    submit.await.unwrap();
}

#[tokio::test]
async fn a_store_whose_journal_has_ended_refuses_all_changes() {
    let journal = VecJournal::default();
    let store = open(&journal);
    let job = crawl(1, 3);
    let id = job.id;
    store.submit(job, NOW).await.unwrap();
    let (first, second) = (lease(&store).await, lease(&store).await);
    journal.hold();
    let mut finish = store.finish(document(first), NOW);
    waits!(finish);
    journal.end();
    assert_eq!(kind(finish.await), Some(ErrorKind::Io), "it will never be written");
    let stalled = store.snapshot(id).await.unwrap();
    assert_eq!(stalled.waiting_for, Some(WaitingFor::Disk));
    let refused = [
        kind(store.submit(crawl(2, 1), NOW).await),
        kind(store.lease(WORKER, 1, NOW).await),
        kind(store.finish(document(second), NOW).await),
        kind(store.append(id, Vec::new(), 1, None, NOW).await),
        kind(store.pause(id, true).await),
        kind(store.charge(id, 1, 1).await),
        kind(store.cancel(id, NOW).await),
        kind(store.remove(id, NOW).await),
        kind(store.settled(id).await),
    ];
    assert_eq!(refused, [Some(ErrorKind::Io); 9]);
}
