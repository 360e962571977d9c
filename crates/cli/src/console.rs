//! Standard error: messages, progress, and the log of `-v`.
//!
//! Every message first suspends the progress line, so that the two do not mix.

use std::fmt::Display;
use std::io::{self, Write};

use indicatif::ProgressBar;
use tracing_subscriber::filter::{LevelFilter, Targets};
use tracing_subscriber::fmt::MakeWriter;
use tracing_subscriber::layer::SubscriberExt;
use tracing_subscriber::util::SubscriberInitExt;

use crate::progress::Progress;
use crate::report::Report;
use crate::say::say;
use crate::terminal;

/// The common prefix of the engine's log targets.
const LOG_TARGET_PREFIX: &str = "gleaner";

/// Standard error, with the levels of `--quiet` and `--verbose`.
#[derive(Debug, Clone)]
pub(crate) struct Console {
    quiet: bool,
    verbosity: u8,
    bar: ProgressBar,
    /// The summary of `--json`.
    report: Option<Report>,
}

impl Console {
    /// A console without a progress line. With a report, messages become a part of it.
    pub(crate) fn new(quiet: bool, verbosity: u8, report: Option<Report>) -> Self {
        Self { quiet, verbosity, bar: ProgressBar::hidden(), report }
    }

    /// Starts to show the engine's log, at level `warn`, `debug` or `trace` for one, two or three `-v`.
    pub(crate) fn show_log(&self) {
        let level = match self.verbosity {
            0 => return,
            1 => LevelFilter::WARN,
            2 => LevelFilter::DEBUG,
            _ => LevelFilter::TRACE,
        };
        let lines =
            tracing_subscriber::fmt::layer().with_writer(self.clone()).with_ansi(terminal::has_colours());
        let ours = Targets::new().with_target(LOG_TARGET_PREFIX, level);
        // This only fails for a second call in one process.
        let _ = tracing_subscriber::registry().with(lines).with(ours).try_init();
    }

    /// Whether only errors are reported.
    pub(crate) const fn is_quiet(&self) -> bool {
        self.quiet
    }

    /// Whether each page is reported.
    pub(crate) const fn reports_pages(&self) -> bool {
        self.verbosity > 0
    }

    /// The summary of `--json`, if it is wanted.
    pub(crate) fn report(&self) -> Option<&Report> {
        self.report.as_ref()
    }

    /// Prints a message, except with `--quiet`.
    pub(crate) fn note(&self, text: impl Display) {
        if !self.quiet || self.report.is_some() {
            self.error(text);
        }
    }

    /// Prints a message, also with `--quiet`.
    pub(crate) fn error(&self, text: impl Display) {
        match &self.report {
            Some(report) => report.note(&text.to_string()),
            None => self.now(text),
        }
    }

    /// Prints a message about this moment, which belongs into no summary.
    pub(crate) fn now(&self, text: impl Display) {
        self.bar.suspend(|| say(text));
    }

    /// Starts to show progress.
    pub(crate) fn progress(&self) -> Progress {
        Progress::begin(&self.bar, !self.quiet && self.report.is_none())
    }

    /// Prints the summary of `--json`, if it is wanted.
    pub(crate) fn finish(&self, command: &str, code: u8) {
        if let Some(report) = &self.report {
            self.now(report.line(command, code));
        }
    }
}

impl<'a> MakeWriter<'a> for Console {
    type Writer = LogLines<'a>;

    fn make_writer(&'a self) -> LogLines<'a> {
        LogLines(&self.bar)
    }
}

/// Writes log lines above the progress line.
#[derive(Debug)]
pub(crate) struct LogLines<'a>(&'a ProgressBar);

impl Write for LogLines<'_> {
    fn write(&mut self, line: &[u8]) -> io::Result<usize> {
        self.0.suspend(|| io::stderr().write(line))
    }

    fn flush(&mut self) -> io::Result<()> {
        io::stderr().flush()
    }
}
