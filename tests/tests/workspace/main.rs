//! Rules of the workspace: allowed dependencies between crates, layers of the runtime, paths in
//! documents, and texts of messages.

#![expect(clippy::expect_used, reason = "test code: a broken assumption ends the test")]

mod arrows;
mod layers;
mod paths;
mod words;
