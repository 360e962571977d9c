//! A file that has reached its bound.

use std::fs::OpenOptions;
use std::io::{Seek as _, SeekFrom, Write as _};
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use gleaner_frontier::{Candidate, JobRules, UrlKey};
use gleaner_sqlite::{FileConfig, Reader, SqliteJournal, SqliteStore, open_store};
use gleaner_store::journal::{Batch, BlockWriter, Committed, Fact, Journal as _, Row, Stall};
use gleaner_store::{
    ErrorKind, FinishedPage, LeasedPage, MemoryConfig, NewJob, PageOutcome, ReadBound, Reservation,
    Retention, Store, TeamId, WaitingFor, WorkerId,
};
use gleaner_types::{Document, JobId, JobKind};
use url::Url;
use uuid::Uuid;

use super::file::{self, JOB};

/// The bound of the file in bytes.
const BOUND: u64 = 1 << 20;

/// A document that does not compress.
fn noise(position: u64) -> Batch {
    let mut state = position.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1;
    let bytes: Vec<u8> = std::iter::repeat_with(|| {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        state as u8
    })
    .take(20_000)
    .collect();
    file::with_json(position, Bytes::from(bytes))
}

/// A journal that is full, with the ticket of its last batch. The last document of the job 1 is at 99.
async fn full(path: &Path) -> (SqliteJournal, u64) {
    let config = FileConfig { max_bytes: Some(BOUND) };
    let (journal, ..) = SqliteJournal::open(path, &config).unwrap();
    journal.append(vec![file::submit()]);
    let mut last = 0;
    for position in 0..100 {
        let mut batch = noise(position);
        batch.urgent = true;
        last = journal.append(vec![batch]);
    }
    let mut committed = journal.committed();
    let stalled = *committed.wait_for(|committed| committed.stalled.is_some()).await.unwrap();
    assert_eq!(stalled.stalled, Some(Stall::Bound(BOUND)));
    assert!(stalled.through < last);
    (journal, last)
}

#[tokio::test]
async fn a_full_file_is_read_and_goes_on_when_a_job_is_removed() {
    let folder = tempfile::tempdir().unwrap();
    let path = file::path(folder.path());
    let (journal, last) = full(&path).await;
    let bound = ReadBound { documents: 1000, bytes: usize::MAX };
    let readable = journal.documents(JOB, 0, bound).await.unwrap().len();
    assert!(readable > 20 && readable < 100, "{readable} documents");
    assert!(path.metadata().unwrap().len() <= BOUND);

    let mut removal = Batch::default();
    removal.job = JOB;
    removal.rows.push(Row::Removed { keeps_facts: false });
    let mut other = Batch::default();
    (other.job, other.facts) = (2, noise(0).facts);
    journal.append(vec![removal]);
    let ticket = journal.append(vec![other]);
    let mut committed = journal.committed();
    let end = *committed.wait_for(|committed| committed.through >= ticket).await.unwrap();
    assert!(end.through > last && end.stalled.is_none());
    drop(journal);
    let (journal, state) = file::open(&path);
    assert!(state.jobs.is_empty());
    assert_eq!(journal.reader().unwrap().document_range(2).unwrap(), (0, 0));
}

#[tokio::test]
async fn a_full_file_has_what_was_reported_and_goes_on_with_a_larger_bound() {
    let folder = tempfile::tempdir().unwrap();
    let path = file::path(folder.path());
    let (journal, _) = full(&path).await;
    let through = journal.committed().borrow().through;
    // It does not wait for space that nobody makes.
    drop(journal);
    let (journal, state) = file::open(&path);
    // The first ticket is that of the submit.
    let stored = state.jobs[0].documents().unwrap().len() as u64;
    assert_eq!(stored, through - 1);
    let mut last = 0;
    for position in stored..100 {
        last = journal.append(vec![noise(position)]);
    }
    journal.committed().wait_for(|committed| committed.through >= last).await.unwrap();
    assert_eq!(journal.reader().unwrap().document_range(JOB).unwrap(), (0, 100));
    assert_eq!(journal.reader().unwrap().check().unwrap(), []);
}

const NOW: Duration = Duration::from_secs(1_700_000_000);
const WORKER: WorkerId = WorkerId::from_uuid(Uuid::from_u128(1));

/// A batch of this many pages that keeps its documents.
fn job(number: u128, pages: u64) -> NewJob {
    let page = |page: u64| Candidate {
        url: Url::parse(&format!("https://p{page}-of-{number}.example/")).unwrap(),
        key: UrlKey::from_raw(page),
        external: false,
        priority: Candidate::NORMAL,
    };
    let id = JobId::from_uuid(Uuid::from_u128(number));
    let (kind, rules) = (Some(JobKind::BatchScrape), JobRules::with_limit(u64::MAX));
    NewJob { retention: Retention::Keep, ..NewJob::new(id, kind, rules, (0..pages).map(page).collect()) }
}

