//! Fuzzes the readers of dates, durations, ratings, counts and sums.

#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| gleaner_tests::fuzz::typed_values(data));
