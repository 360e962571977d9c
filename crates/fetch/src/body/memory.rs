//! The memory of the bodies of all requests together, each from its first byte until its last copy is
//! dropped.
//!
//! Bodies are counted as they come in and not by their `Content-Length`: a server that promises 50 MB and
//! sends nothing blocks nobody. Without free memory a body waits in the middle, and so does its server. To
//! avoid a deadlock of bodies that all wait for each other, one body at a time may exceed the bound.
//!
//! The owners of requests, such as teams, take turns: the one that holds least goes first. Each takes at most
//! as much as it leaves free, so one whose servers are slow leaves memory for others, who need not wait for
//! it. If no request has an owner, all of the memory may be taken.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use bytes::Bytes;
use tokio::sync::oneshot;
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

/// Who a body is for; `None` is one owner too.
type Owner = Option<Arc<str>>;

/// The memory for the bodies of one fetcher. Clones share it.
#[derive(Debug, Clone)]
pub(crate) struct BodyMemory(Arc<Mutex<State>>);

#[derive(Debug)]
struct State {
    /// Free units.
    free: usize,
    /// Whether a body exceeds the bound.
    is_exceeded: bool,
    /// Whether a request had an owner, so that there are shares.
    has_owners: bool,
    /// The units of each owner that has any.
    held: HashMap<Owner, usize>,
    /// In the order of their arrival.
    waiting: Vec<Waiting>,
}

/// A body that waits.
#[derive(Debug)]
struct Waiting {
    owner: Owner,
    units: usize,
    sender: oneshot::Sender<Permit>,
}

/// The memory of one body; released when it is dropped.
#[derive(Debug)]
struct Permit {
    /// `None` if there is nothing to release.
    memory: Option<BodyMemory>,
    owner: Owner,
    units: usize,
    /// Whether the body may exceed the bound.
    exceeds: bool,
}

/// The place of a body among those that wait.
struct Wait<'a> {
    memory: &'a BodyMemory,
    receiver: oneshot::Receiver<Permit>,
}

impl BodyMemory {
    pub(crate) fn new(bytes: u64) -> Self {
        let free = usize::try_from(bytes / UNIT as u64).unwrap_or(usize::MAX);
        let (held, waiting) = (HashMap::new(), Vec::new());
        Self(Arc::new(Mutex::new(State { free, is_exceeded: false, has_owners: false, held, waiting })))
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Asks for units. They may be there at once.
    fn ask(&self, owner: Owner, units: usize) -> Wait<'_> {
        let (sender, receiver) = oneshot::channel();
        let mut state = self.state();
        state.has_owners |= owner.is_some();
        state.waiting.push(Waiting { owner, units, sender });
        self.grant(&mut state);
        Wait { memory: self, receiver }
    }

    /// Gives free memory to the bodies that are next.
    fn grant(&self, state: &mut State) {
        while let Some((next, exceeds)) = state.next() {
            let Waiting { owner, units, sender } = state.waiting.remove(next);
            let units = if exceeds { 0 } else { units };
            let permit = Permit { memory: Some(self.clone()), owner: owner.clone(), units, exceeds };
            match sender.send(permit) {
                Ok(()) => state.take(owner, units, exceeds),
                // The body no longer waits. Its permit must not release what it did not take.
                Err(mut permit) => permit.memory = None,
            }
        }
    }
}

impl State {
    /// The next body that gets memory, and whether it may exceed the bound.
    fn next(&mut self) -> Option<(usize, bool)> {
        self.waiting.retain(|waiting| !waiting.sender.is_closed());
        let held = |waiting: &Waiting| self.held.get(&waiting.owner).copied().unwrap_or(0);
        let fits = |waiting: &Waiting| {
            // What the owner holds then, and what it leaves free.
            let (own, left) = (held(waiting) + waiting.units, self.free.checked_sub(waiting.units));
            left.is_some_and(|left| !self.has_owners || own <= left)
        };
        let in_turn = |counts: &dyn Fn(&Waiting) -> bool| {
            let waiting = self.waiting.iter().enumerate().filter(|(_, waiting)| counts(waiting));
            // Of equals, the first.
            waiting.min_by_key(|(_, waiting)| held(waiting)).map(|(index, _)| index)
        };
        match in_turn(&fits) {
            Some(index) => Some((index, false)),
            None if self.is_exceeded => None,
            None => in_turn(&|_| true).map(|index| (index, true)),
        }
    }

