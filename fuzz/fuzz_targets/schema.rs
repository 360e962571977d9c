//! Fuzzes the reader of JSON Schemas and their translation for providers.

#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| gleaner_tests::fuzz::schema(data));
