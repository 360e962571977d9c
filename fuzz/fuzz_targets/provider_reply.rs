//! Fuzzes the replies of model providers.

#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| gleaner_tests::fuzz::provider_reply(data));
