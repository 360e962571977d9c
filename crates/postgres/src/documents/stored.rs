//! Chooses and fetches the documents of a read.

use gleaner_store::{Error, ErrorKind, ReadBound};
use gleaner_types::JobId;
use tokio_postgres::types::Type;

use crate::database::Sql;
use crate::failure::Failure;
use crate::job_row::JobRow;
use crate::packed::unpack;
use crate::transaction::Transaction;
use crate::units::{big, count};

/// Maximum number of documents of one read. It bounds the sizes that a read adds up.
const MAX_DOCUMENTS: usize = 4_096;

/// A document in its stored form.
#[derive(Debug)]
pub(crate) struct StoredDocument {
    pub(super) position: u64,
    size: u64,
    body: Vec<u8>,
}

impl StoredDocument {
    /// The size of its JSON in bytes.
    pub(crate) fn size(&self) -> u64 {
        self.size
    }

    /// Its JSON; `None` if it is damaged.
    pub(crate) fn json(self) -> Option<Vec<u8>> {
        unpack(self.body, self.size)
    }
}

/// Documents of a job, in order.
#[derive(Debug, Default)]
pub(super) struct Batch {
    pub(super) documents: Vec<StoredDocument>,
    pub(super) next: u64,
    pub(super) end: bool,
    pub(super) keeps: bool,
}

impl Batch {
    /// A batch without documents, for a reader that reads from this position.
    pub(super) fn empty(job: &JobRow, from: u64) -> Self {
        let next = if job.keeps { from } else { from.max(job.read_position) };
        let end = job.ended_at.is_some() && next >= job.documents;
        Self { documents: Vec::new(), next, end, keeps: job.keeps }
    }

    /// Reads the documents of a job from a position. `None` if the next one is missing: somebody removed it
    /// after the row of the job was read.
    pub(super) async fn fetch(
        t: &Transaction<'_>,
        sql: &Sql,
        job: &JobRow,
        from: u64,
        bound: ReadBound,
    ) -> Result<Option<Self>, Failure> {
        let mut batch = Self::empty(job, from);
        // A document that was lost before is not returned; only lost ones are not an answer.
        while batch.documents.is_empty() {
            let found = fetch(t, sql, job, batch.next, bound).await?;
            let is_missing = found.first().map(|document| document.position) != Some(batch.next);
            if is_missing && batch.next < job.documents {
                return Ok(None);
            }
            if is_missing {
                break;
            }
            for document in found {
                if document.position == batch.next {
                    batch.next += 1;
                    batch.documents.extend(Some(document).filter(|document| document.size > 0));
                }
            }
        }
        batch.end = job.ended_at.is_some() && batch.next >= job.documents;
        Ok(Some(batch))
    }

    /// The size of all JSON in bytes.
    pub(super) fn size(&self) -> u64 {
        self.documents.iter().map(StoredDocument::size).sum()
    }
}

/// The documents from this position, within the bound. Bodies of others are not read.
async fn fetch(
    t: &Transaction<'_>,
    sql: &Sql,
    job: &JobRow,
    from: u64,
    bound: ReadBound,
) -> Result<Vec<StoredDocument>, Failure> {
    let text = sql.text(
        "SELECT position, size, body FROM {schema}.document \
         WHERE day = $1 AND job = $2 AND position BETWEEN $3 AND ( \
             SELECT max(position) FROM ( \
                 SELECT position, sum(size) OVER (ORDER BY position) AS total FROM ( \
                     SELECT position, size FROM {schema}.document \
                     WHERE day = $1 AND job = $2 AND position >= $3 ORDER BY position LIMIT $4 \
                 ) AS possible \
             ) AS summed WHERE total <= $5 OR position = $3) \
         ORDER BY position",
    );
    let documents = big(bound.documents.clamp(1, MAX_DOCUMENTS) as u64);
    let rows = t
        .query_typed(
            &text,
            &[
                (&job.day(), Type::INT4),
                (&job.number, Type::INT4),
                (&big(from), Type::INT8),
                (&documents, Type::INT8),
                (&big(bound.bytes as u64), Type::INT8),
            ],
        )
        .await?;
    rows.iter()
        .map(|row| {
            let (position, size) = (row.try_get::<_, i64>(0)?, row.try_get::<_, i64>(1)?);
            Ok(StoredDocument { position: count(position), size: count(size), body: row.try_get(2)? })
        })
        .collect()
}

/// The document at this position, if the job has it.
pub(crate) async fn document_at(
    t: &Transaction<'_>,
    sql: &Sql,
    job: &JobRow,
    position: u64,
) -> Result<Option<StoredDocument>, Failure> {
    let bound = ReadBound { documents: 1, bytes: 0 };
    let mut found = fetch(t, sql, job, position, bound).await?;
    Ok(found.pop().filter(|document| document.position == position))
}

/// A document of a job cannot be read.
pub(crate) fn damaged(job: JobId, position: u64) -> Error {
    let text = format!("the document {position} of job {job} in the database cannot be read");
    Error::new(ErrorKind::Damaged, text)
}
