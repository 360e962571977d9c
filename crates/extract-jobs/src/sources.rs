//! Which pages a request names or describes, sites aside.

use std::time::Duration;

use gleaner_extract::model::{MAX_SEARCH_HITS, SearchQuery, WebSearch};
use gleaner_extract::{ExecutionPlan, PlanStep, UrlPatterns};
use gleaner_types::plan::{ExtractPlan, ExtractSource, Target};
use url::Url;

use super::visit::PageOrigin;

/// Most pages of other sites that one extract job reads.
pub const MAX_EXTERNAL_PAGES: usize = 10;

/// How long a search may take; without its hits the job goes on.
const SEARCH_TIMEOUT: Duration = Duration::from_secs(60);

/// A page to read.
#[derive(Debug, Clone)]
pub(super) struct Source {
    pub(super) target: Target,
    pub(super) origin: PageOrigin,
    /// What pages of one template share.
    pub(super) cluster: String,
    /// Has its site several pages of the cluster?
    pub(super) alike: bool,
}

impl Source {
    /// A page of which nothing but its address is known.
    fn alone(target: Target, origin: PageOrigin) -> Self {
        let cluster = UrlPatterns::default().of(&target.url);
        Self { target, origin, cluster, alike: false }
    }

    /// A page that the engine found. On a host that the user named it is one of theirs, else it is foreign;
    /// so it is where it would be asked for in the clear and the user named none of its host so.
    pub(super) fn found(request: &ExtractPlan, url: Url) -> Self {
        let in_the_clear =
            |source: &ExtractSource| source.target.scheme_assumed || source.target.url.scheme() == "http";
        let is_own = named_hosts(request, &url).any(|source| url.scheme() == "https" || in_the_clear(source));
        let origin = if is_own { PageOrigin::Found } else { PageOrigin::Foreign };
        Self::alone(Target::from(url), origin)
    }
}

/// The pages that the request names.
pub(super) fn named(request: &ExtractPlan) -> Vec<Source> {
    let pages = request.sources.iter().filter(|source| !source.wildcard);
    pages.map(|source| Source::alone(source.target.clone(), PageOrigin::Named)).collect()
}

/// The pages that a search finds, where the plan has one.
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
    let query = SearchQuery { text: words.clone(), limit, language: None };
    let late = |_| format!("the web could not be searched within {} seconds", SEARCH_TIMEOUT.as_secs());
    let hits = tokio::time::timeout(SEARCH_TIMEOUT, engine.search(&query)).await.map_err(late)?;
    let hits = hits.map_err(|error| format!("the web could not be searched: {error}"))?;
    Ok(hits.into_iter().take(limit).map(|hit| Source::found(request, hit.url)).collect())
}

/// Is it a host that the request names, `www.` aside?
pub(super) fn is_named_host(request: &ExtractPlan, url: &Url) -> bool {
    named_hosts(request, url).next().is_some()
}

/// What the request names of the same host, `www.` aside.
fn named_hosts<'a>(request: &'a ExtractPlan, url: &Url) -> impl Iterator<Item = &'a ExtractSource> {
    let plain = |url: &Url| {
        let host = url.host_str().unwrap_or_default();
        (host.strip_prefix("www.").unwrap_or(host).to_owned(), url.port())
    };
    let own = plain(url);
    request.sources.iter().filter(move |source| plain(&source.target.url) == own)
}

/// Is an address below that of a wildcard? On other hosts, which map let through as subdomains, the path
/// decides alone.
pub(super) fn is_below(source: &ExtractSource, url: &Url) -> bool {
    let base = source.target.url.path().trim_end_matches('/');
    url.path().strip_prefix(base).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn below_is_by_whole_segments() {
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
    fn headers_may_go_to_named_hosts_alone() {
        let body = json!({ "urls": ["https://www.a.example/x", "https://b.example:8443/*", "http://d.example/"], "prompt": "x" });
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
