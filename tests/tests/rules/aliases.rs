//! Many spellings of a few URLs: each page is fetched once, and distinct pages are not merged.

use std::collections::BTreeMap;
use std::time::Duration;

use gleaner_frontier::{
    Candidate, CrawlScope, Decision, Frontier, FrontierConfig, Identity, JobRules, Outcome,
};

use crate::support::{rules, url};

/// Each row lists spellings of one page, as links on `https://www.b\u{fc}cher.test/shop/`.
const PAGES: &[&[&str]] = &[
    &[
        "/",
        "",
        "../",
        "./..",
        "/index.html",
        "https://b\u{fc}cher.test",
        "HTTP://XN--BCHER-KVA.test:80/",
        "//www.b\u{fc}cher.test",
    ],
    &[
        "/a",
        "/a/",
        "/b/../a",
        "/%61",
        "/./a",
        "../a",
        "/a#top",
        "/a#:~:text=x",
        "/a?utm_source=x&utm_medium=y",
        "/a?",
        "/a/index.php",
    ],
    &["/A", "/A/"],
    &["/~joe", "/%7Ejoe", "/%7ejoe/"],
    &["/\u{fc}ber", "/%C3%BCber", "/%c3%bcber"],
    &["/q?a=1&b=2", "/q?b=2&a=1", "/q/?a=1&b=2&fbclid=z", "/q?&&b=2&a=1"],
    &["/q?a=1&a=2", "/q?a=1&a=2&gclid=x"],
    &["/q?a=2&a=1"],
    &["/q?a=1%26b=2"],
    &["/app#/one", "/app#/one"],
    &["/app#/two"],
    &["/app#!three"],
    &["/app", "/app#", "/app#/", "/app#section"],
    &["/x%2Fy", "/x%2fy"],
    &["/x/y"],
    &["/x//y"],
    &["/s;v=1"],
    &["/s;jsessionid=0A?z=1", "/s?z=1", "/s?z=1&PHPSESSID=9"],
    &["/index"],
    &["/Index.html"],
    &["/a.html"],
    &["/%2541"],
    &["/p?q=a+b"],
    &["/p?q=a%20b"],
];

#[test]
fn each_page_is_fetched_once_whatever_its_spelling() {
    let base = url("https://www.b\u{fc}cher.test/shop/");
    let (identity, mut rules) = (Identity::from_options(false, true), rules());
    rules.crawl_entire_domain = true;
    let scope = CrawlScope::new(&base, &rules).unwrap();
    let mut frontier = Frontier::new(FrontierConfig::default());
    let job = frontier.open(JobRules::with_limit(10_000));
    let mut page_of = BTreeMap::new();
    let mut links = Vec::new();
    // One spelling per page and round, so that spellings of one page are far apart.
    for round in 0..12 {
        for (page, spellings) in PAGES.iter().enumerate() {
            let Some(link) = spellings.get(round) else { continue };
            // An empty link names the page it is on; here it means the root.
            let link =
                if link.is_empty() { url("https://www.b\u{fc}cher.test") } else { base.join(link).unwrap() };
            assert_eq!(scope.decide(&link, false), Decision::Inside, "{link}");
            page_of.insert(link.as_str().to_owned(), page);
            links.push(Candidate {
                key: identity.key(&link),
                url: link,
                external: false,
                priority: Candidate::NORMAL,
            });
        }
    }
    let offered = links.len();
    frontier.admit(job, 0, links, Duration::ZERO);
    let mut fetches = vec![0; PAGES.len()];
    while let Some(lease) = frontier.lease(1, Duration::ZERO).leases.pop() {
        let page = page_of.iter().find(|(text, _)| identity.key(&url(text)) == lease.key).unwrap().1;
        fetches[*page] += 1;
        frontier.finish(lease.id, Outcome::Document, [], Duration::ZERO);
    }
    let duplicates: usize = fetches.iter().map(|count: &usize| count.saturating_sub(1)).sum();
    let merged = fetches.iter().filter(|count| **count == 0).count();
    println!(
        "alias: {offered} links to {} pages: duplicates fetched {duplicates}, distinct merged {merged}",
        PAGES.len()
    );
    assert_eq!((duplicates, merged), (0, 0), "{fetches:?}");
}

#[test]
fn canonical_form_is_idempotent() {
    let base = url("https://www.b\u{fc}cher.test/shop/");
    for (fold, ignore_query) in [(true, false), (false, false), (true, true), (false, true)] {
        let identity = Identity::from_options(ignore_query, fold);
        for link in PAGES.iter().copied().flatten() {
            let once = identity.canonical(&base.join(link).unwrap());
            assert_eq!(identity.canonical(&url(&once)), once, "{link}");
        }
    }
}
