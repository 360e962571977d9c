//! Behaviour tests of gleaner over loopback: what they share, and the fuzz bodies.

pub mod fakes;
pub mod fuzz;
pub mod process;

/// The example of README.md, compiled as it stands there.
#[cfg(doctest)]
#[doc = include_str!("../../README.md")]
struct Readme;
