//! Fuzzes the decoding of character encodings.

#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| gleaner_tests::fuzz::charset(data));
