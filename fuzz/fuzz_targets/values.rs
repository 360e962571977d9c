//! Fuzzes the readers of dates, numbers, money and contact details.

#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| gleaner_tests::fuzz::values(data));
