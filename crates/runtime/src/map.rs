//! Listing the addresses of a site without scraping its pages.

use std::cmp::Reverse;
use std::collections::{BTreeMap, HashSet, VecDeque};
use std::sync::Arc;
use std::time::Duration;

use gleaner_frontier::{RobotsPolicy, UrlKey};
use gleaner_types::plan::{CrawlPlan, CrawlRules, Formats, MapPlan, ScrapeOptionsPlan, SitemapMode};
use gleaner_types::request::ScrapeOptions;
use gleaner_types::{ErrorCode, JobId, PageError};
use percent_encoding::percent_decode_str;
use tokio::time::{Instant, timeout_at};
use url::Url;

use crate::context::JobContext;
use crate::error::Error;
use crate::hosts::RequestChain;
use crate::permission::CrawlRedirects;
use crate::ports::{FetchRequest, Purpose, Transformed};
use crate::robots::Robots;
use crate::shared::Shared;
use crate::sitemap_fetch;
use crate::sitemaps::{Allowed, Sitemaps};
use crate::slices::Slices;
use crate::transforming::transform;
use crate::warning::joined;

/// How long mapping a site may take where the request does not say. What its sitemaps gave until then is the
/// result.
pub const DEFAULT_MAP_TIMEOUT: Duration = Duration::from_secs(300);

/// Where words are to be searched for, at most so many addresses are ranked.
const MAX_SEARCHED: usize = 200_000;

/// At most so many words are searched for.
const MAX_WORDS: usize = 32;

/// The addresses of a site, best first where words to search for were given.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct MapResult {
    /// The addresses, each once.
    pub links: Vec<Url>,
    /// What the reader should know.
    pub warning: Option<String>,
}

pub(crate) async fn map(shared: &Arc<Shared>, plan: MapPlan, id: JobId) -> Result<MapResult, Error> {
    list(shared, plan, id).await.map_err(Error::of_map)
}

async fn list(shared: &Arc<Shared>, plan: MapPlan, id: JobId) -> Result<MapResult, Error> {
    let timeout = plan.timeout.unwrap_or(DEFAULT_MAP_TIMEOUT);
    let deadline = Instant::now() + timeout;
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
    let mut found = Found::new(shared, &job, plan.search.as_deref());
    let late = || PageError {
        code: ErrorCode::ScrapeTimeout,
        message: format!("the site was not mapped within the timeout of {} ms", timeout.as_millis()),
    };
    let Ok(Ok(_place)) = timeout_at(deadline, shared.maps.acquire()).await else { return Err(late().into()) };
    let begun = timeout_at(deadline, read_start(shared, &plan, &mut found, deadline)).await;
    let Start { url: start, robots, mut warning } = begun.map_err(|_| late())??;
    if robots.trouble.is_some() {
        return Ok(MapResult { links: Vec::new(), warning });
    }
    // Where words rank the result, the best may come last.
    let limit = usize::try_from(plan.limit).unwrap_or(usize::MAX);
    let enough = if plan.search.is_some() { MAX_SEARCHED } else { limit };
    if plan.sitemap != SitemapMode::Skip && found.links.len() < enough {
        let reading = read_sitemaps(shared, &start, &robots.policy, &mut found, enough);
        if timeout_at(deadline, reading).await.is_err() {
            if found.links.is_empty() {
                return Err(late().into());
            }
            let late = format!("not all sitemaps were read within the timeout of {} ms", timeout.as_millis());
            warning = Some(joined(warning, &late));
        }
    }
    let mut links = best_first(found.links);
    links.truncate(limit);
    Ok(MapResult { links, warning })
}

/// Reads the sitemaps of a site one after another, without a queue, until there are enough addresses. It may
/// be dropped at any time: what was found until then is there.
async fn read_sitemaps(
    shared: &Arc<Shared>,
    start: &Url,
    robots: &RobotsPolicy,
    found: &mut Found<'_>,
    enough: usize,
) {
    let job = found.job;
    let sitemaps = Sitemaps::default();
    let mut queue = VecDeque::from(sitemaps.roots(start, Some(robots)));
    while let Some(next) = queue.pop_front() {
        let robots = shared.robots(&shared.agent, &next.url, false, job).await.robots;
        let Allowed::Yes { gap } = sitemaps.allows(&robots, &next.url, next.key) else { continue };
        match sitemap_fetch::read(shared, &next.url, &job.options, job.pacing(gap)).await {
            Ok(read) => {
                let (further, pages) = sitemaps.take(next.key, read);
                queue.extend(further);
                found.add(pages.into_iter().map(|(page, _)| page).collect()).await;
                if found.links.len() >= enough {
                    return;
                }
            }
            Err(failure) => tracing::info!(error = %failure.error, "a sitemap could not be fetched"),
        }
    }
}

/// Where the map begins, and what is known of the site then.
struct Start {
    /// After redirects.
    url: Url,
    robots: Arc<Robots>,
    warning: Option<String>,
}

