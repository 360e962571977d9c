use tokio_postgres::types::Type;

use crate::database::Sql;
use crate::failure::Failure;
use crate::transaction::Transaction;

/// Gives the jobs and reservations of a former term of this process to its next term, so that no other
/// process takes them for those of a process that has ended.
pub(crate) async fn adopt(t: &Transaction<'_>, sql: &Sql, former: i64, next: i64) -> Result<(), Failure> {
    let text = "WITH jobs AS (UPDATE {schema}.job SET runner = $2 WHERE runner = $1 AND state = 0) \
                UPDATE {schema}.reservation SET worker = $2 WHERE worker = $1";
    t.execute_typed(&sql.text(text), &[(&former, Type::INT8), (&next, Type::INT8)]).await?;
    Ok(())
}
