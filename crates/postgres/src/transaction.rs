//! Statements of an operation.

use std::future::Future;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use gleaner_types::BoxFuture;
use tokio_postgres::types::{ToSql, Type};
use tokio_postgres::{Client, Row};

use crate::counters::Counters;
use crate::failure::Failure;

/// The values of a statement's placeholders, each with its type.
type Parameters<'a> = &'a [(&'a (dyn ToSql + Sync), Type)];

/// What an operation runs its statements in. It never prepares a statement, because the next transaction may
/// run in another session behind a pooler. Each statement has a time limit, so that a connection that hangs
/// ends. Its futures are boxed: each statement's machinery is compiled once and not into every operation.
pub(crate) struct Transaction<'a> {
    client: &'a Client,
    counters: &'a Counters,
    limit: Duration,
    has_failed: AtomicBool,
}

impl<'a> Transaction<'a> {
    pub(crate) fn new(client: &'a Client, counters: &'a Counters, limit: Duration) -> Self {
        Self { client, counters, limit, has_failed: AtomicBool::new(false) }
    }

    /// A statement has failed, so the server has rolled the transaction back.
    pub(crate) fn has_failed(&self) -> bool {
        self.has_failed.load(Ordering::Relaxed)
    }

    /// The rows of a statement.
    pub(crate) fn query_typed<'b>(
        &'b self,
        statement: &'b str,
        parameters: Parameters<'b>,
    ) -> BoxFuture<'b, Result<Vec<Row>, Failure>> {
        Box::pin(self.timed(self.client.query_typed(statement, parameters)))
    }

    /// The only row of a statement.
    pub(crate) fn query_typed_one<'b>(
        &'b self,
        statement: &'b str,
        parameters: Parameters<'b>,
    ) -> BoxFuture<'b, Result<Row, Failure>> {
        Box::pin(self.timed(self.client.query_typed_one(statement, parameters)))
    }

    /// The row of a statement that has at most one.
    pub(crate) fn query_typed_opt<'b>(
        &'b self,
        statement: &'b str,
        parameters: Parameters<'b>,
    ) -> BoxFuture<'b, Result<Option<Row>, Failure>> {
        Box::pin(self.timed(self.client.query_typed_opt(statement, parameters)))
    }

    /// The number of rows that a statement changed.
    pub(crate) fn execute_typed<'b>(
        &'b self,
        statement: &'b str,
        parameters: Parameters<'b>,
    ) -> BoxFuture<'b, Result<u64, Failure>> {
        Box::pin(self.timed(self.client.execute_typed(statement, parameters)))
    }

    /// Statements without parameters, such as those that make tables. They count as one.
    pub(crate) fn batch_execute<'b>(&'b self, statements: &'b str) -> BoxFuture<'b, Result<(), Failure>> {
        Box::pin(self.timed(self.client.batch_execute(statements)))
    }

    async fn timed<T>(
        &self,
        answer: impl Future<Output = Result<T, tokio_postgres::Error>> + Send,
    ) -> Result<T, Failure> {
        self.counters.add_statements(1);
        let result = in_time(self.limit, answer).await;
        if result.is_err() {
            self.has_failed.store(true, Ordering::Relaxed);
        }
        result
    }
}

/// The answer of the server if it comes within this time.
pub(crate) async fn in_time<T>(
    limit: Duration,
    answer: impl Future<Output = Result<T, tokio_postgres::Error>> + Send,
) -> Result<T, Failure> {
    match tokio::time::timeout(limit, answer).await {
        Ok(answer) => answer.map_err(Failure::Database),
        Err(_) => Err(Failure::Silent),
    }
}
