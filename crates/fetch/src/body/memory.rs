//! The memory that bodies take, of all requests together: from the time that they come in until their last copy is dropped.
//!
//! Bodies are counted as they come in and not by what they say of their length: a server that promises 50 MB and sends
//! nothing holds up nobody. Where no memory is left a body waits in the middle, and its server with it. So that bodies which
//! all wait for each other come to an end, one of them at a time goes on beyond the bound.

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

/// Bytes of each body that are not counted: pages of the usual size never wait for others.
pub const FREE_BODY_BYTES: usize = 256 * 1024;

/// Longest time that a body waits for memory, all of its waits together. It is no part of the request's timeout.
pub const MEMORY_TIMEOUT: Duration = Duration::from_secs(300);

/// Memory is counted in units of this many bytes.
const UNIT: usize = 1024;
/// A body takes memory in steps of this many bytes.
const STEP: usize = 256 * 1024;

/// What the bodies of one fetcher may take.
#[derive(Debug)]
pub(crate) struct BodyMemory {
    share: Arc<Semaphore>,
    /// The one place for a body that goes on beyond the share.
    beyond: Arc<Semaphore>,
}

impl BodyMemory {
    pub(crate) fn new(bytes: u64) -> Self {
        let units = usize::try_from(bytes / UNIT as u64).unwrap_or(usize::MAX);
        Self {
            share: Arc::new(Semaphore::new(units.min(Semaphore::MAX_PERMITS))),
            beyond: Arc::new(Semaphore::new(1)),
        }
    }
}

/// What one body has taken; given back when it is dropped.
#[derive(Debug, Default)]
struct Held {
    share: Option<OwnedSemaphorePermit>,
    beyond: Option<OwnedSemaphorePermit>,
}

impl Held {
    fn add(&mut self, permit: OwnedSemaphorePermit) {
        match &mut self.share {
            Some(share) => share.merge(permit),
            none => *none = Some(permit),
        }
    }
}

/// The account of one body while it comes in.
#[derive(Debug)]
pub(crate) struct Account<'a> {
    memory: Option<&'a BodyMemory>,
    trace: &'a Trace,
    held: Held,
    /// Bytes that the body may have with what it has taken.
    covered: usize,
    /// How long the body may still wait.
    patience: Duration,
}

impl<'a> Account<'a> {
    /// Without `memory` nothing is counted.
    pub(crate) fn new(memory: Option<&'a BodyMemory>, trace: &'a Trace) -> Self {
        Self { memory, trace, held: Held::default(), covered: FREE_BODY_BYTES, patience: MEMORY_TIMEOUT }
    }

    /// Waits until the body may have this many bytes.
    pub(super) async fn cover(&mut self, bytes: usize, url: &Url) -> Result<(), Error> {
        let Some(memory) = self.memory.filter(|_| bytes > self.covered && self.held.beyond.is_none()) else {
            return Ok(());
        };
        let wanted = (bytes - self.covered).next_multiple_of(STEP);
        let units = u32::try_from(wanted / UNIT).unwrap_or(u32::MAX);
        match Arc::clone(&memory.share).try_acquire_many_owned(units) {
            Ok(permit) => self.held.add(permit),
            Err(_) => self.wait(memory, units, url).await?,
        }
        self.covered += wanted;
        Ok(())
    }

    async fn wait(&mut self, memory: &BodyMemory, units: u32, url: &Url) -> Result<(), Error> {
        // The server does nothing wrong meanwhile: its time stands still.
        let pause = self.trace.pausing(Stage::Memory);
        let share = pin!(Arc::clone(&memory.share).acquire_many_owned(units));
        let beyond = pin!(Arc::clone(&memory.beyond).acquire_owned());
        let began = Instant::now();
        let granted = tokio::time::timeout(self.patience, select(share, beyond)).await;
        self.patience = self.patience.saturating_sub(began.elapsed());
        drop(pause);
        self.trace.enter(Stage::Body);
        match granted {
            Ok(Either::Left((Ok(permit), _))) => self.held.add(permit),
            Ok(Either::Right((Ok(permit), _))) => self.held.beyond = Some(permit),
            // They are never closed.
            Ok(Either::Left((Err(_), _)) | Either::Right((Err(_), _))) => {}
            Err(_) => {
                let text = format!(
                    "no memory for the body came free within {} seconds: other bodies hold it",
                    MEMORY_TIMEOUT.as_secs()
                );
                return Err(Error::new(ErrorKind::Timeout, url, text).passing());
            }
        }
        Ok(())
    }

