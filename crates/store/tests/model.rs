//! A store that is opened again after any operation gives the same answers as one that never stops.
#![expect(clippy::unwrap_used, clippy::indexing_slicing, reason = "a test stops at the first error")]

mod model {
    pub(crate) mod pair;
    pub(crate) mod random;
}

use std::time::Duration;

use gleaner_frontier::{Candidate, JobRules, UrlKey};
use gleaner_store::journal::VecJournal;
use gleaner_store::{
    FinishedPage, JobAccount, LocalStore, MemoryConfig, NewJob, Note, NoteKind, NoteValue, PageOutcome,
    ReadBound, Reservation, Retention, Store, TeamId, WorkerId,
};
use gleaner_types::{Document, JobId, JobKind, JobState};
use url::Url;
use uuid::Uuid;

use crate::model::pair::Pair;

/// Runs of random operations.
const SEEDS: u64 = 1_000;
/// Operations of one run.
const STEPS: usize = 60;

const NOW: Duration = Duration::from_secs(1_700_000_000);
const WORKER: WorkerId = WorkerId::from_uuid(Uuid::from_u128(1));

#[tokio::test]
async fn a_store_that_is_opened_again_gives_the_same_answers() {
    let mut reopened = 0;
    for seed in 0..SEEDS {
        let mut pair = Pair::new(seed);
        for step in 0..STEPS {
            pair.step(step).await;
        }
        reopened += pair.reopened;
    }
    assert!(reopened > SEEDS * 3, "the store was opened again {reopened} times");
}

#[tokio::test]
async fn a_store_with_a_journal_keeps_the_contract() {
    gleaner_store::conformance::run(|| open(&VecJournal::default(), NOW)).await;
}

fn open(journal: &VecJournal, now: Duration) -> LocalStore<VecJournal> {
    LocalStore::open(MemoryConfig::default(), journal.clone(), journal.stored(), now).unwrap()
}

fn page(name: &str) -> Candidate {
    let url = Url::parse(&format!("https://{name}.example/secret-path")).unwrap();
    Candidate { url, key: UrlKey::from_raw(name.len() as u64), external: false, priority: Candidate::NORMAL }
}

fn job(number: u128, pages: Vec<Candidate>) -> NewJob {
    let id = JobId::from_uuid(Uuid::from_u128(number));
    let account = Some(Box::new(JobAccount::of(TeamId::new("a"))));
    let rules = JobRules::with_limit(10);
    NewJob { account, ..NewJob::new(id, Some(JobKind::Crawl), rules, pages) }
}

async fn finish_one<S: Store>(store: &S) {
    let lease = store.lease(WORKER, 1, NOW).await.unwrap().pages.remove(0);
    let document = Document { markdown: Some("secret-text".to_owned()), ..Document::default() };
    let page = FinishedPage::new(lease, PageOutcome::Document(Box::new(document), 3));
    assert!(store.finish(page, NOW).await.unwrap().accepted);
}

#[tokio::test]
async fn only_the_counts_of_a_job_with_zero_data_retention_are_written() {
    let journal = VecJournal::default();
    let store = open(&journal, NOW);
    let submitted = NewJob { in_memory: true, ..job(1, vec![page("secret-host"), page("another-host")]) };
    let id = submitted.id;
    store.submit(submitted, NOW).await.unwrap();
    finish_one(&store).await;
    let written = format!("{:?}", journal.stored());
    let blocks: Vec<u8> = journal.stored().jobs.iter().flat_map(|job| job.blocks.concat()).collect();
    assert!(!written.contains("secret"), "{written}");
    assert!(!blocks.windows(6).any(|bytes| bytes == b"secret"));

    let store = open(&journal, NOW);
    let snapshot = store.snapshot(id).await.unwrap();
    assert_eq!((snapshot.state, snapshot.completed, snapshot.credits_used), (JobState::Failed, 1, 3));
    assert!(snapshot.error.is_some_and(|error| error.contains("nothing of the job was kept")));
    let ended = store.accounting(10).await.unwrap().ended;
    assert_eq!(ended.iter().map(|ended| ended.snapshot.credits_used).collect::<Vec<_>>(), [3]);
    store.settled(id).await.unwrap();
    assert!(open(&journal, NOW).accounting(10).await.unwrap().ended.is_empty(), "it is settled once");
}

