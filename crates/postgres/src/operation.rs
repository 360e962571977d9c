//! Operations: what happens in one transaction.

use async_trait::async_trait;
use tokio_postgres::Transaction;

use crate::failure::Failure;

/// An operation that [`Database::write`](crate::database::Database::write) runs in one transaction. It may run
/// several times until one is committed: it changes nothing but the database.
#[async_trait]
pub(crate) trait Operation: Send + Sync {
    type Output: Send;

    async fn run(&self, transaction: &Transaction<'_>) -> Result<Self::Output, Failure>;
}
