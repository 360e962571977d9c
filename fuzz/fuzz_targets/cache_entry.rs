//! Fuzzes the entries of the cache on disk.

#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| gleaner_tests::fuzz::cache_entry(data));
