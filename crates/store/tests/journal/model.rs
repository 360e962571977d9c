//! A store that is opened again after any operation gives the same answers as one that never stops.
#![expect(clippy::unwrap_used, reason = "a test stops at the first error")]

use std::time::Duration;

use gleaner_frontier::{Candidate, JobRules, UrlKey};
use gleaner_store::conformance::model::{self, Reopen};
use gleaner_store::journal::{Part, VecJournal};
use gleaner_store::{
    FinishedPage, JobAccount, JobWarning, LocalStore, MemoryConfig, NewJob, Note, NoteKind, NoteValue,
    PageOutcome, ReadBound, Reservation, Retention, Store, TeamId, WorkerId,
};
use gleaner_types::{Document, JobId, JobKind, JobState};
use url::Url;
use uuid::Uuid;

/// Runs of random operations.
const SEEDS: u64 = 1_000;
/// Operations of one run.
const STEPS: usize = 60;

const NOW: Duration = Duration::from_secs(1_700_000_000);
const WORKER: WorkerId = WorkerId::from_uuid(Uuid::from_u128(1));

/// A store that is opened again from its journal.
struct Journaled {
    journal: VecJournal,
    store: LocalStore<VecJournal>,
}

impl Reopen for Journaled {
    type Store = LocalStore<VecJournal>;

    fn store(&self) -> &Self::Store {
        &self.store
    }

    async fn reopen(&mut self, now: Duration) {
        self.store = open(&self.journal, now);
    }

    /// Folds some of the oldest blocks of some jobs.
    async fn compact(&mut self, below: &mut dyn FnMut(u64) -> u64) {
        for job in std::iter::once(0).chain(self.journal.numbers()) {
            if below(2) == 0 {
                let blocks = usize::try_from(below(12)).unwrap();
                self.journal.compact(job, blocks).unwrap();
            }
            if below(3) == 0 {
                self.journal.clean(job).unwrap();
            }
        }
    }
}

#[tokio::test]
async fn a_store_that_is_opened_again_gives_the_same_answers() {
    let mut reopened = 0;
    for seed in 0..SEEDS {
        let journal = VecJournal::default();
        let store = open(&journal, NOW);
        reopened += model::run(seed, STEPS, Journaled { journal, store }).await;
    }
    assert!(reopened > SEEDS * 3, "the store was opened again {reopened} times");
}

#[tokio::test]
async fn a_store_with_a_journal_keeps_the_contract() {
    gleaner_store::conformance::run(async || open(&VecJournal::default(), NOW)).await;
}

fn open(journal: &VecJournal, now: Duration) -> LocalStore<VecJournal> {
    LocalStore::open(MemoryConfig::default(), journal.clone(), journal.stored(), now).unwrap()
}

