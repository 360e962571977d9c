//! Fuzzes navigation links, controls and URL patterns of a page.

#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| gleaner_tests::fuzz::navigation_links(data));
