//! Language models and web search over real HTTP: fakes of the four wire dialects, and services that mean harm.
//!
//! Run with `--nocapture` to read the figures.

#![expect(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    reason = "code of tests: a broken assumption ends the test, and figures are printed"
)]

mod ships;

mod bounds; // budgets, readers that go away, long lists
mod crawl_prompt; // crawl options out of words
mod dialects; // what is sent, and what is read
mod engine; // the whole engine with a model and a search engine
mod failures; // refusals, limits, broken replies
mod lying; // models that lie, pages that give orders
mod pages; // what a model adds to scrapes, batches and crawls
mod replay; // recorded calls and cached pages
mod roaming; // search, other sites, an agent
mod search; // SearXNG
mod secrets; // keys in logs, errors and `Debug`
mod steering; // who says where the model is
mod templates; // a site of one template
mod usage; // what calls cost, and what budgets reserve for them
mod wildcards; // which pages of a site are read
mod wire; // the same over the contract's addresses
