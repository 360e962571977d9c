//! The response with crawl options that were generated from a prompt.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::plan::SitemapMode;
use crate::request::CrawlRequest;

/// The answer to `POST /v2/crawl/params-preview`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct CrawlParamsPreview {
    /// Always true: errors have an `ErrorBody`.
    pub success: bool,
    /// The generated options.
    pub data: CrawlParams,
    /// The parts of the prompt that set no option.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub warning: Option<String>,
}

/// Crawl options that were generated from a prompt. Options that it does not mention are absent.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[expect(missing_docs, reason = "the fields are those of the same names in `CrawlRequest`")]
pub struct CrawlParams {
    pub url: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub include_paths: Option<Vec<String>>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub exclude_paths: Option<Vec<String>>,
    #[serde(rename = "regexOnFullURL", default, skip_serializing_if = "Option::is_none")]
    pub regex_on_full_url: Option<bool>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub max_discovery_depth: Option<u32>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sitemap: Option<SitemapMode>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ignore_query_parameters: Option<bool>,
    #[serde(rename = "deduplicateSimilarURLs", default, skip_serializing_if = "Option::is_none")]
    pub deduplicate_similar_urls: Option<bool>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub limit: Option<u64>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub crawl_entire_domain: Option<bool>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub allow_external_links: Option<bool>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub allow_subdomains: Option<bool>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ignore_robots_txt: Option<bool>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub delay: Option<f64>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub max_concurrency: Option<u32>,
}

impl CrawlRequest {
    /// Fills in the options that this request leaves out with those generated from its prompt. The result
    /// still has to be checked, because a model may generate anything.
    #[must_use]
    pub fn or_generated(self, generated: CrawlParams) -> Self {
        Self {
            include_paths: self.include_paths.or(generated.include_paths),
            exclude_paths: self.exclude_paths.or(generated.exclude_paths),
            regex_on_full_url: self.regex_on_full_url.or(generated.regex_on_full_url),
            max_discovery_depth: self.max_discovery_depth.or(generated.max_discovery_depth),
            sitemap: self.sitemap.or(generated.sitemap),
            ignore_query_parameters: self.ignore_query_parameters.or(generated.ignore_query_parameters),
            deduplicate_similar_urls: self.deduplicate_similar_urls.or(generated.deduplicate_similar_urls),
            limit: self.limit.or(generated.limit),
            crawl_entire_domain: self.crawl_entire_domain.or(generated.crawl_entire_domain),
            allow_external_links: self.allow_external_links.or(generated.allow_external_links),
            allow_subdomains: self.allow_subdomains.or(generated.allow_subdomains),
            ignore_robots_txt: self.ignore_robots_txt.or(generated.ignore_robots_txt),
            delay: self.delay.or(generated.delay),
            max_concurrency: self.max_concurrency.or(generated.max_concurrency),
            ..self
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn explicit_options_override_generated_ones() {
        let request = CrawlRequest::new("https://a.example/").limit(5);
        let generated = CrawlParams {
            url: "https://b.example/".to_owned(),
            limit: Some(500),
            include_paths: Some(vec!["^/blog/".to_owned()]),
            ..CrawlParams::default()
        };
        let merged = request.or_generated(generated);
        assert_eq!((merged.limit, merged.url.as_str()), (Some(5), "https://a.example/"));
        assert_eq!(merged.include_paths, Some(vec!["^/blog/".to_owned()]));
    }
}
