//! Detects a saturated host: compares response times at the full limit and at half of it.

use std::time::Duration;

use super::Response;

/// Responses in each of the three parts of a comparison: few, so that the part at half of the limit ends
/// within twenty responses on a host with a limit of eight.
const SAMPLE: usize = 12;

/// A saturated host takes longer by this factor at the full limit, in two of three pairs of pages. Twice as
/// many requests take twice as long on a host at its capacity.
const SLOWDOWN: f32 = 1.25;

/// If fewer than one in six pairs are of one kind, there are too many kinds to compare, and all pairs count.
const MIN_PAIRS_OF_ONE_KIND: usize = SAMPLE * SAMPLE / 6;

/// Halving the requests cannot reduce the time of a page below this share: a larger difference has another
/// cause.
const MIN_SHARE: f32 = 0.2;

/// Compares responses at the full limit, at half of it, and at the full limit again; or at half, full and
/// half.
///
/// Pages are compared with pages of the same kind. The middle part must differ from both sides in the same
/// direction. So neither pages that get slower one after another nor a random moment look like a saturated
/// host.
#[derive(Debug, Clone)]
pub(super) struct Comparison {
    full: u32,
    half: u32,
    /// It starts at half.
    rising: bool,
    /// Start of the current part. Responses to earlier requests belong to another part.
    part_started_at: Duration,
    /// Responses to ignore: the first ones after the limit rose arrived before it was used.
    skip: u32,
    /// Maximum number of concurrent requests in the current part.
    peak: u32,
    /// [`SAMPLE`] responses of each part, in order.
    samples: Vec<Sample>,
    /// The times of pages at half of the limit, as shares of those of their kind at the full limit.
    shares: Vec<f32>,
}

/// The latency of a page of one kind, in seconds.
#[derive(Debug, Clone, Copy)]
struct Sample {
    kind: u32,
    latency: f32,
}

/// The effect of a response on a comparison.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Step {
    /// The comparison continues.
    Continue,
    /// It has ended without a result.
    Inconclusive,
    /// It has ended: with fewer requests, the host is no faster.
    Unsaturated,
    /// It has ended: at half of the limit, a page takes this share of its time.
    Saturated { share: f32 },
}

impl Comparison {
    /// From this limit to half of it, at least one, and back.
    pub(super) fn falling(limit: u32, now: Duration) -> Self {
        Self::new(limit, limit.div_ceil(2), false, now)
    }

    /// From `limit` to `more` and back.
    pub(super) fn rising(more: u32, limit: u32, now: Duration) -> Self {
        Self::new(more, limit, true, now)
    }

    fn new(full: u32, half: u32, rising: bool, now: Duration) -> Self {
        let samples = Vec::with_capacity(3 * SAMPLE);
        Self { full, half, rising, part_started_at: now, skip: 0, peak: 0, samples, shares: Vec::new() }
    }

    pub(super) const fn full(&self) -> u32 {
        self.full
    }

    pub(super) const fn half(&self) -> u32 {
        self.half
    }

    pub(super) const fn is_rising(&self) -> bool {
        self.rising
    }

    /// The current limit of the host.
    pub(super) fn limit(&self) -> u32 {
        if self.is_at_half() { self.half } else { self.full }
    }

    fn is_at_half(&self) -> bool {
        (self.samples.len() / SAMPLE).is_multiple_of(2) == self.rising
    }

    pub(super) fn add(&mut self, response: Response) -> Step {
        if response.sent_at < self.part_started_at {
            return Step::Continue;
        }
        self.peak = self.peak.max(response.in_flight);
        if self.skip > 0 {
            self.skip -= 1;
            return Step::Continue;
        }
        let is_at_half = self.is_at_half();
        self.samples.push(Sample { kind: response.key.kind, latency: response.latency.as_secs_f32() });
        if !self.samples.len().is_multiple_of(SAMPLE) {
            return Step::Continue;
        }
        if !is_at_half && self.peak.saturating_mul(4) < self.full.saturating_mul(3) {
            // The limit was not used, so it cannot have been too high.
            return Step::Inconclusive;
        }
        let mut parts = self.samples.rchunks_exact(SAMPLE);
        if let (Some(last), Some(before)) = (parts.next(), parts.next()) {
            let (at_full, at_half) = if is_at_half { (before, last) } else { (last, before) };
            if !is_slower(at_full, at_half, &mut self.shares) {
                return Step::Unsaturated;
            }
        }
        if self.samples.len() >= 3 * SAMPLE {
            return self.conclusion();
        }
        (self.part_started_at, self.peak) = (response.received_at, 0);
        self.skip = if is_at_half { self.full } else { 0 };
        Step::Continue
    }

    /// Both sides show that the host is slower at the full limit.
    fn conclusion(&mut self) -> Step {
        self.shares.sort_unstable_by(f32::total_cmp);
        let share = self.shares.get(self.shares.len() / 2).copied();
        share.filter(|share| *share >= MIN_SHARE).map_or(Step::Unsaturated, |share| Step::Saturated { share })
    }
}

/// True if the host responds slower at the full limit than at half of it.
fn is_slower(at_full: &[Sample], at_half: &[Sample], shares: &mut Vec<f32>) -> bool {
    let has_comparable_kinds = pairs(at_full, at_half).filter(|(full, half)| full.kind == half.kind).count()
        >= MIN_PAIRS_OF_ONE_KIND;
    let (mut all, mut slower) = (0, 0);
    for (full, half) in pairs(at_full, at_half) {
        if has_comparable_kinds && full.kind != half.kind {
            continue;
        }
        all += 1;
        slower += usize::from(full.latency > SLOWDOWN * half.latency);
        shares.push(half.latency / full.latency);
    }
    3 * slower >= 2 * all
}

fn pairs<'a>(at_full: &'a [Sample], at_half: &'a [Sample]) -> impl Iterator<Item = (&'a Sample, &'a Sample)> {
    at_full.iter().flat_map(move |full| at_half.iter().map(move |half| (full, half)))
}
