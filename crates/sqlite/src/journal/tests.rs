//! Tests of the journal: durability, locks, secrets and removal.

use std::fs;
use std::sync::Arc;
use std::time::Duration;

use gleaner_frontier::JobRules;
use gleaner_store::journal::{
    Block, BlockWriter, Fact, MAX_JOB_NUMBER, NewDocument, Part, Row, Stall, StoredDocument, StoredHistory,
    StoredScrape,
};
use gleaner_store::{
    Conclusion, ErrorKind, HistoryKey, MemoryConfig, NewJob, PastScrape, Store as _, TeamId,
};
use gleaner_types::{JobKind, JobState};
use serde_json::json;
use uuid::Uuid;

use super::*;
use crate::place::place;
use crate::{connection, files, open_store};

fn open(path: &Path) -> (SqliteJournal, StoredState, Opened) {
    SqliteJournal::open(path, &FileConfig::default()).unwrap()
}

fn id(number: u128) -> JobId {
    JobId::from_uuid(Uuid::from_u128(number))
}

/// A block with this fact.
fn block(fact: &Fact<'_>) -> Vec<u8> {
    let mut block = BlockWriter::default();
    block.push(fact);
    block.finish()
}

/// A batch of the document at this position.
fn page(job: u64, position: u64) -> Batch {
    let json = Bytes::from(format!("{{\"job\":{job},\"page\":{position}}}"));
    let mut batch = Batch::default();
    batch.job = job;
    batch.facts = block(&Fact::Document { position, credits: 1, scrape: None });
    batch.documents.push(NewDocument { position, scrape: Some(1 << 63 | position), json });
    batch
}

fn rows(job: u64, rows: Vec<Row>) -> Batch {
    let mut batch = Batch::default();
    (batch.job, batch.rows, batch.urgent) = (job, rows, true);
    batch
}

fn submitted(job: u64, secret: &str) -> Batch {
    let new = NewJob {
        request: json!({ "secret": secret }).into(),
        url: Some("https://a.example/".into()),
        ..NewJob::new(id(job.into()), Some(JobKind::Crawl), JobRules::with_limit(5), Vec::new())
    };
    rows(job, vec![Row::Submitted { job: Box::new(new), at: Duration::from_secs(job) }])
}

async fn durable(journal: &SqliteJournal, ticket: u64) {
    journal.committed().wait_for(|committed| committed.through >= ticket).await.unwrap();
}

async fn write(journal: &SqliteJournal, batch: Batch) {
    durable(journal, journal.append(vec![batch])).await;
}

#[tokio::test]
async fn batches_are_there_after_the_file_was_opened_again() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("jobs.db");
    let (journal, state, opened) = open(&path);
    assert_eq!(opened, Opened { epoch: 1, cut_pages: 0 });
    assert!(journal.is_durable() && state.jobs.is_empty());
    write(&journal, submitted(1, "request")).await;
    let tickets: Vec<u64> = (0..500).map(|position| journal.append(vec![page(1, position)])).collect();
    assert!(tickets.iter().copied().eq(2..502), "tickets grow by one");
    durable(&journal, 300).await;
    let read = journal.documents(1, 290, ReadBound { documents: 5, bytes: usize::MAX }).await.unwrap();
    assert_eq!(read.first().unwrap(), "{\"job\":1,\"page\":290}");
    // What was appended is written before the file is closed.
    drop(journal);

    let (journal, state, opened) = open(&path);
    assert_eq!((opened, state.epoch), (Opened { epoch: 2, cut_pages: 0 }, 2));
    let all = journal.documents(1, 0, ReadBound { documents: 1000, bytes: usize::MAX }).await.unwrap();
    assert!(all.iter().zip(0..).all(|(json, page)| *json == format!("{{\"job\":1,\"page\":{page}}}")));
    let reader = journal.reader().unwrap();
    assert_eq!((all.len(), reader.document_range(1).unwrap()), (500, (0, 500)));
    let mut positions = Vec::new();
    reader
        .blocks(1, 3, |number, bytes| {
            let fact = Block::open(bytes).unwrap().facts().next().unwrap().unwrap();
            positions
                .push((number, matches!(fact, Fact::Document { position, .. } if position + 1 == number)));
            Ok(())
        })
        .unwrap();
    assert!(positions.into_iter().eq((4..=500).map(|number| (number, true))));
    assert_eq!(reader.check().unwrap(), []);
    let jobs = reader.jobs().unwrap();
    assert_eq!((jobs.len(), jobs[0].number, jobs[0].url.as_deref()), (1, 1, Some("https://a.example/")));

    let [job] = &state.jobs[..] else { panic!("{} jobs", state.jobs.len()) };
    assert_eq!((job.number, job.at, job.job.id), (1, Duration::from_secs(1), id(1)));
    assert_eq!(job.job.request, json!({"secret": "request"}).into());
    assert_eq!(job.blocks(Part::Tail).unwrap().len(), 500);
    let expected = (0..).zip(&all).map(|(position, json)| StoredDocument {
        position,
        length: json.len(),
        scrape: Some(1 << 63 | position),
    });
    assert!(job.documents().unwrap().into_iter().eq(expected));
}

