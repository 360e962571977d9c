//! A request that a browser makes for a page: document, frame or resource.

use std::fmt;

use gleaner_types::SafeUrl;
use url::Url;

use crate::request::Request;

/// What a browser loads.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum LoadKind {
    /// A document of the main frame: the page itself, a target of its redirects, or a page that a script, a
    /// click or a form leads to.
    Navigation,
    /// A document of another frame.
    Frame,
    /// Everything else: scripts, styles, pictures, requests by scripts.
    Resource,
}

/// One request of a rendered page. `Debug` is as that of [`Request`].
#[derive(Clone)]
#[non_exhaustive]
pub struct Load {
    /// The method, URL, headers and body as the browser would send them, cookies included. The
    /// [`RenderProxy`](super::RenderProxy) decides everything else.
    pub request: Request,
    /// What is loaded.
    pub kind: LoadKind,
    /// The URL of the document that causes the load. If it is in a frame of another origin than the main
    /// frame's document, or inside of such a frame, this is the document of that frame. `None` before the
    /// first document.
    pub document: Option<Url>,
}

impl Load {
    /// A load before the first document.
    #[must_use]
    pub fn new(request: Request, kind: LoadKind) -> Self {
        Self { request, kind, document: None }
    }

    /// Sets the URL of the document that causes the load.
    #[must_use]
    pub fn from_document(mut self, url: Url) -> Self {
        self.document = Some(url);
        self
    }
}

impl fmt::Debug for Load {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Load")
            .field("request", &self.request)
            .field("kind", &self.kind)
            .field("document", &self.document.as_ref().map(SafeUrl::from))
            .finish()
    }
}
