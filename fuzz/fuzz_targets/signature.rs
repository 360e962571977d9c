//! Fuzzes the verification of webhook signatures.

#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| gleaner_tests::fuzz::signature(data));
