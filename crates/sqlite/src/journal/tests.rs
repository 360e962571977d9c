use std::fs;
use std::path::Path;
use std::time::Duration;

use gleaner_store::PastScrape;
use gleaner_store::journal::{Block, BlockWriter, Document, Fact, JobRow, Row};
use gleaner_types::JobKind;

use super::*;

fn open(path: &Path) -> (SqliteJournal, Opened) {
    SqliteJournal::open(path, &FileConfig::default()).unwrap()
}

fn id(number: u128) -> JobId {
    JobId::from_uuid(Uuid::from_u128(number))
}

/// A block with this fact.
fn block(position: u64) -> Vec<u8> {
    let mut block = BlockWriter::default();
    block.push(&Fact::Read { position });
    block.finish()
}

/// A batch of the document at this position.
fn page(job: u64, position: u64) -> Batch {
    let json = Bytes::from(format!("{{\"job\":{job},\"page\":{position}}}"));
    let scrape = Some(1 << 63 | position);
    Batch {
        job,
        facts: block(position),
        documents: vec![Document { position, scrape, json }],
        ..Batch::default()
    }
}

fn submitted(job: u64, secrets: Option<&'static str>) -> Batch {
    let row = JobRow {
        id: id(job.into()),
        kind: Some(JobKind::Crawl),
        team: Some(TeamId::default()),
        url: Some("https://a.example/".into()),
        record: Bytes::from_static(b"record"),
        secrets: secrets.map(|text| Bytes::from_static(text.as_bytes())),
    };
    Batch { job, rows: vec![Row::Submitted(Box::new(row))], urgent: true, ..Batch::default() }
}

async fn durable(journal: &SqliteJournal, ticket: u64) {
    journal.committed().wait_for(|committed| committed.through >= ticket).await.unwrap();
}

async fn write(journal: &SqliteJournal, batch: Batch) {
    durable(journal, journal.append(batch)).await;
}

#[tokio::test]
async fn batches_are_there_after_the_file_was_opened_again() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("jobs.db");
    let (journal, opened) = open(&path);
    assert_eq!(opened, Opened { epoch: 1, cut_pages: 0 });
    assert!(journal.is_durable());
    write(&journal, submitted(1, None)).await;
    let tickets: Vec<u64> = (0..500).map(|position| journal.append(page(1, position))).collect();
    assert!(tickets.iter().copied().eq(2..502), "tickets grow by one");
    durable(&journal, 300).await;
    let read = journal.documents(1, 290, ReadBound { documents: 5, bytes: usize::MAX }).await.unwrap();
    assert_eq!(read.first().unwrap(), "{\"job\":1,\"page\":290}");
    // What was appended is written before the file is closed.
    drop(journal);

    let (journal, opened) = open(&path);
    assert_eq!(opened, Opened { epoch: 2, cut_pages: 0 });
    let all = journal.documents(1, 0, ReadBound { documents: 1000, bytes: usize::MAX }).await.unwrap();
    assert!(all.iter().zip(0..).all(|(json, page)| *json == format!("{{\"job\":1,\"page\":{page}}}")));
    let reader = journal.reader().unwrap();
    assert_eq!((all.len(), reader.document_range(1).unwrap()), (500, (0, 500)));
    let mut positions = Vec::new();
    reader
        .blocks(1, 3, |number, bytes| {
            let fact = Block::open(bytes).unwrap().facts().next().unwrap().unwrap();
            positions.push((number, fact == Fact::Read { position: number - 1 }));
            Ok(())
        })
        .unwrap();
    assert!(positions.into_iter().eq((4..=500).map(|number| (number, true))));
    assert_eq!(reader.check().unwrap(), []);
    let jobs = reader.jobs().unwrap();
    assert_eq!((jobs.len(), jobs[0].number, &jobs[0].job.record[..]), (1, 1, &b"record"[..]));
    assert_eq!(reader.next_job().unwrap(), 2);
}

#[tokio::test]
async fn reads_are_bounded_and_find_scrapes() {
    let folder = tempfile::tempdir().unwrap();
    let (journal, _) = open(&folder.path().join("jobs.db"));
    for position in 0..10 {
        journal.append(page(1, position));
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
    let found = journal.document_of_scrape(1, 1 << 63 | 7).await.unwrap();
    assert_eq!(found.unwrap(), "{\"job\":1,\"page\":7}");
    assert_eq!(journal.document_of_scrape(1, 7).await.unwrap(), None);
    assert_eq!(journal.document_of_scrape(3, 1 << 63 | 7).await.unwrap(), None);
}

#[tokio::test]
async fn a_second_writer_learns_who_is_the_first() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("jobs.db");
    let (journal, _) = open(&path);
    let error = SqliteJournal::open(&path, &FileConfig::default()).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Busy);
    assert!(error.to_string().contains(&format!("pid {}", std::process::id())), "{error}");
    // The refused one has not taken the locks of the first.
    write(&journal, page(1, 0)).await;
    drop(journal);
    open(&path);
}

#[tokio::test]
async fn room_is_returned_when_its_batch_is_durable() {
    let folder = tempfile::tempdir().unwrap();
    let (journal, _) = open(&folder.path().join("jobs.db"));
    // More than there is takes all there is.
    let room = Some(journal.room(10 * MAX_WAITING_BYTES).await);
    assert_eq!(journal.space.available_permits(), 0);
    journal.append(Batch { room, ..page(1, 0) });
    assert!(!journal.room(MAX_WAITING_BYTES).await.is_unlimited());
    assert_eq!(journal.space.available_permits(), MAX_WAITING_BYTES / UNIT);
}

