//! Fuzzes the path patterns of a crawl.

#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| gleaner_tests::fuzz::patterns(data));
