//! Slots for costly work, given to teams and hosts in turn: browsers for pages, processes for PDFs, threads
//! for large pages, and memory, where a page takes many slots at once.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use gleaner_store::TeamId;
use tokio::sync::{oneshot, watch};
use url::{Position, Url};

/// Maximum teams and hosts whose last turn is remembered. Above it all are forgotten, and the order of
/// arrival decides.
const MAX_REMEMBERED: usize = 4_096;

/// The team and the host of a page that needs a slot. Teams take turns, and so do the hosts of a team.
#[derive(Debug, Clone)]
pub struct SlotOwner {
    team: String,
    host: String,
}

impl SlotOwner {
    /// For a page at `url`. Pages without a team share one turn.
    #[must_use]
    pub fn new(team: Option<&TeamId>, url: &Url) -> Self {
        let team = team.map_or("", TeamId::as_str).to_owned();
        let host = format!("{team}\n{}", &url[Position::BeforeHost..Position::AfterPort]);
        Self { team, host }
    }
}

/// A semaphore with fair turns. Clones share its slots.
#[derive(Debug, Clone)]
pub struct FairSemaphore {
    shared: Arc<Shared>,
}

#[derive(Debug)]
struct Shared {
    state: Mutex<State>,
    /// The number of waiting pages that have not been tried.
    untried: watch::Sender<usize>,
}

#[derive(Debug)]
struct State {
    free: usize,
    waiting: Vec<Waiting>,
    /// The number of events so far: turns and arrivals.
    count: u64,
    /// The number of the last turn of each team, and of each host of a team.
    served: HashMap<String, u64>,
}

#[derive(Debug)]
struct Waiting {
    owner: SlotOwner,
    tried: bool,
    /// The number of its arrival.
    since: u64,
    slots: usize,
    sender: oneshot::Sender<FairPermit>,
}

/// A slot, or several. Dropping it gives them to the next pages.
#[derive(Debug)]
pub struct FairPermit {
    semaphore: Option<FairSemaphore>,
    slots: usize,
}

/// A page that waits.
struct Wait<'a> {
    semaphore: &'a FairSemaphore,
    receiver: oneshot::Receiver<FairPermit>,
}

impl FairSemaphore {
    /// With this many slots, at least one.
    #[must_use]
    pub fn new(slots: usize) -> Self {
        let state = State { free: slots.max(1), waiting: Vec::new(), count: 0, served: HashMap::new() };
        Self { shared: Arc::new(Shared { state: Mutex::new(state), untried: watch::Sender::new(0) }) }
    }

    /// Waits for a slot. Untried pages come first, then the team whose last turn is longest ago, then the
    /// host of that team whose last turn is longest ago, then the page that arrived first. `tried` is true
    /// for a page that had a slot before and gave it up.
    pub async fn acquire(&self, owner: &SlotOwner, tried: bool) -> FairPermit {
        self.acquire_many(owner, tried, 1).await
    }

    /// As [`acquire`](Self::acquire), for several slots, of which there must be as many. The next page in
    /// turn waits until all of its slots are free, and no other passes it, so that none starves.
    pub(crate) async fn acquire_many(&self, owner: &SlotOwner, tried: bool, slots: usize) -> FairPermit {
        let (sender, receiver) = oneshot::channel();
        {
            let mut state = self.state();
            state.count += 1;
            let since = state.count;
            state.waiting.push(Waiting { owner: owner.clone(), tried, since, slots, sender });
            self.grant(&mut state);
        }
        let mut wait = Wait { semaphore: self, receiver };
        match (&mut wait.receiver).await {
            Ok(permit) => permit,
            // Not reached: a sender stays in the list until it has sent.
            Err(_) => std::future::pending().await,
        }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.shared.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn publish_untried(&self, state: &State) {
        let untried = state.waiting.iter().filter(|waiting| !waiting.tried).count();
        self.shared.untried.send_replace(untried);
    }

    /// Gives free slots to the pages that are next.
    fn grant(&self, state: &mut State) {
        while let Some(next) = state.next() {
            let permit = FairPermit { semaphore: Some(self.clone()), slots: next.slots };
            match next.sender.send(permit) {
                Ok(()) => {
                    state.free = state.free.saturating_sub(next.slots);
                    state.serve(&next.owner);
                }
                // The page no longer waits. Disarm the permit, because its drop would lock the state again.
                Err(mut permit) => permit.semaphore = None,
            }
        }
        self.publish_untried(state);
    }
}

impl Drop for Wait<'_> {
    fn drop(&mut self) {
        // A slot that was sent and not received is given back when the receiver is dropped.
        self.receiver.close();
        let mut state = self.semaphore.state();
        if !state.waiting.is_empty() {
            // It may have been the one that all others wait for.
            self.semaphore.grant(&mut state);
        }
    }
}

