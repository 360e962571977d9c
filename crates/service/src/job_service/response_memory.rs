//! The memory of responses: one budget for all that is on its way to clients.
//!
//! A request of a few bytes can cause a response of many millions, and a client that does not read keeps it
//! in memory. So a response takes its share of the budget before it is written, by team and in all, and waits
//! for a bounded time if nothing is free. It gives the share back with its pieces, as the server drops them.
//! The parts of it:
//!
//! - [`ResponseMemory`] is the budget, in semaphores: one for all, and one for each team, of a quarter. What
//!   is made before its size is known, such as the document of a scrape, is in memory while it waits for its
//!   share. So a bound applies to that too: a quarter of the budget, of which a team takes half.
//! - [`ResponseShare`] is what one response holds.
//! - [`ResponseJson`](super::ResponseJson) is a response in pieces, each with its part of the share.
//!
//! Long lists (failed pages, the links of a map) and the messages of watchers are made piece by piece, when
//! the client took the one before, and hold a small share for the pieces on their way.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use bytes::Bytes;
use gleaner_runtime::Error;
use gleaner_store::TeamId;
use tokio::sync::{AcquireError, OwnedSemaphorePermit, Semaphore};
use tokio::time::timeout;

/// Default of [`ServiceConfig::response_memory`](super::ServiceConfig::response_memory): 512 MiB.
pub const DEFAULT_RESPONSE_MEMORY: usize = 512 << 20;
/// Lower bound of [`ServiceConfig::response_memory`](super::ServiceConfig::response_memory): 64 MiB. A
/// quarter of it has space for a full status.
pub const MIN_RESPONSE_MEMORY: usize = 64 << 20;
/// How long a request waits for response memory before it is refused with a retry time.
pub const RESPONSE_MEMORY_WAIT: Duration = Duration::from_secs(5);

/// A team takes at most one part in this many of the memory.
const TEAM_PARTS: u32 = 4;
/// Responses that are made and wait for memory take one part in this many of it, in addition to it.
const WAITING_PARTS: u32 = 4;
/// A team takes at most one part in this many of that.
const TEAM_WAITING_PARTS: u32 = 2;
/// Retry time of a request that found no response memory.
const RETRY_PAUSE: Duration = Duration::from_secs(1);
/// Bytes of one semaphore permit.
const UNIT: usize = 1 << 10;
/// Maximum memory, in units: 128 GiB.
const MAX_UNITS: u32 = 1 << 27;

/// The memory that responses may use, by team and in all.
#[derive(Debug)]
pub struct ResponseMemory {
    all: Room,
    /// In units.
    total: u32,
    /// Teams that build or send responses.
    teams: Mutex<HashMap<TeamId, Arc<Room>>>,
}

/// What all teams or one of them may have.
#[derive(Debug, Clone)]
struct Room {
    held: Arc<Semaphore>,
    /// For responses that are made, and wait until they are held.
    waiting: Arc<Semaphore>,
}

impl Room {
    fn new(held: u32, waiting: u32) -> Self {
        let semaphore = |units: u32| Arc::new(Semaphore::new(units as usize));
        Self { held: semaphore(held), waiting: semaphore(waiting) }
    }
}

impl ResponseMemory {
    /// A budget of this many bytes, at least [`MIN_RESPONSE_MEMORY`].
    pub(super) fn new(bytes: usize) -> Self {
        let total = units(bytes.max(MIN_RESPONSE_MEMORY)).min(MAX_UNITS);
        Self { all: Room::new(total, total / WAITING_PARTS), total, teams: Mutex::default() }
    }

    /// Takes a share of this many bytes, or of all that one team may have if that is less. Waits for at most
    /// [`RESPONSE_MEMORY_WAIT`].
    ///
    /// # Errors
    /// [`RateLimited`](crate::ErrorKind::RateLimited) if the memory did not become free.
    pub async fn reserve(&self, team: &TeamId, bytes: usize) -> Result<ResponseShare, Error> {
        let max = self.total / TEAM_PARTS;
        let (team, all) = (self.team_room(team), self.all.clone());
        let held = (Arc::clone(&team.held), Arc::clone(&all.held));
        let (of_team, of_all) = acquire(held, units(bytes).min(max)).await?;
        Ok(ResponseShare { of_team, of_all, max, max_waiting: self.max_waiting(), team, all })
    }

