//! Progress on standard error, where a person watches.

use std::fmt::Write;
use std::io::{self, IsTerminal};

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressState, ProgressStyle};

use crate::printable::printable_line;

/// Redrawn at most so often a second.
const REDRAWS: u8 = 10;

const TEMPLATE: &str = "{spinner} {pos}/{len} pages, {rate} pages/s  {wide_msg}";

/// A line that is redrawn in place; nothing where standard error is not a terminal.
#[derive(Debug)]
pub(crate) struct Progress {
    bar: ProgressBar,
}

impl Progress {
    /// A line if `wanted` and if standard error is a terminal.
    pub(crate) fn new(wanted: bool) -> Self {
        if !wanted || !io::stderr().is_terminal() {
            return Self { bar: ProgressBar::hidden() };
        }
        let bar = ProgressBar::with_draw_target(Some(0), ProgressDrawTarget::stderr_with_hz(REDRAWS));
        if let Ok(style) = ProgressStyle::with_template(TEMPLATE) {
            bar.set_style(style.with_key("rate", |state: &ProgressState, out: &mut dyn Write| {
                // The line is redrawn anyway: a rate that could not be written is not missed.
                let _ = write!(out, "{:.1}", state.per_sec());
            }));
        }
        Self { bar }
    }

    /// So many pages are done, of so many known; `latest` came last.
    pub(crate) fn show(&self, done: u64, known: u64, latest: Option<&str>) {
        if self.bar.is_hidden() {
            return;
        }
        self.bar.set_length(known.max(done));
        self.bar.set_position(done);
        if let Some(url) = latest {
            self.bar.set_message(printable_line(url));
        }
    }

    /// Takes the line away while `write` writes to the terminal.
    pub(crate) fn aside<T>(&self, write: impl FnOnce() -> T) -> T {
        self.bar.suspend(write)
    }

    /// Takes the line away for good.
    pub(crate) fn end(&self) {
        self.bar.finish_and_clear();
    }
}
