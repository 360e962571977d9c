//! The memory of the bodies of all requests together, each from its first byte until its last copy is
//! dropped.
//!
//! Bodies are counted as they come in and not by their `Content-Length`: a server that promises 50 MB and
//! sends nothing blocks nobody. Without free memory a body waits in the middle, and so does its server. To
//! avoid a deadlock of bodies that all wait for each other, one body at a time may exceed the bound.

use std::pin::pin;
use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use futures_util::future::{Either, select};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio::time::Instant;
use url::Url;

use crate::error::{Error, ErrorKind};
use crate::transport::trace::{Stage, Trace};

/// Bytes of each body that are not counted, so pages of the usual size never wait for others.
pub const FREE_BODY_BYTES: usize = 256 * 1024;

/// Longest time that a body waits for memory, all its waits together. It does not count towards the request's
/// timeout.
pub const MEMORY_TIMEOUT: Duration = Duration::from_secs(300);

/// Memory is counted in units of this many bytes.
const UNIT: usize = 1024;
/// A body reserves memory in steps of this many bytes.
const STEP: usize = 256 * 1024;

/// The memory for the bodies of one fetcher.
#[derive(Debug)]
pub(crate) struct BodyMemory {
    units: Arc<Semaphore>,
    /// The one permit for a body that exceeds the bound.
    overflow: Arc<Semaphore>,
}

impl BodyMemory {
    pub(crate) fn new(bytes: u64) -> Self {
        let units = usize::try_from(bytes / UNIT as u64).unwrap_or(usize::MAX);
        Self {
            units: Arc::new(Semaphore::new(units.min(Semaphore::MAX_PERMITS))),
            overflow: Arc::new(Semaphore::new(1)),
        }
    }
}

/// The permits of one body; released when they are dropped.
#[derive(Debug, Default)]
struct Permits {
    units: Option<OwnedSemaphorePermit>,
    overflow: Option<OwnedSemaphorePermit>,
}

impl Permits {
    fn add(&mut self, permit: OwnedSemaphorePermit) {
        match &mut self.units {
            Some(units) => units.merge(permit),
            none => *none = Some(permit),
        }
    }
}

/// The memory reserved for one body while it comes in.
#[derive(Debug)]
pub(crate) struct Reservation<'a> {
    memory: Option<&'a BodyMemory>,
    trace: &'a Trace,
    permits: Permits,
    /// Bytes that the body may have with its permits.
    covered: usize,
    /// How long the body may still wait.
    remaining_wait: Duration,
}

impl<'a> Reservation<'a> {
    /// Without `memory` nothing is counted.
    pub(crate) fn new(memory: Option<&'a BodyMemory>, trace: &'a Trace) -> Self {
        let permits = Permits::default();
        Self { memory, trace, permits, covered: FREE_BODY_BYTES, remaining_wait: MEMORY_TIMEOUT }
    }

    /// Waits until this many bytes are reserved for the body.
    pub(super) async fn cover(&mut self, bytes: usize, url: &Url) -> Result<(), Error> {
        let is_covered = bytes <= self.covered || self.permits.overflow.is_some();
        let Some(memory) = self.memory.filter(|_| !is_covered) else { return Ok(()) };
        let missing = (bytes - self.covered).next_multiple_of(STEP);
        let units = u32::try_from(missing / UNIT).unwrap_or(u32::MAX);
        match Arc::clone(&memory.units).try_acquire_many_owned(units) {
            Ok(permit) => self.permits.add(permit),
            Err(_) => self.wait(memory, units, url).await?,
        }
        self.covered += missing;
        Ok(())
    }

    async fn wait(&mut self, memory: &BodyMemory, units: u32, url: &Url) -> Result<(), Error> {
        // The server is not at fault, so this time does not count.
        let pause = self.trace.pause(Stage::Memory);
        let regular = pin!(Arc::clone(&memory.units).acquire_many_owned(units));
        let overflow = pin!(Arc::clone(&memory.overflow).acquire_owned());
        let began = Instant::now();
        let granted = tokio::time::timeout(self.remaining_wait, select(regular, overflow)).await;
        self.remaining_wait = self.remaining_wait.saturating_sub(began.elapsed());
        drop(pause);
        self.trace.enter(Stage::Body);
        match granted {
            Ok(Either::Left((Ok(permit), _))) => self.permits.add(permit),
            Ok(Either::Right((Ok(permit), _))) => self.permits.overflow = Some(permit),
            // The semaphores are never closed.
            Ok(Either::Left((Err(_), _)) | Either::Right((Err(_), _))) => {}
            Err(_) => {
                let text = format!(
                    "no memory for the body became free within {} seconds: other bodies hold it",
                    MEMORY_TIMEOUT.as_secs()
                );
                return Err(Error::new(ErrorKind::Timeout, url, text).temporary());
            }
        }
        Ok(())
    }

