//! Listing the URLs of a site without scraping its pages.

use std::cmp::Reverse;
use std::collections::{BTreeMap, HashSet, VecDeque};
use std::sync::Arc;
use std::time::Duration;

use gleaner_frontier::{RobotsPolicy, UrlKey};
use gleaner_types::plan::{CrawlPlan, CrawlRules, Formats, MapPlan, ScrapeOptionsPlan, SitemapMode};
use gleaner_types::request::ScrapeOptions;
use gleaner_types::{ErrorCode, FetchEngine, JobId, PageError};
use percent_encoding::percent_decode_str;
use tokio::time::{Instant, sleep, timeout_at};
use url::Url;

use crate::browser_access::EngineChoice;
use crate::context::JobContext;
use crate::error::Error;
use crate::hosts::RequestChain;
use crate::limits::{EXHAUSTED_PAUSE, MAX_ATTEMPTS, RETRY_PAUSE};
use crate::page_request::PageRequest;
use crate::permission::CrawlRedirects;
use crate::ports::{FetchRequest, Purpose, Transformed};
use crate::robots::Robots;
use crate::second_pass::MIN_RENDER_TIME;
use crate::shared::Shared;
use crate::sitemap_fetch;
use crate::sitemap_lease::sitemap_warning;
use crate::sitemaps::{SitemapPermission, Sitemaps};
use crate::slices::Slices;
use crate::timings::Stopwatch;
use crate::transforming::transform;
use crate::warning::joined;

/// Default timeout for mapping a site. At the timeout, the result is the URLs found so far.
pub const DEFAULT_MAP_TIMEOUT: Duration = Duration::from_secs(300);

/// Maximum number of URLs ranked for a search.
const MAX_RANKED: usize = 200_000;

/// Maximum number of words of a search.
const MAX_WORDS: usize = 32;

/// The memory of a URL in addition to its text, in bytes.
pub const MAPPED_URL_BYTES: usize = 128;

/// The URLs of a map ask for memory in steps of this many bytes.
const MEMORY_STEP: usize = 256 << 10;

/// Says whether the URLs of a map may take this many bytes.
type MapMemory<'a> = &'a mut (dyn FnMut(usize) -> bool + Send);

/// The URLs of a site, ordered by relevance if the request has a search.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct MapResult {
    /// The URLs, without duplicates.
    pub links: Vec<Url>,
    /// A warning for the user.
    pub warning: Option<String>,
}

pub(crate) async fn map(
    shared: &Arc<Shared>,
    plan: MapPlan,
    id: JobId,
    memory: MapMemory<'_>,
) -> Result<MapResult, Error> {
    list(shared, plan, id, memory).await.map_err(Error::of_map)
}

async fn list(
    shared: &Arc<Shared>,
    plan: MapPlan,
    id: JobId,
    memory: MapMemory<'_>,
) -> Result<MapResult, Error> {
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
    let mut found = FoundLinks::new(shared, &job, plan.search.as_deref(), memory);
    let timed_out = || PageError {
        code: ErrorCode::ScrapeTimeout,
        message: format!("the site was not mapped within the timeout of {} ms", timeout.as_millis()),
    };
    let Ok(Ok(_permit)) = timeout_at(deadline, shared.maps.acquire()).await else {
        return Err(timed_out().into());
    };
    let start = timeout_at(deadline, read_start(shared, &plan, &mut found, deadline)).await;
    let SiteStart { url: start, robots, mut warning } = start.map_err(|_| timed_out())??;
    if robots.failure.is_some() {
        return Ok(MapResult { links: Vec::new(), warning });
    }
    // With a search, the most relevant URL may come last.
    let limit = usize::try_from(plan.limit).unwrap_or(usize::MAX);
    let enough = if plan.search.is_some() { MAX_RANKED } else { limit };
    if plan.sitemap != SitemapMode::Skip && found.wants_more(enough) {
        let reading = read_sitemaps(shared, &start, &robots.policy, &mut found, enough);
        if timeout_at(deadline, reading).await.is_err() {
            if found.links.is_empty() {
                return Err(timed_out().into());
            }
            let late = format!("not all sitemaps were read within the timeout of {} ms", timeout.as_millis());
            warning = Some(joined(warning, &late));
        }
        warning = found.warnings.iter().fold(warning, |all, next| Some(joined(all, next)));
    }
    if found.is_full {
        let full = format!(
            "the list ends after {} URLs, because there is no memory for more now; map a part of the site, \
             or read earlier responses first",
            found.links.len()
        );
        warning = Some(joined(warning, &full));
    }
    let mut links = by_relevance(found.links);
    links.truncate(limit);
    Ok(MapResult { links, warning })
}

