//! robots.txt by RFC 9309. The tests of `gleaner-frontier` cover patterns in more depth, and the tests of the
//! worker loop that nothing is requested while robots.txt answers 5xx.

use gleaner_frontier::{MAX_ROBOTS_BYTES, RobotsPolicy};

use crate::support::url;

const RULES: &str = "User-agent: *\nDisallow: /x";

/// The section and rule, the status, the file, a path, and whether it may be fetched.
type Row = (&'static str, u16, String, &'static str, bool);

fn rows() -> Vec<Row> {
    let large = |rule_at: usize| {
        let line = "# a comment line of exactly forty bytes\n";
        format!("User-agent: *\n{}Disallow: /x\n", line.repeat(rule_at / line.len()))
    };
    let row = |name, status, body: &str, path, expected| (name, status, body.to_owned(), path, expected);
    vec![
        row("2.3.1.1: a successful response applies", 200, RULES, "/x", false),
        row("2.3.1.1: unmentioned paths are allowed", 200, RULES, "/y", true),
        row("2.3.1.3: 400 allows", 400, RULES, "/x", true),
        row("2.3.1.3: 401 allows", 401, RULES, "/x", true),
        row("2.3.1.3: 403 allows", 403, RULES, "/x", true),
        row("2.3.1.3: 404 allows", 404, RULES, "/x", true),
        row("2.3.1.3: 410 allows", 410, RULES, "/x", true),
        row("2.3.1.4: 500 forbids", 500, "", "/y", false),
        row("2.3.1.4: 503 forbids", 503, "", "/y", false),
        row("2.3.1.4: no response forbids", 0, "", "/y", false),
        row("2.2: robots.txt itself is allowed", 200, "User-agent: *\nDisallow: /", "/robots.txt", true),
        ("2.5: a rule just before 500 KiB", 200, large(499 * 1024), "/x", false),
        row("2.2.1: agents in any case", 200, "User-agent: GLEANER\nDisallow: /x", "/x", false),
        row("2.2.1: groups of one agent are merged (first)", 200, MERGED, "/x", false),
        row("2.2.1: groups of one agent are merged (second)", 200, MERGED, "/z", false),
        row("2.2.1: the general group does not apply", 200, MERGED, "/y", true),
        row("2.2.1: no group, no rule", 200, "User-agent: other\nDisallow: /", "/x", true),
        row("2.2.2: the longest match allows", 200, "User-agent: *\nDisallow: /x\nAllow: /x/y", "/x/y", true),
        row(
            "2.2.2: the longest match forbids",
            200,
            "User-agent: *\nAllow: /x\nDisallow: /x/y",
            "/x/y",
            false,
        ),
        row("2.2.2: a tie allows", 200, "User-agent: *\nDisallow: /x\nAllow: /x", "/x", true),
        row("2.2.2: escapes are compared decoded", 200, "User-agent: *\nDisallow: /%7Ejoe", "/~joe", false),
        row("2.2.2: paths are case-sensitive", 200, RULES, "/X", true),
        row("2.2.3: a star", 200, "User-agent: *\nDisallow: /a*z", "/a-b/z", false),
        row("2.2.3: an end", 200, "User-agent: *\nDisallow: /a$", "/ab", true),
        row("2.2.3: a comment", 200, "User-agent: * # all\nDisallow: /x # secret", "/x", false),
        row(
            "2.2.4: other records do not end a group",
            200,
            "User-agent: *\nSitemap: /s\nDisallow: /x",
            "/x",
            false,
        ),
        row("a byte order mark", 200, "\u{feff}User-agent: *\nDisallow: /x", "/x", false),
        row("NULs", 200, "\0\0User-agent: *\0\nDisallow: /x\0\n\0", "/x", false),
        row("garbage lines", 200, "<html>\nUser-agent: *\n:::\n\u{7f}\nDisallow: /x\n=", "/x", false),
        row("carriage returns alone", 200, "User-agent: *\rDisallow: /x\r", "/x", false),
        row("an empty file", 200, "", "/x", true),
        row("an error page with status 200", 200, "<html>\n<body>Disallow: /</body>\n</html>", "/x", true),
    ]
}

const MERGED: &str =
    "User-agent: gleaner\nDisallow: /x\n\nUser-agent: *\nDisallow: /y\n\nUser-agent: gleaner\nDisallow: /z";

#[test]
fn robots_txt_follows_rfc_9309() {
    let rows = rows();
    let failed: Vec<_> = rows
        .iter()
        .filter(|(_, status, body, path, expected)| {
            let policy = RobotsPolicy::from_status(*status, body.as_bytes(), "gleaner/1.0");
            policy.allows(&url(&format!("https://a.test{path}"))) != *expected
        })
        .map(|(name, ..)| *name)
        .collect();
    println!("robots: conformance {}/{}", rows.len() - failed.len(), rows.len());
    assert_eq!(failed, Vec::<&str>::new());
}

#[test]
fn rules_beyond_the_size_limit_of_robots_txt_are_ignored() {
    const { assert!(MAX_ROBOTS_BYTES >= 500 * 1024, "RFC 9309, section 2.5") };
    // Rules beyond the limit are ignored.
    let body =
        format!("User-agent: *\nDisallow: /x\n{}\nDisallow: /late\n", "#".repeat(2 * MAX_ROBOTS_BYTES));
    let policy = RobotsPolicy::parse(body.as_bytes(), "gleaner");
    assert!(!policy.allows(&url("https://a.test/x")) && policy.allows(&url("https://a.test/late")));
}
