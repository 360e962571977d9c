//! What is said about a job when it is over.

use std::fmt::Write;
use std::time::Duration;

use gleaner::{ErrorCode, PageFailures};
use ipnet::IpNet;

use crate::hint;
use crate::printable::printable_line;

/// At most so many failures are told one by one.
const TOLD_FAILURES: usize = 10;

/// A job that is over, in some lines for a person.
#[derive(Debug)]
pub(crate) struct Summary<'a> {
    /// How many of its pages failed; of them may be more than are listed.
    pub(crate) failed: u64,
    /// How many of its pages robots.txt forbade.
    pub(crate) robots_blocked: u64,
    /// What the reader should know.
    pub(crate) warning: Option<&'a str>,
    /// Why the job failed as a whole.
    pub(crate) error: Option<&'a str>,
    /// Its pages without a document.
    pub(crate) failures: &'a PageFailures,
    /// How many documents were written.
    pub(crate) written: u64,
    /// The private ranges that were open.
    pub(crate) allowed: &'a [IpNet],
    /// How long it took.
    pub(crate) elapsed: Duration,
}

impl Summary<'_> {
    /// The lines, without a line feed at the end.
    pub(crate) fn text(&self) -> String {
        let mut text = format!(
            "{} in {} ({:.1} pages/s)",
            counted(self.written, "page", "pages"),
            seconds(self.elapsed),
            rate(self.written, self.elapsed)
        );
        if self.failed > 0 {
            let _ = write!(text, ", {} failed", self.failed);
        }
        if self.robots_blocked > 0 {
            let _ = write!(text, ", {} forbidden by robots.txt", self.robots_blocked);
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
        let more = self.failed.saturating_sub(u64::try_from(told).unwrap_or(u64::MAX));
        if more > 0 {
            let _ = write!(text, "\n  and {more} more");
        }
        if let Some(warning) = self.warning {
            let _ = write!(text, "\nnote: {}", printable_line(warning));
        }
        if let Some(error) = self.error {
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
        refused.find_map(|failure| hint::for_refused(&failure.url, self.allowed))
    }
}

/// `1 page`, `2 pages`.
pub(crate) fn counted(number: u64, one: &str, many: &str) -> String {
    format!("{number} {}", if number == 1 { one } else { many })
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

#[cfg(test)]
mod tests {
    use gleaner::{PageError, PageFailure};

    use super::*;

    fn failures(number: u64, code: ErrorCode, message: &str) -> PageFailures {
        let failure = |sequence| PageFailure {
            sequence,
            at: Duration::ZERO,
            url: format!("http://127.0.0.1/{sequence}").parse().unwrap(),
            error: PageError { code, message: message.to_owned() },
        };
        PageFailures { failures: (0..number).map(failure).collect(), robots_blocked: Vec::new() }
    }

    fn told(failures: &PageFailures) -> String {
        let failed = failures.failures.len().try_into().unwrap();
        let elapsed = Duration::from_secs(3);
        Summary {
            failed,
            robots_blocked: 0,
            warning: None,
            error: None,
            failures,
            written: 30,
            allowed: &[],
            elapsed,
        }
        .text()
    }

    #[test]
    fn what_went_well_takes_one_line() {
        assert_eq!(told(&PageFailures::default()), "30 pages in 3.00 s (10.0 pages/s)");
    }

    #[test]
    fn the_first_failures_are_told_and_the_rest_counted() {
        let text = told(&failures(25, ErrorCode::ScrapeTimeout, "too slow\u{1b}[2J\nby far"));
        let lines: Vec<&str> = text.lines().collect();
        assert_eq!(lines[0], "30 pages in 3.00 s (10.0 pages/s), 25 failed");
        assert_eq!(lines[1], "  failed: http://127.0.0.1/0: too slow\u{fffd}[2J by far");
        assert_eq!(lines.len(), 1 + TOLD_FAILURES + 1);
        assert_eq!(lines[11], "  and 15 more");
    }

    #[test]
    fn refused_addresses_are_answered_with_one_hint() {
        let text = told(&failures(3, ErrorCode::ScrapeBlocked, "refused"));
        assert_eq!(text.matches("--allow-private 127.0.0.0/8").count(), 1, "{text}");
    }

    #[test]
    fn times_are_short() {
        for (milliseconds, want) in [(420, "0.42 s"), (12_340, "12.3 s"), (200_000, "3 min 20 s")] {
            assert_eq!(seconds(Duration::from_millis(milliseconds)), want);
        }
    }
}
