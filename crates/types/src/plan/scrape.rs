//! Checked scrape and batch requests, with their formats, actions and options.

use std::collections::BTreeMap;
use std::time::Duration;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::{Target, WebhookPlan};
use crate::FaultPath;
use crate::limits::{MAX_SELECTOR_CHARS, MAX_VIEWPORT_SIDE};
use crate::redacted::{debug_with, header_names};

/// One page to scrape.
#[derive(Debug, Clone, PartialEq)]
pub struct ScrapePlan {
    /// The page.
    pub target: Target,
    /// How the page is scraped.
    pub options: ScrapeOptionsPlan,
    /// Write nothing of the page to cache, disk or log.
    pub zero_data_retention: bool,
}

/// Many pages to scrape in one job.
#[derive(Debug, Clone, PartialEq)]
pub struct BatchPlan {
    /// The valid URLs, in the order of the request. Repeated ones are kept.
    pub targets: Vec<Target>,
    /// The invalid URLs that were left out; `None` unless the request ignores invalid URLs.
    pub invalid_urls: Option<Vec<String>>,
    /// How each page is scraped.
    pub options: ScrapeOptionsPlan,
    /// At most this many pages of the job at a time; `None` applies only the team's limit.
    pub max_concurrency: Option<u32>,
    /// The job to add to, instead of a new one.
    pub append_to: Option<crate::JobId>,
    /// The receiver of the job's events.
    pub webhook: Option<WebhookPlan>,
    /// Write nothing of the pages to cache, disk or log.
    pub zero_data_retention: bool,
}

/// How a page is fetched, rendered and transformed, with every default filled in.
#[derive(Clone, PartialEq)]
pub struct ScrapeOptionsPlan {
    /// What the document contains.
    pub formats: Formats,
    /// Leave out navigation, banners and everything else around the main content.
    pub only_main_content: bool,
    /// CSS selectors of the elements to keep; empty keeps all.
    pub include_tags: Vec<String>,
    /// CSS selectors of the elements to drop.
    pub exclude_tags: Vec<String>,
    /// Accept a cached copy younger than this.
    pub max_age: Duration,
    /// Answer only from the cache, and only with a copy at least this old.
    pub min_age: Option<Duration>,
    /// Answer only from the cache.
    pub lockdown: bool,
    /// Headers of the request for the page; names in lower case.
    pub headers: BTreeMap<String, String>,
    /// The time to wait before content is read.
    pub wait_for: Duration,
    /// Emulate a mobile device.
    pub mobile: bool,
    /// Accept any certificate.
    pub skip_tls_verification: bool,
    /// The total deadline.
    pub timeout: Duration,
    /// How PDFs are parsed; `None` returns them as base64.
    pub pdf: Option<PdfParser>,
    /// Actions on the page before content is read.
    pub actions: Vec<PlannedAction>,
    /// Where the request appears to come from.
    pub location: Location,
    /// Replace inline images with a placeholder.
    pub remove_base64_images: bool,
    /// Block advertisements and cookie dialogs.
    pub block_ads: bool,
    /// The proxy pool.
    pub proxy: ProxyMode,
    /// Whether the page may be stored in the cache. False if another option excludes it.
    pub store_in_cache: bool,
}

debug_with!(ScrapeOptionsPlan {
    formats, only_main_content, include_tags, exclude_tags, max_age, min_age, lockdown, wait_for, mobile,
    skip_tls_verification, timeout, pdf, actions, location, remove_base64_images, block_ads, proxy,
    store_in_cache
} headers: header_names);

/// What a document contains.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Formats {
    /// Markdown (GFM).
    pub markdown: bool,
    /// Cleaned HTML.
    pub html: bool,
    /// The HTML as received.
    pub raw_html: bool,
    /// All links of the page.
    pub links: bool,
    /// All images of the page.
    pub images: bool,
    /// A short summary.
    pub summary: bool,
    /// Colours, fonts and logo.
    pub branding: bool,
    /// A screenshot of the page.
    pub screenshot: Option<ScreenshotFormat>,
    /// Structured data.
    pub json: Option<JsonFormat>,
    /// A comparison with the last scrape.
    pub change_tracking: Option<ChangeTracking>,
    /// Values of HTML attributes; empty if the format is not requested.
    pub attributes: Vec<AttributeSelector>,
    /// The paths of these formats in the request.
    pub places: FormatPaths,
}

/// Paths of formats with options in a request, for faults that are found after its check. Empty if the plan
/// does not come from a request.
///
/// All values are equal: two plans with the same content are equal even if their requests state it in
/// different places.
#[derive(Debug, Clone, Default)]
pub struct FormatPaths {
    /// The path of the schema of [`Formats::json`].
    pub json: FaultPath,
    /// The path of the schema of [`Formats::change_tracking`].
    pub change_tracking: FaultPath,
    /// The path of the CSS selector of each entry of [`Formats::attributes`], in order.
    pub attributes: Vec<FaultPath>,
}

impl PartialEq for FormatPaths {
    fn eq(&self, _: &Self) -> bool {
        true
    }
}

