//! Compiles the prompt of a crawl into options that match URLs of the site.
//!
//! The site is mapped first, because the same words mean other paths on every site. Only URLs that the crawl
//! could reach count: a pattern that matches none of them is refused, because the crawl would be empty.

use gleaner_types::BoxFuture;
use std::sync::Arc;
use std::time::Duration;

use gleaner_extract::model::LanguageModel;
use gleaner_extract::{Budget, CompiledCrawl, ErrorKind, SiteUrl, compile_crawl};
use gleaner_runtime::{Error, Runtime};
use gleaner_types::plan::{CrawlParamsPreviewPlan, CrawlPlan, Location, MapPlan, SitemapMode, Target};
use gleaner_types::request::CrawlRequest;
use gleaner_types::response::{CrawlParams, CrawlParamsPreview};
use gleaner_types::{ErrorCode, PageError, RequestBounds};

use super::job::Job;
use super::pages::DEFAULT_PAGE_TOKENS;
use super::runner::{ExtractConfig, budget_or};

/// Maximum URLs of a site that a prompt is checked against.
const MAX_PROMPT_URLS: u64 = 5_000;
/// Maximum time for mapping the site. The URLs found in this time count.
const PROMPT_MAP_TIMEOUT: Duration = Duration::from_secs(30);
/// Maximum time of the model for a prompt.
const MODEL_TIMEOUT: Duration = Duration::from_secs(60);

/// A crawl with the options from its prompt.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct PromptedCrawl {
    /// The request, with generated options in the fields that it left open.
    pub request: CrawlRequest,
    /// The checked form of `request`.
    pub plan: CrawlPlan,
    /// The generated options. Options that the prompt does not mention are absent.
    pub generated: CrawlParams,
    /// The parts of the prompt that set no option.
    pub warning: Option<String>,
}

impl PromptedCrawl {
    /// The options of the crawl, including defaults.
    #[must_use]
    pub fn in_effect(&self) -> CrawlParams {
        let CrawlPlan { target, rules, limit, delay, max_concurrency, .. } = &self.plan;
        let non_empty = |patterns: &Vec<String>| (!patterns.is_empty()).then(|| patterns.clone());
        CrawlParams {
            url: target.as_requested().into_owned(),
            include_paths: non_empty(&rules.include_paths),
            exclude_paths: non_empty(&rules.exclude_paths),
            regex_on_full_url: Some(rules.regex_on_full_url),
            max_discovery_depth: rules.max_discovery_depth,
            sitemap: Some(rules.sitemap),
            ignore_query_parameters: Some(rules.ignore_query_parameters),
            deduplicate_similar_urls: Some(rules.deduplicate_similar_urls),
            limit: Some(*limit),
            crawl_entire_domain: Some(rules.crawl_entire_domain),
            allow_external_links: Some(rules.allow_external_links),
            allow_subdomains: Some(rules.allow_subdomains),
            ignore_robots_txt: Some(rules.ignore_robots_txt),
            delay: delay.map(|delay| delay.as_secs_f64()),
            max_concurrency: *max_concurrency,
        }
    }
}

/// Compiles prompts into options: by rules, or by the model if the rules do not understand the whole prompt.
#[derive(Debug)]
pub struct CrawlPrompts {
    model: Option<Arc<dyn LanguageModel>>,
    budget: Budget,
    bounds: RequestBounds,
}

impl CrawlPrompts {
    /// Uses the model and the page budget of `config`. Generated requests are checked against `bounds`.
    #[must_use]
    pub fn new(config: &ExtractConfig, bounds: RequestBounds) -> Self {
        let budget = budget_or(config.page_budget, DEFAULT_PAGE_TOKENS);
        Self { model: config.model.clone(), budget, bounds }
    }

