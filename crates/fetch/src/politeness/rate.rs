use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::time::Duration;

use governor::clock::{Clock, Reference};
use governor::middleware::NoOpMiddleware;
use governor::state::{InMemoryState, NotKeyed};
use governor::{Quota, RateLimiter};
use tokio::time::Instant;

/// At most one beginning in each interval, by governor's cell rate algorithm on tokio's clock.
///
/// governor's own waiting is left alone: it runs on a timer thread of its own, which no paused clock stops, and whoever
/// looks first wins.
pub(super) struct Rate {
    limiter: RateLimiter<NotKeyed, InMemoryState, Ticks, NoOpMiddleware<Duration>>,
    clock: Ticks,
    interval: Duration,
    /// Nothing begins before: a request had begun when the rate was made.
    earliest: Option<Instant>,
    /// When the last beginning was, in nanoseconds of the clock, plus one; 0 before the first.
    last: AtomicU64,
}

/// Time since the rate was made.
#[derive(Debug, Clone, Copy)]
struct Ticks(Instant);

impl Clock for Ticks {
    type Instant = Duration;

    fn now(&self) -> Duration {
        self.0.elapsed()
    }
}

impl Rate {
    /// The interval counts from the last beginning, where there was one. `None` where it is zero, which is no limit.
    pub(super) fn new(interval: Duration, last: Option<Instant>) -> Option<Self> {
        let clock = Ticks(Instant::now());
        let quota = Quota::with_period(interval)?;
        let limiter = RateLimiter::direct_with_clock(quota, clock);
        let earliest = last.and_then(|last| last.checked_add(interval));
        Some(Self { limiter, clock, interval, earliest, last: AtomicU64::new(0) })
    }

    /// Begins now, or says how long to wait before asking again.
    pub(super) fn begin(&self) -> Result<(), Duration> {
        if let Some(earliest) = self.earliest.filter(|earliest| *earliest > Instant::now()) {
            return Err(earliest - Instant::now());
        }
        let outcome = self.limiter.check();
        let now = self.clock.now();
        match outcome {
            Ok(()) => {
                let nanos = u64::try_from(now.as_nanos()).unwrap_or(u64::MAX - 1);
                self.last.store(nanos.saturating_add(1), Relaxed);
                Ok(())
            }
            Err(too_soon) => Err(too_soon.wait_time_from(now)),
        }
    }

    /// Is the interval since the last beginning over?
    pub(super) fn is_rested(&self) -> bool {
        let Some(last) = self.last.load(Relaxed).checked_sub(1) else {
            // Set, and not used yet: worth keeping for an interval, too.
            return self.clock.now() >= self.interval;
        };
        Reference::duration_since(&self.clock.now(), Duration::from_nanos(last)).as_u64()
            >= u64::try_from(self.interval.as_nanos()).unwrap_or(u64::MAX)
    }
}
