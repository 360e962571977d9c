use std::process::Command;

use gleaner::request::Format;
use gleaner::{CrawlRequest, Engine};
use gleaner_types::plan::{CrawlRules, SitemapMode};
use url::Url;

pub(crate) fn url(text: &str) -> Url {
    Url::parse(text).unwrap()
}

/// Rules that set nothing.
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

/// An engine that may reach the loopback interface and nothing else that is private.
pub(crate) fn engine() -> Engine {
    Engine::builder().allow_private("127.0.0.0/8".parse().unwrap()).build().unwrap()
}

/// A crawl of a site by its links alone.
pub(crate) fn links_only(start: impl Into<String>) -> CrawlRequest {
    CrawlRequest::new(start).sitemap(SitemapMode::Skip).formats([Format::Links])
}

/// The greatest resident memory of this process so far, in KiB; 0 where the system does not say.
fn peak_memory() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:")).unwrap_or_default();
    line.trim().trim_end_matches(" kB").parse().unwrap_or(0)
}

/// How much more memory than before the process holds at most while `work` goes on, in KiB. Only in a process that does
/// nothing else: see [`alone`].
pub(crate) fn growth<T>(work: impl FnOnce() -> T) {
    let before = peak_memory();
    drop(work());
    println!("CHILD {}", peak_memory() - before);
}

/// What the ignored test `name` found by [`growth`], run in a process of its own.
pub(crate) fn alone(name: &str) -> u64 {
    let mut child = Command::new(std::env::current_exe().unwrap());
    let output = child.args(["--ignored", "--exact", name, "--nocapture"]).output().unwrap();
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    text.lines().find_map(|line| line.split_once("CHILD ")).expect(&text).1.trim().parse().unwrap()
}
