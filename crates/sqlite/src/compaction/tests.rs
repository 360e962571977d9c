//! Tests that compaction changes no answer of the store.

use std::fs;
use std::path::Path;
use std::time::Duration;

use bytes::Bytes;
use gleaner_frontier::{Candidate, JobRules, PageEnd, QueuedPage, UrlKey};
use gleaner_store::journal::{BlockWriter, Fact, Journal as _, Keys, PageListWriter, Row};
use gleaner_store::{
    FinishedPage, JobSnapshot, MemoryConfig, NewJob, PageFailures, PageOutcome, ReadBound, Retention, Store,
    WorkerId,
};
use gleaner_types::{Document, ErrorCode, JobId, JobKind, JobState, PageError};
use url::Url;
use uuid::Uuid;

use super::*;
use crate::{FileConfig, Reader, SqliteJournal, SqliteStore, connection, open_store};

const NOW: Duration = Duration::from_secs(1_700_000_000);
const WORKER: WorkerId = WorkerId::from_uuid(Uuid::from_u128(1));
const JOB: JobId = JobId::from_uuid(Uuid::from_u128(7));
/// The number of the job.
const NUMBER: u64 = 1;

/// The steps of [`compact`] that a file takes.
const ALL: usize = usize::MAX;

/// Compacts the first job of a closed file, as far as possible in this many steps. A window has about this
/// many bytes. Returns the number of steps.
pub(crate) fn compact(path: &Path, steps: usize, window: u64) -> usize {
    let mut file = connection::writer(path).unwrap();
    let compaction = Compaction::load(&file).unwrap();
    let form = compaction.form(&file, NUMBER).unwrap().unwrap();
    let mut done = 0;
    while done < steps && window::fold(&mut file, (NUMBER, form), window).unwrap().bytes > 0 {
        done += 1;
    }
    let mut pass = Pass::start(&file, NUMBER, form.has_max_depth).unwrap();
    while done < steps {
        done += 1;
        if !pass.step(&mut file).unwrap() {
            break;
        }
    }
    done
}

fn open(path: &Path) -> SqliteStore {
    let mut memory = MemoryConfig::default();
    memory.frontier.max_in_flight = 10_000;
    open_store(path, &FileConfig::default(), memory, NOW).unwrap().0
}

fn page(number: u64) -> Candidate {
    // Each on a host of its own, so that politeness does not decide which pages are leased.
    let url = Url::parse(&format!("https://p{number}.example/path")).unwrap();
    Candidate { url, key: UrlKey::from_raw(number + 1), external: false, priority: Candidate::NORMAL }
}

/// A file with a crawl that is not finished.
pub(crate) async fn crawl(path: &Path, max_depth: Option<u32>) {
    let store = open(path);
    let rules = JobRules { max_depth, ..JobRules::with_limit(u64::MAX) };
    let job = NewJob {
        retention: Retention::Keep,
        sealed: false,
        ..NewJob::new(JOB, Some(JobKind::Crawl), rules, vec![page(0)])
    };
    store.submit(job, NOW).await.unwrap();
    let mut now = NOW;
    for _ in 0..6 {
        now += Duration::from_secs(1);
        for leased in store.lease(WORKER, 10, now).await.unwrap().pages {
            let number = leased.key.to_raw() - 1;
            let outcome = match number % 6 {
                4 => PageOutcome::Failed(PageError { code: ErrorCode::UnknownError, message: "no".into() }),
                5 if leased.attempt == 0 => PageOutcome::Retry(now),
                _ => {
                    let document = Document::of_markdown(format!("text of page {number}"));
                    PageOutcome::Document(Box::new(document), 1)
                }
            };
            let is_retry = matches!(outcome, PageOutcome::Retry(_));
            let page = FinishedPage {
                links: [3 * number + 1, 3 * number + 2, 3 * number + 3, number / 3].map(page).into(),
                redirected_to: (number % 7 == 3 && !is_retry).then(|| page(1_000 + number).key),
                ..FinishedPage::new(leased, outcome)
            };
            assert!(store.finish(page, now).await.unwrap().accepted);
        }
    }
}

