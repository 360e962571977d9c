//! Fuzzes crawl options that are generated from a prompt.

#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| gleaner_tests::fuzz::crawl_prompt(data));
