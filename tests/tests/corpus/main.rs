//! Replays the fuzz corpus and variations of it on stable Rust.
#![expect(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "test code: a broken assumption ends the test"
)]

mod replay;
