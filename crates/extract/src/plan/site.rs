use url::Url;

/// An address of a site, with what a map of the site tells about it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SiteUrl {
    /// The address.
    pub url: Url,
    /// Its title, as a sitemap, a link or the page itself gives it.
    pub title: Option<String>,
    /// Its description.
    pub description: Option<String>,
    /// The text of a link that leads to it.
    pub anchor: Option<String>,
}

impl SiteUrl {
    /// An address of which nothing else is known.
    #[must_use]
    pub const fn new(url: Url) -> Self {
        Self { url, title: None, description: None, anchor: None }
    }
}