#[tokio::test]
async fn the_batches_of_one_call_share_a_ticket() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("jobs.db");
    let (journal, ..) = open(&path);
    let mut store = Batch::default();
    store.facts = block(&Fact::Settled { job: id(7) });
    let ticket = journal.append(vec![submitted(1, "a"), page(1, 0), store]);
    assert_eq!(ticket, 1);
    durable(&journal, 1).await;
    let stats = journal.stats();
    assert_eq!((stats.commits, stats.batches, stats.checkpoints), (1, 3, 0));
    assert!((40..100).contains(&stats.bytes), "{} bytes", stats.bytes);
    drop(journal);
    let (_, state, _) = open(&path);
    assert_eq!((state.blocks.len(), state.jobs.len()), (1, 1));
    assert_eq!(state.jobs[0].blocks(Part::Tail).unwrap().len(), 1);
}

#[tokio::test]
async fn reads_are_bounded() {
    let folder = tempfile::tempdir().unwrap();
    let (journal, ..) = open(&folder.path().join("jobs.db"));
    for position in 0..10 {
        journal.append(vec![page(1, position)]);
    }
    write(&journal, page(2, 0)).await;
    let read = async |from, documents, bytes| {
        journal.documents(1, from, ReadBound { documents, bytes }).await.unwrap().len()
    };
    assert_eq!(read(0, 3, usize::MAX).await, 3);
    assert_eq!(read(8, 100, usize::MAX).await, 2);
    assert_eq!(read(10, 100, usize::MAX).await, 0);
    assert_eq!(read(0, 100, 1).await, 1, "the first one is returned whatever its size");
    assert_eq!(read(0, 0, 1).await, 1);
}

#[tokio::test]
async fn a_second_writer_learns_who_is_the_first() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("jobs.db");
    let (journal, ..) = open(&path);
    let error = SqliteJournal::open(&path, &FileConfig::default()).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Busy);
    assert!(error.to_string().contains(&format!("pid {}", std::process::id())), "{error}");
    // The refused one has not released the locks of the first.
    write(&journal, page(1, 0)).await;
    drop(journal);
    open(&path);
}

#[cfg(unix)]
#[tokio::test]
async fn a_link_leads_to_the_same_store() {
    let folder = tempfile::tempdir().unwrap();
    let [path, link] = ["jobs.db", "link.db"].map(|name| folder.path().join(name));
    let (journal, ..) = open(&path);
    std::os::unix::fs::symlink(&path, &link).unwrap();
    assert_eq!(SqliteJournal::open(&link, &FileConfig::default()).unwrap_err().kind(), ErrorKind::Busy);
    write(&journal, submitted(1, "request")).await;
    drop(journal);
    let (journal, state, _) = open(&link);
    assert_eq!(state.jobs[0].job.request, json!({"secret": "request"}).into());
    drop(journal);
    assert_eq!(Reader::open(&link).unwrap().check().unwrap(), []);
    let names = fs::read_dir(folder.path()).unwrap().map(|entry| entry.unwrap().file_name());
    let beside = names.filter(|name| name.to_str().unwrap().starts_with("link.db"));
    assert_eq!(beside.count(), 1, "the lock, the log and the secrets are beside the file");
}

