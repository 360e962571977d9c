use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::action::Action;
use super::extras::Extras;
use super::format::Format;
use super::named::{self, name_or_object};
use crate::limits;
use crate::plan::PdfMode;
use crate::shown::{debug_with, names_of};

/// How a page is fetched, rendered and transformed (contract 2.6). What is left out takes v2's default.
#[derive(Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ScrapeOptions {
    /// What the document shall hold; default `["markdown"]`.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(length(max = limits::MAX_FORMATS), extend("default" = ["markdown"]))]
    pub formats: Option<Vec<Format>>,
    /// Leave out what surrounds the main content; default `true`.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(extend("default" = true))]
    pub only_main_content: Option<bool>,
    /// CSS selectors of what to keep.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(length(max = limits::MAX_SELECTORS), inner(length(min = 1, max = limits::MAX_SELECTOR_CHARS)))]
    pub include_tags: Option<Vec<String>>,
    /// CSS selectors of what to drop.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(length(max = limits::MAX_SELECTORS), inner(length(min = 1, max = limits::MAX_SELECTOR_CHARS)))]
    pub exclude_tags: Option<Vec<String>>,
    /// A cached copy younger than this many milliseconds is served; default two days.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(extend("default" = limits::DEFAULT_MAX_AGE_MS))]
    pub max_age: Option<u64>,
    /// Serve only from the cache, and only a copy at least this many milliseconds old.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub min_age: Option<u64>,
    /// Serve only from the cache; default `false`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub lockdown: Option<bool>,
    /// Sent with the request.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(extend("writeOnly" = true))]
    pub headers: Option<BTreeMap<String, String>>,
    /// Milliseconds before content is read; default 0, at most half of `timeout`.
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
    /// How files are parsed; default `["pdf"]`, and with `[]` a PDF comes as base64.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(length(max = limits::MAX_PARSERS), extend("default" = ["pdf"]))]
    pub parsers: Option<Vec<Parser>>,
    /// Done on the page before content is read.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(length(max = limits::MAX_ACTIONS))]
    pub actions: Option<Vec<Action>>,
    /// Where the request should seem to come from.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub location: Option<Location>,
    /// Replace inline images by a placeholder; default `true`.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(extend("default" = true))]
    pub remove_base64_images: Option<bool>,
    /// Block advertisements and cookie dialogs; default `true`.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(extend("default" = true))]
    pub block_ads: Option<bool>,
    /// How the request leaves; default `auto`.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(extend("default" = "auto"))]
    pub proxy: Option<Proxy>,
    /// Keep the page in the cache; default `true`, and never with `headers` or `actions`.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(extend("default" = true))]
    pub store_in_cache: Option<bool>,
    /// What clients send beside these.
    #[serde(flatten)]
    pub extras: Extras,
}

debug_with!(ScrapeOptions {
    formats, only_main_content, include_tags, exclude_tags, max_age, min_age, lockdown, wait_for, mobile,
    skip_tls_verification, timeout, parsers, actions, location, remove_base64_images, block_ads, proxy, store_in_cache,
    extras
} headers: names_of);

/// How a kind of file is parsed: `"pdf"`, or an object with options.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(remote = "Self", tag = "type", rename_all = "camelCase")]
#[schemars(!remote, transform = named::allow_names)]
pub enum Parser {
    /// Turn PDFs into Markdown.
    Pdf(PdfParser),
}
name_or_object!(Parser, "type");

/// Options of the PDF parser.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct PdfParser {
    /// Text layer, OCR, or a choice between them; default `auto`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub mode: Option<PdfMode>,
    /// At most so many pages; without it all.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 1, max = limits::MAX_PDF_PAGES))]
    pub max_pages: Option<u32>,
}

/// Where a request should seem to come from.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Location {
    /// An ISO 3166-1 alpha-2 code, in any case; default `US`.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(extend("default" = limits::DEFAULT_COUNTRY))]
    pub country: Option<String>,
    /// BCP 47 tags, most wanted first.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(length(max = limits::MAX_LANGUAGES))]
    pub languages: Option<Vec<String>>,
}

/// How a request leaves.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub enum Proxy {
    /// The basic pool, or direct where there is none.
    Basic,
    /// The stealth pool.
    Stealth,
    /// Another name of `stealth`.
    Enhanced,
    /// Basic first, stealth where that is refused.
    Auto,
}