    fn take(&mut self, owner: Owner, units: usize, exceeds: bool) {
        self.free = self.free.saturating_sub(units);
        self.is_exceeded |= exceeds;
        if units > 0 {
            *self.held.entry(owner).or_default() += units;
        }
    }

    fn release(&mut self, owner: &Owner, units: usize, exceeds: bool) {
        self.free += units;
        self.is_exceeded &= !exceeds;
        if let Some(held) = self.held.get_mut(owner) {
            *held = held.saturating_sub(units);
            if *held == 0 {
                self.held.remove(owner);
            }
        }
    }
}

impl Drop for Permit {
    fn drop(&mut self) {
        if let Some(memory) = self.memory.take() {
            let mut state = memory.state();
            state.release(&self.owner, self.units, self.exceeds);
            memory.grant(&mut state);
        }
    }
}

impl Drop for Wait<'_> {
    fn drop(&mut self) {
        // Memory that was sent and not received is given back when the receiver is dropped.
        self.receiver.close();
        let mut state = self.memory.state();
        if !state.waiting.is_empty() {
            self.memory.grant(&mut state);
        }
    }
}

/// The memory reserved for one body while it comes in.
#[derive(Debug)]
pub(crate) struct Reservation<'a> {
    memory: Option<&'a BodyMemory>,
    owner: Option<&'a Arc<str>>,
    trace: &'a Trace,
    permit: Option<Permit>,
    /// Bytes that the body may have with its permit.
    covered: usize,
    /// How long the body may still wait.
    remaining_wait: Duration,
}

impl<'a> Reservation<'a> {
    /// Without `memory` nothing is counted.
    pub(crate) fn new(memory: Option<&'a BodyMemory>, owner: Option<&'a Arc<str>>, trace: &'a Trace) -> Self {
        let (permit, covered) = (None, FREE_BODY_BYTES);
        Self { memory, owner, trace, permit, covered, remaining_wait: MEMORY_TIMEOUT }
    }

    /// Waits until this many bytes are reserved for the body.
    pub(super) async fn cover(&mut self, bytes: usize, url: &Url) -> Result<(), Error> {
        let is_covered = bytes <= self.covered || self.permit.as_ref().is_some_and(|permit| permit.exceeds);
        let Some(memory) = self.memory.filter(|_| !is_covered) else { return Ok(()) };
        let missing = (bytes - self.covered).next_multiple_of(STEP);
        let mut wait = memory.ask(self.owner.cloned(), missing / UNIT);
        let granted = match wait.receiver.try_recv() {
            Ok(permit) => permit,
            Err(_) => self.wait(&mut wait, url).await?,
        };
        drop(wait);
        match &mut self.permit {
            Some(permit) => permit.merge(granted),
            none => *none = Some(granted),
        }
        self.covered += missing;
        Ok(())
    }

    async fn wait(&mut self, wait: &mut Wait<'_>, url: &Url) -> Result<Permit, Error> {
        // The server is not at fault, so this time does not count.
        let pause = self.trace.pause(Stage::Memory);
        let began = Instant::now();
        let granted = tokio::time::timeout(self.remaining_wait, &mut wait.receiver).await;
        self.remaining_wait = self.remaining_wait.saturating_sub(began.elapsed());
        drop(pause);
        self.trace.enter(Stage::Body);
        // A sender stays in the list until it has sent.
        granted.ok().and_then(Result::ok).ok_or_else(|| {
            let text = format!(
                "no memory for the body became free within {} seconds: other bodies hold it",
                MEMORY_TIMEOUT.as_secs()
            );
            Error::new(ErrorKind::Timeout, url, text).temporary()
        })
    }

    /// The body, which holds its permit until its last copy is dropped.
    pub(super) fn attach_to(self, body: Bytes) -> Bytes {
        match self.permit {
            Some(permit) => Bytes::from_owner(AccountedBody { body, _permit: permit }),
            None => body,
        }
    }
}

impl Permit {
    /// Adds what the same body got later.
    fn merge(&mut self, mut later: Self) {
        later.memory = None;
        self.units += later.units;
        self.exceeds |= later.exceeds;
    }
}

