//! What a store makes of its journal when it is opened again.
#![expect(clippy::unwrap_used, reason = "a test stops at the first error")]

use std::sync::Arc;
use std::time::Duration;

use gleaner_frontier::{Candidate, JobRules, UrlKey};
use gleaner_store::journal::{Batch, BlockWriter, Fact, Journal, NewDocument, Row, VecJournal};
use gleaner_store::{
    DeliveryOutcome, Error, ErrorKind, FinishedPage, JobAccount, JobFailure, JobWarning, LocalStore,
    MemoryConfig, NewJob, PageOutcome, ReadBound, Retention, Store, TeamId, WorkerId,
};
use gleaner_types::plan::{EventKind, WebhookPlan};
use gleaner_types::{Document, JobId, JobKind, JobState};
use url::Url;
use uuid::Uuid;

const NOW: Duration = Duration::from_secs(1_700_000_000);
const HOUR: Duration = Duration::from_secs(3_600);
const WORKER: WorkerId = WorkerId::from_uuid(Uuid::from_u128(1));

fn try_open(journal: &VecJournal, now: Duration) -> Result<LocalStore<VecJournal>, Error> {
    LocalStore::open(MemoryConfig::default(), journal.clone(), journal.stored(), now)
}

fn open(journal: &VecJournal, now: Duration) -> LocalStore<VecJournal> {
    try_open(journal, now).unwrap()
}

pub(crate) fn crawl(number: u128, pages: u64) -> NewJob {
    let page = |page: u64| {
        let url = Url::parse(&format!("https://p{page}-of-{number}.example/")).unwrap();
        Candidate { url, key: UrlKey::from_raw(page), external: false, priority: Candidate::NORMAL }
    };
    let id = JobId::from_uuid(Uuid::from_u128(number));
    let pages = (0..pages).map(page).collect();
    let account = Some(Box::new(JobAccount::of(TeamId::new("a"))));
    NewJob { account, ..NewJob::new(id, Some(JobKind::Crawl), JobRules::with_limit(10), pages) }
}

/// Finishes all pages, each with its URL as text.
async fn finish_all(store: &LocalStore<VecJournal>) {
    for page in store.lease(WORKER, 100, NOW).await.unwrap().pages {
        let document = Document::of_markdown(page.url.to_string());
        let page = FinishedPage::new(page, PageOutcome::Document(Box::new(document), 1));
        assert!(store.finish(page, NOW).await.unwrap().accepted);
    }
}

fn webhook(events: Vec<EventKind>) -> Option<Arc<WebhookPlan>> {
    let url = Url::parse("https://hook.example/").unwrap();
    Some(Arc::new(WebhookPlan { url, headers: Default::default(), metadata: Default::default(), events }))
}

