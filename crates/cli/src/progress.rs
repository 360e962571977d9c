//! How far the work is, on standard error: a line that is redrawn where a person watches, and elsewhere a new line now and
//! then, so that a log shows that the program is alive.

use std::time::{Duration, Instant};

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

use crate::printable::printable_target;
use crate::say::say;
use crate::summary::seconds;

/// Redrawn at most so often a second.
const REDRAWS: u8 = 10;

/// Off a terminal a line is written so often.
const LINE_EVERY: Duration = Duration::from_secs(30);

const TEMPLATE: &str = "{spinner} {wide_msg}";

/// Shows the state of one piece of work until it is dropped.
#[derive(Debug)]
pub(crate) struct Progress {
    bar: ProgressBar,
    begun: Instant,
    /// Where no line can be redrawn, but one may be written.
    lines: Option<Lines>,
}

impl Progress {
    /// Shows the state on `bar` if `wanted` and if standard error is a terminal, else in lines if `wanted`.
    pub(crate) fn begin(bar: &ProgressBar, wanted: bool) -> Self {
        let mut lines = None;
        if wanted {
            // One that has ended shows nothing more.
            bar.reset();
            bar.set_draw_target(ProgressDrawTarget::stderr_with_hz(REDRAWS));
            if let Ok(style) = ProgressStyle::with_template(TEMPLATE) {
                bar.set_style(style);
            }
            lines = bar.is_hidden().then(Lines::default);
        }
        Self { bar: bar.clone(), begun: Instant::now(), lines }
    }

    /// So it stands: some words, which are only made where they are shown, and what was done last.
    pub(crate) fn show(&mut self, state: impl FnOnce() -> String, latest: Option<&str>) {
        if let Some(lines) = &mut self.lines {
            let elapsed = self.begun.elapsed();
            if lines.is_due(elapsed) {
                say(format_args!("{}: {}", seconds(elapsed), state()));
            }
        } else if !self.bar.is_hidden() {
            let latest = latest.map(printable_target).unwrap_or_default();
            self.bar.set_message(format!("{}  {latest}", state()));
            self.bar.tick();
        }
    }

    /// Takes the line away while `write` writes to the terminal.
    pub(crate) fn blocking<T>(&self, write: impl FnOnce() -> T) -> T {
        self.bar.suspend(write)
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        self.bar.finish_and_clear();
        // What is said from here on meets no line.
        self.bar.set_draw_target(ProgressDrawTarget::hidden());
    }
}

/// When a line is written.
#[derive(Debug, Default)]
struct Lines {
    written: u32,
}

impl Lines {
    /// True once for each [`LINE_EVERY`] that has gone by; after a standstill once for all of them.
    fn is_due(&mut self, elapsed: Duration) -> bool {
        let gone_by = u32::try_from(elapsed.as_secs() / LINE_EVERY.as_secs()).unwrap_or(u32::MAX);
        let due = gone_by > self.written;
        self.written = gone_by;
        due
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_is_due_every_half_minute() {
        let mut lines = Lines::default();
        let due: Vec<u64> = (0..=200).filter(|second| lines.is_due(Duration::from_secs(*second))).collect();
        assert_eq!(due, [30, 60, 90, 120, 150, 180]);
        assert!(lines.is_due(Duration::from_secs(1_000)) && !lines.is_due(Duration::from_secs(1_001)));
    }
}
