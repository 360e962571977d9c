use super::EngineBuilder;

/// Jobs with many pages.
impl EngineBuilder {
    /// Sets whether crawls detect near-duplicate pages. Default: true. Families of pages with nearly the same
    /// text, such as soft 404s and the empty days of a calendar, then wait until the other pages of their
    /// host are fetched; none is dropped. This concerns the text of fetched pages;
    /// `deduplicateSimilarURLs` compares URLs before anything is fetched.
    #[must_use]
    pub fn near_duplicates(mut self, detect: bool) -> Self {
        self.near_duplicates = detect;
        self
    }

    /// Sets whether crawls and batches leave out what recurs on the pages of a site, such as newsletter boxes
    /// and rotating teasers. Default: true. It has an effect only with `onlyMainContent`, and never on single
    /// scrapes, with `includeTags` or with `changeTracking`.
    ///
    /// A page is judged by the pages that were transformed before it in the same job and process, so the
    /// documents depend on the order in which pages arrive. The first 6 pages of a site are as in a single
    /// scrape. [`transform_on_site`](gleaner_transform::transform_on_site) says what is left out. This takes
    /// at most 600 KB for each job: hashes, and no part of a page. They are not stored, so after a restart a
    /// job learns them again.
    #[must_use]
    pub fn site_memory(mut self, learn: bool) -> Self {
        self.site_memory = learn;
        self
    }

    /// Sets whether crawls and maps skip links that are marked as `nofollow`: by the link's `rel`, by
    /// `<meta name="robots">`, or by the header `X-Robots-Tag`, also if it names the [robots
    /// agent](Self::robots_agent). Default: false, because the mark is meant for search engines, and clients
    /// of the contract expect all pages of a site.
    ///
    /// A page is still crawled if an unmarked link leads to it. Skipped links count as
    /// [`SkipReason::Nofollow`](crate::SkipReason::Nofollow).
    #[must_use]
    pub fn obey_nofollow(mut self, obey: bool) -> Self {
        self.links.obey_nofollow = obey;
        self
    }

    /// Sets whether crawls and maps treat the documents of `<iframe>` elements as links. Default: false,
    /// because most are parts of a page or advertisements. The `links` format never contains them.
    #[must_use]
    pub fn follow_iframes(mut self, follow: bool) -> Self {
        self.links.iframes = follow;
        self
    }
}