/// A block of these facts.
fn block(facts: &[Fact<'_>]) -> Vec<u8> {
    let mut block = BlockWriter::default();
    facts.iter().for_each(|fact| block.push(fact));
    block.finish()
}

/// Writes a submitted job with this number and nothing of its pages.
fn append_submit(journal: &VecJournal, number: u64, job: NewJob) {
    let mut batch = Batch::default();
    (batch.job, batch.rows) = (number, vec![Row::Submitted { job: Box::new(job), at: NOW }]);
    journal.append(vec![batch]);
}

#[tokio::test]
async fn a_missing_document_is_damage() {
    for retention in [Retention::Keep, Retention::Stream] {
        for position in 1..4 {
            let journal = VecJournal::default();
            let store = open(&journal, NOW);
            let job = NewJob { retention, ..crawl(1, 4) };
            let id = job.id;
            store.submit(job, NOW).await.unwrap();
            finish_all(&store).await;
            store.read(id, 1, ReadBound::default()).await.unwrap();
            assert!(try_open(&journal, NOW).is_ok(), "what was read is not missed");
            journal.lose_document(1, position);
            let error = try_open(&journal, NOW).unwrap_err();
            assert_eq!(error.kind(), ErrorKind::Damaged);
            let text = format!("job {id} cannot be opened: document {position}");
            assert!(error.to_string().starts_with(&text), "{error}");
        }
    }
}

#[tokio::test]
async fn unreadable_facts_are_damage() {
    for number in [0, 1] {
        let journal = VecJournal::default();
        open(&journal, NOW).submit(crawl(1, 1), NOW).await.unwrap();
        let mut batch = Batch::default();
        (batch.job, batch.facts) = (number, b"not a block".to_vec());
        journal.append(vec![batch]);
        assert_eq!(try_open(&journal, NOW).unwrap_err().kind(), ErrorKind::Damaged);
    }
}

#[tokio::test]
async fn a_damaged_document_is_lost_to_a_stream_and_stops_no_other() {
    let journal = VecJournal::default();
    let store = open(&journal, NOW);
    let job = crawl(1, 6);
    let id = job.id;
    store.submit(job, NOW).await.unwrap();
    finish_all(&store).await;
    for position in [0, 1, 3, 5] {
        journal.damage_document(1, position);
    }
    let (mut next, mut positions) = (0, Vec::new());
    loop {
        let slice = match store.read(id, next, ReadBound::default()).await {
            Ok(slice) => slice,
            // Only lost ones were left.
            Err(error) => {
                assert_eq!(error.kind(), ErrorKind::Damaged);
                continue;
            }
        };
        positions.push((slice.next, slice.documents.len()));
        next = slice.next;
        if slice.end {
            break;
        }
    }
    assert_eq!(positions, [(3, 1), (5, 1), (6, 0)]);
    assert_eq!(store.snapshot(id).await.unwrap().warnings, [JobWarning::DocumentsLost(4)]);
}

#[tokio::test]
async fn the_event_of_a_damaged_document_is_sent_without_it() {
    let journal = VecJournal::default();
    let store = open(&journal, NOW);
    let job = NewJob { webhook: webhook(vec![EventKind::Page]), ..crawl(1, 1) };
    let id = job.id;
    store.submit(job, NOW).await.unwrap();
    finish_all(&store).await;
    journal.damage_document(1, 0);
    assert_eq!(store.read(id, 0, ReadBound::default()).await.unwrap_err().kind(), ErrorKind::Damaged);
    let event = store.due(1, NOW).await.unwrap().events.remove(0).id;
    let body = String::from_utf8(store.event_body(event).await.unwrap().unwrap()).unwrap();
    assert!(body.contains(r#""data":[]"#) && body.contains("could not be read"), "{body}");
}

#[tokio::test]
async fn a_job_with_nothing_left_to_do_ends() {
    let journal = VecJournal::default();
    let job = NewJob { webhook: webhook(vec![EventKind::Completed]), ..crawl(1, 0) };
    let id = job.id;
    // Its end was not written.
    append_submit(&journal, 1, job);
    for _ in 0..2 {
        let store = open(&journal, NOW);
        assert_eq!(store.snapshot(id).await.unwrap().state, JobState::Completed);
        assert_eq!(store.accounting(10).await.unwrap().ended.len(), 1);
        assert_eq!(store.due(10, NOW).await.unwrap().events.len(), 1);
    }
}

#[tokio::test]
async fn a_job_with_zero_data_retention_keeps_its_charge_and_the_reasons_of_the_store() {
    let journal = VecJournal::default();
    let store = open(&journal, NOW);
    let private = |number, pages| NewJob { in_memory: true, ..crawl(number, pages) };
    let extract = NewJob { kind: Some(JobKind::Extract), sealed: false, ..private(1, 0) };
    let mut denied = private(2, 1);
    denied.account =
        Some(Box::new(JobAccount { budget: Some(0), price: 1, ..JobAccount::of(TeamId::new("a")) }));
    let failed = private(3, 1);
    let ids = [extract.id, denied.id, failed.id];
    for job in [extract, denied, failed] {
        store.submit(job, NOW).await.unwrap();
    }
    store.charge(ids[0], 30, 2).await.unwrap();
    store.grant(ids[1], 0, NOW).await.unwrap();
    store.fail(ids[2], "https://secret.example/ cannot be read", NOW).await.unwrap();
    for _ in 0..2 {
        let store = open(&journal, NOW);
        let mut jobs = Vec::new();
        for id in ids {
            let job = store.snapshot(id).await.unwrap();
            assert_eq!(job.state, JobState::Failed);
            jobs.push((job.credits_used, job.tokens_used, job.failure, job.error.unwrap()));
        }
        let expected = [
            (2, 30, JobFailure::Other, "the process ended, and nothing of the job was kept"),
            (0, 0, JobFailure::InsufficientCredits, "insufficient credits"),
            (0, 0, JobFailure::Other, "the job failed, and the reason was not kept"),
        ];
        let expected = expected
            .map(|(credits, tokens, failure, error)| (credits, tokens, Some(failure), error.to_owned()));
        assert_eq!(jobs, expected);
    }
}

#[tokio::test]
async fn an_idempotency_key_that_was_used_again_is_used() {
    let journal = VecJournal::default();
    let store = open(&journal, NOW);
    let (team, key) = (TeamId::new("a"), Uuid::from_u128(7));
    let submit = |number| {
        let account = JobAccount { idempotency_key: Some(key), ..JobAccount::of(team.clone()) };
        NewJob { account: Some(Box::new(account)), ..crawl(number, 0) }
    };
    store.submit(submit(1), NOW).await.unwrap();
    let later = NOW + HOUR * 25;
    store.expire(later).await.unwrap();
    store.submit(submit(2), later).await.unwrap();
    let store = open(&journal, later + HOUR);
    assert!(store.is_key_used(&team, key).await.unwrap());
    let store = open(&journal, later + HOUR * 25);
    assert!(!store.is_key_used(&team, key).await.unwrap());
}

#[tokio::test]
async fn no_event_waits_longer_because_the_clock_was_set_back() {
    let journal = VecJournal::default();
    let ahead = NOW + HOUR * 1_000;
    let store = open(&journal, ahead);
    let job = NewJob { webhook: webhook(vec![EventKind::Started]), ..crawl(1, 1) };
    store.submit(job, ahead).await.unwrap();
    let event = store.due(1, ahead).await.unwrap().events.remove(0).id;
    let not_before = ahead + Duration::from_secs(4);
    store.delivered(event, DeliveryOutcome::Retry { not_before }, ahead).await.unwrap();
    let store = open(&journal, NOW);
    let due = store.due(1, NOW).await.unwrap();
    assert_eq!((due.events.len(), due.next), (0, Some(NOW + Duration::from_secs(4))));
    assert_eq!(store.due(1, NOW + Duration::from_secs(4)).await.unwrap().events.len(), 1);
}

#[tokio::test]
async fn numbers_of_a_crafted_journal_do_not_overflow() {
    let journal = VecJournal::default();
    let job = NewJob { retention: Retention::Keep, ..crawl(1, 0) };
    let id = job.id;
    append_submit(&journal, u64::MAX, job);
    let mut batch = Batch::default();
    batch.job = u64::MAX;
    batch.facts = block(&[0, 1].map(|position| Fact::Document { position, credits: u64::MAX, scrape: None }));
    batch.documents =
        [0, 1].map(|position| NewDocument { position, scrape: None, json: "{}".into() }).to_vec();
    journal.append(vec![batch]);
    assert_eq!(open(&journal, NOW).snapshot(id).await.unwrap().credits_used, u64::MAX);

    let mut batch = Batch::default();
    (batch.job, batch.facts) = (u64::MAX, block(&[Fact::Read { position: u64::MAX }]));
    journal.append(vec![batch]);
    assert_eq!(try_open(&journal, NOW).unwrap_err().kind(), ErrorKind::Damaged);
}

#[tokio::test]
async fn a_long_queue_is_the_same_after_it_was_folded() {
    // So long that its blocks are read ahead.
    const PAGES: u64 = 100_010;
    let page = |number: u64| {
        let url = Url::parse(&format!("https://h{}.example/{number}", number % 3)).unwrap();
        Candidate { url, key: UrlKey::from_raw(number), external: false, priority: Candidate::NORMAL }
    };
    for max_depth in [None, Some(3)] {
        let journal = VecJournal::default();
        let store = open(&journal, NOW);
        let rules = JobRules { max_depth, ..JobRules::with_limit(u64::MAX) };
        let job = NewJob { rules, pages: (0..PAGES).map(page).collect(), ..crawl(1, 0) };
        let id = job.id;
        store.submit(job, NOW).await.unwrap();
        let mut ended = 0;
        for page in store.lease(WORKER, 3, NOW).await.unwrap().pages {
            ended += 1;
            store.finish(FinishedPage::new(page, PageOutcome::Skipped), NOW).await.unwrap();
        }
        for number in journal.numbers() {
            journal.compact(number, 100).unwrap();
        }
        let again = open(&journal.after_crash(), NOW);
        for store in [&store, &again] {
            assert_eq!(store.snapshot(id).await.unwrap().total, PAGES - ended);
        }
        let leased = async |store: &LocalStore<VecJournal>| {
            let leases = store.lease(WORKER, 3, NOW).await.unwrap().pages;
            let mut urls: Vec<String> = leases.iter().map(|page| page.url.to_string()).collect();
            urls.sort();
            urls
        };
        assert_eq!(leased(&store).await, leased(&again).await);
    }
}