    /// The body, which holds its permits until its last copy is dropped.
    pub(super) fn attach_to(self, body: Bytes) -> Bytes {
        let Permits { units: None, overflow: None } = self.permits else {
            return Bytes::from_owner(AccountedBody { body, _permits: self.permits });
        };
        body
    }
}

struct AccountedBody {
    body: Bytes,
    _permits: Permits,
}

impl AsRef<[u8]> for AccountedBody {
    fn as_ref(&self) -> &[u8] {
        &self.body
    }
}

#[cfg(test)]
mod tests {
    use futures_util::FutureExt as _;

    use super::*;

    const MIB: usize = 1024 * 1024;

    fn url() -> Url {
        Url::parse("https://a.example/").unwrap()
    }

    /// A body of this many bytes if there is memory for it now.
    fn take(memory: &BodyMemory, bytes: usize) -> Option<Bytes> {
        let trace = Trace::default();
        let mut reservation = Reservation::new(Some(memory), &trace);
        reservation.cover(bytes, &url()).now_or_never()?.unwrap();
        Some(reservation.attach_to(Bytes::from(vec![b'x'; bytes])))
    }

    #[tokio::test]
    async fn bodies_hold_memory_until_their_last_copy_is_dropped() {
        let memory = BodyMemory::new(4 << 20);
        let whole = take(&memory, 4 * MIB + FREE_BODY_BYTES).unwrap();
        assert_eq!(memory.units.available_permits(), 0);
        let copy = whole.slice(10..20);
        drop(whole);
        assert_eq!((memory.units.available_permits(), copy.len()), (0, 10));
        drop(copy);
        assert_eq!(memory.units.available_permits(), 4 * 1024);
    }

    #[tokio::test]
    async fn short_bodies_are_not_counted() {
        let memory = BodyMemory::new(0);
        let overflow = take(&memory, 50 * MIB).unwrap();
        for _ in 0..100 {
            assert_eq!(take(&memory, FREE_BODY_BYTES).unwrap().len(), FREE_BODY_BYTES);
        }
        assert!(take(&memory, FREE_BODY_BYTES + 1).is_none());
        drop(overflow);
        assert!(take(&memory, FREE_BODY_BYTES + 1).is_some());
    }

    #[tokio::test]
    async fn one_body_at_a_time_may_exceed_the_bound() {
        let memory = BodyMemory::new(4 << 20);
        let _regular = take(&memory, 4 * MIB).unwrap();
        let overflow = take(&memory, 10 * MIB).unwrap();
        assert!(take(&memory, 10 * MIB).is_none());
        drop(overflow);
        assert!(take(&memory, 10 * MIB).is_some());
    }

    #[tokio::test]
    async fn an_unfinished_body_releases_its_memory() {
        let memory = BodyMemory::new(4 << 20);
        let trace = Trace::default();
        let mut reservation = Reservation::new(Some(&memory), &trace);
        for bytes in (1..=4).map(|mib| mib * MIB) {
            reservation.cover(bytes, &url()).now_or_never().unwrap().unwrap();
        }
        assert_eq!(memory.units.available_permits(), FREE_BODY_BYTES / UNIT, "counted as it came in");
        drop(reservation);
        assert_eq!(memory.units.available_permits(), 4 * 1024);
    }

    #[tokio::test(start_paused = true)]
    async fn the_wait_for_memory_is_bounded_and_does_not_count_towards_the_timeout() {
        let memory = BodyMemory::new(0);
        let _overflow = take(&memory, MIB).unwrap();
        let trace = Trace::default();
        let (began, url) = (Instant::now(), url());
        let mut reservation = Reservation::new(Some(&memory), &trace);
        let error = reservation.cover(MIB, &url).await.unwrap_err();
        assert!(error.is_timeout() && error.is_retryable(), "{error}");
        assert!(began.elapsed() >= MEMORY_TIMEOUT);
        assert!(trace.extended(began) >= began + MEMORY_TIMEOUT);
    }

    #[tokio::test(start_paused = true)]
    async fn all_waits_of_a_body_share_one_bound() {
        let memory = BodyMemory::new(MIB as u64);
        let whole = take(&memory, FREE_BODY_BYTES + MIB).unwrap();
        let _overflow = take(&memory, MIB).unwrap();
        let trace = Trace::default();
        let (began, url) = (Instant::now(), url());
        let mut reservation = Reservation::new(Some(&memory), &trace);
        let freed = async move {
            tokio::time::sleep(MEMORY_TIMEOUT * 2 / 3).await;
            drop(whole);
        };
        let (covered, ()) = tokio::join!(reservation.cover(FREE_BODY_BYTES + STEP, &url), freed);
        covered.unwrap();
        let _rest = take(&memory, FREE_BODY_BYTES + MIB - STEP).unwrap();
        reservation.cover(FREE_BODY_BYTES + 2 * STEP, &url).await.unwrap_err();
        let waited = began.elapsed();
        assert!(waited >= MEMORY_TIMEOUT && waited < MEMORY_TIMEOUT + Duration::from_secs(1), "{waited:?}");
    }
}
