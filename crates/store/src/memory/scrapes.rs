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
    /// Keeps a document, and drops older ones if needed. Returns the scrapes that are not kept.
    pub(super) fn keep(&mut self, team: &TeamId, scrape: Uuid, json: Bytes, now: Duration) -> Vec<Uuid> {
        let weight = weight(&json);
        if self.find(team, scrape).is_some() {
            return Vec::new();
        }
        if weight > MAX_KEPT_SCRAPE_BYTES {
            return vec![scrape];
        }
        let team_scrapes = self.teams.entry(team.clone()).or_default();
        team_scrapes.documents.insert(scrape, json);
        team_scrapes.by_age.push_back((now, scrape));
        self.update_size(team, weight, 0);
        let mut dropped = Vec::new();
        while self.bytes > MAX_KEPT_SCRAPE_BYTES {
            let Some((_, largest)) = self.by_size.last().cloned() else { break };
            dropped.extend(self.drop_oldest(&largest));
        }
        dropped
    }

    /// The document of this scrape of the team.
    pub(super) fn find(&self, team: &TeamId, scrape: Uuid) -> Option<Bytes> {
        self.teams.get(team)?.documents.get(&scrape).cloned()
    }

    /// Removes documents kept at or before `until`, and returns their scrapes.
    pub(super) fn remove_expired(&mut self, until: Duration) -> Vec<Uuid> {
        let mut dropped = Vec::new();
        let teams: Vec<TeamId> = self.teams.keys().cloned().collect();
        for team in teams {
            let is_old = |team_scrapes: &TeamScrapes| {
                team_scrapes.by_age.front().is_some_and(|(kept_at, _)| *kept_at <= until)
            };
            while self.teams.get(&team).is_some_and(is_old) {
                dropped.extend(self.drop_oldest(&team));
            }
        }
        dropped
    }

    fn drop_oldest(&mut self, team: &TeamId) -> Option<Uuid> {
        let team_scrapes = self.teams.get_mut(team)?;
        let (_, oldest) = team_scrapes.by_age.pop_front()?;
        let freed = team_scrapes.documents.remove(&oldest).map_or(0, |json| weight(&json));
        self.update_size(team, 0, freed);
        Some(oldest)
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
        let before = count(scrapes);
        let dropped =
            scrapes.keep(&TeamId::new(team), Uuid::from_u128(number), vec![b'x'; bytes].into(), now);
        assert!(count(scrapes) + dropped.len() <= before + 1, "each dropped scrape is named");
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
        assert_eq!(scrapes.remove_expired(Duration::from_secs(2)).len(), 2);
        assert!(!has(&scrapes, "a", 1) && !has(&scrapes, "b", 2) && has(&scrapes, "a", 3));
        scrapes.remove_expired(Duration::from_secs(3));
        assert_eq!((scrapes.teams.len(), scrapes.by_size.len(), scrapes.bytes), (0, 0, 0));
    }
}