/// A page with a document of thirty kilobytes.
fn document(lease: LeasedPage) -> FinishedPage {
    let noise = &noise(lease.key.to_raw()).documents[0].json;
    let text: String = noise.iter().map(|byte| format!("{byte:02x}")).collect();
    let document = Document::of_markdown(text);
    FinishedPage::new(lease, PageOutcome::Document(Box::new(document), 1))
}

async fn lease(store: &SqliteStore) -> Vec<LeasedPage> {
    store.lease(WORKER, 1, NOW).await.unwrap().pages
}

#[tokio::test]
async fn a_full_store_pauses_its_jobs_and_goes_on_when_there_is_room() {
    let folder = tempfile::tempdir().unwrap();
    let config = FileConfig { max_bytes: Some(BOUND) };
    let opened = open_store(file::path(folder.path()), &config, MemoryConfig::default(), NOW);
    let store = Arc::new(opened.unwrap().0);
    let (old, new) = (job(1, 15), job(2, 100));
    let (old_id, new_id) = (old.id, new.id);
    store.submit(old, NOW).await.unwrap();
    while let Some(page) = lease(&store).await.pop() {
        assert!(store.finish(document(page), NOW).await.unwrap().accepted);
    }
    store.submit(new, NOW).await.unwrap();
    let mut done = 0;
    let waiting = loop {
        let page = lease(&store).await.remove(0);
        let finishing = {
            let store = Arc::clone(&store);
            tokio::spawn(async move { store.finish(document(page), NOW).await.unwrap().accepted })
        };
        // The task runs until it waits for its commit.
        tokio::task::yield_now().await;
        let snapshot = store.snapshot(new_id).await.unwrap();
        if snapshot.waiting_for == Some(WaitingFor::Disk) {
            break finishing;
        }
        assert!(finishing.await.unwrap());
        done += 1;
    };
    assert!(done > 5, "{done} pages");
    let leases = store.lease(WORKER, 10, NOW).await.unwrap();
    assert!(leases.pages.is_empty() && leases.next.is_some(), "no page is leased meanwhile");
    let reservation =
        Reservation { operation: Uuid::from_u128(9), job: new_id, team: TeamId::default(), credits: 1 };
    for refused in [
        store.submit(job(3, 1), NOW).await.unwrap_err(),
        store.append(new_id, job(4, 1).pages, 0, None, NOW).await.map(drop).unwrap_err(),
        store.intend(reservation, NOW).await.unwrap_err(),
    ] {
        assert!(refused.is_full(), "{refused}");
        let text = refused.to_string();
        assert!(text.contains(&BOUND.to_string()) && text.contains("removed"), "{text}");
    }
    assert!(!waiting.is_finished(), "the page is not acknowledged");
    let all = ReadBound { documents: usize::MAX, bytes: usize::MAX };
    let readable = store.read_json(new_id, 0, all).await.unwrap();
    assert!(readable.documents.len() as u64 >= done, "what is durable is readable");

    store.remove(old_id, NOW).await.unwrap();
    assert!(waiting.await.unwrap(), "the page is stored once there is room");
    assert_eq!(store.snapshot(new_id).await.unwrap().waiting_for, None);
    for _ in 0..3 {
        let page = lease(&store).await.remove(0);
        assert!(store.finish(document(page), NOW).await.unwrap().accepted);
    }
    store.submit(job(3, 1), NOW).await.unwrap();
    drop(store);
    let reader = Reader::open(file::path(folder.path())).unwrap();
    assert_eq!(reader.check().unwrap(), []);
}

