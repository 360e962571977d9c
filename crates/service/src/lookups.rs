//! Work that is no page of a job, such as the map of a site: how much of it a team may have at once.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use gleaner_runtime::{Error, MAX_MAPS};
use gleaner_store::TeamId;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

use crate::accounts::Team;

/// So much of it is done at once for one team, or as many as it may have pages in work where these are fewer:
/// half of the [sites that are mapped at once](MAX_MAPS), so that no team can keep the others from theirs.
pub const MAX_LOOKUPS_PER_TEAM: usize = MAX_MAPS / 2;
/// So long a request for such work waits for its place before its team is asked to come again.
pub const LOOKUP_WAIT: Duration = Duration::from_secs(30);

/// When one for whom there was no place may ask again.
const PAUSE: Duration = Duration::from_secs(1);

/// Errands under way, by team. Cloning it is cheap, and clones share everything.
#[derive(Debug, Clone, Default)]
pub(crate) struct Lookups(Arc<Mutex<HashMap<TeamId, Arc<OfTeam>>>>);

#[derive(Debug)]
struct OfTeam {
    /// Under way and waiting, those that were asked for by requests.
    asked: Arc<Semaphore>,
    in_flight: Arc<Semaphore>,
}

/// A place for an errand; dropping it gives it back.
#[derive(Debug)]
pub(crate) struct LookupPermit {
    _asked: Option<OwnedSemaphorePermit>,
    _under_way: Option<OwnedSemaphorePermit>,
    /// Keeps the team's places together as long as one of them is taken.
    _of_team: Arc<OfTeam>,
}

impl Lookups {
    /// A place for what a request asks for, soon, or the advice to come again.
    pub(crate) async fn ask(&self, team: &Team) -> Result<LookupPermit, Error> {
        let of_team = self.of(team);
        let Ok(asked) = Arc::clone(&of_team.asked).try_acquire_owned() else {
            let most = team.max_concurrency.max(1);
            let text = format!("the team has {most} maps and prompts under way, the most that it may");
            return Err(Error::rate_limited(text, PAUSE));
        };
        let place = tokio::time::timeout(LOOKUP_WAIT, of_team.place()).await;
        let place = place.map_err(|_| {
            Error::rate_limited("the team's maps and prompts under way take too long for another", PAUSE)
        })?;
        Ok(LookupPermit { _asked: Some(asked), _under_way: place, _of_team: of_team })
    }

    /// A place for what a job of the team needs, as soon as there is one.
    pub(crate) async fn wait(&self, team: &Team) -> LookupPermit {
        let of_team = self.of(team);
        LookupPermit { _asked: None, _under_way: of_team.place().await, _of_team: of_team }
    }

    fn of(&self, team: &Team) -> Arc<OfTeam> {
        let mut teams = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(known) = teams.get(&team.id) {
            return Arc::clone(known);
        }
        // Whoever has a place or waits for one holds it too.
        teams.retain(|_, of_team| Arc::strong_count(of_team) > 1);
        let most = usize::try_from(team.max_concurrency.max(1)).unwrap_or(usize::MAX);
        let new = Arc::new(OfTeam {
            asked: Arc::new(Semaphore::new(most.min(Semaphore::MAX_PERMITS))),
            in_flight: Arc::new(Semaphore::new(most.min(MAX_LOOKUPS_PER_TEAM))),
        });
        teams.insert(team.id.clone(), Arc::clone(&new));
        new
    }
}

impl OfTeam {
    async fn place(&self) -> Option<OwnedSemaphorePermit> {
        // It is never closed.
        Arc::clone(&self.in_flight).acquire_owned().await.ok()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn team(name: &str, max_concurrency: u32) -> Team {
        Team { max_concurrency, ..Team::new(TeamId::new(name)) }
    }

    #[tokio::test(start_paused = true)]
    async fn a_team_has_its_share_of_places_and_another_its_own() {
        let lookups = Lookups::default();
        let (many, few) = (team("many", 40), team("few", 2));
        let mut places = Vec::new();
        for _ in 0..MAX_LOOKUPS_PER_TEAM {
            places.push(lookups.ask(&many).await.unwrap());
        }
        let waiting = lookups.ask(&many).await.unwrap_err();
        assert_eq!((waiting.http_status(), waiting.retry_after()), (429, Some(PAUSE)), "after some patience");
        let of_few = (lookups.wait(&few).await, lookups.ask(&few).await.unwrap());
        let job = tokio::time::timeout(Duration::from_secs(3_600), lookups.wait(&few)).await;
        assert!(job.is_err(), "a job's errands take places as well");
        drop(of_few);
        assert!(lookups.ask(&few).await.is_ok());
        places.pop();
        assert!(lookups.ask(&many).await.is_ok());
        drop(places);
        lookups.ask(&team("new", 1)).await.unwrap();
        assert_eq!(lookups.0.lock().unwrap().len(), 1, "teams without errands are forgotten");
    }

    #[tokio::test(start_paused = true)]
    async fn no_more_may_wait_than_the_team_may_have_pages() {
        let lookups = Lookups::default();
        let team = team("a", 20);
        let asked = (0..30).map(|_| async {
            let place = lookups.ask(&team).await?;
            tokio::time::sleep(Duration::from_secs(5)).await;
            drop(place);
            Ok::<_, Error>(())
        });
        let done = futures_util::future::join_all(asked).await;
        assert_eq!(done.iter().filter(|done| done.is_ok()).count(), 20, "sixteen, then four that waited");
    }
}
