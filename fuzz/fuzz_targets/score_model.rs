//! Fuzzes the file of the model that chooses values.

#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| gleaner_tests::fuzz::score_model(data));
