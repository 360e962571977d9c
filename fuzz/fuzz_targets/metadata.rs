//! Fuzzes the reader of page metadata.

#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| gleaner_tests::fuzz::metadata(data));