/// Folds all blocks of all jobs.
fn compact_all(journal: &VecJournal) {
    for job in std::iter::once(0).chain(journal.numbers()) {
        journal.compact(job, usize::MAX).unwrap();
        journal.clean(job).unwrap();
    }
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
    let document = Document::of_markdown("secret-text".to_owned());
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
    let blocks: Vec<u8> =
        journal.stored().jobs.iter().flat_map(|job| job.blocks(Part::Tail).unwrap().concat()).collect();
    assert!(!written.contains("secret"), "{written}");
    assert!(!blocks.windows(6).any(|bytes| bytes == b"secret"));

    compact_all(&journal);
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
async fn the_log_of_ended_jobs_goes_on_and_outlives_their_results() {
    let journal = VecJournal::default();
    let store = open(&journal, NOW);
    let (team, cancelled) = (TeamId::new("a"), job(2, vec![page("bb")]));
    store.submit(job(1, vec![page("a")]), NOW).await.unwrap();
    finish_one(&store).await;
    store.submit(cancelled.clone(), NOW).await.unwrap();
    let warning = JobWarning::Request("a remark".to_owned());
    store.warn(cancelled.id, warning.clone()).await.unwrap();
    store.cancel(cancelled.id, NOW + Duration::from_secs(1)).await.unwrap();
    let secret = NewJob { in_memory: true, ..job(3, vec![page("secret-host")]) };
    store.submit(secret.clone(), NOW).await.unwrap();
    store.fail(secret.id, "secret-text", NOW + Duration::from_secs(2)).await.unwrap();
    for ended in store.accounting(10).await.unwrap().ended {
        store.settled(ended.snapshot.id).await.unwrap();
    }
    let log = async |store: &LocalStore<VecJournal>| store.activities(&team, 10).await.unwrap().unwrap();
    let before = log(&store).await;
    let listed: Vec<_> =
        before.iter().map(|job| (job.snapshot.id, job.snapshot.state, job.url.as_str())).collect();
    let id = |number| job(number, Vec::new()).id;
    let expected = [
        (id(3), JobState::Failed, ""),
        (id(2), JobState::Cancelled, "https://bb.example/secret-path"),
        (id(1), JobState::Completed, "https://a.example/secret-path"),
    ];
    assert_eq!(listed, expected);
    assert_eq!((&before[1].snapshot.warnings, before[0].snapshot.error.is_none()), (&vec![warning], true));
    assert_eq!(log(&open(&journal, NOW)).await, before);
    let later = open(&journal, NOW + Duration::from_secs(2 * 86_400));
    later.expire(NOW + Duration::from_secs(2 * 86_400)).await.unwrap();
    let reopened = open(&journal, NOW + Duration::from_secs(2 * 86_400));
    assert!(reopened.snapshot(id(1)).await.is_err(), "the results have expired");
    assert_eq!(log(&reopened).await, before);
}

#[tokio::test]
async fn an_extract_job_of_an_earlier_process_is_given_once_per_opening() {
    let journal = VecJournal::default();
    let store = open(&journal, NOW);
    let extract = |number| NewJob {
        kind: Some(JobKind::Extract),
        sealed: false,
        request: serde_json::json!({ "prompt": "names" }).into(),
        ..job(number, Vec::new())
    };
    let part = |number, of| {
        let account = JobAccount { part_of: Some(of), ..JobAccount::of(TeamId::new("a")) };
        NewJob { account: Some(Box::new(account)), ..job(number, vec![page("part")]) }
    };
    let (running, ended) = (extract(1), extract(2));
    let parts = [part(3, running.id), part(4, ended.id), part(5, running.id)];
    for submitted in [&running, &ended].into_iter().chain(&parts) {
        store.submit(submitted.clone(), NOW).await.unwrap();
    }
    store.cancel(ended.id, NOW).await.unwrap();
    store.cancel(parts[2].id, NOW).await.unwrap();
    store.charge(running.id, 30, 2).await.unwrap();
    for _ in 0..2 {
        let store = open(&journal, NOW);
        assert!(store.orphans(WORKER, JobKind::Crawl).await.unwrap().is_empty());
        assert_eq!(store.orphans(WORKER, JobKind::Extract).await.unwrap(), [running.id]);
        assert!(store.orphans(WORKER, JobKind::Extract).await.unwrap().is_empty());
        let stored = store.stored(running.id).await.unwrap();
        assert_eq!(stored.request, running.request);
        assert_eq!(store.snapshot(running.id).await.unwrap().tokens_used, 30);
        for part in &parts {
            assert!(store.snapshot(part.id).await.is_err(), "a part does not outlive its process");
        }
        assert!(store.lease(WORKER, 10, NOW).await.unwrap().pages.is_empty());
    }
    assert_eq!(journal.stored().jobs.len(), 2, "nothing is left of the parts");
    let store = open(&journal, NOW);
    store.cancel(running.id, NOW).await.unwrap();
    assert!(store.orphans(WORKER, JobKind::Extract).await.unwrap().is_empty(), "it has ended meanwhile");
}

#[tokio::test]
async fn a_grant_that_was_not_recorded_has_the_same_id_again() {
    let journal = VecJournal::default();
    let account = JobAccount { budget: Some(1), price: 1, ..JobAccount::of(TeamId::new("a")) };
    let pages = vec![page("a"), page("bb"), page("ccc")];
    let submitted = NewJob { account: Some(Box::new(account)), ..job(1, pages) };
    let id = submitted.id;
    let short = async |store: &LocalStore<VecJournal>| store.accounting(10).await.unwrap().short;
    let store = open(&journal, NOW);
    store.submit(submitted, NOW).await.unwrap();
    finish_one(&store).await;
    let first = short(&store).await;
    assert_eq!(first.len(), 1);
    // The accounts provider reserved the credits, and the process ended before it recorded them.
    let store = open(&journal, NOW);
    assert_eq!(short(&store).await, first);
    store.append(id, vec![page("dddd")], 3, None, NOW).await.unwrap();
    let store = open(&journal, NOW);
    assert!(short(&store).await.is_empty(), "the user paid for one more page");
    finish_one(&store).await;
    let again = short(&store).await;
    assert_eq!(again[0].operation, first[0].operation);
    store.grant(id, 50, NOW).await.unwrap();
    let store = open(&journal, NOW);
    finish_one(&store).await;
    finish_one(&store).await;
    let done = store.snapshot(id).await.unwrap();
    assert_eq!((done.state, done.completed), (JobState::Completed, 4));
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
    let blocks: Vec<u8> =
        stored.jobs.iter().flat_map(|job| job.blocks(Part::Tail).unwrap().concat()).collect();
    assert!(!blocks.windows(5).any(|bytes| bytes == b"crumb") && !format!("{stored:?}").contains("crumb"));
    assert_eq!(open(&journal, NOW).stored(id).await.unwrap().notes, [cookies("crumb-two")]);
}

#[tokio::test]
async fn an_expired_idempotency_key_stays_expired() {
    let journal = VecJournal::default();
    let store = open(&journal, NOW);
    let (team, key) = (TeamId::new("a"), Uuid::from_u128(5));
    let account = JobAccount { idempotency_key: Some(key), ..JobAccount::of(team.clone()) };
    let submitted = NewJob { account: Some(Box::new(account)), ..job(1, Vec::new()) };
    let id = submitted.id;
    store.submit(submitted, NOW).await.unwrap();
    store.settled(id).await.unwrap();
    let is_used = async |store: &LocalStore<VecJournal>| store.is_key_used(&team, key).await.unwrap();
    compact_all(&journal);
    let store = open(&journal, NOW);
    assert!(is_used(&store).await);
    assert_eq!(store.expire(NOW + Duration::from_secs(2 * 86_400)).await.unwrap(), [id]);
    for _ in 0..2 {
        // The clock of the next process may be wrong.
        assert!(!is_used(&open(&journal, NOW)).await);
        compact_all(&journal);
    }
}
