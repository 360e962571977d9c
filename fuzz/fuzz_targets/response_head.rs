//! Fuzzes response headers and content type detection.

#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| gleaner_tests::fuzz::response_head(data));
