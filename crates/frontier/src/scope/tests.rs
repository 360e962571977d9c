//! Tests of the scope of a crawl: hosts, paths, patterns and depth.

use gleaner_types::plan::{CrawlRules, SitemapMode};
use url::Url;

use super::*;

fn rules() -> CrawlRules {
    CrawlRules {
        exclude_paths: Vec::new(),
        include_paths: Vec::new(),
        regex_on_full_url: false,
        max_discovery_depth: None,
        max_path_depth: None,
        sitemap: SitemapMode::Include,
        ignore_query_parameters: false,
        deduplicate_similar_urls: true,
        crawl_entire_domain: false,
        allow_external_links: false,
        allow_subdomains: false,
        ignore_robots_txt: false,
        robots_user_agent: None,
    }
}

fn url(text: &str) -> Url {
    Url::parse(text).unwrap()
}

fn scope(start: &str, change: impl FnOnce(&mut CrawlRules)) -> CrawlScope {
    let mut rules = rules();
    change(&mut rules);
    CrawlScope::new(&url(start), &rules).unwrap()
}

const IN: Decision = Decision::Inside;
const OUT: Decision = Decision::External;
const fn no(reason: SkipReason) -> Decision {
    Decision::Rejected(reason)
}

#[test]
fn the_start_url_selects_a_part_of_the_site() {
    for (start, link, expected) in [
        ("https://a.test/docs/", "https://a.test/docs/x", IN),
        ("https://a.test/docs/", "https://a.test/docs/", IN),
        ("https://a.test/docs/", "https://a.test/docs-old", no(SkipReason::OutsideStartPath)),
        ("https://a.test/docs/", "https://a.test/", no(SkipReason::OutsideStartPath)),
        ("https://a.test/docs", "https://a.test/docs", IN),
        ("https://a.test/docs", "https://a.test/docs/", IN),
        ("https://a.test/docs", "https://a.test/docs/x/y", IN),
        ("https://a.test/docs", "https://a.test/docs?page=2", IN),
        ("https://a.test/docs", "https://a.test/docs-old", no(SkipReason::OutsideStartPath)),
        ("https://a.test/docs", "https://a.test/docs.html", no(SkipReason::OutsideStartPath)),
        ("https://a.test/docs", "https://a.test/Docs/x", no(SkipReason::OutsideStartPath)),
        ("https://a.test/docs/a.html", "https://a.test/docs/b.html", IN),
        ("https://a.test/docs/a.html", "https://a.test/docs/c/d", IN),
        ("https://a.test/docs/a.html", "https://a.test/docs-old/b.html", no(SkipReason::OutsideStartPath)),
        ("https://a.test/docs/v1.2", "https://a.test/docs/v1.2/x", IN),
        ("https://a.test/docs/v1.2", "https://a.test/docs/v1.3", no(SkipReason::OutsideStartPath)),
        ("https://a.test/index.html", "https://a.test/x", IN),
        ("https://a.test", "https://a.test/x", IN),
        ("https://a.test/~joe", "https://a.test/%7Ejoe/x", IN),
        ("https://a.test/%7ejoe/", "https://a.test/~joe/x", IN),
        ("https://a.test/docs/", "https://a.test/docs/../x", no(SkipReason::OutsideStartPath)),
        ("https://a.test/docs/", "https://a.test/docs/%2e%2e/x", no(SkipReason::OutsideStartPath)),
    ] {
        assert_eq!(scope(start, |_| {}).decide(&url(link), false), expected, "{start} -> {link}");
        let whole = scope(start, |rules| rules.crawl_entire_domain = true);
        assert_eq!(whole.decide(&url(link), false), IN, "{start} -> {link}: entire domain");
    }
}

