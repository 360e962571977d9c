//! The rate controller: limits the concurrent requests to a host by its responses.
//!
//! The rule is that of network congestion control: more concurrent requests while responses are good, fewer
//! at a sign of overload. Alternative: a fixed number per host. It is too much for a small server and too
//! little for a large one. Signs of overload:
//!
//! - **A refusal** (429, 503) lowers the limit by one. If one round loses half of the limit, the host also
//!   pauses.
//! - **No response** (or 502, 504) counts only if several pages fail with fewer good responses between them:
//!   see [`failing`].
//! - **Latency** counts only if the host responds faster with fewer concurrent requests: see [`congestion`].
//!
//! A page that failed recently and fails again changes nothing: that is the fault of the page, not of the
//! host.

mod congestion;
mod failing;

#[cfg(test)]
mod properties;
#[cfg(test)]
mod tests;

use std::time::Duration;

use self::congestion::Congestion;
use self::failing::FailingPages;

/// The response of a host to one request.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Observation {
    /// The HTTP status; `None` if there was no response (timeout or broken connection).
    pub status: Option<u16>,
    /// Time from the request to the first byte of the response, or until the request was given up. Zero if it
    /// tells nothing about the host.
    pub latency: Duration,
}

impl Observation {
    /// True for the responses of an overloaded server: 429, 502, 503, 504, or none.
    #[must_use]
    pub const fn is_overload(self) -> bool {
        matches!(self.status, None | Some(429 | 502 | 503 | 504))
    }

    /// True if the server itself reports overload.
    const fn is_refusal(self) -> bool {
        matches!(self.status, Some(429 | 503))
    }
}

/// Identifies the page of a request.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct RequestKey {
    /// A hash of the page.
    pub(super) page: u32,
    /// A hash of its kind: pages of one kind are assumed to cost the same. Used only while the controller
    /// [`needs_page_kind`](RateController::needs_page_kind).
    pub(super) kind: u32,
}

/// One response, with what was known when it arrived.
#[derive(Debug, Clone, Copy)]
struct Response {
    key: RequestKey,
    latency: Duration,
    /// When the request was sent, and when the response arrived.
    sent_at: Duration,
    received_at: Duration,
    /// Time without any response of the host before the request was sent.
    idle: Duration,
    /// Concurrent requests when it arrived, including it.
    in_flight: u32,
}

/// The first pause after an overload that persists at one request at a time; each further pause doubles.
const FIRST_PAUSE: Duration = Duration::from_secs(1);

/// The longest such pause.
const MAX_PAUSE: Duration = Duration::from_secs(60);

/// Without a request for this long, the overload of a host counts as unknown: its first good response then
/// ends the pauses.
const STALE_AFTER: Duration = Duration::from_secs(10 * 60);

/// Maximum concurrent requests, over all jobs, to a host that has not responded yet. A host that accepts
/// requests and never responds occupies each slot until the request times out, so it gets few; any response
/// except a refusal lifts this limit. One slot would be too few, because the first page of many sites takes
/// seconds.
pub const MAX_BEFORE_FIRST_RESPONSE: u32 = 2;

/// A host that has never responded gets one request at a time after this many failed pages.
///
/// It is never paused: there is no server that could be overloaded, and a refused connection costs nothing.
/// With the pauses of an overload, a dead host with a thousand links would delay its crawl by a day.
const MAX_UNANSWERED: u32 = 5;

/// The limit grows after a round of good responses. If the first growth after a refusal leads to another
/// refusal, the next growth takes twice as many rounds, up to this number.
const MAX_ROUNDS: u32 = 32;

/// Maximum number of good responses before the limit grows (at least one round): a recovered host has its
/// limit again soon.
const MAX_RESPONSES_TO_GROW: u32 = 20;

/// The rate controller of one host. It takes a few bytes for a host without responses, as most hosts of a
/// large queue are.
#[derive(Debug, Clone)]
pub(super) struct RateController {
    /// The limit after the first response, and the maximum limit.
    initial: u32,
    max: u32,
    state: Option<Box<HostState>>,
}

