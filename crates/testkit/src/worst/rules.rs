//! Rules that URLs are matched against, and long lists of URLs: patterns of crawls, robots.txt, sitemaps.

use std::io::Write as _;

use flate2::Compression;
use flate2::write::GzEncoder;
use serde_json::json;

use super::{Attack, Size, WorstCase};
use crate::hostile::HostilePage;

const PATTERNS: &str = "patterns";
const ROBOTS: &str = "robots.txt";
const SITEMAPS: &str = "sitemaps";

pub(super) const CASES: &[WorstCase] = &[
    WorstCase::new(PATTERNS, "more states than are taken", |size| {
        excluding(counted(1_000), size).refused("too large together")
    }),
    WorstCase::new(PATTERNS, "as many states as are taken", |size| excluding(counted(300), size)),
    WorstCase::new(PATTERNS, "anything before anything", |size| excluding(anything(20, 12), size)),
    WorstCase::new(PATTERNS, "whole addresses", |size| {
        let patterns: Vec<String> = (0..20).map(|n| format!("(.*/){{10}}x{n}")).collect();
        let options = json!({ "includePaths": patterns, "regexOnFullURL": true, "sitemap": "only" });
        Attack::crawl(options, vec![long_addresses(size)])
    }),
    WorstCase::new(PATTERNS, "links of a page", |size| {
        let link = |n: usize| format!("<a href=/{n:06}{}>x</a>", "ab".repeat(150));
        let page: String = (0..size.of(300, 20_000)).map(link).collect();
        let options = json!({ "excludePaths": anything(60, 6), "sitemap": "skip" });
        Attack::crawl(options, vec![HostilePage::html("/", page)])
    }),
    WorstCase::new(PATTERNS, "a huge repeat", |size| {
        excluding(vec!["(x{1000}){1000}".to_owned()], size).refused("too large")
    }),
    WorstCase::new(PATTERNS, "letters of all scripts", |size| {
        excluding(vec!["(?i)[\\W\\S]".to_owned(); 100], size).refused("character classes")
    }),
    WorstCase::new(PATTERNS, "more patterns than are taken", |size| {
        excluding(vec!["a".to_owned(); 10_000], size).refused("excludePaths")
    }),
    WorstCase::new(ROBOTS, "rules with wildcards", |size| {
        let rule = |n: usize| format!("Disallow: /*a*b*a*b*a*z{n:05}$\n");
        let rules: String = (0..size.of(1_000, 14_000)).map(rule).collect();
        held_to(format!("User-agent: *\n{rules}"), size)
    }),
    WorstCase::new(ROBOTS, "one rule of many wildcards", |size| {
        held_to(format!("User-agent: *\nDisallow: /{}z$\n", "*a*b".repeat(size.of(10_000, 120_000))), size)
    }),
    WorstCase::new(ROBOTS, "agents without rules", |size| {
        let agents: String = (0..size.of(3_000, 25_000)).map(|n| format!("User-agent: x{n:06}\n")).collect();
        held_to(format!("{agents}Disallow: /z\n"), size)
    }),
    WorstCase::new(SITEMAPS, "long addresses", |size| {
        Attack::map(json!({ "sitemap": "only", "limit": 100_000 }), vec![long_addresses(size)])
    }),
    WorstCase::new(SITEMAPS, "words that are searched for", |size| {
        let words: Vec<String> = (0..150).map(|n| format!("ab{n:03}")).collect();
        Attack::map(json!({ "search": words.join(" "), "limit": 100_000 }), vec![long_addresses(size)])
    }),
    WorstCase::new(SITEMAPS, "much in little", |size| {
        let block = "<url><loc>/x</loc></url>".repeat(20_000);
        let body = gzip(std::iter::once("<urlset>").chain(std::iter::repeat_n(&*block, size.of(2, 400))));
        Attack::map(json!({ "sitemap": "only" }), vec![sitemap(body)])
    }),
    WorstCase::new(SITEMAPS, "an index everywhere", |size| {
        let child = |n: usize| format!("<sitemap><loc>/s/{n:06}.xml</loc></sitemap>");
        let children: String = (0..size.of(500, 50_000)).map(child).collect();
        let index = format!("<sitemapindex>{children}</sitemapindex>");
        Attack::map(json!({ "sitemap": "only" }), vec![HostilePage::anywhere("application/xml", index)])
    }),
    WorstCase::new(SITEMAPS, "entries in entries", |size| {
        let entries = "<url><loc>/x</loc>".repeat(size.of(5_000, 1_000_000));
        Attack::map(json!({ "sitemap": "only" }), vec![sitemap(format!("<urlset>{entries}"))])
    }),
    WorstCase::new(SITEMAPS, "pages in many languages", |size| {
        let link = |n: usize| format!("<xhtml:link rel=\"alternate\" hreflang=\"de\" href=\"/{n:06}\"/>");
        let links: String = (0..100).map(link).collect();
        let entry = |n: usize| format!("<url><loc>/{n:06}</loc>{links}</url>");
        let entries: String = (0..size.of(30, 5_000)).map(entry).collect();
        let body = format!("<urlset xmlns:xhtml=\"http://www.w3.org/1999/xhtml\">{entries}</urlset>");
        Attack::map(json!({ "sitemap": "only" }), vec![sitemap(body)])
    }),
];

fn sitemap(body: impl Into<bytes::Bytes>) -> HostilePage {
    HostilePage::new("/sitemap.xml", "application/xml", body)
}

/// A sitemap of long URLs.
fn long_addresses(size: Size) -> HostilePage {
    let path = "ab".repeat(400);
    let entry = |n: usize| format!("<url><loc>/{n:06}{path}</loc></url>");
    let entries: String = (0..size.of(300, 45_000)).map(entry).collect();
    sitemap(format!("<urlset>{entries}</urlset>"))
}

/// A crawl of a sitemap of long URLs that excludes those matching a pattern.
fn excluding(patterns: Vec<String>, size: Size) -> Attack {
    Attack::crawl(json!({ "excludePaths": patterns, "sitemap": "only" }), vec![long_addresses(size)])
}

/// A crawl of a sitemap of long URLs with this robots.txt.
fn held_to(robots: String, size: Size) -> Attack {
    let robots = HostilePage::new("/robots.txt", "text/plain", robots);
    Attack::crawl(json!({ "sitemap": "only" }), vec![robots, long_addresses(size)])
}

/// Patterns that need many states of a matcher.
fn counted(patterns: usize) -> Vec<String> {
    (0..patterns).map(|n| format!("[ab]{{40}}c{n}")).collect()
}

/// Patterns that take a backtracking matcher practically forever.
fn anything(patterns: usize, times: usize) -> Vec<String> {
    (0..patterns).map(|n| format!("(.*a.*b){{{times}}}z{n}")).collect()
}

fn gzip<'t>(parts: impl Iterator<Item = &'t str>) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::fast());
    for part in parts {
        encoder.write_all(part.as_bytes()).expect("writing to memory cannot fail");
    }
    encoder.finish().expect("writing to memory cannot fail")
}
