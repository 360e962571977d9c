//! Tests that the check of a file finds each kind of damage.

use std::path::Path;

use bytes::Bytes;
use gleaner_frontier::{JobRules, QueuedPage, UrlKey};
use gleaner_store::NewJob;
use gleaner_store::journal::{
    Batch, BlockWriter, Fact, Journal as _, KeysWriter, NewDocument, PageListWriter, Part, Row,
};
use gleaner_types::JobState;
use gleaner_types::plan::EventKind;
use uuid::Uuid;

use super::*;
use crate::compaction::Record;
use crate::compaction::tests::{compact, crawl};
use crate::place::{part_place, part_range, place};
use crate::{FileConfig, Reader, SqliteJournal, connection};

/// The batch of the document at this position, with a commit of its own.
fn page(position: u64) -> Batch {
    let mut block = BlockWriter::default();
    block.push(&Fact::Document { position, credits: 1, scrape: None });
    let json = Bytes::from(format!("{{\"page\":{position}}}"));
    let mut batch = Batch::default();
    (batch.job, batch.facts, batch.urgent) = (1, block.finish(), true);
    batch.documents.push(NewDocument { position, scrape: None, json });
    batch
}

/// A file with a job of ten documents, each in a commit of its own.
async fn file(path: &Path) {
    let (journal, ..) = SqliteJournal::open(path, &FileConfig::default()).unwrap();
    for position in 0..10 {
        let mut batch = page(position);
        if position == 0 {
            let id = JobId::from_uuid(Uuid::from_u128(1));
            let job = Box::new(NewJob::new(id, None, JobRules::with_limit(10), Vec::new()));
            batch.rows.push(Row::Submitted { job, at: Duration::ZERO });
        }
        let ticket = journal.append(vec![batch]);
        journal.committed().wait_for(|committed| committed.through >= ticket).await.unwrap();
    }
}

/// The findings after this change of the file.
async fn after(change: &str) -> Vec<String> {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("jobs.db");
    file(&path).await;
    connection::writer(&path).unwrap().execute_batch(change).unwrap();
    Reader::open(&path).unwrap().check().unwrap().iter().map(ToString::to_string).collect()
}

#[tokio::test]
async fn an_intact_file_has_no_findings() {
    assert_eq!(after("").await, Vec::<String>::new());
}

#[tokio::test]
async fn a_file_that_is_written_meanwhile_has_no_findings() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("jobs.db");
    file(&path).await;
    let (journal, ..) = SqliteJournal::open(&path, &FileConfig::default()).unwrap();
    let reader = Reader::open(&path).unwrap();
    let write = || {
        let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
        let mut committed = journal.committed();
        for position in 10..300 {
            let ticket = journal.append(vec![page(position)]);
            runtime.block_on(committed.wait_for(|committed| committed.through >= ticket)).unwrap();
        }
    };
    let mut checks = 0;
    thread::scope(|scope| {
        let writer = scope.spawn(write);
        while !writer.is_finished() {
            assert_eq!(reader.check().unwrap(), []);
            checks += 1;
        }
    });
    assert!(checks > 1 && reader.document_range(1).unwrap() == (0, 300));
}

#[tokio::test]
async fn a_changed_block_is_named() {
    let change = |number| {
        let place = place(1, number).unwrap();
        format!("UPDATE fact SET bytes = CAST(x'b101' || substr(bytes, 2) AS BLOB) WHERE place = {place}")
    };
    let problem = "the checksum of the record does not match";
    assert_eq!(after(&change(3)).await, [format!("fact: block 3 of job 1: {problem}")]);
    assert_eq!(after(&change(10)).await, [format!("fact: block 10 of job 1: {problem}")]);
}

#[tokio::test]
async fn missing_blocks_and_documents_are_named() {
    let delete =
        |table: &str, number| format!("DELETE FROM {table} WHERE place = {}", place(1, number).unwrap());
    let found = after(&delete("fact", 4)).await;
    let expected = [
        "fact: block 5 of job 1: block 4 is missing",
        "fact: block 5 of job 1: document 4 is stored where 3 is expected",
    ];
    assert_eq!(found, expected);
    assert_eq!(
        after(&delete("document", 5)).await,
        ["document: the row of document 6 of job 1: the row before ends at document 5"]
    );
    assert_eq!(
        after(&delete("document", 9)).await,
        ["document: job 1: the facts know documents up to 10, and the documents 0 to 9 are stored"]
    );
}