impl State {
    /// Records a turn.
    fn serve(&mut self, owner: &SlotOwner) {
        if self.served.len() >= MAX_REMEMBERED {
            self.served.clear();
        }
        self.count += 1;
        for key in [&owner.team, &owner.host] {
            self.served.insert(key.clone(), self.count);
        }
    }

    /// Removes the next page from the waiting ones if its slots are free.
    fn next(&mut self) -> Option<Waiting> {
        self.waiting.retain(|waiting| !waiting.sender.is_closed());
        let last = |key: &String| self.served.get(key).copied().unwrap_or(0);
        let order = |waiting: &Waiting| {
            (waiting.tried, last(&waiting.owner.team), last(&waiting.owner.host), waiting.since)
        };
        if self.free == 0 {
            return None;
        }
        let (next, waiting) = self.waiting.iter().enumerate().min_by_key(|(_, waiting)| order(waiting))?;
        (waiting.slots <= self.free).then(|| self.waiting.swap_remove(next))
    }
}

impl FairPermit {
    #[cfg(test)]
    pub(crate) fn slots(&self) -> usize {
        self.slots
    }

    /// Completes when an untried page waits for a slot.
    pub async fn wanted(&self) {
        let Some(semaphore) = &self.semaphore else { return std::future::pending().await };
        let mut untried = semaphore.shared.untried.subscribe();
        let _ = untried.wait_for(|untried| *untried > 0).await;
    }
}

impl Drop for FairPermit {
    fn drop(&mut self) {
        if let Some(semaphore) = self.semaphore.take() {
            let mut state = semaphore.state();
            state.free += self.slots;
            semaphore.grant(&mut state);
        }
    }
}

#[cfg(test)]
mod tests {
    use std::pin::Pin;

    use futures_util::FutureExt as _;

    use super::*;

    fn owner(team: &str, host: &str) -> SlotOwner {
        SlotOwner::new(Some(&TeamId::new(team)), &format!("https://{host}/x.pdf").parse().unwrap())
    }

    type Wait<'a> = Pin<Box<dyn Future<Output = FairPermit> + 'a>>;

    /// A page that waits for a slot.
    fn wait<'a>(semaphore: &'a FairSemaphore, owner: &'a SlotOwner, tried: bool) -> Wait<'a> {
        let mut wait: Wait<'a> = Box::pin(semaphore.acquire(owner, tried));
        assert!(wait.as_mut().now_or_never().is_none(), "no slot is free");
        wait
    }

