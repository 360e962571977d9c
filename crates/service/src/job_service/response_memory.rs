//! Memory limits of responses with documents. A request of a few bytes can cause a response of ten million,
//! and a slow reader keeps it in memory.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use bytes::Bytes;
use gleaner_runtime::Error;
use gleaner_store::TeamId;
use gleaner_types::limits;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio::time::{Instant, timeout_at};

/// Upper bound on the bytes of responses that are built or sent at once, over all teams. A status whose only
/// document is larger than [`MAX_STATUS_BYTES`](limits::MAX_STATUS_BYTES) counts as that many bytes.
pub const MAX_RESPONSE_MEMORY: usize = 512 << 20;
/// The same bound for one team.
pub const MAX_RESPONSE_MEMORY_PER_TEAM: usize = 128 << 20;
/// How long a request waits for response memory before it is refused with a retry time.
pub const RESPONSE_MEMORY_WAIT: Duration = Duration::from_secs(5);

/// Retry time of a request that found no response memory.
const RETRY_PAUSE: Duration = Duration::from_secs(1);
/// Bytes of one semaphore permit.
const UNIT: usize = 1 << 10;

/// The memory that responses may use.
#[derive(Debug)]
pub(super) struct ResponseMemory {
    all: Arc<Semaphore>,
    /// Teams that build or send responses.
    teams: Mutex<HashMap<TeamId, Arc<Semaphore>>>,
}

impl Default for ResponseMemory {
    fn default() -> Self {
        Self { all: Arc::new(Semaphore::new(MAX_RESPONSE_MEMORY / UNIT)), teams: Mutex::default() }
    }
}

impl ResponseMemory {
    /// Reserves memory for a response of the maximum size. Waits for at most [`RESPONSE_MEMORY_WAIT`].
    pub(super) async fn reserve(&self, team: &TeamId) -> Result<MemoryReservation, Error> {
        let deadline = Instant::now() + RESPONSE_MEMORY_WAIT;
        let of_team = self.team_semaphore(team);
        let units = units(limits::MAX_STATUS_BYTES);
        // The permits of the team come first: a request that waits for them blocks no other team.
        let reserved = timeout_at(deadline, async {
            let of_team = of_team.acquire_many_owned(units).await?;
            let of_all = Arc::clone(&self.all).acquire_many_owned(units).await?;
            Ok::<_, tokio::sync::AcquireError>(MemoryReservation { of_team, of_all })
        });
        reserved.await.ok().and_then(Result::ok).ok_or_else(|| {
            let text =
                "too many responses with documents are read at once; finish reading earlier ones first";
            Error::rate_limited(text, RETRY_PAUSE)
        })
    }

    fn team_semaphore(&self, team: &TeamId) -> Arc<Semaphore> {
        let mut teams = self.teams.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(existing) = teams.get(team) {
            return Arc::clone(existing);
        }
        // Reservations and waiters each hold a reference; entries without one are evicted.
        teams.retain(|_, semaphore| Arc::strong_count(semaphore) > 1);
        let new = Arc::new(Semaphore::new(MAX_RESPONSE_MEMORY_PER_TEAM / UNIT));
        teams.insert(team.clone(), Arc::clone(&new));
        new
    }
}

fn units(bytes: usize) -> u32 {
    u32::try_from(bytes.div_ceil(UNIT)).unwrap_or(u32::MAX)
}

/// Memory reserved for one response; dropping it frees the memory.
#[derive(Debug)]
pub(super) struct MemoryReservation {
    of_team: OwnedSemaphorePermit,
    of_all: OwnedSemaphorePermit,
}

impl MemoryReservation {
    /// Attaches the reservation to a body, reduced to the size of the body. It ends when the last copy of the
    /// body is dropped.
    pub(super) fn attach(mut self, body: Vec<u8>) -> Bytes {
        let needed = units(body.len()) as usize;
        for permit in [&mut self.of_team, &mut self.of_all] {
            drop(permit.split(permit.num_permits().saturating_sub(needed)));
        }
        Bytes::from_owner(ReservedBytes { bytes: body, _reservation: self })
    }
}

struct ReservedBytes {
    bytes: Vec<u8>,
    _reservation: MemoryReservation,
}

impl AsRef<[u8]> for ReservedBytes {
    fn as_ref(&self) -> &[u8] {
        &self.bytes
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Reserves memory for bodies of this size until none is left.
    async fn fill(memory: &ResponseMemory, team: &str, size: usize) -> Vec<Bytes> {
        let mut bodies = Vec::new();
        while let Ok(reservation) = memory.reserve(&TeamId::new(team)).await {
            bodies.push(reservation.attach(vec![0; size]));
        }
        bodies
    }

    #[tokio::test(start_paused = true)]
    async fn a_body_holds_its_memory_until_the_last_copy_is_dropped() {
        let memory = ResponseMemory::default();
        let large = fill(&memory, "a", limits::MAX_STATUS_BYTES).await;
        assert_eq!(large.len(), MAX_RESPONSE_MEMORY_PER_TEAM / limits::MAX_STATUS_BYTES);
        let refused = memory.reserve(&TeamId::new("a")).await.unwrap_err();
        assert_eq!((refused.http_status(), refused.retry_after()), (429, Some(RETRY_PAUSE)));
        assert!(memory.reserve(&TeamId::new("b")).await.is_ok(), "another team has its own memory");
        let copy = large.first().cloned();
        drop(large);
        let reservation = memory.reserve(&TeamId::new("a")).await.unwrap();
        drop(copy);
        let small: Vec<Bytes> = vec![reservation.attach(vec![0; 100])];
        assert_eq!(small[0].len(), 100);
        let mut more = Vec::new();
        for _ in 0..1_000 {
            more.push(memory.reserve(&TeamId::new("a")).await.unwrap().attach(vec![0; 100]));
        }
        drop((small, more));
        assert_eq!(memory.all.available_permits(), MAX_RESPONSE_MEMORY / UNIT, "all memory is free again");
    }

    #[tokio::test(start_paused = true)]
    async fn all_teams_together_stay_within_the_total_bound() {
        let memory = ResponseMemory::default();
        let mut bodies = Vec::new();
        for team in 0..8 {
            bodies.extend(fill(&memory, &team.to_string(), limits::MAX_STATUS_BYTES).await);
        }
        assert_eq!(bodies.len(), MAX_RESPONSE_MEMORY / limits::MAX_STATUS_BYTES);
        drop(bodies);
        assert!(memory.reserve(&TeamId::new("new")).await.is_ok());
        assert_eq!(memory.teams.lock().unwrap().len(), 1, "idle teams are evicted");
    }
}
