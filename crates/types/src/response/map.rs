//! Responses for maps, in v2 and v1.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The answer to `POST /v2/map`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[non_exhaustive]
pub struct MapResponse {
    /// Always true: errors have an `ErrorBody`.
    pub success: bool,
    /// The site's URLs, the best first if the request ranks them.
    pub links: Vec<MapLink>,
    /// A remark about the result, such as why no URL was found.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub warning: Option<String>,
}

impl MapResponse {
    /// These URLs, without a warning.
    #[must_use]
    pub const fn new(links: Vec<MapLink>) -> Self {
        Self { success: true, links, warning: None }
    }
}

/// A URL of a site.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[non_exhaustive]
pub struct MapLink {
    /// The absolute URL.
    pub url: String,
    /// The page's title, if it is known without fetching the page.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub title: Option<String>,
    /// The page's description, if it is known without fetching the page.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
}

impl MapLink {
    /// This URL, without title and description.
    #[must_use]
    pub fn new(url: impl Into<String>) -> Self {
        Self { url: url.into(), ..Self::default() }
    }
}

/// The answer to `POST /v1/map`, with URLs only.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[non_exhaustive]
pub struct MapResponseV1 {
    /// Always true: errors have an `ErrorBody`.
    pub success: bool,
    /// The site's URLs.
    pub links: Vec<String>,
    /// A remark about the result, such as why no URL was found.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub warning: Option<String>,
}

impl From<MapResponse> for MapResponseV1 {
    fn from(v2: MapResponse) -> Self {
        let links = v2.links.into_iter().map(|link| link.url).collect();
        Self { success: v2.success, links, warning: v2.warning }
    }
}
