//! The command line, and its conversion to requests.
//!
//! Options have the names of request fields, in kebab case. Their values are put into the JSON form of a
//! request, which `gleaner-types` checks like a body from the network. So every rule is defined once.
//! [`faults`] converts the field names in messages to options. Only options that are not part of a request
//! (address ranges, concurrency, folders) are checked here.

mod backup;
mod batch;
mod booleans;
mod browser;
mod check;
mod completions;
mod config;
mod convert;
mod crawl;
mod database;
mod demo;
mod doctor;
mod engine;
mod export;
mod extract;
mod faults;
mod fields;
mod given;
#[cfg(test)]
mod guide;
mod invisible;
mod job;
mod jobs;
mod links;
mod man;
mod map;
mod migrate;
mod model;
mod openapi;
mod output;
mod page;
mod phrases;
mod resume;
mod scrape;
mod secret;
mod site;
mod suggest;
mod summary;
mod value;
mod webhook;
mod work;
mod worker;

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use clap::{CommandFactory, FromArgMatches, Parser, Subcommand};

pub(crate) use backup::BackupArgs;
pub(crate) use batch::BatchArgs;
pub(crate) use browser::{BrowserArgs, WhichBrowser};
pub(crate) use check::CheckArgs;
pub(crate) use completions::CompletionsArgs;
pub(crate) use convert::ConvertArgs;
pub(crate) use crawl::CrawlArgs;
pub(crate) use database::DatabaseUrl;
pub(crate) use demo::DemoArgs;
pub(crate) use doctor::DoctorArgs;
pub(crate) use engine::EngineArgs;
pub(crate) use export::{ExportArgs, ExportFormat};
pub(crate) use extract::ExtractArgs;
pub(crate) use faults::{described, flag_of, in_flags};
pub(crate) use invisible::invisible;
pub(crate) use job::JobArgs;
pub(crate) use jobs::JobsArgs;
pub(crate) use links::{LinkArgs, LinkRules};
pub(crate) use man::ManArgs;
pub(crate) use map::MapArgs;
pub(crate) use migrate::MigrateArgs;
pub(crate) use model::ModelArgs;
pub(crate) use openapi::OpenApiArgs;
pub(crate) use output::OutputArgs;
pub(crate) use page::TextFormat;
pub(crate) use resume::ResumeArgs;
pub(crate) use scrape::ScrapeArgs;
pub(crate) use site::SiteArgs;
pub(crate) use summary::SummaryArgs;
pub(crate) use webhook::WebhookArgs;
pub(crate) use work::WorkArgs;
pub(crate) use worker::WorkerArgs;

const ABOUT: &str = "Turn web pages into clean Markdown, links and structured data.";

const EXAMPLES: &str = "\
Examples:
  gleaner demo                         # a small bundled site, without a network
  gleaner scrape https://example.com   # one page as Markdown
  gleaner crawl https://example.com --limit 50 --out pages
  gleaner crawl https://example.com --job crawl.db   # again after a crash
  gleaner map https://example.com      # the URLs of a site
  gleaner convert page.html --url https://example.com/page
  gleaner doctor                       # what works here, and what to do

Exit codes: 0 success, 1 no output or a failed job, 2 wrong usage, 130 interrupted.
A page with an error status counts as output: a 404 is a document too, and the summary counts such pages.
TLS certificates are checked, unless --skip-tls-verification is given.";

/// The whole command line.
#[derive(Debug, Parser)]
#[command(name = "gleaner", version, about = ABOUT, after_help = EXAMPLES, max_term_width = 100)]
pub(crate) struct Cli {
    /// Print no progress and no summary; errors are still printed
    #[arg(long, short, global = true, conflicts_with = "verbose", display_order = 900)]
    pub(crate) quiet: bool,

    /// Report each page on standard error; -vv adds retries, pauses and requests, -vvv everything
    #[arg(long, short, global = true, action = clap::ArgAction::Count, display_order = 901)]
    pub(crate) verbose: u8,

    /// Read options from this TOML file: their names without hyphens before them, at the top for all commands
    /// and in tables such as [crawl] for one. Options on the command line win
    #[arg(long, value_name = "FILE", global = true, display_order = 902)]
    pub(crate) config: Option<PathBuf>,