struct AccountedBody {
    body: Bytes,
    _permit: Permit,
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
        take_for(memory, None, bytes)
    }

    /// As [`take`], for this owner.
    fn take_for(memory: &BodyMemory, owner: Option<&str>, bytes: usize) -> Option<Bytes> {
        let (trace, owner) = (Trace::default(), owner.map(Arc::from));
        let mut reservation = Reservation::new(Some(memory), owner.as_ref(), &trace);
        reservation.cover(bytes, &url()).now_or_never()?.unwrap();
        Some(reservation.attach_to(Bytes::from(vec![b'x'; bytes])))
    }

    #[tokio::test]
    async fn bodies_hold_memory_until_their_last_copy_is_dropped() {
        let memory = BodyMemory::new(4 << 20);
        let whole = take(&memory, 4 * MIB + FREE_BODY_BYTES).unwrap();
        assert_eq!(memory.state().free, 0);
        let copy = whole.slice(10..20);
        drop(whole);
        assert_eq!((memory.state().free, copy.len()), (0, 10));
        drop(copy);
        assert_eq!(memory.state().free, 4 * 1024);
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
        let mut reservation = Reservation::new(Some(&memory), None, &trace);
        for bytes in (1..=4).map(|mib| mib * MIB) {
            reservation.cover(bytes, &url()).now_or_never().unwrap().unwrap();
        }
        assert_eq!(memory.state().free, FREE_BODY_BYTES / UNIT, "counted as it came in");
        drop(reservation);
        assert_eq!(memory.state().free, 4 * 1024);
    }

    #[tokio::test(start_paused = true)]
    async fn the_wait_for_memory_is_bounded_and_does_not_count_towards_the_timeout() {
        let memory = BodyMemory::new(0);
        let _overflow = take(&memory, MIB).unwrap();
        let trace = Trace::default();
        let (began, url) = (Instant::now(), url());
        let mut reservation = Reservation::new(Some(&memory), None, &trace);
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
        let mut reservation = Reservation::new(Some(&memory), None, &trace);
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

    #[tokio::test]
    async fn an_owner_takes_at_most_as_much_as_it_leaves_free() {
        let memory = BodyMemory::new(8 << 20);
        let take = |owner, mib| take_for(&memory, Some(owner), FREE_BODY_BYTES + mib * MIB);
        let first: Vec<Bytes> = (0..4).map(|_| take("slow", 1).unwrap()).collect();
        let _exceeding = take("slow", 20).unwrap();
        assert!(take("slow", 1).is_none(), "half is taken, and half is free");
        let _small = take("other", 1).unwrap();
        assert!(take_for(&memory, None, FREE_BODY_BYTES + 2 * MIB).is_none(), "no owner is an owner too");
        assert!(take("other", 2).is_none(), "3 of 8 with 4 of another leave 1");
        drop(first);
        assert!(take("slow", 1).is_some());
    }

    #[tokio::test]
    async fn owners_take_turns_and_a_small_body_does_not_wait_behind_the_many_of_another() {
        let memory = BodyMemory::new(4 << 20);
        let (trace, url) = (Trace::default(), url());
        let [many, few] = ["many", "few"].map(|owner| Some(Arc::<str>::from(owner)));
        let mib = |owner: &Owner| take_for(&memory, owner.as_deref(), FREE_BODY_BYTES + MIB);
        // All of the memory: two bodies of one, one of the other, and one that exceeds the bound.
        let mut held = vec![mib(&many).unwrap(), mib(&many).unwrap(), mib(&few).unwrap()];
        let exceeding = mib(&many).unwrap();
        let mut waiting: Vec<_> = [&many, &many, &many, &few]
            .map(|owner| {
                let mut reservation = Reservation::new(Some(&memory), owner.as_ref(), &trace);
                let url = &url;
                Box::pin(
                    async move { reservation.cover(FREE_BODY_BYTES + MIB, url).await.map(|()| reservation) },
                )
            })
            .into();
        assert!(waiting.iter_mut().all(|body| body.as_mut().now_or_never().is_none()));
        drop(exceeding);
        let _of_few = waiting[3].as_mut().now_or_never().expect("it came last, and holds least").unwrap();
        assert!(waiting[..3].iter_mut().all(|body| body.as_mut().now_or_never().is_none()));
        held.clear();
        assert!(waiting[0].as_mut().now_or_never().is_some(), "then the others, in their order");
    }
}
