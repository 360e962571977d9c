//! How long an operation is tried again.

use std::time::Duration;

use tokio::time::Instant;

use crate::failure::Failure;

const FIRST_PAUSE: Duration = Duration::from_millis(10);
const MAX_PAUSE: Duration = Duration::from_secs(1);

/// The pauses between the tries of an operation. They grow, and end when the limit after the first failure is
/// over.
#[derive(Debug)]
pub(crate) struct Patience {
    limit: Duration,
    until: Option<Instant>,
    pause: Duration,
}

impl Patience {
    pub(crate) fn new(limit: Duration) -> Self {
        Self { limit, until: None, pause: FIRST_PAUSE }
    }

    /// The pause before the next try, or `None` if this failure is the last.
    pub(crate) fn pause(&mut self, failure: &Failure, now: Instant) -> Option<Duration> {
        if !failure.is_transient() {
            return None;
        }
        let until = *self.until.get_or_insert(now + self.limit);
        let pause = self.pause;
        self.pause = (pause * 2).min(MAX_PAUSE);
        (now + pause <= until).then_some(pause)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pauses_grow_until_the_limit_after_the_first_failure() {
        let mut now = Instant::now();
        let begin = now;
        let mut patience = Patience::new(Duration::from_secs(30));
        let mut pauses = Vec::new();
        while let Some(pause) = patience.pause(&Failure::Silent, now) {
            now += pause;
            pauses.push(pause);
        }
        assert_eq!(pauses.first(), Some(&FIRST_PAUSE));
        assert_eq!(pauses.last(), Some(&MAX_PAUSE));
        assert!(pauses.is_sorted());
        let waited = now - begin;
        assert!(waited <= Duration::from_secs(30) && waited > Duration::from_secs(28), "{waited:?}");
    }

    #[test]
    fn what_stays_the_same_is_not_tried_again() {
        let mut patience = Patience::new(Duration::from_secs(30));
        assert_eq!(patience.pause(&Failure::TermEnded, Instant::now()), None);
    }
}
