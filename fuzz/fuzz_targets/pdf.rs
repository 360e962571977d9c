//! Fuzzes the PDF converter.

#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| gleaner_tests::fuzz::pdf(data));
