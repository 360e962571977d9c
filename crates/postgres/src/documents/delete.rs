//! Deletes the documents of a removed job.

use tokio_postgres::types::Type;

use crate::database::Sql;
use crate::failure::Failure;
use crate::transaction::Transaction;

/// Deletes all documents of the job with this number, which was submitted on this day.
pub(crate) async fn delete(t: &Transaction<'_>, sql: &Sql, day: i32, job: i32) -> Result<(), Failure> {
    let text = sql.text("DELETE FROM {schema}.document WHERE day = $1 AND job = $2");
    t.execute_typed(&text, &[(&day, Type::INT4), (&job, Type::INT4)]).await?;
    Ok(())
}
