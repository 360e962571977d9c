//! What a process remembers of hosts and of seen pages, to send less. Entries are added only after the
//! transaction that made them true is committed.

use std::collections::HashMap;
use std::hash::Hash;
use std::sync::{Mutex, MutexGuard, PoisonError};

/// Maximum number of hosts whose ids are remembered.
const MAX_HOSTS: usize = 100_000;

/// Maximum number of seen pages that are remembered, of all jobs.
const MAX_SEEN: usize = 1_000_000;

/// The depth of pages of jobs without `max_depth`.
pub(crate) const NO_DEPTH: u32 = 0;

/// A map that drops its older half when it is full. An entry that is found becomes young again.
#[derive(Debug)]
struct Generations<K, V> {
    young: HashMap<K, V>,
    old: HashMap<K, V>,
    /// Maximum number of entries of each.
    half: usize,
}

impl<K: Eq + Hash + Clone, V: Clone> Generations<K, V> {
    fn new(max: usize) -> Self {
        Self { young: HashMap::new(), old: HashMap::new(), half: max / 2 }
    }

    fn insert(&mut self, key: K, value: V) {
        if self.young.len() >= self.half {
            self.old = std::mem::take(&mut self.young);
        }
        self.young.insert(key, value);
    }

    fn find<Q>(&mut self, key: &Q) -> Option<V>
    where
        K: std::borrow::Borrow<Q>,
        Q: Eq + Hash + ?Sized,
    {
        if let Some(value) = self.young.get(key) {
            return Some(value.clone());
        }
        let (key, value) = self.old.remove_entry(key)?;
        self.insert(key, value.clone());
        Some(value)
    }

    fn remove<Q>(&mut self, key: &Q)
    where
        K: std::borrow::Borrow<Q>,
        Q: Eq + Hash + ?Sized,
    {
        self.young.remove(key);
        self.old.remove(key);
    }
}

/// Seen pages by job, so that those of an ended job are dropped at once.
#[derive(Debug, Default)]
struct Seen {
    young: HashMap<i32, HashMap<i64, u32>>,
    old: HashMap<i32, HashMap<i64, u32>>,
    /// Number of pages in `young`.
    count: usize,
}

impl Seen {
    fn insert(&mut self, job: i32, key: i64, depth: u32) {
        if self.count >= MAX_SEEN / 2 {
            self.old = std::mem::take(&mut self.young);
            self.count = 0;
        }
        let keys = self.young.entry(job).or_default();
        match keys.get_mut(&key) {
            Some(known) => *known = depth.min(*known),
            None => {
                keys.insert(key, depth);
                self.count += 1;
            }
        }
    }

    fn find(&mut self, job: i32, key: i64) -> Option<u32> {
        if let Some(depth) = self.young.get(&job).and_then(|keys| keys.get(&key)) {
            return Some(*depth);
        }
        let depth = self.old.get_mut(&job)?.remove(&key)?;
        self.insert(job, key, depth);
        Some(depth)
    }

    fn remove_job(&mut self, job: i32) {
        let young = self.young.remove(&job).map_or(0, |keys| keys.len());
        self.count = self.count.saturating_sub(young);
        self.old.remove(&job);
    }
}

/// What a transaction adds to the caches when it is committed.
#[derive(Debug, Default, Clone)]
pub(crate) struct Additions {
    pub(crate) hosts: Vec<(String, i32)>,
    /// Job, key and depth of pages that are seen, and not too deep.
    pub(crate) seen: Vec<(i32, i64, u32)>,
}

/// The caches of a process.
#[derive(Debug)]
pub(crate) struct Caches {
    hosts: Mutex<Generations<Box<str>, i32>>,
    seen: Mutex<Seen>,
}

impl Default for Caches {
    fn default() -> Self {
        Self { hosts: Mutex::new(Generations::new(MAX_HOSTS)), seen: Mutex::default() }
    }
}

/// The caches are hints, so a panic of another thread leaves them usable.
fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Caches {
    /// Adds what a committed transaction has made true.
    pub(crate) fn committed(&self, additions: Additions) {
        let mut hosts = lock(&self.hosts);
        for (name, id) in additions.hosts {
            hosts.insert(name.into_boxed_str(), id);
        }
        drop(hosts);
        let mut seen = lock(&self.seen);
        for (job, key, depth) in additions.seen {
            seen.insert(job, key, depth);
        }
    }

    /// Drops the pages of an ended job.
    pub(crate) fn job_ended(&self, job: i32) {
        lock(&self.seen).remove_job(job);
    }

    /// Forgets a host that is not in the database any more.
    pub(crate) fn forget_host(&self, name: &str) {
        lock(&self.hosts).remove(name);
    }

    /// The ids of hosts, where they are known.
    pub(super) fn host_ids<'a>(&self, names: impl Iterator<Item = &'a str>) -> Vec<Option<i32>> {
        let mut hosts = lock(&self.hosts);
        names.map(|name| hosts.find(name)).collect()
    }

    /// For each page the smallest depth that this process knows; `None` if it does not know the page.
    pub(super) fn depths(&self, pages: impl Iterator<Item = (i32, i64)>) -> Vec<Option<u32>> {
        let mut seen = lock(&self.seen);
        pages.map(|(job, key)| seen.find(job, key)).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn entries_in_use_survive_the_older_half() {
        let mut cache = Generations::new(10);
        cache.insert(0, "in use");
        for n in 1..100 {
            cache.insert(n, "x");
            assert_eq!(cache.find(&0), Some("in use"), "after {n}");
            assert!(cache.young.len() + cache.old.len() <= 10);
        }
        assert_eq!(cache.find(&50), None);
        cache.remove(&0);
        assert_eq!(cache.find(&0), None);
    }

    #[test]
    fn seen_pages_keep_their_smallest_depth_until_their_job_ends() {
        let caches = Caches::default();
        let add = |job, key, depth| {
            caches.committed(Additions { hosts: Vec::new(), seen: vec![(job, key, depth)] });
        };
        for (job, key, depth) in [(1, 7, 3), (1, 7, 2), (1, 7, 5), (2, 7, 4)] {
            add(job, key, depth);
        }
        assert_eq!(caches.depths([(1, 7), (2, 7), (2, 8)].into_iter()), [Some(2), Some(4), None]);
        caches.job_ended(1);
        assert_eq!(caches.depths([(1, 7), (2, 7)].into_iter()), [None, Some(4)]);
    }

    #[test]
    fn the_number_of_seen_pages_is_bounded() {
        let mut seen = Seen::default();
        for key in 0..i64::try_from(2 * MAX_SEEN).unwrap() {
            seen.insert(i32::try_from(key % 3).unwrap(), key, NO_DEPTH);
        }
        let count = |keys: &HashMap<i32, HashMap<i64, u32>>| keys.values().map(HashMap::len).sum::<usize>();
        assert!(count(&seen.young) + count(&seen.old) <= MAX_SEEN);
        assert_eq!(count(&seen.young), seen.count);
        for job in 0..3 {
            seen.remove_job(job);
        }
        assert_eq!(seen.count, 0);
    }
}
