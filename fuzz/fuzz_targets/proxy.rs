//! Fuzzes the replies of a proxy to a tunnel request.

#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| gleaner_tests::fuzz::proxy(data));
