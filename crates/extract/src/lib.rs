//! Structured data that is provably on the page.
//!
//! Every value comes with the words of the page that state it and their position. The cheapest proof comes
//! first: what the page says about itself (JSON-LD, microdata, RDFa, `meta` elements, embedded state, tables,
//! labels, its own class names). A language model reads only the fields that this leaves open, and each of
//! its claims is checked against the page. A value without proof is null, with the reason.
//!
//! The crate is pure: no network, no clock, no runtime. A model is a trait, [`model::LanguageModel`].
//!
//! # Without a model
//!
//! ```
//! use gleaner_extract::{Page, Shape, extract};
//! use serde_json::json;
//!
//! let schema = json!({ "properties": {
//!     "price": { "type": "number" }, "brand": { "type": ["string", "null"] },
//! } });
//! let html = r#"<h1>Red cup</h1> <p class="price">12,50 €</p> <dl><dt>Brand</dt><dd>Acme</dd></dl>"#;
//! let page = Page::new("https://shop.example/red-cup".parse()?, html);
//! let found = extract(&page, &Shape::from_schema(&schema)?);
//! assert_eq!(found.data, json!({ "price": 12.5, "brand": "Acme" }));
//! let price = found.leaves.iter().find(|leaf| leaf.pointer == "/price").ok_or("no price")?;
//! assert_eq!(price.provenance[0].quote, "12,50 €");
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # With a model and a budget
//!
//! The model of this example comes with the feature `testing`.
//!
//! ```
//! use std::sync::Arc;
//! use gleaner_extract::model::scripted::{ScriptedModel, block_on};
//! use gleaner_extract::{Budget, Extractor, Ledger, Page, Shape, Task, model::Budgeted};
//! use serde_json::json;
//!
//! // Stands for a real model: one claim is true, the other is not on the page.
//! let model = ScriptedModel::with(|_| Ok(json!({
//!     "architect": { "value": "Stephen Sauvestre", "quote": "drawn by Stephen Sauvestre" },
//!     "heightMetres": { "value": 999, "quote": "999 metres high" },
//! }).to_string()));
//! let ledger = Ledger::new(Budget::default().tokens(50_000));
//! let extractor = Extractor::new(Arc::new(Budgeted::new(model, ledger.clone())));
//!
//! let shape = Shape::from_schema(&json!({ "properties": {
//!     "architect": { "type": ["string", "null"] }, "heightMetres": { "type": ["number", "null"] },
//! } }))?;
//! let page = Page::new("https://tower.example/".parse()?, "")
//!     .with_markdown("It was drawn by Stephen Sauvestre.");
//! let found = block_on(extractor.page(&page, Task::new(&shape)));
//! assert_eq!(found.extraction.data, json!({ "architect": "Stephen Sauvestre", "heightMetres": null }));
//! assert!(ledger.spent().tokens <= 50_000);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod act;
mod bind;
mod budget;
mod crawl;
mod draft;
mod error;
mod evidence;
mod extraction;
#[doc(hidden)]
pub mod fuzzing;
mod ground;
mod json;
mod leaf;
mod markup;
mod merge;
pub mod model;
mod normalise;
mod page;
mod plan;
mod row_page;
mod schema;
mod segment;
mod summary;
mod template;
#[doc(hidden)]
pub mod training;
mod typed;

pub use act::{
    ActionSequence, Control, ControlChoice, ControlKind, ControlOption, ControlQuestion, MAX_CONTROL_LINKS,
    MAX_CONTROLS, MAX_MOVES, Move, STEP_WAIT, Step, controls,
};
pub use bind::{MAX_RECORDS, MAX_STATE_OBJECTS, MIN_CONFIDENCE};
pub use budget::{Budget, Ledger, LedgerEntry, MAX_LEDGER_ENTRIES, Reservation, Spent, Stop};
pub use crawl::{CompiledCrawl, CrawlOptions, MAX_CRAWL_PATTERNS, MAX_SECTIONS, compile_crawl};
pub use draft::{MAX_DRAFT_FIELDS, MAX_DRAFT_PROMPT_BYTES};
pub use error::{Error, ErrorKind};
pub use evidence::{MAX_ITEMS, MAX_PAIRS, MAX_STATES, MAX_TABLE_ROWS, MAX_TABLES, MAX_VALUE_BYTES};
pub use extraction::{
    ClusterPageResult, Coverage, Extractor, MAX_LEAF_CALLS, MAX_LIST_CALLS, MAX_PROSE_CALLS,
    MAX_ROWS_PER_CALL, MAX_SUMMARY_CALLS, MAX_UNPAID_PAGES, MAX_VALUES_CALLS, PageExtraction, PageSummary,
    SiteMemory, SitePosition, Task, extract_pages,
};
pub use ground::{MAX_CLAIMS, MAX_LINK_IDS};
pub use json::{MAX_JSON_DEPTH, MAX_JSON_VALUES};
pub use leaf::{Extraction, Leaf, Missing, MissingReason, inferred_fields};
pub use merge::{Conflict, MAX_CONFLICTS, Merged, merge};
pub use page::{MAX_PAGE_BYTES, MAX_QUOTE_BYTES, Method, Page, PagePart, Provenance, Span};
pub use plan::{
    Cardinality, DEFAULT_LIST_PAGES, DEFAULT_SINGLE_PAGES, ExecutionPlan, ExecutionPlanner, MAX_ACTED_PAGES,
    MAX_AGENT_HOPS, MAX_AGENT_STEPS, MAX_NAVIGATION_LINKS, MAX_PATTERN_URLS, MAX_PLAN_PAGES,
    MAX_PROBED_CLUSTERS, MAX_SITE_URLS, MAX_VISITS_PER_PAGE, PROBES_PER_CLUSTER, PlanEstimate, PlanSource,
    PlanStep, PlanningContext, ProbeResult, RankedCluster, RankedPage, SiteRanking, SiteUrl, UrlPatterns,
    navigation_links, rank_site,
};
pub use schema::{
    Dialect, Field, MAX_SHAPE_DEPTH, MAX_SHAPE_FIELDS, MAX_WIRE_BYTES, Shape, ShapeKind, WireSchema,
    check_schema, empty_answer,
};
pub use summary::{MAX_SUMMARY_BYTES, SummaryCheck, SummaryFault, SummaryFaultKind, check_summary};
pub use template::{
    MAX_CLUSTERS, MAX_LAYOUTS, MAX_RULES, MAX_TAUGHT_PAGES, MIN_SUPPORT, SiteTexts, TemplateDrift,
    TemplateMemory,
};

/// Fills a shape from one page without a model.
///
/// Every value comes with its proof. A field that the page does not state clearly enough stays empty, with
/// the reason.
#[must_use]
pub fn extract(page: &Page, shape: &Shape) -> Extraction {
    bind::bind(&evidence::Evidence::read(page), shape)
}
