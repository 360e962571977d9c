//! Crawl options out of words, against the addresses that the site really has.
//!
//! The site is mapped first, and only those of its addresses count that the crawl could reach: a pattern that
//! takes none of them is refused rather than left to give an empty crawl. Why not the words alone: the same
//! words name other paths on every site.

use std::sync::Arc;
use std::time::Duration;

use gleaner_extract::model::LanguageModel;
use gleaner_extract::{Budget, CompiledCrawl, ErrorKind, SiteUrl, compile_crawl};
use gleaner_runtime::{Error, Runtime};
use gleaner_types::plan::{
    CrawlParamsPreviewPlan, CrawlPlan, CrawlRules, Location, MapPlan, SitemapMode, Target,
};
use gleaner_types::request::CrawlRequest;
use gleaner_types::response::{CrawlParams, CrawlParamsPreview};
use gleaner_types::{ErrorCode, PageError, RequestBounds};

use super::job::Job;
use super::pages::DEFAULT_PAGE_TOKENS;

/// Addresses of a site that a crawl's prompt is held against.
pub const MAX_PROMPT_URLS: u64 = 5_000;
/// How long a site is mapped for a crawl's prompt. What it gave until then counts.
pub const PROMPT_MAP_TIMEOUT: Duration = Duration::from_secs(30);
/// How long a model may take over a crawl's prompt.
const MODEL_TIMEOUT: Duration = Duration::from_secs(60);

/// A crawl whose prompt has become options.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct PromptedCrawl {
    /// The request with the generated options in the places that it left open.
    pub request: CrawlRequest,
    /// The same, checked.
    pub plan: CrawlPlan,
    /// The options that were generated; those that the prompt says nothing about are absent.
    pub generated: CrawlParams,
    /// What of the prompt set no option.
    pub warning: Option<String>,
}

