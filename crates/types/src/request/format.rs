use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::named::{self, name_or_object};
use crate::limits;
use crate::plan::ChangeTrackingMode;

/// Something that a document shall hold: a name such as `"markdown"`, or an object with the name in `type`.
///
/// The order of formats means nothing, and the same format twice is the same as once.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(remote = "Self", tag = "type", rename_all = "camelCase")]
#[schemars(!remote, transform = named::allow_names)]
pub enum Format {
    /// Markdown (GFM).
    Markdown,
    /// Cleaned HTML.
    Html,
    /// The HTML as it came.
    RawHtml,
    /// All links of the page.
    Links,
    /// All images of the page.
    Images,
    /// A short summary.
    Summary,
    /// Colours, fonts and logo.
    Branding,
    /// Structured data against a schema, a prompt or both; one of them is needed.
    Json(JsonFormat),
    /// Comparison with the last scrape of the page; needs `markdown` beside it.
    ChangeTracking(ChangeTrackingFormat),
    /// A picture of the page; one at most.
    Screenshot(ScreenshotFormat),
    /// Values of attributes.
    Attributes(AttributesFormat),
}
name_or_object!(Format, "type");

impl Format {
    /// The format's name on the wire.
    #[must_use]
    pub const fn name(&self) -> &'static str {
        match self {
            Self::Markdown => "markdown",
            Self::Html => "html",
            Self::RawHtml => "rawHtml",
            Self::Links => "links",
            Self::Images => "images",
            Self::Summary => "summary",
            Self::Branding => "branding",
            Self::Json(_) => "json",
            Self::ChangeTracking(_) => "changeTracking",
            Self::Screenshot(_) => "screenshot",
            Self::Attributes(_) => "attributes",
        }
    }
}

/// Options of the `json` format.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct JsonFormat {
    /// A JSON Schema of the result.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub schema: Option<Map<String, Value>>,
    /// What to extract, in words.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(length(min = 1, max = limits::MAX_PROMPT_CHARS))]
    pub prompt: Option<String>,
    /// The system prompt. It has no name in v2's JSON: it comes from v1's `jsonOptions` or from Rust.
    #[serde(skip)]
    pub system_prompt: Option<String>,
    /// The document has the result as `extract`, its older name. It has no name in v2's JSON: it comes from v1's format
    /// `extract` or from Rust.
    #[serde(skip)]
    pub as_extract: bool,
}

/// Options of the `changeTracking` format.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ChangeTrackingFormat {
    /// How differences are told; none tells only whether there are any.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(length(max = limits::MAX_FORMATS))]
    pub modes: Option<Vec<ChangeTrackingMode>>,
    /// A JSON Schema, for mode `json`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub schema: Option<Map<String, Value>>,
    /// What to compare, in words, for mode `json`.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(length(min = 1, max = limits::MAX_PROMPT_CHARS))]
    pub prompt: Option<String>,
    /// Separates histories of the same page.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(length(max = limits::MAX_TRACKING_TAG_CHARS))]
    pub tag: Option<String>,
}

/// Options of a picture of the page, as a format or as an action.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ScreenshotFormat {
    /// The whole page in place of the viewport; default `false`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub full_page: Option<bool>,
    /// JPEG quality; without it a PNG is made.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = limits::MIN_SCREENSHOT_QUALITY, max = limits::MAX_SCREENSHOT_QUALITY))]
    pub quality: Option<u8>,
    /// The size of the window.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub viewport: Option<Viewport>,
}

/// A window size in CSS pixels.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Viewport {
    /// CSS pixels.
    #[schemars(range(min = 1, max = limits::MAX_VIEWPORT_SIDE))]
    pub width: u32,
    /// CSS pixels.
    #[schemars(range(min = 1, max = limits::MAX_VIEWPORT_SIDE))]
    pub height: u32,
}

/// Options of the `attributes` format.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct AttributesFormat {
    /// Which attributes of which elements.
    #[schemars(length(min = 1, max = limits::MAX_ATTRIBUTE_SELECTORS))]
    pub selectors: Vec<AttributeSelector>,
}

/// One attribute of all elements that a selector matches.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct AttributeSelector {
    /// A CSS selector.
    #[schemars(length(min = 1, max = limits::MAX_SELECTOR_CHARS))]
    pub selector: String,
    /// The attribute's name.
    #[schemars(length(min = 1, max = limits::MAX_SELECTOR_CHARS))]
    pub attribute: String,
}
