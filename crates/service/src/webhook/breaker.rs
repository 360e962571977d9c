//! Circuit breakers of receivers.

use std::collections::HashMap;
use std::time::Duration;

use gleaner_store::TeamId;
use url::{Origin, Url};

/// Failures in a row after which a team's deliveries to a receiver pause.
pub const BREAKER_FAILURES: u32 = 5;
/// How long they pause; then one delivery probes the receiver.
pub const BREAKER_PAUSE: Duration = Duration::from_secs(60);
/// Interval at which waiting deliveries check for the result of the probe.
const PROBE_CHECK_INTERVAL: Duration = Duration::from_secs(1);
/// Upper bound on receivers whose health is tracked. At the bound, all idle ones are evicted.
pub const MAX_TRACKED_ENDPOINTS: usize = 10_000;

/// The health of receivers, by team and origin (scheme, host and port). Many teams share the host of a
/// service, and the failures of one team's events say nothing about another's.
#[derive(Debug)]
pub(super) struct Endpoints {
    limits: EndpointLimits,
    endpoints: HashMap<(TeamId, Origin), Endpoint>,
    /// Deliveries in flight of each team.
    in_flight: HashMap<TeamId, usize>,
}

#[derive(Debug, Default)]
struct Endpoint {
    in_flight: usize,
    /// Failures in a row.
    failures: u32,
    /// The time of the first of them.
    failing_since: Duration,
    /// The time since when it has given no answer.
    down_since: Option<Duration>,
    open_until: Duration,
}

/// Limits that apply to every receiver.
#[derive(Debug, Clone, Copy)]
pub(super) struct EndpointLimits {
    /// Deliveries in flight to one receiver.
    pub(super) per_endpoint: usize,
    /// Deliveries in flight of one team.
    pub(super) per_team: usize,
    /// How long deliveries to a failing receiver pause.
    pub(super) pause: Duration,
    /// A receiver that fails for this long is given up.
    pub(super) give_up_after: Option<Duration>,
}

/// Whether a delivery may start.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Admission {
    Granted,
    /// The receiver or the team has the maximum of deliveries in flight.
    Busy,
    /// The breaker is open; the delivery may try again at this time.
    Open(Duration),
    /// The receiver has failed for this long, beyond the limit.
    GivenUp(Duration),
}

/// The result of an admitted delivery.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum DeliveryResult {
    Accepted,
    /// The receiver answered and did not accept the event.
    Rejected,
    /// No answer, or one of a gateway that cannot reach the receiver.
    NoAnswer,
    /// Nothing was sent, so the health of the receiver stays as it is.
    NotSent,
}

impl Endpoints {
    pub(super) fn new(limits: EndpointLimits) -> Self {
        Self { limits, endpoints: HashMap::new(), in_flight: HashMap::new() }
    }

    /// Asks to start a delivery. After [`Admission::Granted`], the caller must [`record`](Self::record) its
    /// result.
    pub(super) fn admit(&mut self, team: &TeamId, url: &Url, now: Duration) -> Admission {
        let limits = self.limits;
        if self.endpoints.len() >= MAX_TRACKED_ENDPOINTS {
            self.endpoints.retain(|_, endpoint| endpoint.in_flight > 0);
        }
        let team_in_flight = self.in_flight.get(team).copied().unwrap_or_default();
        let endpoint = self.endpoints.entry((team.clone(), url.origin())).or_default();
        let is_failing = endpoint.failures >= BREAKER_FAILURES;
        // One delivery probes the receiver; the others wait for its result, however long that takes.
        if is_failing && (now < endpoint.open_until || endpoint.in_flight > 0) {
            let failing_for = now.saturating_sub(endpoint.failing_since);
            return match limits.give_up_after {
                Some(limit) if failing_for >= limit => Admission::GivenUp(failing_for),
                _ => Admission::Open(endpoint.open_until.max(now + PROBE_CHECK_INTERVAL)),
            };
        }
        if endpoint.in_flight >= limits.per_endpoint.max(1) || team_in_flight >= limits.per_team.max(1) {
            return Admission::Busy;
        }
        if is_failing {
            endpoint.open_until = now + limits.pause;
        }
        endpoint.in_flight += 1;
        *self.in_flight.entry(team.clone()).or_default() += 1;
        Admission::Granted
    }

