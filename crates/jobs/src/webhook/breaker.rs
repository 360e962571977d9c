//! How receivers did of late.

use std::collections::HashMap;
use std::time::Duration;

use url::{Origin, Url};

/// After so many failures in a row, deliveries to a receiver fail at once for a while.
pub const BREAKER_FAILURES: u32 = 5;
/// For so long; then one delivery tries again.
pub const BREAKER_PAUSE: Duration = Duration::from_secs(60);
/// Receivers of which this is remembered; beyond it, all that are not in use are forgotten.
pub const MAX_ENDPOINTS_KNOWN: usize = 10_000;

/// Receivers, each by its scheme, host and port.
#[derive(Debug, Default)]
pub(super) struct Endpoints(HashMap<Origin, Endpoint>);

#[derive(Debug, Default)]
struct Endpoint {
    in_flight: usize,
    /// In a row.
    failures: u32,
    open_until: Duration,
}

/// May a delivery go out?
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Leave {
    Go,
    /// As many as may be are under way.
    Busy,
    /// It failed too often of late.
    Broken,
}

impl Endpoints {
    /// Asks for leave. With [`Leave::Go`], [`returned`](Self::returned) must follow.
    pub(super) fn leave(&mut self, url: &Url, most: usize, now: Duration) -> Leave {
        if self.0.len() >= MAX_ENDPOINTS_KNOWN {
            self.0.retain(|_, endpoint| endpoint.in_flight > 0);
        }
        let endpoint = self.0.entry(url.origin()).or_default();
        if endpoint.failures >= BREAKER_FAILURES {
            if now < endpoint.open_until {
                return Leave::Broken;
            }
            // One goes and tries; the others wait for what comes of it.
            endpoint.open_until = now + BREAKER_PAUSE;
        }
        if endpoint.in_flight >= most.max(1) {
            return Leave::Busy;
        }
        endpoint.in_flight += 1;
        Leave::Go
    }

    pub(super) fn returned(&mut self, url: &Url, delivered: bool, now: Duration) {
        let Some(endpoint) = self.0.get_mut(&url.origin()) else { return };
        endpoint.in_flight = endpoint.in_flight.saturating_sub(1);
        if delivered {
            endpoint.failures = 0;
        } else {
            endpoint.failures = endpoint.failures.saturating_add(1);
            if endpoint.failures == BREAKER_FAILURES {
                endpoint.open_until = now + BREAKER_PAUSE;
            }
        }
        if endpoint.in_flight == 0 && endpoint.failures == 0 {
            self.0.remove(&url.origin());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_receiver_that_fails_is_left_alone_and_then_tried_once() {
        let url = Url::parse("https://hook.example/x").unwrap();
        let mut endpoints = Endpoints::default();
        let at = Duration::from_secs;
        for _ in 0..BREAKER_FAILURES {
            assert_eq!(endpoints.leave(&url, 2, at(0)), Leave::Go);
            endpoints.returned(&url, false, at(0));
        }
        assert_eq!(endpoints.leave(&url, 2, at(59)), Leave::Broken);
        let other = Url::parse("https://hook.example:8443/x").unwrap();
        assert_eq!(endpoints.leave(&other, 2, at(59)), Leave::Go, "the port tells receivers apart");
        assert_eq!(endpoints.leave(&url, 2, at(60)), Leave::Go);
        assert_eq!(endpoints.leave(&url, 2, at(60)), Leave::Broken, "one alone tries");
        endpoints.returned(&url, true, at(61));
        assert_eq!(endpoints.leave(&url, 2, at(61)), Leave::Go);
        assert_eq!(endpoints.leave(&url, 2, at(61)), Leave::Go);
        assert_eq!(endpoints.leave(&url, 2, at(61)), Leave::Busy);
    }
}
