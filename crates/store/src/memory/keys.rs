use std::collections::{HashSet, VecDeque};
use std::time::Duration;

use uuid::Uuid;

use crate::TeamId;

/// So many idempotency keys are remembered; beyond it the oldest may be used again.
pub const MAX_IDEMPOTENCY_KEYS: usize = 1_000_000;

/// Idempotency keys in use, as long as results are kept.
#[derive(Debug, Default)]
pub(super) struct Keys {
    known: HashSet<(TeamId, Uuid)>,
    ages: VecDeque<(Duration, TeamId, Uuid)>,
}

impl Keys {
    /// False where the key was used before.
    pub(super) fn enter(&mut self, team: &TeamId, key: Uuid, now: Duration) -> bool {
        if !self.known.insert((team.clone(), key)) {
            return false;
        }
        self.ages.push_back((now, team.clone(), key));
        if self.ages.len() > MAX_IDEMPOTENCY_KEYS {
            self.drop_first();
        }
        true
    }

    pub(super) fn is_used(&self, team: &TeamId, key: Uuid) -> bool {
        self.known.contains(&(team.clone(), key))
    }

    pub(super) fn expire(&mut self, until: Duration) {
        while self.ages.front().is_some_and(|(since, ..)| *since <= until) {
            self.drop_first();
        }
    }

    fn drop_first(&mut self) {
        if let Some((_, team, key)) = self.ages.pop_front() {
            self.known.remove(&(team, key));
        }
    }
}
