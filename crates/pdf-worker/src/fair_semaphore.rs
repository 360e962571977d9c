//! Places to convert in, and who has the next one.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tokio::sync::{oneshot, watch};
use url::{Position, Url};

/// Teams and hosts whose last turn is remembered. When there are more, all are forgotten, and files go by
/// when they came.
const MAX_REMEMBERED: usize = 4_096;

/// Whose a file is. Teams take turns, and the hosts of a team do.
#[derive(Debug, Clone)]
pub(super) struct FileOwner {
    team: String,
    host: String,
}

impl FileOwner {
    pub(super) fn of(team: &str, url: &Url) -> Self {
        let team = team.to_owned();
        let host = format!("{team}\n{}", &url[Position::BeforeHost..Position::AfterPort]);
        Self { team, host }
    }
}

/// Places, given out in turn. Cloning gives another handle to the same places.
#[derive(Debug, Clone)]
pub(super) struct FairSemaphore {
    shared: Arc<Shared>,
}

#[derive(Debug)]
struct Shared {
    state: Mutex<State>,
    /// How many files wait that have not been tried.
    untried: watch::Sender<usize>,
}

#[derive(Debug)]
struct State {
    /// Nobody waits while there are any.
    free: usize,
    waiting: Vec<Waiting>,
    /// Counts turns and those who wait.
    count: u64,
    /// When a team, or a host of a team, had its last turn.
    served: HashMap<String, u64>,
}

#[derive(Debug)]
struct Waiting {
    owner: FileOwner,
    tried: bool,
    /// When it came.
    since: u64,
    give: oneshot::Sender<FairPermit>,
}

/// A place in a lane. Dropping it gives it to the next.
#[derive(Debug)]
pub(super) struct FairPermit {
    fair_semaphore: Option<FairSemaphore>,
}

impl FairSemaphore {
    pub(super) fn new(places: usize) -> Self {
        let state = State { free: places.max(1), waiting: Vec::new(), count: 0, served: HashMap::new() };
        Self { shared: Arc::new(Shared { state: Mutex::new(state), untried: watch::Sender::new(0) }) }
    }

    /// Waits for a place. Files that have not been tried go first; then the team that has waited the longest
    /// for a turn, of it the host, and of that the file that came first.
    pub(super) async fn place(&self, owner: &FileOwner, tried: bool) -> FairPermit {
        let place = {
            let mut state = self.state();
            if state.free > 0 {
                state.free -= 1;
                state.serve(owner);
                return FairPermit { fair_semaphore: Some(self.clone()) };
            }
            let (give, place) = oneshot::channel();
            state.count += 1;
            let since = state.count;
            state.waiting.retain(|waiting| !waiting.give.is_closed());
            state.waiting.push(Waiting { owner: owner.clone(), tried, since, give });
            self.tell(&state);
            place
        };
        match place.await {
            Ok(place) => place,
            // The lane keeps whoever waits until it has a place for them.
            Err(_) => std::future::pending().await,
        }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.shared.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn tell(&self, state: &State) {
        let untried = state.waiting.iter().filter(|waiting| !waiting.tried).count();
        self.shared.untried.send_replace(untried);
    }

    /// A place is free.
    fn give_on(&self) {
        let mut state = self.state();
        while let Some(next) = state.next() {
            state.serve(&next.owner);
            match next.give.send(FairPermit { fair_semaphore: Some(self.clone()) }) {
                Ok(()) => return self.tell(&state),
                // It has just given up: the place is not to come back here by being dropped.
                Err(mut place) => place.fair_semaphore = None,
            }
        }
        state.free += 1;
        self.tell(&state);
    }
}

impl State {
    /// Notes that it is somebody's turn.
    fn serve(&mut self, owner: &FileOwner) {
        if self.served.len() >= MAX_REMEMBERED {
            self.served.clear();
        }
        self.count += 1;
        for key in [&owner.team, &owner.host] {
            self.served.insert(key.clone(), self.count);
        }
    }

    /// Who has the next place, taken off those who wait.
    fn next(&mut self) -> Option<Waiting> {
        self.waiting.retain(|waiting| !waiting.give.is_closed());
        let last = |key: &String| self.served.get(key).copied().unwrap_or(0);
        let order = |waiting: &Waiting| {
            (waiting.tried, last(&waiting.owner.team), last(&waiting.owner.host), waiting.since)
        };
        let (next, _) = self.waiting.iter().enumerate().min_by_key(|(_, waiting)| order(waiting))?;
        Some(self.waiting.swap_remove(next))
    }
}

impl FairPermit {
    /// Ends when a file that has not been tried waits for a place.
    pub(super) async fn wanted(&self) {
        let Some(fair_semaphore) = &self.fair_semaphore else { return std::future::pending().await };
        let mut untried = fair_semaphore.shared.untried.subscribe();
        let _ = untried.wait_for(|untried| *untried > 0).await;
    }
}

impl Drop for FairPermit {
    fn drop(&mut self) {
        if let Some(fair_semaphore) = self.fair_semaphore.take() {
            fair_semaphore.give_on();
        }
    }
}

#[cfg(test)]
mod tests {
    use std::pin::Pin;

