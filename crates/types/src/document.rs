use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Deserializer, Serialize};
use serde_json::Value;

/// What came of one page: only what was asked for, and always `metadata` (contract 2.4).
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default)]
pub struct Document {
    /// Markdown (GFM).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub markdown: Option<String>,
    /// Cleaned HTML.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub html: Option<String>,
    /// The HTML as it came, decoded to text.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub raw_html: Option<String>,
    /// Absolute addresses of all links of the page, each once, in their order.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub links: Option<Vec<String>>,
    /// Absolute addresses of all images of the page, each once, in their order.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub images: Option<Vec<String>>,
    /// A `data:` URI or an address in the media store.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub screenshot: Option<String>,
    /// A short summary.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub summary: Option<String>,
    /// Structured data.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub json: Option<Value>,
    /// Structured data, where v1's format `extract` asked for it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub extract: Option<Value>,
    /// Comparison with the last scrape.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub change_tracking: Option<Value>,
    /// Colours, fonts and logo.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub branding: Option<Value>,
    /// Values of the attributes asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub attributes: Option<Value>,
    /// What actions gave.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub actions: Option<ActionResults>,
    /// What the reader should know about how this document came about.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub warning: Option<String>,
    /// Facts about the page.
    pub metadata: Metadata,
}

/// What actions gave, in their order.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default)]
pub struct ActionResults {
    /// `data:` URIs or addresses in the media store.
    pub screenshots: Vec<String>,
    /// Pages as they were: `{url, html}`.
    pub scrapes: Vec<Value>,
    /// `{type, value}`.
    pub javascript_returns: Vec<Value>,
    /// `data:` URIs or addresses in the media store.
    pub pdfs: Vec<String>,
}

/// Facts about a page (contract 2.4). Every `<meta>` without a field of its own is in `other`, under its own name.
///
/// Reading is lenient: where a text is expected, a list counts as its first text (`articleTag`: all, joined), so that
/// what other engines wrote, and what older versions of this one kept, can be read.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default)]
pub struct Metadata {
    /// The page's title.
    #[serde(skip_serializing_if = "Option::is_none", deserialize_with = "first")]
    pub title: Option<String>,
    /// The page's description.
    #[serde(skip_serializing_if = "Option::is_none", deserialize_with = "first")]
    pub description: Option<String>,
    /// A BCP 47 tag.
    #[serde(skip_serializing_if = "Option::is_none", deserialize_with = "first")]
    pub language: Option<String>,
    /// Comma-separated.
    #[serde(skip_serializing_if = "Option::is_none", deserialize_with = "first")]
    pub keywords: Option<String>,
    /// The page's own word for robots.
    #[serde(skip_serializing_if = "Option::is_none", deserialize_with = "first")]
    pub robots: Option<String>,
    /// Absolute address of the page's icon.
    #[serde(skip_serializing_if = "Option::is_none", deserialize_with = "first")]
    pub favicon: Option<String>,
    /// The title for previews, `og:title`.
    #[serde(skip_serializing_if = "Option::is_none", deserialize_with = "first")]
    pub og_title: Option<String>,
    /// The description for previews.
    #[serde(skip_serializing_if = "Option::is_none", deserialize_with = "first")]
    pub og_description: Option<String>,
    /// The canonical address for previews.
    #[serde(skip_serializing_if = "Option::is_none", deserialize_with = "first")]
    pub og_url: Option<String>,
    /// The picture for previews.
    #[serde(skip_serializing_if = "Option::is_none", deserialize_with = "first")]
    pub og_image: Option<String>,
    /// A sound for previews.
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
    /// A film for previews.
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
    /// `article:published_time` or its like.
    #[serde(skip_serializing_if = "Option::is_none", deserialize_with = "first")]
    pub published_time: Option<String>,
    /// `article:modified_time` or its like.
    #[serde(skip_serializing_if = "Option::is_none", deserialize_with = "first")]
    pub modified_time: Option<String>,
    /// Locales of other versions.
    #[serde(skip_serializing_if = "Vec::is_empty", deserialize_with = "several")]
    pub og_locale_alternate: Vec<String>,
    /// The address asked for.
    #[serde(rename = "sourceURL", skip_serializing_if = "Option::is_none", deserialize_with = "first")]
    pub source_url: Option<String>,
    /// The address that answered, after redirects.
    #[serde(skip_serializing_if = "Option::is_none", deserialize_with = "first")]
    pub url: Option<String>,
    /// HTTP status.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub status_code: Option<u16>,
    /// The `Content-Type` as sent.
    #[serde(skip_serializing_if = "Option::is_none", deserialize_with = "first")]
    pub content_type: Option<String>,
    /// A UUID of this scrape.
    #[serde(skip_serializing_if = "Option::is_none", deserialize_with = "first")]
    pub scrape_id: Option<String>,
    /// Why the page is not what was hoped for, such as `Not Found`.
    #[serde(skip_serializing_if = "Option::is_none", deserialize_with = "first")]
    pub error: Option<String>,
    /// Pages of a PDF.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub num_pages: Option<u32>,
    /// Which kind of proxy was used.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub proxy_used: Option<ProxyUsed>,
    /// Did the page come from the cache? Absent where that was not asked.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cache_state: Option<CacheState>,
    /// When the cached copy was stored, RFC 3339.
    #[serde(skip_serializing_if = "Option::is_none", deserialize_with = "first")]
    pub cached_at: Option<String>,
    /// What the page cost.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub credits_used: Option<u64>,
    /// Did the page wait for a slot of the team?
    #[serde(skip_serializing_if = "Option::is_none")]
    pub concurrency_limited: Option<bool>,
    /// Every other `<meta>`, under its own name.
    #[serde(flatten)]
    pub other: BTreeMap<String, MetaValue>,
}

impl Metadata {
    /// Is this the wire name of a field of its own? Such a name in [`other`](Self::other) would be written twice and
    /// could not be read back.
    #[must_use]
    pub fn is_field(name: &str) -> bool {
        FIELDS.contains(&name)
    }
}

/// Wire names of the fields of [`Metadata`].
const FIELDS: [&str; 42] = [
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
    "proxyUsed",
    "cacheState",
    "cachedAt",
    "creditsUsed",
    "concurrencyLimited",
];

/// A text, or a list of texts.
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

/// The content of a `<meta>`, or of all that share a name.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(untagged)]
pub enum MetaValue {
    /// One.
    One(String),
    /// Several of the same name, in their order.
    Many(Vec<String>),
}

/// Which kind of proxy was used.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum ProxyUsed {
    /// Basic pool or direct.
    Basic,
    /// Stealth pool.
    Stealth,
}

/// Did a page come from the cache?
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum CacheState {
    /// Yes.
    Hit,
    /// No.
    Miss,
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn every_field_is_known_by_its_wire_name() {
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
    fn lists_are_read_where_a_text_is_expected() {
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
