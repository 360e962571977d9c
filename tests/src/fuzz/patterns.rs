//! Path patterns of a crawl. Input: one pattern per line, an empty line, then one path per line.

use gleaner_frontier::{CrawlScope, Decision, SkipReason};
use gleaner_types::plan::{SitemapMode, pattern_faults};
use gleaner_types::request::CrawlRequest;
use regex::RegexSet;
use url::Url;

/// The start page of the crawl.
const START: &str = "https://example.com/";

/// Upper bound on paths read from an input.
const MAX_PATHS: usize = 50;

/// Upper bound on the steps of one decision.
const MAX_STEPS: u64 = 1_000_000;

/// Patterns that pass the check compile. A decision takes a bounded number of steps and agrees with the
/// `regex` crate.
#[expect(clippy::expect_used, reason = "an oracle that fails must panic")]
pub fn patterns(data: &[u8]) {
    let text = String::from_utf8_lossy(data);
    let (patterns, paths) = text.split_once("\n\n").unwrap_or((&*text, ""));
    let patterns: Vec<String> = patterns.lines().filter(|line| !line.is_empty()).map(str::to_owned).collect();
    let request = CrawlRequest::new(START)
        .include_paths(patterns.clone())
        .crawl_entire_domain(true)
        .sitemap(SitemapMode::Skip);
    let faults = pattern_faults(&patterns);
    let plan = request.check();
    assert_eq!(plan.is_ok(), faults.is_empty(), "{faults:?}, {:?}", plan.as_ref().err());
    let Ok(plan) = plan else { return };
    let start = Url::parse(START).expect("a valid URL");
    let scope = CrawlScope::new(&start, &plan.rules).expect("patterns that pass the check compile");
    // The `regex` crate has a memory limit of its own.
    let Ok(theirs) = RegexSet::new(&patterns) else { return };
    for path in paths.lines().take(MAX_PATHS) {
        let mut url = start.clone();
        url.set_path(path);
        let mut steps = 0;
        let decision = scope.decide_counting(&url, false, &mut steps);
        assert!(steps <= MAX_STEPS, "{steps} steps for {url}");
        // Paths with escapes are matched decoded too, and the start page is always inside.
        if url.path().contains('%') || url == start {
            continue;
        }
        let expected = patterns.is_empty() || theirs.is_match(url.path());
        match decision {
            Decision::Inside => assert!(expected, "{url} is inside"),
            Decision::Rejected(SkipReason::NotIncluded) => assert!(!expected, "{url} is left out"),
            _ => continue,
        }
        assert_eq!(scope.fits_patterns(&url), expected, "{url}");
    }
}
