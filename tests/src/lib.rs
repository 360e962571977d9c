//! Shared code of the behaviour tests over loopback, and the fuzz bodies.

pub mod fakes;
pub mod fuzz;
pub mod process;

/// Compiles the example of README.md.
#[cfg(doctest)]
#[doc = include_str!("../../README.md")]
struct Readme;

/// Compiles the examples of the crates' READMEs.
#[cfg(doctest)]
mod readmes {
    #[doc = include_str!("../../crates/browser/README.md")]
    struct Browser;
    #[doc = include_str!("../../crates/extract/README.md")]
    struct Extract;
    #[doc = include_str!("../../crates/fetch/README.md")]
    struct Fetch;
    #[doc = include_str!("../../crates/frontier/README.md")]
    struct Frontier;
    #[doc = include_str!("../../crates/gleaner/README.md")]
    struct Gleaner;
    #[doc = include_str!("../../crates/http/README.md")]
    struct Http;
    #[doc = include_str!("../../crates/models/README.md")]
    struct Models;
    #[doc = include_str!("../../crates/pdf/README.md")]
    struct Pdf;
    #[doc = include_str!("../../crates/store/README.md")]
    struct Store;
    #[doc = include_str!("../../crates/transform/README.md")]
    struct Transform;
    #[doc = include_str!("../../crates/types/README.md")]
    struct Types;
}
