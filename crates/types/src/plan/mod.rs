//! Checked requests: every default is filled in, and every rule holds.
//!
//! Plans come from the check of a request, so code that has one does not validate again. A program that sends
//! requests needs none of these types; an extractor or a browser of its own reads them. A type with the name of
//! one in [`request`](crate::request) is its checked form, without options that are not set: [`Action`],
//! [`JsonFormat`], [`Location`], [`PdfParser`] and [`ScreenshotFormat`]. [`AttributeSelector`], [`Viewport`]
//! and the modes are the same types there.

mod crawl;
mod extract;
mod map;
mod patterns;
mod root_slash;
mod scrape;
mod target;
mod webhook;

pub use crawl::{CrawlParamsPreviewPlan, CrawlPlan, CrawlRules, SitemapMode};
pub use extract::{ExtractPlan, ExtractSource};
pub use map::MapPlan;
pub(crate) use patterns::class_cost;
pub use patterns::{PatternFault, PatternFaultKind, pattern_faults};
pub use root_slash::{as_written, omits_slash, without_slash};
pub use scrape::{
    Action, AttributeSelector, BatchPlan, ChangeTracking, ChangeTrackingMode, FormatPaths, Formats,
    JsonFormat, Location, PdfMode, PdfParser, PlannedAction, ProxyMode, ScrapeOptionsPlan, ScrapePlan,
    ScreenshotFormat, ScrollDirection, Viewport, WaitFor,
};
pub use target::{InvalidUrl, Target};
pub use webhook::{EventKind, WebhookPlan};