    #[command(subcommand)]
    pub(crate) command: Command,
}

/// A command.
#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    Demo(DemoArgs),
    Scrape(Box<ScrapeArgs>),
    Crawl(Box<CrawlArgs>),
    Batch(Box<BatchArgs>),
    Map(Box<MapArgs>),
    Extract(Box<ExtractArgs>),
    Convert(Box<ConvertArgs>),
    Jobs(JobsArgs),
    Resume(Box<ResumeArgs>),
    Export(ExportArgs),
    Work(Box<WorkArgs>),
    Migrate(MigrateArgs),
    Check(CheckArgs),
    Backup(BackupArgs),
    Doctor(Box<DoctorArgs>),
    Completions(CompletionsArgs),
    Man(ManArgs),
    #[command(name = "openapi")]
    OpenApi(OpenApiArgs),
}

impl Command {
    /// The options of the browser, for a command that fetches pages.
    pub(crate) fn browser(&self) -> Option<&BrowserArgs> {
        match self {
            Self::Demo(args) => Some(&args.browser),
            Self::Scrape(args) => Some(&args.engine.browser),
            Self::Crawl(args) => Some(&args.engine.browser),
            Self::Batch(args) => Some(&args.engine.browser),
            Self::Map(args) => Some(&args.engine.browser),
            Self::Extract(args) => Some(&args.engine.browser),
            Self::Resume(args) => Some(&args.worker.engine.browser),
            Self::Work(args) => Some(&args.worker.engine.browser),
            // It reports a browser that cannot be used.
            Self::Doctor(_)
            | Self::Convert(_)
            | Self::Jobs(_)
            | Self::Export(_)
            | Self::Migrate(_)
            | Self::Check(_)
            | Self::Backup(_)
            | Self::Completions(_)
            | Self::Man(_)
            | Self::OpenApi(_) => None,
        }
    }

    /// The file of its jobs, for a command that writes one.
    pub(crate) fn job_file(&self) -> Option<&Path> {
        match self {
            Self::Crawl(args) => args.job.job.as_deref(),
            Self::Batch(args) => args.job.job.as_deref(),
            Self::Extract(args) => args.job.job.as_deref(),
            // With a database, it is the id of a job.
            Self::Resume(args) => args.file.as_deref().filter(|_| args.database.is_none()),
            _ => None,
        }
    }

    /// Whether the summary at the end is JSON.
    pub(crate) fn reports_json(&self) -> bool {
        match self {
            Self::Scrape(args) => args.summary.json,
            Self::Crawl(args) => args.summary.json,
            Self::Batch(args) => args.summary.json,
            Self::Extract(args) => args.summary.json,
            Self::Map(args) => args.json,
            // Others have no summary, or it is all that they print.
            _ => false,
        }
    }

    /// The name on the command line.
    pub(crate) const fn name(&self) -> &'static str {
        match self {
            Self::Demo(_) => "demo",
            Self::Scrape(_) => "scrape",
            Self::Crawl(_) => "crawl",
            Self::Batch(_) => "batch",
            Self::Map(_) => "map",
            Self::Extract(_) => "extract",
            Self::Convert(_) => "convert",
            Self::Jobs(_) => "jobs",
            Self::Resume(_) => "resume",
            Self::Export(_) => "export",
            Self::Work(_) => "work",
            Self::Migrate(_) => "migrate",
            Self::Check(_) => "check",
            Self::Backup(_) => "backup",
            Self::Doctor(_) => "doctor",
            Self::Completions(_) => "completions",
            Self::Man(_) => "man",
            Self::OpenApi(_) => "openapi",
        }
    }
}

impl Cli {
    /// Parses a command line, with the options of the file of `--config`. The first word is the program's
    /// name.
    ///
    /// # Errors
    /// An error of clap: wrong usage, or requested help or version.
    pub(crate) fn read(words: impl IntoIterator<Item = OsString>) -> Result<Self, clap::Error> {
        let mut command = Self::command();
        let words = booleans::spell_out(&command, words);
        let (words, config) = config::applied(&command, words)?;
        let matches = command.try_get_matches_from_mut(&words).map_err(|error| {
            config.explained(suggest::improved(secret::hidden(error, &words), &command, &words))
        })?;
        Self::from_arg_matches(&matches).map_err(|error| error.format(&mut command))
    }
}

