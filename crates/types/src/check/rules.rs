//! Rules that span values, one function per kind of request.

use std::time::Duration;

use serde_json::Value;

use super::actions::actions;
use super::formats::formats;
use super::headers::{headers, is_field_value};
use super::json_schema::{json_schema, present};
use super::location::location;
use super::path::Path;
use super::patterns::patterns;
use super::report::{Code, Report};
use super::text::alternatives;
use super::webhook::webhook;
use crate::job::JobKind;
use crate::limits::{
    DEFAULT_CRAWL_LIMIT, DEFAULT_MAP_LIMIT, DEFAULT_MAX_AGE_MS, DEFAULT_TIMEOUT_MS, MAX_LISTED_SELECTORS,
};
use crate::plan::{
    BatchPlan, CrawlParamsPreviewPlan, CrawlPlan, CrawlRules, ExtractPlan, ExtractSource, MapPlan, PdfParser,
    ProxyMode, ScrapeOptionsPlan, ScrapePlan, Target,
};
use crate::quote::quote_url;
use crate::request::{
    BatchScrapeRequest, CrawlParamsPreviewRequest, CrawlRequest, ExtractRequest, Extras, MapRequest, Parser,
    ProxyChoice, ScrapeOptions, ScrapeRequest,
};

pub(crate) fn scrape(request: ScrapeRequest, report: &mut Report) -> Option<ScrapePlan> {
    let zero_data_retention = request.zero_data_retention.unwrap_or(false);
    let target = target(&request.url, &Path::Root.key("url"), report);
    let options = scrape_options(request.options, zero_data_retention, &Path::Root, report);
    Some(ScrapePlan { target: target?, options, zero_data_retention })
}

pub(crate) fn batch(request: BatchScrapeRequest, report: &mut Report) -> Option<BatchPlan> {
    let root = Path::Root;
    let zero_data_retention = request.zero_data_retention.unwrap_or(false);
    let ignore_invalid = request.ignore_invalid_urls.unwrap_or(true);
    let list = root.key("urls");
    let mut targets = Vec::with_capacity(request.urls.len());
    let mut invalid_urls = ignore_invalid.then(Vec::new);
    for (index, text) in request.urls.into_iter().enumerate() {
        match Target::parse(&text) {
            Ok(target) => targets.push(target),
            Err(error) => match &mut invalid_urls {
                Some(invalid) => invalid.push(text),
                None => invalid_url(&list.index(index), &error.to_string(), report),
            },
        }
    }
    let append_to = request.append_to_id.and_then(|id| match id.parse() {
        Ok(id) => Some(id),
        Err(_) => {
            report.fault(Code::InvalidValue, &root.key("appendToId"), |name| {
                format!("{name} must be the id of a job, which is a UUID")
            });
            None
        }
    });
    let options = scrape_options(request.options, zero_data_retention, &root, report);
    let webhook = webhook(request.webhook, JobKind::BatchScrape, &root.key("webhook"), report);
    Some(BatchPlan {
        targets,
        invalid_urls,
        options,
        max_concurrency: request.max_concurrency,
        append_to,
        webhook,
        zero_data_retention,
    })
}

pub(crate) fn crawl(request: CrawlRequest, report: &mut Report) -> Option<CrawlPlan> {
    let root = Path::Root;
    let zero_data_retention = request.zero_data_retention.unwrap_or(false);
    let target = target(&request.url, &root.key("url"), report);
    extras(&request.extras, &root, report);
    if request.robots_user_agent.as_deref().is_some_and(|agent| !is_field_value(agent)) {
        report.fault(Code::InvalidValue, &root.key("robotsUserAgent"), |name| {
            format!("{name} must be printable ASCII in one line")
        });
    }
    let delay = match request.delay.map(Duration::try_from_secs_f64) {
        None => None,
        Some(Ok(delay)) => (!delay.is_zero()).then_some(delay),
        Some(Err(_)) => {
            report.fault(Code::OutOfRange, &root.key("delay"), |name| {
                format!("{name} must be a number of seconds, 0 or more")
            });
            None
        }
    };
    let exclude_paths = patterns(request.exclude_paths, &root.key("excludePaths"), report);
    let include_paths = patterns(request.include_paths, &root.key("includePaths"), report);
    let options = scrape_options(
        request.scrape_options.unwrap_or_default(),
        zero_data_retention,
        &root.key("scrapeOptions"),
        report,
    );
    let webhook = webhook(request.webhook, JobKind::Crawl, &root.key("webhook"), report);
    Some(CrawlPlan {
        target: target?,
        prompt: request.prompt.filter(|prompt| !prompt.trim().is_empty()),
        rules: CrawlRules {
            exclude_paths,
            include_paths,
            regex_on_full_url: request.regex_on_full_url.unwrap_or(false),
            max_discovery_depth: request.max_discovery_depth,
            max_path_depth: request.max_path_depth,
            sitemap: request.sitemap.unwrap_or_default(),
            ignore_query_parameters: request.ignore_query_parameters.unwrap_or(false),
            deduplicate_similar_urls: request.deduplicate_similar_urls.unwrap_or(true),
            crawl_entire_domain: request.crawl_entire_domain.unwrap_or(false),
            allow_external_links: request.allow_external_links.unwrap_or(false),
            allow_subdomains: request.allow_subdomains.unwrap_or(false),
            ignore_robots_txt: request.ignore_robots_txt.unwrap_or(false),
            robots_user_agent: request.robots_user_agent,
        },
        limit: request.limit.unwrap_or(DEFAULT_CRAWL_LIMIT),
        delay,
        max_concurrency: request.max_concurrency,
        options,
        webhook,
        zero_data_retention,
    })
}

