//! Concurrency limits of lookups: work beside the pages of a job, such as the map of a site.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use gleaner_runtime::{Error, MAX_CONCURRENT_MAPS};
use gleaner_store::TeamId;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

use crate::accounts::Team;

/// Upper bound on lookups that run at once for one team; the team's concurrency limit applies too if it is
/// lower. Half of the [sites that are mapped at once](MAX_CONCURRENT_MAPS), so that one team cannot block the
/// others.
pub const MAX_LOOKUPS_PER_TEAM: usize = MAX_CONCURRENT_MAPS / 2;
/// How long a request waits for a lookup slot before it is refused with a retry time.
pub const LOOKUP_WAIT: Duration = Duration::from_secs(30);

/// Retry time of a request that found no lookup slot.
const RETRY_PAUSE: Duration = Duration::from_secs(1);

/// The lookup slots of each team. Clones share the slots.
#[derive(Debug, Clone, Default)]
pub(crate) struct Lookups(Arc<Mutex<HashMap<TeamId, Arc<TeamLookups>>>>);

#[derive(Debug)]
struct TeamLookups {
    /// Bounds the running and waiting lookups of requests.
    requests: Arc<Semaphore>,
    /// Bounds the running lookups of requests and jobs.
    running: Arc<Semaphore>,
}

/// A lookup slot; dropping it frees the slot.
#[derive(Debug)]
pub(crate) struct LookupPermit {
    _request: Option<OwnedSemaphorePermit>,
    _running: Option<OwnedSemaphorePermit>,
    /// Keeps the entry of the team in the map while a slot is in use.
    _team: Arc<TeamLookups>,
}

impl Lookups {
    /// A slot for a request. Fails if too many requests wait, or after [`LOOKUP_WAIT`].
    pub(crate) async fn acquire_for_request(&self, team: &Team) -> Result<LookupPermit, Error> {
        let team_lookups = self.team_lookups(team);
        let Ok(request) = Arc::clone(&team_lookups.requests).try_acquire_owned() else {
            let limit = team.max_concurrency.max(1);
            let text = format!("the team has {limit} maps and prompts in progress, the maximum");
            return Err(Error::rate_limited(text, RETRY_PAUSE));
        };
        let running = tokio::time::timeout(LOOKUP_WAIT, team_lookups.acquire()).await;
        let running = running.map_err(|_| {
            Error::rate_limited("earlier maps and prompts of the team are still in progress", RETRY_PAUSE)
        })?;
        Ok(LookupPermit { _request: Some(request), _running: running, _team: team_lookups })
    }

    /// A slot for a job of the team; waits until one is free.
    pub(crate) async fn acquire_for_job(&self, team: &Team) -> LookupPermit {
        let team_lookups = self.team_lookups(team);
        LookupPermit { _request: None, _running: team_lookups.acquire().await, _team: team_lookups }
    }

    fn team_lookups(&self, team: &Team) -> Arc<TeamLookups> {
        let mut teams = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(existing) = teams.get(&team.id) {
            return Arc::clone(existing);
        }
        // Users of a slot and waiters each hold a reference; entries without one are evicted.
        teams.retain(|_, lookups| Arc::strong_count(lookups) > 1);
        let limit = usize::try_from(team.max_concurrency.max(1)).unwrap_or(usize::MAX);
        let new = Arc::new(TeamLookups {
            requests: Arc::new(Semaphore::new(limit.min(Semaphore::MAX_PERMITS))),
            running: Arc::new(Semaphore::new(limit.min(MAX_LOOKUPS_PER_TEAM))),
        });
        teams.insert(team.id.clone(), Arc::clone(&new));
        new
    }
}

impl TeamLookups {
    async fn acquire(&self) -> Option<OwnedSemaphorePermit> {
        // The semaphore is never closed.
        Arc::clone(&self.running).acquire_owned().await.ok()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn team(name: &str, max_concurrency: u32) -> Team {
        Team { max_concurrency, ..Team::new(TeamId::new(name)) }
    }

    #[tokio::test(start_paused = true)]
    async fn each_team_has_its_own_slots() {
        let lookups = Lookups::default();
        let (large, small) = (team("large", 40), team("small", 2));
        let mut permits = Vec::new();
        for _ in 0..MAX_LOOKUPS_PER_TEAM {
            permits.push(lookups.acquire_for_request(&large).await.unwrap());
        }
        let refused = lookups.acquire_for_request(&large).await.unwrap_err();
        assert_eq!((refused.http_status(), refused.retry_after()), (429, Some(RETRY_PAUSE)));
        let of_small =
            (lookups.acquire_for_job(&small).await, lookups.acquire_for_request(&small).await.unwrap());
        let job = tokio::time::timeout(Duration::from_secs(3_600), lookups.acquire_for_job(&small)).await;
        assert!(job.is_err(), "lookups of a job use the same slots");
        drop(of_small);
        assert!(lookups.acquire_for_request(&small).await.is_ok());
        permits.pop();
        assert!(lookups.acquire_for_request(&large).await.is_ok());
        drop(permits);
        lookups.acquire_for_request(&team("new", 1)).await.unwrap();
        assert_eq!(lookups.0.lock().unwrap().len(), 1, "idle teams are evicted");
    }

    #[tokio::test(start_paused = true)]
    async fn running_and_waiting_requests_stay_within_the_concurrency_of_the_team() {
        let lookups = Lookups::default();
        let team = team("a", 20);
        let requests = (0..30).map(|_| async {
            let permit = lookups.acquire_for_request(&team).await?;
            tokio::time::sleep(Duration::from_secs(5)).await;
            drop(permit);
            Ok::<_, Error>(())
        });
        let done = futures_util::future::join_all(requests).await;
        assert_eq!(done.iter().filter(|done| done.is_ok()).count(), 20, "16 at once, then the 4 that waited");
    }
}
