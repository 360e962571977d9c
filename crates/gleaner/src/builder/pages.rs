//! How an engine reads pages, as a group.

use gleaner_runtime::RenderPolicy;

use super::EngineBuilder;

/// How an engine reads the pages of its jobs, for [`EngineBuilder::pages`]. What is not set keeps its
/// default.
///
/// ```
/// use gleaner::{Engine, Pages};
///
/// # fn main() -> Result<(), gleaner::Error> {
/// let engine = Engine::builder().pages(Pages::new().site_memory(false)).build()?;
/// # drop(engine);
/// # Ok(())
/// # }
/// ```
#[derive(Debug, Clone, Default)]
pub struct Pages {
    render_policy: Option<RenderPolicy>,
    near_duplicates: Option<bool>,
    site_memory: Option<bool>,
    follow_iframes: Option<bool>,
}

impl Pages {
    /// Every default.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Sets when pages are rendered by the [`renderer`](EngineBuilder::renderer). Default:
    /// [`RenderPolicy::Auto`]: a page that is an empty shell without its scripts is requested again, by the
    /// browser, and counts once. It has no effect without a renderer.
    #[must_use]
    pub fn render_policy(mut self, policy: RenderPolicy) -> Self {
        self.render_policy = Some(policy);
        self
    }

    /// Sets whether crawls detect near-duplicate pages. Default: true. Families of pages with nearly the same
    /// text, such as soft 404s and the empty days of a calendar, then wait until the other pages of their
    /// host are fetched; none is dropped. This concerns the text of fetched pages;
    /// `deduplicateSimilarURLs` compares URLs before anything is fetched.
    #[must_use]
    pub fn near_duplicates(mut self, detect: bool) -> Self {
        self.near_duplicates = Some(detect);
        self
    }

    /// Sets whether crawls and batches leave out what recurs on the pages of a site, such as newsletter boxes
    /// and rotating teasers. Default: true. It has an effect only with `onlyMainContent`, and never on single
    /// scrapes, with `includeTags` or with `changeTracking`.
    ///
    /// A page is judged by the pages that were transformed before it in the same job and process, so the
    /// documents depend on the order in which pages arrive. The first 6 pages of a site are as in a single
    /// scrape; a later one loses teasers, and texts that at least 6 pages and two fifths of all had. This
    /// takes at most 600 KB for each job: hashes, and no part of a page. They are not stored, so after a
    /// restart a job learns them again.
    #[must_use]
    pub fn site_memory(mut self, learn: bool) -> Self {
        self.site_memory = Some(learn);
        self
    }

    /// Sets whether crawls and maps treat the documents of `<iframe>` elements as links. Default: false,
    /// because most are parts of a page or advertisements. The `links` format never contains them.
    #[must_use]
    pub fn follow_iframes(mut self, follow: bool) -> Self {
        self.follow_iframes = Some(follow);
        self
    }
}

impl EngineBuilder {
    /// Sets how the engine reads the pages of its jobs. What `pages` does not set stays as it is.
    #[must_use]
    pub fn pages(mut self, pages: Pages) -> Self {
        self.render_policy = pages.render_policy.unwrap_or(self.render_policy);
        self.near_duplicates = pages.near_duplicates.unwrap_or(self.near_duplicates);
        self.site_memory = pages.site_memory.unwrap_or(self.site_memory);
        self.links.iframes = pages.follow_iframes.unwrap_or(self.links.iframes);
        self
    }
}
