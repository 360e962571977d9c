//! Fuzzes the check of request bodies.

#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| gleaner_tests::fuzz::request_json(data));
