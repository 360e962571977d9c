//! Read access to the state of a page for other modules: URL, documents, frames.

use gleaner_fetch::Error;
use url::Url;

use super::tab::Tab;
use crate::wire::SessionId;

/// A frame with a process of its own, and so with a session of its own.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(crate) struct FrameTarget {
    /// The id of the target, which is that of the frame.
    pub(crate) id: String,
    pub(crate) session: SessionId,
}

/// What other modules may know of the page's state.
impl Tab<'_> {
    /// The URL of the document; that of the request while the browser shows a page of its own.
    pub(crate) fn url(&self) -> Url {
        let url = self.shared.lock().url.clone();
        let is_page = |url: &Url| matches!(url.scheme(), "http" | "https");
        url.filter(is_page).unwrap_or_else(|| self.request.url.clone())
    }

    /// The number of documents that the main frame has had.
    pub(crate) fn documents(&self) -> u64 {
        self.shared.lock().documents
    }

    /// Whether another document is expected.
    pub(crate) fn is_leaving(&self) -> bool {
        self.shared.lock().is_leaving()
    }

    /// Why the last navigation failed, if it did.
    pub(crate) fn take_navigation_error(&self) -> Option<Error> {
        self.shared.change(|state| state.navigation_error.take())
    }

    /// The frames that have a session of their own.
    pub(crate) fn frame_targets(&self) -> Vec<FrameTarget> {
        self.shared.lock().frame_targets.clone()
    }
}
