//! The rate controller: how fast a host can be asked, learnt from how it answers.
//!
//! The rule is that of congestion control in networks: more pages at once while the answers are good, fewer at a sign of
//! overload. A fixed number per host, the obvious alternative, is too much for a small server and too little for a large
//! one. What counts as a sign of overload:
//!
//! - **A refusal** (429, 503) takes one place. Where half of the places went in one round, the host rests as well.
//! - **No answer** (or 502, 504) counts where several pages fail with fewer good answers between them: see [`failing`].
//! - **Latency** counts where the host answers faster when it is asked for less: see [`congestion`].
//!
//! A page that failed lately and fails again changes nothing: that is the page's fault and not the host's.

mod congestion;
mod failing;

#[cfg(test)]
mod properties;
#[cfg(test)]
mod tests;

use std::time::Duration;

use self::congestion::Congestion;
use self::failing::FailingPages;

/// How a host answered one request.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Observation {
    /// The status of its answer; `None` where there was none (it timed out, or the connection broke).
    pub status: Option<u16>,
    /// From the request until the first byte of the answer, or until it was given up. Zero where that says nothing of the
    /// host.
    pub latency: Duration,
}

impl Observation {
    /// True for what a server answers, or fails to, when it is asked for too much: 429, 502, 503, 504, nothing.
    #[must_use]
    pub const fn is_overload(self) -> bool {
        matches!(self.status, None | Some(429 | 502 | 503 | 504))
    }

    /// True where the server itself says that it is asked for too much.
    const fn is_refusal(self) -> bool {
        matches!(self.status, Some(429 | 503))
    }
}

/// What an answer was given to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Asked {
    /// A hash of the page.
    pub(super) page: u32,
    /// A hash of its kind: pages of one kind are taken to cost the same. Read only while the controller
    /// [compares](RateController::compares).
    pub(super) kind: u32,
}

/// One answer, with what was known when it came.
#[derive(Debug, Clone, Copy)]
struct Answer {
    asked: Asked,
    latency: Duration,
    /// When it was asked for, and when it came.
    asked_at: Duration,
    at: Duration,
    /// How long before it was asked for nothing had been heard of the host.
    idle: Duration,
    /// Requests under way when it came, this one included.
    in_flight: u32,
}

/// The first pause after an overload that remains at one page at a time; it doubles from time to time.
const FIRST_PAUSE: Duration = Duration::from_secs(1);

/// The longest of these pauses.
const LONGEST_PAUSE: Duration = Duration::from_secs(60);

/// Whether a host is overloaded is not known any more when it was not asked for this long: its first good answer then
/// ends the pauses at once.
const STALE: Duration = Duration::from_secs(10 * 60);

/// Pages in work at once on a host that has not answered yet, in any job. A host that takes requests and never answers
/// holds each of its places until the request is given up, so it is to hold few; any answer but a refusal frees the
/// host of this bound. Not one place: the first page of many sites takes seconds.
pub const MAX_BEFORE_FIRST_ANSWER: u32 = 2;

/// A host that has never answered is asked for one page at a time once this many pages came to nothing.
///
/// It is not paused, whatever the number: nobody is there who could be asked for too much, and where the connection is refused
/// the request costs nothing. With the pauses of an overload, a dead host of a thousand links would hold up its crawl
/// for a day.
const MAX_SILENT: u32 = 5;

/// The number of places grows after a round of good answers. Where the first growth after a refusal meets a refusal again,
/// it takes twice as many rounds, up to this number.
const MAX_ROUNDS: u32 = 32;

/// But no more good answers than these (or one round): a host that has recovered has its places again soon.
const MOST_ANSWERS: u32 = 20;

/// How fast one host is asked. Of a host that was never heard of, which most are in a large queue, it is a few bytes.
#[derive(Debug, Clone)]
pub(super) struct RateController {
    /// Pages at once with which a host begins once it has answered, and how many there may be at most.
    start: u32,
    most: u32,
    learnt: Option<Box<Learnt>>,
}

impl RateController {
    /// Of a host that has not answered yet.
    pub(super) fn new(at_once: u32, most: u32) -> Self {
        let start = at_once.max(1);
        Self { start, most: most.max(start), learnt: None }
    }

    /// How many pages at once; at least one.
    pub(super) fn at_once(&self) -> u32 {
        let new = self.start.min(MAX_BEFORE_FIRST_ANSWER);
        self.learnt.as_deref().map_or(new, Learnt::at_once)
    }

    /// Notes that an answer came, of whatever kind.
    pub(super) fn answered(&mut self) {
        self.learnt().answered = true;
    }

    /// From the end of one request to the next; zero where none is needed.
    pub(super) fn pause(&self) -> Duration {
        self.learnt.as_deref().map_or(Duration::ZERO, |learnt| learnt.pause)
    }

    /// True while it matters of which kind the pages are.
    pub(super) fn compares(&self) -> bool {
        self.learnt.as_deref().is_some_and(|learnt| learnt.congestion.is_comparing())
    }

    /// Learns from an answer that came at `now`, when `in_flight` requests were under way, this one included. Returns
    /// the pause that is to be made at once, if any.
    pub(super) fn learn(
        &mut self,
        seen: Observation,
        asked: Asked,
        in_flight: u32,
        now: Duration,
    ) -> Option<Duration> {
        self.learnt().learn(seen, asked, in_flight, now)
    }

    fn learnt(&mut self) -> &mut Learnt {
        let (start, most) = (self.start, self.most);
        self.learnt.get_or_insert_with(|| Box::new(Learnt::new(start, most)))
    }
}

