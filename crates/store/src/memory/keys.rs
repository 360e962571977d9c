//! Idempotency keys in use. Where there are too many, the oldest of the team that has most go first, so that no team can
//! make a repeated submit of another pass for a new one.

use std::collections::{BTreeSet, HashMap, HashSet, VecDeque};
use std::time::Duration;

use uuid::Uuid;

use crate::TeamId;

/// So many idempotency keys are remembered, those of all teams; beyond it the oldest of the team that has most may be
/// used again.
pub const MAX_IDEMPOTENCY_KEYS: usize = 1_000_000;

/// Idempotency keys in use, as long as results are kept.
#[derive(Debug)]
pub(super) struct Keys {
    most: usize,
    count: usize,
    teams: HashMap<TeamId, Share>,
    /// The teams by how many they have.
    by_size: BTreeSet<(usize, TeamId)>,
}

/// What one team has.
#[derive(Debug, Default)]
struct Share {
    known: HashSet<Uuid>,
    ages: VecDeque<(Duration, Uuid)>,
}

impl Default for Keys {
    fn default() -> Self {
        Self::new(MAX_IDEMPOTENCY_KEYS)
    }
}

impl Keys {
    fn new(most: usize) -> Self {
        Self { most, count: 0, teams: HashMap::new(), by_size: BTreeSet::new() }
    }

    /// False where the key was used before.
    pub(super) fn enter(&mut self, team: &TeamId, key: Uuid, now: Duration) -> bool {
        let share = self.teams.entry(team.clone()).or_default();
        if !share.known.insert(key) {
            return false;
        }
        share.ages.push_back((now, key));
        let size = share.ages.len();
        self.count += 1;
        self.resized(team, size - 1, size);
        while self.count > self.most {
            let Some((_, largest)) = self.by_size.last().cloned() else { break };
            self.drop_first(&largest, 1);
        }
        true
    }

    pub(super) fn is_used(&self, team: &TeamId, key: Uuid) -> bool {
        self.teams.get(team).is_some_and(|share| share.known.contains(&key))
    }

    pub(super) fn expire(&mut self, until: Duration) {
        let old = |share: &Share| share.ages.iter().take_while(|(since, _)| *since <= until).count();
        let expired: Vec<(TeamId, usize)> =
            self.teams.iter().map(|(team, share)| (team.clone(), old(share))).collect();
        for (team, count) in expired {
            self.drop_first(&team, count);
        }
    }

    fn drop_first(&mut self, team: &TeamId, count: usize) {
        let Some(share) = self.teams.get_mut(team) else { return };
        let before = share.ages.len();
        for (_, key) in share.ages.drain(..count.min(before)) {
            share.known.remove(&key);
        }
        let after = share.ages.len();
        self.count = self.count.saturating_sub(before - after);
        self.resized(team, before, after);
    }

    fn resized(&mut self, team: &TeamId, before: usize, after: usize) {
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
    fn a_team_with_many_keys_forgets_its_own_and_all_go_with_time() {
        let mut keys = Keys::new(100);
        let (small, large) = (TeamId::new("small"), TeamId::new("large"));
        let at = Duration::from_secs;
        let key = Uuid::from_u128;
        for number in 0..10 {
            assert!(keys.enter(&small, key(number), at(0)));
        }
        for number in 0..1_000 {
            assert!(keys.enter(&large, key(number), at(1)));
        }
        assert_eq!(keys.count, 100);
        assert!((0..10).all(|number| keys.is_used(&small, key(number))), "no key of another team went");
        assert!(!keys.is_used(&large, key(909)) && keys.is_used(&large, key(910)), "the oldest went first");
        assert!(!keys.enter(&small, key(3), at(2)));
        keys.expire(at(0));
        assert_eq!((keys.is_used(&small, key(3)), keys.count), (false, 90));
        keys.expire(at(1));
        assert_eq!((keys.count, keys.teams.len(), keys.by_size.len()), (0, 0, 0));
    }
}