/// What a store over the file answers.
#[derive(Debug, PartialEq)]
struct Answers {
    snapshot: JobSnapshot,
    failures: PageFailures,
    documents: Vec<Bytes>,
    /// Leased pages with depth and attempt.
    leased: Vec<(UrlKey, u32, u32)>,
}

async fn answers(path: &Path) -> Answers {
    assert_eq!(Reader::open(path).unwrap().check().unwrap(), []);
    let store = open(path);
    let all = ReadBound { documents: usize::MAX, bytes: usize::MAX };
    let leased = store.lease(WORKER, 1_000, NOW).await.unwrap().pages.into_iter();
    let mut leased: Vec<_> = leased.map(|page| (page.key, page.depth, page.attempt)).collect();
    leased.sort_unstable();
    Answers {
        snapshot: store.snapshot(JOB).await.unwrap(),
        failures: store.failures(JOB).await.unwrap(),
        documents: store.read_json(JOB, 0, all).await.unwrap().documents,
        leased,
    }
}

#[tokio::test]
async fn a_file_gives_the_same_answers_after_any_step() {
    for max_depth in [None, Some(4)] {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("jobs.db");
        crawl(&path, max_depth).await;
        let expected = answers(&path).await;
        assert!(expected.leased.len() > 20 && expected.documents.len() > 20, "{expected:?}");
        let copy = folder.path().join("copy.db");
        let all = {
            fs::copy(&path, &copy).unwrap();
            compact(&copy, ALL, 500)
        };
        assert!(all > 5, "{all} steps");
        for steps in 1..=all {
            fs::copy(&path, &copy).unwrap();
            // The process ends after this step.
            assert_eq!(compact(&copy, steps, 500), steps);
            assert_eq!(answers(&copy).await, expected, "after {steps} steps");
        }
        let reader = Reader::open(&copy).unwrap();
        reader.blocks(NUMBER, 0, |number, _| panic!("block {number} is left")).unwrap();
        let progress = reader.progress(NUMBER).unwrap();
        assert_eq!(progress.totals.documents, expected.snapshot.completed);
        assert_eq!(progress.totals.waiting(), expected.leased.len() as u64);
    }
}

/// A path of forty bytes.
fn path(number: u64) -> String {
    format!("/a/path/of/forty/bytes/{number:017}")
}

fn append(journal: &SqliteJournal, facts: &mut BlockWriter) -> u64 {
    let mut batch = Batch::default();
    (batch.job, batch.facts) = (NUMBER, facts.finish());
    journal.append(vec![batch])
}

/// Submits a job, queues pages with these numbers, and ends the first ones. Returns the last ticket.
fn fill(journal: &SqliteJournal, pages: u64, ended: u64) -> u64 {
    let job = NewJob {
        sealed: false,
        ..NewJob::new(JOB, Some(JobKind::Crawl), JobRules::with_limit(u64::MAX), Vec::new())
    };
    let mut batch = Batch::default();
    (batch.job, batch.rows) = (NUMBER, vec![Row::Submitted { job: Box::new(job), at: NOW }]);
    let mut last = journal.append(vec![batch]);
    let (mut list, mut block) = (PageListWriter::default(), BlockWriter::default());
    // Keys are hashes.
    let key = |number: u64| UrlKey::from_raw(number.wrapping_mul(0x9e37_79b9_7f4a_7c15));
    for number in 0..pages {
        let (host, path) = ("www.example.com", path(number));
        let (https, external, depth, priority, deferral) = (true, false, 1, Candidate::NORMAL, 0);
        let page =
            QueuedPage { key: key(number), https, external, host, path: &path, depth, priority, deferral };
        list.push(&page);
        if number % 50 == 49 {
            block.push(&Fact::Admitted { by: None, pages: list.finish() });
            list.clear();
            last = append(journal, &mut block);
        }
    }
    for number in 0..ended {
        let (end, links) = (PageEnd::Skipped, Keys::default());
        block.push(&Fact::Ended { key: key(number), end, target: None, fingerprint: None, links });
        if number % 50 == 49 {
            last = append(journal, &mut block);
        }
    }
    last
}