/// What was learnt of a host.
#[derive(Debug, Clone)]
struct Learnt {
    /// It has answered, and not only by refusals.
    answered: bool,
    /// Pages that came to nothing while it never had answered.
    silent: u32,
    /// Pages at once, once it has answered; with which it began; and how many there may be at most.
    places: u32,
    start: u32,
    most: u32,
    /// Good answers since the number of places last changed.
    good: u32,
    /// How often it grew since a failure last lowered it, and after how many rounds of good answers it grows.
    growths: u32,
    rounds: u32,
    failing: FailingPages,
    /// When a page failed last.
    failed_at: Option<Duration>,
    /// When the round of failures began that lowered it last. Answers to requests from before tell of the old number.
    slowed_at: Option<Duration>,
    /// One round lowers it to half of what it was, and makes one pause.
    floor: u32,
    rested: bool,
    /// When it was last heard of.
    heard_at: Duration,
    /// From one request to the next, while even one at a time is too much.
    pause: Duration,
    congestion: Congestion,
}

impl Learnt {
    fn new(start: u32, most: u32) -> Self {
        Self {
            answered: false,
            silent: 0,
            places: start,
            start,
            most,
            good: 0,
            growths: 0,
            rounds: 1,
            failing: FailingPages::default(),
            failed_at: None,
            slowed_at: None,
            floor: 0,
            rested: false,
            heard_at: Duration::ZERO,
            pause: Duration::ZERO,
            congestion: Congestion::new(start),
        }
    }

    fn at_once(&self) -> u32 {
        let places = self.congestion.places().unwrap_or(self.places);
        match (self.answered, self.silent) {
            (true, _) => places,
            (false, 0..MAX_SILENT) => places.min(MAX_BEFORE_FIRST_ANSWER),
            (false, _) => 1,
        }
    }

    fn learn(&mut self, seen: Observation, asked: Asked, in_flight: u32, now: Duration) -> Option<Duration> {
        let asked_at = now.saturating_sub(seen.latency);
        if !self.answered && seen.status.is_none() {
            self.silent = self.silent.saturating_add(u32::from(self.failing.add(asked.page)));
            return None;
        }
        let idle = asked_at.saturating_sub(std::mem::replace(&mut self.heard_at, now));
        let answer = Answer { asked, latency: seen.latency, asked_at, at: now, idle, in_flight };
        if seen.is_overload() {
            return self.fail(seen, answer);
        }
        if !std::mem::replace(&mut self.answered, true) {
            // Silence before the first answer is no failure after it.
            self.failing = FailingPages::default();
        }
        self.succeed(answer);
        None
    }

    fn fail(&mut self, seen: Observation, answer: Answer) -> Option<Duration> {
        if !self.failing.add(answer.asked.page) {
            return None;
        }
        let several = self.failing.are_several();
        let failed_at = self.failed_at.replace(answer.at);
        let asked_again = failed_at.is_none_or(|failed_at| answer.asked_at >= failed_at);
        if !several && !seen.is_refusal() {
            return None;
        }
        self.congestion.forget();
        self.good = 0;
        if self.slowed_at.is_none_or(|slowed_at| answer.asked_at >= slowed_at) {
            if self.growths == 1 {
                self.rounds = (self.rounds * 2).min(MAX_ROUNDS);
            }
            self.growths = 0;
            self.slowed_at = Some(answer.at);
            self.rested = false;
            if several && asked_again {
                // Where fewer were asked for than might have been, it is those that were too many.
                self.places = self.places.min(answer.in_flight.max(1));
            }
            self.floor = self.places / 2;
        }
        self.places = self.places.saturating_sub(1).max(self.floor).max(1);
        if !several || self.rested || self.places > self.floor.max(1) {
            return None;
        }
        self.rested = true;
        if self.floor > 0 {
            return Some(FIRST_PAUSE);
        }
        self.pause = self.pause.saturating_mul(2).clamp(FIRST_PAUSE, LONGEST_PAUSE);
        Some(self.pause)
    }

    fn succeed(&mut self, answer: Answer) {
        self.failing.remove(answer.asked.page);
        if self.slowed_at.is_some_and(|slowed_at| answer.asked_at < slowed_at) {
            return;
        }
        self.good = self.good.saturating_add(1);
        if !self.pause.is_zero() {
            self.pause /= 2;
            if self.pause < FIRST_PAUSE / 2 || answer.idle >= STALE {
                self.pause = Duration::ZERO;
            }
            return;
        }
        if let Some(places) = self.congestion.learn(answer, self.places) {
            self.places = places;
            self.good = 0;
        }
        if !self.congestion.holds() {
            self.grow(answer.in_flight);
        }
    }

    /// Grows where there were enough good answers: to what it began with in larger and larger steps, beyond it by one, and
    /// only while all places are used. An idle host says nothing of a larger number.
    fn grow(&mut self, in_flight: u32) {
        let needed = self.places.saturating_mul(self.rounds).min(self.places.max(MOST_ANSWERS));
        let is_used = self.places < self.start || in_flight >= self.places;
        if self.good < needed || self.places >= self.most || !is_used {
            return;
        }
        let missing = self.start.saturating_sub(self.places);
        let step = if missing > 0 { missing.min(1 << self.growths.min(5)) } else { 1 };
        self.places += step;
        self.good = 0;
        self.growths = self.growths.saturating_add(1);
        if self.growths > 1 {
            self.rounds = 1;
        }
    }
}
