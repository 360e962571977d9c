//! Listing the addresses of a site without scraping its pages.

use std::collections::HashSet;
use std::sync::Arc;
use std::time::Duration;

use gleaner_types::plan::{CrawlPlan, CrawlRules, Formats, MapPlan, ScrapeOptionsPlan, SitemapMode};
use gleaner_types::request::ScrapeOptions;
use gleaner_types::{ErrorCode, JobId, PageError};
use percent_encoding::percent_decode_str;
use tokio::time::{Instant, timeout_at};
use url::Url;

use crate::context::JobContext;
use crate::permission::Hops;
use crate::ports::{FetchRequest, Purpose, Transformed};
use crate::robots::Robots;
use crate::shared::{Shared, Way};
use crate::transforming::transform;
use crate::{Error, sitemaps};

/// How long mapping a site may take where the request does not say. What its sitemaps gave until then is the result.
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
    let mut found = Found { links: Vec::new(), seen: HashSet::new(), job: &job };
    let late = || PageError {
        code: ErrorCode::ScrapeTimeout,
        message: format!("the site was not mapped within the timeout of {} ms", timeout.as_millis()),
    };
    let Ok(Ok(_place)) = timeout_at(deadline, shared.maps.acquire()).await else { return Err(late().into()) };
    let begun = timeout_at(deadline, read_start(shared, &plan, &mut found)).await;
    let Start { url: start, robots, mut warning } = begun.map_err(|_| late())??;
    if robots.trouble.is_some() {
        return Ok(MapResult { links: Vec::new(), warning });
    }
    // Where words rank the result, the best may come last.
    let limit = usize::try_from(plan.limit).unwrap_or(usize::MAX);
    let enough = if plan.search.is_some() { MAX_SEARCHED } else { limit };
    if plan.sitemap != SitemapMode::Skip && found.links.len() < enough {
        let reading = sitemaps::read_all(shared, &start, &robots.policy, &job, |pages| {
            pages.into_iter().for_each(|(page, _)| found.add(page));
            found.links.len() >= enough
        });
        if timeout_at(deadline, reading).await.is_err() {
            if found.links.is_empty() {
                return Err(late().into());
            }
            let late = format!("not all sitemaps were read within the timeout of {} ms", timeout.as_millis());
            warning = Some(warning.map_or_else(|| late.clone(), |first| format!("{first}; {late}")));
        }
    }
    let mut links = found.links;
    if let Some(search) = &plan.search {
        rank(&mut links, search);
    }
    links.truncate(limit);
    Ok(MapResult { links, warning })
}

/// Where the map begins, and what is known of the site then.
struct Start {
    /// After redirects.
    url: Url,
    robots: Arc<Robots>,
    warning: Option<String>,
}

/// Reads robots.txt and the links of the start page.
async fn read_start(shared: &Arc<Shared>, plan: &MapPlan, found: &mut Found<'_>) -> Result<Start, Error> {
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
        let manners = job.manners(robots.policy.crawl_delay().unwrap_or_default());
        let way = Way::from(shared, &start, shared.pass(&start, manners).await);
        let hops = Hops { shared, job, is_start: true, way };
        let answer = shared.fetch.fetch(request, &hops).await;
        if let Ok(page) = &answer {
            shared.heed(page).await;
        }
        drop(hops);
        let failure = match answer {
            Ok(page) => {
                start = page.url.clone();
                found.add(start.clone());
                let transformed = match page.status {
                    ..400 => transform(shared, job, page).await.1,
                    400.. => Ok(Transformed::default()),
                };
                transformed.map(|page| page.links.into_iter().for_each(|url| found.add(url))).err()
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

struct Found<'a> {
    links: Vec<Url>,
    seen: HashSet<gleaner_frontier::UrlKey>,
    job: &'a Arc<JobContext>,
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

/// Sorts addresses by how well they fit the words, else leaves their order. A word that is a whole part of an address
/// (`api` in `/docs/api-keys`) counts for more than one that is within another (`api` in `/therapies`).
fn rank(links: &mut [Url], search: &str) {
    const WHOLE: usize = 3;
    let words: Vec<String> = search.split_whitespace().take(MAX_WORDS).map(str::to_lowercase).collect();
    links.sort_by_cached_key(|url| {
        let text = percent_decode_str(url.as_str()).decode_utf8_lossy().to_lowercase();
        let parts: HashSet<&str> = text.split(|c: char| !c.is_alphanumeric()).collect();
        let fit = |word: &String| match (parts.contains(word.as_str()), text.contains(word.as_str())) {
            (true, _) => WHOLE,
            (false, true) => 1,
            (false, false) => 0,
        };
        std::cmp::Reverse(words.iter().map(fit).sum::<usize>())
    });
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn whole_words_count_for_more_and_escapes_are_read() {
        let mut links: Vec<Url> = ["/therapies", "/docs/api", "/%C3%BCber-uns", "/x?q=API&w=uber"]
            .iter()
            .map(|path| Url::parse("https://site.example").unwrap().join(path).unwrap())
            .collect();
        let mut first = |words: &str| {
            rank(&mut links, words);
            links[0].path().to_owned()
        };
        assert_eq!(first("api"), "/docs/api");
        assert_eq!(first("Über"), "/%C3%BCber-uns");
        assert_eq!(first("api uber"), "/x");
    }

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
