//! Language models and web search over HTTP: fakes of the four wire dialects, and hostile services.
//!
//! Run with `--nocapture` to see the figures.

#![expect(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    reason = "test code: a broken assumption ends the test, and figures are printed"
)]

#[path = "../support/chromium.rs"]
mod installed;
mod ships;

mod acting; // controls of pages, used in a browser
mod bounds; // budgets, dropped readers, long lists
mod conformance; // the rules of every model and search engine
mod crawl_prompt; // crawl options from prompts
mod dialects; // requests and replies of each dialect
mod durable; // the next engine over the same file
mod engine; // the whole engine with a model and a search engine
mod failures; // refusals, limits, broken replies
mod lying; // false claims, prompt injection
mod pages; // formats that use a model in scrapes, batches and crawls
mod replay; // recorded calls and cached pages
mod roaming; // web search, external links, the agent
mod search; // SearXNG
mod secrets; // keys in logs, errors and `Debug`
mod siblings; // pages of one template without a model
mod steering; // attempts to redirect the model or its key
mod templates; // a site with one template
mod usage; // token counts and reservations
mod wildcards; // pages chosen for wildcard URLs
mod wire; // the same through the HTTP API
