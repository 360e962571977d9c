//! Detects whether a host is slow because it gets too many concurrent requests.
//!
//! Slow is not saturated: pages differ in cost, and a site whose next thousand pages are slow is as healthy
//! as before. The latencies alone do not distinguish the two. Sending fewer requests does: a saturated host
//! then responds faster, and a slow one does not. So a higher latency, or a doubled limit, only starts a
//! [comparison](Comparison): some responses at the full limit, some at half of it, some at the full limit
//! again.
//!
//! A saturated host gets as many concurrent requests as it can use. After a while a comparison that starts at
//! the lower limit tries more.
//!
//! Alternative: lower the limit by latency alone, as TCP Vegas does. With latencies of two kinds this takes a
//! healthy host down to one request at a time, and with a heavy-tailed latency it does so repeatedly.

mod comparison;

use std::time::Duration;

use self::comparison::{Comparison, Step};
use super::Response;

/// Latency has risen if the recent average exceeds the baseline by this factor, and by [`MIN_RISE`].
const RISE_FACTOR: f32 = 1.5;

/// Minimum rise of the latency, in seconds: below it the noise of the network and of this machine exceeds any
/// queue in the server.
const MIN_RISE: f32 = 0.05;

/// A latency counts as at most this multiple of the baseline.
const MAX_OUTLIER: f32 = 4.0;

/// Good responses between comparisons: doubled after each comparison without saturation, up to a bound.
const MIN_INTERVAL: u32 = 32;
const MAX_INTERVAL: u32 = 256;

/// After this many good responses a comparison starts even if latency has not risen, because it may have
/// risen slowly.
const ROUTINE_INTERVAL: u32 = 512;

/// Good responses until a saturated host is tried with a higher limit: doubled each time it is still
/// saturated, up to a bound.
const MIN_HOLD: u32 = 16;
const MAX_HOLD: u32 = 64;

/// Half of the limit is too much as well if the time share at half the limit is at most what half as many
/// requests explain, within this factor.
const PROPORTIONAL_FACTOR: f32 = 1.2;

/// Measurements from before an idle time of this length are discarded.
const MAX_IDLE: Duration = Duration::from_secs(10);

/// What the latencies of one host show.
#[derive(Debug, Clone)]
pub(super) struct Congestion {
    /// Average latency in seconds, over some dozens of responses and over the last few; 0 before the first.
    baseline: f32,
    recent: f32,
    /// Good responses since the last comparison, and the number required before the next.
    since_comparison: u32,
    interval: u32,
    /// The limit at which the host was last found saturated; 0 if the limit may grow.
    saturated_at: u32,
    /// The limit at which the host was last found unsaturated.
    unsaturated_at: u32,
    comparison: Option<Box<Comparison>>,
}

impl Congestion {
    /// For a host with this initial limit.
    pub(super) const fn new(limit: u32) -> Self {
        let (baseline, recent) = (0.0, 0.0);
        Self {
            baseline,
            recent,
            since_comparison: 0,
            interval: MIN_INTERVAL,
            saturated_at: 0,
            unsaturated_at: limit,
            comparison: None,
        }
    }

    /// The limit during a comparison.
    pub(super) fn limit(&self) -> Option<u32> {
        self.comparison.as_deref().map(Comparison::limit)
    }

    pub(super) const fn is_comparing(&self) -> bool {
        self.comparison.is_some()
    }

    /// True while the limit must not grow.
    pub(super) const fn blocks_growth(&self) -> bool {
        self.comparison.is_some() || self.saturated_at > 0
    }

    /// Discards the comparison, because the limit was lowered for another reason.
    pub(super) fn reset(&mut self) {
        self.comparison = None;
        self.saturated_at = 0;
        self.since_comparison = 0;
    }

