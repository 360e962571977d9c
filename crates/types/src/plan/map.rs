use std::time::Duration;

use super::{Location, SitemapMode, Target};

/// A site whose addresses are listed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MapPlan {
    /// Where to begin.
    pub target: Target,
    /// Words that rank the addresses.
    pub search: Option<String>,
    /// How the sitemap is used.
    pub sitemap: SitemapMode,
    /// Hosts of the same registrable domain belong to the site.
    pub include_subdomains: bool,
    /// The query does not tell pages apart.
    pub ignore_query_parameters: bool,
    /// At most so many addresses, 1 to 100,000.
    pub limit: u64,
    /// The total deadline; `None` sets none beyond each request's own.
    pub timeout: Option<Duration>,
    /// Where requests should seem to come from.
    pub location: Location,
}
