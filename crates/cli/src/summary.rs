//! What is said about a job when it is over.

use std::fmt::Write;
use std::time::Duration;

use gleaner::{ErrorCode, JobSnapshot, PageFailures};

use crate::hint;
use crate::printable::printable_line;

/// At most so many failures are told one by one.
const TOLD_FAILURES: usize = 10;

/// A job that is over, in some lines for a person.
#[derive(Debug)]
pub(crate) struct Summary<'a> {
    /// The job at its end.
    pub(crate) snapshot: &'a JobSnapshot,
    /// Its pages without a document.
    pub(crate) failures: &'a PageFailures,
    /// How many documents were written.
    pub(crate) written: u64,
    /// How long it took.
    pub(crate) elapsed: Duration,
}

impl Summary<'_> {
    /// The lines, without a line feed at the end.
    pub(crate) fn text(&self) -> String {
        let mut text = format!(
            "{} in {} ({:.1} pages/s)",
            counted(self.written, "page"),
            seconds(self.elapsed),
            rate(self.written, self.elapsed)
        );
        if self.snapshot.failed > 0 {
            let _ = write!(text, ", {} failed", self.snapshot.failed);
        }
        if self.snapshot.robots_blocked > 0 {
            let _ = write!(text, ", {} forbidden by robots.txt", self.snapshot.robots_blocked);
        }
        for failure in self.failures.failures.iter().take(TOLD_FAILURES) {
            let _ = write!(
                text,
                "\n  failed: {}: {}",
                printable_line(failure.url.as_str()),
                printable_line(&failure.error.message)
            );
        }
        let told = self.failures.failures.len().min(TOLD_FAILURES);
        let more = self.snapshot.failed.saturating_sub(u64::try_from(told).unwrap_or(u64::MAX));
        if more > 0 {
            let _ = write!(text, "\n  and {more} more");
        }
        if let Some(warning) = &self.snapshot.warning {
            let _ = write!(text, "\nnote: {}", printable_line(warning));
        }
        if let Some(error) = &self.snapshot.error {
            let _ = write!(text, "\nerror: {}", printable_line(error));
        }
        if let Some(hint) = self.hint() {
            let _ = write!(text, "\nhint: {hint}");
        }
        text
    }

    /// What to do about refused addresses, where some were.
    fn hint(&self) -> Option<String> {
        let mut refused =
            self.failures.failures.iter().filter(|failure| failure.error.code == ErrorCode::ScrapeBlocked);
        refused.find_map(|failure| hint::for_refused(&failure.url))
    }
}

/// `1 page`, `2 pages`.
pub(crate) fn counted(number: u64, noun: &str) -> String {
    if number == 1 { format!("1 {noun}") } else { format!("{number} {noun}s") }
}

/// `0.42 s`, `12.3 s`, `3 min 20 s`.
pub(crate) fn seconds(time: Duration) -> String {
    match time.as_secs() {
        0..=9 => format!("{:.2} s", time.as_secs_f64()),
        10..=119 => format!("{:.1} s", time.as_secs_f64()),
        whole => format!("{} min {} s", whole / 60, whole % 60),
    }
}

/// Pages a second.
pub(crate) fn rate(pages: u64, time: Duration) -> f64 {
    pages as f64 / time.as_secs_f64().max(0.001)
}
