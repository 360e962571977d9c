//! The document of a page: its formats and its metadata.

use std::collections::BTreeMap;
use std::time::Duration;

use schemars::JsonSchema;
use serde::{Deserialize, Deserializer, Serialize};
use serde_json::Value;

/// The result of one page: the requested formats, and always `metadata`.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default)]
#[non_exhaustive]
pub struct Document {
    /// Markdown (GFM).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub markdown: Option<String>,
    /// Cleaned HTML.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub html: Option<String>,
    /// The HTML as received, decoded to text.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub raw_html: Option<String>,
    /// Absolute URLs of all links of the page, in order, without repeats.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub links: Option<Vec<String>>,
    /// Absolute URLs of all images of the page, in order, without repeats.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub images: Option<Vec<String>>,
    /// A `data:` URI or a URL in the media store.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub screenshot: Option<String>,
    /// A short summary.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub summary: Option<String>,
    /// Structured data.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub json: Option<Value>,
    /// Structured data for v1's format `extract`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub extract: Option<Value>,
    /// A comparison with the last scrape.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub change_tracking: Option<Value>,
    /// Colours, fonts and logo.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub branding: Option<Value>,
    /// Values of the requested attributes.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub attributes: Option<Value>,
    /// Results of actions.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub actions: Option<ActionResults>,
    /// A remark about how this document was made.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub warning: Option<String>,
    /// Facts about the page.
    pub metadata: Metadata,
}

impl Document {
    /// A document with this Markdown and nothing else.
    #[must_use]
    pub fn of_markdown(markdown: String) -> Self {
        Self { markdown: Some(markdown), ..Self::default() }
    }
}

/// Results of actions, in order.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default)]
#[non_exhaustive]
pub struct ActionResults {
    /// `data:` URIs or URLs in the media store.
    pub screenshots: Vec<String>,
    /// Pages as they were at that time: `{url, html}`.
    pub scrapes: Vec<Value>,
    /// `{type, value}`.
    pub javascript_returns: Vec<Value>,
    /// `data:` URIs or URLs in the media store.
    pub pdfs: Vec<String>,
}