#[tokio::test]
async fn changed_documents_and_rows_are_named() {
    let change = format!(
        "UPDATE document SET bytes = CAST(x'00' || substr(bytes, 2) AS BLOB) WHERE place = {}",
        place(1, 2).unwrap()
    );
    let problem = "the checksum of the record does not match";
    assert_eq!(after(&change).await, [format!("document: the row of document 2 of job 1: {problem}")]);
    assert_eq!(
        after("UPDATE job SET record = CAST(x'00' || record AS BLOB)").await,
        [format!("job: number 1: {problem}")]
    );
}

#[tokio::test]
async fn a_broken_structure_is_found() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("jobs.db");
    file(&path).await;
    let mut bytes = std::fs::read(&path).unwrap();
    let root: i64 = connection::reader(&path)
        .unwrap()
        .query_row("SELECT rootpage FROM sqlite_schema WHERE name = 'fact'", [], |row| row.get(0))
        .unwrap();
    let page = 4096 * usize::try_from(root - 1).unwrap();
    bytes[page..page + 100].fill(0xff);
    std::fs::write(&path, bytes).unwrap();
    let findings = Reader::open(&path).unwrap().check().unwrap();
    assert!(findings.iter().any(|finding| finding.table == "sqlite"), "{findings:?}");
}

#[tokio::test]
async fn secrets_without_a_job_are_named() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("jobs.db");
    file(&path).await;
    let job = JobId::from_uuid(Uuid::from_u128(7));
    Secrets::of(&path).store(job, b"secret").unwrap();
    let findings = Reader::open(&path).unwrap().check().unwrap();
    assert_eq!(findings, [Finding::new("secrets", format!("job {job}"), "the job is not in the file")]);
}

#[tokio::test]
async fn damaged_secrets_are_named() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("jobs.db");
    file(&path).await;
    let job = JobId::from_uuid(Uuid::from_u128(1));
    Secrets::of(&path).store(job, b"secret").unwrap();
    assert_eq!(Reader::open(&path).unwrap().check().unwrap(), []);
    let name = folder.path().join("jobs.db-secrets").join(format!("{job}.json"));
    let mut bytes = std::fs::read(&name).unwrap();
    bytes[2] ^= 1;
    std::fs::write(&name, bytes).unwrap();
    let findings = Reader::open(&path).unwrap().check().unwrap();
    assert_eq!(findings, [Finding::new("secrets", format!("job {job}"), "the checksum does not match")]);
}

/// The findings after this change of a crawl that is compacted in this many steps.
async fn after_compaction(steps: usize, change: impl FnOnce(&Connection, Record)) -> Vec<String> {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("jobs.db");
    crawl(&path, None).await;
    compact(&path, steps, 500);
    let connection = connection::writer(&path).unwrap();
    let record = Record::read(&connection, 1).unwrap();
    change(&connection, record);
    drop(connection);
    Reader::open(&path).unwrap().check().unwrap().iter().map(ToString::to_string).collect()
}

fn execute(connection: &Connection, sql: &str) {
    assert_ne!(connection.execute(sql, []).unwrap(), 0, "{sql}");
}

/// The place of the first part of this kind.
fn first_part(connection: &Connection, part: Part) -> i64 {
    let (first, last) = part_range(1, part);
    let sql = "SELECT min(place) FROM part WHERE place BETWEEN ?1 AND ?2";
    connection.query_row(sql, [first, last], |row| row.get(0)).unwrap()
}

