//! The response for a single page.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::Document;

/// The answer to `POST /v2/scrape`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[non_exhaustive]
pub struct ScrapeResponse {
    /// Always true: errors have an `ErrorBody`.
    pub success: bool,
    /// The document.
    pub data: Document,
}

impl From<Document> for ScrapeResponse {
    fn from(data: Document) -> Self {
        Self { success: true, data }
    }
}