impl RateController {
    /// The controller of a host without responses.
    pub(super) fn new(max_concurrent: u32, max: u32) -> Self {
        let initial = max_concurrent.max(1);
        Self { initial, max: max.max(initial), state: None }
    }

    /// The maximum number of concurrent requests, at least one.
    pub(super) fn max_concurrent(&self) -> u32 {
        let new = self.initial.min(MAX_BEFORE_FIRST_RESPONSE);
        self.state.as_deref().map_or(new, HostState::max_concurrent)
    }

    /// Records that the host responded, in any way.
    pub(super) fn mark_answered(&mut self) {
        self.state_mut().answered = true;
    }

    /// The concurrency that the host was found to handle; `None` if it has not responded.
    pub(super) fn learned(&self) -> Option<u32> {
        self.state.as_deref().filter(|state| state.answered).map(|state| state.limit)
    }

    /// Continues with the concurrency that another controller of the host has learned, at most the maximum of
    /// this one. The host has responded.
    pub(super) fn continue_at(&mut self, learned: u32) {
        let limit = learned.clamp(1, self.max);
        let state = self.state_mut();
        state.answered = true;
        if state.limit != limit {
            (state.limit, state.successes) = (limit, 0);
            state.congestion = Congestion::new(limit);
        }
    }

    /// Minimum time from the end of one request to the start of the next; zero if none is needed.
    pub(super) fn pause(&self) -> Duration {
        self.state.as_deref().map_or(Duration::ZERO, |state| state.pause)
    }

    /// True while the kind of the pages matters.
    pub(super) fn needs_page_kind(&self) -> bool {
        self.state.as_deref().is_some_and(|state| state.congestion.is_comparing())
    }

    /// Records a response at `now` and the number of concurrent requests, including it. Returns the pause to
    /// make now, if any.
    pub(super) fn observe(
        &mut self,
        observation: Observation,
        key: RequestKey,
        in_flight: u32,
        now: Duration,
    ) -> Option<Duration> {
        self.state_mut().observe(observation, key, in_flight, now)
    }

    fn state_mut(&mut self) -> &mut HostState {
        let (initial, max) = (self.initial, self.max);
        self.state.get_or_insert_with(|| Box::new(HostState::new(initial, max)))
    }
}

/// What was learned about a host.
#[derive(Debug, Clone)]
struct HostState {
    /// The host has responded, and not only with refusals.
    answered: bool,
    /// Failed pages before the first response.
    unanswered: u32,
    /// The current limit once the host has responded, the initial limit, and the maximum.
    limit: u32,
    initial: u32,
    max: u32,
    /// Good responses since the limit last changed.
    successes: u32,
    /// Growth steps since a failure last lowered the limit, and the rounds of good responses per step.
    growth_steps: u32,
    rounds_per_step: u32,
    failing: FailingPages,
    /// When a page last failed.
    failed_at: Option<Duration>,
    /// Start of the round of failures that last lowered the limit. Responses to earlier requests reflect the
    /// old limit.
    lowered_at: Option<Duration>,
    /// One round lowers the limit to at least this, half of its value, and makes one pause.
    floor: u32,
    has_paused: bool,
    /// When the last response arrived.
    last_response_at: Duration,
    /// The pause between requests while even one at a time is too much.
    pause: Duration,
    congestion: Congestion,
}

impl HostState {
    fn new(initial: u32, max: u32) -> Self {
        Self {
            answered: false,
            unanswered: 0,
            limit: initial,
            initial,
            max,
            successes: 0,
            growth_steps: 0,
            rounds_per_step: 1,
            failing: FailingPages::default(),
            failed_at: None,
            lowered_at: None,
            floor: 0,
            has_paused: false,
            last_response_at: Duration::ZERO,
            pause: Duration::ZERO,
            congestion: Congestion::new(initial),
        }
    }

    fn max_concurrent(&self) -> u32 {
        let limit = self.congestion.limit().unwrap_or(self.limit);
        match (self.answered, self.unanswered) {
            (true, _) => limit,
            (false, 0..MAX_UNANSWERED) => limit.min(MAX_BEFORE_FIRST_RESPONSE),
            (false, _) => 1,
        }
    }