/// Reads robots.txt and the links of the start page.
async fn read_start(
    shared: &Arc<Shared>,
    plan: &MapPlan,
    found: &mut Found<'_>,
    until: Instant,
) -> Result<Start, Error> {
    let job = found.job;
    let mut start = plan.target.url.clone();
    let mut warning = None;
    let robots = shared.robots(&shared.agent, &start, plan.target.scheme_assumed, job).await.robots;
    if let Some(trouble) = &robots.trouble {
        if !trouble.answered {
            return Err(trouble.error.clone().into());
        }
        warning = Some(format!("nothing was read: {}", trouble.error.message));
    } else if !robots.policy.allows(&start) {
        warning = Some("robots.txt forbids the start page, so its links were not read".to_owned());
    } else if plan.sitemap != SitemapMode::Only {
        let request = FetchRequest {
            url: &plan.target.url,
            scheme_assumed: plan.target.scheme_assumed,
            options: &job.options,
            purpose: Purpose::Page,
            session: Some(&job.session),
        };
        let pacing = job.pacing(robots.policy.crawl_delay().unwrap_or_default());
        let chain = RequestChain::from(shared, &start, shared.permit(&start, pacing).await);
        let hops = CrawlRedirects { shared, job, is_start: true, is_export: false, chain };
        let answer = shared.fetch.fetch(request, &hops).await;
        if let Ok(page) = &answer {
            shared.heed(page).await;
        }
        drop(hops);
        let failure = match answer {
            Ok(page) => {
                start = page.url.clone();
                found.add(vec![start.clone()]).await;
                let transformed = match page.status {
                    ..400 => transform(shared, job, page, until).await.1,
                    400.. => Ok(Transformed::default()),
                };
                match transformed {
                    Ok(page) => {
                        found.add(page.links).await;
                        None
                    }
                    Err(failure) => Some(failure),
                }
            }
            Err(failure) => Some(failure.error),
        };
        match failure {
            // There is nothing else that could be read.
            Some(failure) if plan.sitemap == SitemapMode::Skip => return Err(failure.into()),
            Some(failure) => warning = Some(format!("the start page could not be read: {failure}")),
            None => {}
        }
    }
    Ok(Start { url: start, robots, warning })
}

/// What was found so far.
struct Found<'a> {
    /// With how well they fit the words.
    links: Vec<(usize, Url)>,
    seen: HashSet<UrlKey>,
    job: &'a Arc<JobContext>,
    slices: &'a Slices,
    words: Arc<[String]>,
}

impl<'a> Found<'a> {
    fn new(shared: &'a Shared, job: &'a Arc<JobContext>, search: Option<&str>) -> Self {
        let words = words_of(search.unwrap_or_default());
        Self { links: Vec::new(), seen: HashSet::new(), job, slices: &shared.slices, words }
    }

    /// Adds those that are of the site and new.
    async fn add(&mut self, urls: Vec<Url>) {
        let (job, words) = (Arc::clone(self.job), Arc::clone(&self.words));
        let pick = move |url: Url, steps: &mut u64| {
            let page = job.crawl.as_ref()?.candidate(url, steps).filter(|page| !page.external)?;
            if !words.is_empty() {
                *steps += 400 + page.url.as_str().len() as u64 * (2 + words.len() as u64 / 8);
            }
            Some((page.key, fit(&page.url, &words), page.url))
        };
        for (key, fit, url) in self.slices.each(urls, pick).await {
            if self.seen.insert(key) {
                self.links.push((fit, url));
            }
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
    let defaults = ScrapeOptions::default().check()?;
    let formats = Formats { links: true, ..Formats::default() };
    Ok(ScrapeOptionsPlan { formats, location: plan.location.clone(), ..defaults })
}

fn words_of(search: &str) -> Arc<[String]> {
    search.split_whitespace().take(MAX_WORDS).map(str::to_lowercase).collect()
}

/// How well an address fits the words. One that is a whole part of it (`api` in `/docs/api-keys`) counts for
/// more than one that is within another (`api` in `/therapies`).
fn fit(url: &Url, words: &[String]) -> usize {
    const WHOLE: usize = 3;
    if words.is_empty() {
        return 0;
    }
    let text = percent_decode_str(url.as_str()).decode_utf8_lossy().to_lowercase();
    let parts: HashSet<&str> = text.split(|c: char| !c.is_alphanumeric()).collect();
    let fit = |word: &String| match (parts.contains(word.as_str()), text.contains(word.as_str())) {
        (true, _) => WHOLE,
        (false, true) => 1,
        (false, false) => 0,
    };
    words.iter().map(fit).sum()
}

/// The addresses that fit best first, those that fit alike in their order.
fn best_first(links: Vec<(usize, Url)>) -> Vec<Url> {
    // There are few degrees and may be very many links.
    let mut ranks: BTreeMap<Reverse<usize>, Vec<Url>> = BTreeMap::new();
    for (fit, url) in links {
        ranks.entry(Reverse(fit)).or_default().push(url);
    }
    ranks.into_values().flatten().collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ranked(links: &[Url], search: &str) -> Vec<String> {
        let words = words_of(search);
        let links = best_first(links.iter().map(|url| (fit(url, &words), url.clone())).collect());
        links.iter().map(|url| url.path().to_owned()).collect()
    }

    #[test]
    fn whole_words_count_for_more_and_escapes_are_read() {
        let links: Vec<Url> = ["/therapies", "/docs/api", "/%C3%BCber-uns", "/x?q=API&w=uber"]
            .iter()
            .map(|path| Url::parse("https://site.example").unwrap().join(path).unwrap())
            .collect();
        let first = |words: &str| ranked(&links, words).remove(0);
        assert_eq!(first("api"), "/docs/api");
        assert_eq!(first("Über"), "/%C3%BCber-uns");
        assert_eq!(first("api uber"), "/x");
    }

    #[test]
    fn addresses_that_hold_more_of_the_words_come_first_and_others_keep_their_order() {
        let links: Vec<Url> = ["/b", "/a", "/Pricing", "/docs/pricing-api"]
            .iter()
            .map(|path| Url::parse("https://site.example").unwrap().join(path).unwrap())
            .collect();
        assert_eq!(ranked(&links, "pricing API"), ["/docs/pricing-api", "/Pricing", "/b", "/a"]);
        assert_eq!(ranked(&links, ""), ["/b", "/a", "/Pricing", "/docs/pricing-api"]);
    }
}
