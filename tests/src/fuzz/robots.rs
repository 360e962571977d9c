//! robots.txt. Input: a path on the first line, the file on the others.

use gleaner_frontier::{MAX_CRAWL_DELAY, MAX_ROBOTS_SITEMAPS, RobotsPolicy};
use url::{Position, Url};

/// Any bytes parse as robots.txt. Its decisions are consistent, bounded, and agree with a second matcher.
pub fn robots(data: &[u8]) {
    let (path, file) = match data.iter().position(|byte| *byte == b'\n') {
        Some(at) => data.split_at(at),
        None => (&b"/"[..], data),
    };
    let policy = RobotsPolicy::parse(file, "gleaner");
    assert!(policy.crawl_delay().is_none_or(|delay| delay <= MAX_CRAWL_DELAY));
    assert!(policy.sitemaps().len() <= MAX_ROBOTS_SITEMAPS);
    assert!(policy.sitemaps().iter().all(|url| matches!(url.scheme(), "http" | "https") && url.has_host()));
    assert!(!policy.is_unreachable(), "a parsed file was reachable");
    assert_eq!(
        policy,
        RobotsPolicy::parse(file, "GLEANER/1.0"),
        "user agents are compared without case and version"
    );
    assert_eq!(policy, RobotsPolicy::from_status(200, file, "gleaner"));

    let Ok(mut url) = Url::parse("https://example.com/") else { return };
    url.set_path("/robots.txt");
    assert!(policy.allows(&url), "robots.txt itself is always allowed (RFC 9309, 2.2.2)");

    let Ok(url) = url.join(&String::from_utf8_lossy(path)) else { return };
    let rule = policy.deciding_rule(&url);
    if url.path() != "/robots.txt" {
        assert_eq!(policy.allows(&url), rule.is_none_or(|rule| rule.allow), "{url}: {rule:?}");
    }
    let (Some(rule), target) = (rule, &url[Position::BeforePath..Position::AfterQuery]) else { return };
    // Without percent-encoding (`*` and `$` of a path are compared as `%2A` and `%24`), the rule must match
    // by the simplest reading of the standard.
    if !target.contains(['%', '*', '$']) && !rule.pattern.contains('%') {
        assert!(matches(rule.pattern.as_bytes(), target.as_bytes()), "{rule:?} decides about {target}");
    }
}

/// RFC 9309, 2.2.3: `*` matches any run of characters, `$` at the end matches the end, anything else matches
/// itself. Tracks the set of reachable positions in the pattern, one byte of the path after the other.
fn matches(pattern: &[u8], path: &[u8]) -> bool {
    let (pattern, anchored) = match pattern.split_last() {
        Some((b'$', rest)) => (rest, true),
        _ => (pattern, false),
    };
    let star = |at: usize| pattern.get(at) == Some(&b'*');
    let mut reached = vec![false; pattern.len() + 1];
    let mut next = reached.clone();
    // A star may match nothing, so the position after it is reachable too.
    let close = |reached: &mut Vec<bool>| {
        for at in 0..pattern.len() {
            if star(at) && reached.get(at) == Some(&true) {
                set(reached, at + 1);
            }
        }
    };
    set(&mut reached, 0);
    close(&mut reached);
    for byte in path {
        if !anchored && reached.last() == Some(&true) {
            return true;
        }
        next.fill(false);
        for at in (0..pattern.len()).filter(|at| reached.get(*at) == Some(&true)) {
            if star(at) {
                set(&mut next, at);
            } else if pattern.get(at) == Some(byte) {
                set(&mut next, at + 1);
            }
        }
        close(&mut next);
        std::mem::swap(&mut reached, &mut next);
    }
    reached.last() == Some(&true)
}

fn set(positions: &mut [bool], at: usize) {
    if let Some(position) = positions.get_mut(at) {
        *position = true;
    }
}

#[cfg(test)]
mod tests {
    #[test]
    fn the_second_matcher_follows_the_standard() {
        let rows = [
            ("/a", "/ab", true),
            ("/a$", "/ab", false),
            ("/a$", "/a", true),
            ("/*.pdf$", "/x/y.pdf", true),
            ("/*.pdf$", "/x/y.pdf?z", false),
            ("/*b*d", "/abcd", true),
            ("*", "/", true),
            ("/b", "/a", false),
            ("/a*$", "/abc", true),
        ];
        for (pattern, path, expected) in rows {
            assert_eq!(super::matches(pattern.as_bytes(), path.as_bytes()), expected, "{pattern} {path}");
        }
    }
}
