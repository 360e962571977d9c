//! Fuzzes the facts of a journal block.

#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| gleaner_tests::fuzz::journal_record(data));