    /// The bytes that responses hold now.
    #[must_use]
    pub fn used(&self) -> usize {
        (self.total as usize).saturating_sub(self.all.held.available_permits()).saturating_mul(UNIT)
    }

    /// All that may wait of one team, in units.
    fn max_waiting(&self) -> u32 {
        self.total / WAITING_PARTS / TEAM_WAITING_PARTS
    }

    fn team_room(&self, team: &TeamId) -> Arc<Room> {
        let mut teams = self.teams.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(existing) = teams.get(team) {
            return Arc::clone(existing);
        }
        // What holds memory holds a reference; entries without one are evicted.
        teams.retain(|_, room| Arc::strong_count(room) > 1 || Arc::strong_count(&room.held) > 1);
        let new = Arc::new(Room::new(self.total / TEAM_PARTS, self.max_waiting()));
        teams.insert(team.clone(), Arc::clone(&new));
        new
    }
}

fn units(bytes: usize) -> u32 {
    u32::try_from(bytes.div_ceil(UNIT)).unwrap_or(u32::MAX)
}

/// Takes permits of a team and of all.
async fn acquire((of_team, of_all): (Arc<Semaphore>, Arc<Semaphore>), units: u32) -> Result<Permits, Error> {
    // The permits of the team come first: a request that waits for them blocks no other team.
    let acquired = timeout(RESPONSE_MEMORY_WAIT, async {
        let of_team = of_team.acquire_many_owned(units).await?;
        Ok::<_, AcquireError>((of_team, of_all.acquire_many_owned(units).await?))
    });
    acquired.await.ok().and_then(Result::ok).ok_or_else(refused)
}

/// Takes permits of a team and of all if they are free now.
fn try_acquire((of_team, of_all): (Arc<Semaphore>, Arc<Semaphore>), units: u32) -> Option<Permits> {
    let of_team = of_team.try_acquire_many_owned(units).ok()?;
    Some((of_team, of_all.try_acquire_many_owned(units).ok()?))
}

/// Of a team, and of all.
type Permits = (OwnedSemaphorePermit, OwnedSemaphorePermit);

fn refused() -> Error {
    let text = "too many responses are read at once; finish reading earlier ones first";
    Error::rate_limited(text, RETRY_PAUSE)
}

/// Memory that one response holds; dropping it frees the memory.
#[derive(Debug)]
pub struct ResponseShare {
    of_team: OwnedSemaphorePermit,
    of_all: OwnedSemaphorePermit,
    /// All that one team may have, in units.
    max: u32,
    /// All that may wait of one team, in units.
    max_waiting: u32,
    team: Arc<Room>,
    all: Room,
}

impl ResponseShare {
    /// Makes the share at least this large, or as large as one team may have, for a response that is made.
    /// Waits for at most [`RESPONSE_MEMORY_WAIT`], and not at all if too many other bytes wait already.
    ///
    /// # Errors
    /// [`RateLimited`](crate::ErrorKind::RateLimited) if the memory did not become free. The share is then as
    /// before.
    pub async fn grow_to(&mut self, bytes: usize) -> Result<(), Error> {
        let missing = self.missing(units(bytes).min(self.max));
        if missing == 0 || self.try_grow_by(missing) {
            return Ok(());
        }
        let waiting = (Arc::clone(&self.team.waiting), Arc::clone(&self.all.waiting));
        let _waiting = try_acquire(waiting, missing.min(self.max_waiting)).ok_or_else(refused)?;
        let grown = acquire(self.held(), missing).await?;
        self.merge(grown);
        Ok(())
    }

    /// Makes the share at least this large if the memory for it is free now. Says whether it is.
    pub fn try_grow_to(&mut self, bytes: usize) -> bool {
        self.try_grow_by(self.missing(units(bytes)))
    }

