//! Fuzzes the check of summaries that a model writes.

#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| gleaner_tests::fuzz::summary_check(data));
