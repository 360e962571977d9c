//! Checked requests: every default filled in, every rule of the contract already held.
//!
//! A plan can only be made by checking a request, so code that holds one never validates again.

mod crawl;
mod extract;
mod map;
mod patterns;
mod scrape;
mod target;
mod webhook;
mod written;

pub use crawl::{CrawlParamsPreviewPlan, CrawlPlan, CrawlRules, SitemapMode};
pub use extract::{ExtractPlan, ExtractSource};
pub use map::MapPlan;
pub(crate) use patterns::class_cost;
pub use patterns::{PatternFault, PatternFaultKind, pattern_faults};
pub use scrape::{
    Action, AttributeSelector, BatchPlan, ChangeTracking, ChangeTrackingMode, FormatPlaces, Formats,
    JsonFormat, Location, PdfMode, PdfParser, ProxyMode, ScrapeOptionsPlan, ScrapePlan, ScreenshotFormat,
    ScrollDirection, Viewport, WaitFor,
};
pub use target::{InvalidUrl, Target};
pub use webhook::{EventKind, WebhookPlan};
pub use written::{as_written, omits_slash, without_slash};
