use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The answer to `POST /v2/map`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct MapResponse {
    /// Always true; a failure is an `ErrorBody`.
    pub success: bool,
    /// The site's addresses, best first where the request ranked them.
    pub links: Vec<MapLink>,
    /// What the reader should know, such as why a site gave no address.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub warning: Option<String>,
}

/// An address of a site.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
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

/// The answer to `POST /v1/map`, which has addresses alone.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
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
