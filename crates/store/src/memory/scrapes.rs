//! Documents of pages that were answered at once, bounded. Where there are too many, the oldest of the team that has most
//! go first: so no team can make those of another go that has less.

use std::collections::{BTreeSet, HashMap, VecDeque};
use std::time::Duration;

use bytes::Bytes;
use uuid::Uuid;

use crate::TeamId;

/// Scrapes whose documents are kept for a later look, of all teams.
pub const MAX_KEPT_SCRAPES: usize = 10_000;
/// Bytes of documents of scrapes that are kept for a later look, of all teams.
pub const MAX_KEPT_SCRAPE_BYTES: usize = 64 << 20;

/// Every document counts as this many bytes at least: so the bytes bound their number, and what has most in bytes has most in
/// all. With a bound of its own for their number, many small documents of one team made large ones of another go.
const LEAST_BYTES: usize = MAX_KEPT_SCRAPE_BYTES.div_ceil(MAX_KEPT_SCRAPES);

#[derive(Debug, Default)]
pub(super) struct Scrapes {
    teams: HashMap<TeamId, Share>,
    /// The teams by what they have, in bytes.
    by_size: BTreeSet<(usize, TeamId)>,
    bytes: usize,
}

/// What one team has.
#[derive(Debug, Default)]
struct Share {
    documents: HashMap<Uuid, Bytes>,
    /// The oldest first.
    ages: VecDeque<(Duration, Uuid)>,
    bytes: usize,
}

impl Scrapes {
    /// Keeps a document, and lets older ones go for it.
    pub(super) fn keep(&mut self, team: &TeamId, scrape: Uuid, json: Bytes, now: Duration) {
        let weight = weight(&json);
        let is_known = self.find(team, scrape).is_some();
        if is_known || weight > MAX_KEPT_SCRAPE_BYTES {
            return;
        }
        let share = self.teams.entry(team.clone()).or_default();
        share.documents.insert(scrape, json);
        share.ages.push_back((now, scrape));
        self.book(team, weight, 0);
        while self.bytes > MAX_KEPT_SCRAPE_BYTES {
            let Some((_, largest)) = self.by_size.last().cloned() else { break };
            self.drop_oldest(&largest);
        }
    }

    /// The document of this scrape of the team.
    pub(super) fn find(&self, team: &TeamId, scrape: Uuid) -> Option<Bytes> {
        self.teams.get(team)?.documents.get(&scrape).cloned()
    }

    /// Forgets what was kept by then already.
    pub(super) fn forget_old(&mut self, until: Duration) {
        let teams: Vec<TeamId> = self.teams.keys().cloned().collect();
        for team in teams {
            let is_old = |share: &Share| share.ages.front().is_some_and(|(kept_at, _)| *kept_at <= until);
            while self.teams.get(&team).is_some_and(is_old) {
                self.drop_oldest(&team);
            }
        }
    }

    fn drop_oldest(&mut self, team: &TeamId) {
        let Some(share) = self.teams.get_mut(team) else { return };
        let Some((_, oldest)) = share.ages.pop_front() else { return };
        let freed = share.documents.remove(&oldest).map_or(0, |json| weight(&json));
        self.book(team, 0, freed);
    }

    /// Books what a team has more, or less.
    fn book(&mut self, team: &TeamId, more: usize, less: usize) {
        let Some(share) = self.teams.get_mut(team) else { return };
        self.by_size.remove(&(share.bytes, team.clone()));
        share.bytes = (share.bytes + more).saturating_sub(less);
        self.bytes = (self.bytes + more).saturating_sub(less);
        if share.documents.is_empty() {
            self.teams.remove(team);
        } else {
            self.by_size.insert((share.bytes, team.clone()));
        }
    }
}

fn weight(json: &Bytes) -> usize {
    json.len().max(LEAST_BYTES)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn keep(scrapes: &mut Scrapes, team: &str, number: u128, bytes: usize) {
        let now = Duration::from_secs(u64::try_from(number).unwrap());
        scrapes.keep(&TeamId::new(team), Uuid::from_u128(number), vec![b'x'; bytes].into(), now);
    }

    fn has(scrapes: &Scrapes, team: &str, number: u128) -> bool {
        scrapes.find(&TeamId::new(team), Uuid::from_u128(number)).is_some()
    }

    fn count(scrapes: &Scrapes) -> usize {
        scrapes.teams.values().map(|share| share.documents.len()).sum()
    }

    #[test]
    fn a_team_that_scrapes_much_forgets_its_own() {
        let mut scrapes = Scrapes::default();
        (0..10).for_each(|number| keep(&mut scrapes, "small", number, 300_000));
        let most = MAX_KEPT_SCRAPES as u128;
        (0..most + 500).for_each(|number| keep(&mut scrapes, "large", number, 0));
        assert!((9_000..=MAX_KEPT_SCRAPES).contains(&count(&scrapes)));
        assert!(!has(&scrapes, "large", 0) && has(&scrapes, "large", most + 499), "the oldest go first");
        assert!((0..10).all(|number| has(&scrapes, "small", number)), "few and large, they are less");
        (0..100).for_each(|number| keep(&mut scrapes, "heavy", number, 1 << 20));
        assert!(scrapes.bytes <= MAX_KEPT_SCRAPE_BYTES, "{} bytes", scrapes.bytes);
        assert!((0..10).all(|number| has(&scrapes, "small", number)));
        keep(&mut scrapes, "small", 10, MAX_KEPT_SCRAPE_BYTES + 1);
        assert!(!has(&scrapes, "small", 10) && has(&scrapes, "small", 9), "what has no room costs no other");
    }

    #[test]
    fn nothing_is_left_of_what_is_forgotten() {
        let mut scrapes = Scrapes::default();
        for (team, number) in [("a", 1), ("b", 2), ("a", 3), ("a", 3)] {
            keep(&mut scrapes, team, number, 100);
        }
        assert_eq!(count(&scrapes), 3, "one that is kept twice counts once");
        scrapes.forget_old(Duration::from_secs(2));
        assert!(!has(&scrapes, "a", 1) && !has(&scrapes, "b", 2) && has(&scrapes, "a", 3));
        scrapes.forget_old(Duration::from_secs(3));
        assert_eq!((scrapes.teams.len(), scrapes.by_size.len(), scrapes.bytes), (0, 0, 0));
    }
}
