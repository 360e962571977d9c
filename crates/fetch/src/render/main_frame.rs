//! The navigations of a page's main frame: which of them need a check, and the document they led to.

use gleaner_types::ProxyUsed;
use gleaner_types::plan::ProxyMode;
use url::Url;

use super::document_facts::{DocumentFacts, keeps_document};
use crate::builder::DEFAULT_MAX_REDIRECTS;
use crate::error::Error;
use crate::redirect::{same_origin, without_fragment};
use crate::response::Response;

/// The main frame of a page.
#[derive(Debug)]
pub(super) struct MainFrame {
    /// The URL of the page, as requested.
    first: Url,
    /// The URL of the document that is shown, without fragment; `first` before there is one.
    document: Url,
    /// The URL that is loaded next without a check: the first one, or the target of a permitted redirect.
    permitted: Option<Url>,
    /// Redirects in a row.
    redirects: u32,
    /// The current navigation has been at another origin than `first`.
    left_origin: bool,
    /// The tier that answered; all later loads use it.
    tier: Option<ProxyUsed>,
    facts: Option<DocumentFacts>,
}

impl MainFrame {
    pub(super) fn new(url: &Url) -> Self {
        let document = without_fragment(url);
        Self {
            first: url.clone(),
            permitted: Some(document.clone()),
            document,
            redirects: 0,
            left_origin: false,
            tier: None,
            facts: None,
        }
    }

    /// Begins or continues a navigation. Returns the document that leads to `url`, if the caller must check
    /// whether it may.
    pub(super) fn begin(&mut self, url: &Url) -> Option<Url> {
        let url = without_fragment(url);
        let continues = self.permitted.take().is_some_and(|permitted| permitted == url);
        if !continues {
            self.redirects = 0;
            self.left_origin = false;
        }
        self.left_origin |= !same_origin(&url, &self.first);
        (!continues && url != self.document).then(|| self.document.clone())
    }

    /// Counts a redirect from `url`.
    pub(super) fn count_redirect(&mut self, url: &Url, response: &Response) -> Result<(), Error> {
        // The basic tier is not kept yet, because the target may refuse it.
        if response.proxy_used == ProxyUsed::Stealth {
            self.tier = Some(ProxyUsed::Stealth);
        }
        self.redirects += 1;
        if self.redirects > DEFAULT_MAX_REDIRECTS { Err(Error::too_many_redirects(url)) } else { Ok(()) }
    }

    /// `target` may be loaded next.
    pub(super) fn permit(&mut self, target: &Url) {
        self.permitted = Some(without_fragment(target));
    }

    /// Ends a navigation with an answer that is not a redirect.
    pub(super) fn answered(&mut self, url: &Url, response: &Response) {
        self.redirects = 0;
        self.tier.get_or_insert(response.proxy_used);
        if self.facts.is_none() || !keeps_document(response) {
            self.document = without_fragment(url);
            self.facts = Some(DocumentFacts::of(response));
        }
    }

    /// Whether a load of `url` carries the headers that the caller gave for the page. `asking` is the URL of
    /// the document that asks, as the engine says.
    ///
    /// Only documents of the first origin may cause such a load. Otherwise a page that the first one
    /// redirects to could make the browser send the caller's secrets with a request of its choice. Both the
    /// named document and the one that was loaded last count: an engine may see the requests of a new
    /// document before it learns that the document is shown.
    pub(super) fn sends_headers(&self, url: &Url, asking: Option<&Url>, is_navigation: bool) -> bool {
        let shown = self.facts.as_ref().map(|_| &self.document);
        same_origin(url, &self.first)
            && asking.into_iter().chain(shown).all(|document| same_origin(document, &self.first))
            && !(is_navigation && self.left_origin)
    }

    /// The proxy mode of the next load of a page whose mode is `mode`.
    pub(super) fn proxy_mode(&self, mode: ProxyMode) -> ProxyMode {
        match self.tier {
            Some(ProxyUsed::Stealth) => ProxyMode::Stealth,
            Some(_) => ProxyMode::Basic,
            None => mode,
        }
    }

    /// The document that is shown.
    pub(super) fn document(&self) -> Option<(&Url, &DocumentFacts)> {
        self.facts.as_ref().map(|facts| (&self.document, facts))
    }
}