/// Reads the sitemaps of a site one after another, without the store's queue, until there are enough URLs.
/// The future may be dropped at any time; `found` keeps the URLs found so far.
async fn read_sitemaps(
    shared: &Arc<Shared>,
    start: &Url,
    robots: &RobotsPolicy,
    found: &mut FoundLinks<'_>,
    enough: usize,
) {
    let job = found.job;
    let sitemaps = Sitemaps::default();
    let mut queue = VecDeque::from(sitemaps.roots(start, Some(robots)));
    while let Some(next) = queue.pop_front() {
        let robots = robots_of(shared, &next.url, false, job).await;
        let permission = sitemaps.permission(&robots, &next.url, next.key);
        let SitemapPermission::Allowed { gap } = permission else { continue };
        let mut attempt = 1;
        let read = loop {
            let read = sitemap_fetch::read(shared, &next.url, &job.options, job.pacing(gap)).await;
            match &read {
                Err(unread) if unread.exhausted => sleep(EXHAUSTED_PAUSE).await,
                Err(unread) if attempt < MAX_ATTEMPTS && sitemaps.may_retry(next.key, unread) => {
                    sleep(RETRY_PAUSE * attempt).await;
                    attempt += 1;
                }
                _ => break read,
            }
        };
        match read {
            Ok(mut sitemap) => {
                let _place = sitemap.place.take();
                if let Some(problem) = sitemap.problem().filter(|_| sitemaps.take_warning()) {
                    found.warnings.push(sitemap_warning(&next.url, problem).to_string());
                }
                let (new_sitemaps, pages) = sitemaps.add_content(next.key, sitemap);
                queue.extend(new_sitemaps);
                found.add(pages.into_iter().map(|(page, _)| page).collect()).await;
                if !found.wants_more(enough) {
                    return;
                }
            }
            Err(unread) => {
                if let Some(problem) = sitemaps.unread_warning(next.key, &unread) {
                    found.warnings.push(sitemap_warning(&next.url, problem).to_string());
                }
            }
        }
    }
}

/// The robots.txt that applies to a URL. Waits while this machine has no descriptor, port or memory for the
/// request: that says nothing about the site. The deadline of the map bounds the wait.
async fn robots_of(
    shared: &Arc<Shared>,
    url: &Url,
    scheme_assumed: bool,
    job: &Arc<JobContext>,
) -> Arc<Robots> {
    loop {
        let robots = shared.robots(&shared.agent, url, scheme_assumed, job).await.robots;
        if !robots.is_exhausted() {
            return robots;
        }
        sleep(EXHAUSTED_PAUSE).await;
    }
}

/// The start page of a map and its robots.txt.
struct SiteStart {
    /// After redirects.
    url: Url,
    robots: Arc<Robots>,
    warning: Option<String>,
}

