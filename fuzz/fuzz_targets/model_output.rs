//! Fuzzes extraction with the output of a language model.

#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| gleaner_tests::fuzz::model_output(data));
