//! Fuzzes CSS selectors.

#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| gleaner_tests::fuzz::selector(data));