impl PromptedCrawl {
    /// The options that the crawl runs with, defaults among them.
    #[must_use]
    pub fn in_effect(&self) -> CrawlParams {
        let CrawlPlan { target, rules, limit, delay, max_concurrency, .. } = &self.plan;
        let some = |patterns: &Vec<String>| (!patterns.is_empty()).then(|| patterns.clone());
        CrawlParams {
            url: target.as_requested().into_owned(),
            include_paths: some(&rules.include_paths),
            exclude_paths: some(&rules.exclude_paths),
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

/// Makes options of prompts: by rules where they understand all that tells something, else by the model.
#[derive(Debug)]
pub struct CrawlPrompts {
    model: Option<Arc<dyn LanguageModel>>,
    budget: Budget,
    bounds: RequestBounds,
}

impl CrawlPrompts {
    /// By this model where rules do not suffice, within this budget ([`DEFAULT_PAGE_TOKENS`] by default).
    /// `bounds` are those of requests.
    #[must_use]
    pub fn new(model: Option<Arc<dyn LanguageModel>>, budget: Option<Budget>, bounds: RequestBounds) -> Self {
        let budget = budget.unwrap_or(Budget { tokens: Some(DEFAULT_PAGE_TOKENS), ..Budget::default() });
        Self { model, budget, bounds }
    }

    /// Fills in what a request left out with what its prompt says. A request without a prompt stays as it is.
    /// `plan` is the checked request.
    ///
    /// # Errors
    /// Where the prompt's options would take no page of the site, a model is needed and there is none, the
    /// site's addresses cannot be listed, or the model gives no answer.
    pub async fn compile(
        &self,
        runtime: &Arc<Runtime>,
        request: CrawlRequest,
        plan: CrawlPlan,
    ) -> Result<PromptedCrawl, Error> {
        let Some(prompt) = plan.prompt.clone() else {
            return Ok(PromptedCrawl { request, plan, generated: CrawlParams::default(), warning: None });
        };
        let widens = request.crawl_entire_domain.is_none();
        let compiled = self.options(runtime, &plan.target, &plan.rules, &prompt, widens).await?;
        let warning = compiled.warning();
        let generated = params(&plan.target, compiled, plan.rules.regex_on_full_url);
        let request = request.or_generated(generated.clone());
        let plan = request.clone().check_within(self.bounds)?;
        Ok(PromptedCrawl { request, plan, generated, warning })
    }

    /// The options that a prompt alone gives.
    ///
    /// # Errors
    /// As for [`compile`](Self::compile).
    pub async fn preview(
        &self,
        runtime: &Arc<Runtime>,
        plan: CrawlParamsPreviewPlan,
    ) -> Result<CrawlParamsPreview, Error> {
        let CrawlParamsPreviewPlan { target, prompt } = plan;
        let rules = CrawlRequest::new(target.url.as_str()).check()?.rules;
        let compiled = self.options(runtime, &target, &rules, &prompt, true).await?;
        let warning = compiled.warning();
        Ok(CrawlParamsPreview { success: true, data: params(&target, compiled, false), warning })
    }

    async fn options(
        &self,
        runtime: &Arc<Runtime>,
        target: &Target,
        rules: &CrawlRules,
        prompt: &str,
        widens: bool,
    ) -> Result<CompiledCrawl, Error> {
        let site = addresses(runtime, target, rules).await?;
        let mut rules = rules.clone();
        // "the whole site" reaches beyond the start page, and what else the words name is looked for there.
        let says_all = |compiled: CompiledCrawl| compiled.options.crawl_entire_domain == Some(true);
        rules.crawl_entire_domain |= widens && compile_crawl(prompt, &site).is_ok_and(says_all);
        let reached = runtime.inside(target.url.clone(), rules, site, |page: &SiteUrl| &page.url).await;
        let reached = reached.map_err(|error| refused(&error.to_string()))?;
        let budget = Budget { time: Some(MODEL_TIMEOUT), ..self.budget };
        let job = Job::begin(self.model.as_ref(), budget, None);
        job.extractor().compile_crawl(prompt, &reached).await.map_err(|error| match error.kind() {
            ErrorKind::ModelNotConfigured => Error::unsupported(
                ErrorCode::ModelNotConfigured,
                "`prompt` names no part of the site's addresses and no option of a crawl, so it needs a language model, \
                 and this engine was built without one: its operator can add one; until then, give the crawl's options \
                 themselves",
            ),
            ErrorKind::Model(why) => Error::from(PageError {
                code: ErrorCode::UnknownError,
                message: format!("the model could not be asked about `prompt`: {why}"),
            }),
            _ => refused(&error.to_string()),
        })
    }
}

/// The prompt is at fault.
fn refused(why: &str) -> Error {
    Error::fault("prompt", &format!("`prompt`: {why}"))
}

/// What the site has, whether the crawl reaches it or not.
async fn addresses(
    runtime: &Arc<Runtime>,
    target: &Target,
    rules: &CrawlRules,
) -> Result<Vec<SiteUrl>, Error> {
    let plan = MapPlan {
        target: target.clone(),
        search: None,
        sitemap: SitemapMode::Include,
        include_subdomains: rules.allow_subdomains,
        ignore_query_parameters: true,
        limit: MAX_PROMPT_URLS,
        timeout: Some(PROMPT_MAP_TIMEOUT),
        location: Location { country: "US".to_owned(), languages: Vec::new() },
    };
    let found = runtime.map(plan).await?;
    if found.links.is_empty() {
        let why = found.warning.unwrap_or_else(|| "the site gave none".to_owned());
        let message = format!("`prompt` needs the site's addresses, and there are none: {why}");
        return Err(PageError { code: ErrorCode::ScrapeSiteError, message }.into());
    }
    Ok(found.links.into_iter().map(SiteUrl::new).collect())
}

/// The options in the contract's form.
fn params(target: &Target, compiled: CompiledCrawl, on_full_url: bool) -> CrawlParams {
    let options = compiled.options;
    let patterns = |patterns: Vec<String>| {
        let patterns =
            patterns.into_iter().map(|pattern| if on_full_url { of_full_url(&pattern) } else { pattern });
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

/// A pattern of paths as one of whole addresses, for requests that want these.
fn of_full_url(pattern: &str) -> String {
    let pattern = match pattern.strip_prefix('^') {
        Some(rest) => format!("^https?://[^/?#]*{rest}"),
        None => pattern.to_owned(),
    };
    for (end, instead) in [("(/|$)", "([/?#]|$)"), ("/?$", "/?([?#]|$)")] {
        if let Some(start) = pattern.strip_suffix(end) {
            return format!("{start}{instead}");
        }
    }
    pattern
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn patterns_of_paths_become_patterns_of_addresses() {
        let rows = [
            ("/blog(/|$)", "([/?#]|$)"),
            ("^/rezepte/[^/]+\\.html/?$", "/?([?#]|$)"),
            ("^/docs/api", "^https?://[^/?#]*/docs/api"),
        ];
        for (pattern, part) in rows {
            assert!(of_full_url(pattern).contains(part), "{pattern} {}", of_full_url(pattern));
        }
        assert_eq!(of_full_url("^/a/?$"), "^https?://[^/?#]*/a/?([?#]|$)");
    }
}
