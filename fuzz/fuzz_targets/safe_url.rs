//! Fuzzes URLs that are shown without secrets.

#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| gleaner_tests::fuzz::safe_url(data));
