//! Arguments of `gleaner crawl`, and the request that they describe.

use std::path::PathBuf;

use clap::Args;
use gleaner::CrawlRequest;
use gleaner::limits::DEFAULT_CRAWL_LIMIT;
use gleaner::plan::Target;
use serde_json::Number;
use url::Url;

use super::booleans::BOOLEAN;
use super::fields::Fields;
use super::page::PageArgs;
use super::{
    EngineArgs, JobArgs, LinkArgs, ModelArgs, OutputArgs, SiteArgs, SummaryArgs, WebhookArgs, value,
};
use crate::console::Console;
use crate::failure::Failure;

const EXAMPLES: &str = "\
Examples:
  gleaner crawl https://example.com --limit 50 --out pages
  gleaner crawl https://example.com/docs/ --include-paths '^/docs/v2/'
  gleaner crawl https://example.com --formats links | jq -r .metadata.title
  gleaner crawl https://example.com --prompt 'only blog posts, at most 20 pages'
  gleaner crawl https://example.com --job crawl.db   # again after a crash
  gleaner crawl https://example.com --explain https://example.com/missing
  gleaner crawl https://example.com --webhook https://hooks.example/gleaner \\
      --webhook-events page,completed

Patterns are regular expressions that may match any part of a path; ^ and $ anchor them.";

/// Crawl a site from a start page and print its pages as they arrive, one JSON document per line
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct CrawlArgs {
    /// The start page; pages below it belong to the crawl
    #[arg(value_parser = value::address)]
    url: String,

    /// What to crawl, in words: options are generated from it and the site's URLs, and reported before the
    /// crawl starts; options given here take precedence. Words that match no part of a URL need a model
    #[arg(long, value_name = "WORDS", help_heading = "Crawl")]
    prompt: Option<String>,

    #[command(flatten)]
    scope: ScopeArgs,

    #[command(flatten)]
    pub(crate) links: LinkArgs,

    #[command(flatten)]
    page: PageArgs,

    #[command(flatten)]
    pub(crate) site: SiteArgs,

    #[command(flatten)]
    pub(crate) model: ModelArgs,

    #[command(flatten)]
    pub(crate) webhook: WebhookArgs,

    #[command(flatten)]
    pub(crate) job: JobArgs,

    #[command(flatten)]
    pub(crate) engine: EngineArgs,

    #[command(flatten)]
    pub(crate) output: OutputArgs,

    #[command(flatten)]
    pub(crate) summary: SummaryArgs,

    /// Report at the end why this URL was crawled or not, and how many links were left out for which reason;
    /// may be repeated
    #[arg(long, value_name = "URL", help_heading = "Output", conflicts_with = "job")]
    explain: Vec<String>,

    /// List the pages without a document in this file, one JSON object per line [default: failures.jsonl in
    /// --out]
    #[arg(long, value_name = "FILE", help_heading = "Output")]
    pub(crate) failures: Option<PathBuf>,
}

/// The scope and the speed of a crawl.
#[derive(Debug, Args)]
#[command(next_help_heading = "Crawl")]
struct ScopeArgs {
    /// Stop after this many pages [default: 10000]
    #[arg(long, value_name = "N", value_parser = value::integer, allow_negative_numbers = true)]
    limit: Option<Number>,

    /// Follow links at most this many clicks from the start page
    #[arg(long, value_name = "N", value_parser = value::integer, allow_negative_numbers = true)]
    max_discovery_depth: Option<Number>,

    /// Crawl only pages whose path matches; may be repeated
    #[arg(long, value_name = "REGEX")]
    include_paths: Vec<String>,

    /// Leave out pages whose path matches; may be repeated
    #[arg(long, value_name = "REGEX")]
    exclude_paths: Vec<String>,

    /// Match patterns against the whole URL [default: false]
    #[arg(long = "regex-on-full-url", value_name = BOOLEAN, hide_possible_values = true)]
    regex_on_full_url: Option<bool>,

    /// Crawl the whole host, not only below the start page [default: false]
    #[arg(long, value_name = BOOLEAN, hide_possible_values = true)]
    crawl_entire_domain: Option<bool>,

    /// Crawl other hosts of the same domain too [default: false]
    #[arg(long, value_name = BOOLEAN, hide_possible_values = true)]
    allow_subdomains: Option<bool>,

