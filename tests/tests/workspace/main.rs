//! The house itself: which crate may use which, and what must not come into the tree.

#![expect(clippy::expect_used, reason = "code of tests: a broken assumption ends the test")]

mod arrows;
mod layers;
mod words;