#[test]
fn hosts_and_ports() {
    let subdomains = |rules: &mut CrawlRules| rules.allow_subdomains = true;
    let external = |rules: &mut CrawlRules| rules.allow_external_links = true;
    let both = |rules: &mut CrawlRules| {
        rules.allow_subdomains = true;
        rules.allow_external_links = true;
    };
    type Case<'a> = (&'a str, &'a str, [Decision; 4]);
    let (sub, other) = (no(SkipReason::Subdomain), no(SkipReason::OtherHost));
    let cases: &[Case<'_>] = &[
        // start, link, [neither, subdomains, external, both]
        ("https://a.test/", "http://a.test/x", [IN; 4]),
        ("https://a.test/", "https://www.a.test/x", [IN; 4]),
        ("https://www.a.test/", "https://a.test/x", [IN; 4]),
        ("https://a.test/", "https://a.test./x", [IN; 4]),
        ("http://a.test/", "https://a.test:443/x", [IN; 4]),
        ("https://a.test/", "https://a.test:8443/x", [other, other, OUT, OUT]),
        ("http://a.test:8080/", "http://a.test:8080/x", [IN; 4]),
        ("https://a.test/", "https://blog.a.test/x", [sub, IN, OUT, IN]),
        ("https://blog.a.test/", "https://a.test/x", [sub, IN, OUT, IN]),
        ("https://blog.a.test/", "https://shop.a.test/x", [sub, IN, OUT, IN]),
        ("https://a.test/", "https://nota.test/x", [other, other, OUT, OUT]),
        ("https://a.test/", "https://a.test.evil.test/x", [other, other, OUT, OUT]),
        ("https://a.co.uk/", "https://b.co.uk/x", [other, other, OUT, OUT]),
        ("https://alice.github.io/", "https://bob.github.io/x", [other, other, OUT, OUT]),
        ("https://b\u{fc}cher.test/", "https://xn--bcher-kva.test/x", [IN; 4]),
        ("https://apple.test/", "https://\u{430}pple.test/x", [other, other, OUT, OUT]),
        ("http://127.0.0.1:3000/", "http://127.0.0.1:3000/x", [IN; 4]),
        ("http://127.0.0.1/", "http://1.127.0.0.1.test/x", [other, other, OUT, OUT]),
        ("http://127.0.0.1/", "http://10.0.0.1/x", [other, other, OUT, OUT]),
        ("http://[::1]/", "http://[::1]/x", [IN; 4]),
        ("http://localhost/", "http://www.localhost/x", [IN; 4]),
    ];
    for (start, link, expected) in cases {
        let found =
            [scope(start, |_| {}), scope(start, subdomains), scope(start, external), scope(start, both)]
                .map(|scope| scope.decide(&url(link), false));
        assert_eq!(found, *expected, "{start} -> {link}");
    }
}

#[test]
fn subdomains_are_crawled_whole() {
    let scope = scope("https://a.test/docs/", |rules| rules.allow_subdomains = true);
    assert_eq!(scope.decide(&url("https://blog.a.test/x"), false), IN);
    assert_eq!(scope.decide(&url("https://a.test/x"), false), no(SkipReason::OutsideStartPath));
}

#[test]
fn external_pages_are_one_hop_away() {
    let scope = scope("https://a.test/", |rules| {
        rules.allow_external_links = true;
        rules.exclude_paths = vec!["^https://bad\\.test/".into(), "/private/".into()];
        rules.include_paths = vec!["^/blog/".into()];
    });
    for (name, link, from_external, expected) in [
        ("includes do not apply", "https://b.test/x", false, OUT),
        ("excludes apply to the whole URL", "https://bad.test/x", false, no(SkipReason::Excluded)),
        ("and so to its path", "https://b.test/private/x", false, no(SkipReason::Excluded)),
        ("one hop only", "https://c.test/", true, no(SkipReason::FoundOnExternalPage)),
        ("nor back into the site", "https://a.test/blog/x", true, no(SkipReason::FoundOnExternalPage)),
        ("files are no pages there either", "https://b.test/x.zip", false, no(SkipReason::BinaryFile)),
    ] {
        assert_eq!(scope.decide(&url(link), from_external), expected, "{name}");
    }
}

