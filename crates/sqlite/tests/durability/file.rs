//! The file that the tests write: one job whose documents are known by their position.

use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use bytes::Bytes;
use gleaner_frontier::JobRules;
use gleaner_sqlite::{FileConfig, Reader, SqliteJournal};
use gleaner_store::journal::{Batch, BlockWriter, Fact, NewDocument, NoteChange, Row, StoredState};
use gleaner_store::{ErrorKind, NewJob, NoteKind, ReadBound};
use gleaner_types::JobId;
use serde_json::json;
use uuid::Uuid;

/// The number of the job.
pub(crate) const JOB: u64 = 1;

/// The file of this folder.
pub(crate) fn path(folder: &Path) -> PathBuf {
    folder.join("jobs.db")
}

/// Opens the file. A process that was killed may still be ending.
pub(crate) fn open(path: &Path) -> (SqliteJournal, StoredState) {
    let patience = Instant::now() + Duration::from_secs(10);
    loop {
        match SqliteJournal::open(path, &FileConfig::default()) {
            Ok((journal, state, _)) => return (journal, state),
            Err(error) if error.kind() == ErrorKind::Busy && Instant::now() < patience => {
                std::thread::sleep(Duration::from_millis(5));
            }
            failed => drop(failed.unwrap()),
        }
    }
}

/// The submit of the job.
pub(crate) fn submit() -> Batch {
    let id = JobId::from_uuid(Uuid::from_u128(JOB.into()));
    let job = NewJob {
        request: json!({"url": "https://a.example/"}).into(),
        ..NewJob::new(id, None, JobRules::with_limit(u64::MAX), Vec::new())
    };
    let mut batch = Batch::default();
    batch.job = JOB;
    batch.rows.push(Row::Submitted { job: Box::new(job), at: Duration::from_secs(1) });
    batch.urgent = true;
    batch
}

/// The JSON of the document at this position, of different lengths.
pub(crate) fn text(position: u64) -> String {
    format!("{{\"page\":{position},\"text\":\"{}\"}}", "word ".repeat((position * 37 % 200) as usize))
}

/// The batch of the document at this position.
pub(crate) fn page(position: u64) -> Batch {
    with_json(position, text(position).into())
}

/// The batch of a document with this JSON.
pub(crate) fn with_json(position: u64, json: Bytes) -> Batch {
    let mut block = BlockWriter::default();
    block.push(&Fact::Document { position, credits: 1, scrape: None });
    // Each replaces the one before, so that there is something to compact.
    let note = position.to_le_bytes().repeat(128);
    let kind = NoteKind::Templates.to_raw();
    block.push(&Fact::Noted { kind, key: 0, change: NoteChange::Set(&note) });
    let mut batch = Batch::default();
    (batch.job, batch.facts) = (JOB, block.finish());
    batch.documents.push(NewDocument { position, scrape: None, json });
    batch
}

/// Opens the file as after a crash, and checks all that it has against what was acknowledged: the number of
/// documents. Returns the number that it has.
pub(crate) fn verify(path: &Path, acknowledged: u64) -> u64 {
    let (journal, state) = open(path);
    let Some(job) = state.jobs.first() else {
        assert_eq!(acknowledged, 0, "the job is lost");
        return 0;
    };
    assert!(!job.job.request.body.is_null(), "the job is there without its request");
    let count = job.documents().unwrap().len() as u64;
    assert!(count >= acknowledged, "{acknowledged} documents were acknowledged, and {count} are there");
    drop(state);
    drop(journal);
    let reader = Reader::open(path).unwrap();
    assert_eq!(reader.check().unwrap(), []);
    assert_eq!(reader.progress(JOB).unwrap().totals.stored, count, "each document has its facts");
    let bound = ReadBound { documents: usize::MAX, bytes: usize::MAX };
    let documents = reader.documents(JOB, 0, bound).unwrap();
    assert_eq!(documents.len() as u64, count);
    for (position, json) in (0..).zip(&documents) {
        assert_eq!(json, &text(position), "document {position}");
    }
    count
}
