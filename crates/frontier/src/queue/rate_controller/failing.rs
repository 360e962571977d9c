//! Which pages of a host failed lately, and whether that is the host's fault.

/// Pages that are remembered. So many that always fail are told from a host that is overloaded; a few bytes of each host.
const REMEMBERED: usize = 4;

/// Failures, less the good answers since, from which on they are the host's: of this many pages at least.
const SEVERAL: u8 = 3;

/// No more failures are counted, so that as many good answers put an end to the longest outage.
const MOST: u8 = 2 * SEVERAL;

/// The pages that failed lately, the last first, and how failures and good answers balance.
#[derive(Debug, Clone, Default)]
pub(super) struct FailingPages {
    pages: [Option<u32>; REMEMBERED],
    balance: u8,
}

impl FailingPages {
    /// Notes that a page failed. False where it is among those that failed lately, which tells nothing of the host.
    pub(super) fn add(&mut self, page: u32) -> bool {
        if self.pages.contains(&Some(page)) {
            return false;
        }
        self.pages.rotate_right(1);
        if let Some(first) = self.pages.first_mut() {
            *first = Some(page);
        }
        self.balance = (self.balance + 1).min(MOST);
        true
    }

    /// Notes that a page was answered well.
    pub(super) fn remove(&mut self, page: u32) {
        for known in &mut self.pages {
            *known = known.filter(|known| *known != page);
        }
        self.balance = self.balance.saturating_sub(1);
    }

    /// True where several pages failed, with few good answers among them.
    pub(super) const fn are_several(&self) -> bool {
        self.balance >= SEVERAL
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_page_counts_once_until_it_is_answered_well() {
        let mut failing = FailingPages::default();
        assert!(failing.add(7));
        assert!((0..100).all(|_| !failing.add(7)) && !failing.are_several());
        failing.remove(7);
        assert!(failing.add(7));
        assert!(failing.add(8) && !failing.are_several());
        assert!(failing.add(9) && failing.are_several());
        failing.remove(1);
        assert!(!failing.are_several(), "there are answers between them");
    }

    #[test]
    fn the_longest_outage_is_over_after_a_few_good_answers() {
        let mut failing = FailingPages::default();
        (0..1_000).for_each(|page| assert!(failing.add(page)));
        (0..4).for_each(|page| failing.remove(2_000 + page));
        assert!(!failing.are_several());
    }
}
