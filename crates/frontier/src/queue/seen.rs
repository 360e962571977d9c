//! Which pages a job knows: a set of keys, 10 to 13 bytes each.
//!
//! A hash table that doubles when it is full is half empty afterwards, and while it grows the old one is there as well:
//! about 21 bytes a key at worst and 31 on the way. Keys are random numbers of one size, which allows a plainer table:
//! an array of keys, sought from the place that the key itself tells, that grows by a quarter. A large set is
//! [`SHARDS`] such tables, each of which grows by itself, so that what growing takes is never seen.

use crate::identity::UrlKey;

/// So many tables once there are many keys.
const SHARDS: usize = 64;

/// A set of so many keys is divided.
const DIVIDE_AT: usize = 1 << 16;

/// Smaller tables double.
const SMALL: usize = 1 << 12;

/// Keys are hashes already, but those of a batch are running numbers: one multiplication spreads both. No two keys
/// come out the same.
pub(super) const fn spread(key: u64) -> u64 {
    let product = key.wrapping_mul(0x9e37_79b9_7f4a_7c15);
    product ^ product >> 32
}

/// Open addressing with linear probing, at most four fifths full.
#[derive(Debug, Default)]
struct Table {
    /// Spread keys; 0 is an empty slot. The key that spreads to 0 is kept by the set.
    slots: Vec<u64>,
    len: usize,
}

impl Table {
    /// The slot of a spread key, or the empty one where it belongs. `None` for a table without slots.
    fn slot(&self, key: u64) -> Option<usize> {
        let size = u128::try_from(self.slots.len()).unwrap_or(0);
        // The high bits choose the place, the low ones the shard.
        let start = usize::try_from((u128::from(key) * size) >> 64).unwrap_or(0);
        let (before, behind) = self.slots.split_at_checked(start)?;
        let matches = |slot: &u64| *slot == key || *slot == 0;
        match behind.iter().position(matches) {
            Some(at) => Some(start + at),
            None => before.iter().position(matches),
        }
    }

    fn contains(&self, key: u64) -> bool {
        self.slot(key).and_then(|at| self.slots.get(at)).is_some_and(|slot| *slot == key)
    }

    fn insert(&mut self, key: u64) -> bool {
        if self.len * 5 >= self.slots.len() * 4 {
            self.grow();
        }
        match self.slot(key).and_then(|at| self.slots.get_mut(at)) {
            Some(slot) if *slot == 0 => {
                *slot = key;
                self.len += 1;
                true
            }
            _ => false,
        }
    }

    fn grow(&mut self) {
        let size = self.slots.len();
        let more = if size < SMALL { size.max(16) } else { size / 4 };
        let old = std::mem::replace(&mut self.slots, vec![0; size + more]);
        for key in old.into_iter().filter(|key| *key != 0) {
            if let Some(slot) = self.slot(key).and_then(|at| self.slots.get_mut(at)) {
                *slot = key;
            }
        }
    }
}

#[derive(Debug)]
pub(super) struct KeySet {
    /// One, or [`SHARDS`].
    tables: Vec<Table>,
    has_zero: bool,
}

impl Default for KeySet {
    fn default() -> Self {
        Self { tables: vec![Table::default()], has_zero: false }
    }
}

impl KeySet {
    /// True where the key is new.
    pub(super) fn insert(&mut self, key: UrlKey) -> bool {
        let key = spread(key.to_raw());
        if key == 0 {
            return !std::mem::replace(&mut self.has_zero, true);
        }
        if let [only] = self.tables.as_mut_slice()
            && only.len >= DIVIDE_AT
        {
            let whole = std::mem::take(only);
            self.tables = (0..SHARDS).map(|_| Table::default()).collect();
            for key in whole.slots.into_iter().filter(|key| *key != 0) {
                self.table_of(key).map(|table| table.insert(key));
            }
        }
        self.table_of(key).is_some_and(|table| table.insert(key))
    }

    pub(super) fn contains(&self, key: UrlKey) -> bool {
        let key = spread(key.to_raw());
        match key {
            0 => self.has_zero,
            _ => self.tables.get(self.shard_of(key)).is_some_and(|table| table.contains(key)),
        }
    }

    fn shard_of(&self, key: u64) -> usize {
        let mask = u64::try_from(self.tables.len() - 1).unwrap_or(0);
        usize::try_from(key & mask).unwrap_or(0)
    }

    fn table_of(&mut self, key: u64) -> Option<&mut Table> {
        let shard = self.shard_of(key);
        self.tables.get_mut(shard)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_set_is_a_set_before_and_after_it_is_divided() {
        let mut set = KeySet::default();
        // Running numbers, among them 0, and random ones.
        let keys = |n: u64| UrlKey::from_raw(if n.is_multiple_of(2) { n } else { spread(n) });
        let many = 3 * u64::try_from(DIVIDE_AT).unwrap();
        for n in 0..many {
            assert!(set.insert(keys(n)), "{n}");
            assert!(!set.insert(keys(n)), "{n} again");
        }
        assert_eq!(set.tables.len(), SHARDS);
        assert!((0..many).all(|n| set.contains(keys(n))));
        assert!(!set.contains(keys(many)));
        let slots: usize = set.tables.iter().map(|table| table.slots.len()).sum();
        let largest = set.tables.iter().map(|table| table.len).max().unwrap();
        assert!(slots < 2 * usize::try_from(many).unwrap(), "{slots} slots");
        assert!(largest * SHARDS < 2 * usize::try_from(many).unwrap(), "evenly");
    }

    #[test]
    fn keys_that_want_one_place_find_another() {
        let mut table = Table::default();
        // The last place of the table, so that the search goes on at its beginning.
        let keys: Vec<u64> = (0..10).map(|n| u64::MAX - n).collect();
        for key in &keys {
            assert!(table.insert(*key) && !table.insert(*key));
        }
        assert!(keys.iter().all(|key| table.contains(*key)));
        assert!(!table.contains(u64::MAX - 10));
    }
}