#[test]
fn patterns() {
    let path = |rules: &mut CrawlRules| {
        rules.include_paths = vec!["^/blog/".into(), "\u{fc}ber".into()];
        rules.exclude_paths = vec!["/drafts?/".into(), "secret".into()];
    };
    let full = |rules: &mut CrawlRules| {
        rules.regex_on_full_url = true;
        rules.include_paths = vec!["[?&]page=".into()];
        rules.exclude_paths = vec!["^http://".into()];
    };
    for (name, change, link, expected) in [
        ("included", path as fn(&mut CrawlRules), "https://a.test/blog/x", IN),
        ("not included", path, "https://a.test/news/x", no(SkipReason::NotIncluded)),
        ("exclusion wins", path, "https://a.test/blog/draft/x", no(SkipReason::Excluded)),
        ("search is not anchored", path, "https://a.test/blog/a/top-secret-b", no(SkipReason::Excluded)),
        ("escapes are decoded", path, "https://a.test/%C3%BCber", IN),
        ("escapes do not hide", path, "https://a.test/blog/s%65cret", no(SkipReason::Excluded)),
        ("the query is not the path", path, "https://a.test/blog/?secret", IN),
        ("full URL", full, "https://a.test/x?page=2", IN),
        ("full URL not included", full, "https://a.test/x", no(SkipReason::NotIncluded)),
        ("full URL excluded", full, "http://a.test/x?page=2", no(SkipReason::Excluded)),
    ] {
        assert_eq!(scope("https://a.test/", change).decide(&url(link), false), expected, "{name}");
    }
}

#[test]
fn the_start_page_is_fetched_even_if_excluded() {
    let scope = scope("https://a.test/docs/#intro", |rules| rules.include_paths = vec!["^/docs/x".into()]);
    let start = url("https://a.test/docs/");
    assert_eq!(scope.decide(&start, false), IN);
    assert_eq!(scope.decide(&url("https://a.test/docs/#other"), false), IN);
    assert!(!scope.fits_patterns(&start));
    assert!(scope.fits_patterns(&url("https://a.test/docs/x")));
    assert_eq!(scope.decide(&url("https://a.test/docs/?q=1"), false), no(SkipReason::NotIncluded));
    let plain = self::scope("https://a.test/docs/", |_| {});
    assert!(plain.fits_patterns(&start));
}

#[test]
fn path_depth() {
    for (name, start, depth, link, expected) in [
        ("one below", "https://a.test/docs/", 1, "https://a.test/docs/x", IN),
        ("a trailing slash is no segment", "https://a.test/docs/", 1, "https://a.test/docs/x/", IN),
        ("nor are two", "https://a.test/docs/", 1, "https://a.test/docs/x//", IN),
        ("nor is a query", "https://a.test/docs/", 1, "https://a.test/docs/x?y=/z/", IN),
        ("two below", "https://a.test/docs/", 1, "https://a.test/docs/x/y", no(SkipReason::TooDeep)),
        ("a start without a slash counts alike", "https://a.test/docs", 1, "https://a.test/docs/x", IN),
        ("and two below it", "https://a.test/docs", 1, "https://a.test/docs/x/y", no(SkipReason::TooDeep)),
        ("dot segments are settled first", "https://a.test/docs/", 1, "https://a.test/docs/x/../y/./", IN),
        ("an escaped slash is none", "https://a.test/docs/", 1, "https://a.test/docs/x%2Fy", IN),
        ("depth 0 below the root", "https://a.test/", 0, "https://a.test/x", no(SkipReason::TooDeep)),
        ("the start itself at depth 0", "https://a.test/docs/", 0, "https://a.test/docs/", IN),
        ("a query of the start at depth 0", "https://a.test/docs/", 0, "https://a.test/docs/?page=2", IN),
    ] {
        let scope = scope(start, |rules| rules.max_path_depth = Some(depth));
        assert_eq!(scope.decide(&url(link), false), expected, "{name}");
    }
}

