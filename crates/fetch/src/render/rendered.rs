//! The output of a browser engine for one page.

use std::fmt;

use gleaner_types::SafeUrl;
use serde_json::Value;
use url::Url;

use super::document_facts::DocumentFacts;
use super::result::{ActionResult, Picture};

/// Most bytes of all results of one page: pictures, HTML of [`ActionResult::Scrape`], values of scripts, and
/// PDFs. An engine stops at the result that exceeds it, with
/// [`Error::result_too_large`](crate::Error::result_too_large).
pub const MAX_RESULTS_BYTES_PER_PAGE: u64 = 64 * 1024 * 1024;

/// What an engine returns of a page. `Debug` shows no text.
#[derive(Clone)]
#[non_exhaustive]
pub struct Rendered {
    /// The URL of the document at the end.
    pub url: Url,
    /// The document at the end, serialised. At most
    /// [`RenderProxy::max_body`](super::RenderProxy::max_body) bytes. Not used if the document is not HTML.
    pub html: String,
    /// The name of the document's encoding (`document.characterSet`), in which the queries of its links are
    /// written; `None` for UTF-8.
    pub charset: Option<String>,
    /// The picture that the request asked for.
    pub screenshot: Option<Picture>,
    /// The results of the actions, in their order.
    pub results: Vec<ActionResult>,
    /// What the reader of the page should know, such as a page that was not ready in time. Without secrets.
    pub warnings: Vec<String>,
    /// The computed styles that the request asked for.
    pub styles: Option<Value>,
}

impl fmt::Debug for Rendered {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Rendered")
            .field("url", &SafeUrl::from(&self.url))
            .field("html_bytes", &self.html.len())
            .field("screenshot", &self.screenshot)
            .field("results", &self.results)
            .field("warnings", &self.warnings)
            .finish_non_exhaustive()
    }
}

impl Rendered {
    /// A page in UTF-8 without a picture, results of actions, warnings and styles.
    #[must_use]
    pub fn new(url: Url, html: String) -> Self {
        Self {
            url,
            html,
            charset: None,
            screenshot: None,
            results: Vec::new(),
            warnings: Vec::new(),
            styles: None,
        }
    }

    /// The bytes that count for [`MAX_RESULTS_BYTES_PER_PAGE`].
    pub(super) fn result_bytes(&self) -> u64 {
        let screenshot = self.screenshot.as_ref().map_or(0, |picture| picture.bytes.len());
        let results = self.results.iter().map(ActionResult::bytes).sum::<usize>();
        screenshot.saturating_add(results) as u64
    }
}

/// A rendered page, with the facts of its document.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct RenderedPage {
    /// What the engine returned.
    pub page: Rendered,
    /// The answer that the document came from.
    pub document: DocumentFacts,
}
