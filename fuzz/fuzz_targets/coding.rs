//! Fuzzes the decoding of content codings.

#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| gleaner_tests::fuzz::coding(data));
