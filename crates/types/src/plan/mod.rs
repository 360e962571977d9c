//! Checked requests: every default is filled in, and every rule holds.
//!
//! Plans come from the check of a request, so code that has one does not validate again. A program that sends
//! requests needs none of these types; an extractor or a browser of its own reads them. A type with the name of
//! one in [`request`](crate::request) is its checked form, without options that are not set: [`Action`],
//! [`JsonFormat`], [`Location`], [`PdfParser`] and [`ScreenshotFormat`]. [`AttributeSelector`], [`Viewport`]
//! and the modes are the same types there.

#[cfg(feature = "contract")]
mod crawl;
mod crawl_rules;
#[cfg(feature = "contract")]
mod extract;
#[cfg(feature = "contract")]
mod map;
mod patterns;
mod root_slash;
#[cfg(feature = "contract")]
mod scrape;
#[cfg(feature = "contract")]
mod target;
#[cfg(feature = "contract")]
mod webhook;

#[cfg(feature = "contract")]
pub use crawl::{CrawlParamsPreviewPlan, CrawlPlan};
pub use crawl_rules::{CrawlRules, SitemapMode};
#[cfg(feature = "contract")]
pub use extract::{ExtractPlan, ExtractSource};
#[cfg(feature = "contract")]
pub use map::MapPlan;
#[cfg(feature = "contract")]
pub(crate) use patterns::class_cost;
pub use patterns::{PatternFault, PatternFaultKind, pattern_faults};
pub use root_slash::{as_written, omits_slash, without_slash};
#[cfg(feature = "contract")]
pub use scrape::{
    Action, AttributeSelector, BatchPlan, ChangeTracking, ChangeTrackingMode, FormatPaths, Formats,
    JsonFormat, Location, PdfMode, PdfParser, PlannedAction, ProxyMode, ScrapeOptionsPlan, ScrapePlan,
    ScreenshotFormat, ScrollDirection, Viewport, WaitFor,
};
#[cfg(feature = "contract")]
pub use target::{InvalidUrl, Target};
#[cfg(feature = "contract")]
pub use webhook::{EventKind, WebhookPlan};
