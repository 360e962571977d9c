//! Fuzzes extraction from JSON-LD.

#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| gleaner_tests::fuzz::json_ld(data));
