//! Fuzzes the segments of a page.

#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| gleaner_tests::fuzz::segments(data));