#[test]
fn a_database_of_another_program_is_not_changed() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("jobs.db");
    let other = Connection::open(&path).unwrap();
    other.execute_batch("CREATE TABLE other(x)").unwrap();
    drop(other);
    let state = || (fs::read(&path).unwrap(), fs::metadata(&path).unwrap().permissions());
    let before = state();
    let error = SqliteJournal::open(&path, &FileConfig::default()).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Unsuitable);
    assert!(state() == before);
}

#[cfg(unix)]
#[test]
fn what_others_may_read_is_hidden_from_them() {
    use std::fs::Permissions;
    use std::os::unix::fs::PermissionsExt as _;
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("jobs.db");
    let secrets = files::beside(&path, "-secrets");
    drop(open(&path));
    fs::create_dir(&secrets).unwrap();
    fs::set_permissions(&path, Permissions::from_mode(0o644)).unwrap();
    fs::set_permissions(&secrets, Permissions::from_mode(0o755)).unwrap();
    let (journal, ..) = open(&path);
    let mode = |path: &Path| path.metadata().unwrap().permissions().mode() & 0o777;
    assert_eq!((mode(&path), mode(&secrets)), (0o600, 0o700));
    assert_eq!(mode(&files::beside(&path, "-wal")), 0o600);
    drop(journal);
    fs::remove_dir(&secrets).unwrap();
    std::os::unix::fs::symlink(folder.path(), &secrets).unwrap();
    SqliteJournal::open(&path, &FileConfig::default()).unwrap_err();
}

#[tokio::test]
async fn room_is_returned_when_its_batch_is_durable() {
    let folder = tempfile::tempdir().unwrap();
    let (journal, ..) = open(&folder.path().join("jobs.db"));
    let mut batch = page(1, 0);
    // More than there is takes all there is.
    batch.room = journal.room(10 * MAX_WAITING_BYTES).await;
    assert_eq!(journal.space.available_permits(), 0);
    journal.append(vec![batch]);
    assert!(journal.room(MAX_WAITING_BYTES).await.is_some());
    assert_eq!(journal.space.available_permits(), MAX_WAITING_BYTES / UNIT);
}

#[tokio::test]
async fn secrets_are_there_before_their_job_and_go_with_it() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("jobs.db");
    let secrets = Secrets::of(&path);
    let has_secrets = |job| secrets.load(id(job)).unwrap().is_some();
    let (journal, ..) = open(&path);
    for job in 1..=5 {
        write(&journal, submitted(job, "request of a team")).await;
        assert!(has_secrets(job.into()));
    }
    let ended = Fact::JobEnded { at: Duration::ZERO, state: JobState::Completed, failure: None, error: None };
    let mut end = rows(1, Vec::new());
    end.facts = block(&ended);
    write(&journal, end).await;
    write(&journal, rows(2, vec![Row::Removed { keeps_facts: false }])).await;
    write(&journal, rows(3, vec![Row::Removed { keeps_facts: true }])).await;
    write(&journal, rows(5, vec![Row::Delivered])).await;
    // One that is removed with the commit of its submit.
    let removal = rows(6, vec![Row::Removed { keeps_facts: false }]);
    durable(&journal, journal.append(vec![submitted(6, "request of a team"), removal])).await;
    assert_eq!([1, 2, 3, 4, 5, 6].map(has_secrets), [false, false, true, true, false, false]);
    drop(journal);
    for file in ["jobs.db", "jobs.db-lock"] {
        let bytes = fs::read(folder.path().join(file)).unwrap();
        assert!(!bytes.windows(10).any(|window| window == b"request of"), "{file}");
    }
    // The rest of a submit that was never committed.
    secrets.store(id(9), b"left").unwrap();
    let (_journal, state, _) = open(&path);
    assert!(has_secrets(4) && !has_secrets(9));
    let found: Vec<_> = state.jobs.iter().map(|job| (job.number, job.is_removed)).collect();
    assert_eq!(found, [(1, false), (3, true), (4, false), (5, false)]);
}

