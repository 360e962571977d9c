//! Fuzzes the comparison of pages of one site.

#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| gleaner_tests::fuzz::site_pages(data));