async fn filled(file: &Path, pages: u64, ended: u64) {
    let (journal, ..) = SqliteJournal::open(file, &FileConfig::default()).unwrap();
    let last = fill(&journal, pages, ended);
    journal.committed().wait_for(|committed| committed.through >= last).await.unwrap();
}

#[tokio::test]
async fn an_ended_page_takes_a_few_bytes_and_a_waiting_one_little_more_than_its_path() {
    const PAGES: u64 = 100_000;
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("jobs.db");
    filled(&file, 2 * PAGES, PAGES).await;
    compact(&file, ALL, window::BYTES);
    let writer = connection::writer(&file).unwrap();
    let number = |name| {
        let pages: i64 = writer.pragma_query_value(None, name, |row| row.get(0)).unwrap();
        pages.cast_unsigned() * connection::PAGE
    };
    let used = number("page_count") - number("freelist_count");
    let path = path(0).len() as u64;
    assert_eq!(path, 40);
    let expected = 20 * PAGES + (16 + path) * PAGES;
    assert!(used <= expected, "{used} bytes, at most {expected} are allowed");
    drop(writer);
    assert_eq!(Reader::open(&file).unwrap().check().unwrap(), []);
    let snapshot = open(&file).snapshot(JOB).await.unwrap();
    assert_eq!(snapshot.open, PAGES);
}

#[tokio::test]
async fn a_long_tail_is_folded_while_the_writer_is_busy() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("jobs.db");
    filled(&file, 200_000, 0).await;
    let reader = Reader::open(&file).unwrap();
    let mut tail = 0;
    reader
        .blocks(NUMBER, 0, |_, block| {
            tail += block.len() as u64;
            Ok(())
        })
        .unwrap();
    let all = reader.progress(NUMBER).unwrap();
    assert_eq!(all.totals.queued, 200_000);
    assert!(tail < BUSY_TAIL, "{tail} bytes are not folded");
    drop(reader);
    let folded = Record::read(&connection::reader(&file).unwrap(), NUMBER).unwrap();
    assert!(folded.folded > 0 && folded.queued > 50_000, "{folded:?}");
}

#[tokio::test]
async fn a_queue_is_cleaned_when_enough_of_it_has_ended() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("jobs.db");
    filled(&file, 40_000, 30_000).await;
    let mut writer = connection::writer(&file).unwrap();
    let mut compaction = Compaction::load(&writer).unwrap();
    while compaction.step(&mut writer, false).unwrap() {}
    let record = Record::read(&writer, NUMBER).unwrap();
    assert!(record.cleaned > 0 && record.queued < 35_000 && !record.has_garbage(), "{record:?}");
    drop(writer);
    assert_eq!(Reader::open(&file).unwrap().check().unwrap(), []);
    let snapshot = open(&file).snapshot(JOB).await.unwrap();
    assert_eq!(snapshot.open, 10_000);
}

#[tokio::test]
async fn a_job_that_has_ended_needs_almost_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("jobs.db");
    {
        let (journal, ..) = SqliteJournal::open(&file, &FileConfig::default()).unwrap();
        fill(&journal, 20_000, 5_000);
        let mut block = BlockWriter::default();
        let state = JobState::Cancelled;
        block.push(&Fact::JobEnded { at: NOW, state, failure: None, error: None });
        let last = append(&journal, &mut block);
        journal.committed().wait_for(|committed| committed.through >= last).await.unwrap();
    }
    let mut writer = connection::writer(&file).unwrap();
    let mut compaction = Compaction::load(&writer).unwrap();
    while compaction.step(&mut writer, false).unwrap() {}
    let bytes = |table: &str| {
        let sql = format!("SELECT coalesce(sum(length(bytes)), 0) FROM {table}");
        writer.query_row(&sql, [], |row| row.get::<_, i64>(0)).unwrap()
    };
    assert_eq!(bytes("fact"), 0);
    assert!(bytes("part") < 200, "{} bytes", bytes("part"));
    drop(writer);
    let snapshot = open(&file).snapshot(JOB).await.unwrap();
    assert_eq!(snapshot.state, JobState::Cancelled);
    assert_eq!(Reader::open(&file).unwrap().check().unwrap(), []);
}
