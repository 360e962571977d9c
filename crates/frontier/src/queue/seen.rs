//! Which pages a job knows: a hash set of keys, nine bytes a slot.

use hashbrown::HashTable;
use hashbrown::hash_table::Entry;

use crate::identity::UrlKey;

/// Keys are hashes already, but those of a batch are running numbers: one multiplication spreads both.
pub(super) const fn spread(key: u64) -> u64 {
    let product = key.wrapping_mul(0x9e37_79b9_7f4a_7c15);
    product ^ product >> 32
}

#[derive(Debug, Default)]
pub(super) struct KeySet(HashTable<u64>);

impl KeySet {
    /// True where the key is new.
    pub(super) fn insert(&mut self, key: UrlKey) -> bool {
        let key = key.to_raw();
        match self.0.entry(spread(key), |&known| known == key, |&known| spread(known)) {
            Entry::Occupied(_) => false,
            Entry::Vacant(slot) => {
                slot.insert(key);
                true
            }
        }
    }

    pub(super) fn contains(&self, key: UrlKey) -> bool {
        let key = key.to_raw();
        self.0.find(spread(key), |&known| known == key).is_some()
    }
}