/// Reads robots.txt and the links of the start page.
async fn read_start(
    shared: &Arc<Shared>,
    plan: &MapPlan,
    found: &mut FoundLinks<'_>,
    deadline: Instant,
) -> Result<SiteStart, Error> {
    let job = found.job;
    let mut start = plan.target.url.clone();
    let mut warning = None;
    let robots = robots_of(shared, &start, plan.target.scheme_assumed, job).await;
    if let Some(failure) = &robots.failure {
        if !failure.answered {
            return Err(failure.error.clone().into());
        }
        warning = Some(format!("nothing was read: {}", failure.error.message));
    } else if !robots.policy.allows(&start) {
        warning = Some("robots.txt forbids the start page, so its links were not read".to_owned());
    } else if plan.sitemap != SitemapMode::Only {
        let gap = robots.policy.crawl_delay().unwrap_or_default();
        let answer = loop {
            let permit = shared.permit(&start, job.pacing(gap)).await;
            let request = FetchRequest {
                url: &plan.target.url,
                scheme_assumed: plan.target.scheme_assumed,
                options: &job.options,
                purpose: Purpose::Page,
                session: Some(&job.fetch_session),
                team: job.team.as_ref(),
                engine: FetchEngine::Static,
                deadline: Instant::now() + job.options.timeout,
                zero_data_retention: job.zero_data_retention,
            };
            let chain = RequestChain::start(shared, &start, permit);
            let redirects = CrawlRedirects { shared, job, is_start: true, is_export: false, chain };
            let answer = shared.fetch.fetch(request, &redirects).await;
            if let Ok(page) = &answer {
                shared.apply_retry_after(page);
            }
            drop(redirects);
            if !answer.as_ref().is_err_and(|failure| failure.exhausted) {
                break answer;
            }
            sleep(EXHAUSTED_PAUSE).await;
        };
        let failure = match answer {
            Ok(page) => {
                start = page.url.clone();
                found.add(vec![start.clone()]).await;
                let transformed = match page.status {
                    ..400 => transform(shared, job, page, deadline).await.1,
                    400.. => Ok(Transformed::default()),
                };
                match transformed {
                    Ok(page) => {
                        if page.needs_scripts
                            && let Some((url, links)) = render_start(shared, plan, job, gap, deadline).await
                        {
                            start = url;
                            found.add(vec![start.clone()]).await;
                            found.add(links).await;
                        }
                        found.add(page.links).await;
                        None
                    }
                    Err(failure) => Some(failure),
                }
            }
            Err(failure) => Some(failure.error),
        };
        match failure {
            // There is no other source of URLs.
            Some(failure) if plan.sitemap == SitemapMode::Skip => return Err(failure.into()),
            Some(failure) => warning = Some(format!("the start page could not be read: {failure}")),
            None => {}
        }
    }
    Ok(SiteStart { url: start, robots, warning })
}

/// Renders a start page that needs its scripts, if the policy of the browser allows it. Returns its URL after
/// redirects and its links; `None` if it was not rendered.
async fn render_start(
    shared: &Arc<Shared>,
    plan: &MapPlan,
    job: &Arc<JobContext>,
    gap: Duration,
    deadline: Instant,
) -> Option<(Url, Vec<Url>)> {
    let page = &plan.target.url;
    if let EngineChoice::Static(_) = shared.engine_choice(job, page, &job.options) {
        return None;
    }
    let latest_start = deadline.checked_sub(MIN_RENDER_TIME)?;
    let _hold = shared.hold_until(page, latest_start).await.ok()?;
    shared.refresh_limits(page);
    let watch = Stopwatch::start();
    let request = PageRequest {
        shared,
        job,
        page,
        export: None,
        scheme_assumed: plan.target.scheme_assumed,
        options: &job.options,
        is_start: true,
        engine: FetchEngine::Browser,
        gap,
        latest_start,
        page_deadline: deadline,
        watch: &watch,
    };
    let answer = request.send().await.ok()?;
    let fetched = (answer.fetched.status < 400).then_some(answer.fetched)?;
    let (fetched, transformed) = transform(shared, job, fetched, deadline).await;
    Some((fetched.url, transformed.ok()?.links))
}

/// The URLs found so far.
struct FoundLinks<'a> {
    /// Each with its relevance to the search.
    links: Vec<(usize, Url)>,
    seen: HashSet<UrlKey>,
    job: &'a Arc<JobContext>,
    slices: &'a Slices,
    words: Arc<[String]>,
    /// About sitemaps.
    warnings: Vec<String>,
    memory: MapMemory<'a>,
    /// The bytes of the links, and those that they may take without another question.
    bytes: usize,
    granted: usize,
    /// There is no memory for another link.
    is_full: bool,
}

impl<'a> FoundLinks<'a> {
    fn new(
        shared: &'a Shared,
        job: &'a Arc<JobContext>,
        search: Option<&str>,
        memory: MapMemory<'a>,
    ) -> Self {
        Self {
            links: Vec::new(),
            seen: HashSet::new(),
            job,
            slices: &shared.slices,
            words: search_words(search.unwrap_or_default()),
            warnings: Vec::new(),
            memory,
            bytes: 0,
            granted: 0,
            is_full: false,
        }
    }

