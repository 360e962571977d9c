//! Fuzzes canonical URLs.

#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| gleaner_tests::fuzz::url_canonical(data));
