use std::time::Duration;

use bytes::Bytes;
use gleaner_store::journal::JobRow;

/// A job in the file.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct JobRecord {
    /// Its number in this file.
    pub number: u64,
    /// The job as it was submitted, without its secrets.
    pub job: JobRow,
    /// Blocks up to this number were folded away.
    pub folded: u64,
    /// When it ended, and how, in the form of the store; `None` while it runs.
    pub ended: Option<(Duration, Bytes)>,
}
