use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The answer to `POST /v2/map`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[non_exhaustive]
pub struct MapResponse {
    /// Always true; a failure is an `ErrorBody`.
    pub success: bool,
    /// The site's addresses, best first where the request ranked them.
    pub links: Vec<MapLink>,
    /// What the reader should know, such as why a site gave no address.
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
    /// Absolute.
    pub url: String,
    /// The page's title, where it is known without fetching the page.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub title: Option<String>,
    /// The page's description, where it is known without fetching the page.
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

/// The answer to `POST /v1/map`, which has addresses alone.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[non_exhaustive]
pub struct MapResponseV1 {
    /// Always true; a failure is an `ErrorBody`.
    pub success: bool,
    /// The site's addresses.
    pub links: Vec<String>,
    /// What the reader should know, such as why a site gave no address.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub warning: Option<String>,
}

impl From<MapResponse> for MapResponseV1 {
    fn from(v2: MapResponse) -> Self {
        let links = v2.links.into_iter().map(|link| link.url).collect();
        Self { success: v2.success, links, warning: v2.warning }
    }
}
