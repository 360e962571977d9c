//! Checking requests away from the runtime.
//!
//! To parse and check a body of some megabytes takes hundreds of milliseconds, and a few kilobytes of patterns, selectors or
//! schemas may take tens. On a thread of the runtime that would hold up the connections that share it.

use std::collections::HashMap;
use std::panic::resume_unwind;
use std::sync::{Arc, Mutex, PoisonError};

use gleaner::service::TeamId;
use tokio::sync::Semaphore;
use tokio::task::spawn_blocking;

use crate::failure::Failure;

/// Requests that one service checks at once, without those whose bodies are small.
pub const MAX_CHECKS: usize = 2;
/// Of these, requests of one team. Further ones wait.
pub const MAX_CHECKS_OF_TEAM: usize = 1;

/// Bodies up to this size are checked where they are: so few bytes cost little.
const SMALL_BODY: usize = 2 << 10;

/// The places for checks of a service.
#[derive(Debug, Clone)]
pub(crate) struct Checks {
    all: Arc<Semaphore>,
    /// Of teams with checks under way.
    of_team: Arc<Mutex<HashMap<TeamId, Arc<Semaphore>>>>,
}

impl Default for Checks {
    fn default() -> Self {
        Self { all: Arc::new(Semaphore::new(MAX_CHECKS)), of_team: Arc::default() }
    }
}

impl Checks {
    /// Does a check of a body of this size. Where it is not small, it is done in a place, and goes on to its end when nobody
    /// waits for it any longer.
    pub(crate) async fn run<T: Send + 'static>(
        &self,
        team: &TeamId,
        size: usize,
        check: impl FnOnce() -> Result<T, Failure> + Send + 'static,
    ) -> Result<T, Failure> {
        if size <= SMALL_BODY {
            return check();
        }
        let ends = |_| Failure::internal(&"the places for checks are closed");
        // The team's own first, so that who waits for it holds up nobody else.
        let of_team = self.of(team).acquire_owned().await.map_err(ends)?;
        let of_all = Arc::clone(&self.all).acquire_owned().await.map_err(ends)?;
        let thread = spawn_blocking(move || {
            let _places = (of_team, of_all);
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

    fn of(&self, team: &TeamId) -> Arc<Semaphore> {
        let mut teams = self.of_team.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(known) = teams.get(team) {
            return Arc::clone(known);
        }
        // Whoever has a place or waits for one holds the semaphore too.
        teams.retain(|_, places| Arc::strong_count(places) > 1);
        let places = Arc::new(Semaphore::new(MAX_CHECKS_OF_TEAM));
        teams.insert(team.clone(), Arc::clone(&places));
        places
    }
}

#[cfg(test)]
mod tests {
    use std::sync::mpsc::channel;
    use std::thread;

    use super::*;

    #[tokio::test]
    async fn large_bodies_are_checked_on_another_thread_and_small_ones_at_once() {
        let (checks, team, here) = (Checks::default(), TeamId::new("birds"), thread::current().id());
        for (size, blocking) in [(0, false), (SMALL_BODY, false), (SMALL_BODY + 1, true)] {
            let there = checks.run(&team, size, || Ok(thread::current().id())).await;
            assert_eq!(there.ok().map(|there| there != here), Some(blocking), "{size}");
        }
        let refused: Result<(), _> = checks.run(&team, SMALL_BODY + 1, || Err(Failure::unknown_job())).await;
        assert!(refused.is_err());
        assert_eq!(checks.all.available_permits(), MAX_CHECKS);
    }

    #[tokio::test]
    async fn a_team_with_many_large_bodies_leaves_places_to_others() {
        let (checks, many, other) = (Checks::default(), TeamId::new("many"), TeamId::new("other"));
        let (mut ends, mut tasks) = (Vec::new(), Vec::new());
        for _ in 0..=MAX_CHECKS_OF_TEAM {
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
        let left = MAX_CHECKS - MAX_CHECKS_OF_TEAM;
        while checks.all.available_permits() > left {
            tokio::task::yield_now().await;
        }
        assert!(checks.run(&other, usize::MAX, || Ok(())).await.is_ok());
        assert_eq!(checks.all.available_permits(), left, "one of the many waits");
        drop(ends);
        for task in tasks {
            task.await.unwrap().unwrap();
        }
        assert!(checks.run(&TeamId::new("new"), usize::MAX, || Ok(())).await.is_ok());
        assert_eq!(checks.of_team.lock().unwrap().len(), 1, "teams without checks are forgotten");
    }
}
