//! What a program that embeds the crate would notice, with models that are scripted.

#![expect(
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::string_slice,
    clippy::unwrap_used,
    reason = "helpers of tests may panic"
)]

mod budget;
mod hostile;
mod lists;
mod lying;
mod page;
mod product;
mod runs;
mod stated;
mod support;
mod template;
