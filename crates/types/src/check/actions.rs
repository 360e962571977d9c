//! Checks the actions of a request.

use std::time::Duration;

use super::formats::screenshot;
use super::path::Path;
use super::report::{Code, Report};
use crate::limits::{DEFAULT_PDF_PAPER, DEFAULT_PDF_SCALE, MAX_ACTION_WAIT_MS};
use crate::plan::{self, PlannedAction, WaitFor};
use crate::request::{Action, Paper};

/// The checked actions. A wait for a time and an element becomes two waits.
pub(crate) fn actions(
    actions: Option<Vec<Action>>,
    path: &Path<'_>,
    report: &mut Report,
) -> Vec<PlannedAction> {
    let actions = actions.unwrap_or_default();
    let mut checked = Vec::with_capacity(actions.len());
    let mut waited: u64 = 0;
    for (index, action) in actions.into_iter().enumerate() {
        let mut add = |action: plan::Action| checked.push(PlannedAction { index, action });
        match action {
            Action::Wait { milliseconds, selector } => {
                if milliseconds.is_none() && selector.is_none() {
                    let at = path.index(index);
                    report.conflict(&at, &[&at], |name| {
                        format!("{name} waits for nothing: it needs `milliseconds`, a `selector` or both")
                    });
                }
                waited = waited.saturating_add(milliseconds.unwrap_or(0));
                let time = milliseconds.map(|time| WaitFor::Time(Duration::from_millis(time)));
                let waits = time.into_iter().chain(selector.map(WaitFor::Selector));
                waits.map(plan::Action::Wait).for_each(add);
            }
            Action::Click { selector, all } => {
                add(plan::Action::Click { selector, all: all.unwrap_or(false) });
            }
            Action::Write { text, selector } => add(plan::Action::Write { text, selector }),
            Action::Press { key } => add(plan::Action::Press { key }),
            Action::Scroll { direction, selector } => {
                add(plan::Action::Scroll { direction: direction.unwrap_or_default(), selector });
            }
            Action::Screenshot(options) => add(plan::Action::Screenshot(screenshot(&options))),
            Action::Scrape => add(plan::Action::Scrape),
            Action::ExecuteJavascript { script } => add(plan::Action::ExecuteJavascript { script }),
            Action::Pdf { landscape, scale, format } => add(plan::Action::Pdf {
                landscape: landscape.unwrap_or(false),
                scale: scale.unwrap_or(DEFAULT_PDF_SCALE),
                format: format.map_or(DEFAULT_PDF_PAPER, Paper::as_str).to_owned(),
            }),
        }
    }
    if waited > MAX_ACTION_WAIT_MS {
        report.fault(Code::OutOfRange, path, |name| {
            format!("{name} must wait at most {MAX_ACTION_WAIT_MS} milliseconds together, not {waited}")
        });
    }
    checked
}
