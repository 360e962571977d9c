//! How an engine treats sites, as a group.

use super::EngineBuilder;

/// How an engine treats sites, for [`EngineBuilder::politeness`]. What is not set keeps its default.
///
/// ```
/// use gleaner::{Engine, Politeness};
///
/// # fn main() -> Result<(), gleaner::Error> {
/// let politeness = Politeness::new().concurrency_per_host(2).robots_agent("my-crawler");
/// let engine = Engine::builder().politeness(politeness).build()?;
/// # drop(engine);
/// # Ok(())
/// # }
/// ```
#[derive(Debug, Clone, Default)]
pub struct Politeness {
    concurrency_per_host: Option<u32>,
    robots_agent: Option<String>,
    obey_nofollow: Option<bool>,
}

impl Politeness {
    /// Every default.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Sets the maximum number of pages of one host in work at once, for all jobs together. The engine starts
    /// with at most two, has this number after the host's first response, and goes below it while the host is
    /// overloaded. Default: it also starts with two, has 8 after the first response, and rises up to
    /// [`concurrency`](EngineBuilder::concurrency) while the host responds well. Another pace for each host
    /// is a [hook](crate::hooks::PageHooks::pace).
    ///
    /// Hosts with the same IP address share a limit, because one server may serve them all: it begins at four
    /// times this number, 32 by default, and rises up to [`concurrency`](EngineBuilder::concurrency). A
    /// request can set lower limits: `max_concurrency` and `delay`.
    #[must_use]
    pub fn concurrency_per_host(mut self, pages: u32) -> Self {
        self.concurrency_per_host = Some(pages.max(1));
        self
    }

    /// Sets the product token that is looked up in robots.txt. Default: `gleaner`, whatever the
    /// [`user_agent`](EngineBuilder::user_agent) is: the rules for `gleaner` apply, or else those for all
    /// agents. For sites to have rules for your crawler, set its name here, such as `my-crawler`.
    #[must_use]
    pub fn robots_agent(mut self, token: impl Into<String>) -> Self {
        self.robots_agent = Some(token.into());
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
        self.obey_nofollow = Some(obey);
        self
    }
}

impl EngineBuilder {
    /// Sets how the engine treats sites. What `politeness` does not set stays as it is.
    #[must_use]
    pub fn politeness(mut self, politeness: Politeness) -> Self {
        self.concurrency_per_host = politeness.concurrency_per_host.or(self.concurrency_per_host);
        self.robots_agent = politeness.robots_agent.unwrap_or(self.robots_agent);
        self.links.obey_nofollow = politeness.obey_nofollow.unwrap_or(self.links.obey_nofollow);
        self
    }
}
