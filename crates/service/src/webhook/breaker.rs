//! How receivers did of late.

use std::collections::HashMap;
use std::time::Duration;

use gleaner_store::TeamId;
use url::{Origin, Url};

/// After so many failures in a row, deliveries of a team to a receiver wait for a while.
pub const BREAKER_FAILURES: u32 = 5;
/// For so long; then one delivery tries again.
pub const BREAKER_PAUSE: Duration = Duration::from_secs(60);
/// What comes of the one that tries is looked for again after this.
const LOOK_AGAIN: Duration = Duration::from_secs(1);
/// Receivers of which this is remembered; beyond it, all that are not in use are forgotten.
pub const MAX_ENDPOINTS_KNOWN: usize = 10_000;

/// Receivers, each by its scheme, host and port, as a team finds them: many teams share the host of a
/// service, and what becomes of one team's events says nothing of another's.
#[derive(Debug)]
pub(super) struct Endpoints {
    limits: Limits,
    known: HashMap<(TeamId, Origin), Endpoint>,
    /// Deliveries of each team that are under way.
    teams: HashMap<TeamId, usize>,
}

#[derive(Debug, Default)]
struct Endpoint {
    in_flight: usize,
    /// In a row.
    failures: u32,
    /// The first of them.
    failing_since: Duration,
    /// It gave no answer since.
    down_since: Option<Duration>,
    open_until: Duration,
}

/// What holds for every receiver.
#[derive(Debug, Clone, Copy)]
pub(super) struct Limits {
    /// Deliveries under way at once.
    pub(super) per_endpoint: usize,
    pub(super) per_team: usize,
    /// How long one that fails is left alone.
    pub(super) pause: Duration,
    /// One that has taken nothing for so long is hopeless.
    pub(super) hopeless_after: Option<Duration>,
}

/// May a delivery go out?
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Leave {
    Go,
    /// As many as may be are under way.
    Busy,
    /// It failed too often of late, and is tried again at this time.
    Broken(Duration),
    /// It has taken nothing for so long.
    Hopeless(Duration),
}

/// What came of a delivery that had leave.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Returned {
    Delivered,
    /// The receiver answered, and did not take it.
    Declined,
    /// There was no answer, or one that says as much.
    NoAnswer,
    /// It was not sent, which says nothing of the receiver.
    Unsent,
}

impl Endpoints {
    pub(super) fn new(limits: Limits) -> Self {
        Self { limits, known: HashMap::new(), teams: HashMap::new() }
    }

    /// Asks for leave. With [`Leave::Go`], [`returned`](Self::returned) must follow.
    pub(super) fn leave(&mut self, team: &TeamId, url: &Url, now: Duration) -> Leave {
        let limits = self.limits;
        if self.known.len() >= MAX_ENDPOINTS_KNOWN {
            self.known.retain(|_, endpoint| endpoint.in_flight > 0);
        }
        let of_team = self.teams.get(team).copied().unwrap_or_default();
        let endpoint = self.known.entry((team.clone(), url.origin())).or_default();
        let is_broken = endpoint.failures >= BREAKER_FAILURES;
        // One goes and tries; the others wait for what comes of it, however long that takes.
        if is_broken && (now < endpoint.open_until || endpoint.in_flight > 0) {
            let failing_for = now.saturating_sub(endpoint.failing_since);
            return match limits.hopeless_after {
                Some(limit) if failing_for >= limit => Leave::Hopeless(failing_for),
                _ => Leave::Broken(endpoint.open_until.max(now + LOOK_AGAIN)),
            };
        }
        if endpoint.in_flight >= limits.per_endpoint.max(1) || of_team >= limits.per_team.max(1) {
            return Leave::Busy;
        }
        if is_broken {
            endpoint.open_until = now + limits.pause;
        }
        endpoint.in_flight += 1;
        *self.teams.entry(team.clone()).or_default() += 1;
        Leave::Go
    }

