//! Fuzzes the replies of search engines.

#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| gleaner_tests::fuzz::search_reply(data));
