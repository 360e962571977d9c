//! How fast a host can be asked, learnt from how it answers.
//!
//! The rule is that of congestion control in networks: one page more at once for every round of good answers, half as
//! many at a sign of overload. A fixed number per host, the obvious alternative, is too much for a small server and too
//! little for a large one.

use std::time::Duration;

/// How a host answered one request.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Observation {
    /// The status of its answer; `None` where there was none (it timed out, or the connection broke).
    pub status: Option<u16>,
    /// From the request until the first byte of the answer, or until it was given up.
    pub latency: Duration,
}

impl Observation {
    /// True for what a server answers, or fails to, when it is asked for too much: 429, 502, 503, 504, nothing.
    #[must_use]
    pub const fn is_overload(self) -> bool {
        matches!(self.status, None | Some(429 | 502 | 503 | 504))
    }
}

/// The first pause after an overload that remains at one page at a time; it doubles from time to time.
const FIRST_PAUSE: Duration = Duration::from_secs(1);

/// The longest of these pauses.
const LONGEST_PAUSE: Duration = Duration::from_secs(60);

/// Of a host that was not asked for so long it is not known any more whether it is overloaded: its first good answer then
/// ends the pauses at once.
const STALE: Duration = Duration::from_secs(10 * 60);

/// Latency has to rise by so much, and to twice its usual value, before it counts as a sign of overload: below it the
/// noise of the network is larger than any queue in the server.
const NOTICEABLE: Duration = Duration::from_millis(100);

/// Pages in work at once on a host that has not answered yet, in any job. A host that takes requests and never answers
/// holds each of its places until the request is given up, so it is to hold few; any answer, an error too, frees the
/// host of this bound. Not one place: the first page of many sites takes seconds.
pub const MAX_BEFORE_FIRST_ANSWER: u32 = 2;

/// A host that has never answered is asked for one page at a time after so many requests in a row that came to nothing.
///
/// It is not paused, whatever the number: nobody is there who could be asked for too much, and where the connection is refused
/// the request costs nothing. With the pauses of an overload, a dead host of a thousand links would hold up its crawl
/// for a day.
const MAX_SILENT: u32 = 5;

/// What was learnt of one host.
#[derive(Debug, Clone)]
pub(super) struct Tempo {
    /// Whether it ever answered.
    answered: bool,
    /// How often it did not, while it never had.
    silent: u32,
    /// Pages at once, once it has answered.
    at_once: u32,
    most: u32,
    /// Good answers since the last change.
    good: u32,
    /// Latency in seconds: of the host when it is at ease, and lately.
    usual: f32,
    lately: f32,
    /// When it was last slowed down. Answers to requests from before tell of the old tempo and do not count.
    slowed_at: Option<Duration>,
    /// When it was last heard of.
    heard_at: Duration,
    /// From one request to the next, while even one at a time is too much.
    pause: Duration,
}

impl Tempo {
    /// Of a host that has not answered yet.
    pub(super) fn new(at_once: u32, most: u32) -> Self {
        let at_once = at_once.max(1);
        Self {
            answered: false,
            silent: 0,
            at_once,
            most: most.max(at_once),
            good: 0,
            usual: 0.0,
            lately: 0.0,
            slowed_at: None,
            heard_at: Duration::ZERO,
            pause: Duration::ZERO,
        }
    }

    /// How many pages at once.
    pub(super) const fn at_once(&self) -> u32 {
        let most = match (self.answered, self.silent) {
            (true, _) => self.at_once,
            (false, 0..MAX_SILENT) => MAX_BEFORE_FIRST_ANSWER,
            (false, _) => 1,
        };
        if self.at_once < most { self.at_once } else { most }
    }

    /// Notes that an answer came, of whatever kind.
    pub(super) const fn answered(&mut self) {
        self.answered = true;
    }

    /// From the end of one request to the next; zero where none is needed.
    pub(super) const fn pause(&self) -> Duration {
        self.pause
    }