    fn try_grow_by(&mut self, missing: u32) -> bool {
        let grown = try_acquire(self.held(), missing);
        let has_grown = grown.is_some();
        grown.into_iter().for_each(|grown| self.merge(grown));
        has_grown
    }

    fn merge(&mut self, (of_team, of_all): Permits) {
        self.of_team.merge(of_team);
        self.of_all.merge(of_all);
    }

    /// Gives back what is more than this many bytes. If the share is smaller, takes what is missing if that
    /// is free: the response is in memory already.
    pub fn fit(&mut self, bytes: usize) {
        if !self.try_grow_to(bytes) {
            return;
        }
        let wanted = units(bytes) as usize;
        for permit in [&mut self.of_team, &mut self.of_all] {
            drop(permit.split(permit.num_permits().saturating_sub(wanted)));
        }
    }

    /// Attaches a part of the share to bytes of this response: the part ends when the last copy of the bytes
    /// is dropped.
    #[must_use]
    pub fn attach(&mut self, bytes: Vec<u8>) -> Bytes {
        let part = (units(bytes.len()) as usize).min(self.of_all.num_permits());
        let part = self.of_team.split(part).zip(self.of_all.split(part));
        Bytes::from_owner(Held { bytes: bytes.into(), _share: part })
    }

    /// Bytes of a response that is made piece by piece: the share is held until all of its pieces and all
    /// other references are dropped.
    #[must_use]
    pub fn hold(self: &Arc<Self>, bytes: impl Into<Bytes>) -> Bytes {
        Bytes::from_owner(Held { bytes: bytes.into(), _share: Arc::clone(self) })
    }

    /// The units that are missing to this many.
    fn missing(&self, units: u32) -> u32 {
        units.saturating_sub(u32::try_from(self.of_all.num_permits()).unwrap_or(u32::MAX))
    }

    fn held(&self) -> (Arc<Semaphore>, Arc<Semaphore>) {
        (Arc::clone(&self.team.held), Arc::clone(&self.all.held))
    }
}

/// Bytes with their share.
struct Held<S> {
    bytes: Bytes,
    _share: S,
}

impl<S> AsRef<[u8]> for Held<S> {
    fn as_ref(&self) -> &[u8] {
        &self.bytes
    }
}

#[cfg(test)]
mod tests {
    use gleaner_types::limits::MAX_STATUS_BYTES;

    use super::*;

    /// What one team may have by default.
    const OF_TEAM: usize = DEFAULT_RESPONSE_MEMORY / TEAM_PARTS as usize;

    fn memory() -> ResponseMemory {
        ResponseMemory::new(DEFAULT_RESPONSE_MEMORY)
    }

    /// Takes shares of this size until none is left.
    async fn fill(memory: &ResponseMemory, team: &str, size: usize) -> Vec<ResponseShare> {
        let mut shares = Vec::new();
        while let Ok(share) = memory.reserve(&TeamId::new(team), size).await {
            shares.push(share);
        }
        shares
    }

    #[tokio::test(start_paused = true)]
    async fn bytes_hold_their_part_until_the_last_copy_is_dropped() {
        let memory = memory();
        let mut shares = fill(&memory, "a", MAX_STATUS_BYTES).await;
        assert_eq!(shares.len(), OF_TEAM / MAX_STATUS_BYTES);
        let refused = memory.reserve(&TeamId::new("a"), MAX_STATUS_BYTES).await.unwrap_err();
        assert_eq!((refused.http_status(), refused.retry_after()), (429, Some(RETRY_PAUSE)));
        assert!(memory.reserve(&TeamId::new("b"), OF_TEAM).await.is_ok(), "another team has its own memory");
        let mut share = shares.pop().unwrap();
        drop(shares);
        let (first, second) = (share.attach(vec![0; 64 * UNIT]), share.attach(vec![0; 100]));
        assert_eq!((first.len(), second.len()), (64 * UNIT, 100));
        let copy = first.slice(7..8);
        drop((share, first));
        assert_eq!(memory.used(), 65 * UNIT);
        drop(copy);
        assert_eq!(memory.used(), UNIT);
        drop(second);
        assert_eq!(memory.used(), 0, "all memory is free again");
    }

