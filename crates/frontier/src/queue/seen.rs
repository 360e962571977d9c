//! Which pages a job knows: hash sets of keys, nine bytes a slot.
//!
//! A hash table doubles when it is full, and while it does, the old one is there as well: of a single table with ten
//! million keys, 75 MB beside 151. So a large set is [`SHARDS`] tables, each of which grows by itself.

use hashbrown::HashTable;
use hashbrown::hash_table::Entry;

use crate::identity::UrlKey;

/// Keys are hashes already, but those of a batch are running numbers: one multiplication spreads both.
pub(super) const fn spread(key: u64) -> u64 {
    let product = key.wrapping_mul(0x9e37_79b9_7f4a_7c15);
    product ^ product >> 32
}

/// So many tables once there are many keys.
const SHARDS: usize = 64;

/// The key bits above this tell the shard: those that a table does not use for its own places.
const SHARD_SHIFT: u32 = 48;

/// A set of so many keys is divided.
const DIVIDE_AT: usize = 1 << 16;

#[derive(Debug)]
pub(super) struct KeySet {
    /// One, or [`SHARDS`].
    shards: Vec<HashTable<u64>>,
}

impl Default for KeySet {
    fn default() -> Self {
        Self { shards: vec![HashTable::new()] }
    }
}

impl KeySet {
    /// True where the key is new.
    pub(super) fn insert(&mut self, key: UrlKey) -> bool {
        let key = key.to_raw();
        let shard = self.shard_of(key);
        let Some(table) = self.shards.get_mut(shard) else { return false };
        match table.entry(spread(key), |&known| known == key, |&known| spread(known)) {
            Entry::Occupied(_) => return false,
            Entry::Vacant(slot) => slot.insert(key),
        };
        if let [only] = self.shards.as_slice()
            && only.len() >= DIVIDE_AT
        {
            self.divide();
        }
        true
    }

    pub(super) fn contains(&self, key: UrlKey) -> bool {
        let key = key.to_raw();
        let table = self.shards.get(self.shard_of(key));
        table.is_some_and(|table| table.find(spread(key), |&known| known == key).is_some())
    }

    fn shard_of(&self, key: u64) -> usize {
        usize::try_from(spread(key) >> SHARD_SHIFT).unwrap_or(0) & (self.shards.len() - 1)
    }

    fn divide(&mut self) {
        let shards = (0..SHARDS).map(|_| HashTable::new()).collect();
        let whole = std::mem::replace(&mut self.shards, shards);
        for key in whole.into_iter().flatten() {
            let shard = self.shard_of(key);
            if let Some(table) = self.shards.get_mut(shard) {
                table.insert_unique(spread(key), key, |&known| spread(known));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_set_is_a_set_before_and_after_it_is_divided() {
        let mut set = KeySet::default();
        let keys = |n: u64| UrlKey::from_raw(if n.is_multiple_of(2) { n } else { spread(n) });
        let many = 3 * u64::try_from(DIVIDE_AT).unwrap();
        for n in 0..many {
            assert!(set.insert(keys(n)), "{n}");
            assert!(!set.insert(keys(n)), "{n} again");
        }
        assert_eq!(set.shards.len(), SHARDS);
        assert!((0..many).all(|n| set.contains(keys(n))));
        assert!(!set.contains(keys(many)));
        let largest = set.shards.iter().map(HashTable::len).max().unwrap();
        assert!(largest < 2 * set.shards.iter().map(HashTable::len).sum::<usize>() / SHARDS, "evenly");
    }
}
