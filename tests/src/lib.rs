//! Shared code of the behaviour tests over loopback, and the fuzz bodies.

pub mod fakes;
pub mod fuzz;
pub mod process;

/// Compiles the example of README.md.
#[cfg(doctest)]
#[doc = include_str!("../../README.md")]
struct Readme;

/// Compiles the examples of the guide.
#[cfg(doctest)]
mod guide {
    #[doc = include_str!("../../docs/README.md")]
    struct Front;
    #[doc = include_str!("../../docs/browser.md")]
    struct Browser;
    #[doc = include_str!("../../docs/command.md")]
    struct Command;
    #[doc = include_str!("../../docs/crawl.md")]
    struct Crawl;
    #[doc = include_str!("../../docs/jobs.md")]
    struct Jobs;
    #[doc = include_str!("../../docs/library.md")]
    struct Library;
    #[doc = include_str!("../../docs/measuring.md")]
    struct Measuring;
    #[doc = include_str!("../../docs/processes.md")]
    struct Processes;
    #[doc = include_str!("../../docs/scrape.md")]
    struct Scrape;
    #[doc = include_str!("../../docs/security.md")]
    struct Security;
    #[doc = include_str!("../../docs/structured-data.md")]
    struct StructuredData;
    #[doc = include_str!("../../docs/troubleshooting.md")]
    struct Troubleshooting;
    #[doc = include_str!("../../docs/tuning.md")]
    struct Tuning;
    #[doc = include_str!("../../docs/wire.md")]
    struct Wire;
}

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
