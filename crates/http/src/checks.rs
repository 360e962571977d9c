//! Checks requests on blocking threads.
//!
//! Parsing and checking a body of some megabytes takes hundreds of milliseconds; a few kilobytes of patterns,
//! selectors or schemas may take tens. On a thread of the runtime, that would delay the connections that
//! share it.

use std::collections::HashMap;
use std::panic::resume_unwind;
use std::sync::{Arc, Mutex, PoisonError};

use gleaner::service::TeamId;
use tokio::sync::Semaphore;
use tokio::task::spawn_blocking;

use crate::failure::Failure;

/// Upper bound on requests that one service checks at once; requests with small bodies do not count.
pub const MAX_CHECKS: usize = 2;
/// The same bound for one team. Further requests wait.
pub const MAX_CHECKS_PER_TEAM: usize = 1;

/// Bodies of at most this many bytes are checked on the runtime thread.
const SMALL_BODY: usize = 2 << 10;

/// The slots for checks of a service.
#[derive(Debug, Clone)]
pub(crate) struct Checks {
    all: Arc<Semaphore>,
    /// Teams with running or waiting checks.
    teams: Arc<Mutex<HashMap<TeamId, Arc<Semaphore>>>>,
}

impl Default for Checks {
    fn default() -> Self {
        Self { all: Arc::new(Semaphore::new(MAX_CHECKS)), teams: Arc::default() }
    }
}

impl Checks {
    /// Runs the check of a body of this size. A body that is not small needs a slot and a blocking thread;
    /// its check runs to the end even if the request is dropped.
    pub(crate) async fn run<T: Send + 'static>(
        &self,
        team: &TeamId,
        size: usize,
        check: impl FnOnce() -> Result<T, Failure> + Send + 'static,
    ) -> Result<T, Failure> {
        if size <= SMALL_BODY {
            return check();
        }
        let closed = |_| Failure::internal(&"the semaphore for checks is closed");
        // The slot of the team comes first: a request that waits for it blocks no other team.
        let of_team = self.team_slots(team).acquire_owned().await.map_err(closed)?;
        let of_all = Arc::clone(&self.all).acquire_owned().await.map_err(closed)?;
        let thread = spawn_blocking(move || {
            let _slots = (of_team, of_all);
            check()
        });
        match thread.await {
            Ok(checked) => checked,
            Err(error) => match error.try_into_panic() {
                Ok(panic) => resume_unwind(panic),
                Err(error) => Err(Failure::internal(&error)),
            },
        }
    }

    fn team_slots(&self, team: &TeamId) -> Arc<Semaphore> {
        let mut teams = self.teams.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(existing) = teams.get(team) {
            return Arc::clone(existing);
        }
        // Users of a slot and waiters each hold a reference; entries without one are evicted.
        teams.retain(|_, slots| Arc::strong_count(slots) > 1);
        let slots = Arc::new(Semaphore::new(MAX_CHECKS_PER_TEAM));
        teams.insert(team.clone(), Arc::clone(&slots));
        slots
    }
}

#[cfg(test)]
mod tests {
    use std::sync::mpsc::channel;
    use std::thread;

    use super::*;

    #[tokio::test]
    async fn only_large_bodies_are_checked_on_another_thread() {
        let (checks, team, runtime) = (Checks::default(), TeamId::new("birds"), thread::current().id());
        for (size, blocking) in [(0, false), (SMALL_BODY, false), (SMALL_BODY + 1, true)] {
            let checked_on = checks.run(&team, size, || Ok(thread::current().id())).await;
            assert_eq!(checked_on.ok().map(|thread| thread != runtime), Some(blocking), "{size}");
        }
        let refused: Result<(), _> = checks.run(&team, SMALL_BODY + 1, || Err(Failure::unknown_job())).await;
        assert!(refused.is_err());
        assert_eq!(checks.all.available_permits(), MAX_CHECKS);
    }

    #[tokio::test]
    async fn a_team_with_many_large_bodies_leaves_slots_to_others() {
        let (checks, many, other) = (Checks::default(), TeamId::new("many"), TeamId::new("other"));
        let (mut ends, mut tasks) = (Vec::new(), Vec::new());
        for _ in 0..=MAX_CHECKS_PER_TEAM {
            let (end, ended) = channel::<()>();
            ends.push(end);
            let (checks, team) = (checks.clone(), many.clone());
            tasks.push(tokio::spawn(async move {
                let work = move || {
                    let _dropped = ended.recv();
                    Ok(())
                };
                checks.run(&team, usize::MAX, work).await
            }));
        }
        let free = MAX_CHECKS - MAX_CHECKS_PER_TEAM;
        while checks.all.available_permits() > free {
            tokio::task::yield_now().await;
        }
        assert!(checks.run(&other, usize::MAX, || Ok(())).await.is_ok());
        assert_eq!(checks.all.available_permits(), free, "one of the many waits");
        drop(ends);
        for task in tasks {
            task.await.unwrap().unwrap();
        }
        assert!(checks.run(&TeamId::new("new"), usize::MAX, || Ok(())).await.is_ok());
        assert_eq!(checks.teams.lock().unwrap().len(), 1, "idle teams are evicted");
    }
}
