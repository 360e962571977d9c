//! Scrape options of v1, and their conversion to v2.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::limits;
use crate::redacted::{debug_with, optional_header_names};
use crate::request::{self, Action, ChangeTrackingFormat, Extras, JsonFormat, Location, Parser, ProxyChoice};

/// v1's names of formats. Their options are fields next to `formats`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub enum Format {
    /// Markdown (GFM).
    Markdown,
    /// Cleaned HTML.
    Html,
    /// The HTML as received.
    RawHtml,
    /// All links of the page.
    Links,
    /// A screenshot of the viewport.
    Screenshot,
    /// A screenshot of the whole page. It excludes `screenshot`.
    #[serde(rename = "screenshot@fullPage")]
    ScreenshotFullPage,
    /// Structured data. Its options are `jsonOptions`.
    Json,
    /// The older name of `json`, which it excludes. Its options are `extract`, and the document contains the
    /// result as `extract`.
    Extract,
    /// A comparison with the last scrape. Its options are `changeTrackingOptions`.
    ChangeTracking,
}

/// v1's options of the formats `json` and `extract`.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct JsonOptions {
    /// A JSON Schema of the result.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Option<Map<String, Value>>")]
    pub schema: Option<Value>,
    /// The model's system prompt.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(length(min = 1, max = limits::MAX_PROMPT_CHARS))]
    pub system_prompt: Option<String>,
    /// What to extract, in words.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(length(min = 1, max = limits::MAX_PROMPT_CHARS))]
    pub prompt: Option<String>,
}

/// How a page is fetched, rendered and transformed, in v1's names. Options that are left out have v1's
/// defaults.
#[derive(Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct ScrapeOptions {
    /// What the document contains; default `["markdown"]`.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(length(max = limits::MAX_FORMATS), extend("default" = ["markdown"]))]
    pub formats: Option<Vec<Format>>,
    /// Leave out navigation, banners and everything else around the main content; default `true`.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(extend("default" = true))]
    pub only_main_content: Option<bool>,
    /// CSS selectors of the elements to keep.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(length(max = limits::MAX_SELECTORS), inner(length(min = 1, max = limits::MAX_SELECTOR_CHARS)))]
    pub include_tags: Option<Vec<String>>,
    /// CSS selectors of the elements to drop.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(length(max = limits::MAX_SELECTORS), inner(length(min = 1, max = limits::MAX_SELECTOR_CHARS)))]
    pub exclude_tags: Option<Vec<String>>,
    /// Accept a cached copy younger than this many milliseconds; default 0, which accepts none.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(extend("default" = limits::DEFAULT_MAX_AGE_MS_V1))]
    pub max_age: Option<u64>,
    /// Answer only from the cache, and only with a copy at least this many milliseconds old.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub min_age: Option<u64>,
    /// Answer only from the cache; default `false`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub lockdown: Option<bool>,
    /// Headers of the request for the page.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(extend("writeOnly" = true))]
    pub headers: Option<BTreeMap<String, String>>,
    /// Milliseconds to wait before content is read, at most half of `timeout`; default 0.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(range(max = limits::MAX_WAIT_FOR_MS), extend("default" = 0))]
    pub wait_for: Option<u64>,
    /// Emulate a mobile device; default `false`.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(extend("default" = false))]
    pub mobile: Option<bool>,
    /// Accept any certificate; default `false`.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(extend("default" = false))]
    pub skip_tls_verification: Option<bool>,
    /// The total deadline in milliseconds; default 30,000.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(
        range(min = limits::MIN_TIMEOUT_MS, max = limits::MAX_TIMEOUT_MS),
        extend("default" = limits::DEFAULT_TIMEOUT_MS)
    )]
    pub timeout: Option<u64>,
    /// Convert PDFs to Markdown (`true`) or return them as base64; default `true`.
    #[serde(rename = "parsePDF", skip_serializing_if = "Option::is_none")]
    #[schemars(extend("default" = true))]
    pub parse_pdf: Option<bool>,
    /// Options of the `json` format, which must then be in `formats`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub json_options: Option<JsonOptions>,
    /// Options of the `extract` format, which must then be in `formats`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub extract: Option<JsonOptions>,
    /// Options of the `changeTracking` format. They have no effect if it is not in `formats`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub change_tracking_options: Option<ChangeTrackingFormat>,
    /// Actions on the page before content is read.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(length(max = limits::MAX_ACTIONS))]
    pub actions: Option<Vec<Action>>,
    /// Where the request appears to come from.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub location: Option<Location>,
    /// Replace inline images with a placeholder; default `true`.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(extend("default" = true))]
    pub remove_base64_images: Option<bool>,
    /// Block advertisements and cookie dialogs; default `true`.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(extend("default" = true))]
    pub block_ads: Option<bool>,
    /// The proxy pool; default `basic`.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(extend("default" = "basic"))]
    pub proxy: Option<ProxyChoice>,
    /// Keep the page in the cache; default `true`. A page with `headers` or `actions` is never kept.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(extend("default" = true))]
    pub store_in_cache: Option<bool>,
    /// Other fields that clients send.
    #[serde(flatten)]
    pub extras: Extras,
}

