//! Rules of the workspace: allowed dependencies between crates, layers of the runtime, and texts of messages.

#![expect(clippy::expect_used, reason = "test code: a broken assumption ends the test")]

mod arrows;
mod layers;
mod words;