#[tokio::test]
async fn a_removed_job_leaves_nothing_to_the_next_one() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("jobs.db");
    let (journal, ..) = open(&path);
    write(&journal, submitted(1, "first")).await;
    for position in 0..300 {
        journal.append(vec![page(1, position)]);
    }
    write(&journal, rows(1, vec![Row::Removed { keeps_facts: false }])).await;
    drop(journal);
    let (journal, state, _) = open(&path);
    assert!(state.jobs.is_empty());
    // The rows of the first one may still be there.
    let number = state.next_number.max(1);
    write(&journal, submitted(number, "second")).await;
    write(&journal, page(number, 0)).await;
    drop(journal);
    let (journal, state, _) = open(&path);
    assert_eq!(state.jobs.len(), 1);
    assert_eq!(state.jobs[0].blocks(Part::Tail).unwrap().len(), 1);
    assert_eq!(state.jobs[0].documents().unwrap().len(), 1);
    assert_eq!(journal.reader().unwrap().check().unwrap(), []);
}

#[tokio::test]
async fn rows_are_read_back_at_the_next_opening() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("jobs.db");
    let (journal, ..) = open(&path);
    let history = |job, url: &str, text: &str| {
        let key = HistoryKey { team: TeamId::default(), url: url.into(), tag: Some("x".into()) };
        let at = Duration::from_secs(9);
        let scrape = PastScrape { at, status: Some(200), markdown: text.into(), json: None };
        StoredHistory { job: id(job), key, scrape }
    };
    let (first, second) =
        (history(1, "https://a.example/", "first"), history(2, "https://a.example/", "second"));
    let third = history(2, "https://a.example/", "third");
    let conclusion = Arc::new(Conclusion { credits: 7, ..Conclusion::default() });
    let json = Bytes::from_static(b"{}");
    let kept = StoredScrape { team: TeamId::default(), id: Uuid::from_u128(5), at: Duration::ZERO, json };
    write(&journal, submitted(1, "a")).await;
    let changes = vec![
        Row::History(first.clone()),
        Row::History(second),
        Row::History(third.clone()),
        Row::Concluded(Arc::clone(&conclusion)),
        Row::Scrape(kept.clone()),
    ];
    write(&journal, rows(1, changes)).await;
    drop(journal);
    let (_, state, _) = open(&path);
    assert_eq!(state.histories, [first, third]);
    assert_eq!(state.scrapes, [kept]);
    assert_eq!(state.jobs[0].conclusion, Some(conclusion));
}

#[tokio::test]
async fn a_copy_is_complete_and_has_no_secrets_unless_asked() {
    let folder = tempfile::tempdir().unwrap();
    let (journal, ..) = open(&folder.path().join("jobs.db"));
    write(&journal, submitted(1, "request")).await;
    for position in 0..100 {
        journal.append(vec![page(1, position)]);
    }
    write(&journal, page(1, 100)).await;
    for (name, with_secrets) in [("plain.db", false), ("full.db", true)] {
        let copy = folder.path().join(name);
        journal.reader().unwrap().backup(&copy, with_secrets).unwrap();
        journal.reader().unwrap().backup(&copy, with_secrets).unwrap_err();
        let reader = Reader::open(&copy).unwrap();
        assert_eq!(reader.document_range(1).unwrap(), (0, 101));
        assert_eq!(Secrets::of(&copy).load(id(1)).unwrap().is_some(), with_secrets);
        assert_eq!(reader.check().unwrap(), []);
        drop(reader);
        let (copied, ..) = open(&copy);
        write(&copied, page(1, 101)).await;
    }
}

#[tokio::test]
async fn a_damaged_log_is_refused_with_the_place() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("jobs.db");
    let copy = folder.path().join("copy.db");
    let (journal, ..) = open(&path);
    for position in 0..5 {
        write(&journal, page(1, position)).await;
    }
    let log = fs::read(files::beside(&path, "-wal")).unwrap();
    fs::copy(&path, &copy).unwrap();
    fs::write(files::beside(&copy, "-wal"), &log[..log.len() - 100]).unwrap();
    let (copied, ..) = open(&copy);
    assert_eq!(copied.reader().unwrap().document_range(1).unwrap(), (0, 4), "the last commit is cut");
    drop(copied);

    fs::copy(&path, &copy).unwrap();
    let mut damaged = log;
    damaged[3000] ^= 1;
    fs::write(files::beside(&copy, "-wal"), &damaged).unwrap();
    let error = SqliteJournal::open(&copy, &FileConfig::default()).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Damaged);
    assert!(error.to_string().contains("copy.db-wal is damaged at byte 32, and"), "{error}");
}