    /// Records a good response of a host with this limit. Returns the new limit if a comparison has ended
    /// with a result.
    pub(super) fn observe(&mut self, response: Response, limit: u32) -> Option<u32> {
        if response.latency.is_zero() {
            return None;
        }
        let seconds = response.latency.as_secs_f32();
        if self.recent == 0.0 {
            (self.baseline, self.recent) = (seconds, seconds);
        }
        let seconds = seconds.min(MAX_OUTLIER * self.baseline);
        self.recent += (seconds - self.recent) / 8.0;
        self.baseline += (seconds - self.baseline) / 64.0;
        self.since_comparison = self.since_comparison.saturating_add(1);
        let Some(mut comparison) = self.comparison.take() else {
            self.comparison = self.next_comparison(response, limit).map(Box::new);
            return None;
        };
        let step = if response.idle > MAX_IDLE { Step::Inconclusive } else { comparison.add(response) };
        if step == Step::Continue {
            self.comparison = Some(comparison);
            return None;
        }
        self.since_comparison = 0;
        match step {
            Step::Continue | Step::Inconclusive => None,
            Step::Unsaturated => Some(self.found_unsaturated(&comparison)),
            Step::Saturated { share } => Some(self.found_saturated(&comparison, share, response.received_at)),
        }
    }

    /// The comparison to start now, if any.
    fn next_comparison(&mut self, response: Response, limit: u32) -> Option<Comparison> {
        if self.since_comparison < self.interval {
            return None;
        }
        let is_used = response.in_flight >= limit;
        if self.saturated_at > 0 {
            if !is_used {
                // The limit is higher than what is used.
                self.saturated_at = 0;
                return None;
            }
            let more = self.saturated_at.min(limit.saturating_mul(2));
            return Some(Comparison::rising(more, limit, response.received_at));
        }
        let has_risen = self.recent > RISE_FACTOR * self.baseline && self.recent - self.baseline > MIN_RISE;
        let has_doubled = limit >= self.unsaturated_at.saturating_mul(2);
        let is_due = has_risen || has_doubled || self.since_comparison >= ROUTINE_INTERVAL;
        let may_be_saturated = limit > 1 && is_used && self.recent > MIN_RISE;
        (is_due && may_be_saturated).then(|| Comparison::falling(limit, response.received_at))
    }

    /// The host is slow but not saturated. Returns its limit.
    fn found_unsaturated(&mut self, comparison: &Comparison) -> u32 {
        self.baseline = self.recent;
        if comparison.is_rising() {
            // One more comparison, down from the higher limit, must confirm it.
            (self.saturated_at, self.interval) = (0, MIN_INTERVAL);
        } else {
            self.unsaturated_at = comparison.full();
            if self.saturated_at == 0 {
                self.interval = self.interval.saturating_mul(2).clamp(MIN_INTERVAL, MAX_INTERVAL);
            }
        }
        comparison.full()
    }

    /// The host is saturated, and at half of the limit a page takes this share of its time. Returns the new
    /// limit.
    fn found_saturated(&mut self, comparison: &Comparison, share: f32, now: Duration) -> u32 {
        let (full, half) = (comparison.full(), comparison.half());
        // The number of requests that the host processes concurrently; further ones only wait there.
        let capacity = full as f32 * share;
        let is_saturated_at_half = capacity <= PROPORTIONAL_FACTOR * half as f32;
        let max = full.saturating_sub(1).max(half);
        let limit = if is_saturated_at_half { half } else { (capacity.round() as u32).clamp(half, max) };
        self.interval = if comparison.is_rising() {
            self.interval.saturating_mul(2).clamp(MIN_HOLD, MAX_HOLD)
        } else {
            MIN_HOLD
        };
        (self.saturated_at, self.unsaturated_at) = (full, limit);
        // Only if it was saturated twice in a row: one result lowers the limit by at most half.
        if comparison.is_rising() && is_saturated_at_half && limit > 1 {
            self.comparison = Some(Box::new(Comparison::falling(limit, now)));
        }
        limit
    }
}
