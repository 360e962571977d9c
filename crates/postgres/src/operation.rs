//! Operations: what happens in one transaction.

use std::sync::{Mutex, PoisonError};

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

/// An operation whose output stays in a slot. The code that runs it knows no type of output, so it is compiled
/// once and not for each of some fifty operations.
pub(crate) struct Slot<'a, O: Operation> {
    operation: &'a O,
    output: Mutex<Option<O::Output>>,
}

impl<'a, O: Operation> Slot<'a, O> {
    pub(crate) fn new(operation: &'a O) -> Self {
        Self { operation, output: Mutex::new(None) }
    }

    /// The output of the run that was committed.
    pub(crate) fn into_output(self) -> Result<O::Output, Failure> {
        let output = self.output.into_inner().unwrap_or_else(PoisonError::into_inner);
        output.ok_or_else(|| Failure::damaged("the result of an operation"))
    }
}

/// What runs in a transaction.
#[async_trait]
pub(crate) trait Step: Send + Sync {
    /// Runs the statements, and keeps the output in place of an earlier one.
    async fn run(&self, transaction: &Transaction<'_>) -> Result<(), Failure>;
}

#[async_trait]
impl<O: Operation> Step for Slot<'_, O> {
    async fn run(&self, transaction: &Transaction<'_>) -> Result<(), Failure> {
        let output = self.operation.run(transaction).await?;
        *self.output.lock().unwrap_or_else(PoisonError::into_inner) = Some(output);
        Ok(())
    }
}
