//! The formats of a document and their options.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::bare_name::{self, name_or_object};
use super::setters::setters;
use crate::limits;
use crate::plan::{AttributeSelector, ChangeTrackingMode, Viewport};

/// A part of the documents: a name such as `"markdown"`, or an object with the name in `type`.
///
/// The order of formats has no meaning, and repeating a format has no effect.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(remote = "Self", tag = "type", rename_all = "camelCase")]
#[schemars(!remote, transform = bare_name::allow_names)]
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
    /// All images of the page.
    Images,
    /// A short summary.
    Summary,
    /// Colours, fonts and logo.
    Branding,
    /// Structured data by a schema, a prompt or both; one of them is required.
    Json(JsonFormat),
    /// A comparison with the last scrape of the page; requires the format `markdown` too.
    ChangeTracking(ChangeTrackingFormat),
    /// A screenshot of the page; at most one.
    Screenshot(ScreenshotFormat),
    /// Values of HTML attributes.
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

impl From<JsonFormat> for Format {
    fn from(options: JsonFormat) -> Self {
        Self::Json(options)
    }
}

impl From<ChangeTrackingFormat> for Format {
    fn from(options: ChangeTrackingFormat) -> Self {
        Self::ChangeTracking(options)
    }
}

impl From<ScreenshotFormat> for Format {
    fn from(options: ScreenshotFormat) -> Self {
        Self::Screenshot(options)
    }
}

impl From<AttributesFormat> for Format {
    fn from(options: AttributesFormat) -> Self {
        Self::Attributes(options)
    }
}

/// Options of the `json` format.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct JsonFormat {
    /// A JSON Schema of the result.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Option<Map<String, Value>>")]
    pub schema: Option<Value>,
    /// What to extract, in words.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(length(min = 1, max = limits::MAX_PROMPT_CHARS))]
    pub prompt: Option<String>,
    /// The model's system prompt. v2's JSON has no such field: it comes from v1's `jsonOptions` or from Rust.
    #[serde(skip)]
    pub system_prompt: Option<String>,
    /// The document contains the result as `extract`, its older name. v2's JSON has no such field, and there
    /// is no setter: it comes from v1's format `extract`.
    #[serde(skip)]
    pub as_extract: bool,
}

impl JsonFormat {
    /// The format without a schema or a prompt, one of which must be set. Without a language model it has to
    /// be a schema.
    ///
    /// ```
    /// use gleaner_types::request::{JsonFormat, ScrapeRequest};
    /// use serde_json::json;
    ///
    /// let schema = json!({ "properties": { "name": { "type": "string" }, "price": { "type": "number" } } });
    /// let format = JsonFormat::new().schema(schema);
    /// let request = ScrapeRequest::new("https://shop.example/cup").formats([format]);
    /// assert!(request.check()?.options.formats.json.is_some());
    /// # Ok::<(), gleaner_types::Faults>(())
    /// ```
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }
}

setters! {
    JsonFormat [] {
        /// Shapes the result by this JSON Schema, as `serde_json::json!` writes one. It must be an object.
        schema: json;
        /// Describes in words what to extract.
        prompt: text;
        /// Sets the model's system prompt.
        system_prompt: text;
    }
}

/// Options of the `changeTracking` format.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct ChangeTrackingFormat {
    /// How differences are reported. Without any mode, only whether there are any.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(length(max = limits::MAX_FORMATS))]
    pub modes: Option<Vec<ChangeTrackingMode>>,
    /// A JSON Schema, for mode `json`.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Option<Map<String, Value>>")]
    pub schema: Option<Value>,
    /// What to compare, in words, for mode `json`.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(length(min = 1, max = limits::MAX_PROMPT_CHARS))]
    pub prompt: Option<String>,
    /// Keeps a separate history of the page under this name.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(length(max = limits::MAX_TRACKING_TAG_CHARS))]
    pub tag: Option<String>,
}

impl ChangeTrackingFormat {
    /// A comparison that reports only whether the page changed.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }
}

setters! {
    ChangeTrackingFormat [] {
        /// Reports differences in these forms.
        modes: list(ChangeTrackingMode);
        /// Shapes the comparison of mode `json` by this JSON Schema. It must be an object.
        schema: json;
        /// Describes in words what mode `json` compares.
        prompt: text;
        /// Keeps a separate history of the page under this name.
        tag: text;
    }
}

/// Options of a screenshot, as a format or as an action.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct ScreenshotFormat {
    /// The whole page instead of the viewport; default `false`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub full_page: Option<bool>,
    /// JPEG quality. Without it, the screenshot is a PNG.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = limits::MIN_SCREENSHOT_QUALITY, max = limits::MAX_SCREENSHOT_QUALITY))]
    pub quality: Option<u8>,
    /// The window size.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub viewport: Option<Viewport>,
}

impl ScreenshotFormat {
    /// A PNG of the viewport.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }
}

setters! {
    ScreenshotFormat [] {
        /// Shows the whole page instead of the viewport; default `false`.
        full_page: value(bool);
        /// Makes a JPEG of this quality, 1 to 100, instead of a PNG.
        quality: value(u8);
        /// Sets the window size.
        viewport: value(Viewport);
    }
}

/// Options of the `attributes` format.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[non_exhaustive]
pub struct AttributesFormat {
    /// Attributes and the elements that have them.
    #[schemars(length(min = 1, max = limits::MAX_ATTRIBUTE_SELECTORS))]
    pub selectors: Vec<AttributeSelector>,
}

impl AttributesFormat {
    /// The values of these attributes.
    #[must_use]
    pub fn new(selectors: impl IntoIterator<Item = AttributeSelector>) -> Self {
        Self { selectors: selectors.into_iter().collect() }
    }
}
