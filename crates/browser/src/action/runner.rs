//! Dispatches each action to its implementation and waits for the effects on the page.

use std::time::Duration;

use gleaner_fetch::{ActionResult, MAX_RESULTS_BYTES_PER_PAGE};
use gleaner_types::limits::MAX_ACTION_WAIT_MS;
use gleaner_types::plan::{Action, WaitFor};
use tokio::time::Instant;

use super::failure::Failure;
use super::frames::Frames;
use crate::page::{Tab, ready};
use crate::protocol::runtime::TerminateExecution;
use crate::wire::{CallError, Command};

/// How long the page's scripts may take to handle input.
const INPUT_LIMIT: Duration = Duration::from_secs(10);

/// How long stopping the page's scripts may take.
const STOP_LIMIT: Duration = Duration::from_secs(2);

/// Carries out single actions. Each kind of action is an `impl` in its own file.
#[derive(Debug)]
pub(super) struct Runner<'t, 'a> {
    pub(super) tab: &'t Tab<'a>,
    pub(super) frames: Frames<'t, 'a>,
    /// How much longer wait actions may wait in total.
    pub(super) waits_left: Duration,
    /// How many more bytes the results may have.
    pub(super) bytes_left: u64,
    /// What the result of the last action lacks.
    pub(super) warning: Option<String>,
}

impl<'t, 'a> Runner<'t, 'a> {
    pub(super) fn new(tab: &'t Tab<'a>) -> Self {
        Self {
            tab,
            frames: Frames::new(tab),
            waits_left: Duration::from_millis(MAX_ACTION_WAIT_MS),
            bytes_left: MAX_RESULTS_BYTES_PER_PAGE,
            warning: None,
        }
    }

    pub(super) async fn perform(&mut self, action: &Action) -> Result<Option<ActionResult>, Failure> {
        if self.time_left().is_zero() {
            return Err(Failure::Action("no time is left for it".to_owned()));
        }
        let document = self.tab.documents();
        let result = match action {
            Action::Wait(WaitFor::Time(time)) => {
                self.wait(*time).await;
                None
            }
            Action::Wait(WaitFor::Selector(selector)) => {
                self.wait_for(selector).await?;
                None
            }
            Action::Click { selector, all } => {
                if *all {
                    self.click_all(selector).await?;
                } else {
                    self.click(selector).await?;
                }
                None
            }
            Action::Write { text, selector } => {
                self.write(text, selector.as_deref()).await?;
                None
            }
            Action::Press { key } => {
                self.press(key).await?;
                None
            }
            Action::Scroll { direction, selector } => {
                self.scroll(*direction, selector.as_deref()).await?;
                None
            }
            Action::Screenshot(format) => Some(self.screenshot(format).await?),
            Action::Scrape => Some(self.scrape().await?),
            Action::ExecuteJavascript { script } => Some(self.execute(script).await?),
            Action::Pdf { landscape, scale, format } => Some(self.print(*landscape, *scale, format).await?),
        };
        if let Some(result) = &result {
            self.bytes_left = self.bytes_left.checked_sub(result.bytes() as u64).ok_or(Failure::TooLarge)?;
        }
        if changes_page(action) {
            self.settle(document).await?;
        }
        Ok(result)
    }

    /// Waits for the effects of an action. `document` is the number of documents before it.
    async fn settle(&self, document: u64) -> Result<(), Failure> {
        if self.tab.documents() == document {
            ready::settle(self.tab).await?;
        } else {
            ready::wait(self.tab).await?;
        }
        Ok(())
    }

    /// The time that actions may still take.
    pub(super) fn time_left(&self) -> Duration {
        self.tab.until().saturating_duration_since(Instant::now())
    }

    /// When something must end that may take `limit`.
    pub(super) fn until(&self, limit: Duration) -> Instant {
        (Instant::now() + limit).min(self.tab.until())
    }

    /// Sends an input event without waiting for the page. The events of a page arrive in their order.
    pub(super) async fn post<C: Command>(&self, event: &C) -> Result<(), CallError> {
        self.tab.client().send(Some(&self.tab.session()?), event).await
    }

    /// Sends an input event, and waits until the page has handled it and those before it.
    pub(super) async fn dispatch<C: Command>(&self, event: &C) -> Result<(), Failure> {
        let limit = INPUT_LIMIT.min(self.time_left());
        match self.tab.call_within(event, limit).await {
            Ok(_) => Ok(()),
            Err(CallError::TimedOut(_)) => {
                self.stop_scripts().await;
                Err(Failure::Action("the page's scripts did not handle it in time".to_owned()))
            }
            // The event has led to another document.
            Err(error) if error.is_gone() && !self.tab.client().is_closed() => Ok(()),
            Err(error) => Err(error.into()),
        }
    }

    /// Stops the page's scripts if they do not end by themselves.
    pub(super) async fn stop_scripts(&self) {
        if let Err(error) = self.tab.call_within(&TerminateExecution {}, STOP_LIMIT).await {
            tracing::debug!(%error, "the scripts of a page could not be stopped");
        }
    }
}

/// Whether the page may react to an action.
fn changes_page(action: &Action) -> bool {
    match action {
        Action::Click { .. }
        | Action::Write { .. }
        | Action::Press { .. }
        | Action::Scroll { .. }
        | Action::ExecuteJavascript { .. } => true,
        Action::Wait(_) | Action::Screenshot(_) | Action::Scrape | Action::Pdf { .. } => false,
    }
}