pub(crate) fn preview(
    request: CrawlParamsPreviewRequest,
    report: &mut Report,
) -> Option<CrawlParamsPreviewPlan> {
    let target = target(&request.url, &Path::Root.key("url"), report);
    not_blank(Some(&request.prompt), &Path::Root.key("prompt"), report);
    extras(&request.extras, &Path::Root, report);
    Some(CrawlParamsPreviewPlan { target: target?, prompt: request.prompt })
}

pub(crate) fn map(request: MapRequest, report: &mut Report) -> Option<MapPlan> {
    let root = Path::Root;
    let target = target(&request.url, &root.key("url"), report);
    extras(&request.extras, &root, report);
    let location = location(request.location, &root.key("location"), report);
    Some(MapPlan {
        target: target?,
        search: request.search.filter(|words| !words.trim().is_empty()),
        sitemap: request.sitemap.unwrap_or_default(),
        include_subdomains: request.include_subdomains.unwrap_or(true),
        ignore_query_parameters: request.ignore_query_parameters.unwrap_or(true),
        limit: request.limit.unwrap_or(DEFAULT_MAP_LIMIT),
        timeout: request.timeout.map(Duration::from_millis),
        location,
        max_age: Duration::from_millis(request.max_age.unwrap_or(DEFAULT_MAX_AGE_MS)),
        skip_tls_verification: request.skip_tls_verification.unwrap_or(true),
    })
}

pub(crate) fn extract(request: ExtractRequest, report: &mut Report) -> Option<ExtractPlan> {
    let root = Path::Root;
    let zero_data_retention = request.zero_data_retention.unwrap_or(false);
    let (urls, prompt, schema_path) = (root.key("urls"), root.key("prompt"), root.key("schema"));
    let schema = present(request.schema);
    let texts = request.urls.unwrap_or_default();
    let prompt_only = texts.is_empty();
    let mut sources = Vec::with_capacity(texts.len());
    let mut invalid_urls = request.ignore_invalid_urls.unwrap_or(true).then(Vec::new);
    for (index, text) in texts.into_iter().enumerate() {
        match extract_source(&text) {
            Ok(source) => sources.push(source),
            Err(error) => match &mut invalid_urls {
                Some(invalid) => invalid.push(text),
                None => invalid_url(&urls.index(index), &error, report),
            },
        }
    }
    if sources.is_empty() && !prompt_only && invalid_urls.is_some() {
        // Without sources, a request for these pages would become one for any page that fits the prompt.
        report.fault(Code::InvalidValue, &urls, |name| format!("{name} has no entry that is a valid URL"));
    }
    if request.prompt.is_none() {
        if schema.is_none() {
            report.conflict(&prompt, &[&prompt, &schema_path], |name| {
                format!("{name} is missing: one of `prompt` and `schema` is required")
            });
        } else if prompt_only {
            report.conflict(&prompt, &[&prompt, &urls], |name| {
                format!("{name} is missing: it is required without `urls`")
            });
        }
    }
    not_blank(request.prompt.as_deref(), &prompt, report);
    if let Some(schema) = &schema {
        json_schema(schema, &schema_path, report);
    }
    extras(&request.extras, &root, report);
    let options = scrape_options(
        request.scrape_options.unwrap_or_default(),
        zero_data_retention,
        &root.key("scrapeOptions"),
        report,
    );
    let webhook = webhook(request.webhook, JobKind::Extract, &root.key("webhook"), report);
    Some(ExtractPlan {
        sources,
        invalid_urls,
        prompt: request.prompt,
        system_prompt: request.system_prompt,
        schema,
        enable_web_search: request.enable_web_search.unwrap_or(false),
        show_sources: request.show_sources.unwrap_or(false),
        include_subdomains: request.include_subdomains.unwrap_or(true),
        ignore_sitemap: request.ignore_sitemap.unwrap_or(false),
        allow_external_links: request.allow_external_links.unwrap_or(false),
        limit: request.limit,
        agent_model: request.agent.map(|agent| agent.model),
        options,
        webhook,
        zero_data_retention,
    })
}

