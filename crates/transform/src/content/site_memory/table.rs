//! A bounded table: for each key, the number of pages that had it.

use std::collections::HashMap;
use std::hash::{BuildHasherDefault, Hasher};

/// Upper bound on the entries of a generation: what a map with 16,384 slots holds. A slot takes 17 bytes.
pub(super) const MAX_ENTRIES: usize = 14_336;

/// The counts of a site are halved when they reach this number of pages, so that a later part of the site
/// with another template is learned as well.
pub(super) const HALVED_AT: u16 = 512;

/// The pages that had a key.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct Count {
    pub(super) pages: u16,
    /// Those where it repeated earlier pages.
    pub(super) repeated: u16,
    /// How often the counts of its site had been halved when it was last changed.
    halvings: u16,
}

impl Count {
    /// The count after its site's counts were halved this often.
    fn after(self, halvings: u16) -> Self {
        let missed = halvings.wrapping_sub(self.halvings).min(15);
        Self { pages: self.pages >> missed, repeated: self.repeated >> missed, halvings }
    }
}

/// The entries in two generations: when the newer one is full, it replaces the older one, which evicts the
/// entries that did not occur since the last change.
#[derive(Debug, Default)]
pub(super) struct Table {
    newer: Generation,
    older: Generation,
}

type Generation = HashMap<u64, Count, BuildHasherDefault<KeyHasher>>;

impl Table {
    /// The pages of a site.
    pub(super) fn site(&self, site: u64) -> Count {
        self.find(site).unwrap_or_default()
    }

    /// The pages of a site that had a key; `None` if none of them is known.
    pub(super) fn count(&self, key: u64, site: Count) -> Option<Count> {
        Some(self.find(key)?.after(site.halvings))
    }

    /// Counts a page of a site, and returns its new count.
    pub(super) fn add_page(&mut self, site: u64) -> Count {
        self.update(site, |count| {
            let count = Count { pages: count.pages + 1, ..count };
            if count.pages < HALVED_AT { count } else { count.after(count.halvings.wrapping_add(1)) }
        })
    }

    /// Keeps the count of a site for as long as those of the keys that its last page had: without it, a key
    /// of few pages would be one of all pages.
    pub(super) fn keep(&mut self, site: u64) {
        self.update(site, |count| count);
    }

    /// Counts that the last page of a site had a key.
    pub(super) fn add(&mut self, key: u64, site: Count, repeated: bool) {
        self.update(key, |count| {
            let count = count.after(site.halvings);
            let (pages, repeated) =
                (count.pages.saturating_add(1), count.repeated.saturating_add(u16::from(repeated)));
            Count { pages, repeated, ..count }
        });
    }

    fn find(&self, key: u64) -> Option<Count> {
        self.newer.get(&key).or_else(|| self.older.get(&key)).copied()
    }

    /// Changes a count, or the count of nothing for a new key.
    fn update(&mut self, key: u64, change: impl FnOnce(Count) -> Count) -> Count {
        if let Some(known) = self.newer.get_mut(&key) {
            *known = change(*known);
            return *known;
        }
        let count = change(self.older.remove(&key).unwrap_or_default());
        // Nothing is ever removed from the newer one, so it never grows beyond its slots.
        if self.newer.len() >= MAX_ENTRIES {
            std::mem::swap(&mut self.newer, &mut self.older);
            self.newer.clear();
        }
        self.newer.insert(key, count);
        count
    }

    #[cfg(test)]
    pub(super) fn len(&self) -> usize {
        self.newer.len() + self.older.len()
    }
}

/// Returns a key as its own hash: keys are hashes with a secret.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct KeyHasher(u64);

impl Hasher for KeyHasher {
    fn finish(&self) -> u64 {
        self.0
    }

    fn write(&mut self, bytes: &[u8]) {
        for byte in bytes {
            self.0 = self.0.rotate_left(8) ^ u64::from(*byte);
        }
    }

    fn write_u64(&mut self, key: u64) {
        self.0 = key;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SITE: u64 = 1;

    #[test]
    fn counts_are_halved_with_the_pages_of_their_site() {
        let mut table = Table::default();
        for page in 1..HALVED_AT {
            let site = table.add_page(SITE);
            table.add(2, site, page % 2 == 0);
            if page <= 100 {
                table.add(3, site, false);
            }
        }
        let counts = |table: &Table, key| {
            let count = table.count(key, table.site(SITE)).unwrap();
            (count.pages, count.repeated)
        };
        assert_eq!(
            (table.site(SITE).pages, counts(&table, 2), counts(&table, 3)),
            (511, (511, 255), (100, 0))
        );
        let site = table.add_page(SITE);
        table.add(2, site, false);
        assert_eq!(
            (table.site(SITE).pages, counts(&table, 2), counts(&table, 3)),
            (256, (256, 127), (50, 0))
        );
        assert!(table.count(4, site).is_none());
    }

    #[test]
    fn the_number_of_entries_is_bounded_and_frequent_ones_stay() {
        let mut table = Table::default();
        let mut site = table.add_page(SITE);
        for number in 0..5 * MAX_ENTRIES as u64 {
            table.add(1_000 + number, site, false);
            if number % 1_000 == 0 {
                site = table.add_page(SITE);
                table.add(2, site, false);
            }
        }
        assert!((MAX_ENTRIES..=2 * MAX_ENTRIES).contains(&table.len()), "{} entries", table.len());
        assert_eq!((table.site(SITE).pages, table.count(2, site).unwrap().pages), (73, 72));
        assert!(table.count(1_000, site).is_none(), "the oldest is evicted");
        assert!(table.newer.capacity() <= MAX_ENTRIES && table.older.capacity() <= MAX_ENTRIES);
    }
}
