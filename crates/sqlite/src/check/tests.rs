use std::path::Path;

use bytes::Bytes;
use gleaner_frontier::JobRules;
use gleaner_store::NewJob;
use gleaner_store::journal::{Batch, BlockWriter, Fact, Journal as _, NewDocument, Row};
use uuid::Uuid;

use super::*;
use crate::place::place;
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