/// A page, or with a trailing `/*` all pages below it.
fn extract_source(text: &str) -> Result<ExtractSource, String> {
    let trimmed = text.trim();
    let (address, wildcard) = match trimmed.strip_suffix("/*") {
        Some(address) => (address, true),
        None if trimmed.ends_with('*') => {
            return Err(format!("{} ends in `*`: a wildcard is written `/*`", quote_url(trimmed)));
        }
        None => (trimmed, false),
    };
    let target = Target::parse(address).map_err(|error| error.to_string())?;
    Ok(ExtractSource { target, wildcard })
}

/// The checked scrape options, with their defaults.
pub(crate) fn scrape_options(
    options: ScrapeOptions,
    zero_data_retention: bool,
    path: &Path<'_>,
    report: &mut Report,
) -> ScrapeOptionsPlan {
    extras(&options.extras, path, report);
    let timeout = options.timeout.unwrap_or(DEFAULT_TIMEOUT_MS);
    let wait_for = options.wait_for.unwrap_or(0);
    if wait_for > timeout / 2 {
        report.conflict(&path.key("waitFor"), &[&path.key("timeout")], |name| {
            format!(
                "{name} must be at most half of `timeout` ({} of {timeout} milliseconds), not {wait_for}",
                timeout / 2
            )
        });
    }
    let max_age = options.max_age.unwrap_or(DEFAULT_MAX_AGE_MS);
    if let (Some(min), Some(max)) = (options.min_age, options.max_age) {
        // v1's `maxAge` of 0 is a default, not the user's choice.
        if min > max && max > 0 {
            report.conflict(&path.key("minAge"), &[&path.key("maxAge")], |name| {
                format!(
                    "{name} must be at most `maxAge` ({max} milliseconds), not {min}: no copy satisfies both"
                )
            });
        }
    }
    let include_tags = selectors(options.include_tags, &path.key("includeTags"), report);
    let exclude_tags = selectors(options.exclude_tags, &path.key("excludeTags"), report);
    let headers = headers(options.headers, &path.key("headers"), report);
    let actions = actions(options.actions, &path.key("actions"), report);
    let store_in_cache = options.store_in_cache.unwrap_or(true)
        && headers.is_empty()
        && actions.is_empty()
        && !zero_data_retention;
    ScrapeOptionsPlan {
        formats: formats(options.formats, path, report),
        only_main_content: options.only_main_content.unwrap_or(true),
        include_tags,
        exclude_tags,
        max_age: Duration::from_millis(max_age),
        min_age: options.min_age.map(Duration::from_millis),
        lockdown: options.lockdown.unwrap_or(false),
        headers,
        wait_for: Duration::from_millis(wait_for),
        mobile: options.mobile.unwrap_or(false),
        skip_tls_verification: options.skip_tls_verification.unwrap_or(true),
        timeout: Duration::from_millis(timeout),
        pdf: pdf(options.parsers, &path.key("parsers"), report),
        actions,
        location: location(options.location, &path.key("location"), report),
        remove_base64_images: options.remove_base64_images.unwrap_or(true),
        block_ads: options.block_ads.unwrap_or(true),
        proxy: match options.proxy {
            Some(ProxyChoice::Basic) => ProxyMode::Basic,
            Some(ProxyChoice::Stealth | ProxyChoice::Enhanced) => ProxyMode::Stealth,
            Some(ProxyChoice::Auto) | None => ProxyMode::Auto,
        },
        store_in_cache,
    }
}

fn pdf(parsers: Option<Vec<Parser>>, path: &Path<'_>, report: &mut Report) -> Option<PdfParser> {
    let Some(parsers) = parsers else { return Some(PdfParser::default()) };
    let mut chosen = None;
    for (index, Parser::Pdf(parser)) in parsers.into_iter().enumerate() {
        let parser = PdfParser { mode: parser.mode.unwrap_or_default(), max_pages: parser.max_pages };
        if chosen.is_some_and(|chosen| chosen != parser) {
            report.fault(Code::Conflict, &path.index(index), |name| {
                format!("{name} is a second `pdf` with other options: at most one is allowed")
            });
        }
        chosen.get_or_insert(parser);
    }
    chosen
}

