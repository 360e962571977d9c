//! Pictures and the results of actions on a page.

use std::fmt;

use bytes::Bytes;
use gleaner_types::SafeUrl;
use url::Url;

/// A picture of a page.
#[derive(Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Picture {
    /// `image/png`, `image/jpeg` or `image/webp`.
    pub content_type: &'static str,
    /// The file.
    pub bytes: Bytes,
}

impl Picture {
    /// The picture in a file of this type: `image/png`, `image/jpeg` or `image/webp`.
    #[must_use]
    pub fn new(content_type: &'static str, bytes: Bytes) -> Self {
        Self { content_type, bytes }
    }
}

impl fmt::Debug for Picture {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Picture({}, {} bytes)", self.content_type, self.bytes.len())
    }
}

/// The result of an action. Most actions have none. `Debug` shows sizes and no text.
#[derive(Clone, PartialEq)]
#[non_exhaustive]
pub enum ActionResult {
    /// Of [`Action::Screenshot`](gleaner_types::plan::Action::Screenshot).
    Screenshot(Picture),
    /// Of [`Action::Scrape`](gleaner_types::plan::Action::Scrape).
    Scrape {
        /// The document's URL at that moment.
        url: Url,
        /// The document at that moment.
        html: String,
    },
    /// Of [`Action::ExecuteJavascript`](gleaner_types::plan::Action::ExecuteJavascript). A promise is awaited
    /// first. A script that throws is not a result but an [`Error::action`](crate::Error::action).
    Javascript {
        /// The value's type as in JavaScript's `typeof`.
        kind: String,
        /// The value as JSON text; `null` if JSON cannot represent it: `undefined`, functions, symbols, big
        /// integers, elements, `NaN` and infinities.
        json: String,
    },
    /// Of [`Action::Pdf`](gleaner_types::plan::Action::Pdf): the file.
    Pdf(Bytes),
}

impl ActionResult {
    /// The size of the result, in bytes.
    #[must_use]
    pub fn bytes(&self) -> usize {
        match self {
            Self::Screenshot(picture) => picture.bytes.len(),
            Self::Scrape { html, .. } => html.len(),
            Self::Javascript { json, .. } => json.len(),
            Self::Pdf(file) => file.len(),
        }
    }
}

impl fmt::Debug for ActionResult {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Screenshot(picture) => write!(f, "Screenshot({picture:?})"),
            Self::Scrape { url, html } => write!(f, "Scrape({}, {} bytes)", SafeUrl::from(url), html.len()),
            Self::Javascript { kind, json } => write!(f, "Javascript({kind}, {} bytes)", json.len()),
            Self::Pdf(file) => write!(f, "Pdf({} bytes)", file.len()),
        }
    }
}
