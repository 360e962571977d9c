//! Structured data of gleaner: runs the plans of `gleaner-extract` over pages, through the runtime.
//!
//! - [`fields`] extracts the format `json` of a page without a model, while the page is transformed.
//! - [`ExtractRunner`] runs extract jobs: it plans, fetches each page through the
//!   [runtime](gleaner_runtime::Runtime), reads it by the cheapest method (what its template taught, what the
//!   page says about itself, the model within a budget), drops it, and merges one result. The module `run`
//!   has the steps of a job, `site` selects the pages of a wildcard, `reader` reads pages, and `act` uses
//!   their controls in a browser.
//! - [`PlannedExtract`] implements the runtime's port with the runner and a model.
//! - [`CrawlPrompts`] compiles the prompt of a crawl into options.
//!
//! The first pages of a cluster teach all of them what their template repeats, before any is read
//! (`lessons`). Pages of a cluster are read in order (`page_order`) while one page may save the next a model
//! call. Both make jobs repeatable: with a recorded model and cached pages the same request gives the same
//! bytes.

mod act;
mod answer;
mod blocking;
mod checks;
mod crawl_prompt;
mod fetching;
pub mod fields;
mod follow;
mod job;
mod lessons;
mod page_order;
mod pages;
mod progress;
mod reader;
mod result;
mod run;
mod runner;
mod shape;
mod site;
mod sources;
mod typed;
mod visit;
mod watch;

pub use checks::{ExtractAbilities, check_extract, check_fields};
pub use crawl_prompt::{CrawlPrompts, PromptedCrawl};
pub use pages::PlannedExtract;
pub use result::{ExtractResult, PageCoverage, PageReport};
pub use runner::{ExtractConfig, ExtractRunner};
pub use typed::{Incomplete, Typed, with_schema_of};
pub use watch::ExtractWatch;
