//! The pages that a request names, and those that a search finds.

use std::time::Duration;

use gleaner_extract::model::{MAX_SEARCH_HITS, SearchQuery, WebSearch};
use gleaner_extract::{ExecutionPlan, PlanStep, UrlPatterns};
use gleaner_types::plan::{ExtractPlan, ExtractSource, Target};
use url::Url;

use super::visit::PageOrigin;

/// Maximum pages of other sites that one extract job reads.
pub(super) const MAX_EXTERNAL_PAGES: usize = 10;

/// Maximum time of a search. The job continues without its hits.
const SEARCH_TIMEOUT: Duration = Duration::from_secs(60);

/// A page to read.
#[derive(Debug, Clone)]
pub(super) struct Source {
    pub(super) target: Target,
    pub(super) origin: PageOrigin,
    /// The URL pattern that pages of one template share. It begins with the host, without `www.`.
    pub(super) cluster: String,
    /// Its site has several pages of the cluster.
    pub(super) alike: bool,
}

impl Source {
    /// A page of which only the URL is known.
    fn single(target: Target, origin: PageOrigin) -> Self {
        let cluster = UrlPatterns::default().of(&target.url);
        Self { target, origin, cluster, alike: false }
    }

    /// A page that the engine found. It is foreign unless the user named its host. A page over plain HTTP is
    /// foreign unless the user named a page of its host over plain HTTP, or without a scheme.
    pub(super) fn found(request: &ExtractPlan, url: Url) -> Self {
        let allows_http =
            |source: &ExtractSource| source.target.scheme_assumed || source.target.url.scheme() == "http";
        let is_named =
            named_hosts(request, &url).any(|source| url.scheme() == "https" || allows_http(source));
        let origin = if is_named { PageOrigin::Found } else { PageOrigin::Foreign };
        Self::single(Target::from(url), origin)
    }
}

/// The pages that the request names.
pub(super) fn named(request: &ExtractPlan) -> Vec<Source> {
    let pages = request.sources.iter().filter(|source| !source.wildcard);
    pages.map(|source| Source::single(source.target.clone(), PageOrigin::Named)).collect()
}

/// The pages that the search finds, if the plan has this step.
pub(super) async fn searched(
    request: &ExtractPlan,
    plan: &ExecutionPlan,
    search: Option<&dyn WebSearch>,
) -> Result<Vec<Source>, String> {
    let words = plan.steps.iter().find_map(|step| match step {
        PlanStep::Search { query } => Some(query),
        _ => None,
    });
    let (Some(engine), Some(words)) = (search, words) else { return Ok(Vec::new()) };
    let limit = MAX_EXTERNAL_PAGES.min(MAX_SEARCH_HITS);
    let query = SearchQuery::new(words.clone(), limit);
    let late = |_| format!("the web search took more than {} seconds", SEARCH_TIMEOUT.as_secs());
    let hits = tokio::time::timeout(SEARCH_TIMEOUT, engine.search(&query)).await.map_err(late)?;
    let hits = hits.map_err(|error| format!("the web search failed: {error}"))?;
    Ok(hits.into_iter().take(limit).map(|hit| Source::found(request, hit.url)).collect())
}

/// Whether the request names this host, with or without `www.`.
pub(super) fn is_named_host(request: &ExtractPlan, url: &Url) -> bool {
    named_hosts(request, url).next().is_some()
}

/// A host and its port, if the URL states one. It is the same with and without `www.`.
pub(super) type HostKey = (String, Option<u16>);

pub(super) fn host_key(url: &Url) -> HostKey {
    let name = url.host_str().unwrap_or_default();
    (name.strip_prefix("www.").unwrap_or(name).to_owned(), url.port())
}

/// The sources of the request on the same host, with or without `www.`.
fn named_hosts<'a>(request: &'a ExtractPlan, url: &Url) -> impl Iterator<Item = &'a ExtractSource> {
    let wanted = host_key(url);
    request.sources.iter().filter(move |source| host_key(&source.target.url) == wanted)
}

/// Whether a URL is below that of a wildcard. Only the path decides: the map has already checked the host.
pub(super) fn is_below(source: &ExtractSource, url: &Url) -> bool {
    let base = source.target.url.path().trim_end_matches('/');
    url.path().strip_prefix(base).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn whole_path_segments_are_compared() {
        let source = |url: &str| ExtractSource { target: Target::parse(url).unwrap(), wildcard: true };
        let rows = [
            ("https://a.example/", "https://a.example/x", true),
            ("https://a.example/blog", "https://a.example/blog/1", true),
            ("https://a.example/blog/", "https://a.example/blog", true),
            ("https://a.example/blog", "https://a.example/blogger", false),
            ("https://a.example/blog", "https://a.example/", false),
        ];
        for (base, url, expected) in rows {
            assert_eq!(is_below(&source(base), &url.parse().unwrap()), expected, "{base} {url}");
        }
    }

    #[test]
    fn only_pages_of_named_hosts_get_headers() {
        let urls = ["https://www.a.example/x", "https://b.example:8443/*", "http://d.example/"];
        let body = json!({ "urls": urls, "prompt": "x" });
        let request = ExtractPlan::from_json(&body).unwrap();
        let rows = [
            ("https://a.example/y", PageOrigin::Found),
            ("http://a.example/y", PageOrigin::Foreign),
            ("http://d.example/y", PageOrigin::Found),
            ("https://b.example:8443/y", PageOrigin::Found),
            ("https://b.example/y", PageOrigin::Foreign),
            ("https://sub.a.example/y", PageOrigin::Foreign),
            ("https://c.example/", PageOrigin::Foreign),
        ];
        for (url, expected) in rows {
            assert_eq!(Source::found(&request, url.parse().unwrap()).origin, expected, "{url}");
        }
    }
}
