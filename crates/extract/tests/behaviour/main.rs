//! Behaviour that a program embedding the crate observes, with scripted models.

#![expect(
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::string_slice,
    clippy::unwrap_used,
    reason = "helpers of tests may panic"
)]

mod budget;
mod conformance;
mod described;
mod hostile;
mod list_search;
mod lists;
mod lying;
mod page;
mod product;
mod support;
mod template;
mod values;