    /// Learns from an answer that came at `now`, when `in_flight` requests were under way, this one included. Returns
    /// the pause that is to be made at once, if any.
    pub(super) fn learn(&mut self, seen: Observation, in_flight: u32, now: Duration) -> Option<Duration> {
        let asked_at = now.saturating_sub(seen.latency);
        let at_once = self.at_once();
        self.answered |= seen.status.is_some();
        if !self.answered {
            self.silent = self.silent.saturating_add(1);
            return None;
        }
        let idle = asked_at.saturating_sub(std::mem::replace(&mut self.heard_at, now));
        if seen.is_overload() {
            self.good = 0;
            if self.slowed_at.is_some_and(|slowed_at| asked_at < slowed_at) {
                return None;
            }
            self.slowed_at = Some(now);
            if at_once > 1 {
                self.at_once = at_once / 2;
                return Some(FIRST_PAUSE);
            }
            self.pause = self.pause.saturating_mul(2).clamp(FIRST_PAUSE, LONGEST_PAUSE);
            return Some(self.pause);
        }
        let latency = seen.latency.as_secs_f32();
        if self.lately == 0.0 {
            (self.usual, self.lately) = (latency, latency);
        }
        self.lately += (latency - self.lately) / 8.0;
        // It follows a host that got faster at once, and one that got slower for good within some hundred answers.
        self.usual =
            (self.usual + (self.lately - self.usual).max(0.0) / 256.0).min(latency.max(self.lately / 4.0));
        if self.slowed_at.is_some_and(|slowed_at| asked_at < slowed_at) {
            return None;
        }
        let strained = self.lately > 2.0 * self.usual && self.lately - self.usual > NOTICEABLE.as_secs_f32();
        if strained {
            if self.at_once > 1 {
                self.at_once -= self.at_once.div_ceil(4);
                self.slowed_at = Some(now);
            }
            self.good = 0;
            return None;
        }
        self.good += 1;
        if !self.pause.is_zero() {
            self.pause /= 2;
            if self.pause < FIRST_PAUSE / 2 || idle >= STALE {
                self.pause = Duration::ZERO;
            }
            self.good = 0;
        } else if self.good >= self.at_once && in_flight >= self.at_once && self.at_once < self.most {
            // Only while what is allowed is used: an idle host says nothing about a larger number.
            self.at_once += 1;
            self.good = 0;
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn milliseconds(n: u64) -> Duration {
        Duration::from_millis(n)
    }

    fn answer(status: u16, latency: Duration) -> Observation {
        Observation { status: Some(status), latency }
    }

    /// A server that answers up to `capacity` requests at once in 50 ms, more of them proportionally slower, or, where
    /// it `refuses`, with 429. Returns the tempo after `rounds` rounds and the share of refusals in the second half.
    fn settle(tempo: &mut Tempo, capacity: u32, refuses: bool, rounds: u32) -> f64 {
        let mut now = Duration::from_secs(1000);
        let (mut refused, mut asked) = (0, 0);
        for round in 0..rounds {
            let at_once = tempo.at_once();
            let at_ease = refuses || at_once <= capacity;
            let latency =
                if at_ease { milliseconds(50) } else { milliseconds(u64::from(50 * at_once / capacity)) };
            now += latency + tempo.pause();
            let mut rest = Duration::ZERO;
            for n in 0..at_once {
                let status = if refuses && n >= capacity { 429 } else { 200 };
                rest = rest.max(tempo.learn(answer(status, latency), at_once, now).unwrap_or_default());
                if round >= rounds / 2 {
                    asked += 1;
                    refused += u32::from(status == 429);
                }
            }
            now += rest + milliseconds(1);
        }
        f64::from(refused) / f64::from(asked.max(1))
    }

    #[test]
    fn a_host_that_never_answered_gets_few_places() {
        let new = Tempo::new(8, 50);
        assert_eq!(new.at_once(), MAX_BEFORE_FIRST_ANSWER);
        assert_eq!(Tempo::new(1, 50).at_once(), 1);
        for (name, status, expected) in [
            ("a page", Some(200), 8),
            ("an error is an answer", Some(404), 8),
            ("half of the places that it had", Some(503), 1),
            ("silence", None, MAX_BEFORE_FIRST_ANSWER),
        ] {
            let mut tempo = new.clone();
            let latency = Duration::from_secs(9);
            tempo.learn(Observation { status, latency }, 2, Duration::from_secs(10));
            assert_eq!(tempo.at_once(), expected, "{name}");
        }
    }

    #[test]
    fn silence_slows_a_host_down_only_where_it_has_answered_before() {
        // What it does, one after another; then how many at once, and the pauses that were made, in seconds.
        for (name, answers, at_once, pauses) in [
            ("refused once", &[None][..], 2, &[][..]),
            ("refused four times", &[None; 4], 2, &[]),
            ("refused five times", &[None; 5], 1, &[]),
            ("refused for ever", &[None; 1000], 1, &[]),
            ("up after all", &[None, None, None, None, None, None, Some(200)], 8, &[]),
            ("up, and an error", &[None, None, None, None, None, None, Some(404)], 8, &[]),
            ("up, and overloaded", &[None, Some(503), None], 1, &[1, 1]),
            (
                "down after an answer",
                &[Some(200), None, None, None, None, None, None],
                1,
                &[1, 1, 1, 1, 2, 4],
            ),
        ] {
            let mut tempo = Tempo::new(8, 50);
            let mut made = Vec::new();
            for (n, status) in (1..).zip(answers) {
                let seen = Observation { status: *status, latency: milliseconds(1) };
                let pause = tempo.learn(seen, 1, Duration::from_secs(100 * n));
                made.extend(pause.map(|pause| pause.as_secs()));
            }
            assert_eq!((tempo.at_once(), &*made), (at_once, pauses), "{name}");
        }
    }

    #[test]
    fn it_speeds_up_while_the_host_answers_well() {
        let mut tempo = Tempo::new(8, 50);
        settle(&mut tempo, 1000, false, 200);
        assert_eq!(tempo.at_once(), 50);
    }

    #[test]
    fn it_does_not_speed_up_on_a_host_that_is_hardly_asked() {
        let mut tempo = Tempo::new(8, 50);
        for n in 0..1000 {
            tempo.learn(answer(200, milliseconds(50)), 1, Duration::from_secs(n));
        }
        assert_eq!(tempo.at_once(), 8);
    }

    #[test]
    fn it_settles_below_what_a_host_refuses() {
        let mut tempo = Tempo::new(8, 50);
        let share = settle(&mut tempo, 4, true, 400);
        assert!((2..=5).contains(&tempo.at_once()), "{}", tempo.at_once());
        assert!(share < 0.1, "{share} of the requests were refused");
    }

    #[test]
    fn it_slows_down_when_latency_rises() {
        let mut tempo = Tempo::new(4, 50);
        tempo.answered();
        settle(&mut tempo, 10, false, 20);
        let before = tempo.at_once();
        for n in 0..400 {
            // The host got slow for a reason of its own.
            tempo.learn(answer(200, milliseconds(2000)), before, Duration::from_secs(2000 + 3 * n));
            if tempo.at_once() < before {
                return;
            }
        }
        panic!("{} at once, as before", tempo.at_once());
    }

    #[test]
    fn a_burst_of_refusals_counts_once() {
        let mut tempo = Tempo::new(8, 50);
        tempo.answered();
        let now = Duration::from_secs(10);
        assert_eq!(tempo.learn(answer(503, milliseconds(100)), 8, now), Some(FIRST_PAUSE));
        for n in 1..8 {
            assert_eq!(
                tempo.learn(answer(503, milliseconds(100)), 8 - n, now + milliseconds(u64::from(n))),
                None
            );
        }
        assert_eq!(tempo.at_once(), 4);
    }

    #[test]
    fn pauses_grow_while_even_one_is_too_much_and_shrink_again() {
        let mut tempo = Tempo::new(1, 50);
        let mut now = Duration::from_secs(100);
        let mut pauses = Vec::new();
        for _ in 0..8 {
            now += Duration::from_secs(100);
            pauses.extend(tempo.learn(answer(429, milliseconds(10)), 1, now).map(|pause| pause.as_secs()));
        }
        assert_eq!(pauses, [1, 2, 4, 8, 16, 32, 60, 60]);
        for _ in 0..7 {
            now += Duration::from_secs(100);
            assert_eq!(tempo.learn(answer(200, milliseconds(10)), 1, now), None);
        }
        assert_eq!(tempo.pause(), Duration::ZERO);
        assert_eq!(tempo.at_once(), 1);
        tempo.learn(answer(200, milliseconds(10)), 1, now + Duration::from_secs(1));
        assert_eq!(tempo.at_once(), 2);
    }

    #[test]
    fn what_was_learnt_long_ago_does_not_hold_a_host_up() {
        for (idle, left) in [(599, 30), (600, 0)] {
            let mut tempo = Tempo::new(1, 50);
            let mut now = Duration::from_secs(100);
            for _ in 0..8 {
                now += Duration::from_secs(100);
                tempo.learn(answer(503, milliseconds(10)), 1, now);
            }
            now += Duration::from_secs(idle) + milliseconds(10);
            tempo.learn(answer(200, milliseconds(10)), 1, now);
            assert_eq!(tempo.pause().as_secs(), left, "{idle} s");
            assert_eq!(tempo.at_once(), 1);
        }
    }

    #[test]
    fn other_errors_are_no_overload() {
        for (status, overload) in
            [(200, false), (404, false), (403, false), (500, false), (429, true), (503, true)]
        {
            assert_eq!(answer(status, Duration::ZERO).is_overload(), overload, "{status}");
        }
        assert!(Observation { status: None, latency: Duration::ZERO }.is_overload());
    }
}
