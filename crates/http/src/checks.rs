//! Checks requests on blocking threads.
//!
//! Parsing and checking a body of some megabytes takes hundreds of milliseconds; a few kilobytes of patterns,
//! selectors or schemas may take tens. On a thread of the runtime, that would delay the connections that
//! share it.

use std::panic::resume_unwind;

use gleaner::service::TeamId;
use tokio::task::spawn_blocking;

use crate::failure::Failure;
use crate::team_slots::TeamSlots;

/// Upper bound on requests that one service checks at once; requests with small bodies do not count.
pub const MAX_CHECKS: usize = 2;
/// The same bound for one team. Further requests wait.
pub const MAX_CHECKS_PER_TEAM: usize = 1;

/// Bodies of at most this many bytes are checked on the runtime thread.
const SMALL_BODY: usize = 2 << 10;

/// The slots for checks of a service.
#[derive(Debug, Clone)]
pub(crate) struct Checks {
    slots: TeamSlots,
}

impl Default for Checks {
    fn default() -> Self {
        Self { slots: TeamSlots::new(MAX_CHECKS, MAX_CHECKS_PER_TEAM) }
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
        let slot = self.slots.acquire(team).await?;
        let thread = spawn_blocking(move || {
            let _slot = slot;
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
        assert_eq!(checks.slots.free(), MAX_CHECKS);
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
        while checks.slots.free() > free {
            tokio::task::yield_now().await;
        }
        assert!(checks.run(&other, usize::MAX, || Ok(())).await.is_ok());
        assert_eq!(checks.slots.free(), free, "one of the many waits");
        drop(ends);
        for task in tasks {
            task.await.unwrap().unwrap();
        }
        assert!(checks.run(&TeamId::new("new"), usize::MAX, || Ok(())).await.is_ok());
        assert_eq!(checks.slots.teams(), 1, "idle teams are evicted");
    }
}
