//! A URL of a site, with the title and link text that are known before a fetch.

use url::Url;

/// A URL of a site, with what a map of the site says about it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SiteUrl {
    /// The URL.
    pub url: Url,
    /// Its title, from a sitemap, a link or the page itself.
    pub title: Option<String>,
    /// Its description.
    pub description: Option<String>,
    /// The text of a link to it.
    pub anchor: Option<String>,
}

impl SiteUrl {
    /// A URL without further information.
    #[must_use]
    pub const fn new(url: Url) -> Self {
        Self { url, title: None, description: None, anchor: None }
    }
}
