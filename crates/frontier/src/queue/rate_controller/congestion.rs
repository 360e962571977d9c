//! Whether a host is slow because it is asked for too much.
//!
//! Slow is not busy: pages differ in what they cost, and a site whose next thousand pages are slow is as healthy as
//! before. Nothing in the latencies themselves tells the two apart. Asking for less does: a busy host then answers faster,
//! and a slow one does not. So latency that has risen, or a number of places that has doubled, only leads to a
//! [comparison](Comparison): some answers at the full number of places, some at half of it, some at the full number again.
//!
//! A host that was found busy has as many places as it can use. After a while it is tried with more, by a comparison that
//! begins at the smaller number.
//!
//! To lower the number of places by the latency alone, as TCP Vegas does, is the obvious alternative. With latencies of two
//! kinds it takes a healthy host down to one page at a time, and with a heavy tail it does so again and again.

mod comparison;

use std::time::Duration;

use self::comparison::{Comparison, Step};
use super::Answer;

/// Latencies have risen where those of late exceed the usual ones by this factor, and by [`NOTICEABLE`].
const RISEN: f32 = 1.5;

/// In seconds: below it the noise of the network, and of the machine that asks, is larger than any queue in the server.
const NOTICEABLE: f32 = 0.05;

/// An answer counts as no more than this many usual ones, however late it is.
const LATEST: f32 = 4.0;

/// Good answers from one comparison to the next: twice as many each time nothing was found, up to a bound.
const FIRST_WAIT: u32 = 32;
const LONGEST_WAIT: u32 = 256;

/// After this many good answers there is a comparison though no latency has risen, since it may have risen slowly.
const ROUTINE: u32 = 512;

/// After this many good answers a host that was found busy is tried with more places, and after twice as many each time
/// it is found busy again, up to a bound.
const FIRST_HOLD: u32 = 16;
const LONGEST_HOLD: u32 = 64;

/// Half of the places are too many as well where answers at half take no longer, as a share of those at all places, than
/// half as many requests explain, give or take this factor.
const PROPORTIONAL: f32 = 1.2;

/// What was measured before the host was left alone for this long says nothing of now.
const MAX_IDLE: Duration = Duration::from_secs(10);

/// What the latencies of one host say.
#[derive(Debug, Clone)]
pub(super) struct Congestion {
    /// In seconds, over some dozens of answers and over the last few; 0 before the first.
    usual: f32,
    lately: f32,
    /// Good answers since the last comparison, and how many there are to be before the next.
    since: u32,
    wait: u32,
    /// The number of places at which the host was found busy last; 0 where it may have more.
    too_many: u32,
    /// The number of places at which it was last found at ease.
    calm: u32,
    comparison: Option<Box<Comparison>>,
}

impl Congestion {
    /// Of a host that begins with this many places.
    pub(super) const fn new(places: u32) -> Self {
        let (usual, lately) = (0.0, 0.0);
        Self { usual, lately, since: 0, wait: FIRST_WAIT, too_many: 0, calm: places, comparison: None }
    }

    /// How many places the host has while a comparison is under way.
    pub(super) fn places(&self) -> Option<u32> {
        self.comparison.as_deref().map(Comparison::places)
    }

    pub(super) const fn is_comparing(&self) -> bool {
        self.comparison.is_some()
    }

    /// True while the number of places is not to grow.
    pub(super) const fn holds(&self) -> bool {
        self.comparison.is_some() || self.too_many > 0
    }

    /// The number of places was lowered for another reason.
    pub(super) fn forget(&mut self) {
        self.comparison = None;
        self.too_many = 0;
        self.since = 0;
    }

    /// Learns from a good answer of a host with this many places. Returns how many it is to have from now on, where that
    /// is known.
    pub(super) fn learn(&mut self, answer: Answer, places: u32) -> Option<u32> {
        if answer.latency.is_zero() {
            return None;
        }
        let seconds = answer.latency.as_secs_f32();
        if self.lately == 0.0 {
            (self.usual, self.lately) = (seconds, seconds);
        }
        let seconds = seconds.min(LATEST * self.usual);
        self.lately += (seconds - self.lately) / 8.0;
        self.usual += (seconds - self.usual) / 64.0;
        self.since = self.since.saturating_add(1);
        let Some(mut comparison) = self.comparison.take() else {
            self.comparison = self.next_comparison(answer, places).map(Box::new);
            return None;
        };
        let step = if answer.idle > MAX_IDLE { Step::Void } else { comparison.add(answer) };
        if step == Step::On {
            self.comparison = Some(comparison);
            return None;
        }
        self.since = 0;
        match step {
            Step::On | Step::Void => None,
            Step::Calm => Some(self.found_calm(&comparison)),
            Step::Busy { share } => Some(self.found_busy(&comparison, share, answer.at)),
        }
    }

    /// The comparison that is to begin now, if any.
    fn next_comparison(&mut self, answer: Answer, places: u32) -> Option<Comparison> {
        if self.since < self.wait {
            return None;
        }
        let is_used = answer.in_flight >= places;
        if self.too_many > 0 {
            if !is_used {
                // It has more places than it needs.
                self.too_many = 0;
                return None;
            }
            let more = self.too_many.min(places.saturating_mul(2));
            return Some(Comparison::rising(more, places, answer.at));
        }
        let has_risen = self.lately > RISEN * self.usual && self.lately - self.usual > NOTICEABLE;
        let has_doubled = places >= self.calm.saturating_mul(2);
        let due = has_risen || has_doubled || self.since >= ROUTINE;
        let may_be_busy = places > 1 && is_used && self.lately > NOTICEABLE;
        (due && may_be_busy).then(|| Comparison::falling(places, answer.at))
    }

    /// The host is not busy: as slow as it is, it is at ease. Returns how many places it has.
    fn found_calm(&mut self, comparison: &Comparison) -> u32 {
        self.usual = self.lately;
        if comparison.is_rising() {
            // It is compared once more, from the larger number, before that counts as known.
            (self.too_many, self.wait) = (0, FIRST_WAIT);
        } else {
            self.calm = comparison.full();
            if self.too_many == 0 {
                self.wait = self.wait.saturating_mul(2).clamp(FIRST_WAIT, LONGEST_WAIT);
            }
        }
        comparison.full()
    }

    /// The host is busy, and a page takes this share of its time at half of the places. Returns how many it has.
    fn found_busy(&mut self, comparison: &Comparison, share: f32, now: Duration) -> u32 {
        let (full, half) = (comparison.full(), comparison.half());
        // What the host works on at once: the rest only waits there.
        let bearable = full as f32 * share;
        let is_busy_at_half = bearable <= PROPORTIONAL * half as f32;
        let fewer = full.saturating_sub(1).max(half);
        let places = if is_busy_at_half { half } else { (bearable.round() as u32).clamp(half, fewer) };
        self.wait = if comparison.is_rising() {
            self.wait.saturating_mul(2).clamp(FIRST_HOLD, LONGEST_HOLD)
        } else {
            FIRST_HOLD
        };
        (self.too_many, self.calm) = (full, places);
        // Not before it was found busy twice in a row: one finding takes no more than half of the places.
        if comparison.is_rising() && is_busy_at_half && places > 1 {
            self.comparison = Some(Box::new(Comparison::falling(places, now)));
        }
        places
    }
}