    /// The body with what it has taken, for as long as there is a copy of it.
    pub(super) fn around(self, body: Bytes) -> Bytes {
        let Held { share: None, beyond: None } = self.held else {
            return Bytes::from_owner(Kept { body, _held: self.held });
        };
        body
    }
}

struct Kept {
    body: Bytes,
    _held: Held,
}

impl AsRef<[u8]> for Kept {
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

    /// A body of this many bytes, if there is memory for it now.
    fn take(memory: &BodyMemory, bytes: usize) -> Option<Bytes> {
        let trace = Trace::default();
        let mut account = Account::new(Some(memory), &trace);
        account.cover(bytes, &url()).now_or_never()?.unwrap();
        Some(account.around(Bytes::from(vec![b'x'; bytes])))
    }

    #[tokio::test]
    async fn bodies_take_memory_until_their_last_copy_is_dropped() {
        let memory = BodyMemory::new(4 << 20);
        let whole = take(&memory, 4 * MIB + FREE_BODY_BYTES).unwrap();
        assert_eq!(memory.share.available_permits(), 0);
        let copy = whole.slice(10..20);
        drop(whole);
        assert_eq!((memory.share.available_permits(), copy.len()), (0, 10));
        drop(copy);
        assert_eq!(memory.share.available_permits(), 4 * 1024);
    }

    #[tokio::test]
    async fn short_bodies_are_not_counted() {
        let memory = BodyMemory::new(0);
        let beyond = take(&memory, 50 * MIB).unwrap();
        for _ in 0..100 {
            assert_eq!(take(&memory, FREE_BODY_BYTES).unwrap().len(), FREE_BODY_BYTES);
        }
        assert!(take(&memory, FREE_BODY_BYTES + 1).is_none());
        drop(beyond);
        assert!(take(&memory, FREE_BODY_BYTES + 1).is_some());
    }

    #[tokio::test]
    async fn one_body_at_a_time_goes_on_beyond_the_share() {
        let memory = BodyMemory::new(4 << 20);
        let _share = take(&memory, 4 * MIB).unwrap();
        let beyond = take(&memory, 10 * MIB).unwrap();
        assert!(take(&memory, 10 * MIB).is_none());
        drop(beyond);
        assert!(take(&memory, 10 * MIB).is_some());
    }

    #[tokio::test]
    async fn what_did_not_come_to_an_end_is_given_back() {
        let memory = BodyMemory::new(4 << 20);
        let trace = Trace::default();
        let mut account = Account::new(Some(&memory), &trace);
        for bytes in (1..=4).map(|mib| mib * MIB) {
            account.cover(bytes, &url()).now_or_never().unwrap().unwrap();
        }
        assert_eq!(memory.share.available_permits(), FREE_BODY_BYTES / UNIT, "counted as it came in");
        drop(account);
        assert_eq!(memory.share.available_permits(), 4 * 1024);
    }

    #[tokio::test(start_paused = true)]
    async fn the_wait_for_memory_is_no_part_of_the_timeout_and_has_an_end() {
        let memory = BodyMemory::new(0);
        let _beyond = take(&memory, MIB).unwrap();
        let trace = Trace::default();
        let (began, url) = (Instant::now(), url());
        let mut account = Account::new(Some(&memory), &trace);
        let error = account.cover(MIB, &url).await.unwrap_err();
        assert!(error.is_timeout() && error.is_retryable(), "{error}");
        assert!(began.elapsed() >= MEMORY_TIMEOUT);
        assert!(trace.put_off(began) >= began + MEMORY_TIMEOUT);
    }

    #[tokio::test(start_paused = true)]
    async fn a_body_that_waits_again_and_again_waits_no_longer() {
        let memory = BodyMemory::new(MIB as u64);
        let whole = take(&memory, FREE_BODY_BYTES + MIB).unwrap();
        let _beyond = take(&memory, MIB).unwrap();
        let trace = Trace::default();
        let (began, url) = (Instant::now(), url());
        let mut account = Account::new(Some(&memory), &trace);
        let freed = async move {
            tokio::time::sleep(MEMORY_TIMEOUT * 2 / 3).await;
            drop(whole);
        };
        let (covered, ()) = tokio::join!(account.cover(FREE_BODY_BYTES + STEP, &url), freed);
        covered.unwrap();
        let _rest = take(&memory, FREE_BODY_BYTES + MIB - STEP).unwrap();
        account.cover(FREE_BODY_BYTES + 2 * STEP, &url).await.unwrap_err();
        let waited = began.elapsed();
        assert!(waited >= MEMORY_TIMEOUT && waited < MEMORY_TIMEOUT + Duration::from_secs(1), "{waited:?}");
    }
}
