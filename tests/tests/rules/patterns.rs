//! Path patterns of users: expensive ones are refused, and accepted ones are cheap.

use std::time::Instant;

use gleaner_frontier::{CrawlScope, Decision, Error, ErrorKind, MAX_URL_BYTES, SkipReason};
use gleaner_types::limits::{MAX_PATTERN_CHARS, MAX_PATTERNS};

use crate::support::{print_memory_growth, rules, run_alone, url};

fn excluding(patterns: &[String]) -> Result<CrawlScope, Error> {
    let mut rules = rules();
    rules.exclude_paths = patterns.to_vec();
    CrawlScope::new(&url("https://a.test/"), &rules)
}

#[test]
fn expensive_and_invalid_patterns_are_refused() {
    let rows = [
        ("10,000 patterns", vec!["a".to_owned(); 10_000], ErrorKind::TooManyPatterns),
        ("huge repeat", vec!["(x{1000}){1000}".to_owned()], ErrorKind::PatternsTooLarge),
        ("huge repeat of letters", vec!["\\pL{1000}".to_owned()], ErrorKind::PatternsTooLarge),
        ("nested repeats", vec!["((((a{9}){9}){9}){9}){9}".repeat(8)], ErrorKind::PatternsTooLarge),
        (
            "each is small, the list is too large",
            vec!["\\w{30}".to_owned(); MAX_PATTERNS],
            ErrorKind::PatternsTooLarge,
        ),
        (
            "a thousand counted repeats",
            (0..MAX_PATTERNS).map(|n| format!("[ab]{{40}}c{n}")).collect(),
            ErrorKind::PatternsTooLarge,
        ),
        ("too long", vec!["a".repeat(MAX_PATTERN_CHARS + 1)], ErrorKind::PatternTooLong),
        ("nested groups", vec!["(".repeat(900) + &")".repeat(900)], ErrorKind::BadPattern),
        ("not closed", vec!["(a".to_owned()], ErrorKind::BadPattern),
        ("back-reference", vec!["(a)\\1".to_owned()], ErrorKind::BadPattern),
        ("look-ahead", vec!["(?=a)b".to_owned()], ErrorKind::BadPattern),
    ];
    for (name, patterns, kind) in &rows {
        let began = Instant::now();
        let found = excluding(patterns).map(|_| ()).map_err(|error| error.kind());
        println!("pattern: {name:<26} {:?} in {:.1} ms", kind, began.elapsed().as_secs_f64() * 1e3);
        assert_eq!(found, Err(*kind), "{name}");
    }
}

/// Patterns with exponential cost in a backtracking matcher.
fn catastrophic() -> Vec<String> {
    ["^/(a+)+$", "^/(a|a)*$", "^/(a|aa)+$", "^/(a*)*b$", "^/(.*a){12}$", "(x+x+)+y", "^/([a-z]+)*0$"]
        .map(str::to_owned)
        .to_vec()
}

/// A backtracking matcher would not finish any of these on the longest URLs. The printed times are not
/// asserted.
#[test]
fn patterns_that_defeat_backtracking_match_in_bounded_time() {
    let long = |bytes: usize| url(&format!("https://a.test/{}", "a".repeat(bytes - 20)));
    for pattern in catastrophic() {
        let scope = excluding(std::slice::from_ref(&pattern)).unwrap();
        let mut report = String::new();
        for bytes in [2000, 4000, 8000] {
            let link = long(bytes);
            let began = Instant::now();
            let decision = scope.decide(&link, false);
            report += &format!(" {:>8.0}", began.elapsed().as_secs_f64() * 1e6);
            let matches = !pattern.contains(['b', 'y', '0']);
            let expected = if matches { Decision::Rejected(SkipReason::Excluded) } else { Decision::Inside };
            assert_eq!(decision, expected, "{pattern}");
        }
        println!("pattern: {pattern:<16} us at 2, 4 and 8 kB:{report}");
    }
    let scope = excluding(&catastrophic()).unwrap();
    assert_eq!(
        scope.decide(&long(100_000), false),
        Decision::Rejected(SkipReason::TooLong),
        "over {MAX_URL_BYTES}"
    );
}

/// A list of patterns close to the size limit.
fn largest_accepted() -> Vec<String> {
    (0..70).map(|n| format!("^/{n}/[a-z]+/(old|new){{1,4}}/{}", "x".repeat(200))).collect()
}

#[test]
fn memory_of_patterns_is_bounded() {
    assert!(excluding(&largest_accepted()).is_ok());
    for name in ["accepted", "refused"] {
        let peak = run_alone(&format!("patterns::memory_of_{name}"));
        println!("pattern: memory of the largest list that is {name}: {} MiB at the peak", peak >> 10);
        assert!(peak < 100 << 10, "{name}: {peak} KiB");
    }
}

#[test]
#[ignore = "run by memory_of_patterns_is_bounded in its own process"]
fn memory_of_accepted() {
    let patterns = largest_accepted();
    print_memory_growth(|| excluding(&patterns));
}

#[test]
#[ignore = "run by memory_of_patterns_is_bounded in its own process"]
fn memory_of_refused() {
    let patterns = vec!["\\w{30}".to_owned(); MAX_PATTERNS];
    print_memory_growth(|| excluding(&patterns));
}