#[cfg(test)]
mod tests {
    use gleaner::{BatchScrapeRequest, CrawlRequest, MapRequest, ScrapeRequest};
    use serde_json::{Value, json};

    use super::*;

    #[test]
    fn the_command_line_is_well_formed() {
        Cli::command().debug_assert();
    }

    /// The request that a command line makes, as JSON.
    fn request(words: &str) -> Value {
        let given = words.split(' ').map(OsString::from);
        let cli = Cli::read(std::iter::once("gleaner".into()).chain(given)).unwrap();
        match cli.command {
            Command::Scrape(args) => serde_json::to_value(args.request().unwrap()),
            Command::Crawl(args) => serde_json::to_value(args.request().unwrap()),
            Command::Batch(args) => {
                serde_json::to_value(args.request(vec!["https://a.example/".to_owned()]).unwrap())
            }
            Command::Map(args) => serde_json::to_value(args.request().unwrap()),
            Command::Extract(args) => serde_json::to_value(args.request().unwrap()),
            Command::Convert(args) => serde_json::to_value(args.request("https://none.example/").unwrap()),
            _ => panic!("{words} makes no request"),
        }
        .unwrap()
    }

    #[test]
    fn options_become_fields_of_the_request_only_if_given() {
        for (words, want) in [
            ("scrape https://a.example", json!({"url": "https://a.example"})),
            ("scrape --mobile a.example", json!({"url": "a.example", "mobile": true})),
            (
                "scrape a.example --formats markdown,links --formats rawHtml",
                json!({"url": "a.example", "formats": ["markdown", "links", "rawHtml"]}),
            ),
            ("scrape a.example --parsers none", json!({"url": "a.example", "parsers": []})),
            (
                "scrape a.example --zero-data-retention",
                json!({"url": "a.example", "zeroDataRetention": true}),
            ),
            (
                "scrape a.example --header X:1 --location-country de --location-languages de,en \
                 --timeout 9000",
                json!({"url": "a.example", "headers": {"X": "1"}, "timeout": 9000,
                    "location": {"country": "de", "languages": ["de", "en"]}}),
            ),
            (
                "crawl a.example --limit 5 --max-discovery-depth 0 --include-paths ^/a,b --include-paths c \
                 --delay 0.5",
                json!({"url": "a.example", "limit": 5, "maxDiscoveryDepth": 0, "includePaths": ["^/a,b", "c"],
                    "delay": 0.5}),
            ),
            ("crawl a.example --prompt tea", json!({"url": "a.example", "prompt": "tea"})),
            (
                "crawl a.example --only-main-content false --exclude-tags nav,.ad --zero-data-retention",
                json!({"url": "a.example", "zeroDataRetention": true,
                    "scrapeOptions": {"onlyMainContent": false, "excludeTags": ["nav,.ad"]}}),
            ),
            (
                "crawl a.example --sitemap skip --deduplicate-similar-urls false --regex-on-full-url \
                 --max-concurrency 3",
                json!({"url": "a.example", "sitemap": "skip", "deduplicateSimilarURLs": false,
                    "regexOnFullURL": true,
                    "maxConcurrency": 3}),
            ),
            (
                "crawl a.example --webhook https://b.example/hook --webhook-events started,page",
                json!({"url": "a.example",
                    "webhook": {"url": "https://b.example/hook", "events": ["started", "page"]}}),
            ),
            (
                "batch - --max-age 0 --max-concurrency 2",
                json!({"urls": ["https://a.example/"], "ignoreInvalidURLs": false, "maxAge": 0,
                    "maxConcurrency": 2}),
            ),
            (
                "map a.example --search tea --include-subdomains false --limit 9",
                json!({"url": "a.example", "search": "tea", "includeSubdomains": false, "limit": 9}),
            ),
            (
                "extract a.example/* b.example --prompt names --enable-web-search --limit 7",
                json!({"urls": ["a.example/*", "b.example"], "prompt": "names", "enableWebSearch": true,
                    "limit": 7}),
            ),
            ("convert - --formats html", json!({"url": "https://none.example/", "formats": ["html"]})),
        ] {
            assert_eq!(request(words), want, "{words}");
        }
    }