    /// Sets options that the request left open from its prompt. A request without a prompt stays unchanged.
    /// `plan` is the checked request.
    ///
    /// # Errors
    /// If the options would match no page of the site, the prompt needs a model and there is none, the site's
    /// URLs cannot be listed, or the model fails.
    pub fn compile<'a>(
        &'a self,
        runtime: &'a Arc<Runtime>,
        request: CrawlRequest,
        plan: CrawlPlan,
    ) -> BoxFuture<'a, Result<PromptedCrawl, Error>> {
        Box::pin(async move {
            let Some(prompt) = plan.prompt.clone() else {
                return Ok(PromptedCrawl { request, plan, generated: CrawlParams::default(), warning: None });
            };
            let may_widen = request.crawl_entire_domain.is_none();
            let compiled = self.options(runtime, &plan, &prompt, may_widen).await?;
            let warning = compiled.warning();
            let generated = params(&plan.target, compiled, plan.rules.regex_on_full_url);
            let request = request.or_generated(generated.clone());
            let plan = request.clone().check_within(self.bounds)?;
            Ok(PromptedCrawl { request, plan, generated, warning })
        })
    }

    /// The options of a prompt alone.
    ///
    /// # Errors
    /// Those of [`compile`](Self::compile).
    pub fn preview<'a>(
        &'a self,
        runtime: &'a Arc<Runtime>,
        plan: CrawlParamsPreviewPlan,
    ) -> BoxFuture<'a, Result<CrawlParamsPreview, Error>> {
        Box::pin(async move {
            let CrawlParamsPreviewPlan { target, prompt } = plan;
            let mut plan = CrawlRequest::new(target.url.as_str()).check()?;
            plan.target = target;
            let compiled = self.options(runtime, &plan, &prompt, true).await?;
            let warning = compiled.warning();
            Ok(CrawlParamsPreview { success: true, data: params(&plan.target, compiled, false), warning })
        })
    }

    /// `may_widen`: the prompt may extend the crawl to the whole domain.
    async fn options(
        &self,
        runtime: &Arc<Runtime>,
        plan: &CrawlPlan,
        prompt: &str,
        may_widen: bool,
    ) -> Result<CompiledCrawl, Error> {
        let site = site_urls(runtime, plan).await?;
        let mut rules = plan.rules.clone();
        // With "the whole site" the other words of the prompt also apply to pages above the start page.
        let is_widened = |compiled: CompiledCrawl| compiled.options.crawl_entire_domain == Some(true);
        rules.crawl_entire_domain |= may_widen && compile_crawl(prompt, &site).is_ok_and(is_widened);
        let reachable =
            runtime.filter_in_scope(plan.target.url.clone(), rules, site, |page: &SiteUrl| &page.url).await;
        let reachable = reachable.map_err(|error| invalid_prompt(&error.to_string()))?;
        let budget = self.budget.time(MODEL_TIMEOUT);
        let job = Job::new(self.model.as_ref(), budget, None);
        job.extractor().compile_crawl(prompt, &reachable).await.map_err(|error| match error.kind() {
            ErrorKind::ModelNotConfigured => Error::unsupported(
                ErrorCode::ModelNotConfigured,
                "`prompt` names no part of the site's URLs and no option of a crawl, so it needs a language \
                 model, and this engine was built without one: its operator can add one; until then, set the \
                 options of the crawl directly",
            ),
            ErrorKind::Model(cause) => Error::from(PageError {
                code: ErrorCode::UnknownError,
                message: format!("the model failed on `prompt`: {cause}"),
            }),
            _ => invalid_prompt(&error.to_string()),
        })
    }
}

fn invalid_prompt(reason: &str) -> Error {
    Error::fault("prompt", &format!("`prompt`: {reason}"))
}

/// The URLs of the site, including those that the crawl does not reach.
async fn site_urls(runtime: &Arc<Runtime>, crawl: &CrawlPlan) -> Result<Vec<SiteUrl>, Error> {
    let plan = MapPlan {
        target: crawl.target.clone(),
        search: None,
        sitemap: SitemapMode::Include,
        include_subdomains: crawl.rules.allow_subdomains,
        ignore_query_parameters: true,
        limit: MAX_PROMPT_URLS,
        timeout: Some(PROMPT_MAP_TIMEOUT),
        location: Location { country: "US".to_owned(), languages: Vec::new() },
        max_age: crawl.options.max_age,
        skip_tls_verification: crawl.options.skip_tls_verification,
    };
    let map = runtime.map(plan).await?;
    if map.links.is_empty() {
        let reason = map.warning.unwrap_or_else(|| "the site has no links".to_owned());
        let message = format!("`prompt` needs the site's URLs, and none were found: {reason}");
        return Err(PageError { code: ErrorCode::ScrapeSiteError, message }.into());
    }
    Ok(map.links.into_iter().map(SiteUrl::new).collect())
}

/// The options as fields of the contract.
fn params(target: &Target, compiled: CompiledCrawl, on_full_url: bool) -> CrawlParams {
    let options = compiled.options;
    let patterns = |patterns: Vec<String>| {
        let patterns = patterns
            .into_iter()
            .map(|pattern| if on_full_url { full_url_pattern(&pattern) } else { pattern });
        Some(patterns.collect()).filter(|patterns: &Vec<String>| !patterns.is_empty())
    };
    CrawlParams {
        url: target.as_requested().into_owned(),
        include_paths: patterns(options.include_paths),
        exclude_paths: patterns(options.exclude_paths),
        max_discovery_depth: options.max_discovery_depth,
        sitemap: options.sitemap,
        ignore_query_parameters: options.ignore_query_parameters,
        limit: options.limit,
        crawl_entire_domain: options.crawl_entire_domain,
        allow_external_links: options.allow_external_links,
        allow_subdomains: options.allow_subdomains,
        delay: options.delay,
        ..CrawlParams::default()
    }
}

/// Converts a pattern for paths to a pattern for full URLs (`regexOnFullURL`).
fn full_url_pattern(pattern: &str) -> String {
    let pattern = match pattern.strip_prefix('^') {
        Some(rest) => format!("^https?://[^/?#]*{rest}"),
        None => pattern.to_owned(),
    };
    for (end, replacement) in [("(/|$)", "([/?#]|$)"), ("/?$", "/?([?#]|$)")] {
        if let Some(start) = pattern.strip_suffix(end) {
            return format!("{start}{replacement}");
        }
    }
    pattern
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn patterns_for_paths_become_patterns_for_urls() {
        let rows = [
            ("/blog(/|$)", "([/?#]|$)"),
            ("^/rezepte/[^/]+\\.html/?$", "/?([?#]|$)"),
            ("^/docs/api", "^https?://[^/?#]*/docs/api"),
        ];
        for (pattern, part) in rows {
            assert!(full_url_pattern(pattern).contains(part), "{pattern} {}", full_url_pattern(pattern));
        }
        assert_eq!(full_url_pattern("^/a/?$"), "^https?://[^/?#]*/a/?([?#]|$)");
    }
}
