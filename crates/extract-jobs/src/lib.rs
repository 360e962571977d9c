//! Structured data: fits `gleaner-extract` to the documents of pages and to the desk's port.
//!
//! The format `json` is read off a page while it is transformed, without a model and so without waiting. Extract jobs are
//! done by the [`Planner`]: a pure plan first, then the pages, each fetched through the engine's own room, read by the
//! cheapest proof (what its template taught, what it says about itself, the embedder's model within a budget) and let go,
//! then one result of all. The way of a job stands in `run`; `site` chooses the pages of a wildcard, `reader` reads them.
//!
//! Pages of a cluster take turns (`turns`) as long as each may spare the next a model call. That also makes a job
//! repeatable: with a recorded model and cached pages the same request gives the same bytes.

mod answer;
mod blocking;
mod crawl;
mod fields;
mod follow;
mod job;
mod pages;
mod planner;
mod reader;
mod result;
mod run;
mod shape;
mod site;
mod sources;
mod turns;
mod visit;

pub(crate) use crawl::CrawlPrompts;
pub use crawl::{MAX_PROMPT_URLS, PROMPT_MAP_TIMEOUT, PromptedCrawl};
pub(crate) use fields::{finish, reading};
pub(crate) use pages::Pages;
pub use pages::{DEFAULT_JOB_TOKENS, DEFAULT_PAGE_TOKENS};
pub use planner::DEFAULT_EXTRACT_TOKENS;
pub(crate) use planner::{Planner, PlannerConfig};
pub use result::{ExtractResult, PageCoverage, PageReport};
pub use site::MAX_SITE_PAGES;
pub use sources::MAX_EXTERNAL_PAGES;