#[tokio::test]
async fn secrets_are_there_before_their_job_and_go_with_it() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("jobs.db");
    let secret = |journal: &SqliteJournal, job| {
        journal
            .reader()
            .unwrap()
            .secrets(id(job))
            .unwrap()
            .map(|bytes| String::from_utf8(bytes.to_vec()).unwrap())
    };
    let (journal, _) = open(&path);
    write(&journal, submitted(1, Some("request of 1"))).await;
    write(&journal, submitted(2, Some("request of 2"))).await;
    write(&journal, submitted(3, Some("request of 3"))).await;
    let change = |job, row| Batch { job, rows: vec![row], urgent: true, ..Batch::default() };
    write(&journal, change(1, Row::Secrets(Some(Bytes::from_static(b"webhook"))))).await;
    write(&journal, change(2, Row::Removed)).await;
    write(&journal, change(3, Row::Secrets(None))).await;
    assert_eq!([1, 2, 3].map(|job| secret(&journal, job)), [Some("webhook".into()), None, None]);
    assert_eq!(journal.reader().unwrap().jobs().unwrap().len(), 2);
    drop(journal);
    for file in ["jobs.db", "jobs.db-lock"] {
        let bytes = fs::read(folder.path().join(file)).unwrap();
        assert!(!bytes.windows(10).any(|window| window == b"request of"), "{file}");
    }
    // Secrets whose submit was never committed.
    Secrets::of(&path).store(id(9), b"left").unwrap();
    let (journal, _) = open(&path);
    assert_eq!((secret(&journal, 1), secret(&journal, 9)), (Some("webhook".into()), None));
}

#[tokio::test]
async fn rows_are_read_back() {
    let folder = tempfile::tempdir().unwrap();
    let (journal, _) = open(&folder.path().join("jobs.db"));
    let (team, other) = (TeamId::default(), TeamId::new("other"));
    let key = HistoryKey { team: team.clone(), url: "https://a.example/".into(), tag: None };
    let scrape = |text: &str| PastScrape {
        at: Duration::from_secs(9),
        status: Some(200),
        markdown: text.into(),
        json: None,
    };
    let entry = |text: &'static str, job| Row::Activity {
        team: team.clone(),
        job: id(job),
        entry: Bytes::from_static(text.as_bytes()),
    };
    let (conclusion, json) = (Conclusion { credits: 7, ..Conclusion::default() }, Bytes::from_static(b"{}"));
    let kept =
        Row::Scrape { team: team.clone(), id: Uuid::from_u128(5), at: Duration::ZERO, json: json.clone() };
    let rows = vec![
        Row::History { key: key.clone(), job: id(1), scrape: scrape("first") },
        Row::History { key: key.clone(), job: id(2), scrape: scrape("second") },
        Row::Conclusion(Box::new(conclusion.clone())),
        kept,
        entry("a", 1),
        entry("b", 2),
        Row::Meta { name: "command".into(), value: Some(json.clone()) },
    ];
    write(&journal, Batch { job: 1, rows, ..Batch::default() }).await;
    let history = journal.history(&key).await.unwrap().unwrap();
    assert_eq!(history.clone().before(id(2)), Some(scrape("first")));
    assert_eq!(history.before(id(3)), Some(scrape("second")));
    let other_key = HistoryKey { tag: Some(String::new()), ..key };
    assert_eq!(journal.history(&other_key).await.unwrap(), None);
    assert_eq!(journal.conclusion(1).await.unwrap(), Some(conclusion));
    assert_eq!(journal.conclusion(2).await.unwrap(), None);
    assert_eq!(journal.kept_scrape(&team, Uuid::from_u128(5)).await.unwrap(), Some(json.clone()));
    assert_eq!(journal.kept_scrape(&other, Uuid::from_u128(5)).await.unwrap(), None);
    assert_eq!(journal.activities(&team, 10).await.unwrap(), ["b", "a"]);
    assert_eq!(journal.activities(&team, 1).await.unwrap(), ["b"]);
    assert!(journal.activities(&other, 10).await.unwrap().is_empty());
    assert_eq!(journal.reader().unwrap().meta("command").unwrap(), Some(json));
    assert_eq!(journal.reader().unwrap().meta("none").unwrap(), None);
}

#[tokio::test]
async fn a_copy_is_complete_and_has_no_secrets_unless_asked() {
    let folder = tempfile::tempdir().unwrap();
    let (journal, _) = open(&folder.path().join("jobs.db"));
    write(&journal, submitted(1, Some("request"))).await;
    for position in 0..100 {
        journal.append(page(1, position));
    }
    write(&journal, page(1, 100)).await;
    for (name, with_secrets) in [("plain.db", false), ("full.db", true)] {
        let copy = folder.path().join(name);
        journal.reader().unwrap().backup(&copy, with_secrets).unwrap();
        journal.reader().unwrap().backup(&copy, with_secrets).unwrap_err();
        let reader = Reader::open(&copy).unwrap();
        assert_eq!(reader.document_range(1).unwrap(), (0, 101));
        assert_eq!(reader.secrets(id(1)).unwrap().is_some(), with_secrets);
        assert_eq!(reader.check().unwrap(), []);
        drop(reader);
        let (copied, _) = open(&copy);
        write(&copied, page(1, 101)).await;
    }
}

#[tokio::test]
async fn a_damaged_log_is_refused_with_the_place() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("jobs.db");
    let copy = folder.path().join("copy.db");
    let (journal, _) = open(&path);
    for position in 0..5 {
        write(&journal, page(1, position)).await;
    }
    let log = fs::read(files::beside(&path, "-wal")).unwrap();
    fs::copy(&path, &copy).unwrap();
    let mut cut_short = log.clone();
    cut_short.truncate(log.len() - 100);
    fs::write(files::beside(&copy, "-wal"), &cut_short).unwrap();
    let (copied, _) = open(&copy);
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