    fn observe(
        &mut self,
        observation: Observation,
        key: RequestKey,
        in_flight: u32,
        now: Duration,
    ) -> Option<Duration> {
        let sent_at = now.saturating_sub(observation.latency);
        if !self.answered && observation.status.is_none() {
            self.unanswered = self.unanswered.saturating_add(u32::from(self.failing.add(key.page)));
            return None;
        }
        let idle = sent_at.saturating_sub(std::mem::replace(&mut self.last_response_at, now));
        let response =
            Response { key, latency: observation.latency, sent_at, received_at: now, idle, in_flight };
        if observation.is_overload() {
            return self.record_failure(observation, response);
        }
        if !std::mem::replace(&mut self.answered, true) {
            // Failures before the first response do not count after it.
            self.failing = FailingPages::default();
        }
        self.record_success(response);
        None
    }

    fn record_failure(&mut self, observation: Observation, response: Response) -> Option<Duration> {
        if !self.failing.add(response.key.page) {
            return None;
        }
        let is_host_failing = self.failing.is_host_failing();
        let failed_at = self.failed_at.replace(response.received_at);
        let is_new_request = failed_at.is_none_or(|failed_at| response.sent_at >= failed_at);
        if !is_host_failing && !observation.is_refusal() {
            return None;
        }
        self.congestion.reset();
        self.successes = 0;
        if self.lowered_at.is_none_or(|lowered_at| response.sent_at >= lowered_at) {
            if self.growth_steps == 1 {
                self.rounds_per_step = (self.rounds_per_step * 2).min(MAX_ROUNDS);
            }
            self.growth_steps = 0;
            self.lowered_at = Some(response.received_at);
            self.has_paused = false;
            if is_host_failing && is_new_request {
                // If fewer requests were running than allowed, that number was already too high.
                self.limit = self.limit.min(response.in_flight.max(1));
            }
            self.floor = self.limit / 2;
        }
        self.limit = self.limit.saturating_sub(1).max(self.floor).max(1);
        if !is_host_failing || self.has_paused || self.limit > self.floor.max(1) {
            return None;
        }
        self.has_paused = true;
        if self.floor > 0 {
            return Some(FIRST_PAUSE);
        }
        self.pause = self.pause.saturating_mul(2).clamp(FIRST_PAUSE, MAX_PAUSE);
        Some(self.pause)
    }

    fn record_success(&mut self, response: Response) {
        self.failing.remove(response.key.page);
        if self.lowered_at.is_some_and(|lowered_at| response.sent_at < lowered_at) {
            return;
        }
        self.successes = self.successes.saturating_add(1);
        if !self.pause.is_zero() {
            self.pause /= 2;
            if self.pause < FIRST_PAUSE / 2 || response.idle >= STALE_AFTER {
                self.pause = Duration::ZERO;
            }
            return;
        }
        if let Some(limit) = self.congestion.observe(response, self.limit) {
            self.limit = limit;
            self.successes = 0;
        }
        if !self.congestion.blocks_growth() {
            self.grow(response.in_flight);
        }
    }

    /// Raises the limit after enough good responses: up to the initial limit in increasing steps, beyond it
    /// by one, and only while the limit is used. An idle host tells nothing about a higher limit.
    fn grow(&mut self, in_flight: u32) {
        let needed =
            self.limit.saturating_mul(self.rounds_per_step).min(self.limit.max(MAX_RESPONSES_TO_GROW));
        let is_used = self.limit < self.initial || in_flight >= self.limit;
        if self.successes < needed || self.limit >= self.max || !is_used {
            return;
        }
        let missing = self.initial.saturating_sub(self.limit);
        let step = if missing > 0 { missing.min(1 << self.growth_steps.min(5)) } else { 1 };
        self.limit += step;
        self.successes = 0;
        self.growth_steps = self.growth_steps.saturating_add(1);
        if self.growth_steps > 1 {
            self.rounds_per_step = 1;
        }
    }
}
