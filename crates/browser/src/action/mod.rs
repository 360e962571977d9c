//! Carries out the actions of a request, in their order.
//!
//! The page's side is `act.js`: it finds elements and says whether they can be clicked. The input itself is
//! that of the browser, so pages cannot tell it from a visitor's.

mod click;
mod failure;
mod find;
mod frames;
mod keys;
mod pointer;
mod press;
mod print;
mod query;
mod runner;
mod scrape;
mod script;
mod scroll;
mod wait;
mod write;

use gleaner_fetch::{ActionResult, Error};
use gleaner_types::plan::{Action, PlannedAction, WaitFor};

use failure::Failure;
use runner::Runner;

use crate::page::Tab;
use crate::page::ready::ReadyError;
use crate::protocol::input::SetInterceptFileChooserDialog;
use crate::wire::CallError;

/// Most characters of a selector in an error.
const MAX_SELECTOR_TEXT: usize = 100;

/// Why the actions of a page have ended early.
#[derive(Debug)]
pub(crate) enum ActionError {
    /// An action failed, or the document that it led to.
    Failed(Error),
    /// The page or its browser failed.
    Page(ReadyError),
}

impl From<CallError> for ActionError {
    fn from(error: CallError) -> Self {
        Self::Page(error.into())
    }
}

/// Carries out `actions`, and adds their results, with warnings about them. Ends at the first that fails.
pub(crate) async fn run(
    tab: &Tab<'_>,
    actions: &[PlannedAction],
    results: &mut Vec<ActionResult>,
    warnings: &mut Vec<String>,
) -> Result<(), ActionError> {
    if actions.is_empty() {
        return Ok(());
    }
    let mut runner = Runner::new(tab);
    // No file is ever given to a page.
    let intercept = SetInterceptFileChooserDialog { enabled: true };
    tab.client().send(Some(&tab.session()?), &intercept).await?;
    for PlannedAction { index, action } in actions {
        let outcome = runner.perform(action).await;
        let of_action = |warning: String| format!("action {index}: {warning}");
        warnings.extend(runner.warning.take().map(of_action));
        // A failed navigation is the cause; the failure of the action is its consequence.
        if let Some(error) = tab.take_navigation_error() {
            return Err(ActionError::Failed(error));
        }
        match outcome {
            Ok(result) => results.extend(result),
            Err(Failure::Action(reason)) => {
                let reason = format!("{}: {reason}", name(action));
                return Err(ActionError::Failed(Error::action(&tab.url(), *index, &reason)));
            }
            Err(Failure::TooLarge) => {
                let what = format!("the result of action {index}");
                return Err(ActionError::Failed(Error::result_too_large(&tab.url(), &what)));
            }
            Err(Failure::Page(error)) => return Err(ActionError::Page(error)),
        }
    }
    Ok(())
}

/// The kind of an action and its selector, for errors. Text to write and scripts may be secrets.
fn name(action: &Action) -> String {
    let (kind, selector) = match action {
        Action::Wait(WaitFor::Time(_)) => ("wait", None),
        Action::Wait(WaitFor::Selector(selector)) => ("wait", Some(selector)),
        Action::Click { selector, all: false } => ("click", Some(selector)),
        Action::Click { selector, all: true } => ("click all", Some(selector)),
        Action::Write { selector, .. } => ("write", selector.as_ref()),
        Action::Press { .. } => ("press", None),
        Action::Scroll { selector, .. } => ("scroll", selector.as_ref()),
        Action::Screenshot(_) => ("screenshot", None),
        Action::Scrape => ("scrape", None),
        Action::ExecuteJavascript { .. } => ("executeJavascript", None),
        Action::Pdf { .. } => ("pdf", None),
    };
    let Some(selector) = selector else { return kind.to_owned() };
    let mut shown: String = selector.chars().take(MAX_SELECTOR_TEXT).collect();
    if shown.len() < selector.len() {
        shown.push_str("...");
    }
    format!("{kind} \"{shown}\"")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_show_selectors_and_neither_text_nor_scripts() {
        let click = Action::Click { selector: "#buy".to_owned(), all: false };
        assert_eq!(name(&click), "click \"#buy\"");
        let all = Action::Click { selector: "x".repeat(500), all: true };
        assert_eq!(name(&all), format!("click all \"{}...\"", "x".repeat(MAX_SELECTOR_TEXT)));
        let write = Action::Write { text: "hunter2".to_owned(), selector: Some("#password".to_owned()) };
        assert_eq!(name(&write), "write \"#password\"");
        let typed = Action::Write { text: "hunter2".to_owned(), selector: None };
        assert_eq!(name(&typed), "write");
        let script = Action::ExecuteJavascript { script: "login('hunter2')".to_owned() };
        assert_eq!(name(&script), "executeJavascript");
        assert_eq!(name(&Action::Press { key: "x".to_owned() }), "press");
    }
}
