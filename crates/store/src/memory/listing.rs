//! Room in the lists of pages without a document, which all jobs share.

use std::collections::HashMap;

use super::teams::TeamSlot;
use super::{ALWAYS_LISTED_FAILURES, MAX_ALL_LISTED_FAILURES, MAX_LISTED_FAILURES};

/// What is listed, of all jobs. No team lists more than it leaves free, so that there is always room for another's.
#[derive(Debug, Default)]
pub(super) struct Listing {
    all: usize,
    teams: HashMap<TeamSlot, usize>,
}

impl Listing {
    /// Takes room for one entry of a list that has so many already; the first ones of a list have it always.
    pub(super) fn take(&mut self, team: TeamSlot, listed: usize) -> bool {
        let of_team = self.teams.get(&team).copied().unwrap_or_default();
        let free = MAX_ALL_LISTED_FAILURES.saturating_sub(self.all);
        let room = listed < ALWAYS_LISTED_FAILURES || of_team < free;
        if listed >= MAX_LISTED_FAILURES || !room {
            return false;
        }
        self.all += 1;
        *self.teams.entry(team).or_default() += 1;
        true
    }

    /// Gives back what the lists of a job took.
    pub(super) fn give_back(&mut self, team: TeamSlot, entries: usize) {
        self.all = self.all.saturating_sub(entries);
        if let Some(of_team) = self.teams.get_mut(&team) {
            *of_team = of_team.saturating_sub(entries);
            if *of_team == 0 {
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
    fn a_team_with_many_failures_leaves_room_for_those_of_others() {
        let mut teams = Teams::default();
        let [a, b, c] = ["a", "b", "c"].map(|name| teams.slot(Some(&TeamId::new(name))));
        let mut listing = Listing::default();
        // Lists of ten thousand each, until none has room.
        let mut fill = |team| {
            let lists = (0..50).map(|_| (0..MAX_LISTED_FAILURES).filter(|n| listing.take(team, *n)).count());
            lists.sum::<usize>()
        };
        let (of_a, of_b, of_c) = (fill(a), fill(b), fill(c));
        let half = MAX_ALL_LISTED_FAILURES / 2;
        assert!((half..half + 5_000).contains(&of_a), "{of_a}");
        assert!(of_b > MAX_LISTED_FAILURES && of_c > MAX_LISTED_FAILURES, "{of_b} and {of_c}");
        listing.give_back(a, of_a);
        assert!(!listing.teams.contains_key(&a) && listing.all == of_b + of_c);
        assert!(listing.take(a, MAX_LISTED_FAILURES - 1) && !listing.take(a, MAX_LISTED_FAILURES));
    }
}
