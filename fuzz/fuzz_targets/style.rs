//! Fuzzes the style sheet parser.

#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| gleaner_tests::fuzz::style(data));