    use futures_util::FutureExt as _;

    use super::*;

    fn owner(team: &str, host: &str) -> FileOwner {
        FileOwner::of(team, &format!("https://{host}/x.pdf").parse().unwrap())
    }

    type Wait<'a> = Pin<Box<dyn Future<Output = FairPermit> + 'a>>;

    /// Somebody who waits, after others that came before.
    fn wait<'a>(fair_semaphore: &'a FairSemaphore, owner: &'a FileOwner, tried: bool) -> Wait<'a> {
        let mut wait: Wait<'a> = Box::pin(fair_semaphore.place(owner, tried));
        assert!(wait.as_mut().now_or_never().is_none(), "the lane is full");
        wait
    }

    /// In which order those who wait have the only place, each until its end.
    fn order(place: FairPermit, mut waits: Vec<(&str, Wait<'_>)>) -> Vec<String> {
        let mut order = Vec::new();
        drop(place);
        while !waits.is_empty() {
            let next = waits.iter_mut().position(|(name, wait)| {
                let place = wait.as_mut().now_or_never();
                if place.is_some() {
                    order.push((*name).to_owned());
                }
                // Dropped here: the next one has it.
                place.is_some()
            });
            drop(waits.remove(next.expect("the place is given on")));
        }
        order
    }

    #[test]
    fn one_good_file_does_not_wait_behind_a_queue_of_hostile_ones() {
        let fair_semaphore = FairSemaphore::new(1);
        let (hostile, good, other) =
            (owner("a", "evil.example"), owner("a", "good.example"), owner("b", "evil.example"));
        let first = fair_semaphore.place(&hostile, false).now_or_never().unwrap();
        let mut waits: Vec<(&str, Wait<'_>)> =
            (0..20).map(|_| ("hostile", wait(&fair_semaphore, &hostile, false))).collect();
        waits.push(("good", wait(&fair_semaphore, &good, false)));
        waits.push(("other team", wait(&fair_semaphore, &other, false)));
        let order = order(first, waits);
        assert_eq!(order[..3], ["other team", "good", "hostile"]);
        assert_eq!(order.len(), 22);
    }

    #[test]
    fn what_has_been_tried_waits_for_what_has_not() {
        let fair_semaphore = FairSemaphore::new(1);
        let (one, two) = (owner("a", "one.example"), owner("a", "two.example"));
        let place = fair_semaphore.place(&one, false).now_or_never().unwrap();
        let waits = vec![
            ("tried", wait(&fair_semaphore, &two, true)),
            ("new", wait(&fair_semaphore, &one, false)),
            ("newer", wait(&fair_semaphore, &one, false)),
        ];
        assert_eq!(order(place, waits), ["new", "newer", "tried"]);
    }

    #[test]
    fn a_place_is_wanted_by_those_who_have_not_been_tried() {
        let fair_semaphore = FairSemaphore::new(2);
        let owner = owner("a", "one.example");
        let place = fair_semaphore.place(&owner, false).now_or_never().unwrap();
        let other = fair_semaphore.place(&owner, false).now_or_never().unwrap();
        assert!(place.wanted().now_or_never().is_none());
        let tried = wait(&fair_semaphore, &owner, true);
        assert!(place.wanted().now_or_never().is_none());
        let untried = wait(&fair_semaphore, &owner, false);
        assert!(place.wanted().now_or_never().is_some());
        drop(other);
        assert!(untried.now_or_never().is_some() && place.wanted().now_or_never().is_none());
        drop(tried);
    }

    #[test]
    fn a_place_is_not_lost_with_who_gave_up() {
        let fair_semaphore = FairSemaphore::new(1);
        let owner = owner("a", "one.example");
        let place = fair_semaphore.place(&owner, false).now_or_never().unwrap();
        drop(wait(&fair_semaphore, &owner, false));
        let given = wait(&fair_semaphore, &owner, false);
        drop(place);
        // It has the place, and never looks.
        drop(given);
        assert!(fair_semaphore.place(&owner, false).now_or_never().is_some());
        assert_eq!(fair_semaphore.state().free, 1);
    }
}
