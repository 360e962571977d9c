//! Slots for work on blocking threads, of which one team takes only some.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use gleaner::service::TeamId;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

use crate::failure::Failure;

/// Slots of all teams. Clones share them.
#[derive(Debug, Clone)]
pub(crate) struct TeamSlots {
    all: Arc<Semaphore>,
    per_team: usize,
    /// Teams that use slots or wait for them.
    teams: Arc<Mutex<HashMap<TeamId, Arc<Semaphore>>>>,
}

/// A slot; dropping it frees the slot.
#[derive(Debug)]
pub(crate) struct TeamSlot {
    _of_team: OwnedSemaphorePermit,
    _of_all: OwnedSemaphorePermit,
}

impl TeamSlots {
    pub(crate) fn new(all: usize, per_team: usize) -> Self {
        Self { all: Arc::new(Semaphore::new(all)), per_team, teams: Arc::default() }
    }

    /// Waits for a slot.
    pub(crate) async fn acquire(&self, team: &TeamId) -> Result<TeamSlot, Failure> {
        let closed = |_| Failure::internal(&"the semaphore of slots is closed");
        // The slot of the team comes first: a request that waits for it blocks no other team.
        let of_team = self.of_team(team).acquire_owned().await.map_err(closed)?;
        let of_all = Arc::clone(&self.all).acquire_owned().await.map_err(closed)?;
        Ok(TeamSlot { _of_team: of_team, _of_all: of_all })
    }

    fn of_team(&self, team: &TeamId) -> Arc<Semaphore> {
        let mut teams = self.teams.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(existing) = teams.get(team) {
            return Arc::clone(existing);
        }
        // Users of a slot and waiters each hold a reference; entries without one are evicted.
        teams.retain(|_, slots| Arc::strong_count(slots) > 1);
        let slots = Arc::new(Semaphore::new(self.per_team));
        teams.insert(team.clone(), Arc::clone(&slots));
        slots
    }

    /// The slots that are free.
    #[cfg(test)]
    pub(crate) fn free(&self) -> usize {
        self.all.available_permits()
    }

    /// The teams that are remembered.
    #[cfg(test)]
    pub(crate) fn teams(&self) -> usize {
        self.teams.lock().unwrap_or_else(PoisonError::into_inner).len()
    }
}
