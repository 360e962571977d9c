//! The clock of an engine, which tests can pause.

use std::time::{Duration, SystemTime, UNIX_EPOCH};

use time::OffsetDateTime;
use tokio::time::Instant;

/// The clock of an engine: it reads the wall clock once and continues with tokio's clock. So time never runs
/// backwards, and a test that pauses tokio's clock pauses everything.
#[derive(Debug, Clone, Copy)]
pub struct Clock {
    epoch: Duration,
    start: Instant,
}

impl Clock {
    /// A clock that starts now at this time since the Unix epoch.
    #[must_use]
    pub fn starting_at(epoch: Duration) -> Self {
        Self { epoch, start: Instant::now() }
    }

    /// A clock that starts at the system's time.
    #[must_use]
    pub fn system() -> Self {
        Self::starting_at(SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default())
    }

    /// A clock that starts at the system's time, within a tokio runtime that no test pauses.
    pub(crate) fn not_paused() -> Self {
        let start = Instant::from_std(std::time::Instant::now());
        Self { start, ..Self::system() }
    }

    /// When it started, since the Unix epoch.
    #[must_use]
    pub fn started(&self) -> Duration {
        self.epoch
    }

    /// The time since the Unix epoch.
    #[must_use]
    pub fn now(&self) -> Duration {
        self.epoch + self.start.elapsed()
    }

    /// When this clock will show `moment`.
    #[must_use]
    pub fn instant(&self, moment: Duration) -> Instant {
        self.start + moment.saturating_sub(self.epoch)
    }
}

/// A time since the Unix epoch in the format of the API, such as `2026-01-31T12:00:00.000Z`.
#[must_use]
pub fn rfc3339(since_epoch: Duration) -> String {
    gleaner_types::rfc3339(timestamp(since_epoch))
}

/// A time since the Unix epoch, to the millisecond.
#[must_use]
pub fn timestamp(since_epoch: Duration) -> OffsetDateTime {
    let milliseconds = i64::try_from(since_epoch.as_millis()).unwrap_or(0);
    OffsetDateTime::UNIX_EPOCH
        .checked_add(time::Duration::milliseconds(milliseconds))
        .unwrap_or(OffsetDateTime::UNIX_EPOCH)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test(start_paused = true)]
    async fn the_clock_follows_the_clock_of_tokio_from_its_start() {
        let clock = Clock::starting_at(Duration::from_secs(1_000));
        tokio::time::advance(Duration::from_secs(5)).await;
        assert_eq!(clock.now(), Duration::from_secs(1_005));
        assert_eq!(clock.instant(Duration::from_secs(1_010)) - Instant::now(), Duration::from_secs(5));
        assert_eq!(rfc3339(clock.now()), "1970-01-01T00:16:45.000Z");
    }
}
