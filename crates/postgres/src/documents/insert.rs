//! Stores documents.

use tokio_postgres::types::Type;

use super::EncodedDocument;
use crate::database::Sql;
use crate::failure::Failure;
use crate::transaction::Transaction;
use crate::units::big;

/// Maximum size of the bodies of one statement in bytes, if it has more than one.
const MAX_BYTES: usize = 16 << 20;

/// A document to store.
#[derive(Debug)]
pub(crate) struct NewDocument<'a> {
    pub(crate) job: i32,
    /// The day of the job: its partition.
    pub(crate) day: i32,
    pub(crate) position: u64,
    /// Its price.
    pub(crate) credits: u64,
    /// The job keeps its documents, so it can be found by its scrape id.
    pub(crate) keeps: bool,
    pub(crate) document: &'a EncodedDocument,
}

/// Stores documents at positions that were given under the locks of their jobs.
pub(crate) async fn insert(
    t: &Transaction<'_>,
    sql: &Sql,
    documents: &[NewDocument<'_>],
) -> Result<(), Failure> {
    let text = sql.text(
        "INSERT INTO {schema}.document (day, job, position, scrape, credits, size, body) \
         SELECT * FROM unnest($1::int[], $2::int[], $3::bigint[], $4::bigint[], $5::bigint[], $6::bigint[], \
         $7::bytea[])",
    );
    let batches: Vec<_> = batches(documents).collect();
    for batch in batches {
        let days: Vec<i32> = batch.iter().map(|new| new.day).collect();
        let jobs: Vec<i32> = batch.iter().map(|new| new.job).collect();
        let positions: Vec<i64> = batch.iter().map(|new| big(new.position)).collect();
        let scrapes: Vec<Option<i64>> = batch.iter().map(NewDocument::scrape).collect();
        let credits: Vec<i64> = batch.iter().map(|new| big(new.credits)).collect();
        let sizes: Vec<i64> = batch.iter().map(|new| big(new.document.size)).collect();
        let bodies: Vec<&[u8]> = batch.iter().map(|new| new.document.body.as_slice()).collect();
        t.execute_typed(
            &text,
            &[
                (&days, Type::INT4_ARRAY),
                (&jobs, Type::INT4_ARRAY),
                (&positions, Type::INT8_ARRAY),
                (&scrapes, Type::INT8_ARRAY),
                (&credits, Type::INT8_ARRAY),
                (&sizes, Type::INT8_ARRAY),
                (&bodies, Type::BYTEA_ARRAY),
            ],
        )
        .await?;
    }
    Ok(())
}

impl NewDocument<'_> {
    fn scrape(&self) -> Option<i64> {
        self.document.scrape.filter(|_| self.keeps).map(u64::cast_signed)
    }
}

/// The documents in groups that fit in one statement.
fn batches<'a, 'b>(documents: &'b [NewDocument<'a>]) -> impl Iterator<Item = &'b [NewDocument<'a>]> {
    let mut bytes = 0;
    // It sees each document once, as the second of a pair; the first document begins the first group.
    let mut before = documents.first().map_or(0, |first| first.document.body.len());
    documents.chunk_by(move |_, next| {
        bytes += before;
        before = next.document.body.len();
        let fits = bytes + before <= MAX_BYTES;
        if !fits {
            bytes = 0;
        }
        fits
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_statement_has_a_limited_size() {
        let sizes = [1, MAX_BYTES - 1, 1, MAX_BYTES + 1, 2, 3];
        let encoded = sizes.map(|size| EncodedDocument { scrape: None, size: 0, body: vec![0; size] });
        let new = |document| NewDocument { job: 1, day: 1, position: 0, credits: 1, keeps: true, document };
        let documents: Vec<NewDocument<'_>> = encoded.iter().map(new).collect();
        let length =
            |batch: &[NewDocument<'_>]| batch.iter().map(|new| new.document.body.len()).collect::<Vec<_>>();
        let found: Vec<Vec<usize>> = batches(&documents).map(length).collect();
        assert_eq!(found, [vec![1, MAX_BYTES - 1], vec![1], vec![MAX_BYTES + 1], vec![2, 3]]);
        assert_eq!(batches(&[]).count(), 0);
    }
}
