//! Fuzzes the HTTP API with requests.

#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| gleaner_tests::fuzz::http(data));