#[test]
fn relative_links_are_resolved_first() {
    let start = url("https://www.a.test/docs/guide/");
    let scope = scope(start.as_str(), |_| {});
    for (name, link, expected) in [
        ("empty", "", IN),
        ("a fragment", "#part", IN),
        ("a hash route", "#/part", IN),
        ("a query alone", "?page=2", IN),
        ("below", "x", IN),
        ("up and down again", "../guide/x", IN),
        ("up and out", "../old/x", no(SkipReason::OutsideStartPath)),
        ("its own folder under another name", "../guide-old/x", no(SkipReason::OutsideStartPath)),
        ("up beyond the root", "../../../../docs/guide/x", IN),
        ("absolute path", "/docs/guide/x", IN),
        ("the same host without a scheme", "//a.test/docs/guide/x", IN),
        ("another host without a scheme", "//b.test/docs/guide/x", no(SkipReason::OtherHost)),
        ("backslashes for slashes", "\\\\b.test\\x", no(SkipReason::OtherHost)),
        ("another port", "//www.a.test:8443/docs/guide/x", no(SkipReason::OtherHost)),
        ("white space around, and line ends inside", " \n/docs/gui\nde/x\t ", IN),
        ("tel", "tel:+4912345", no(SkipReason::UnsupportedScheme)),
        ("a colon in the first segment", "./a:b", IN),
        ("what looks like a scheme is one", "a:b", no(SkipReason::UnsupportedScheme)),
    ] {
        assert_eq!(scope.decide(&start.join(link).unwrap(), false), expected, "{name}");
    }
}

#[test]
fn urls_that_are_never_pages() {
    let scope = scope("https://a.test/", |rules| rules.allow_external_links = true);
    for (link, reason) in [
        ("mailto:x@a.test", SkipReason::UnsupportedScheme),
        ("javascript:void(0)", SkipReason::UnsupportedScheme),
        ("data:text/html,x", SkipReason::UnsupportedScheme),
        ("ftp://a.test/x", SkipReason::UnsupportedScheme),
        ("file:///etc/passwd", SkipReason::UnsupportedScheme),
        ("blob:https://a.test/1", SkipReason::UnsupportedScheme),
        ("ws://a.test/", SkipReason::UnsupportedScheme),
        ("https://a.test/x.PNG?size=2", SkipReason::BinaryFile),
        ("https://a.test/x.tar.gz#top", SkipReason::BinaryFile),
    ] {
        assert_eq!(scope.decide(&url(link), false), no(reason), "{link}");
    }
    let long = format!("https://a.test/{}", "x".repeat(MAX_URL_BYTES));
    assert_eq!(scope.decide(&url(&long), false), no(SkipReason::TooLong));
}

#[test]
fn invalid_patterns_are_rejected() {
    let nested = format!("{}x{}", "(".repeat(500), ")".repeat(500));
    for (name, list, kind, message) in [
        (
            "not an expression",
            vec!["ok".to_owned(), "a(".to_owned()],
            ErrorKind::BadPattern,
            "excludePaths[1]",
        ),
        ("look-around is not offered", vec!["(?=a)".to_owned()], ErrorKind::BadPattern, "excludePaths[0]"),
        (
            "too long",
            vec!["x".repeat(2001)],
            ErrorKind::PatternTooLong,
            "excludePaths[0] must have at most 2000 characters, not 2001",
        ),
        (
            "too many",
            vec!["x".to_owned(); 1001],
            ErrorKind::TooManyPatterns,
            "excludePaths must have at most 1000 patterns, not 1001",
        ),
        (
            "huge repetition",
            vec!["(x{1000}){1000}".to_owned()],
            ErrorKind::PatternsTooLarge,
            "excludePaths[0]",
        ),
        (
            "one that a list could hold",
            vec!["ok".to_owned(), "(x{300}){300}".to_owned()],
            ErrorKind::PatternsTooLarge,
            "excludePaths[1]",
        ),
        (
            "large in all",
            vec!["\\w{2}".to_owned(); 1000],
            ErrorKind::PatternsTooLarge,
            "makes the patterns too large together",
        ),
        (
            "many states each, and a thousand of them",
            (0..1000).map(|n| format!("[ab]{{40}}c{n}")).collect(),
            ErrorKind::PatternsTooLarge,
            "makes the patterns too large together",
        ),
        ("nested too deeply", vec![nested], ErrorKind::BadPattern, "excludePaths[0]"),
    ] {
        let mut rules = rules();
        rules.exclude_paths = list;
        let error = CrawlScope::new(&url("https://a.test/"), &rules).expect_err(name);
        assert_eq!(error.kind(), kind, "{name}: {error}");
        assert!(error.to_string().contains(message), "{name}: {error}");
    }
    let error = CrawlScope::new(&url("file:///x"), &rules()).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::BadStart);
}