    fn wants_more(&self, enough: usize) -> bool {
        self.links.len() < enough && !self.is_full
    }

    /// Whether there is memory for another URL.
    fn fits(&mut self, url: &Url) -> bool {
        let bytes = self.bytes.saturating_add(url.as_str().len()).saturating_add(MAPPED_URL_BYTES);
        if !self.is_full && bytes > self.granted {
            let wanted = bytes.next_multiple_of(MEMORY_STEP);
            self.is_full = !(self.memory)(wanted);
            self.granted = wanted;
        }
        !self.is_full
    }

    /// Adds the URLs that belong to the site and are new.
    async fn add(&mut self, urls: Vec<Url>) {
        let (job, words) = (Arc::clone(self.job), Arc::clone(&self.words));
        let select = move |url: Url, steps: &mut u64| {
            let page = job.crawl.as_ref()?.candidate(url, steps).filter(|page| !page.external)?;
            if !words.is_empty() {
                *steps += 400 + page.url.as_str().len() as u64 * (2 + words.len() as u64 / 8);
            }
            Some((page.key, relevance(&page.url, &words), page.url))
        };
        for (key, relevance, url) in self.slices.filter_map(urls, select).await {
            if self.seen.contains(&key) {
                continue;
            }
            if !self.fits(&url) {
                return;
            }
            self.bytes += url.as_str().len() + MAPPED_URL_BYTES;
            self.seen.insert(key);
            self.links.push((relevance, url));
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

/// The options of a scrape for links only.
fn options(plan: &MapPlan) -> Result<ScrapeOptionsPlan, Error> {
    let defaults = ScrapeOptions::default().check()?;
    let formats = Formats { links: true, ..Formats::default() };
    Ok(ScrapeOptionsPlan {
        formats,
        location: plan.location.clone(),
        max_age: plan.max_age,
        skip_tls_verification: plan.skip_tls_verification,
        ..defaults
    })
}

fn search_words(search: &str) -> Arc<[String]> {
    search.split_whitespace().take(MAX_WORDS).map(str::to_lowercase).collect()
}

/// The relevance of a URL to the words. A whole word of the URL (`api` in `/docs/api-keys`) scores higher
/// than a part of a word (`api` in `/therapies`).
fn relevance(url: &Url, words: &[String]) -> usize {
    const WHOLE_WORD: usize = 3;
    if words.is_empty() {
        return 0;
    }
    let text = percent_decode_str(url.as_str()).decode_utf8_lossy().to_lowercase();
    let parts: HashSet<&str> = text.split(|c: char| !c.is_alphanumeric()).collect();
    let score = |word: &String| match (parts.contains(word.as_str()), text.contains(word.as_str())) {
        (true, _) => WHOLE_WORD,
        (false, true) => 1,
        (false, false) => 0,
    };
    words.iter().map(score).sum()
}

/// The URLs by descending relevance; URLs of equal relevance keep their order.
fn by_relevance(links: Vec<(usize, Url)>) -> Vec<Url> {
    // A bucket sort: there are few distinct scores and possibly many links.
    let mut ranks: BTreeMap<Reverse<usize>, Vec<Url>> = BTreeMap::new();
    for (relevance, url) in links {
        ranks.entry(Reverse(relevance)).or_default().push(url);
    }
    ranks.into_values().flatten().collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ranked(links: &[Url], search: &str) -> Vec<String> {
        let words = search_words(search);
        let links = by_relevance(links.iter().map(|url| (relevance(url, &words), url.clone())).collect());
        links.iter().map(|url| url.path().to_owned()).collect()
    }

    #[test]
    fn whole_words_score_higher_and_escapes_are_decoded() {
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
    fn urls_with_more_of_the_words_come_first_and_others_keep_their_order() {
        let links: Vec<Url> = ["/b", "/a", "/Pricing", "/docs/pricing-api"]
            .iter()
            .map(|path| Url::parse("https://site.example").unwrap().join(path).unwrap())
            .collect();
        assert_eq!(ranked(&links, "pricing API"), ["/docs/pricing-api", "/Pricing", "/b", "/a"]);
        assert_eq!(ranked(&links, ""), ["/b", "/a", "/Pricing", "/docs/pricing-api"]);
    }
}
