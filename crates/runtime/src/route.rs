//! The route that a job's requests take.

use gleaner_types::limits;
use gleaner_types::plan::{Location, ProxyMode, ScrapeOptionsPlan};

/// Another route to a host than the usual one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct RouteKey {
    pub(crate) proxy: ProxyMode,
    pub(crate) country: String,
}

impl RouteKey {
    /// The usual route.
    pub(crate) fn usual() -> Self {
        Self { proxy: ProxyMode::Auto, country: limits::DEFAULT_COUNTRY.to_owned() }
    }
}

/// The route of a job whose options lead by another than the usual one.
pub(crate) fn route_key(options: &ScrapeOptionsPlan) -> Option<RouteKey> {
    let Location { country, .. } = &options.location;
    let is_usual = options.proxy != ProxyMode::Stealth && country == limits::DEFAULT_COUNTRY;
    (!is_usual).then(|| RouteKey { proxy: options.proxy, country: country.clone() })
}
