//! The summary of a finished job.

use std::collections::BTreeMap;
use std::fmt::Write;
use std::time::Duration;

use gleaner::{ErrorCode, JobWarning, PageFailure, PageFailures, SafeUrl};
use serde_json::{Map, json};

use crate::args::{EngineArgs, in_flags};
use crate::hint;
use crate::printable::{printable_line, printable_url};
use crate::report::Report;

/// Upper bound on the failures that are listed one by one.
const MAX_REPORTED_FAILURES: usize = 10;

/// Upper bound on the error statuses that are listed one by one.
const MAX_REPORTED_STATUSES: usize = 4;

/// The facts of a finished job that the summary shows.
#[derive(Debug)]
pub(crate) struct Summary<'a> {
    /// The number of failed pages; `failures` may list fewer.
    pub(crate) failed: u64,
    /// The number of pages that robots.txt forbids.
    pub(crate) robots_blocked: u64,
    /// The job's warnings.
    pub(crate) warnings: &'a [JobWarning],
    /// Why the job failed as a whole.
    pub(crate) error: Option<&'a str>,
    /// The pages without a document.
    pub(crate) failures: &'a PageFailures,
    /// The number of written documents.
    pub(crate) written: u64,
    /// How many of them are of earlier runs.
    pub(crate) earlier: u64,
    /// The number of documents per error status.
    pub(crate) statuses: &'a BTreeMap<u16, u64>,
    /// Whether each failure was reported when it occurred.
    pub(crate) reported_failures: bool,
    /// Whether all failures are listed in a file.
    pub(crate) lists_failures: bool,
    /// The network options.
    pub(crate) network: &'a EngineArgs,
    /// The duration of the job.
    pub(crate) elapsed: Duration,
}

impl Summary<'_> {
    /// The lines, without a trailing line feed.
    pub(crate) fn text(&self) -> String {
        let mut text = format!("{} in {}", counted(self.written, "page", "pages"), seconds(self.elapsed));
        let new = self.written.saturating_sub(self.earlier);
        if self.earlier > 0 && new == 0 {
            text.push_str(", all of earlier runs");
        } else {
            let _ = write!(text, " ({:.1} pages/s)", rate(new, self.elapsed));
            if self.earlier > 0 {
                let _ = write!(text, ", {} of them of earlier runs", grouped(self.earlier));
            }
        }
        let of_error: u64 = self.statuses.values().sum();
        if of_error > 0 {
            let _ = write!(text, ", {of_error} with an error status ({})", self.each_status());
        }
        if self.failed > 0 {
            let _ = write!(text, ", {} failed", self.failed);
        }
        if self.robots_blocked > 0 {
            let _ = write!(text, ", {} forbidden by robots.txt", self.robots_blocked);
        }
        if !self.reported_failures {
            self.add_failures(&mut text);
        }
        for warning in self.warnings {
            let _ = write!(text, "\nnote: {}", printable_line(&in_flags(&warning.to_string())));
        }
        if let Some(error) = self.error {
            let _ = write!(text, "\nerror: {}", printable_line(&in_flags(error)));
        }
        if let Some(hint) = self.hint() {
            let _ = write!(text, "\nhint: {hint}");
        }
        text
    }

    /// Adds the facts to the summary of `--json`.
    pub(crate) fn add_to(&self, report: &Report) {
        report.set("pages", self.written);
        report.set("earlierPages", self.earlier);
        report.set("failed", self.failed);
        report.set("robotsBlocked", self.robots_blocked);
        let statuses = self.statuses.iter().map(|(status, count)| (status.to_string(), json!(count)));
        report.set("statuses", statuses.collect::<Map<_, _>>());
        let listed = self.failures.failures.iter().take(MAX_REPORTED_FAILURES).map(|failure| {
            let message = printable_line(&in_flags(&failure.error.message));
            json!({ "url": printable_url(&failure.url), "code": failure.error.code, "error": message })
        });
        report.set("failures", listed.collect::<Vec<_>>());
        let warnings = self.warnings.iter().map(|warning| in_flags(&warning.to_string()));
        report.set("warnings", warnings.collect::<Vec<_>>());
        if let Some(error) = self.error {
            report.set("error", in_flags(error));
        }
        if let Some(hint) = self.hint() {
            report.set("hint", hint);
        }
    }

    /// Adds the first failures and the number of others.
    fn add_failures(&self, text: &mut String) {
        for failure in self.failures.failures.iter().take(MAX_REPORTED_FAILURES) {
            let _ = write!(text, "\n  failed: {}", failed(failure));
        }
        let listed = self.failures.failures.len().min(MAX_REPORTED_FAILURES);
        let more = self.failed.saturating_sub(u64::try_from(listed).unwrap_or(u64::MAX));
        if more > 0 {
            let hint = if self.lists_failures { "" } else { " (--failures FILE lists all of them)" };
            let _ = write!(text, "\n  and {more} more{hint}");
        }
    }

    /// `404: 12, 500: 3`, the most frequent first.
    fn each_status(&self) -> String {
        let mut statuses: Vec<_> = self.statuses.iter().collect();
        statuses.sort_by_key(|(_, count)| std::cmp::Reverse(**count));
        let counts =
            statuses.iter().take(MAX_REPORTED_STATUSES).map(|(status, count)| format!("{status}: {count}"));
        let mut text = counts.collect::<Vec<_>>().join(", ");
        if statuses.len() > MAX_REPORTED_STATUSES {
            text.push_str(" ...");
        }
        text
    }

    /// What to try next: for refused addresses or invalid certificates, and if there is no page, for the
    /// first failure.
    fn hint(&self) -> Option<String> {
        let failures = || self.failures.failures.iter();
        let mut refused = failures().filter(|failure| {
            failure.error.code == ErrorCode::ScrapeBlocked && !hint::is_of_port(&failure.error.message)
        });
        if let Some(hint) =
            refused.find_map(|failure| hint::for_refused(&failure.url, &self.network.allow_private))
        {
            return Some(hint);
        }
        if let Some(failure) = failures().find(|failure| failure.error.code == ErrorCode::ScrapeSslError) {
            let error = &failure.error;
            return hint::for_page(error.code, &error.message, Some(&failure.url), self.network);
        }
        // A certificate error of robots.txt is only in a warning.
        if self.warnings.iter().any(JobWarning::is_invalid_certificate) {
            return hint::for_certificates(self.network);
        }
        if self.written > 0 {
            // Pages that the site gives to no program.
            let (status, pages) = self.statuses.iter().max_by_key(|(_, pages)| **pages)?;
            return hint::for_status(*status).filter(|_| *pages == self.written).map(str::to_owned);
        }
        if let Some(failure) = failures().next() {
            let error = &failure.error;
            return hint::for_page(error.code, &error.message, Some(&failure.url), self.network);
        }
        self.warnings.iter().find_map(|warning| match warning {
            JobWarning::StartRobotsUnreadable(error) => {
                hint::for_page(error.code, &error.message, None, self.network)
            }
            _ => None,
        })
    }
}

