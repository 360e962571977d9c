//! Fuzzes the parser of `srcset` attributes.

#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| gleaner_tests::fuzz::srcset(data));