    /// The order in which waiting pages get the only slot.
    fn order(permit: FairPermit, mut waits: Vec<(&str, Wait<'_>)>) -> Vec<String> {
        let mut order = Vec::new();
        drop(permit);
        while !waits.is_empty() {
            let next = waits.iter_mut().position(|(name, wait)| {
                let permit = wait.as_mut().now_or_never();
                if permit.is_some() {
                    order.push((*name).to_owned());
                }
                // The permit is dropped here, so the next page gets the slot.
                permit.is_some()
            });
            drop(waits.remove(next.expect("the slot is passed on")));
        }
        order
    }

    #[test]
    fn one_good_page_does_not_wait_behind_a_queue_of_hostile_ones() {
        let semaphore = FairSemaphore::new(1);
        let (hostile, good, other) =
            (owner("a", "evil.example"), owner("a", "good.example"), owner("b", "evil.example"));
        let first = semaphore.acquire(&hostile, false).now_or_never().unwrap();
        let mut waits: Vec<(&str, Wait<'_>)> =
            (0..20).map(|_| ("hostile", wait(&semaphore, &hostile, false))).collect();
        waits.push(("good", wait(&semaphore, &good, false)));
        waits.push(("other team", wait(&semaphore, &other, false)));
        let order = order(first, waits);
        assert_eq!(order[..3], ["other team", "good", "hostile"]);
        assert_eq!(order.len(), 22);
    }

    #[test]
    fn untried_pages_come_first() {
        let semaphore = FairSemaphore::new(1);
        let (one, two) = (owner("a", "one.example"), owner("a", "two.example"));
        let permit = semaphore.acquire(&one, false).now_or_never().unwrap();
        let waits = vec![
            ("tried", wait(&semaphore, &two, true)),
            ("new", wait(&semaphore, &one, false)),
            ("newer", wait(&semaphore, &one, false)),
        ];
        assert_eq!(order(permit, waits), ["new", "newer", "tried"]);
    }

    #[test]
    fn only_untried_pages_interrupt_others() {
        let semaphore = FairSemaphore::new(2);
        let owner = owner("a", "one.example");
        let permit = semaphore.acquire(&owner, false).now_or_never().unwrap();
        let other = semaphore.acquire(&owner, false).now_or_never().unwrap();
        assert!(permit.wanted().now_or_never().is_none());
        let tried = wait(&semaphore, &owner, true);
        assert!(permit.wanted().now_or_never().is_none());
        let untried = wait(&semaphore, &owner, false);
        assert!(permit.wanted().now_or_never().is_some());
        drop(other);
        assert!(untried.now_or_never().is_some() && permit.wanted().now_or_never().is_none());
        drop(tried);
    }

    #[test]
    fn a_slot_is_not_lost_when_a_waiting_page_is_dropped() {
        let semaphore = FairSemaphore::new(1);
        let owner = owner("a", "one.example");
        let permit = semaphore.acquire(&owner, false).now_or_never().unwrap();
        drop(wait(&semaphore, &owner, false));
        let given = wait(&semaphore, &owner, false);
        drop(permit);
        // It has received the slot, but was not polled.
        drop(given);
        assert!(semaphore.acquire(&owner, false).now_or_never().is_some());
        assert_eq!(semaphore.state().free, 1);
    }

    #[test]
    fn pages_that_need_many_slots_have_their_turn() {
        let semaphore = FairSemaphore::new(10);
        let (a, b) = (owner("a", "one.example"), owner("b", "two.example"));
        let take = |owner, slots| semaphore.acquire_many(owner, false, slots).now_or_never();
        let first = take(&a, 6).unwrap();
        let second = take(&a, 4).unwrap();
        let mut many = Box::pin(semaphore.acquire_many(&b, false, 8));
        assert!(many.as_mut().now_or_never().is_none());
        let mut few = Box::pin(semaphore.acquire_many(&a, false, 2));
        assert!(few.as_mut().now_or_never().is_none());
        drop(second);
        assert!(few.as_mut().now_or_never().is_none(), "the other team is next");
        drop(first);
        let many = many.as_mut().now_or_never().unwrap();
        assert!(few.as_mut().now_or_never().is_some(), "two slots are left");
        drop(many);
        assert!(take(&a, 10).is_some());
    }

    #[test]
    fn a_page_that_no_longer_waits_lets_others_pass() {
        let semaphore = FairSemaphore::new(10);
        let owner = owner("a", "one.example");
        let most = semaphore.acquire_many(&owner, false, 7).now_or_never().unwrap();
        let mut many = Box::pin(semaphore.acquire_many(&owner, false, 10));
        assert!(many.as_mut().now_or_never().is_none());
        let mut few = Box::pin(semaphore.acquire_many(&owner, false, 3));
        assert!(few.as_mut().now_or_never().is_none());
        drop(many);
        assert!(few.as_mut().now_or_never().is_some());
        drop(most);
        assert_eq!(semaphore.state().free, 10);
    }
}