/// A failed page with its reason, in one line. Most reasons begin with the URL, which is not repeated.
pub(crate) fn failed(failure: &PageFailure) -> String {
    let message = in_flags(&failure.error.message);
    let named = [failure.url.to_string(), SafeUrl::from(&failure.url).to_string()];
    let bare = named.iter().find_map(|name| message.strip_prefix(name)?.strip_prefix(": "));
    format!("{}: {}", printable_url(&failure.url), printable_line(bare.unwrap_or(&message)))
}

/// `12,340`.
pub(crate) fn grouped(number: u64) -> String {
    let digits = number.to_string();
    let mut text = String::new();
    for (position, digit) in digits.chars().enumerate() {
        if position > 0 && (digits.len() - position).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
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

/// Pages per second.
pub(crate) fn rate(pages: u64, time: Duration) -> f64 {
    pages as f64 / time.as_secs_f64().max(0.001)
}

#[cfg(test)]
mod tests {
    use gleaner::{PageError, PageFailure};

    use super::*;

    fn failures(number: u64, code: ErrorCode, message: &str) -> PageFailures {
        let failure = |sequence| {
            PageFailure::new(
                sequence,
                Duration::ZERO,
                format!("http://127.0.0.1/{sequence}").parse().unwrap(),
                PageError { code, message: message.to_owned() },
            )
        };
        let mut failures = PageFailures::default();
        failures.failures = (0..number).map(failure).collect();
        failures
    }

    fn summary(failures: &PageFailures) -> String {
        summary_with(failures, &BTreeMap::new(), false)
    }

    fn summary_with(failures: &PageFailures, statuses: &BTreeMap<u16, u64>, lists_failures: bool) -> String {
        let failed = failures.failures.len().try_into().unwrap();
        let elapsed = Duration::from_secs(3);
        Summary {
            failed,
            robots_blocked: 0,
            warnings: &[],
            error: None,
            failures,
            written: 30,
            earlier: 0,
            statuses,
            reported_failures: false,
            lists_failures,
            network: &EngineArgs::default(),
            elapsed,
        }
        .text()
    }

    #[test]
    fn a_success_takes_one_line() {
        assert_eq!(summary(&PageFailures::default()), "30 pages in 3.00 s (10.0 pages/s)");
    }

    #[test]
    fn the_first_failures_are_listed_and_the_rest_counted() {
        let text = summary(&failures(25, ErrorCode::ScrapeTimeout, "too slow\u{1b}[2J\nby far"));
        let lines: Vec<&str> = text.lines().collect();
        assert_eq!(lines[0], "30 pages in 3.00 s (10.0 pages/s), 25 failed");
        assert_eq!(lines[1], "  failed: http://127.0.0.1/0: too slow\u{fffd}[2J by far");
        assert_eq!(lines.len(), 1 + MAX_REPORTED_FAILURES + 1);
        assert_eq!(lines[11], "  and 15 more (--failures FILE lists all of them)");
        let listed =
            summary_with(&failures(25, ErrorCode::ScrapeTimeout, "too slow"), &BTreeMap::new(), true);
        assert!(listed.ends_with("  and 15 more"), "{listed}");
    }

    #[test]
    fn a_failure_names_its_url_once() {
        for message in ["http://127.0.0.1/0: connection refused", "connection refused"] {
            let text = summary(&failures(1, ErrorCode::ScrapeSiteError, message));
            assert!(text.ends_with("\n  failed: http://127.0.0.1/0: connection refused"), "{text}");
        }
    }

    #[test]
    fn the_values_of_a_query_are_not_shown() {
        let mut failures = failures(1, ErrorCode::ScrapeTimeout, "too slow");
        failures.failures[0].url = "http://127.0.0.1/cup?token=hush&size=2".parse().unwrap();
        let text = summary(&failures);
        assert!(text.ends_with("\n  failed: http://127.0.0.1/cup?token=…&size=…: too slow"), "{text}");
    }

    #[test]
    fn pages_of_an_error_status_are_counted() {
        let statuses = BTreeMap::from([(403, 1), (404, 12), (410, 1), (500, 3), (503, 1)]);
        let text = summary_with(&PageFailures::default(), &statuses, false);
        assert!(text.ends_with(", 18 with an error status (404: 12, 500: 3, 403: 1, 410: 1 ...)"), "{text}");
        let text = summary_with(&PageFailures::default(), &BTreeMap::from([(404, 1)]), false);
        assert!(text.ends_with(", 1 with an error status (404: 1)"), "{text}");
    }

    #[test]
    fn an_invalid_certificate_has_a_hint() {
        let text = summary(&failures(2, ErrorCode::ScrapeSslError, "the certificate has expired"));
        assert_eq!(text.matches("--skip-tls-verification").count(), 1, "{text}");
    }

    #[test]
    fn refused_addresses_have_one_hint() {
        let text = summary(&failures(3, ErrorCode::ScrapeBlocked, "refused"));
        assert_eq!(text.matches("--allow-private 127.0.0.0/8").count(), 1, "{text}");
    }

    #[test]
    fn a_job_without_a_page_says_what_to_try_next() {
        let failures = failures(2, ErrorCode::ScrapeTimeout, "too slow");
        assert!(!summary(&failures).contains("hint:"), "there are pages");
        let statuses = BTreeMap::new();
        let none = Summary {
            failed: 2,
            robots_blocked: 0,
            warnings: &[],
            error: None,
            failures: &failures,
            written: 0,
            earlier: 0,
            statuses: &statuses,
            reported_failures: false,
            lists_failures: false,
            network: &EngineArgs::default(),
            elapsed: Duration::from_secs(3),
        };
        assert_eq!(none.text().matches("hint: for a slow site, --timeout").count(), 1, "{}", none.text());
    }

    #[test]
    fn a_site_that_refuses_all_pages_has_a_hint() {
        for (pages, hinted) in [(30, true), (29, false)] {
            let text = summary_with(&PageFailures::default(), &BTreeMap::from([(403, pages)]), false);
            assert_eq!(text.contains("hint: the site may refuse programs"), hinted, "{text}");
        }
    }

    #[test]
    fn pages_of_earlier_runs_do_not_count_as_fast() {
        let failures = PageFailures::default();
        for (earlier, expected) in [
            (1_200, "1230 pages in 3.00 s (10.0 pages/s), 1,200 of them of earlier runs"),
            (1_230, "1230 pages in 3.00 s, all of earlier runs"),
        ] {
            let text = Summary {
                failed: 0,
                robots_blocked: 0,
                warnings: &[],
                error: None,
                failures: &failures,
                written: 1_230,
                earlier,
                statuses: &BTreeMap::new(),
                reported_failures: false,
                lists_failures: false,
                network: &EngineArgs::default(),
                elapsed: Duration::from_secs(3),
            }
            .text();
            assert_eq!(text, expected);
        }
    }

    #[test]
    fn large_numbers_have_groups_of_digits() {
        for (number, text) in [(0, "0"), (999, "999"), (1_000, "1,000"), (12_345_678, "12,345,678")] {
            assert_eq!(grouped(number), text);
        }
    }

    #[test]
    fn times_are_short() {
        for (milliseconds, want) in [(420, "0.42 s"), (12_340, "12.3 s"), (200_000, "3 min 20 s")] {
            assert_eq!(seconds(Duration::from_millis(milliseconds)), want);
        }
    }
}
