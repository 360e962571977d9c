//! Fuzzes the conversion of HTML to Markdown.

#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| gleaner_tests::fuzz::html_to_markdown(data));