    /// Request fields without an option: they need a server, or concern only its clients. Only crawls have
    /// `webhook` options.
    const WITHOUT_OPTION: [&str; 18] = [
        "appendToId",
        "auditMetadata",
        "checkPromptInjection",
        "fastMode",
        "integration",
        "lockdown",
        "minAge",
        "onlyCleanContent",
        "origin",
        "profile",
        "redactPII",
        "safeMode",
        "scrapeOptions",
        "threatProtection",
        "url",
        "urls",
        "useMock",
        "webhook",
    ];

    #[test]
    fn every_other_field_of_requests_has_an_option() {
        let crawl = CrawlRequest::json_schema();
        let page = crawl["properties"]["scrapeOptions"].clone();
        let page = if page["properties"].is_object() { page } else { page["anyOf"][0].clone() };
        for (name, schema) in [
            ("scrape", ScrapeRequest::json_schema()),
            ("batch", BatchScrapeRequest::json_schema()),
            ("map", MapRequest::json_schema()),
            ("crawl", crawl),
            ("crawl", page),
        ] {
            let command = Cli::command();
            let command = command.find_subcommand(name).unwrap();
            let fields = schema["properties"].as_object().unwrap();
            assert!(fields.len() > 5, "the schema of {name} has no fields");
            for field in fields.keys().filter(|field| !WITHOUT_OPTION.contains(&field.as_str())) {
                let fields = if field == "location" {
                    &["location.country", "location.languages"][..]
                } else {
                    &[field.as_str()]
                };
                for field in fields {
                    let flag = flag_of(field);
                    let has = command
                        .get_arguments()
                        .filter_map(|a| a.get_long())
                        .any(|long| flag == format!("--{long}"));
                    assert!(has, "{name} has no {flag} for {field}");
                }
            }
        }
    }

    #[test]
    fn a_crawl_knows_whether_it_ended_at_the_default_limit() {
        for (words, pages, by_default) in [
            ("crawl a.example", 10_000, true),
            ("crawl a.example", 9_999, false),
            ("crawl a.example --limit 10000", 10_000, false),
        ] {
            let given = words.split(' ').map(OsString::from);
            let cli = Cli::read(std::iter::once("gleaner".into()).chain(given)).unwrap();
            let Command::Crawl(args) = cli.command else { panic!("{words} is not a crawl") };
            assert_eq!(args.ended_at_default_limit(pages), by_default, "{words}: {pages}");
        }
    }

    #[test]
    fn unknown_options_have_a_suggestion() {
        for (words, advice) in [
            ("crawl a.example --max-depth 2", "use --max-discovery-depth"),
            ("crawl a.example --maxDepth 2", "use --max-discovery-depth"),
            ("crawl a.example --maxDiscoveryDepth 2", "use --max-discovery-depth"),
            ("scrape a.example --onlyMainContent false", "use --only-main-content"),
            ("scrape --version", "use gleaner --version"),
            ("scrape a.example --limit 2", "--limit is an option of crawl, map"),
            ("scrape a.example --formatss html", "a similar argument exists: '--formats'"),
        ] {
            let words = words.split(' ').map(OsString::from);
            let error = Cli::read(std::iter::once("gleaner".into()).chain(words)).unwrap_err();
            assert!(error.to_string().contains(advice), "{error}");
        }
    }

    #[test]
    fn every_command_has_an_example() {
        for command in Cli::command().get_subcommands() {
            let help = command.get_after_help().map(ToString::to_string).unwrap_or_default();
            assert!(help.contains(&format!("gleaner {}", command.get_name())), "{}", command.get_name());
        }
    }

    #[test]
    fn examples_fit_into_a_terminal_of_80_columns() {
        let command = Cli::command();
        for command in std::iter::once(&command).chain(command.get_subcommands()) {
            let help = command.get_after_help().map(ToString::to_string).unwrap_or_default();
            for line in help.lines().filter(|line| line.starts_with(' ')) {
                assert!(line.chars().count() <= 80, "{line}");
            }
        }
    }
}