#[tokio::test]
async fn a_reservation_is_listed_by_later_processes_until_its_job_is_submitted() {
    let journal = VecJournal::default();
    let store = open(&journal, NOW);
    let reservations = [1_u128, 2].map(|number| Reservation {
        operation: Uuid::from_u128(number),
        job: JobId::from_uuid(Uuid::from_u128(number)),
        team: TeamId::new("a"),
        credits: 5,
    });
    for reservation in &reservations {
        store.intend(reservation.clone(), NOW).await.unwrap();
    }
    let listed = async |store: &LocalStore<VecJournal>| store.accounting(10).await.unwrap().unsubmitted;
    assert!(listed(&store).await.is_empty(), "this process may still submit the jobs");
    store.submit(job(1, vec![page("a")]), NOW).await.unwrap();
    for _ in 0..2 {
        assert_eq!(listed(&open(&journal, NOW)).await, reservations[1..]);
    }
    open(&journal, NOW).withdrawn(reservations[1].operation).await.unwrap();
    assert!(listed(&open(&journal, NOW)).await.is_empty());
}

#[tokio::test]
async fn a_removed_job_leaves_nothing_once_it_is_settled() {
    let journal = VecJournal::default();
    let store = open(&journal, NOW);
    let submitted = NewJob { retention: Retention::Keep, ..job(1, vec![page("a")]) };
    let id = submitted.id;
    store.submit(submitted, NOW).await.unwrap();
    finish_one(&store).await;
    store.remove(id, NOW).await.unwrap();
    let store = open(&journal, NOW);
    assert!(store.snapshot(id).await.is_err());
    assert_eq!(store.accounting(10).await.unwrap().ended.len(), 1, "it is still to be settled");
    store.settled(id).await.unwrap();
    assert!(journal.stored().jobs.is_empty());
}

#[tokio::test]
async fn a_lease_of_an_earlier_process_changes_nothing() {
    let journal = VecJournal::default();
    let store = open(&journal, NOW);
    let submitted = job(1, vec![page("a")]);
    let id = submitted.id;
    store.submit(submitted, NOW).await.unwrap();
    let lost = store.lease(WORKER, 1, NOW).await.unwrap().pages.remove(0);
    let store = open(&journal, NOW);
    let leased = store.lease(WORKER, 1, NOW).await.unwrap().pages.remove(0);
    assert_eq!(leased.url, lost.url);
    let late = FinishedPage::new(lost, PageOutcome::Document(Box::default(), 1));
    assert!(!store.finish(late, NOW).await.unwrap().accepted);
    let page = FinishedPage::new(leased, PageOutcome::Document(Box::default(), 1));
    assert!(store.finish(page, NOW).await.unwrap().job_ended);
    let slice = store.read(id, 0, ReadBound::default()).await.unwrap();
    assert_eq!((slice.documents.len(), slice.end), (1, true));
}

#[tokio::test]
async fn cookies_are_restored_and_in_no_block() {
    let journal = VecJournal::default();
    let store = open(&journal, NOW);
    let submitted = job(1, vec![page("a")]);
    let id = submitted.id;
    store.submit(submitted, NOW).await.unwrap();
    let cookies = |text: &'static str| Note {
        kind: NoteKind::Cookies,
        key: 0,
        value: NoteValue::Set(text.as_bytes().into()),
    };
    store.note(id, vec![cookies("crumb-one")]).await.unwrap();
    store.note(id, vec![cookies("crumb-two")]).await.unwrap();
    let stored = journal.stored();
    let blocks: Vec<u8> = stored.jobs.iter().flat_map(|job| job.blocks.concat()).collect();
    assert!(!blocks.windows(5).any(|bytes| bytes == b"crumb") && !format!("{stored:?}").contains("crumb"));
    assert_eq!(open(&journal, NOW).stored(id).await.unwrap().notes, [cookies("crumb-two")]);
}
