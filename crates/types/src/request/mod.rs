//! Requests as clients write them: v2's here, v1's in [`v1`].
//!
//! A request is read in two steps. `X::from_json` compares a JSON body with the shape of `X` (types, ranges,
//! names, unknown keys) and reports every fault with its path. `X::check` applies the rules that span values
//! (URLs, regular expressions, conflicts), fills in the defaults and returns the [plan](crate::plan).
//! `XPlan::from_json` does both and reports the faults of both at once.
//!
//! The shape is not written a second time: it comes from the JSON Schema that `schemars` derives from these
//! structs, which is also what [`json_schema`](CrawlRequest::json_schema) publishes. Serde alone would not
//! do: it stops at the first fault, and it knows neither ranges nor the path of a value.
//!
//! # From Rust
//!
//! `new` takes what a request needs, and each other field has a setter. Two fields have other [`Defaults`] in
//! a program than in the API. The structs are `#[non_exhaustive]`, so that new fields do not break callers;
//! fields can also be read and assigned.
//!
//! ```
//! use gleaner_types::request::{CrawlRequest, Format, JsonFormat};
//!
//! let request = CrawlRequest::new("https://docs.example.com/guide/")
//!     .limit(100)
//!     .exclude_paths(["^/guide/old/"])
//!     .formats([Format::Markdown, JsonFormat::new().prompt("the page's topic").into()])
//!     .only_main_content(false);
//! let plan = request.check()?;
//! assert_eq!(plan.limit, 100);
//! assert!(plan.options.formats.markdown && !plan.options.only_main_content);
//! # Ok::<(), gleaner_types::Faults>(())
//! ```
//!
//! The options of [`ScrapeOptions`] are set on [`ScrapeRequest`], [`BatchScrapeRequest`] and [`CrawlRequest`]
//! directly, as above. Options that several requests share are made once and passed to `options`, or for
//! crawls and extracts to `scrape_options`:
//!
//! ```
//! use gleaner_types::request::{BatchScrapeRequest, ExtractRequest, ScrapeOptions};
//!
//! let options = ScrapeOptions::new().timeout(10_000).mobile(true);
//! let batch = BatchScrapeRequest::new(["https://a.example/"]).options(options.clone());
//! let extract = ExtractRequest::new(["https://a.example/*"]).prompt("the prices").scrape_options(options);
//! assert_eq!(batch.options.timeout, Some(10_000));
//! assert!(extract.check()?.options.mobile);
//! # Ok::<(), gleaner_types::Faults>(())
//! ```

mod action;
mod bare_name;
mod crawl;
mod defaults;
mod extract;
mod extras;
mod format;
mod map;
mod options;
mod scrape;
mod setters;
mod stored;
pub mod v1;
mod webhook;

pub use action::{Action, Paper};
pub use crawl::{CrawlParamsPreviewRequest, CrawlRequest};
pub use defaults::Defaults;
pub use extract::{Agent, ExtractRequest};
pub use extras::Extras;
pub use format::{AttributesFormat, ChangeTrackingFormat, Format, JsonFormat, ScreenshotFormat};
pub use map::MapRequest;
pub use options::{Location, Parser, PdfParser, ProxyChoice, ScrapeOptions};
pub use scrape::{BatchScrapeRequest, ScrapeRequest};
pub use webhook::Webhook;

// The types of fields that a check leaves as they are.
pub use crate::plan::{
    AttributeSelector, ChangeTrackingMode, EventKind, PdfMode, ScrollDirection, SitemapMode, Viewport,
};