/// Facts about a page. Every `<meta>` element without its own field is in `other`, under its own name.
///
/// Reading is lenient: a list in place of a text counts as its first text (`articleTag`: all texts, joined).
/// So documents of other engines, and of older versions of this one, can be read.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default)]
#[non_exhaustive]
pub struct Metadata {
    /// The page's title.
    #[serde(skip_serializing_if = "Option::is_none", deserialize_with = "first")]
    pub title: Option<String>,
    /// The page's description.
    #[serde(skip_serializing_if = "Option::is_none", deserialize_with = "first")]
    pub description: Option<String>,
    /// A BCP 47 language tag.
    #[serde(skip_serializing_if = "Option::is_none", deserialize_with = "first")]
    pub language: Option<String>,
    /// Comma-separated.
    #[serde(skip_serializing_if = "Option::is_none", deserialize_with = "first")]
    pub keywords: Option<String>,
    /// The content of the page's `robots` element.
    #[serde(skip_serializing_if = "Option::is_none", deserialize_with = "first")]
    pub robots: Option<String>,
    /// The absolute URL of the page's icon.
    #[serde(skip_serializing_if = "Option::is_none", deserialize_with = "first")]
    pub favicon: Option<String>,
    /// The title for previews, `og:title`.
    #[serde(skip_serializing_if = "Option::is_none", deserialize_with = "first")]
    pub og_title: Option<String>,
    /// The description for previews.
    #[serde(skip_serializing_if = "Option::is_none", deserialize_with = "first")]
    pub og_description: Option<String>,
    /// The canonical URL for previews.
    #[serde(skip_serializing_if = "Option::is_none", deserialize_with = "first")]
    pub og_url: Option<String>,
    /// The image for previews.
    #[serde(skip_serializing_if = "Option::is_none", deserialize_with = "first")]
    pub og_image: Option<String>,
    /// An audio file for previews.
    #[serde(skip_serializing_if = "Option::is_none", deserialize_with = "first")]
    pub og_audio: Option<String>,
    /// The word before the title in a sentence.
    #[serde(skip_serializing_if = "Option::is_none", deserialize_with = "first")]
    pub og_determiner: Option<String>,
    /// The page's locale, such as `en_GB`.
    #[serde(skip_serializing_if = "Option::is_none", deserialize_with = "first")]
    pub og_locale: Option<String>,
    /// The site's name.
    #[serde(skip_serializing_if = "Option::is_none", deserialize_with = "first")]
    pub og_site_name: Option<String>,
    /// A video for previews.
    #[serde(skip_serializing_if = "Option::is_none", deserialize_with = "first")]
    pub og_video: Option<String>,
    /// Dublin Core `dc.date`.
    #[serde(skip_serializing_if = "Option::is_none", deserialize_with = "first")]
    pub dc_date: Option<String>,
    /// Dublin Core `dc.date.created`.
    #[serde(skip_serializing_if = "Option::is_none", deserialize_with = "first")]
    pub dc_date_created: Option<String>,
    /// Dublin Core `dcterms.created`.
    #[serde(skip_serializing_if = "Option::is_none", deserialize_with = "first")]
    pub dc_terms_created: Option<String>,
    /// Dublin Core `dc.description`.
    #[serde(skip_serializing_if = "Option::is_none", deserialize_with = "first")]
    pub dc_description: Option<String>,
    /// Dublin Core `dc.subject`.
    #[serde(skip_serializing_if = "Option::is_none", deserialize_with = "first")]
    pub dc_subject: Option<String>,
    /// Dublin Core `dcterms.subject`.
    #[serde(skip_serializing_if = "Option::is_none", deserialize_with = "first")]
    pub dc_terms_subject: Option<String>,
    /// Dublin Core `dc.type`.
    #[serde(skip_serializing_if = "Option::is_none", deserialize_with = "first")]
    pub dc_type: Option<String>,
    /// Dublin Core `dcterms.type`.
    #[serde(skip_serializing_if = "Option::is_none", deserialize_with = "first")]
    pub dc_terms_type: Option<String>,
    /// Dublin Core `dcterms.audience`.
    #[serde(skip_serializing_if = "Option::is_none", deserialize_with = "first")]
    pub dc_terms_audience: Option<String>,
    /// Dublin Core `dcterms.keywords`.
    #[serde(skip_serializing_if = "Option::is_none", deserialize_with = "first")]
    pub dc_terms_keywords: Option<String>,
    /// `article:tag`; several are joined by a comma and a space.
    #[serde(skip_serializing_if = "Option::is_none", deserialize_with = "joined")]
    pub article_tag: Option<String>,
    /// `article:section`.
    #[serde(skip_serializing_if = "Option::is_none", deserialize_with = "first")]
    pub article_section: Option<String>,
    /// The time of publication: `article:published_time` or an equivalent.
    #[serde(skip_serializing_if = "Option::is_none", deserialize_with = "first")]
    pub published_time: Option<String>,
    /// The time of the last change: `article:modified_time` or an equivalent.
    #[serde(skip_serializing_if = "Option::is_none", deserialize_with = "first")]
    pub modified_time: Option<String>,
    /// Locales of other versions.
    #[serde(skip_serializing_if = "Vec::is_empty", deserialize_with = "several")]
    pub og_locale_alternate: Vec<String>,
    /// The requested URL.
    #[serde(rename = "sourceURL", skip_serializing_if = "Option::is_none", deserialize_with = "first")]
    pub source_url: Option<String>,
    /// The URL that answered, after redirects.
    #[serde(skip_serializing_if = "Option::is_none", deserialize_with = "first")]
    pub url: Option<String>,
    /// The HTTP status.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub status_code: Option<u16>,
    /// The `Content-Type` as sent.
    #[serde(skip_serializing_if = "Option::is_none", deserialize_with = "first")]
    pub content_type: Option<String>,
    /// A UUID of this scrape.
    #[serde(skip_serializing_if = "Option::is_none", deserialize_with = "first")]
    pub scrape_id: Option<String>,
    /// Why the page is an error page, such as `Not Found`.
    #[serde(skip_serializing_if = "Option::is_none", deserialize_with = "first")]
    pub error: Option<String>,
    /// The number of pages of a PDF.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub num_pages: Option<u32>,
    /// What made the page. Absent if the engine has no browser.
    #[serde(skip_serializing_if = "Option::is_none", deserialize_with = "known_engine")]
    pub engine: Option<FetchEngine>,
    /// The kind of proxy that was used.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub proxy_used: Option<ProxyUsed>,
    /// Whether the page is a cached copy. Absent if the cache was not used.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cache_state: Option<CacheState>,
    /// When the cached copy was stored, RFC 3339.
    #[serde(skip_serializing_if = "Option::is_none", deserialize_with = "first")]
    pub cached_at: Option<String>,
    /// The cost of the page in credits.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub credits_used: Option<u64>,
    /// Whether the page waited for a slot of the team.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub concurrency_limited: Option<bool>,
    /// How long the page took, from the start of the work on it until its document was complete. It is for
    /// programs that embed the engine: it is not on the wire, so documents that were stored as JSON lack it.
    #[serde(skip)]
    pub duration: Option<Duration>,
    /// Every other `<meta>` element, under its own name.
    #[serde(flatten)]
    pub other: BTreeMap<String, MetaValue>,
}

