//! The worker process that converts one PDF for a running `gleaner`.

use gleaner::pdf::{PdfWorker, serve};

use crate::exit;

/// The argument that starts `gleaner` as a worker. It is internal, so the help does not list it.
pub(crate) const WORD: &str = "pdf-worker";

/// Converts one PDF and ends.
pub(crate) fn run() -> u8 {
    // The parent process reads the exit code, and standard output is for the answer.
    if serve().is_ok() { exit::DONE } else { exit::FAILED }
}

/// This program as its own worker; `None` if its path is unknown.
pub(crate) fn own() -> Option<PdfWorker> {
    Some(PdfWorker::new(std::env::current_exe().ok()?).arg(WORD))
}