#[test]
fn a_catastrophic_pattern_is_matched_in_bounded_time() {
    // Exponential with backtracking: this test would not end.
    let scope =
        scope("https://a.test/", |rules| rules.exclude_paths = vec!["^/(a+)+$".into(), "(.*a){12}b".into()]);
    let link = url(&format!("https://a.test/{}", "a".repeat(8000)));
    assert_eq!(scope.decide(&link, false), no(SkipReason::Excluded));
}

/// A pseudorandom path of letters.
fn noise(seed: u32, length: usize) -> String {
    let mut state = seed;
    let letters = (0..length).map(|_| {
        state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        if state >> 31 == 0 { 'a' } else { 'b' }
    });
    letters.collect()
}

#[test]
fn a_url_that_is_too_costly_to_match_is_rejected() {
    let scope = scope("https://a.test/", |rules| {
        rules.exclude_paths = vec!["(?:[ab]*a[ab]{600}){3}c".into()];
        rules.include_paths = vec!["^/".into()];
    });
    for seed in 0..50 {
        let mut steps = 0;
        let decision =
            scope.decide_counting(&url(&format!("https://a.test/{}", noise(seed, 4000))), false, &mut steps);
        assert_eq!(decision, no(SkipReason::TooCostly));
        assert!(steps < 1_000_000, "some milliseconds: {steps}");
    }
    assert_eq!(scope.decide(&url("https://a.test/abba"), false), IN);
    assert!(!scope.fits_patterns(&url(&format!("https://a.test/{}", noise(99, 4000)))));
}

#[test]
fn many_patterns_cost_an_ordinary_url_little() {
    let scope = scope("https://a.test/", |rules| {
        rules.include_paths = (0..400).map(|n| format!("^/shop/products/{n}-[a-z0-9-]+/?$")).collect();
        rules.exclude_paths = (0..400).map(|n| format!("/drafts/{n}/")).collect();
    });
    let mut steps = 0;
    for n in 0..1_000 {
        let link = url(&format!("https://a.test/shop/products/{n}-a-chair-of-wood-{n}/"));
        let expected = if n < 400 { IN } else { no(SkipReason::NotIncluded) };
        assert_eq!(scope.decide_counting(&link, false, &mut steps), expected, "{link}");
    }
    assert!(steps < 5_000_000, "{steps} for a thousand URLs");
}

#[test]
fn every_reason_has_its_own_name_and_sentence() {
    let names: std::collections::HashSet<_> = SkipReason::ALL.iter().map(|reason| reason.name()).collect();
    let sentences: std::collections::HashSet<_> = SkipReason::ALL.iter().map(ToString::to_string).collect();
    assert_eq!(names.len(), SkipReason::ALL.len());
    assert_eq!(sentences.len(), SkipReason::ALL.len());
    assert!(SkipReason::TooLong.to_string().contains(&MAX_URL_BYTES.to_string()));
}

#[test]
fn a_name_that_may_be_that_of_a_page_is_crawled() {
    let scope = scope("https://a.test/", |_| {});
    for (link, expected) in [
        ("/wiki/File:Harbour_1902.jpg", IN),
        ("/Exe/ZyNET.exe?Dockey=17", IN),
        ("/sites/globo.com.br", IN),
        ("/photo.jpg", no(SkipReason::BinaryFile)),
        ("/setup.exe", no(SkipReason::BinaryFile)),
    ] {
        let link = url("https://a.test/").join(link).unwrap();
        assert_eq!(scope.decide(&link, false), expected, "{link}");
        assert!(looks_like_file(&link), "{link}");
    }
}
