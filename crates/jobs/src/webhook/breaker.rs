//! How receivers did of late.

use std::collections::HashMap;
use std::time::Duration;

use gleaner_store::TeamId;
use url::{Origin, Url};

/// After so many failures in a row, deliveries of a team to a receiver wait for a while.
pub const BREAKER_FAILURES: u32 = 5;
/// For so long; then one delivery tries again.
pub const BREAKER_PAUSE: Duration = Duration::from_secs(60);
/// A receiver that failed so often in a row is not waited for any more: what goes to it fails without having been sent,
/// but for the one that tries.
pub const HOPELESS_FAILURES: u32 = 20;
/// Receivers of which this is remembered; beyond it, all that are not in use are forgotten.
pub const MAX_ENDPOINTS_KNOWN: usize = 10_000;

/// Receivers, each by its scheme, host and port, as a team finds them: many teams share the host of a service, and what
/// becomes of one team's events says nothing of another's.
#[derive(Debug, Default)]
pub(super) struct Endpoints {
    known: HashMap<(TeamId, Origin), Endpoint>,
    /// Deliveries of each team that are under way.
    teams: HashMap<TeamId, usize>,
}

#[derive(Debug, Default)]
struct Endpoint {
    in_flight: usize,
    /// In a row.
    failures: u32,
    open_until: Duration,
}

/// How many deliveries may be under way at once.
#[derive(Debug, Clone, Copy)]
pub(super) struct Most {
    pub(super) per_endpoint: usize,
    pub(super) per_team: usize,
}

/// May a delivery go out?
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Leave {
    Go,
    /// As many as may be are under way.
    Busy,
    /// It failed too often of late, and is tried again at this time.
    Broken(Duration),
    /// It has failed for long.
    Hopeless,
}

impl Endpoints {
    /// Asks for leave. With [`Leave::Go`], [`returned`](Self::returned) must follow.
    pub(super) fn leave(&mut self, team: &TeamId, url: &Url, most: Most, now: Duration) -> Leave {
        if self.known.len() >= MAX_ENDPOINTS_KNOWN {
            self.known.retain(|_, endpoint| endpoint.in_flight > 0);
        }
        let of_team = self.teams.get(team).copied().unwrap_or_default();
        let endpoint = self.known.entry((team.clone(), url.origin())).or_default();
        if endpoint.failures >= BREAKER_FAILURES && now < endpoint.open_until {
            return match endpoint.failures {
                HOPELESS_FAILURES.. => Leave::Hopeless,
                _ => Leave::Broken(endpoint.open_until),
            };
        }
        if endpoint.in_flight >= most.per_endpoint.max(1) || of_team >= most.per_team.max(1) {
            return Leave::Busy;
        }
        if endpoint.failures >= BREAKER_FAILURES {
            // One goes and tries; the others wait for what comes of it.
            endpoint.open_until = now + BREAKER_PAUSE;
        }
        endpoint.in_flight += 1;
        *self.teams.entry(team.clone()).or_default() += 1;
        Leave::Go
    }

    pub(super) fn returned(&mut self, team: &TeamId, url: &Url, delivered: bool, now: Duration) {
        if let Some(under_way) = self.teams.get_mut(team) {
            *under_way = under_way.saturating_sub(1);
            if *under_way == 0 {
                self.teams.remove(team);
            }
        }
        let key = (team.clone(), url.origin());
        let Some(endpoint) = self.known.get_mut(&key) else { return };
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
            self.known.remove(&key);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const TWO: Most = Most { per_endpoint: 2, per_team: 3 };

    fn url(text: &str) -> Url {
        Url::parse(text).unwrap()
    }

    fn at(seconds: u64) -> Duration {
        Duration::from_secs(seconds)
    }

    #[test]
    fn a_receiver_that_fails_is_left_alone_and_then_tried_once() {
        let (team, url, other) =
            (TeamId::new("a"), url("https://hook.example/x"), url("https://hook.example:8443/x"));
        let mut endpoints = Endpoints::default();
        for _ in 0..BREAKER_FAILURES {
            assert_eq!(endpoints.leave(&team, &url, TWO, at(0)), Leave::Go);
            endpoints.returned(&team, &url, false, at(0));
        }
        assert_eq!(endpoints.leave(&team, &url, TWO, at(59)), Leave::Broken(at(60)));
        assert_eq!(endpoints.leave(&team, &other, TWO, at(59)), Leave::Go, "the port tells receivers apart");
        let neighbour = TeamId::new("b");
        assert_eq!(endpoints.leave(&neighbour, &url, TWO, at(59)), Leave::Go, "and so does the team");
        assert_eq!(endpoints.leave(&team, &url, TWO, at(60)), Leave::Go);
        assert_eq!(endpoints.leave(&team, &url, TWO, at(60)), Leave::Broken(at(120)), "one alone tries");
        endpoints.returned(&team, &url, true, at(61));
        assert_eq!(endpoints.leave(&team, &url, TWO, at(61)), Leave::Go);
        assert_eq!(endpoints.leave(&team, &url, TWO, at(61)), Leave::Go);
        assert_eq!(endpoints.leave(&team, &url, TWO, at(61)), Leave::Busy);
        assert_eq!(endpoints.leave(&team, &other, TWO, at(61)), Leave::Busy, "three are the team's share");
    }

    #[test]
    fn a_receiver_that_fails_for_long_is_not_waited_for() {
        let (team, url) = (TeamId::new("a"), url("https://hook.example/x"));
        let mut endpoints = Endpoints::default();
        let mut now = Duration::ZERO;
        for _ in 0..HOPELESS_FAILURES {
            assert_eq!(endpoints.leave(&team, &url, TWO, now), Leave::Go);
            endpoints.returned(&team, &url, false, now);
            now += BREAKER_PAUSE;
        }
        assert_eq!(endpoints.leave(&team, &url, TWO, now), Leave::Go, "one still tries");
        assert_eq!(endpoints.leave(&team, &url, TWO, now), Leave::Hopeless);
    }
}
