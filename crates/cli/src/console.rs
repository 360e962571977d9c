//! What a person sees on standard error beside results: words, progress, and the log of `-v`.
//!
//! All of it passes one line of progress: whatever is said takes the line away first, so that neither is torn.

use std::fmt::Display;
use std::io::{self, IsTerminal, Write};

use indicatif::ProgressBar;
use tracing_subscriber::filter::{LevelFilter, Targets};
use tracing_subscriber::fmt::MakeWriter;
use tracing_subscriber::layer::SubscriberExt;
use tracing_subscriber::util::SubscriberInitExt;

use crate::progress::Progress;
use crate::say::say;

/// All crates of the engine log under names that begin so.
const OURS: &str = "gleaner";

/// Standard error, as `--quiet` and `--verbose` want it.
#[derive(Debug, Clone)]
pub(crate) struct Console {
    quiet: bool,
    verbosity: u8,
    bar: ProgressBar,
}

impl Console {
    /// A console without a line of progress so far.
    pub(crate) fn new(quiet: bool, verbosity: u8) -> Self {
        Self { quiet, verbosity, bar: ProgressBar::hidden() }
    }

    /// Shows the engine's log from here on: its warnings, `debug` or `trace`, by how often `-v` was given.
    pub(crate) fn show_log(&self) {
        let level = match self.verbosity {
            0 => return,
            1 => LevelFilter::WARN,
            2 => LevelFilter::DEBUG,
            _ => LevelFilter::TRACE,
        };
        let lines =
            tracing_subscriber::fmt::layer().with_writer(self.clone()).with_ansi(io::stderr().is_terminal());
        let ours = Targets::new().with_target(OURS, level);
        // Only a second call in one process could fail, and there is none.
        let _ = tracing_subscriber::registry().with(lines).with(ours).try_init();
    }

    /// Are errors all that is to be told?
    pub(crate) const fn is_quiet(&self) -> bool {
        self.quiet
    }

    /// Is each page to be told?
    pub(crate) const fn tells_pages(&self) -> bool {
        self.verbosity > 0
    }

    /// Says something, unless asked to be quiet.
    pub(crate) fn note(&self, text: impl Display) {
        if !self.quiet {
            self.error(text);
        }
    }

    /// Says something also to those who want quiet.
    pub(crate) fn error(&self, text: impl Display) {
        self.bar.suspend(|| say(text));
    }

    /// Begins to show how far the work is.
    pub(crate) fn progress(&self) -> Progress {
        Progress::begin(&self.bar, !self.quiet)
    }
}

impl<'a> MakeWriter<'a> for Console {
    type Writer = LogLines<'a>;

    fn make_writer(&'a self) -> LogLines<'a> {
        LogLines(&self.bar)
    }
}

/// Writes lines of the log above the line of progress.
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
