//! Checked map requests.

use std::time::Duration;

use super::{Location, SitemapMode, Target};

/// A site whose URLs are listed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MapPlan {
    /// The start page.
    pub target: Target,
    /// Words that rank the URLs.
    pub search: Option<String>,
    /// How the sitemap is used.
    pub sitemap: SitemapMode,
    /// Hosts of the same registrable domain belong to the site.
    pub include_subdomains: bool,
    /// URLs that differ only in their query are the same page.
    pub ignore_query_parameters: bool,
    /// At most this many URLs, 1 to 100,000.
    pub limit: u64,
    /// The total deadline. With `None`, only each fetch has one.
    pub timeout: Option<Duration>,
    /// Where requests appear to come from.
    pub location: Location,
    /// Accept a cached copy of a page that is read for its links, younger than this.
    pub max_age: Duration,
    /// Accept any certificate.
    pub skip_tls_verification: bool,
}
