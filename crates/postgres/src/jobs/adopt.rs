//! Transfers the jobs of a process's former term to its next one.

use async_trait::async_trait;
use tokio_postgres::types::Type;

use crate::database::Sql;
use crate::failure::Failure;
use crate::operation::Operation;
use crate::transaction::Transaction;

/// Gives the jobs, reservations and events of a former term of this process to its next term, so that no other
/// process takes them for those of a process that has ended.
pub(crate) struct Adopt<'a> {
    pub(crate) sql: &'a Sql,
    pub(crate) former: i64,
    pub(crate) next: i64,
}

#[async_trait]
impl Operation for Adopt<'_> {
    type Output = ();

    async fn run(&self, t: &Transaction<'_>) -> Result<(), Failure> {
        let text = "WITH jobs AS (UPDATE {schema}.job SET runner = $2 WHERE runner = $1 AND state = 0), \
                    events AS (UPDATE {schema}.due SET worker = $2 WHERE worker = $1) \
                    UPDATE {schema}.reservation SET worker = $2 WHERE worker = $1";
        t.execute_typed(&self.sql.text(text), &[(&self.former, Type::INT8), (&self.next, Type::INT8)])
            .await?;
        Ok(())
    }
}
