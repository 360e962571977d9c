//! Actions that record the page as it is now: its HTML and its picture.

use gleaner_fetch::ActionResult;
use gleaner_types::plan::ScreenshotFormat;

use super::failure::Failure;
use super::runner::Runner;
use crate::capture::{self, Screenshot};
use crate::document;

impl Runner<'_, '_> {
    /// The document as it is now.
    pub(super) async fn scrape(&self) -> Result<ActionResult, Failure> {
        let html = document::html(self.tab).await?.html;
        Ok(ActionResult::Scrape { url: self.tab.url(), html })
    }

    /// A picture of the page as it is now.
    pub(super) async fn screenshot(&mut self, format: &ScreenshotFormat) -> Result<ActionResult, Failure> {
        let Screenshot { picture, warning } = capture::screenshot(self.tab, format).await?;
        self.warning = warning;
        Ok(ActionResult::Screenshot(picture))
    }
}