debug_with!(ScrapeOptions {
    formats, only_main_content, include_tags, exclude_tags, max_age, min_age, lockdown, wait_for, mobile,
    skip_tls_verification, timeout, parse_pdf, json_options, extract, change_tracking_options, actions,
    location, remove_base64_images, block_ads, proxy, store_in_cache, extras
} headers: optional_header_names);

impl From<ScrapeOptions> for request::ScrapeOptions {
    /// Entry `i` of `formats` becomes entry `i` of v2's `formats`, with the options that v1 has in other
    /// fields.
    fn from(v1: ScrapeOptions) -> Self {
        let structured = |options: Option<JsonOptions>, as_extract| {
            let JsonOptions { schema, system_prompt, prompt } = options.unwrap_or_default();
            JsonFormat { schema, prompt, system_prompt, as_extract }
        };
        let (json, extract) = (structured(v1.json_options, false), structured(v1.extract, true));
        let tracking = v1.change_tracking_options.unwrap_or_default();
        let formats = v1.formats.unwrap_or_else(|| vec![Format::Markdown]);
        let format = |format: Format| match format {
            Format::Markdown => request::Format::Markdown,
            Format::Html => request::Format::Html,
            Format::RawHtml => request::Format::RawHtml,
            Format::Links => request::Format::Links,
            Format::Screenshot => request::Format::Screenshot(request::ScreenshotFormat::default()),
            Format::ScreenshotFullPage => request::Format::Screenshot(request::ScreenshotFormat {
                full_page: Some(true),
                ..request::ScreenshotFormat::default()
            }),
            Format::Json => request::Format::Json(json.clone()),
            Format::Extract => request::Format::Json(extract.clone()),
            Format::ChangeTracking => request::Format::ChangeTracking(tracking.clone()),
        };
        Self {
            formats: Some(formats.into_iter().map(format).collect()),
            only_main_content: v1.only_main_content,
            include_tags: v1.include_tags,
            exclude_tags: v1.exclude_tags,
            max_age: Some(v1.max_age.unwrap_or(limits::DEFAULT_MAX_AGE_MS_V1)),
            min_age: v1.min_age,
            lockdown: v1.lockdown,
            headers: v1.headers,
            wait_for: v1.wait_for,
            mobile: v1.mobile,
            skip_tls_verification: Some(v1.skip_tls_verification.unwrap_or(false)),
            timeout: v1.timeout,
            parsers: Some(if v1.parse_pdf.unwrap_or(true) {
                vec![Parser::Pdf(request::PdfParser::default())]
            } else {
                Vec::new()
            }),
            actions: v1.actions,
            location: v1.location,
            remove_base64_images: v1.remove_base64_images,
            block_ads: v1.block_ads,
            proxy: Some(v1.proxy.unwrap_or(ProxyChoice::Basic)),
            store_in_cache: v1.store_in_cache,
            extras: v1.extras,
        }
    }
}
