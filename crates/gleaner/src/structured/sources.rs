//! Which pages an extract job reads.

use std::collections::HashSet;
use std::sync::Arc;

use gleaner_extract::ErrorKind;
use gleaner_extract::model::{MAX_SEARCH_HITS, SearchQuery, WebSearch};
use gleaner_jobs::Room;
use gleaner_types::plan::{ExtractPlan, ExtractSource, MapPlan, SitemapMode, Target};
use gleaner_types::{Document, ErrorCode, PageError};
use url::Url;

use super::shape::refusal;

/// Most pages that one extract job reads where the request sets no lower `limit`.
pub const MAX_EXTRACT_PAGES: usize = 100;
/// Most pages of other sites that one extract job reads.
pub const MAX_EXTERNAL_PAGES: usize = 10;
/// Most addresses of a site that a wildcard is chosen from.
const MAX_MAPPED: u64 = 5_000;

/// Addresses to read, each once, in their order.
#[derive(Debug, Default)]
pub(super) struct Sources {
    pub(super) targets: Vec<Target>,
    seen: HashSet<Url>,
    /// What the reader should know.
    pub(super) notes: Vec<String>,
}

impl Sources {
    fn add(&mut self, target: Target) {
        let mut plain = target.url.clone();
        plain.set_fragment(None);
        if self.seen.insert(plain) {
            self.targets.push(target);
        }
    }

    fn add_url(&mut self, url: Url) {
        self.add(Target { url, scheme_assumed: false });
    }
}

/// At most so many pages.
pub(super) fn limit(plan: &ExtractPlan) -> usize {
    let asked = plan.limit.map_or(MAX_EXTRACT_PAGES, |limit| usize::try_from(limit).unwrap_or(usize::MAX));
    asked.min(MAX_EXTRACT_PAGES)
}

/// The pages that the request names or describes.
pub(super) async fn find(
    room: &Arc<Room>,
    search: Option<&dyn WebSearch>,
    plan: &ExtractPlan,
) -> Result<Sources, PageError> {
    let mut sources = Sources::default();
    let mut failure = None;
    for source in &plan.sources {
        if !source.wildcard {
            sources.add(source.target.clone());
            continue;
        }
        match room.map(map_plan(plan, source)).await {
            Ok(found) => {
                let below = found.links.into_iter().filter(|url| is_below(source, url)).take(limit(plan));
                below.for_each(|url| sources.add_url(url));
                sources.notes.extend(found.warning);
            }
            Err(error) => {
                sources.notes.push(format!(
                    "the addresses below {} could not be had: {error}",
                    source.target.url.path()
                ));
                failure.get_or_insert(PageError { code: error.code(), message: error.to_string() });
            }
        }
    }
    if plan.sources.is_empty() || plan.enable_web_search {
        match (search, plan.prompt.as_deref()) {
            (Some(engine), Some(prompt)) => search_for(engine, prompt, &mut sources).await,
            _ if plan.sources.is_empty() => return Err(refusal(&ErrorKind::SearchNotConfigured.into())),
            // Links of the given pages are followed in its place.
            _ => {}
        }
    }
    if sources.targets.len() > limit(plan) {
        let note = format!("{} of {} pages were read", limit(plan), sources.targets.len());
        sources.notes.push(note);
        sources.targets.truncate(limit(plan));
    }
    if sources.targets.is_empty() {
        return Err(failure.unwrap_or_else(|| PageError {
            code: ErrorCode::ScrapeSiteError,
            message: "no page was found to read".to_owned(),
        }));
    }
    Ok(sources)
}

async fn search_for(engine: &dyn WebSearch, prompt: &str, sources: &mut Sources) {
    let limit = MAX_EXTERNAL_PAGES.min(MAX_SEARCH_HITS);
    let query = SearchQuery { text: prompt.to_owned(), limit, language: None };
    match engine.search(&query).await {
        Ok(hits) => hits.into_iter().take(limit).for_each(|hit| sources.add_url(hit.url)),
        Err(error) => sources.notes.push(format!("the web could not be searched: {error}")),
    }
}

/// Addresses of other sites that these pages link to, where the request allows it and no search engine is asked instead.
pub(super) fn external(plan: &ExtractPlan, searched: bool, documents: &[Document]) -> Vec<Target> {
    if !plan.allow_external_links && (!plan.enable_web_search || searched) {
        return Vec::new();
    }
    let hosts: HashSet<&str> =
        plan.sources.iter().filter_map(|source| source.target.url.host_str()).collect();
    let mut sources = Sources::default();
    let links = documents.iter().flat_map(|document| document.links.as_deref().unwrap_or_default());
    for url in links.filter_map(|link| Url::parse(link).ok()) {
        let is_other = url.host_str().is_some_and(|host| !hosts.contains(host));
        if is_other && matches!(url.scheme(), "http" | "https") && sources.targets.len() < MAX_EXTERNAL_PAGES
        {
            sources.add_url(url);
        }
    }
    sources.targets
}

fn map_plan(plan: &ExtractPlan, source: &ExtractSource) -> MapPlan {
    MapPlan {
        target: source.target.clone(),
        search: plan.prompt.clone(),
        sitemap: if plan.ignore_sitemap { SitemapMode::Skip } else { SitemapMode::Include },
        include_subdomains: plan.include_subdomains,
        ignore_query_parameters: true,
        limit: MAX_MAPPED,
        timeout: None,
        location: plan.options.location.clone(),
    }
}

/// Is an address below that of a wildcard? On other hosts, which map let through as subdomains, the path decides alone.
fn is_below(source: &ExtractSource, url: &Url) -> bool {
    let base = source.target.url.path().trim_end_matches('/');
    url.path().strip_prefix(base).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn below_is_by_whole_segments() {
        let source = |url: &str| ExtractSource {
            target: Target { url: url.parse().unwrap(), scheme_assumed: false },
            wildcard: true,
        };
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
}