    /// Records the result of a delivery. Returns how long the receiver has been down, if it is.
    pub(super) fn record(
        &mut self,
        team: &TeamId,
        url: &Url,
        result: DeliveryResult,
        now: Duration,
    ) -> Option<Duration> {
        if let Some(in_flight) = self.in_flight.get_mut(team) {
            *in_flight = in_flight.saturating_sub(1);
            if *in_flight == 0 {
                self.in_flight.remove(team);
            }
        }
        let key = (team.clone(), url.origin());
        let endpoint = self.endpoints.get_mut(&key)?;
        endpoint.in_flight = endpoint.in_flight.saturating_sub(1);
        match result {
            DeliveryResult::Accepted => (endpoint.failures, endpoint.down_since) = (0, None),
            DeliveryResult::Rejected | DeliveryResult::NoAnswer => {
                if endpoint.failures == 0 {
                    endpoint.failing_since = now;
                }
                endpoint.failures = endpoint.failures.saturating_add(1);
                if endpoint.failures >= BREAKER_FAILURES {
                    endpoint.open_until = now + self.limits.pause;
                }
                endpoint.down_since = match result {
                    DeliveryResult::NoAnswer => endpoint.down_since.or(Some(now)),
                    _ => None,
                };
            }
            DeliveryResult::NotSent => {}
        }
        let down_for = endpoint.down_since.map(|since| now.saturating_sub(since));
        if endpoint.in_flight == 0 && endpoint.failures == 0 {
            self.endpoints.remove(&key);
        }
        down_for
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const LIMITS: EndpointLimits =
        EndpointLimits { per_endpoint: 2, per_team: 3, pause: BREAKER_PAUSE, give_up_after: Some(at(300)) };

    fn url(text: &str) -> Url {
        Url::parse(text).unwrap()
    }

    const fn at(seconds: u64) -> Duration {
        Duration::from_secs(seconds)
    }

    #[test]
    fn deliveries_to_a_failing_receiver_pause_and_one_probes_it() {
        let (team, url, other) =
            (TeamId::new("a"), url("https://hook.example/x"), url("https://hook.example:8443/x"));
        let mut endpoints = Endpoints::new(LIMITS);
        for _ in 0..BREAKER_FAILURES {
            assert_eq!(endpoints.admit(&team, &url, at(0)), Admission::Granted);
            endpoints.record(&team, &url, DeliveryResult::Rejected, at(0));
        }
        assert_eq!(endpoints.admit(&team, &url, at(59)), Admission::Open(at(60)));
        assert_eq!(
            endpoints.admit(&team, &other, at(59)),
            Admission::Granted,
            "another port is another receiver"
        );
        let other_team = TeamId::new("b");
        assert_eq!(
            endpoints.admit(&other_team, &url, at(59)),
            Admission::Granted,
            "each team has its own breaker"
        );
        assert_eq!(endpoints.admit(&team, &url, at(60)), Admission::Granted);
        assert_eq!(endpoints.admit(&team, &url, at(60)), Admission::Open(at(120)), "one delivery probes");
        assert_eq!(endpoints.admit(&team, &url, at(125)), Admission::Open(at(126)), "the probe still runs");
        endpoints.record(&team, &url, DeliveryResult::Rejected, at(126));
        assert_eq!(endpoints.admit(&team, &url, at(185)), Admission::Open(at(186)), "the pause starts again");
        assert_eq!(endpoints.admit(&team, &url, at(186)), Admission::Granted);
        endpoints.record(&team, &url, DeliveryResult::Accepted, at(187));
        assert_eq!(endpoints.admit(&team, &url, at(187)), Admission::Granted);
        assert_eq!(endpoints.admit(&team, &url, at(187)), Admission::Granted);
        assert_eq!(endpoints.admit(&team, &url, at(187)), Admission::Busy);
        assert_eq!(endpoints.admit(&team, &other, at(187)), Admission::Busy, "the team has three in flight");
    }

    #[test]
    fn a_receiver_is_down_from_the_first_missing_answer_until_any_answer() {
        let (team, url) = (TeamId::new("a"), url("https://hook.example/x"));
        let mut endpoints = Endpoints::new(LIMITS);
        for (seconds, result, down_for) in [
            (0, DeliveryResult::Rejected, None),
            (10, DeliveryResult::NoAnswer, Some(at(0))),
            (70, DeliveryResult::NoAnswer, Some(at(60))),
            (80, DeliveryResult::NotSent, Some(at(70))),
            (90, DeliveryResult::Rejected, None),
            (100, DeliveryResult::NoAnswer, Some(at(0))),
            (200, DeliveryResult::Accepted, None),
        ] {
            assert_eq!(endpoints.admit(&team, &url, at(seconds)), Admission::Granted);
            assert_eq!(endpoints.record(&team, &url, result, at(seconds)), down_for, "{seconds}");
        }
        assert!(endpoints.endpoints.is_empty(), "healthy receivers are not tracked");
    }

    #[test]
    fn a_receiver_that_fails_for_too_long_is_given_up() {
        let (team, url) = (TeamId::new("a"), url("https://hook.example/x"));
        let mut endpoints = Endpoints::new(LIMITS);
        for minute in 0..9 {
            assert_eq!(endpoints.admit(&team, &url, at(60 * minute)), Admission::Granted, "one still probes");
            endpoints.record(&team, &url, DeliveryResult::Rejected, at(60 * minute));
        }
        assert_eq!(endpoints.admit(&team, &url, at(500)), Admission::GivenUp(at(500)));
        endpoints.limits.give_up_after = None;
        assert_eq!(endpoints.admit(&team, &url, at(500)), Admission::Open(at(540)));
    }
}
