//! The pages that a job has seen: a set of keys, 10 to 13 bytes each.
//!
//! A hash table that doubles when it is full is half empty afterwards, and the old table coexists with the
//! new one while it grows: about 21 bytes per key at worst, and 31 while growing. Keys are random numbers of
//! one size, which allows a simpler table: an array of keys, probed from the position that the key
//! determines, that grows by a quarter. A large set consists of [`SHARDS`] such tables that grow separately,
//! so the extra memory of growing is negligible.

use crate::identity::UrlKey;

/// Number of tables of a large set.
const SHARDS: usize = 64;

/// A set is divided into shards at this number of keys.
const SHARD_AT: usize = 1 << 16;

/// Tables with fewer slots double; larger ones grow by a quarter.
const DOUBLE_BELOW: usize = 1 << 12;

/// Keys are hashes, but those of a batch are consecutive numbers: one multiplication spreads both. It is a
/// bijection.
pub(super) const fn spread(key: u64) -> u64 {
    let product = key.wrapping_mul(0x9e37_79b9_7f4a_7c15);
    product ^ product >> 32
}

/// Open addressing with linear probing, at most four fifths full.
#[derive(Debug, Default)]
struct Table {
    /// Spread keys; 0 is an empty slot. The set handles the key that spreads to 0.
    slots: Vec<u64>,
    len: usize,
}

impl Table {
    /// The slot from which a spread key is probed.
    fn first_slot(&self, key: u64) -> usize {
        let size = u128::try_from(self.slots.len()).unwrap_or(0);
        // The high bits select the slot, the low bits the shard.
        usize::try_from((u128::from(key) * size) >> 64).unwrap_or(0)
    }

    /// The slot of a spread key, or the empty slot where it belongs. `None` for a table without slots.
    fn slot(&self, key: u64) -> Option<usize> {
        let start = self.first_slot(key);
        let (before, after) = self.slots.split_at_checked(start)?;
        let matches = |slot: &u64| *slot == key || *slot == 0;
        match after.iter().position(matches) {
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
        let more = if size < DOUBLE_BELOW { size.max(16) } else { size / 4 };
        self.resize(size + more);
    }

    /// Makes space for this many further keys, so that it is three quarters full with them.
    fn reserve(&mut self, keys: usize) {
        let size = (self.len + keys) / 3 * 4 + 4;
        if size > self.slots.len() {
            self.resize(size);
        }
    }

    fn resize(&mut self, size: usize) {
        let old = std::mem::replace(&mut self.slots, vec![0; size]);
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
    /// Adds a key. True if it is new.
    pub(super) fn insert(&mut self, key: UrlKey) -> bool {
        let key = spread(key.to_raw());
        if key == 0 {
            return !std::mem::replace(&mut self.has_zero, true);
        }
        if let [only] = self.tables.as_slice()
            && only.len >= SHARD_AT
        {
            self.divide(0);
        }
        self.table_of(key).is_some_and(|table| table.insert(key))
    }

    /// Divides the one table into shards, with space for this many further keys.
    fn divide(&mut self, keys: usize) {
        let Some(whole) = self.tables.pop() else { return };
        // The shards differ by a little.
        let share = (whole.len + keys) / SHARDS * 33 / 32;
        self.tables = (0..SHARDS).map(|_| Table::default()).collect();
        // First, because the keys come in the order of their slots: in a table that grows, each would find
        // those before in its place.
        self.tables.iter_mut().for_each(|table| table.reserve(share));
        for key in whole.slots.into_iter().filter(|key| *key != 0) {
            self.table_of(key).map(|table| table.insert(key));
        }
    }

    /// Makes space for this many keys in a set that has few.
    pub(super) fn reserve(&mut self, keys: usize) {
        match self.tables.as_mut_slice() {
            [only] if only.len + keys < SHARD_AT => only.reserve(keys),
            [_] => self.divide(keys),
            _ => {}
        }
    }

    /// Reads the places of keys that are inserted next. None of these reads waits for another one, so all of
    /// them take less time than if each insertion waited for its own.
    pub(super) fn read_ahead(&self, keys: impl Iterator<Item = UrlKey>) {
        let mut read = 0;
        for key in keys.map(|key| spread(key.to_raw())) {
            let table = self.tables.get(self.shard_of(key));
            let slot = table.and_then(|table| table.slots.get(table.first_slot(key)));
            read ^= slot.copied().unwrap_or(0);
        }
        // Otherwise the compiler leaves the reads out.
        std::hint::black_box(read);
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
    fn a_set_keeps_its_keys_when_it_is_sharded() {
        let mut set = KeySet::default();
        // Consecutive numbers, including 0, and random ones.
        let keys = |n: u64| UrlKey::from_raw(if n.is_multiple_of(2) { n } else { spread(n) });
        let many = 3 * u64::try_from(SHARD_AT).unwrap();
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
    fn a_set_with_reserved_space_is_the_same_and_does_not_grow() {
        for (before, keys) in [(0, 1_000), (10, 1_000), (0, 200_000), (1_000, 200_000), (100_000, 200_000)] {
            let (mut reserved, mut grown) = (KeySet::default(), KeySet::default());
            let key = |n: u64| UrlKey::from_raw(spread(n ^ 0x5555));
            let mut insert = |reserved: &mut KeySet, n: u64| {
                assert!(reserved.insert(key(n)) && grown.insert(key(n)), "{n}");
                assert!(!reserved.insert(key(n)), "{n} again");
            };
            (0..before).for_each(|n| insert(&mut reserved, n));
            reserved.reserve(usize::try_from(keys).unwrap());
            let slots = |set: &KeySet| set.tables.iter().map(|table| table.slots.len()).sum::<usize>();
            let size = slots(&reserved);
            reserved.read_ahead((0..before + keys).map(key));
            (before..before + keys).for_each(|n| insert(&mut reserved, n));
            assert!((0..before + keys).all(|n| reserved.contains(key(n))));
            assert!(!reserved.contains(key(before + keys)));
            if before < SHARD_AT as u64 {
                assert_eq!(slots(&reserved), size, "{before}, {keys}");
            }
        }
    }

    #[test]
    fn colliding_keys_get_different_slots() {
        let mut table = Table::default();
        // The last slot of the table, so that probing continues at the start.
        let keys: Vec<u64> = (0..10).map(|n| u64::MAX - n).collect();
        for key in &keys {
            assert!(table.insert(*key) && !table.insert(*key));
        }
        assert!(keys.iter().all(|key| table.contains(*key)));
        assert!(!table.contains(u64::MAX - 10));
    }
}
