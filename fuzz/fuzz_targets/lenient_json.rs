//! Fuzzes the lenient JSON reader.

#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| gleaner_tests::fuzz::lenient_json(data));
