//! What a process has sent to the database.

use std::sync::atomic::{AtomicU64, Ordering};

/// Counts since the store was opened.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct DatabaseCounts {
    /// Statements, including those that begin and end transactions.
    pub statements: u64,
    /// Transactions that were committed.
    pub commits: u64,
    /// Tries after the first of an operation: the connection was lost, or the transaction rolled back.
    pub retries: u64,
    /// Connections that were opened.
    pub connections: u64,
}

#[derive(Debug, Default)]
pub(crate) struct Counters {
    statements: AtomicU64,
    commits: AtomicU64,
    retries: AtomicU64,
    connections: AtomicU64,
}

impl Counters {
    pub(crate) fn add_statements(&self, number: u64) {
        self.statements.fetch_add(number, Ordering::Relaxed);
    }

    pub(crate) fn add_commit(&self) {
        self.commits.fetch_add(1, Ordering::Relaxed);
    }

    pub(crate) fn add_retry(&self) {
        self.retries.fetch_add(1, Ordering::Relaxed);
    }

    pub(crate) fn add_connection(&self) {
        self.connections.fetch_add(1, Ordering::Relaxed);
    }

    pub(crate) fn now(&self) -> DatabaseCounts {
        DatabaseCounts {
            statements: self.statements.load(Ordering::Relaxed),
            commits: self.commits.load(Ordering::Relaxed),
            retries: self.retries.load(Ordering::Relaxed),
            connections: self.connections.load(Ordering::Relaxed),
        }
    }
}
