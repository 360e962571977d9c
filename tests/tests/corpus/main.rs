//! The fuzz corpus on stable Rust: every input that was written down, and variations of it.
#![expect(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a test: a broken assumption should end it at once"
)]

mod replay;
