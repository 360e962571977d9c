//! One piece of work for all who want its outcome at the same time.
//!
//! The first to ask for a key leads and works in its own task; the others wait for it. A spawned task that
//! all wait for would be simpler, and would go on working when nobody wants the outcome any more, past every
//! deadline. So a leader that is cancelled hands over: the next of those who wait leads in its place.
//!
//! A leader whose outcome is not for others (an error, a page that must not be kept) releases them, and each
//! works for itself: one after the other in line they would wait for the sum of all.

use std::collections::HashMap;
use std::hash::Hash;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tokio::sync::watch;

/// What is being worked on, by key; as many entries as there are leaders.
#[derive(Debug)]
pub(crate) struct Flights<K, V>(Arc<UnderWay<K, V>>);

type UnderWay<K, V> = Mutex<HashMap<K, watch::Receiver<Outcome<V>>>>;

#[derive(Debug, Clone)]
enum Outcome<V> {
    Pending,
    Landed(V),
    Released,
}

/// What became of asking for a key.
#[derive(Debug)]
pub(crate) enum FlightRole<K: Eq + Hash, V> {
    /// Do the work.
    Leader(Leader<K, V>),
    /// Another did it.
    Landed(V),
    /// Another tried; do the work for yourself.
    Released,
}

/// The duty to work on a key. Dropped without an outcome, it passes to another.
#[derive(Debug)]
pub(crate) struct Leader<K: Eq + Hash, V> {
    flights: Arc<UnderWay<K, V>>,
    key: K,
    outcome: watch::Sender<Outcome<V>>,
}

impl<K, V> Default for Flights<K, V> {
    fn default() -> Self {
        Self(Arc::default())
    }
}

impl<K: Eq + Hash + Clone, V: Clone> Flights<K, V> {
    /// Leads the work on `key`, or waits until another's is done.
    pub(crate) async fn join(&self, key: &K) -> FlightRole<K, V> {
        loop {
            let mut waiting = {
                let mut flights = locked(&self.0);
                match flights.get(key) {
                    Some(flight) => flight.clone(),
                    None => {
                        let (outcome, receiver) = watch::channel(Outcome::Pending);
                        flights.insert(key.clone(), receiver);
                        return FlightRole::Leader(Leader {
                            flights: Arc::clone(&self.0),
                            key: key.clone(),
                            outcome,
                        });
                    }
                }
            };
            let outcome = waiting.wait_for(|outcome| !matches!(outcome, Outcome::Pending)).await;
            match outcome.as_deref() {
                Ok(Outcome::Landed(value)) => return FlightRole::Landed(value.clone()),
                Ok(_) => return FlightRole::Released,
                // The leader is gone and has said nothing.
                Err(_) => {}
            }
        }
    }
}

fn locked<K, V>(under_way: &UnderWay<K, V>) -> MutexGuard<'_, HashMap<K, watch::Receiver<Outcome<V>>>> {
    // Nothing panics while it is held, and a map is whole between any two calls.
    under_way.lock().unwrap_or_else(PoisonError::into_inner)
}

impl<K: Eq + Hash, V> Leader<K, V> {
    /// Here is the outcome, for all who wait.
    pub(crate) fn land(self, value: V) {
        self.outcome.send_replace(Outcome::Landed(value));
    }

    /// There is none for others.
    pub(crate) fn release(self) {
        self.outcome.send_replace(Outcome::Released);
    }
}

impl<K: Eq + Hash, V> Drop for Leader<K, V> {
    fn drop(&mut self) {
        locked(&self.flights).remove(&self.key);
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicUsize, Ordering::SeqCst};
    use std::time::Duration;

    use super::*;

    /// `count` tasks that all want "k"; each that leads works for a second.
    fn crowd(
        flights: &Arc<Flights<&'static str, usize>>,
        works: &Arc<AtomicUsize>,
        count: usize,
    ) -> Vec<tokio::task::JoinHandle<usize>> {
        (0..count)
            .map(|_| {
                let (flights, works) = (Arc::clone(flights), Arc::clone(works));
                tokio::spawn(async move {
                    match flights.join(&"k").await {
                        FlightRole::Leader(leader) => {
                            let work = works.fetch_add(1, SeqCst) + 1;
                            tokio::time::sleep(Duration::from_secs(1)).await;
                            leader.land(work);
                            work
                        }
                        FlightRole::Landed(work) => work,
                        FlightRole::Released => 0,
                    }
                })
            })
            .collect()
    }

    #[tokio::test(start_paused = true)]
    async fn one_works_for_all() {
        let (flights, works) = (Arc::default(), Arc::default());
        for task in crowd(&flights, &works, 100) {
            assert_eq!(task.await.unwrap(), 1);
        }
        assert_eq!(works.load(SeqCst), 1);
        assert!(locked(&flights.0).is_empty());
    }

    #[tokio::test(start_paused = true)]
    async fn the_duty_of_a_cancelled_leader_passes_on() {
        let (flights, works) = (Arc::default(), Arc::default());
        let mut tasks = crowd(&flights, &works, 100);
        tokio::time::sleep(Duration::from_millis(500)).await;
        let leader = tasks.remove(0);
        leader.abort();
        assert!(leader.await.unwrap_err().is_cancelled());
        for task in tasks {
            assert_eq!(task.await.unwrap(), 2, "the second worked for all that were left");
        }
        assert_eq!(works.load(SeqCst), 2);
        assert!(locked(&flights.0).is_empty());
    }

    #[tokio::test]
    async fn who_is_released_works_alone() {
        let flights: Arc<Flights<_, usize>> = Arc::default();
        let FlightRole::Leader(leader) = flights.join(&"k").await else { panic!("nobody else leads") };
        let waiting = tokio::spawn({
            let flights = Arc::clone(&flights);
            async move { matches!(flights.join(&"k").await, FlightRole::Released) }
        });
        tokio::task::yield_now().await;
        leader.release();
        assert!(waiting.await.unwrap());
        assert!(locked(&flights.0).is_empty());
    }
}
