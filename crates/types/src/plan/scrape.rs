use std::collections::BTreeMap;
use std::time::Duration;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::{Target, WebhookPlan};
use crate::FaultPath;
use crate::shown::{debug_with, names};

/// One page to scrape.
#[derive(Debug, Clone, PartialEq)]
pub struct ScrapePlan {
    /// The page.
    pub target: Target,
    /// How it is scraped.
    pub options: ScrapeOptionsPlan,
    /// Nothing of the page reaches cache, disk or log.
    pub zero_data_retention: bool,
}

/// Many pages to scrape in one job.
#[derive(Debug, Clone, PartialEq)]
pub struct BatchPlan {
    /// The valid addresses, in the order of the request; repeated ones are kept.
    pub targets: Vec<Target>,
    /// The addresses that were left out; `None` unless the request asked for invalid ones to be ignored.
    pub invalid_urls: Option<Vec<String>>,
    /// How each page is scraped.
    pub options: ScrapeOptionsPlan,
    /// At most so many pages of this job at once; `None` leaves it to the team.
    pub max_concurrency: Option<u32>,
    /// The job to add to, in place of a new one.
    pub append_to: Option<crate::JobId>,
    /// Where events go.
    pub webhook: Option<WebhookPlan>,
    /// Nothing of the pages reaches cache, disk or log.
    pub zero_data_retention: bool,
}

/// How a page is fetched, rendered and transformed (contract 2.6), with every default filled in.
#[derive(Clone, PartialEq)]
pub struct ScrapeOptionsPlan {
    /// What the document shall hold.
    pub formats: Formats,
    /// Leave out what surrounds the main content.
    pub only_main_content: bool,
    /// CSS selectors of what to keep; empty keeps all.
    pub include_tags: Vec<String>,
    /// CSS selectors of what to drop.
    pub exclude_tags: Vec<String>,
    /// A cached copy younger than this is served.
    pub max_age: Duration,
    /// Serve only from the cache, and only a copy at least this old.
    pub min_age: Option<Duration>,
    /// Serve only from the cache.
    pub lockdown: bool,
    /// Sent with the request; names in lower case.
    pub headers: BTreeMap<String, String>,
    /// Waited before content is read.
    pub wait_for: Duration,
    /// Emulate a mobile device.
    pub mobile: bool,
    /// Accept any certificate.
    pub skip_tls_verification: bool,
    /// The total deadline.
    pub timeout: Duration,
    /// Parse PDFs so; `None` returns them as base64.
    pub pdf: Option<PdfParser>,
    /// Done on the page before content is read.
    pub actions: Vec<Action>,
    /// Where the request should seem to come from.
    pub location: Location,
    /// Replace inline images by a placeholder.
    pub remove_base64_images: bool,
    /// Block advertisements and cookie dialogs.
    pub block_ads: bool,
    /// How the request leaves.
    pub proxy: ProxyMode,
    /// May the page be stored in the cache? Already false where an option forces it.
    pub store_in_cache: bool,
}

debug_with!(ScrapeOptionsPlan {
    formats, only_main_content, include_tags, exclude_tags, max_age, min_age, lockdown, wait_for, mobile,
    skip_tls_verification, timeout, pdf, actions, location, remove_base64_images, block_ads, proxy, store_in_cache
} headers: names);

/// What a document shall hold.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Formats {
    /// Markdown (GFM).
    pub markdown: bool,
    /// Cleaned HTML.
    pub html: bool,
    /// The HTML as it came.
    pub raw_html: bool,
    /// All links of the page.
    pub links: bool,
    /// All images of the page.
    pub images: bool,
    /// A short summary.
    pub summary: bool,
    /// Colours, fonts and logo.
    pub branding: bool,
    /// A picture of the page.
    pub screenshot: Option<ScreenshotFormat>,
    /// Structured data.
    pub json: Option<JsonFormat>,
    /// Comparison with the last scrape.
    pub change_tracking: Option<ChangeTracking>,
    /// Values of attributes; empty when not asked for.
    pub attributes: Vec<AttributeSelector>,
    /// Where these stand in the request.
    pub places: FormatPlaces,
}

/// Where formats with options stand in a request, for faults that are found after its check. Empty where a plan was made
/// otherwise.
///
/// All of them are equal: plans that ask for the same are the same, wherever their requests say it.
#[derive(Debug, Clone, Default)]
pub struct FormatPlaces {
    /// The schema of [`Formats::json`].
    pub json: FaultPath,
    /// The schema of [`Formats::change_tracking`].
    pub change_tracking: FaultPath,
    /// The CSS selector of each of [`Formats::attributes`], in their order.
    pub attributes: Vec<FaultPath>,
}