    #[tokio::test(start_paused = true)]
    async fn a_share_that_is_held_by_many_ends_with_the_last_of_them() {
        let memory = memory();
        let share = Arc::new(memory.reserve(&TeamId::new("a"), 8 * UNIT).await.unwrap());
        let pieces = [share.hold(vec![1_u8]), share.hold(Bytes::from_static(b"2"))];
        drop(share);
        assert_eq!(memory.used(), 8 * UNIT);
        drop(pieces);
        assert_eq!(memory.used(), 0);
    }

    #[tokio::test(start_paused = true)]
    async fn a_share_grows_and_shrinks_within_the_memory_of_its_team() {
        let memory = memory();
        let team = TeamId::new("a");
        let mut share = memory.reserve(&team, UNIT).await.unwrap();
        assert!(share.try_grow_to(OF_TEAM - UNIT));
        let other = memory.reserve(&team, UNIT).await.unwrap();
        assert!(!share.try_grow_to(OF_TEAM), "the last unit is taken");
        assert_eq!(share.grow_to(OF_TEAM).await.unwrap_err().http_status(), 429);
        assert_eq!(memory.used(), OF_TEAM);
        drop(other);
        share.grow_to(usize::MAX).await.unwrap();
        assert!(!share.try_grow_to(OF_TEAM + 1), "a team has no more");
        share.fit(10 * UNIT);
        assert_eq!(memory.used(), 10 * UNIT);
        share.fit(20 * UNIT);
        assert_eq!(memory.used(), 20 * UNIT);
        let whole = fill(&memory, "b", usize::MAX).await;
        assert_eq!(whole.len(), 1, "one response may take all of its team");
    }

    /// Scrapes of large pages that nobody read took any memory while they waited for it.
    #[tokio::test(start_paused = true)]
    async fn what_waits_for_memory_is_bounded_by_team() {
        let memory = memory();
        let share = async |team: &str| memory.reserve(&TeamId::new(team), UNIT).await.unwrap();
        let (mut first, mut second, mut third) = (share("a").await, share("a").await, share("a").await);
        let most = memory.reserve(&TeamId::new("a"), OF_TEAM - 3 * UNIT).await.unwrap();
        // Two of them may wait, and not a third.
        let part = OF_TEAM / 4;
        let began = tokio::time::Instant::now();
        let third = async {
            tokio::task::yield_now().await;
            let refused = third.grow_to(part).await.is_err();
            (refused, began.elapsed())
        };
        let read = async {
            tokio::time::sleep(RESPONSE_MEMORY_WAIT / 2).await;
            drop(most);
        };
        let (first, second, third, ()) =
            tokio::join!(first.grow_to(part - 4 * UNIT), second.grow_to(part), third, read);
        assert_eq!((first.is_ok(), second.is_ok(), third), (true, true, (true, Duration::ZERO)));
        assert!(memory.reserve(&TeamId::new("a"), UNIT).await.is_ok(), "the share of the third is as before");
        assert!(share("b").await.grow_to(OF_TEAM).await.is_ok(), "another team has its own memory");
    }

    #[tokio::test(start_paused = true)]
    async fn all_teams_together_stay_within_the_total_bound() {
        let memory = ResponseMemory::new(0);
        let mut shares = Vec::new();
        for team in 0..8 {
            shares.extend(fill(&memory, &team.to_string(), 1 << 20).await);
        }
        assert_eq!(shares.len(), MIN_RESPONSE_MEMORY >> 20);
        assert_eq!(memory.used(), MIN_RESPONSE_MEMORY);
        drop(shares);
        assert!(memory.reserve(&TeamId::new("new"), 1).await.is_ok());
        assert_eq!(memory.teams.lock().unwrap().len(), 1, "idle teams are evicted");
    }
}