    /// Tells what came of a delivery. With it comes for how long the receiver has been down now, if it is.
    pub(super) fn returned(
        &mut self,
        team: &TeamId,
        url: &Url,
        returned: Returned,
        now: Duration,
    ) -> Option<Duration> {
        if let Some(in_flight) = self.teams.get_mut(team) {
            *in_flight = in_flight.saturating_sub(1);
            if *in_flight == 0 {
                self.teams.remove(team);
            }
        }
        let key = (team.clone(), url.origin());
        let endpoint = self.known.get_mut(&key)?;
        endpoint.in_flight = endpoint.in_flight.saturating_sub(1);
        match returned {
            Returned::Delivered => (endpoint.failures, endpoint.down_since) = (0, None),
            Returned::Declined | Returned::NoAnswer => {
                if endpoint.failures == 0 {
                    endpoint.failing_since = now;
                }
                endpoint.failures = endpoint.failures.saturating_add(1);
                if endpoint.failures >= BREAKER_FAILURES {
                    endpoint.open_until = now + self.limits.pause;
                }
                endpoint.down_since = match returned {
                    Returned::NoAnswer => endpoint.down_since.or(Some(now)),
                    _ => None,
                };
            }
            Returned::Unsent => {}
        }
        let down_for = endpoint.down_since.map(|since| now.saturating_sub(since));
        if endpoint.in_flight == 0 && endpoint.failures == 0 {
            self.known.remove(&key);
        }
        down_for
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const TWO: Limits =
        Limits { per_endpoint: 2, per_team: 3, pause: BREAKER_PAUSE, hopeless_after: Some(at(300)) };

    fn url(text: &str) -> Url {
        Url::parse(text).unwrap()
    }

    const fn at(seconds: u64) -> Duration {
        Duration::from_secs(seconds)
    }

    #[test]
    fn a_receiver_that_fails_is_left_alone_and_then_tried_once() {
        let (team, url, other) =
            (TeamId::new("a"), url("https://hook.example/x"), url("https://hook.example:8443/x"));
        let mut endpoints = Endpoints::new(TWO);
        for _ in 0..BREAKER_FAILURES {
            assert_eq!(endpoints.leave(&team, &url, at(0)), Leave::Go);
            endpoints.returned(&team, &url, Returned::Declined, at(0));
        }
        assert_eq!(endpoints.leave(&team, &url, at(59)), Leave::Broken(at(60)));
        assert_eq!(endpoints.leave(&team, &other, at(59)), Leave::Go, "the port tells receivers apart");
        let neighbour = TeamId::new("b");
        assert_eq!(endpoints.leave(&neighbour, &url, at(59)), Leave::Go, "and so does the team");
        assert_eq!(endpoints.leave(&team, &url, at(60)), Leave::Go);
        assert_eq!(endpoints.leave(&team, &url, at(60)), Leave::Broken(at(120)), "one alone tries");
        assert_eq!(endpoints.leave(&team, &url, at(125)), Leave::Broken(at(126)), "however long it takes");
        endpoints.returned(&team, &url, Returned::Declined, at(126));
        assert_eq!(endpoints.leave(&team, &url, at(185)), Leave::Broken(at(186)), "and they wait on");
        assert_eq!(endpoints.leave(&team, &url, at(186)), Leave::Go);
        endpoints.returned(&team, &url, Returned::Delivered, at(187));
        assert_eq!(endpoints.leave(&team, &url, at(187)), Leave::Go);
        assert_eq!(endpoints.leave(&team, &url, at(187)), Leave::Go);
        assert_eq!(endpoints.leave(&team, &url, at(187)), Leave::Busy);
        assert_eq!(endpoints.leave(&team, &other, at(187)), Leave::Busy, "three are the team's share");
    }

    #[test]
    fn a_receiver_is_down_from_its_first_silence_until_any_answer() {
        let (team, url) = (TeamId::new("a"), url("https://hook.example/x"));
        let mut endpoints = Endpoints::new(TWO);
        for (seconds, returned, down_for) in [
            (0, Returned::Declined, None),
            (10, Returned::NoAnswer, Some(at(0))),
            (70, Returned::NoAnswer, Some(at(60))),
            (80, Returned::Unsent, Some(at(70))),
            (90, Returned::Declined, None),
            (100, Returned::NoAnswer, Some(at(0))),
            (200, Returned::Delivered, None),
        ] {
            assert_eq!(endpoints.leave(&team, &url, at(seconds)), Leave::Go);
            assert_eq!(endpoints.returned(&team, &url, returned, at(seconds)), down_for, "{seconds}");
        }
        assert!(endpoints.known.is_empty(), "of a receiver that is well nothing is kept");
    }

    #[test]
    fn a_receiver_that_fails_for_long_is_not_waited_for() {
        let (team, url) = (TeamId::new("a"), url("https://hook.example/x"));
        let mut endpoints = Endpoints::new(TWO);
        for minute in 0..9 {
            assert_eq!(endpoints.leave(&team, &url, at(60 * minute)), Leave::Go, "one still tries");
            endpoints.returned(&team, &url, Returned::Declined, at(60 * minute));
        }
        assert_eq!(endpoints.leave(&team, &url, at(500)), Leave::Hopeless(at(500)));
        endpoints.limits.hopeless_after = None;
        assert_eq!(endpoints.leave(&team, &url, at(500)), Leave::Broken(at(540)));
    }
}
