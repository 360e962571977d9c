//! Entries of the cache on disk. Input: the fields of an entry. The body adds the correct checksum.

use gleaner_fetch::{CacheEntry, fuzzing};

/// Decoding fails or gives an entry no larger than the input, and an entry survives a round trip.
#[expect(clippy::expect_used, reason = "an oracle that fails must panic")]
pub fn cache_entry(data: &[u8]) {
    let Some(entry) = fuzzing::cache_entry(data) else { return };
    assert!(entry.body().len() <= data.len(), "a body of {} bytes from {}", entry.body().len(), data.len());
    let written = entry.encode();
    let read = CacheEntry::decode(written.clone()).expect("an encoded entry decodes");
    assert_eq!(read, entry);
    assert_eq!(read.encode(), written);
}
