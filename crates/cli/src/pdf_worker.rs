//! The process that converts one PDF for a `gleaner` that runs.

use gleaner::pdf::{PdfWorker, serve};

use crate::exit;

/// What `gleaner` is started with to be one. It is no command for people, and no help names it.
pub(crate) const WORD: &str = "pdf-worker";

/// Converts one PDF and ends.
pub(crate) fn run() -> u8 {
    // Who started it sees how it ends, and standard output is for the answer.
    if serve().is_ok() { exit::DONE } else { exit::FAILED }
}

/// This program as its own worker; `None` where the system does not tell what it is.
pub(crate) fn own() -> Option<PdfWorker> {
    Some(PdfWorker::new(std::env::current_exe().ok()?).arg(WORD))
}