    /// Crawl pages of other sites too, one link away [default: false]
    #[arg(long, value_name = BOOLEAN, hide_possible_values = true)]
    allow_external_links: Option<bool>,

    /// How to use the sitemap: include, skip or only [default: include]
    #[arg(long, value_name = "MODE", value_parser = value::SITEMAP, hide_possible_values = true)]
    sitemap: Option<String>,

    /// Treat URLs that differ only in their query as one page [default: false]
    #[arg(long, value_name = BOOLEAN, hide_possible_values = true)]
    ignore_query_parameters: Option<bool>,

    /// Treat URLs that differ only in http and https, www, trailing slash or index file as one page [default:
    /// true]
    #[arg(long = "deduplicate-similar-urls", value_name = BOOLEAN, hide_possible_values = true)]
    deduplicate_similar_urls: Option<bool>,

    /// Crawl pages that robots.txt forbids, for your own sites only [default: false]
    #[arg(long, value_name = BOOLEAN, hide_possible_values = true)]
    ignore_robots_txt: Option<bool>,

    /// Apply the rules of robots.txt for this user agent [default: gleaner]
    #[arg(long, value_name = "AGENT")]
    robots_user_agent: Option<String>,

    /// Wait this many seconds between requests to one host
    #[arg(long, value_name = "S", value_parser = value::seconds, allow_negative_numbers = true)]
    delay: Option<Number>,

    /// At most this many pages of this crawl at a time
    #[arg(long, value_name = "N", value_parser = value::integer, allow_negative_numbers = true)]
    max_concurrency: Option<Number>,
}

impl CrawlArgs {
    /// The URLs of `--explain`.
    ///
    /// # Errors
    /// One of them is invalid.
    pub(crate) fn explained(&self) -> Result<Vec<Url>, Failure> {
        let parse = |text: &String| match Target::parse(text) {
            Ok(target) => Ok(target.url),
            Err(error) => Err(Failure::usage(format!("--explain: {error}"))),
        };
        self.explain.iter().map(parse).collect()
    }

    /// Whether the options limit the crawl to one page.
    pub(crate) fn asks_for_one(&self) -> bool {
        self.scope.limit.as_ref().and_then(Number::as_u64) == Some(1)
    }

    /// Whether the options forbid to follow links.
    pub(crate) fn follows_no_links(&self) -> bool {
        self.scope.max_discovery_depth.as_ref().and_then(Number::as_u64) == Some(0)
    }

    /// Whether a crawl with this many pages stopped at the default limit.
    pub(crate) fn ended_at_default_limit(&self, pages: u64) -> bool {
        self.scope.limit.is_none() && pages >= DEFAULT_CRAWL_LIMIT
    }

    /// Reports options without effect.
    pub(crate) fn remark(&self, console: &Console) {
        self.page.remark(console);
    }

    /// The request.
    pub(crate) fn request(&self) -> Result<CrawlRequest, Failure> {
        let scope = &self.scope;
        let mut fields = Fields::default();
        fields.set("url", Some(self.url.clone()));
        fields.set("prompt", self.prompt.clone());
        fields.set("limit", scope.limit.clone());
        fields.set("maxDiscoveryDepth", scope.max_discovery_depth.clone());
        fields.set_list("includePaths", scope.include_paths.clone());
        fields.set_list("excludePaths", scope.exclude_paths.clone());
        fields.set("regexOnFullURL", scope.regex_on_full_url);
        fields.set("crawlEntireDomain", scope.crawl_entire_domain);
        fields.set("allowSubdomains", scope.allow_subdomains);
        fields.set("allowExternalLinks", scope.allow_external_links);
        fields.set("sitemap", scope.sitemap.clone());
        fields.set("ignoreQueryParameters", scope.ignore_query_parameters);
        fields.set("deduplicateSimilarURLs", scope.deduplicate_similar_urls);
        fields.set("ignoreRobotsTxt", scope.ignore_robots_txt);
        fields.set("robotsUserAgent", scope.robots_user_agent.clone());
        fields.set("delay", scope.delay.clone());
        fields.set("maxConcurrency", scope.max_concurrency.clone());
        let mut page = Fields::default();
        self.engine.add_to(&mut page);
        self.page.add_to(&mut page)?;
        fields.set_object("scrapeOptions", page);
        self.page.add_retention_to(&mut fields);
        self.webhook.add_to(&mut fields);
        fields.checked(CrawlRequest::plan_from_json, CrawlRequest::from_json)
    }
}