impl Metadata {
    /// Whether this is the wire name of a field. In [`other`](Self::other), such a name would be written
    /// twice and could not be read back.
    #[must_use]
    pub fn is_field(name: &str) -> bool {
        FIELDS.contains(&name)
    }
}

/// Wire names of the fields of [`Metadata`].
const FIELDS: [&str; 43] = [
    "title",
    "description",
    "language",
    "keywords",
    "robots",
    "favicon",
    "ogTitle",
    "ogDescription",
    "ogUrl",
    "ogImage",
    "ogAudio",
    "ogDeterminer",
    "ogLocale",
    "ogSiteName",
    "ogVideo",
    "dcDate",
    "dcDateCreated",
    "dcTermsCreated",
    "dcDescription",
    "dcSubject",
    "dcTermsSubject",
    "dcType",
    "dcTermsType",
    "dcTermsAudience",
    "dcTermsKeywords",
    "articleTag",
    "articleSection",
    "publishedTime",
    "modifiedTime",
    "ogLocaleAlternate",
    "sourceURL",
    "url",
    "statusCode",
    "contentType",
    "scrapeId",
    "error",
    "numPages",
    "engine",
    "proxyUsed",
    "cacheState",
    "cachedAt",
    "creditsUsed",
    "concurrencyLimited",
];

/// Reads a text or a list of texts.
fn texts<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Vec<String>, D::Error> {
    Ok(match Option::<MetaValue>::deserialize(deserializer)? {
        None => Vec::new(),
        Some(MetaValue::One(text)) => vec![text],
        Some(MetaValue::Many(texts)) => texts,
    })
}

fn first<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<String>, D::Error> {
    Ok(texts(deserializer)?.into_iter().next())
}

fn joined<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<String>, D::Error> {
    let texts = texts(deserializer)?;
    Ok((!texts.is_empty()).then(|| texts.join(", ")))
}

fn several<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Vec<String>, D::Error> {
    texts(deserializer)
}

/// Reads an engine. Other values are ignored: documents can have an element `<meta name="engine">`.
fn known_engine<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<FetchEngine>, D::Error> {
    Ok(serde_json::from_value(Value::deserialize(deserializer)?).ok())
}

/// The content of a `<meta>` element, or of all elements with the same name.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(untagged)]
pub enum MetaValue {
    /// One element.
    One(String),
    /// Several elements with the same name, in order.
    Many(Vec<String>),
}

/// What requests a page.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
#[non_exhaustive]
pub enum FetchEngine {
    /// The HTTP client: the page is as served, and its scripts do not run.
    Static,
    /// A browser: its scripts ran.
    Browser,
}

/// The kind of proxy that was used.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
#[non_exhaustive]
pub enum ProxyUsed {
    /// The basic pool, or a direct connection.
    Basic,
    /// The stealth pool.
    Stealth,
}

/// Whether a page is a cached copy.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
#[non_exhaustive]
pub enum CacheState {
    /// The page is a cached copy.
    Hit,
    /// The page was fetched.
    Miss,
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn an_unknown_engine_is_ignored() {
        let read = |engine| serde_json::from_value::<Metadata>(json!({ "engine": engine })).unwrap().engine;
        assert_eq!(read(json!("browser")), Some(FetchEngine::Browser));
        for engine in [json!("steam"), json!(["static", "browser"]), json!(null)] {
            assert_eq!(read(engine), None);
        }
    }

    #[test]
    fn the_list_of_fields_matches_the_schema() {
        let schema = serde_json::to_value(schemars::schema_for!(Metadata)).unwrap();
        let mut known: Vec<&str> =
            schema["properties"].as_object().unwrap().keys().map(String::as_str).collect();
        let mut listed = FIELDS.to_vec();
        known.sort_unstable();
        listed.sort_unstable();
        assert_eq!(known, listed);
        assert!(Metadata::is_field("sourceURL") && !Metadata::is_field("og:title"));
    }

    #[test]
    fn lists_in_place_of_texts_are_read() {
        let written = json!({
            "ogImage": ["a.png", "b.png"], "articleTag": ["x", "y"], "ogTitle": "t", "title": null,
            "ogLocaleAlternate": "de_DE", "viewport": ["v", "w"],
        });
        let read: Metadata = serde_json::from_value(written).unwrap();
        assert_eq!(read.og_image.as_deref(), Some("a.png"));
        assert_eq!(read.article_tag.as_deref(), Some("x, y"));
        assert_eq!((read.og_title.as_deref(), read.title), (Some("t"), None));
        assert_eq!(read.og_locale_alternate, ["de_DE"]);
        assert_eq!(read.other["viewport"], MetaValue::Many(vec!["v".into(), "w".into()]));
    }
}
