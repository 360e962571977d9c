//! Fuzzes the reader of DevTools messages.

#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| gleaner_tests::fuzz::devtools_messages(data));
