//! The route that a job's requests take.

use gleaner_types::limits;
use gleaner_types::plan::{Location, ProxyMode, ScrapeOptionsPlan};

/// A route to a host, by proxy and country.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct RouteKey {
    pub(crate) proxy: ProxyMode,
    pub(crate) country: String,
}

impl RouteKey {
    pub(crate) fn default_route() -> Self {
        Self { proxy: ProxyMode::Auto, country: limits::DEFAULT_COUNTRY.to_owned() }
    }
}

/// The route of a job, if it is not the default route.
pub(crate) fn route_key(options: &ScrapeOptionsPlan) -> Option<RouteKey> {
    let Location { country, .. } = &options.location;
    let is_default = options.proxy != ProxyMode::Stealth && country == limits::DEFAULT_COUNTRY;
    (!is_default).then(|| RouteKey { proxy: options.proxy, country: country.clone() })
}
