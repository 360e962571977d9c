//! Behaviour tests of gleaner over loopback, and its fuzz bodies.

pub mod fuzz;

/// The example of README.md, compiled as it stands there.
#[cfg(doctest)]
#[doc = include_str!("../../README.md")]
struct Readme;
