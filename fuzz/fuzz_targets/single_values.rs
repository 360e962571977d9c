//! Fuzzes the choice of single values of a page.

#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| gleaner_tests::fuzz::single_values(data));