#[tokio::test]
async fn a_damaged_block_is_an_error_of_its_reader() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("jobs.db");
    let (journal, ..) = open(&path);
    write(&journal, submitted(1, "request")).await;
    for position in 0..3 {
        write(&journal, page(1, position)).await;
    }
    drop(journal);
    let change = |sql: &str| connection::writer(&path).unwrap().execute_batch(sql).unwrap();
    change(
        "UPDATE document SET bytes = CAST(x'00' || substr(bytes, 2) AS BLOB) WHERE place % 4294967296 = 1",
    );
    let (journal, ..) = open(&path);
    let read = journal.documents(1, 0, ReadBound::default()).await.unwrap();
    assert_eq!(read, ["{\"job\":1,\"page\":0}"], "those before it are read");
    let error = journal.documents(1, 1, ReadBound::default()).await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Damaged);
    assert!(error.to_string().starts_with("the row of document 1 of job 1 in table document"), "{error}");
    assert_eq!(journal.documents(1, 2, ReadBound::default()).await.unwrap().len(), 1, "the next one is read");
    drop(journal);
    change("DELETE FROM fact WHERE place % 4294967296 = 2");
    let (_journal, state, _) = open(&path);
    let error = state.jobs[0].blocks(Part::Tail).unwrap_err();
    assert_eq!(error.to_string(), "block 2 of job 1 in table fact is missing");
}

#[tokio::test]
async fn a_batch_that_can_never_be_written_ends_the_writer_with_an_error() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("jobs.db");
    let (journal, ..) = open(&path);
    write(&journal, submitted(1, "request")).await;
    write(&journal, page(1, 0)).await;
    // Another program writes where the next block belongs.
    let change = format!("INSERT INTO fact(place, bytes) VALUES({}, x'00')", place(1, 2).unwrap());
    connection::writer(&path).unwrap().execute_batch(&change).unwrap();
    let ticket = journal.append(vec![page(1, 1)]);
    let mut committed = journal.committed();
    committed.wait_for(|committed| committed.through >= ticket).await.unwrap_err();
    assert_eq!(committed.borrow().stalled, Some(Stall::Io));
    // What comes later gets an error, too, and no room is taken for ever.
    let mut later = page(1, 2);
    later.room = journal.room(MAX_WAITING_BYTES).await;
    let ticket = journal.append(vec![later]);
    committed.wait_for(|committed| committed.through >= ticket).await.unwrap_err();
    assert!(journal.room(MAX_WAITING_BYTES).await.is_some());
    drop(journal);
    assert_eq!(Reader::open(&path).unwrap().document_range(1).unwrap(), (0, 1));
}

#[tokio::test]
async fn what_comes_before_a_batch_that_can_never_be_written_is_written() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("jobs.db");
    let (journal, ..) = open(&path);
    let good = journal.append(vec![submitted(1, "request"), page(1, 0)]);
    let poison = journal.append(vec![page(MAX_JOB_NUMBER + 1, 0)]);
    let mut committed = journal.committed();
    committed.wait_for(|committed| committed.through >= poison).await.unwrap_err();
    assert_eq!(committed.borrow().through, good);
}

#[tokio::test]
async fn without_a_number_new_jobs_are_refused() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("jobs.db");
    let (journal, ..) = open(&path);
    write(&journal, submitted(MAX_JOB_NUMBER, "request")).await;
    drop(journal);
    let now = Duration::from_secs(1_700_000_000);
    let (store, _) = open_store(&path, &FileConfig::default(), MemoryConfig::default(), now).unwrap();
    let new = NewJob::new(id(1), Some(JobKind::Crawl), JobRules::with_limit(5), Vec::new());
    let error = store.submit(new, now).await.unwrap_err();
    assert!(error.is_full(), "{error}");
}