/// Structured data by a schema, a prompt or both.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct JsonFormat {
    /// A JSON Schema.
    pub schema: Option<Value>,
    /// What to extract, in words.
    pub prompt: Option<String>,
    /// The model's system prompt (v1 only).
    pub system_prompt: Option<String>,
    /// The document contains the result as `extract`, its older name (v1 only).
    pub as_extract: bool,
}

/// A comparison with the last scrape of the same page.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct ChangeTracking {
    /// How differences are reported. If empty, only whether there are any.
    pub modes: Vec<ChangeTrackingMode>,
    /// For [`ChangeTrackingMode::Json`].
    pub schema: Option<Value>,
    /// For [`ChangeTrackingMode::Json`].
    pub prompt: Option<String>,
    /// Keeps a separate history of the page under this name.
    pub tag: Option<String>,
}

/// How differences are reported.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum ChangeTrackingMode {
    /// A unified diff and its parsed form.
    GitDiff,
    /// Field by field.
    Json,
}

/// Options of a screenshot.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ScreenshotFormat {
    /// The whole page instead of the viewport.
    pub full_page: bool,
    /// JPEG quality, 1 to 100; `None` gives a PNG.
    pub quality: Option<u8>,
    /// The window size in CSS pixels.
    pub viewport: Option<Viewport>,
}

/// A window size in CSS pixels.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[non_exhaustive]
pub struct Viewport {
    /// CSS pixels.
    #[schemars(range(min = 1, max = MAX_VIEWPORT_SIDE))]
    pub width: u32,
    /// CSS pixels.
    #[schemars(range(min = 1, max = MAX_VIEWPORT_SIDE))]
    pub height: u32,
}

impl Viewport {
    /// A window of this size in CSS pixels.
    #[must_use]
    pub const fn new(width: u32, height: u32) -> Self {
        Self { width, height }
    }
}

/// One attribute of every element that a selector matches.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[non_exhaustive]
pub struct AttributeSelector {
    /// A CSS selector.
    #[schemars(length(min = 1, max = MAX_SELECTOR_CHARS))]
    pub selector: String,
    /// The attribute's name.
    #[schemars(length(min = 1, max = MAX_SELECTOR_CHARS))]
    pub attribute: String,
}

impl AttributeSelector {
    /// This attribute of every element that this CSS selector matches.
    #[must_use]
    pub fn new(selector: impl Into<String>, attribute: impl Into<String>) -> Self {
        Self { selector: selector.into(), attribute: attribute.into() }
    }
}

/// How a PDF is parsed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct PdfParser {
    /// Text layer, OCR, or an automatic choice.
    pub mode: PdfMode,
    /// At most this many pages, 1 to 10,000; `None` parses all.
    pub max_pages: Option<u32>,
}

/// Text layer, OCR, or an automatic choice.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum PdfMode {
    /// Only the text layer.
    Fast,
    /// The text layer, or OCR if there is none.
    #[default]
    Auto,
    /// Only OCR.
    Ocr,
}

/// Where a request appears to come from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Location {
    /// ISO 3166-1 alpha-2, upper case.
    pub country: String,
    /// BCP 47 language tags, the preferred one first; empty takes the engine's default.
    pub languages: Vec<String>,
}

/// A proxy pool.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum ProxyMode {
    /// The basic pool, or a direct connection if there is none.
    Basic,
    /// The stealth pool.
    Stealth,
    /// The basic pool first, the stealth pool if the site refuses that.
    #[default]
    Auto,
}

/// An action, with its place in the request.
#[derive(Debug, Clone, PartialEq)]
pub struct PlannedAction {
    /// The index of the action in the request, from 0. A wait for a time and for an element becomes two
    /// actions with the same index.
    pub index: usize,
    /// The action.
    pub action: Action,
}

/// An action on the page before content is read.
#[derive(Debug, Clone, PartialEq)]
pub enum Action {
    /// Wait for a time or for an element.
    Wait(WaitFor),
    /// Click the first element that matches, or all of them.
    Click {
        /// A CSS selector.
        selector: String,
        /// All matches instead of the first.
        all: bool,
    },
    /// Type text.
    Write {
        /// The text.
        text: String,
        /// A CSS selector of the element to type into; `None` types into the focused element.
        selector: Option<String>,
    },
    /// Press a key.
    Press {
        /// The key's name as in the DOM's `KeyboardEvent.key`.
        key: String,
    },
    /// Scroll the page or an element.
    Scroll {
        /// The direction.
        direction: ScrollDirection,
        /// A CSS selector of the element to scroll; `None` scrolls the page.
        selector: Option<String>,
    },
    /// Take a screenshot.
    Screenshot(ScreenshotFormat),
    /// Record the page's HTML as it is now.
    Scrape,
    /// Run a script.
    ExecuteJavascript {
        /// The script's source.
        script: String,
    },
    /// Print to PDF.
    Pdf {
        /// Landscape instead of portrait.
        landscape: bool,
        /// The scale, 0.1 to 2.
        scale: f64,
        /// The paper size, such as `A4` or `Letter`.
        format: String,
    },
}

/// The condition of a wait action.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum WaitFor {
    /// A time.
    Time(Duration),
    /// An element that matches this CSS selector.
    Selector(String),
}

/// A direction of scrolling.
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
