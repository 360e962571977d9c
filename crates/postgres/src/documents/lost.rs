//! Documents of a stream that cannot be read.

use async_trait::async_trait;
use gleaner_store::JobWarning;
use gleaner_types::JobId;
use tokio_postgres::types::Type;

use crate::database::Sql;
use crate::failure::Failure;
use crate::job_row::JobRow;
use crate::operation::Operation;
use crate::transaction::Transaction;
use crate::units::{big, count};

/// Removes the contents of damaged documents of a stream, and counts them in a warning of the job. Their
/// rows stay, so that positions have no gaps.
#[derive(Debug)]
pub(super) struct MarkLost<'a> {
    pub(super) sql: &'a Sql,
    pub(super) job: JobId,
    pub(super) positions: &'a [u64],
}

#[async_trait]
impl Operation for MarkLost<'_> {
    type Output = ();

    async fn run(&self, t: &Transaction<'_>) -> Result<(), Failure> {
        let mut job = JobRow::lock(t, self.sql, self.job).await?;
        // The size of a lost document is 0, so it is counted once.
        let text = self.sql.text(
            "WITH damaged AS (SELECT position, size FROM {schema}.document \
                 WHERE day = $1 AND job = $2 AND position = ANY ($3::bigint[]) AND size > 0), \
             marked AS (UPDATE {schema}.document AS document SET size = 0, body = '' FROM damaged \
                 WHERE document.day = $1 AND document.job = $2 AND document.position = damaged.position) \
             SELECT count(*), coalesce(sum(size), 0)::bigint FROM damaged",
        );
        let positions: Vec<i64> = self.positions.iter().map(|position| big(*position)).collect();
        let row = t
            .query_typed_one(
                &text,
                &[(&job.day(), Type::INT4), (&job.number, Type::INT4), (&positions, Type::INT8_ARRAY)],
            )
            .await?;
        let (lost, bytes) = (count(row.try_get(0)?), count(row.try_get(1)?));
        if lost > 0 {
            job.unread_bytes = job.unread_bytes.saturating_sub(bytes);
            count_lost(&mut job.warnings, lost);
            JobRow::store_many(t, self.sql, std::slice::from_ref(&job)).await?;
        }
        Ok(())
    }
}

/// Adds lost documents to the warning that counts them. It has no limit, because there is one of it.
fn count_lost(warnings: &mut Vec<JobWarning>, lost: u64) {
    let counts = warnings.iter_mut().find_map(|warning| match warning {
        JobWarning::DocumentsLost(counts) => Some(counts),
        _ => None,
    });
    match counts {
        Some(counts) => *counts = counts.saturating_add(lost),
        None => warnings.push(JobWarning::DocumentsLost(lost)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_warning_counts_all_lost_documents() {
        let mut warnings = vec![JobWarning::NotQueued];
        count_lost(&mut warnings, 2);
        count_lost(&mut warnings, 3);
        assert_eq!(warnings, [JobWarning::NotQueued, JobWarning::DocumentsLost(5)]);
    }
}
