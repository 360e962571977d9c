use std::time::Duration;

use super::Answer;

/// Answers of each of the three parts of a comparison: few, so that the part at half of the places is over within
/// twenty answers on a host with eight.
const SAMPLE: usize = 12;

/// Where the host is busy, a page takes longer by this factor at the full number of places, in two of three pairs of pages.
/// Twice as long is what twice as many requests make of a host that is at its limit.
const SLOWER: f32 = 1.25;

/// Where fewer pairs than one of six are of one kind, there are too many kinds to tell them apart, and all pairs count.
const COMPARABLE: usize = SAMPLE * SAMPLE / 6;

/// No page takes less than this share of its time because half as many are asked for: what differs more differs for
/// another reason.
const LEAST: f32 = 0.2;

/// Answers at the full number of places, at half of it, and at the full number again; or at half, full and half.
///
/// Pages are compared with pages of their kind. What is slow in the middle must be faster on both sides, or what is fast
/// slower: so neither pages that get slower one after another nor an unlucky moment look like a host that is busy.
#[derive(Debug, Clone)]
pub(super) struct Comparison {
    full: u32,
    half: u32,
    /// It begins at half.
    rising: bool,
    /// When the present part began. Answers to requests from before belong to another.
    began: Duration,
    /// Answers that are passed over before those that count: the first after the number of places rose came while it
    /// was not used yet.
    skip: u32,
    /// The most requests that were under way in the present part.
    peak: u32,
    /// [`SAMPLE`] answers of each part, one part after the other.
    samples: Vec<Sample>,
    /// What pages took at half, as shares of what those of their kind took at full.
    shares: Vec<f32>,
}

/// How long a page of some kind took, in seconds.
#[derive(Debug, Clone, Copy)]
struct Sample {
    kind: u32,
    latency: f32,
}

/// What an answer means for a comparison.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Step {
    /// It goes on.
    On,
    /// It is over and says nothing.
    Void,
    /// It is over: asked for less, the host is no faster.
    Calm,
    /// It is over: at half of the places a page takes this share of its time.
    Busy { share: f32 },
}

impl Comparison {
    /// From this many places to half of them, at least half, and back.
    pub(super) fn falling(places: u32, now: Duration) -> Self {
        Self::new(places, places.div_ceil(2), false, now)
    }

    /// From `places` to `more` and back.
    pub(super) fn rising(more: u32, places: u32, now: Duration) -> Self {
        Self::new(more, places, true, now)
    }

    fn new(full: u32, half: u32, rising: bool, now: Duration) -> Self {
        let samples = Vec::with_capacity(3 * SAMPLE);
        Self { full, half, rising, began: now, skip: 0, peak: 0, samples, shares: Vec::new() }
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

    /// How many places the host has now.
    pub(super) fn places(&self) -> u32 {
        if self.is_at_half() { self.half } else { self.full }
    }

    fn is_at_half(&self) -> bool {
        (self.samples.len() / SAMPLE).is_multiple_of(2) == self.rising
    }

    pub(super) fn add(&mut self, answer: Answer) -> Step {
        if answer.asked_at < self.began {
            return Step::On;
        }
        self.peak = self.peak.max(answer.in_flight);
        if self.skip > 0 {
            self.skip -= 1;
            return Step::On;
        }
        let is_at_half = self.is_at_half();
        self.samples.push(Sample { kind: answer.asked.kind, latency: answer.latency.as_secs_f32() });
        if !self.samples.len().is_multiple_of(SAMPLE) {
            return Step::On;
        }
        if !is_at_half && self.peak.saturating_mul(4) < self.full.saturating_mul(3) {
            // Its places were not used, so they cannot have been too many.
            return Step::Void;
        }
        let mut parts = self.samples.rchunks_exact(SAMPLE);
        if let (Some(last), Some(before)) = (parts.next(), parts.next()) {
            let (at_full, at_half) = if is_at_half { (before, last) } else { (last, before) };
            if !is_slower(at_full, at_half, &mut self.shares) {
                return Step::Calm;
            }
        }
        if self.samples.len() >= 3 * SAMPLE {
            return self.verdict();
        }
        (self.began, self.peak) = (answer.at, 0);
        self.skip = if is_at_half { self.full } else { 0 };
        Step::On
    }

    /// Both halves of the comparison say that the host is slower at the full number of places.
    fn verdict(&mut self) -> Step {
        self.shares.sort_unstable_by(f32::total_cmp);
        let share = self.shares.get(self.shares.len() / 2).copied();
        share.filter(|share| *share >= LEAST).map_or(Step::Calm, |share| Step::Busy { share })
    }
}

/// Does the host answer slower at the full number of places than at half of it?
fn is_slower(at_full: &[Sample], at_half: &[Sample], shares: &mut Vec<f32>) -> bool {
    let are_few_kinds =
        pairs(at_full, at_half).filter(|(full, half)| full.kind == half.kind).count() >= COMPARABLE;
    let (mut all, mut slower) = (0, 0);
    for (full, half) in pairs(at_full, at_half) {
        if are_few_kinds && full.kind != half.kind {
            continue;
        }
        all += 1;
        slower += usize::from(full.latency > SLOWER * half.latency);
        shares.push(half.latency / full.latency);
    }
    3 * slower >= 2 * all
}

fn pairs<'a>(at_full: &'a [Sample], at_half: &'a [Sample]) -> impl Iterator<Item = (&'a Sample, &'a Sample)> {
    at_full.iter().flat_map(move |full| at_half.iter().map(move |half| (full, half)))
}