/// CSS selectors are parsed by the code that uses them. Here they must only not be blank.
fn selectors(selectors: Option<Vec<String>>, path: &Path<'_>, report: &mut Report) -> Vec<String> {
    let selectors = selectors.unwrap_or_default();
    for (index, selector) in selectors.iter().enumerate() {
        not_blank(Some(selector), &path.index(index), report);
    }
    let listed: usize = selectors.iter().map(|selector| selector.split(',').count()).sum();
    if listed > MAX_LISTED_SELECTORS {
        report.fault(Code::OutOfRange, path, |name| {
            format!(
                "{name} must contain at most {MAX_LISTED_SELECTORS} comma-separated selectors, not {listed}"
            )
        });
    }
    selectors
}

fn target(text: &str, path: &Path<'_>, report: &mut Report) -> Option<Target> {
    match Target::parse(text) {
        Ok(target) => Some(target),
        Err(error) => {
            invalid_url(path, &error.to_string(), report);
            None
        }
    }
}

fn invalid_url(path: &Path<'_>, error: &str, report: &mut Report) {
    report
        .fault(Code::InvalidValue, path, |name| format!("{name} is not a URL that can be fetched: {error}"));
}

pub(crate) fn not_blank(text: Option<&str>, path: &Path<'_>, report: &mut Report) {
    if text.is_some_and(|text| text.trim().is_empty()) {
        report.fault(Code::InvalidValue, path, |name| format!("{name} must not be blank"));
    }
}

/// Options that are known but not supported must be off.
fn extras(extras: &Extras, path: &Path<'_>, report: &mut Report) {
    for (key, value) in extras.unsupported() {
        if value.is_some_and(|value| !is_off(value)) {
            report.fault(Code::UnsupportedOption, &path.key(key), |name| {
                format!("{name} is not supported by this engine: leave it out or set it to `false`")
            });
        }
    }
}

fn is_off(value: &Value) -> bool {
    match value {
        Value::Null | Value::Bool(false) => true,
        Value::Bool(true) | Value::Number(_) => false,
        Value::String(text) => matches!(text.as_str(), "" | "none" | "off"),
        Value::Array(items) => items.is_empty(),
        Value::Object(fields) => fields.is_empty(),
    }
}

/// v1's rules that cannot be checked on the v2 form. `path` is the path of the scrape options.
pub(crate) mod v1 {
    use super::{Path, Report, Target, alternatives};
    use crate::request::v1::{CrawlRequest, Format, MapRequest, ScrapeOptions};

    pub(crate) fn scrape_options(options: &ScrapeOptions, path: &Path<'_>, report: &mut Report) {
        let formats = options.formats.as_deref().unwrap_or_default();
        for (key, is_given, format, format_name) in [
            ("jsonOptions", options.json_options.is_some(), Format::Json, "json"),
            ("extract", options.extract.is_some(), Format::Extract, "extract"),
        ] {
            if is_given && !formats.contains(&format) {
                report.conflict(&path.key(key), &[&path.key("formats")], |name| {
                    format!("{name} needs {} in `formats`", alternatives([format_name]))
                });
            }
        }
    }

    /// v1's clients expect that a start page deeper than `maxDepth` is refused.
    pub(crate) fn crawl(request: &CrawlRequest, report: &mut Report) {
        let (Some(most), Ok(start)) = (request.max_depth, Target::parse(&request.url)) else { return };
        let segments = start.url.path_segments().into_iter().flatten();
        let counts = |segment: &&str| !matches!(*segment, "" | "index.html" | "index.php");
        let own = segments.filter(counts).count();
        if usize::try_from(most).is_ok_and(|most| most < own) {
            let (root, url) = (Path::Root, Path::Root.key("url"));
            report.conflict(&root.key("maxDepth"), &[&url], |name| {
                format!("{name} must be at least {own}, the depth of `url` itself, not {most}")
            });
        }
    }

    pub(crate) fn map(request: &MapRequest, report: &mut Report) {
        if request.ignore_sitemap == Some(true) && request.sitemap_only == Some(true) {
            let root = Path::Root;
            report.conflict(&root.key("sitemapOnly"), &[&root.key("ignoreSitemap")], |name| {
                format!("{name} cannot be true together with `ignoreSitemap`")
            });
        }
    }
}
