//! Fuzzes the transformation of bodies of any content type.

#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| gleaner_tests::fuzz::body(data));
