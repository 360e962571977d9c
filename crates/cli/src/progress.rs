//! Progress on standard error: a line that is redrawn on a terminal, and elsewhere a new line now and then,
//! so that a log shows that the program is running.

use std::time::{Duration, Instant};

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

use crate::printable::printable_target;
use crate::say::say;
use crate::summary::seconds;
use crate::terminal;

/// Upper bound on redraws per second.
const REDRAWS: u8 = 10;

/// The interval of lines if standard error is not a terminal.
const LINE_INTERVAL: Duration = Duration::from_secs(30);

const TEMPLATE: &str = "{spinner} {wide_msg}";

/// Shows progress until it is dropped.
#[derive(Debug)]
pub(crate) struct Progress {
    bar: ProgressBar,
    started: Instant,
    /// Set if standard error is not a terminal and progress is enabled.
    lines: Option<LineSchedule>,
}

impl Progress {
    /// Shows progress if `enabled`: on `bar` if standard error is a terminal that can write a line again, else
    /// in lines.
    pub(crate) fn begin(bar: &ProgressBar, enabled: bool) -> Self {
        let mut lines = None;
        if enabled {
            // A finished bar must be reset to be shown again.
            bar.reset();
            if terminal::has_cursor() {
                bar.set_draw_target(ProgressDrawTarget::stderr_with_hz(REDRAWS));
            }
            if let Ok(style) = ProgressStyle::with_template(TEMPLATE) {
                bar.set_style(style);
            }
            lines = bar.is_hidden().then(LineSchedule::default);
        }
        Self { bar: bar.clone(), started: Instant::now(), lines }
    }

    /// Shows the current state and the latest page. `state` only runs if its text is shown.
    pub(crate) fn show(&mut self, state: impl FnOnce() -> String, latest: Option<&str>) {
        if let Some(lines) = &mut self.lines {
            let elapsed = self.started.elapsed();
            if lines.is_due(elapsed) {
                say(format_args!("{}: {}", seconds(elapsed), state()));
            }
        } else if !self.bar.is_hidden() {
            let latest = latest.map(printable_target).unwrap_or_default();
            self.bar.set_message(format!("{}  {latest}", state()));
            self.bar.tick();
        }
    }

    /// Hides the progress line while `write` writes to the terminal.
    pub(crate) fn suspend<T>(&self, write: impl FnOnce() -> T) -> T {
        self.bar.suspend(write)
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        self.bar.finish_and_clear();
        // Later messages do not need to suspend the line.
        self.bar.set_draw_target(ProgressDrawTarget::hidden());
    }
}

/// Determines when a line is due.
#[derive(Debug, Default)]
struct LineSchedule {
    written: u32,
}

impl LineSchedule {
    /// True once per elapsed [`LINE_INTERVAL`]; after a standstill, once for all of them.
    fn is_due(&mut self, elapsed: Duration) -> bool {
        let intervals = u32::try_from(elapsed.as_secs() / LINE_INTERVAL.as_secs()).unwrap_or(u32::MAX);
        let due = intervals > self.written;
        self.written = intervals;
        due
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_is_due_every_half_minute() {
        let mut lines = LineSchedule::default();
        let due: Vec<u64> = (0..=200).filter(|second| lines.is_due(Duration::from_secs(*second))).collect();
        assert_eq!(due, [30, 60, 90, 120, 150, 180]);
        assert!(lines.is_due(Duration::from_secs(1_000)) && !lines.is_due(Duration::from_secs(1_001)));
    }
}
