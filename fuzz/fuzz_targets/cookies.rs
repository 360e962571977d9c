//! Fuzzes the cookie jar.

#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| gleaner_tests::fuzz::cookies(data));
