//! Structured data of gleaner: runs plans of `gleaner-extract` over pages through the runtime.
//!
//! The format `json` is read off a page while it is transformed, without a model and so without waiting
//! ([`fields`]). Extract jobs are done by the [`ExtractRunner`]: a pure plan first, then the pages, each fetched
//! through the [runtime](gleaner_runtime::Runtime), read by the cheapest proof (what its template taught,
//! what it says about itself, the embedder's model within a budget) and let go, then one result of all. The
//! module `run` has the course of a job; `site` chooses the pages of a wildcard, `reader` reads them.
//! [`PlannedExtract`] fits the planner and a model to the runtime's port, and [`CrawlPrompts`] makes options
//! of a crawl's prompt.
//!
//! Pages of a cluster take turns (`turns`) as long as each may spare the next a model call. That also makes a
//! job repeatable: with a recorded model and cached pages the same request gives the same bytes.

mod answer;
mod blocking;
mod checks;
mod crawl_prompt;
pub mod fields;
mod follow;
mod job;
mod pages;
mod reader;
mod result;
mod run;
mod runner;
mod shape;
mod site;
mod sources;
mod turns;
mod typed;
mod visit;
mod watch;

pub use checks::{ExtractAbilities, check_extract, check_fields};
pub use crawl_prompt::{CrawlPrompts, MAX_PROMPT_URLS, PROMPT_MAP_TIMEOUT, PromptedCrawl};
pub use pages::{DEFAULT_JOB_TOKENS, DEFAULT_PAGE_TOKENS, PlannedExtract};
pub use result::{ExtractResult, PageCoverage, PageReport};
pub use runner::{DEFAULT_EXTRACT_TOKENS, ExtractRunner, ExtractRunnerConfig};
pub use site::MAX_SITE_PAGES;
pub use sources::MAX_EXTERNAL_PAGES;
pub use typed::{Incomplete, Typed, with_schema_of};
pub use watch::ExtractWatch;
