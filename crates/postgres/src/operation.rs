//! Operations: what happens in one transaction.

use async_trait::async_trait;

use crate::failure::Failure;
use crate::transaction::Transaction;

/// An operation that [`Database::write`](crate::database::Database::write) runs in one transaction. It may
/// run several times until one is committed: it changes nothing but the database.
#[async_trait]
pub(crate) trait Operation: Send + Sync {
    type Output: Send;

    async fn run(&self, transaction: &Transaction<'_>) -> Result<Self::Output, Failure>;
}
