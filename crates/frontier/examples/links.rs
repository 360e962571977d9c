//! The cost of the rules per link: a million links through [`CrawlScope`], [`Identity`] and the set of seen
//! pages.
//!
//! `valgrind --tool=callgrind target/profiling/examples/links [what]`, where `what` is `parse` (only the
//! URLs, to subtract from the others), `decide`, `key`, `both` or `admit` (everything, as in a crawl). It
//! measures instructions, not seconds, so other load on the machine does not matter.
#![expect(clippy::print_stdout, reason = "an example that reports to people")]

use std::error::Error;
use std::hint::black_box;
use std::time::Duration;

use gleaner_frontier::{
    Candidate, CrawlScope, Decision, Frontier, FrontierConfig, Identity, JobRules, Outcome,
};
use gleaner_types::plan::{CrawlRules, SitemapMode};
use url::Url;

const PAGES: u32 = 20_000;
const LINKS: u32 = 50;

fn main() -> Result<(), Box<dyn Error>> {
    let what = std::env::args().nth(1).unwrap_or_else(|| "admit".to_owned());
    let start = Url::parse("http://127.0.0.1:8080/")?;
    let scope = CrawlScope::new(&start, &rules())?;
    let identity = Identity::new(&rules());
    let mut frontier = Frontier::new(FrontierConfig::default());
    let job = frontier.open(JobRules::with_limit(u64::MAX));
    let candidate =
        |url: Url| Candidate { key: identity.key(&url), url, external: false, priority: Candidate::NORMAL };
    frontier.admit(job, 0, [candidate(start.clone())], Duration::ZERO);
    let (mut pages, mut count) = (0_u32, 0_u64);
    while pages < PAGES {
        let leases = if what == "admit" { frontier.lease(1, Duration::ZERO).leases } else { Vec::new() };
        let lease = leases.into_iter().next();
        let urls = (0..LINKS).map(|n| start.join(&href(pages, n)));
        match what.as_str() {
            "parse" => urls.for_each(|url| drop(black_box(url))),
            "decide" => urls.flatten().for_each(|url| count += u64::from(is_inside(&scope, &url))),
            "key" => urls.flatten().for_each(|url| count += identity.key(&url).to_raw() & 1),
            "both" => urls.flatten().for_each(|url| {
                if is_inside(&scope, &url) {
                    count += identity.key(&url).to_raw() & 1;
                }
            }),
            _ => {
                let Some(lease) = lease else { break };
                let links = urls.flatten().filter(|url| is_inside(&scope, url)).map(candidate);
                frontier.finish(lease.id, Outcome::Document, links, Duration::ZERO);
                count += 1;
            }
        }
        pages += 1;
    }
    println!("{what}: {} links, {count}", u64::from(pages) * u64::from(LINKS));
    Ok(())
}

fn is_inside(scope: &CrawlScope, url: &Url) -> bool {
    scope.decide(url, false) == Decision::Inside
}

/// A third of the links are the same on every page; a few lead to other sites.
fn href(page: u32, n: u32) -> String {
    match n {
        0..16 => format!("/p/{n}"),
        16 => "https://elsewhere.example/".to_owned(),
        17 => "/style/sheet.css?v=3".to_owned(),
        18 => "/search?q=words&page=2".to_owned(),
        _ => format!("/p/{}", (page * 33 + n) % PAGES),
    }
}

fn rules() -> CrawlRules {
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