fn insert(connection: &Connection, part: Part, number: u64, facts: &[Fact<'_>]) {
    let mut block = BlockWriter::default();
    facts.iter().for_each(|fact| block.push(fact));
    let sql = "INSERT INTO part(place, bytes) VALUES(?1, ?2)";
    connection.execute(sql, (part_place(1, part, number), block.finish())).unwrap();
}

fn assert_has(findings: &[String], expected: &str) {
    assert!(findings.iter().any(|finding| finding.contains(expected)), "{expected}: {findings:#?}");
}

#[tokio::test]
async fn a_compacted_file_has_no_findings() {
    for steps in [5, usize::MAX] {
        assert_eq!(
            after_compaction(steps, |_, record| assert!(record.folded > 0)).await,
            Vec::<String>::new()
        );
    }
}

#[tokio::test]
async fn changed_and_missing_parts_are_named() {
    for part in [Part::State, Part::Kept, Part::Ended, Part::Queue] {
        let found = after_compaction(usize::MAX, |file, _| {
            let place = first_part(file, part);
            // No kind of fact has this number.
            let bytes = "CAST(x'b101ff' || substr(bytes, 4) AS BLOB)";
            execute(file, &format!("UPDATE part SET bytes = {bytes} WHERE place = {place}"));
        });
        let found = found.await;
        assert_has(&found, "of job 1: the checksum of the record does not match");
        assert_eq!(found.len(), 1, "what a damaged block says is unknown: {found:#?}");
    }
    for (part, expected) in [
        (Part::State, "part: job 1: its state is missing"),
        (Part::Kept, "failures are listed, and the parts have"),
        (Part::Ended, "pages have ended, and the parts have"),
        (Part::Queue, "pages should wait, and"),
    ] {
        let found = after_compaction(usize::MAX, |file, _| {
            execute(file, &format!("DELETE FROM part WHERE place = {}", first_part(file, part)));
        });
        assert_has(&found.await, expected);
    }
    let found = after_compaction(5, |file, record| {
        let next = place(1, record.folded + 1).unwrap();
        execute(file, &format!("DELETE FROM fact WHERE place = {next}"));
    });
    assert_has(&found.await, "is missing");
}

#[tokio::test]
async fn pages_in_the_wrong_place_are_named() {
    let mut keys = KeysWriter::default();
    keys.push(UrlKey::from_raw(1));
    let found = after_compaction(usize::MAX, |file, record| {
        insert(file, Part::Ended, record.last + 1, &[Fact::Done { keys: keys.finish() }]);
    });
    let found = found.await;
    assert_has(&found, "the page 0000000000000001 ends a second time");
    assert_has(&found, "the last part is ");

    let mut keys = KeysWriter::default();
    [9_000, 8_000].map(UrlKey::from_raw).into_iter().for_each(|key| keys.push(key));
    let found = after_compaction(usize::MAX, |file, _| {
        insert(file, Part::Ended, 0, &[Fact::Done { keys: keys.finish() }]);
    });
    assert_has(&found.await, "its pages are not in order");

    let mut pages = PageListWriter::default();
    pages.push(&QueuedPage {
        key: UrlKey::from_raw(1),
        https: true,
        external: false,
        host: "p0.example",
        path: "/path",
        depth: 0,
        priority: 128,
        deferral: 0,
    });
    let found = after_compaction(usize::MAX, |file, _| {
        insert(file, Part::Queue, 0, &[Fact::Admitted { by: None, pages: pages.finish() }]);
    });
    assert_has(&found.await, "the page 0000000000000001 is queued and has ended");
}

/// A block of an event with each of these numbers.
fn events(numbers: &[u64]) -> Vec<u8> {
    let mut block = BlockWriter::default();
    for sequence in numbers.iter().copied() {
        block.push(&Fact::Event {
            sequence,
            kind: EventKind::Page,
            document: None,
            url: None,
            slash_added: false,
            concludes: false,
            error: None,
        });
    }
    block.finish()
}

#[tokio::test]
async fn events_and_sums_that_do_not_agree_are_named() {
    let found = after_compaction(0, |file, _| {
        let sql = "INSERT INTO fact(place, bytes) SELECT max(place) + 1, ?2 FROM fact WHERE place < ?1";
        file.execute(sql, (place(2, 0).unwrap(), events(&[0, 2]))).unwrap();
    });
    assert_has(&found.await, "event 2 follows event 0");

    let found = after_compaction(0, |file, _| {
        let id: [u8; 16] = file.query_row("SELECT id FROM job", [], |row| row.get(0)).unwrap();
        let mut block = BlockWriter::default();
        block.push(&Fact::Logged {
            job: JobId::from_uuid(Uuid::from_bytes(id)),
            kind: None,
            team: "a",
            url: "",
            state: JobState::Completed,
            documents: 0,
            failed: 0,
            blocked: 0,
            tokens: 0,
            credits: 999,
            created_at: Duration::ZERO,
            ended_at: None,
            warnings: None,
            failure: None,
            error: None,
            zero_data_retention: false,
        });
        let sql = "INSERT INTO fact(place, bytes) VALUES(?1, ?2)";
        file.execute(sql, (place(0, 1).unwrap(), block.finish())).unwrap();
    });
    let found = found.await;
    assert_has(&found, "it was settled with 999 credits, and its facts have");
    assert_has(&found, "it was settled with 0 documents, and its facts have");
}
