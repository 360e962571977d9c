//! Requests as they stand on the wire: v2's here, v1's in [`v1`].
//!
//! A request is read in two steps. `X::from_json` holds a JSON body against the shape of `X` (types, ranges, names,
//! unknown keys) and reports every fault with its path. `X::check` holds the rules that span values (URLs, regular
//! expressions, conflicts), fills in the defaults and gives the [plan](crate::plan). `XPlan::from_json` does both
//! and reports the faults of both at once.
//!
//! The shape is not written down a second time: it is read off the JSON Schema that `schemars` derives from these
//! structs, which is also what [`json_schema`](CrawlRequest::json_schema) publishes. Serde alone would not do,
//! because it stops at the first fault and knows neither ranges nor where in the body it is.
//!
//! ```
//! use gleaner_types::request::{CrawlRequest, Format, ScrapeOptions};
//!
//! // From Rust: name what you want, leave the rest to the defaults.
//! let request = CrawlRequest {
//!     limit: Some(100),
//!     scrape_options: Some(ScrapeOptions {
//!         formats: Some(vec![Format::Markdown, Format::Links]),
//!         ..ScrapeOptions::default()
//!     }),
//!     ..CrawlRequest::new("https://docs.example.com/guide/")
//! };
//! let plan = request.check()?;
//! assert_eq!(plan.limit, 100);
//! assert!(plan.options.formats.links);
//! # Ok::<(), gleaner_types::Faults>(())
//! ```

mod action;
mod crawl;
mod extract;
mod extras;
mod format;
mod map;
mod named;
mod options;
mod scrape;
pub mod v1;
mod webhook;

pub use action::{Action, Paper};
pub use crawl::{CrawlParamsPreviewRequest, CrawlRequest};
pub use extract::{Agent, ExtractRequest};
pub use extras::Extras;
pub use format::{
    AttributeSelector, AttributesFormat, ChangeTrackingFormat, Format, JsonFormat, ScreenshotFormat, Viewport,
};
pub use map::MapRequest;
pub use options::{Location, Parser, PdfParser, Proxy, ScrapeOptions};
pub use scrape::{BatchScrapeRequest, ScrapeRequest};
pub use webhook::Webhook;
