//! Listing the addresses of a site without scraping its pages.

use std::collections::HashSet;
use std::sync::Arc;
use std::time::Duration;

use gleaner_types::plan::{CrawlPlan, CrawlRules, Formats, MapPlan, ScrapeOptionsPlan, SitemapMode};
use gleaner_types::request::ScrapeOptions;
use gleaner_types::{ErrorCode, JobId, PageError};
use url::Url;

use crate::context::JobContext;
use crate::page::{Hops, transform};
use crate::ports::{FetchRequest, Purpose};
use crate::shared::Shared;
use crate::{Error, sitemaps};

/// How long mapping a site may take where the request does not say.
pub const DEFAULT_MAP_TIMEOUT: Duration = Duration::from_secs(300);

/// The addresses of a site, best first where words to search for were given.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct MapResult {
    /// The addresses, each once.
    pub links: Vec<Url>,
    /// What the reader should know.
    pub warning: Option<String>,
}

pub(crate) async fn map(shared: &Arc<Shared>, plan: MapPlan, id: JobId) -> Result<MapResult, Error> {
    let timeout = plan.timeout.unwrap_or(DEFAULT_MAP_TIMEOUT);
    tokio::time::timeout(timeout, collect(shared, plan, id)).await.unwrap_or_else(|_| {
        let message = format!("the site was not mapped within the timeout of {} ms", timeout.as_millis());
        Err(PageError { code: ErrorCode::ScrapeTimeout, message }.into())
    })
}

async fn collect(shared: &Arc<Shared>, plan: MapPlan, id: JobId) -> Result<MapResult, Error> {
    let crawl = CrawlPlan {
        target: plan.target.clone(),
        prompt: None,
        rules: rules(&plan),
        limit: plan.limit,
        delay: None,
        max_concurrency: None,
        options: options(&plan)?,
        webhook: None,
        zero_data_retention: false,
    };
    let (job, _) = JobContext::of_crawl(id, &crawl, &shared.agent).map_err(|error| Error::rules(&error))?;
    let job = Arc::new(job);
    let mut start = plan.target.url.clone();
    let mut found = Found { links: Vec::new(), seen: HashSet::new(), job: &job };
    let mut warning = None;

    let robots = shared.robots(&shared.agent, &start, plan.target.scheme_assumed, &job).await.reading;
    let robots = match robots {
        Ok(policy) => policy,
        Err(failure) => return Err(failure.error.into()),
    };
    if !robots.allows(&start) {
        warning = Some("robots.txt forbids the start page, so its links were not read".to_owned());
    } else if plan.sitemap != SitemapMode::Only {
        let request = FetchRequest {
            url: &plan.target.url,
            scheme_assumed: plan.target.scheme_assumed,
            options: &job.options,
            purpose: Purpose::Page,
        };
        match shared.fetch.fetch(request, &Hops { shared, job: &job, is_start: true }).await {
            Ok(page) => {
                start = page.url.clone();
                found.add(start.clone());
                if page.status < 400 {
                    let transformed = transform(shared, &job, page).await?;
                    transformed.links.into_iter().for_each(|url| found.add(url));
                }
            }
            Err(failure) if plan.sitemap == SitemapMode::Skip => return Err(failure.error.into()),
            Err(failure) => warning = Some(format!("the start page could not be read: {}", failure.error)),
        }
    }
    if plan.sitemap != SitemapMode::Skip {
        // Where words rank the result, the best may come last.
        let enough = if plan.search.is_some() {
            usize::MAX
        } else {
            usize::try_from(plan.limit).unwrap_or(usize::MAX)
        };
        if found.links.len() < enough {
            sitemaps::read_all(shared, &start, &robots, &job.options, |pages| {
                pages.into_iter().for_each(|page| found.add(page));
                found.links.len() >= enough
            })
            .await;
        }
    }
    let mut links = found.links;
    if let Some(search) = &plan.search {
        rank(&mut links, search);
    }
    links.truncate(usize::try_from(plan.limit).unwrap_or(usize::MAX));
    Ok(MapResult { links, warning })
}

struct Found<'a> {
    links: Vec<Url>,
    seen: HashSet<gleaner_frontier::UrlKey>,
    job: &'a JobContext,
}

impl Found<'_> {
    fn add(&mut self, url: Url) {
        let Some(crawl) = &self.job.crawl else { return };
        if let Some(candidate) = crawl.candidate(url, false)
            && !candidate.external
            && self.seen.insert(candidate.key)
        {
            self.links.push(candidate.url);
        }
    }
}

fn rules(plan: &MapPlan) -> CrawlRules {
    CrawlRules {
        exclude_paths: Vec::new(),
        include_paths: Vec::new(),
        regex_on_full_url: false,
        max_discovery_depth: None,
        max_path_depth: None,
        sitemap: plan.sitemap,
        ignore_query_parameters: plan.ignore_query_parameters,
        deduplicate_similar_urls: true,
        crawl_entire_domain: true,
        allow_external_links: false,
        allow_subdomains: plan.include_subdomains,
        ignore_robots_txt: false,
        robots_user_agent: None,
    }
}

/// Those of a scrape that asks for links alone.
fn options(plan: &MapPlan) -> Result<ScrapeOptionsPlan, Error> {
    let defaults = ScrapeOptions::default().check().map_err(|faults| Error::rules(&faults))?;
    let formats = Formats { links: true, ..Formats::default() };
    Ok(ScrapeOptionsPlan { formats, location: plan.location.clone(), ..defaults })
}

/// Sorts addresses by how many of the words they hold, else leaves their order.
fn rank(links: &mut [Url], search: &str) {
    let words: Vec<String> = search.split_whitespace().map(str::to_lowercase).collect();
    links.sort_by_cached_key(|url| {
        let text = url.as_str().to_lowercase();
        std::cmp::Reverse(words.iter().filter(|word| text.contains(word.as_str())).count())
    });
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_that_hold_more_of_the_words_come_first_and_others_keep_their_order() {
        let mut links: Vec<Url> = ["/b", "/a", "/Pricing", "/docs/pricing-api"]
            .iter()
            .map(|path| Url::parse("https://site.example").unwrap().join(path).unwrap())
            .collect();
        rank(&mut links, "pricing API");
        let paths: Vec<&str> = links.iter().map(Url::path).collect();
        assert_eq!(paths, ["/docs/pricing-api", "/Pricing", "/b", "/a"]);
    }
}
