//! Helpers for tests of crawl rules, including the measurement of peak memory.

pub(crate) use gleaner_tests::fakes::{engine, links_only};
use gleaner_tests::process::{peak_memory, run_in_process};
use gleaner_types::plan::{CrawlRules, SitemapMode};
use url::Url;

pub(crate) fn url(text: &str) -> Url {
    Url::parse(text).unwrap()
}

/// Rules with no option set.
pub(crate) fn rules() -> CrawlRules {
    CrawlRules {
        exclude_paths: Vec::new(),
        include_paths: Vec::new(),
        regex_on_full_url: false,
        max_discovery_depth: None,
        max_path_depth: None,
        sitemap: SitemapMode::Skip,
        ignore_query_parameters: false,
        deduplicate_similar_urls: true,
        crawl_entire_domain: false,
        allow_external_links: false,
        allow_subdomains: false,
        ignore_robots_txt: false,
        robots_user_agent: None,
    }
}

/// Prints the growth of peak memory during `work`, in KiB. Only meaningful in a process that does nothing
/// else: see [`run_alone`].
pub(crate) fn print_memory_growth<T>(work: impl FnOnce() -> T) {
    let before = peak_memory();
    drop(work());
    println!("CHILD {}", (peak_memory() - before) / 1024);
}

/// Runs the ignored test `name` in its own process and returns the growth that [`print_memory_growth`]
/// printed.
pub(crate) fn run_alone(name: &str) -> u64 {
    run_in_process(name, "").trim().parse().unwrap()
}
