//! The capacity of the lists of pages without a document, which all jobs share.

use std::collections::HashMap;

use super::teams::TeamIndex;
use super::{ALWAYS_LISTED_FAILURES, MAX_ALL_LISTED_FAILURES, MAX_LISTED_FAILURES};

/// The listed entries of all jobs. A team lists at most as many as it leaves free, so others always have
/// capacity.
#[derive(Debug, Default)]
pub(super) struct FailureQuota {
    all: usize,
    teams: HashMap<TeamIndex, usize>,
}

impl FailureQuota {
    /// Reserves one entry in a list that already has `listed` entries. The first entries of a list are always
    /// allowed.
    pub(super) fn reserve(&mut self, team: TeamIndex, listed: usize) -> bool {
        let team_entries = self.teams.get(&team).copied().unwrap_or_default();
        let free = MAX_ALL_LISTED_FAILURES.saturating_sub(self.all);
        let has_capacity = listed < ALWAYS_LISTED_FAILURES || team_entries < free;
        if listed >= MAX_LISTED_FAILURES || !has_capacity {
            return false;
        }
        self.all += 1;
        *self.teams.entry(team).or_default() += 1;
        true
    }

    /// The entries of all jobs.
    #[cfg(test)]
    pub(super) fn listed(&self) -> usize {
        self.all
    }

    /// Releases the entries of a job.
    pub(super) fn release(&mut self, team: TeamIndex, entries: usize) {
        self.all = self.all.saturating_sub(entries);
        if let Some(team_entries) = self.teams.get_mut(&team) {
            *team_entries = team_entries.saturating_sub(entries);
            if *team_entries == 0 {
                self.teams.remove(&team);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::teams::Teams;
    use super::*;
    use crate::TeamId;

    #[test]
    fn a_team_with_many_failures_leaves_capacity_for_others() {
        let mut teams = Teams::default();
        let [a, b, c] = ["a", "b", "c"].map(|name| teams.find_or_insert(Some(&TeamId::new(name))));
        let mut quota = FailureQuota::default();
        // Lists of ten thousand entries each, until none has capacity.
        let mut fill = |team| {
            let lists = (0..50).map(|_| (0..MAX_LISTED_FAILURES).filter(|n| quota.reserve(team, *n)).count());
            lists.sum::<usize>()
        };
        let (of_a, of_b, of_c) = (fill(a), fill(b), fill(c));
        let half = MAX_ALL_LISTED_FAILURES / 2;
        assert!((half..half + 5_000).contains(&of_a), "{of_a}");
        assert!(of_b > MAX_LISTED_FAILURES && of_c > MAX_LISTED_FAILURES, "{of_b} and {of_c}");
        quota.release(a, of_a);
        assert!(!quota.teams.contains_key(&a) && quota.all == of_b + of_c);
        assert!(quota.reserve(a, MAX_LISTED_FAILURES - 1) && !quota.reserve(a, MAX_LISTED_FAILURES));
    }
}
