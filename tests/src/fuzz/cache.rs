//! Entries of the cache on disk. Input: the fields of an entry, which get a right checksum.

use gleaner_fetch::{CacheEntry, fuzzing};

/// Bytes are an entry or none, in time and memory that their number bounds; and an entry, written again, is the same.
#[expect(clippy::expect_used, reason = "an oracle that fails must panic")]
pub fn cache_entry(data: &[u8]) {
    let Some(entry) = fuzzing::cache_entry(data) else { return };
    assert!(entry.body().len() <= data.len(), "a body of {} bytes from {}", entry.body().len(), data.len());
    let written = entry.encode();
    let read = CacheEntry::decode(written.clone()).expect("what was written is read");
    assert_eq!(read, entry);
    assert_eq!(read.encode(), written);
}
