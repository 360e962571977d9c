//! Rules of the workspace: the public items of the facade, allowed dependencies between crates, layers of the
//! runtime, paths and links in documents, texts of messages, and the first lines of files.

#![expect(clippy::expect_used, reason = "test code: a broken assumption ends the test")]

mod api;
mod arrows;
mod layers;
mod links;
mod paths;
mod words;