/// Jobs were accepted and lost after the file had been removed, and submits hung without its folder.
#[cfg(unix)]
#[tokio::test]
async fn a_file_that_is_not_in_its_place_takes_no_more_jobs() {
    let remove = |path: &Path| std::fs::remove_file(path).unwrap();
    let move_away = |path: &Path| std::fs::rename(path, path.with_extension("old")).unwrap();
    let replace = |path: &Path| {
        std::fs::copy(path, path.with_extension("copy")).unwrap();
        std::fs::rename(path.with_extension("copy"), path).unwrap();
    };
    let remove_folder = |path: &Path| std::fs::remove_dir_all(path.parent().unwrap()).unwrap();
    type Change<'a> = (&'a str, &'a dyn Fn(&Path));
    let changes: [Change<'_>; 4] =
        [("removed", &remove), ("moved", &move_away), ("replaced", &replace), ("folder", &remove_folder)];
    for (name, change) in changes {
        let folder = tempfile::tempdir().unwrap();
        let inner = folder.path().join("data");
        std::fs::create_dir(&inner).unwrap();
        let path = file::path(&inner);
        let opened = open_store(&path, &FileConfig::default(), MemoryConfig::default(), NOW);
        let store = opened.unwrap().0;
        store.submit(job(1, 1), NOW).await.unwrap();
        change(&path);
        for number in [2, 3] {
            let refused = store.submit(job(number, 1), NOW).await.unwrap_err().to_string();
            assert!(refused.contains("jobs.db can never be written again"), "{name}: {refused}");
        }
    }
}

/// Jobs were accepted into a file that had been overwritten under the running process.
#[tokio::test]
async fn a_malformed_file_is_not_written_after_the_first_read_of_it() {
    let folder = tempfile::tempdir().unwrap();
    let path = file::path(folder.path());
    let (journal, _) = file::open(&path);
    journal.append(vec![file::submit()]);
    let mut last = 0;
    for position in 0..50 {
        last = journal.append(vec![noise(position)]);
    }
    let mut committed = journal.committed();
    committed.wait_for(|committed| committed.through >= last).await.unwrap();
    for name in [path.clone(), folder.path().join("jobs.db-wal")] {
        /// The first page of the file, and the head of the log.
        const HEAD: u64 = 4_096;
        let mut file = OpenOptions::new().write(true).open(&name).unwrap();
        let length = file.metadata().unwrap().len().saturating_sub(HEAD);
        file.seek(SeekFrom::Start(HEAD)).unwrap();
        file.write_all(&vec![0xa5; length as usize]).unwrap();
    }
    let bound = ReadBound { documents: 10, bytes: usize::MAX };
    let unread = journal.documents(JOB, 0, bound).await.unwrap_err();
    assert_eq!(unread.kind(), ErrorKind::Damaged, "{unread}");
    let next = journal.append(vec![noise(50)]);
    assert!(committed.wait_for(|committed| committed.through >= next).await.is_err());
    let reason = journal.end().unwrap();
    assert!(reason.contains("jobs.db can never be written again"), "{reason}");
}

#[tokio::test]
async fn a_stream_that_is_read_makes_room() {
    let folder = tempfile::tempdir().unwrap();
    let path = file::path(folder.path());
    let (journal, last) = full(&path).await;
    let mut committed = journal.committed();
    let through = committed.borrow().through;
    let read = |before| {
        let mut block = BlockWriter::default();
        block.push(&Fact::Read { position: before });
        let mut batch = Batch::default();
        (batch.job, batch.facts) = (JOB, block.finish());
        batch.rows.push(Row::DocumentsRead { before });
        journal.append(vec![batch])
    };
    read(15);
    // There is room for some of the documents that wait.
    let goes_on = |committed: &Committed| committed.through > through && committed.stalled.is_some();
    let through = committed.wait_for(goes_on).await.unwrap().through;
    assert!(through < last);
    let (first, end) = journal.reader().unwrap().document_range(JOB).unwrap();
    assert!(first > 0 && first <= 15 && end < 100, "documents {first} to {end}");
    // The next process would know that the others were read.
    let copy = folder.path().join("copy.db");
    journal.reader().unwrap().backup(&copy, false).unwrap();
    assert_eq!(Reader::open(&copy).unwrap().check().unwrap(), []);
    drop(open_store(&copy, &FileConfig::default(), MemoryConfig::default(), NOW).unwrap());

    let ticket = read(90);
    committed.wait_for(|committed| committed.through >= ticket).await.unwrap();
    let (first, end) = journal.reader().unwrap().document_range(JOB).unwrap();
    assert!(first > 50 && first <= 90 && end == 100, "documents {first} to {end}");
    assert_eq!(journal.reader().unwrap().check().unwrap(), []);
}

#[tokio::test]
async fn pages_that_can_never_fit_are_refused() {
    let folder = tempfile::tempdir().unwrap();
    let config = FileConfig { max_bytes: Some(BOUND) };
    let (store, _) = open_store(file::path(folder.path()), &config, MemoryConfig::default(), NOW).unwrap();
    let page = |number: u64| Candidate {
        url: Url::parse(&format!("https://a.example/{number}/{}", "x".repeat(10_000))).unwrap(),
        key: UrlKey::from_raw(number),
        external: false,
        priority: Candidate::NORMAL,
    };
    let pages = |count| (1..=count).map(page).collect::<Vec<_>>();
    let id = |number| JobId::from_uuid(Uuid::from_u128(number));
    let job =
        |number, pages| NewJob::new(id(number), Some(JobKind::Crawl), JobRules::with_limit(1_000), pages);
    assert!(store.submit(job(1, pages(200)), NOW).await.unwrap_err().is_full());
    // Smaller ones are accepted, and the store can still write.
    store.submit(job(2, pages(1)), NOW).await.unwrap();
    assert!(store.append(id(2), pages(200), 0, None, NOW).await.unwrap_err().is_full());
    assert_eq!(store.append(id(2), pages(3), 0, None, NOW).await.unwrap().new, 2);
}
