//! Single flight: concurrent tasks share one piece of work for the same key.
//!
//! The first task that joins a key becomes the leader and does the work itself; the others wait for it.
//! Alternative: a spawned task that all wait for. It is simpler, but would go on working when nobody waits
//! any more, past every deadline. So a cancelled leader hands over: one of the waiting tasks becomes the
//! leader.
//!
//! If the leader's outcome cannot be shared (an error, a page that must not be cached), it releases the
//! others, and each does the work for itself. One after the other would make the last one wait for the sum of
//! all.

use std::collections::HashMap;
use std::hash::Hash;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tokio::sync::watch;

/// The work in progress by key; as many entries as there are leaders.
#[derive(Debug)]
pub(crate) struct Flights<K, V>(Arc<InProgress<K, V>>);

type InProgress<K, V> = Mutex<HashMap<K, watch::Receiver<Outcome<V>>>>;

#[derive(Debug, Clone)]
enum Outcome<V> {
    Pending,
    Landed(V),
    Released,
}

/// The role of a task that joined a key.
#[derive(Debug)]
pub(crate) enum FlightRole<K: Eq + Hash, V> {
    /// Do the work.
    Leader(Leader<K, V>),
    /// Another task did it, with this outcome.
    Landed(V),
    /// Another task did it, but its outcome cannot be shared. Do the work for yourself.
    Released,
}

/// The right to work on a key. Dropped without an outcome, it passes to another task.
#[derive(Debug)]
pub(crate) struct Leader<K: Eq + Hash, V> {
    flights: Arc<InProgress<K, V>>,
    key: K,
    outcome: watch::Sender<Outcome<V>>,
}

impl<K, V> Default for Flights<K, V> {
    fn default() -> Self {
        Self(Arc::default())
    }
}

impl<K: Eq + Hash + Clone, V: Clone> Flights<K, V> {
    /// Becomes the leader for `key`, or waits until the leader is done.
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
                // The leader was dropped without an outcome.
                Err(_) => {}
            }
        }
    }
}

fn locked<K, V>(flights: &InProgress<K, V>) -> MutexGuard<'_, HashMap<K, watch::Receiver<Outcome<V>>>> {
    // Nothing panics while the lock is held, and the map is consistent between any two calls.
    flights.lock().unwrap_or_else(PoisonError::into_inner)
}

impl<K: Eq + Hash, V> Leader<K, V> {
    /// Gives the outcome to all waiting tasks.
    pub(crate) fn land(self, value: V) {
        self.outcome.send_replace(Outcome::Landed(value));
    }

    /// Tells all waiting tasks that there is no outcome for them.
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

    /// `count` tasks that all join "k". A leader works for a second.
    fn spawn_tasks(
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
    async fn one_task_works_for_all() {
        let (flights, works) = (Arc::default(), Arc::default());
        for task in spawn_tasks(&flights, &works, 100) {
            assert_eq!(task.await.unwrap(), 1);
        }
        assert_eq!(works.load(SeqCst), 1);
        assert!(locked(&flights.0).is_empty());
    }

    #[tokio::test(start_paused = true)]
    async fn a_cancelled_leader_hands_over() {
        let (flights, works) = (Arc::default(), Arc::default());
        let mut tasks = spawn_tasks(&flights, &works, 100);
        tokio::time::sleep(Duration::from_millis(500)).await;
        let leader = tasks.remove(0);
        leader.abort();
        assert!(leader.await.unwrap_err().is_cancelled());
        for task in tasks {
            assert_eq!(task.await.unwrap(), 2, "the second leader worked for all others");
        }
        assert_eq!(works.load(SeqCst), 2);
        assert!(locked(&flights.0).is_empty());
    }

    #[tokio::test]
    async fn released_tasks_work_for_themselves() {
        let flights: Arc<Flights<_, usize>> = Arc::default();
        let FlightRole::Leader(leader) = flights.join(&"k").await else { panic!("there is no other task") };
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