impl PartialEq for FormatPlaces {
    fn eq(&self, _: &Self) -> bool {
        true
    }
}

/// Structured data against a schema, a prompt or both.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct JsonFormat {
    /// A JSON Schema.
    pub schema: Option<Value>,
    /// What to extract, in words.
    pub prompt: Option<String>,
    /// The system prompt (v1 only).
    pub system_prompt: Option<String>,
    /// The document has the result as `extract`, its older name (v1 only).
    pub as_extract: bool,
}

/// Comparison with the last scrape of the same page.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct ChangeTracking {
    /// How differences are told; empty tells only whether there are any.
    pub modes: Vec<ChangeTrackingMode>,
    /// For [`ChangeTrackingMode::Json`].
    pub schema: Option<Value>,
    /// For [`ChangeTrackingMode::Json`].
    pub prompt: Option<String>,
    /// Separates histories of the same page.
    pub tag: Option<String>,
}

/// How differences are told.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum ChangeTrackingMode {
    /// A unified diff and its parsed form.
    GitDiff,
    /// Field by field.
    Json,
}

/// A picture of the page.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ScreenshotFormat {
    /// The whole page in place of the viewport.
    pub full_page: bool,
    /// JPEG quality, 1 to 100; `None` gives a PNG.
    pub quality: Option<u8>,
    /// The size of the window in CSS pixels.
    pub viewport: Option<Viewport>,
}

/// A window size in CSS pixels.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Viewport {
    /// CSS pixels.
    pub width: u32,
    /// CSS pixels.
    pub height: u32,
}

/// One attribute of all elements that a selector matches.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AttributeSelector {
    /// A CSS selector.
    pub selector: String,
    /// The attribute's name.
    pub attribute: String,
}

/// How a PDF is parsed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct PdfParser {
    /// Text layer, OCR, or a choice between them.
    pub mode: PdfMode,
    /// At most so many pages, 1 to 10,000; `None` parses all.
    pub max_pages: Option<u32>,
}

/// Text layer, OCR, or a choice between them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum PdfMode {
    /// Text layer only.
    Fast,
    /// Text layer, OCR where there is none.
    #[default]
    Auto,
    /// OCR only.
    Ocr,
}

/// Where a request should seem to come from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Location {
    /// ISO 3166-1 alpha-2, upper case.
    pub country: String,
    /// BCP 47 tags, most wanted first; empty takes the engine's default.
    pub languages: Vec<String>,
}

/// How a request leaves.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum ProxyMode {
    /// The basic pool, or direct where there is none.
    Basic,
    /// The stealth pool.
    Stealth,
    /// Basic first, stealth where that is refused.
    #[default]
    Auto,
}

/// Something done on the page before content is read.
#[derive(Debug, Clone, PartialEq)]
pub enum Action {
    /// Wait for a time or for an element.
    Wait(WaitFor),
    /// Click the first element that matches, or all of them.
    Click {
        /// A CSS selector.
        selector: String,
        /// All matches in place of the first.
        all: bool,
    },
    /// Type text.
    Write {
        /// The text.
        text: String,
        /// Where; `None` types into the focused element.
        selector: Option<String>,
    },
    /// Press a key.
    Press {
        /// The key's name as in the DOM's `KeyboardEvent.key`.
        key: String,
    },
    /// Scroll the page or an element.
    Scroll {
        /// Which way.
        direction: ScrollDirection,
        /// What; `None` scrolls the page.
        selector: Option<String>,
    },
    /// Take a picture.
    Screenshot(ScreenshotFormat),
    /// Keep the page's HTML as it is now.
    Scrape,
    /// Run a script.
    ExecuteJavascript {
        /// Its source.
        script: String,
    },
    /// Print to PDF.
    Pdf {
        /// Landscape in place of portrait.
        landscape: bool,
        /// 0.1 to 2.
        scale: f64,
        /// Paper size, such as `A4` or `Letter`.
        format: String,
    },
}

/// What a wait action waits for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum WaitFor {
    /// A time.
    Time(Duration),
    /// An element that matches this CSS selector.
    Selector(String),
}

/// Which way to scroll.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum ScrollDirection {
    /// Towards the top.
    Up,
    /// Towards the end.
    #[default]
    Down,
    /// To the left.
    Left,
    /// To the right.
    Right,
}
