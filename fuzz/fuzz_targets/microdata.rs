//! Fuzzes extraction from microdata and other markup.

#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| gleaner_tests::fuzz::microdata(data));
