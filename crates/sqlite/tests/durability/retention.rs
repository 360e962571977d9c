//! What is removed or expires gives its space back.

use std::path::Path;
use std::time::Duration;

use gleaner_frontier::{Candidate, JobRules, UrlKey};
use gleaner_sqlite::{FileConfig, Reader, SqliteStore, open_store};
use gleaner_store::{FinishedPage, MemoryConfig, NewJob, PageOutcome, Retention, Store, TeamId, WorkerId};
use gleaner_types::{Document, JobId, JobKind};
use url::Url;
use uuid::Uuid;

use super::file;

const NOW: Duration = Duration::from_secs(1_700_000_000);
const HOUR: Duration = Duration::from_secs(3_600);
const WORKER: WorkerId = WorkerId::from_uuid(Uuid::from_u128(1));

fn open(path: &Path, now: Duration) -> SqliteStore {
    open_store(path, &FileConfig::default(), MemoryConfig::default(), now).unwrap().0
}

/// A finished job of forty documents of a hundred kilobytes that do not compress well.
async fn crawl(store: &SqliteStore, number: u128, now: Duration) -> JobId {
    let page = |page: u64| Candidate {
        url: Url::parse(&format!("https://p{page}-of-{number}.example/")).unwrap(),
        key: UrlKey::from_raw(page),
        external: false,
        priority: Candidate::NORMAL,
    };
    let id = JobId::from_uuid(Uuid::from_u128(number));
    let rules = JobRules::with_limit(u64::MAX);
    let pages = (0..40).map(page).collect();
    let job =
        NewJob { retention: Retention::Keep, ..NewJob::new(id, Some(JobKind::BatchScrape), rules, pages) };
    store.submit(job, now).await.unwrap();
    for lease in store.lease(WORKER, 40, now).await.unwrap().pages {
        let mut state = lease.key.to_raw() + 1;
        let words = std::iter::repeat_with(|| {
            state = state.wrapping_mul(0x5851_f42d_4c95_7f2d).wrapping_add(0x1405_7b7e_f767_814f);
            format!("{state:016x}")
        });
        let document = Document::of_markdown(words.take(6_000).collect());
        let outcome = PageOutcome::Document(Box::new(document), 1);
        assert!(store.finish(FinishedPage::new(lease, outcome), now).await.unwrap().accepted);
    }
    id
}

/// Waits until the file has at most this many bytes.
async fn shrinks_to(path: &Path, bytes: u64) {
    while path.metadata().unwrap().len() > bytes {
        tokio::task::yield_now().await;
    }
}

#[tokio::test]
async fn removed_and_expired_jobs_give_their_space_back() {
    let folder = tempfile::tempdir().unwrap();
    let path = file::path(folder.path());
    let store = open(&path, NOW);
    let removed = crawl(&store, 1, NOW).await;
    crawl(&store, 2, NOW + HOUR).await;
    drop(store);
    let full = path.metadata().unwrap().len();
    assert!(full > 2 << 20, "{full} bytes");

    let store = open(&path, NOW + HOUR);
    store.remove(removed, NOW + HOUR).await.unwrap();
    shrinks_to(&path, full * 2 / 3).await;
    let later = NOW + HOUR * 48;
    assert_eq!(store.expire(later).await.unwrap().len(), 1);
    shrinks_to(&path, full / 4).await;
    drop(store);
    let reader = Reader::open(&path).unwrap();
    assert!(reader.jobs().unwrap().is_empty());
    assert_eq!(reader.check().unwrap(), []);
}

#[tokio::test]
async fn single_scrapes_expire_in_the_file_too() {
    let folder = tempfile::tempdir().unwrap();
    let path = file::path(folder.path());
    let store = open(&path, NOW);
    let (team, scrape) = (TeamId::new("a"), Uuid::from_u128(5));
    let mut document = Document::default();
    document.metadata.scrape_id = Some(scrape.to_string());
    store.keep_scrape(&team, &document, NOW).await.unwrap();
    drop(store);
    let store = open(&path, NOW);
    assert!(store.scraped(&team, scrape).await.unwrap().is_some());
    drop(store);
    let later = NOW + HOUR * 48;
    let store = open(&path, later);
    assert!(store.scraped(&team, scrape).await.unwrap().is_none());
    drop(store);
    // The clock of the next process is wrong, but the document is gone.
    let store = open(&path, NOW);
    assert!(store.scraped(&team, scrape).await.unwrap().is_none());
}
