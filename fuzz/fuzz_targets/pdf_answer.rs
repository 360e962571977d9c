//! Fuzzes the messages of the PDF process.

#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| gleaner_tests::fuzz::pdf_answer(data));
