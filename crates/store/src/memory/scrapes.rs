//! Kept documents of single scrapes, up to a limit. Above it, the oldest documents of the team with the most
//! are dropped, so that no team can displace the documents of a team with fewer.

use std::collections::{BTreeSet, HashMap, VecDeque};
use std::time::Duration;

use bytes::Bytes;
use uuid::Uuid;

use crate::TeamId;

/// Maximum number of kept scrapes of all teams.
pub const MAX_KEPT_SCRAPES: usize = 10_000;
/// Maximum size of kept scrapes of all teams, in bytes.
pub const MAX_KEPT_SCRAPE_BYTES: usize = 64 << 20;

/// Minimum weight of a document, in bytes. So the limit in bytes also limits the number, and the team with
/// the most bytes has the most in both. With a separate limit for the number, many small documents of one
/// team would displace large ones of another.
const MIN_WEIGHT: usize = MAX_KEPT_SCRAPE_BYTES.div_ceil(MAX_KEPT_SCRAPES);

#[derive(Debug, Default)]
pub(super) struct Scrapes {
    teams: HashMap<TeamId, TeamScrapes>,
    /// The teams by size, in bytes.
    by_size: BTreeSet<(usize, TeamId)>,
    bytes: usize,
}

/// The kept scrapes of one team.
#[derive(Debug, Default)]
struct TeamScrapes {
    documents: HashMap<Uuid, Bytes>,
    /// Oldest first.
    by_age: VecDeque<(Duration, Uuid)>,
    bytes: usize,
}

impl Scrapes {
    /// Keeps a document, and drops older ones if needed.
    pub(super) fn keep(&mut self, team: &TeamId, scrape: Uuid, json: Bytes, now: Duration) {
        let weight = weight(&json);
        let is_known = self.find(team, scrape).is_some();
        if is_known || weight > MAX_KEPT_SCRAPE_BYTES {
            return;
        }
        let team_scrapes = self.teams.entry(team.clone()).or_default();
        team_scrapes.documents.insert(scrape, json);
        team_scrapes.by_age.push_back((now, scrape));
        self.update_size(team, weight, 0);
        while self.bytes > MAX_KEPT_SCRAPE_BYTES {
            let Some((_, largest)) = self.by_size.last().cloned() else { break };
            self.drop_oldest(&largest);
        }
    }

    /// The document of this scrape of the team.
    pub(super) fn find(&self, team: &TeamId, scrape: Uuid) -> Option<Bytes> {
        self.teams.get(team)?.documents.get(&scrape).cloned()
    }

    /// Removes documents kept at or before `until`.
    pub(super) fn remove_expired(&mut self, until: Duration) {
        let teams: Vec<TeamId> = self.teams.keys().cloned().collect();
        for team in teams {
            let is_old = |team_scrapes: &TeamScrapes| {
                team_scrapes.by_age.front().is_some_and(|(kept_at, _)| *kept_at <= until)
            };
            while self.teams.get(&team).is_some_and(is_old) {
                self.drop_oldest(&team);
            }
        }
    }

    fn drop_oldest(&mut self, team: &TeamId) {
        let Some(team_scrapes) = self.teams.get_mut(team) else { return };
        let Some((_, oldest)) = team_scrapes.by_age.pop_front() else { return };
        let freed = team_scrapes.documents.remove(&oldest).map_or(0, |json| weight(&json));
        self.update_size(team, 0, freed);
    }

    /// Updates the size of a team.
    fn update_size(&mut self, team: &TeamId, added: usize, removed: usize) {
        let Some(team_scrapes) = self.teams.get_mut(team) else { return };
        self.by_size.remove(&(team_scrapes.bytes, team.clone()));
        team_scrapes.bytes = (team_scrapes.bytes + added).saturating_sub(removed);
        self.bytes = (self.bytes + added).saturating_sub(removed);
        if team_scrapes.documents.is_empty() {
            self.teams.remove(team);
        } else {
            self.by_size.insert((team_scrapes.bytes, team.clone()));
        }
    }
}

fn weight(json: &Bytes) -> usize {
    json.len().max(MIN_WEIGHT)
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
        scrapes.teams.values().map(|team_scrapes| team_scrapes.documents.len()).sum()
    }

    #[test]
    fn a_team_with_many_scrapes_loses_only_its_own() {
        let mut scrapes = Scrapes::default();
        (0..10).for_each(|number| keep(&mut scrapes, "small", number, 300_000));
        let most = MAX_KEPT_SCRAPES as u128;
        (0..most + 500).for_each(|number| keep(&mut scrapes, "large", number, 0));
        assert!((9_000..=MAX_KEPT_SCRAPES).contains(&count(&scrapes)));
        assert!(!has(&scrapes, "large", 0) && has(&scrapes, "large", most + 499), "the oldest go first");
        assert!((0..10).all(|number| has(&scrapes, "small", number)), "a few large ones weigh less");
        (0..100).for_each(|number| keep(&mut scrapes, "heavy", number, 1 << 20));
        assert!(scrapes.bytes <= MAX_KEPT_SCRAPE_BYTES, "{} bytes", scrapes.bytes);
        assert!((0..10).all(|number| has(&scrapes, "small", number)));
        keep(&mut scrapes, "small", 10, MAX_KEPT_SCRAPE_BYTES + 1);
        assert!(
            !has(&scrapes, "small", 10) && has(&scrapes, "small", 9),
            "a document without space displaces no other"
        );
    }

    #[test]
    fn expired_scrapes_are_removed_completely() {
        let mut scrapes = Scrapes::default();
        for (team, number) in [("a", 1), ("b", 2), ("a", 3), ("a", 3)] {
            keep(&mut scrapes, team, number, 100);
        }
        assert_eq!(count(&scrapes), 3, "a scrape that is kept twice counts once");
        scrapes.remove_expired(Duration::from_secs(2));
        assert!(!has(&scrapes, "a", 1) && !has(&scrapes, "b", 2) && has(&scrapes, "a", 3));
        scrapes.remove_expired(Duration::from_secs(3));
        assert_eq!((scrapes.teams.len(), scrapes.by_size.len(), scrapes.bytes), (0, 0, 0));
    }
}
