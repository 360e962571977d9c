//! Trying again: what, when, and how often at most.
//!
//! A count of tries alone turns an overloaded server into a dead one: when everything fails, everybody sends so many
//! times the load. So each retry also has to be paid for out of a budget that all requests of a fetcher fill together,
//! at a fraction of a retry each. While few fail, those few are tried again; when all fail, the whole sends at most a
//! tenth more.
//!
//! A request is tried again only where it says so ([`crate::Request::max_retries`]), which is for programs that use the
//! fetcher alone. One with a queue puts the page back instead, and leaves this at zero, so that there is one system of
//! retries and not one inside the other.

use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::time::Duration;

/// What each request adds to the budget, in thousandths of a retry.
const EARNED_MILLI: u64 = 90;
/// What the budget begins with and what it holds at most, in thousandths of a retry: enough that the first page of a
/// short job can be tried again, and few enough that from 500 requests on all of them send at most 1.1 each.
const START_MILLI: u64 = 5_000;
const MOST_MILLI: u64 = 100_000;

/// A retry waits about so long, and twice as long with each further one.
pub const RETRY_BASE: Duration = Duration::from_millis(500);
/// No wait of our own choosing is longer.
pub const RETRY_MAX_WAIT: Duration = Duration::from_secs(10);
/// A server that asks for a longer wait is not waited for: its answer is the response.
pub const MAX_RETRY_AFTER: Duration = Duration::from_secs(gleaner_types::limits::MAX_RETRY_AFTER_SECONDS);

/// What all requests of a fetcher may spend on retries, and the dice for their waits.
#[derive(Debug)]
pub(crate) struct RetryBudget {
    milli: AtomicU64,
    random: AtomicU64,
}

impl RetryBudget {
    pub(crate) fn new(seed: u64) -> Self {
        Self { milli: AtomicU64::new(START_MILLI), random: AtomicU64::new(seed) }
    }

    /// A request begins.
    pub(crate) fn earn(&self) {
        let _ =
            self.milli.fetch_update(Relaxed, Relaxed, |milli| Some((milli + EARNED_MILLI).min(MOST_MILLI)));
    }

    /// Pays for one retry, where the budget has enough.
    pub(crate) fn take(&self) -> bool {
        self.milli.fetch_update(Relaxed, Relaxed, |milli| milli.checked_sub(1000)).is_ok()
    }

    /// How long to wait before try number `retry` (the first is 0), at least as long as the server asked for. `None`
    /// where it asked for more than is granted.
    pub(crate) fn pause(&self, retry: u32, asked: Option<Duration>) -> Option<Duration> {
        let full = RETRY_BASE.saturating_mul(1 << retry.min(16)).min(RETRY_MAX_WAIT);
        // Between half and all of it: a wait that can be almost nothing is no wait.
        let jittered = full.mul_f64(0.5 + 0.5 * self.fraction());
        match asked {
            Some(asked) if asked > MAX_RETRY_AFTER => None,
            Some(asked) => Some(jittered.max(asked)),
            None => Some(jittered),
        }
    }

    /// The next number of a SplitMix64 sequence, from 0 to below 1.
    fn fraction(&self) -> f64 {
        const STEP: u64 = 0x9e37_79b9_7f4a_7c15;
        let mut z = self.random.fetch_add(STEP, Relaxed).wrapping_add(STEP);
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((z ^ (z >> 31)) >> 11) as f64 / (1_u64 << 53) as f64
    }
}

/// Does this status say that the same request may succeed later?
pub(crate) fn is_temporary(status: u16) -> bool {
    matches!(status, 429 | 502 | 503 | 504)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn when_all_fail_all_send_a_tenth_more() {
        let budget = RetryBudget::new(1);
        let mut sent = 0;
        for _ in 0..1000 {
            budget.earn();
            sent += 1;
            for _ in 0..3 {
                if budget.take() {
                    sent += 1;
                }
            }
        }
        assert!(sent <= 1100, "{sent}");
        assert!(sent >= 1090, "{sent}");
    }

    #[test]
    fn savings_are_bounded() {
        let budget = RetryBudget::new(1);
        (0..1_000_000).for_each(|_| budget.earn());
        assert_eq!((0..1000).filter(|_| budget.take()).count(), 100);
    }

    #[test]
    fn waits_grow_scatter_and_end() {
        let budget = RetryBudget::new(7);
        for retry in 0..40 {
            let full = RETRY_BASE.saturating_mul(1 << retry.min(10)).min(RETRY_MAX_WAIT);
            let waits: Vec<Duration> = (0..100).map(|_| budget.pause(retry, None).unwrap()).collect();
            assert!(waits.iter().all(|wait| *wait >= full / 2 && *wait <= full), "{retry}");
            assert!(waits.windows(2).any(|pair| pair[0] != pair[1]));
        }
        assert_eq!(budget.pause(0, Some(Duration::from_secs(30))), Some(Duration::from_secs(30)));
        assert_eq!(budget.pause(0, Some(Duration::from_secs(365 * 86400))), None);
    }
}
