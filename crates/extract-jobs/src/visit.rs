//! Fetches one page of an extract job.

use std::sync::Arc;

use gleaner_runtime::{JobOwner, Runtime, StartOptions};
use gleaner_types::plan::{CrawlPlan, CrawlRules, ScrapeOptionsPlan, ScrapePlan, SitemapMode, Target};
use gleaner_types::{Document, ErrorCode, PageError, SafeUrl};

/// Where the URL of a page comes from. It decides which rules apply.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum PageOrigin {
    /// The user named it: the page is fetched like a scrape.
    Named,
    /// The engine found it on a site that the user named: robots.txt applies.
    Found,
    /// The engine found it on another site: robots.txt applies, and the user's headers are not sent, because
    /// they may hold secrets.
    Foreign,
}

/// Fetches a page and returns its document. An HTTP error status is an error.
pub(super) async fn visit(
    runtime: &Arc<Runtime>,
    owner: Option<&dyn JobOwner>,
    target: Target,
    origin: PageOrigin,
    mut options: ScrapeOptionsPlan,
    zero_data_retention: bool,
) -> Result<Document, PageError> {
    if origin == PageOrigin::Foreign {
        options.headers.clear();
    }
    let url = SafeUrl::from(&target.url);
    let document = if origin == PageOrigin::Named {
        let plan = ScrapePlan { target, options, zero_data_retention };
        runtime.scrape(plan, StartOptions::for_owner(owner)).await.map_err(|error| page_error(&error))?
    } else {
        crawl_page(runtime, owner, target, options, zero_data_retention).await?
    };
    match document.metadata.status_code {
        Some(status) if status >= 400 => {
            let message = format!("{url} answered with status {status}");
            Err(PageError { code: ErrorCode::ScrapeSiteError, message })
        }
        _ => Ok(document),
    }
}

/// Fetches a page by a crawl with a limit of 1, so that the rules of crawls apply.
async fn crawl_page(
    runtime: &Arc<Runtime>,
    owner: Option<&dyn JobOwner>,
    target: Target,
    options: ScrapeOptionsPlan,
    zero_data_retention: bool,
) -> Result<Document, PageError> {
    let timeout = options.timeout;
    let plan = CrawlPlan {
        target,
        prompt: None,
        rules: single_page_rules(),
        limit: 1,
        delay: None,
        max_concurrency: Some(1),
        options,
        webhook: None,
        zero_data_retention,
    };
    let started = runtime.start(plan, StartOptions::for_owner(owner)).await;
    let mut job = started.map_err(|error| page_error(&error))?;
    // Dropping the job at the timeout ends it.
    let late = |_| PageError {
        code: ErrorCode::ScrapeTimeout,
        message: format!("the page was not done within the timeout of {} ms", timeout.as_millis()),
    };
    if let Some(document) = tokio::time::timeout(timeout, job.next()).await.map_err(late)? {
        return document.map_err(|error| page_error(&error));
    }
    let failures = job.failures().await.map_err(|error| page_error(&error))?;
    Err(match failures.failures.into_iter().next() {
        Some(page) => page.error,
        None => match failures.robots_blocked.into_iter().next() {
            Some(page) => denied(page.rule.map_or_else(
                || "robots.txt forbids it".to_owned(),
                |line| format!("robots.txt forbids it by {line}"),
            )),
            None => {
                PageError { code: ErrorCode::UnknownError, message: "the page gave no document".to_owned() }
            }
        },
    })
}

fn denied(message: String) -> PageError {
    PageError { code: ErrorCode::CrawlDenial, message }
}

/// The rules of a crawl that follows no links.
pub(super) fn single_page_rules() -> CrawlRules {
    CrawlRules {
        exclude_paths: Vec::new(),
        include_paths: Vec::new(),
        regex_on_full_url: false,
        max_discovery_depth: Some(0),
        max_path_depth: None,
        sitemap: SitemapMode::Skip,
        ignore_query_parameters: false,
        deduplicate_similar_urls: false,
        crawl_entire_domain: true,
        allow_external_links: false,
        allow_subdomains: true,
        ignore_robots_txt: false,
        robots_user_agent: None,
    }
}

pub(super) fn page_error(error: &gleaner_runtime::Error) -> PageError {
    PageError { code: error.code(), message: error.to_string() }
}
