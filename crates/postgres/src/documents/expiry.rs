//! Removes what has a limit of its own, beside jobs.

use std::time::Duration;

use async_trait::async_trait;
use gleaner_store::Error;
use tokio_postgres::types::Type;

use crate::database::Sql;
use crate::failure::Failure;
use crate::histories::limit_histories;
use crate::inner::Inner;
use crate::operation::Operation;
use crate::scrapes::expire_scrapes;
use crate::transaction::Transaction;

/// A lock of the transaction: one process at a time does it. Each schema has its own lock.
const TRY_LOCK: &str = "SELECT pg_try_advisory_xact_lock(hashtextextended($1, 7310575178270011))";

#[derive(Debug)]
struct Expire<'a> {
    sql: &'a Sql,
    until: Duration,
}

#[async_trait]
impl Operation for Expire<'_> {
    type Output = ();

    async fn run(&self, t: &Transaction<'_>) -> Result<(), Failure> {
        let schema = self.sql.text("{schema}");
        let is_locked: bool = t.query_typed_one(TRY_LOCK, &[(&schema, Type::TEXT)]).await?.try_get(0)?;
        if is_locked {
            expire_scrapes(t, self.sql, self.until).await?;
            limit_histories(t, self.sql).await?;
        }
        Ok(())
    }
}

impl Inner {
    /// Removes scrapes that were kept at or before `until`, and the oldest scrapes and histories above their
    /// limits.
    pub(crate) async fn expire_documents(&self, until: Duration) -> Result<(), Error> {
        Ok(self.db.write(&Expire { sql: &self.db.sql, until }).await?)
    }
}
