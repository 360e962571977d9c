//! Which pages of a host failed recently, and whether that is the fault of the host.

/// Number of remembered pages. At most this many pages can fail all the time without making the host look
/// overloaded. A few bytes per host.
const REMEMBERED: usize = 4;

/// Failures minus good responses at which the host counts as failing, so at least this many pages.
const FAILING_AT: u8 = 3;

/// Upper bound of the balance, so that this many good responses end the longest outage.
const MAX_BALANCE: u8 = 2 * FAILING_AT;

/// The recently failed pages, the latest first, and the balance of failures and good responses.
#[derive(Debug, Clone, Default)]
pub(super) struct FailingPages {
    pages: [Option<u32>; REMEMBERED],
    balance: u8,
}

impl FailingPages {
    /// Records a failure. False if the page is among the recently failed ones, which tells nothing about the
    /// host.
    pub(super) fn add(&mut self, page: u32) -> bool {
        if self.pages.contains(&Some(page)) {
            return false;
        }
        self.pages.rotate_right(1);
        if let Some(first) = self.pages.first_mut() {
            *first = Some(page);
        }
        self.balance = (self.balance + 1).min(MAX_BALANCE);
        true
    }

    /// Records a good response.
    pub(super) fn remove(&mut self, page: u32) {
        for failed in &mut self.pages {
            *failed = failed.filter(|failed| *failed != page);
        }
        self.balance = self.balance.saturating_sub(1);
    }

    /// True if several pages failed, with few good responses between them.
    pub(super) const fn is_host_failing(&self) -> bool {
        self.balance >= FAILING_AT
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_page_counts_once_until_it_succeeds() {
        let mut failing = FailingPages::default();
        assert!(failing.add(7));
        assert!((0..100).all(|_| !failing.add(7)) && !failing.is_host_failing());
        failing.remove(7);
        assert!(failing.add(7));
        assert!(failing.add(8) && !failing.is_host_failing());
        assert!(failing.add(9) && failing.is_host_failing());
        failing.remove(1);
        assert!(!failing.is_host_failing(), "there are good responses between them");
    }

    #[test]
    fn the_longest_outage_ends_after_a_few_good_responses() {
        let mut failing = FailingPages::default();
        (0..1_000).for_each(|page| assert!(failing.add(page)));
        (0..4).for_each(|page| failing.remove(2_000 + page));
        assert!(!failing.is_host_failing());
    }
}
