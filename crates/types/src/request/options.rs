//! Scrape options of v2.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::action::Action;
use super::bare_name::{self, name_or_object};
use super::extras::Extras;
use super::format::Format;
use super::setters::{scrape_option_setters, setters};
use crate::limits;
use crate::plan::PdfMode;
use crate::redacted::{debug_with, optional_header_names};

/// How a page is fetched, rendered and transformed. Options that are left out have v2's defaults.
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
    /// Accept a cached copy younger than this many milliseconds; default two days. 0 accepts none.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(extend("default" = limits::DEFAULT_MAX_AGE_MS))]
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
    /// Accept any certificate; default `true`.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(extend("default" = true))]
    pub skip_tls_verification: Option<bool>,
    /// The total deadline in milliseconds; default 30,000.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(
        range(min = limits::MIN_TIMEOUT_MS, max = limits::MAX_TIMEOUT_MS),
        extend("default" = limits::DEFAULT_TIMEOUT_MS)
    )]
    pub timeout: Option<u64>,
    /// How files are parsed; default `["pdf"]`. With `[]`, a PDF is returned as base64.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(length(max = limits::MAX_PARSERS), extend("default" = ["pdf"]))]
    pub parsers: Option<Vec<Parser>>,
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
    /// The proxy pool; default `auto`.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(extend("default" = "auto"))]
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
    skip_tls_verification, timeout, parsers, actions, location, remove_base64_images, block_ads, proxy,
    store_in_cache, extras
} headers: optional_header_names);

impl ScrapeOptions {
    /// Every default.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }
}

scrape_option_setters! { ScrapeOptions [] }
setters! {
    ScrapeOptions [] {
        /// Sets the other fields that clients send.
        extras: plain(Extras);
    }
}

/// A kind of file that is parsed: `"pdf"`, or an object with options.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(remote = "Self", tag = "type", rename_all = "camelCase")]
#[schemars(!remote, transform = bare_name::allow_names)]
#[non_exhaustive]
pub enum Parser {
    /// Convert PDFs to Markdown.
    Pdf(PdfParser),
}
name_or_object!(Parser, "type");

impl From<PdfParser> for Parser {
    fn from(options: PdfParser) -> Self {
        Self::Pdf(options)
    }
}

/// Options of the PDF parser.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct PdfParser {
    /// Text layer, OCR, or an automatic choice; default `auto`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub mode: Option<PdfMode>,
    /// At most this many pages; default all.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 1, max = limits::MAX_PDF_PAGES))]
    pub max_pages: Option<u32>,
}

impl PdfParser {
    /// Every default.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }
}

setters! {
    PdfParser [] {
        /// Selects text layer, OCR, or an automatic choice; default [`Auto`](PdfMode::Auto).
        mode: value(PdfMode);
        /// Parses at most this many pages; default all.
        max_pages: value(u32);
    }
}

/// Where a request appears to come from.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[non_exhaustive]
pub struct Location {
    /// An ISO 3166-1 alpha-2 code, in any case; default `US`.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(extend("default" = limits::DEFAULT_COUNTRY))]
    pub country: Option<String>,
    /// BCP 47 language tags, the preferred one first.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(length(max = limits::MAX_LANGUAGES))]
    pub languages: Option<Vec<String>>,
}

impl Location {
    /// Every default.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }
}

setters! {
    Location [] {
        /// Sets the country by its ISO 3166-1 alpha-2 code, in any case; default `US`.
        country: text;
        /// Sets the languages by BCP 47 tags, the preferred one first.
        languages: list(String);
    }
}

/// A proxy pool.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "Proxy")] // The name in the description of the API.
#[non_exhaustive]
pub enum ProxyChoice {
    /// The basic pool, or a direct connection if there is none.
    Basic,
    /// The stealth pool.
    Stealth,
    /// Another name for `stealth`.
    Enhanced,
    /// The basic pool first, the stealth pool if the site refuses that.
    Auto,
}
