//! A file that has reached its bound.

use std::time::Duration;

use bytes::Bytes;
use gleaner_frontier::{Candidate, JobRules, UrlKey};
use gleaner_sqlite::{FileConfig, SqliteJournal, open_store};
use gleaner_store::journal::{Batch, Journal as _, Row, Stall};
use gleaner_store::{MemoryConfig, NewJob, ReadBound, Store as _};
use gleaner_types::{JobId, JobKind};
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
async fn full(path: &std::path::Path) -> (SqliteJournal, u64) {
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
    assert_eq!(stalled.stalled, Some(Stall::Full));
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
    let stored = state.jobs[0].documents.len() as u64;
    assert_eq!(stored, through - 1);
    let mut last = 0;
    for position in stored..100 {
        last = journal.append(vec![noise(position)]);
    }
    journal.committed().wait_for(|committed| committed.through >= last).await.unwrap();
    assert_eq!(journal.reader().unwrap().document_range(JOB).unwrap(), (0, 100));
    assert_eq!(journal.reader().unwrap().check().unwrap(), []);
}

#[tokio::test]
async fn pages_that_can_never_fit_are_refused() {
    let folder = tempfile::tempdir().unwrap();
    let config = FileConfig { max_bytes: Some(BOUND) };
    let now = Duration::from_secs(1_700_000_000);
    let (store, _) = open_store(file::path(folder.path()), &config, MemoryConfig::default(), now).unwrap();
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
    assert!(store.submit(job(1, pages(200)), now).await.unwrap_err().is_full());
    // Smaller ones are accepted, and the store can still write.
    store.submit(job(2, pages(1)), now).await.unwrap();
    assert!(store.append(id(2), pages(200), 0, None, now).await.unwrap_err().is_full());
    assert_eq!(store.append(id(2), pages(3), 0, None, now).await.unwrap().new, 2);
}
