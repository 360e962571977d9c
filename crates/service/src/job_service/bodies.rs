//! Room for the bodies of statuses: a few bytes of request ask for ten million of answer, which a slow reader
//! keeps.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use bytes::Bytes;
use gleaner_runtime::Error;
use gleaner_store::TeamId;
use gleaner_types::limits;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio::time::{Instant, timeout_at};

/// Bodies of statuses that are made or sent at once take at most so many bytes, those of all teams. One whose
/// only document is larger than [`MAX_STATUS_BYTES`](limits::MAX_STATUS_BYTES) counts as that.
pub const MAX_CONCURRENT_BODIES: usize = 512 << 20;
/// The same for one team.
pub const MAX_BODIES_PER_TEAM: usize = 128 << 20;
/// So long a status waits for its room before its reader is asked to come again.
pub const BODY_WAIT: Duration = Duration::from_secs(5);

/// When one for whom there was no room may ask again.
const PAUSE: Duration = Duration::from_secs(1);
/// What room is counted in, in bytes.
const UNIT: usize = 1 << 10;

/// The room that there is.
#[derive(Debug)]
pub(super) struct Bodies {
    all: Arc<Semaphore>,
    /// Of teams with bodies under way.
    of_team: Mutex<HashMap<TeamId, Arc<Semaphore>>>,
}

impl Default for Bodies {
    fn default() -> Self {
        Self { all: Arc::new(Semaphore::new(MAX_CONCURRENT_BODIES / UNIT)), of_team: Mutex::default() }
    }
}

impl Bodies {
    /// Room for a body of any size, as soon as there is some.
    pub(super) async fn slot(&self, team: &TeamId) -> Result<BodySlot, Error> {
        let until = Instant::now() + BODY_WAIT;
        let of_team = self.of(team);
        let most = units(limits::MAX_STATUS_BYTES);
        // The team's own first, so that who waits for it holds up nobody else.
        let taken = timeout_at(until, async {
            let of_team = of_team.acquire_many_owned(most).await?;
            let of_all = Arc::clone(&self.all).acquire_many_owned(most).await?;
            Ok::<_, tokio::sync::AcquireError>(BodySlot { of_team, of_all })
        });
        taken.await.ok().and_then(Result::ok).ok_or_else(|| {
            Error::rate_limited(
                "too many statuses with documents are read at once; read the ones begun first",
                PAUSE,
            )
        })
    }

    fn of(&self, team: &TeamId) -> Arc<Semaphore> {
        let mut teams = self.of_team.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(known) = teams.get(team) {
            return Arc::clone(known);
        }
        // Whoever holds room or waits for it holds the semaphore too.
        teams.retain(|_, semaphore| Arc::strong_count(semaphore) > 1);
        let new = Arc::new(Semaphore::new(MAX_BODIES_PER_TEAM / UNIT));
        teams.insert(team.clone(), Arc::clone(&new));
        new
    }
}

fn units(bytes: usize) -> u32 {
    u32::try_from(bytes.div_ceil(UNIT)).unwrap_or(u32::MAX)
}

/// Room for one body; dropping it gives it back.
#[derive(Debug)]
pub(super) struct BodySlot {
    of_team: OwnedSemaphorePermit,
    of_all: OwnedSemaphorePermit,
}

impl BodySlot {
    /// The body, which keeps the capacity that it takes as long as a copy of it lives, and gives back the rest.
    pub(super) fn hold(mut self, body: Vec<u8>) -> Bytes {
        let needed = units(body.len()) as usize;
        for permit in [&mut self.of_team, &mut self.of_all] {
            drop(permit.split(permit.num_permits().saturating_sub(needed)));
        }
        Bytes::from_owner(Body { bytes: body, _room: self })
    }
}

struct Body {
    bytes: Vec<u8>,
    _room: BodySlot,
}

impl AsRef<[u8]> for Body {
    fn as_ref(&self) -> &[u8] {
        &self.bytes
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Takes rooms for bodies of this size until there is none.
    async fn fill(bodies: &Bodies, team: &str, size: usize) -> Vec<Bytes> {
        let mut taken = Vec::new();
        while let Ok(slot) = bodies.slot(&TeamId::new(team)).await {
            taken.push(slot.hold(vec![0; size]));
        }
        taken
    }

    #[tokio::test(start_paused = true)]
    async fn bodies_take_the_room_that_they_need_until_the_last_copy_is_gone() {
        let bodies = Bodies::default();
        let large = fill(&bodies, "a", limits::MAX_STATUS_BYTES).await;
        assert_eq!(large.len(), MAX_BODIES_PER_TEAM / limits::MAX_STATUS_BYTES);
        let refused = bodies.slot(&TeamId::new("a")).await.unwrap_err();
        assert_eq!((refused.http_status(), refused.retry_after()), (429, Some(PAUSE)));
        assert!(bodies.slot(&TeamId::new("b")).await.is_ok(), "another team has its own");
        let copy = large.first().cloned();
        drop(large);
        let slot = bodies.slot(&TeamId::new("a")).await.unwrap();
        drop(copy);
        let small: Vec<Bytes> = vec![slot.hold(vec![0; 100])];
        assert_eq!(small[0].len(), 100);
        let mut more = Vec::new();
        for _ in 0..1_000 {
            more.push(bodies.slot(&TeamId::new("a")).await.unwrap().hold(vec![0; 100]));
        }
        drop((small, more));
        assert_eq!(bodies.all.available_permits(), MAX_CONCURRENT_BODIES / UNIT, "all room is free again");
    }

    #[tokio::test(start_paused = true)]
    async fn all_teams_together_keep_to_their_bound() {
        let bodies = Bodies::default();
        let mut held = Vec::new();
        for team in 0..8 {
            held.extend(fill(&bodies, &team.to_string(), limits::MAX_STATUS_BYTES).await);
        }
        assert_eq!(held.len(), MAX_CONCURRENT_BODIES / limits::MAX_STATUS_BYTES);
        drop(held);
        assert!(bodies.slot(&TeamId::new("new")).await.is_ok());
        assert_eq!(bodies.of_team.lock().unwrap().len(), 1, "teams without bodies are forgotten");
    }
}
