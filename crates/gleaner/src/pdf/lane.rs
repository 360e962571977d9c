//! Places to convert in, and who has the next one.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use gleaner_store::TeamId;
use tokio::sync::{oneshot, watch};
use url::{Position, Url};

/// Teams and hosts whose last turn is remembered. When there are more, all are forgotten, and files go by when they came.
const MAX_REMEMBERED: usize = 4_096;

/// Whose a file is. Teams take turns, and the hosts of a team do.
#[derive(Debug, Clone)]
pub(super) struct Turn {
    team: String,
    host: String,
}

impl Turn {
    pub(super) fn of(team: Option<&TeamId>, url: &Url) -> Self {
        let team = team.map_or("", TeamId::as_str).to_owned();
        let host = format!("{team}\n{}", &url[Position::BeforeHost..Position::AfterPort]);
        Self { team, host }
    }
}

/// Places, given out in turn. Cloning gives another handle to the same places.
#[derive(Debug, Clone)]
pub(super) struct Lane {
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
    turn: Turn,
    tried: bool,
    /// When it came.
    since: u64,
    give: oneshot::Sender<Place>,
}

/// A place in a lane. Dropping it gives it to the next.
#[derive(Debug)]
pub(super) struct Place {
    lane: Option<Lane>,
}

impl Lane {
    pub(super) fn new(places: usize) -> Self {
        let state = State { free: places.max(1), waiting: Vec::new(), count: 0, served: HashMap::new() };
        Self { shared: Arc::new(Shared { state: Mutex::new(state), untried: watch::Sender::new(0) }) }
    }

    /// Waits for a place. Files that have not been tried go first; then the team that has waited the longest for a turn, of
    /// it the host, and of that the file that came first.
    pub(super) async fn place(&self, turn: &Turn, tried: bool) -> Place {
        let place = {
            let mut state = self.state();
            if state.free > 0 {
                state.free -= 1;
                state.serve(turn);
                return Place { lane: Some(self.clone()) };
            }
            let (give, place) = oneshot::channel();
            state.count += 1;
            let since = state.count;
            state.waiting.retain(|waiting| !waiting.give.is_closed());
            state.waiting.push(Waiting { turn: turn.clone(), tried, since, give });
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
            state.serve(&next.turn);
            match next.give.send(Place { lane: Some(self.clone()) }) {
                Ok(()) => return self.tell(&state),
                // It has just given up: the place is not to come back here by being dropped.
                Err(mut place) => place.lane = None,
            }
        }
        state.free += 1;
        self.tell(&state);
    }
}

impl State {
    /// Notes that it is somebody's turn.
    fn serve(&mut self, turn: &Turn) {
        if self.served.len() >= MAX_REMEMBERED {
            self.served.clear();
        }
        self.count += 1;
        for key in [&turn.team, &turn.host] {
            self.served.insert(key.clone(), self.count);
        }
    }

    /// Who has the next place, taken off those who wait.
    fn next(&mut self) -> Option<Waiting> {
        self.waiting.retain(|waiting| !waiting.give.is_closed());
        let last = |key: &String| self.served.get(key).copied().unwrap_or(0);
        let order = |waiting: &Waiting| {
            (waiting.tried, last(&waiting.turn.team), last(&waiting.turn.host), waiting.since)
        };
        let (next, _) = self.waiting.iter().enumerate().min_by_key(|(_, waiting)| order(waiting))?;
        Some(self.waiting.swap_remove(next))
    }
}

impl Place {
    /// Ends when a file that has not been tried waits for a place.
    pub(super) async fn wanted(&self) {
        let Some(lane) = &self.lane else { return std::future::pending().await };
        let mut untried = lane.shared.untried.subscribe();
        let _ = untried.wait_for(|untried| *untried > 0).await;
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        if let Some(lane) = self.lane.take() {
            lane.give_on();
        }
    }
}

#[cfg(test)]
mod tests {
    use std::pin::Pin;

    use futures_util::FutureExt as _;

    use super::*;

    fn turn(team: &str, host: &str) -> Turn {
        Turn::of(Some(&TeamId::new(team)), &format!("https://{host}/x.pdf").parse().unwrap())
    }

    type Wait<'a> = Pin<Box<dyn Future<Output = Place> + 'a>>;

    /// Somebody who waits, after others that came before.
    fn wait<'a>(lane: &'a Lane, turn: &'a Turn, tried: bool) -> Wait<'a> {
        let mut wait: Wait<'a> = Box::pin(lane.place(turn, tried));
        assert!(wait.as_mut().now_or_never().is_none(), "the lane is full");
        wait
    }

    /// In which order those who wait have the only place, each until its end.
    fn order(place: Place, mut waits: Vec<(&str, Wait<'_>)>) -> Vec<String> {
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
        let lane = Lane::new(1);
        let (hostile, good, other) =
            (turn("a", "evil.example"), turn("a", "good.example"), turn("b", "evil.example"));
        let first = lane.place(&hostile, false).now_or_never().unwrap();
        let mut waits: Vec<(&str, Wait<'_>)> =
            (0..20).map(|_| ("hostile", wait(&lane, &hostile, false))).collect();
        waits.push(("good", wait(&lane, &good, false)));
        waits.push(("other team", wait(&lane, &other, false)));
        let order = order(first, waits);
        assert_eq!(order[..3], ["other team", "good", "hostile"]);
        assert_eq!(order.len(), 22);
    }

    #[test]
    fn what_has_been_tried_waits_for_what_has_not() {
        let lane = Lane::new(1);
        let (one, two) = (turn("a", "one.example"), turn("a", "two.example"));
        let place = lane.place(&one, false).now_or_never().unwrap();
        let waits = vec![
            ("tried", wait(&lane, &two, true)),
            ("new", wait(&lane, &one, false)),
            ("newer", wait(&lane, &one, false)),
        ];
        assert_eq!(order(place, waits), ["new", "newer", "tried"]);
    }

    #[test]
    fn a_place_is_wanted_by_those_who_have_not_been_tried() {
        let lane = Lane::new(2);
        let turn = turn("a", "one.example");
        let place = lane.place(&turn, false).now_or_never().unwrap();
        let other = lane.place(&turn, false).now_or_never().unwrap();
        assert!(place.wanted().now_or_never().is_none());
        let tried = wait(&lane, &turn, true);
        assert!(place.wanted().now_or_never().is_none());
        let untried = wait(&lane, &turn, false);
        assert!(place.wanted().now_or_never().is_some());
        drop(other);
        assert!(untried.now_or_never().is_some() && place.wanted().now_or_never().is_none());
        drop(tried);
    }

    #[test]
    fn a_place_is_not_lost_with_who_gave_up() {
        let lane = Lane::new(1);
        let turn = turn("a", "one.example");
        let place = lane.place(&turn, false).now_or_never().unwrap();
        drop(wait(&lane, &turn, false));
        let given = wait(&lane, &turn, false);
        drop(place);
        // It has the place, and never looks.
        drop(given);
        assert!(lane.place(&turn, false).now_or_never().is_some());
        assert_eq!(lane.state().free, 1);
    }
}
