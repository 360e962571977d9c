//! Used idempotency keys. Above the limit, the oldest keys of the team with the most keys are dropped, so
//! that no team can make a repeated submit of another team look new.

use std::collections::{BTreeSet, HashMap, HashSet, VecDeque};
use std::time::Duration;

use uuid::Uuid;

use crate::TeamId;

/// Maximum number of remembered idempotency keys of all teams. Above it the oldest keys of the team with the
/// most are forgotten and can be used again.
pub const MAX_IDEMPOTENCY_KEYS: usize = 1_000_000;

/// The used idempotency keys, kept as long as results.
#[derive(Debug)]
pub(super) struct IdempotencyKeys {
    max: usize,
    count: usize,
    teams: HashMap<TeamId, TeamKeys>,
    /// The teams by number of keys.
    by_size: BTreeSet<(usize, TeamId)>,
}

/// The keys of one team.
#[derive(Debug, Default)]
struct TeamKeys {
    keys: HashSet<Uuid>,
    by_age: VecDeque<(Duration, Uuid)>,
}

impl Default for IdempotencyKeys {
    fn default() -> Self {
        Self::new(MAX_IDEMPOTENCY_KEYS)
    }
}

impl IdempotencyKeys {
    fn new(max: usize) -> Self {
        Self { max, count: 0, teams: HashMap::new(), by_size: BTreeSet::new() }
    }

    /// Adds a key. False if it was used before.
    pub(super) fn insert(&mut self, team: &TeamId, key: Uuid, now: Duration) -> bool {
        let team_keys = self.teams.entry(team.clone()).or_default();
        if !team_keys.keys.insert(key) {
            return false;
        }
        team_keys.by_age.push_back((now, key));
        let size = team_keys.by_age.len();
        self.count += 1;
        self.update_size(team, size - 1, size);
        while self.count > self.max {
            let Some((_, largest)) = self.by_size.last().cloned() else { break };
            self.drop_oldest(&largest, 1);
        }
        true
    }

    /// Forgets a key.
    pub(super) fn remove(&mut self, team: &TeamId, key: Uuid) {
        let Some(team_keys) = self.teams.get_mut(team) else { return };
        if team_keys.keys.remove(&key) {
            let before = team_keys.by_age.len();
            team_keys.by_age.retain(|(_, other)| *other != key);
            self.count = self.count.saturating_sub(1);
            self.update_size(team, before, before - 1);
        }
    }

    pub(super) fn is_used(&self, team: &TeamId, key: Uuid) -> bool {
        self.teams.get(team).is_some_and(|team_keys| team_keys.keys.contains(&key))
    }

    /// All keys with the times of their use: [inserting](Self::insert) them in this order gives them again.
    pub(super) fn iter(&self) -> impl Iterator<Item = (&TeamId, Uuid, Duration)> {
        let teams = self.by_size.iter().filter_map(|(_, team)| self.teams.get_key_value(team));
        teams.flat_map(|(team, keys)| keys.by_age.iter().map(move |(at, key)| (team, *key, *at)))
    }

    /// Drops keys that were used at or before `until`. False if there are none.
    pub(super) fn expire(&mut self, until: Duration) -> bool {
        let before = self.count;
        let old =
            |team_keys: &TeamKeys| team_keys.by_age.iter().take_while(|(since, _)| *since <= until).count();
        let expired: Vec<(TeamId, usize)> =
            self.teams.iter().map(|(team, team_keys)| (team.clone(), old(team_keys))).collect();
        for (team, count) in expired {
            self.drop_oldest(&team, count);
        }
        self.count < before
    }

    fn drop_oldest(&mut self, team: &TeamId, count: usize) {
        let Some(team_keys) = self.teams.get_mut(team) else { return };
        let before = team_keys.by_age.len();
        for (_, key) in team_keys.by_age.drain(..count.min(before)) {
            team_keys.keys.remove(&key);
        }
        let after = team_keys.by_age.len();
        self.count = self.count.saturating_sub(before - after);
        self.update_size(team, before, after);
    }

    fn update_size(&mut self, team: &TeamId, before: usize, after: usize) {
        self.by_size.remove(&(before, team.clone()));
        if after == 0 {
            self.teams.remove(team);
        } else {
            self.by_size.insert((after, team.clone()));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_team_with_many_keys_loses_only_its_own() {
        let mut keys = IdempotencyKeys::new(100);
        let (small, large) = (TeamId::new("small"), TeamId::new("large"));
        let at = Duration::from_secs;
        let key = Uuid::from_u128;
        for number in 0..10 {
            assert!(keys.insert(&small, key(number), at(0)));
        }
        for number in 0..1_000 {
            assert!(keys.insert(&large, key(number), at(1)));
        }
        assert_eq!(keys.count, 100);
        assert!(
            (0..10).all(|number| keys.is_used(&small, key(number))),
            "no key of another team was dropped"
        );
        assert!(
            !keys.is_used(&large, key(909)) && keys.is_used(&large, key(910)),
            "the oldest was dropped first"
        );
        assert!(!keys.insert(&small, key(3), at(2)));
        let mut again = IdempotencyKeys::new(100);
        assert!(keys.iter().all(|(team, key, at)| again.insert(team, key, at)), "the same keys");
        assert_eq!((again.count, &again.by_size), (100, &keys.by_size));
        again.remove(&small, key(3));
        again.remove(&small, key(3));
        assert_eq!((again.is_used(&small, key(3)), again.count), (false, 99));
        assert!(again.insert(&small, key(3), at(2)), "a key that was given back is new");
        assert!(keys.expire(at(0)) && !keys.expire(at(0)));
        assert_eq!((keys.is_used(&small, key(3)), keys.count), (false, 90));
        keys.expire(at(1));
        assert_eq!((keys.count, keys.teams.len(), keys.by_size.len()), (0, 0, 0));
    }
}
