//! Tests of robots.txt: conformance to RFC 9309, limits, and crawl delays.

use super::*;

fn url(path: &str) -> Url {
    Url::parse(&format!("https://a.test{path}")).unwrap()
}

fn allows(body: &str, path: &str) -> bool {
    RobotsPolicy::parse(body.as_bytes(), "gleaner/1.0").allows(&url(path))
}

/// A conformance case: name, robots.txt, allowed paths, forbidden paths.
type Row = (&'static str, &'static str, &'static [&'static str], &'static [&'static str]);

const CONFORMANCE: &[Row] = &[
    ("no rules", "", &["/", "/x"], &[]),
    ("only garbage", "<html>\nno: rule\n: \n::::\n\u{1}\u{2}", &["/"], &[]),
    ("plain prefix", "User-agent: *\nDisallow: /x", &["/", "/X", "/y/x"], &["/x", "/xy", "/x/y", "/x?q"]),
    ("empty Disallow", "User-agent: *\nDisallow:", &["/", "/x"], &[]),
    ("everything", "User-agent: *\nDisallow: /", &["/robots.txt"], &["/", "/x"]),
    ("byte order mark", "\u{feff}User-agent: *\nDisallow: /x", &["/"], &["/x"]),
    ("NULs around", "User-agent: *\0\nDisallow: /x\0\0\n\0\0", &["/"], &["/x"]),
    ("a line of NULs between", "User-agent: *\n\0\0\0\nDisallow: /x", &["/"], &["/x"]),
    ("garbage lines between", "User-agent: *\n\u{7f}\u{fffd}garbage\nfoo\nDisallow: /x", &["/"], &["/x"]),
    ("carriage returns", "User-agent: *\r\nDisallow: /x\rDisallow: /y", &["/"], &["/x", "/y"]),
    ("comments", "User-agent: * # all\n# no\nDisallow: /x # secret\nDisallow:/y#z", &["/z"], &["/x", "/y"]),
    ("blank lines within a group", "User-agent: *\n\n\nDisallow: /x", &["/"], &["/x"]),
    ("keys in any case", "USER-AGENT: *\ndisALLOW: /x", &["/"], &["/x"]),
    ("white space", "  User-agent :  * \n\tDisallow\t:\t/x \t", &["/"], &["/x"]),
    ("missing colon", "User-agent *\nDisallow /x", &["/"], &["/x"]),
    ("misspelled", "User-agent: *\nDissallow: /x", &["/"], &["/x"]),
    ("rules before any agent", "Disallow: /\nUser-agent: *\nDisallow: /x", &["/"], &["/x"]),
    // Section 2.2.1: agents.
    ("agent in any case", "User-agent: GLEANER\nDisallow: /x", &["/"], &["/x"]),
    ("agent with a version", "User-agent: gleaner/2.1\nDisallow: /x", &["/"], &["/x"]),
    ("agent followed by words", "User-agent: gleaner bot\nDisallow: /x", &["/"], &["/x"]),
    ("agent followed by a star", "User-agent: gleaner*\nDisallow: /x", &["/"], &["/x"]),
    ("agent with our name as a prefix", "User-agent: gleanerbot\nDisallow: /x", &["/x"], &[]),
    ("agent that is a prefix of our name", "User-agent: glean\nDisallow: /x", &["/x"], &[]),
    ("agent that contains our name", "User-agent: the-gleaner\nDisallow: /x", &["/x"], &[]),
    (
        "our group before the general",
        "User-agent: gleaner\nDisallow: /x\nUser-agent: *\nDisallow: /",
        &["/y"],
        &["/x"],
    ),
    (
        "our group after the general",
        "User-agent: *\nDisallow: /\nUser-agent: gleaner\nDisallow: /x",
        &["/y"],
        &["/x"],
    ),
    (
        "our group without rules",
        "User-agent: gleaner\nUser-agent: a\nDisallow:\nUser-agent: *\nDisallow: /",
        &["/x"],
        &[],
    ),
    ("the group of others", "User-agent: other\nDisallow: /", &["/x"], &[]),
    ("several agents of one group", "User-agent: a\nUser-agent: gleaner\nDisallow: /x", &["/"], &["/x"]),
    (
        "several agents, blank and unknown lines between",
        "User-agent: gleaner\n\nHost: a\nUser-agent: a\nDisallow: /x",
        &["/"],
        &["/x"],
    ),
    (
        "merged groups",
        "User-agent: gleaner\nDisallow: /x\nUser-agent: a\nDisallow: /z\nUser-agent: gleaner\nDisallow: /y",
        &["/z"],
        &["/x", "/y"],
    ),
    (
        "merged general groups",
        "User-agent: *\nDisallow: /x\nUser-agent: a\nDisallow: /z\nUser-agent: *\nDisallow: /y",
        &["/z"],
        &["/x", "/y"],
    ),
    (
        "a sitemap does not end a group",
        "User-agent: gleaner\nSitemap: https://a.test/s\nDisallow: /x",
        &["/"],
        &["/x"],
    ),
    (
        "a sitemap does not end a list of agents",
        "User-agent: gleaner\nSitemap: https://a.test/s\nUser-agent: b\nDisallow: /x",
        &["/"],
        &["/x"],
    ),
    (
        "a crawl delay does not end a list of agents",
        "User-agent: gleaner\nCrawl-delay: 1\nUser-agent: b\nDisallow: /x",
        &["/"],
        &["/x"],
    ),
    // Section 2.2.2: the most specific rule, and Allow among equals.
    ("longest match allows", "User-agent: *\nDisallow: /x\nAllow: /x/y", &["/x/y", "/x/yz"], &["/x", "/x/z"]),
    ("longest match forbids", "User-agent: *\nAllow: /x\nDisallow: /x/y", &["/x", "/x/z"], &["/x/y"]),
    ("order does not matter", "User-agent: *\nAllow: /x/y\nDisallow: /x", &["/x/y"], &["/x/z"]),
    ("tie", "User-agent: *\nDisallow: /x\nAllow: /x", &["/x"], &[]),
    ("tie in the other order", "User-agent: *\nAllow: /x\nDisallow: /x", &["/x"], &[]),
    ("tie between different patterns", "User-agent: *\nDisallow: /x*z\nAllow: /xyz$", &["/xyz"], &["/xaz"]),
    ("length counts wildcards", "User-agent: *\nAllow: /x/\nDisallow: /*.gif$", &["/x/a"], &["/x/a.gif"]),
    (
        "the RFC's own example",
        "User-agent: *\nAllow: /example/page/\nDisallow: /example/page/disallowed.gif",
        &["/example/page/", "/example/page/a.gif"],
        &["/example/page/disallowed.gif"],
    ),
    // Section 2.2.3: special characters.
    ("star inside", "User-agent: *\nDisallow: /a*z", &["/a", "/bz", "/ab"], &["/az", "/abcz", "/a/b/z/c"]),
    ("star at the end", "User-agent: *\nDisallow: /a*", &["/b"], &["/a", "/ab"]),
    ("star at the beginning", "User-agent: *\nDisallow: *.gif", &["/gif"], &["/x.gif", "/x.gif?y"]),
    ("stars in a row", "User-agent: *\nDisallow: /a**b", &["/a"], &["/ab", "/axb"]),
    ("end", "User-agent: *\nDisallow: /x$", &["/", "/xy", "/x?q"], &["/x"]),
    (
        "end after a star",
        "User-agent: *\nDisallow: /*.php$",
        &["/x.php?q", "/x.phps"],
        &["/x.php", "/x.php.php"],
    ),
    ("only the end", "User-agent: *\nDisallow: /$", &["/x"], &["/"]),
    ("dollar inside is a dollar", "User-agent: *\nDisallow: /a$b", &["/a"], &["/a$b", "/a%24b"]),
    (
        "escaped star is a star",
        "User-agent: *\nDisallow: /a-%2A.html",
        &["/a-b.html"],
        &["/a-*.html", "/a-%2a.html"],
    ),
    ("escaped dollar is a dollar", "User-agent: *\nDisallow: /a%24", &["/a"], &["/a$", "/a$b"]),
    ("piece found after a partial match", "User-agent: *\nDisallow: /*ab*abc$", &["/ababd"], &["/xabxababc"]),
    ("pieces may not overlap", "User-agent: *\nDisallow: /ab*bc", &["/abc"], &["/abbc"]),
    ("last piece may not overlap the rest", "User-agent: *\nDisallow: /a*a$", &["/a"], &["/aa", "/aba"]),
    ("query", "User-agent: *\nDisallow: /x?y=", &["/x", "/x?z=1"], &["/x?y=1"]),
    ("query anywhere", "User-agent: *\nDisallow: /*?", &["/x"], &["/x?", "/x?y"]),
    (
        "percent-encoding: rule raw, path escaped",
        "User-agent: *\nDisallow: /f\u{fc}r",
        &["/f"],
        &["/f%C3%BCr", "/f%c3%bcr"],
    ),
    (
        "percent-encoding: rule escaped, path raw",
        "User-agent: *\nDisallow: /f%c3%bcr",
        &["/f"],
        &["/f\u{fc}r"],
    ),
    ("percent-encoding: unreserved", "User-agent: *\nDisallow: /%7Ejoe", &["/joe"], &["/~joe", "/%7ejoe"]),
    ("percent-encoding: reserved", "User-agent: *\nDisallow: /a%2Fb", &["/a/b"], &["/a%2fb"]),
    (
        "a wildcard does not end inside an escape",
        "User-agent: *\nDisallow: /*A\nDisallow: /*2F$",
        &["/a-*", "/x%2A", "/%C3%AA", "/x%2f"],
        &["/xA", "/%2AA", "/*A", "/x2F"],
    ),
    ("pattern without a slash", "User-agent: *\nDisallow: x", &["/x"], &[]),
    ("robots.txt itself", "User-agent: *\nDisallow: /robots", &["/robots.txt"], &["/robots.html"]),
    ("paths are case-sensitive", "User-agent: *\nDisallow: /Secret", &["/secret"], &["/Secret"]),
];

#[test]
fn conformance() {
    for (name, body, allowed, forbidden) in CONFORMANCE {
        for path in *allowed {
            assert!(allows(body, path), "{name}: {path} is allowed");
        }
        for path in *forbidden {
            assert!(!allows(body, path), "{name}: {path} is forbidden");
        }
    }
}

#[test]
fn invalid_utf8_affects_only_its_line() {
    let policy = RobotsPolicy::parse(b"User-agent: *\nDisallow: /x\n\xff\xfe: \xff\nDisallow: /y", "gleaner");
    assert!(!policy.allows(&url("/x")) && !policy.allows(&url("/y")) && policy.allows(&url("/z")));
    // UTF-16 contains no readable rule.
    let wide: Vec<u8> = "User-agent: *\nDisallow: /".encode_utf16().flat_map(u16::to_le_bytes).collect();
    let _ = RobotsPolicy::parse(&wide, "gleaner").allows(&url("/x"));
}

#[test]
fn policy_by_status() {
    let body = b"User-agent: *\nDisallow: /x";
    for (status, x, y) in [
        (200, false, true),
        (204, false, true),
        (301, true, true),
        (400, true, true),
        (401, true, true),
        (403, true, true),
        (404, true, true),
        (410, true, true),
        (429, true, true),
        (500, false, false),
        (503, false, false),
        (599, false, false),
        (0, false, false),
    ] {
        let policy = RobotsPolicy::from_status(status, body, "gleaner");
        assert_eq!((policy.allows(&url("/x")), policy.allows(&url("/y"))), (x, y), "{status}");
    }
    assert!(RobotsPolicy::unreachable().is_unreachable());
    assert!(!RobotsPolicy::unreachable().allows(&url("/")));
    assert!(RobotsPolicy::unreachable().allows(&url("/robots.txt")));
}

#[test]
fn crawl_delays() {
    for (name, body, seconds) in [
        ("none", "User-agent: *\nDisallow: /x", None),
        ("whole", "User-agent: *\nCrawl-delay: 10", Some(10.0)),
        ("fraction", "User-agent: *\nCrawl-delay: 0.5", Some(0.5)),
        ("capped", "User-agent: *\nCrawl-delay: 86400", Some(60.0)),
        ("zero", "User-agent: *\nCrawl-delay: 0", None),
        ("negative", "User-agent: *\nCrawl-delay: -5", None),
        ("not a number", "User-agent: *\nCrawl-delay: soon", None),
        ("infinite", "User-agent: *\nCrawl-delay: inf", None),
        ("NaN", "User-agent: *\nCrawl-delay: NaN", None),
        ("the larger of two", "User-agent: *\nCrawl-delay: 2\nCrawl-delay: 1", Some(2.0)),
        (
            "ours, not everyone's",
            "User-agent: *\nCrawl-delay: 9\nUser-agent: gleaner\nCrawl-delay: 1",
            Some(1.0),
        ),
        ("none in ours", "User-agent: *\nCrawl-delay: 9\nUser-agent: gleaner\nDisallow: /x", None),
        ("that of others", "User-agent: other\nCrawl-delay: 9", None),
    ] {
        let delay = RobotsPolicy::parse(body.as_bytes(), "gleaner").crawl_delay();
        assert_eq!(delay.map(|delay| delay.as_secs_f64()), seconds, "{name}");
    }
}

#[test]
fn sitemaps_are_for_everyone() {
    let body = "Sitemap: https://a.test/s.xml\nUser-agent: other\nDisallow: /\n\
                sitemap:http://b.test/s?x=1#comment\n\
                Sitemap: /relative.xml\nSitemap: ftp://a.test/s\nSitemap: https://a.test/s.xml\nSitemap:";
    let policy = RobotsPolicy::parse(body.as_bytes(), "gleaner");
    let found: Vec<_> = policy.sitemaps().iter().map(Url::as_str).collect();
    assert_eq!(found, ["https://a.test/s.xml", "http://b.test/s?x=1"]);
    let many: String = (0..1000).map(|n| format!("Sitemap: https://a.test/{n}\n")).collect();
    assert_eq!(RobotsPolicy::parse(many.as_bytes(), "gleaner").sitemaps().len(), MAX_ROBOTS_SITEMAPS);
}

#[test]
fn large_files_are_cut_at_a_line() {
    // The rule is beyond 500 KiB, the minimum that the RFC requires to read.
    let mut body = "User-agent: *\n".to_owned();
    while body.len() < 500 * 1024 {
        body.push_str("# a comment that fills the file\n");
    }
    body.push_str("Disallow: /late\n");
    assert!(!allows(&body, "/late"));
    // The limit cuts a pattern: half of it would forbid more than intended.
    while body.len() < MAX_ROBOTS_BYTES - 16 {
        body.push('\n');
    }
    body.push_str("Disallow: /private/reports\n");
    assert!(body.len() > MAX_ROBOTS_BYTES);
    assert!(allows(&body, "/press") && allows(&body, "/private"));
    // A single very long line.
    assert!(allows(&"x".repeat(2 * MAX_ROBOTS_BYTES), "/"));
}

#[test]
fn excessive_rules_and_urls_have_a_bounded_cost() {
    let rules: String = (0..30_000).map(|n| format!("disallow:/*{n}q\n")).collect();
    // One pattern with many pieces, and some whose piece occurs inside each escape, where it does not count.
    let pieces = format!("disallow:/{}q\n", "*x".repeat(200_000));
    let escapes: String = (0..200).map(|n| format!("disallow:/*A*{n}\n")).collect();
    for (name, rules, path, allowed) in [
        ("many rules", &rules, "/a/b?c=d".to_owned(), true),
        ("many rules and a long URL", &rules, format!("/{}", "x".repeat(8_000)), false),
        ("many pieces", &pieces, format!("/{}", "x".repeat(8_000)), true),
        ("a piece within escapes", &escapes, format!("/{}", "%AA".repeat(2_000)), false),
    ] {
        let policy = RobotsPolicy::parse(format!("User-agent: *\n{rules}").as_bytes(), "gleaner");
        let mut steps = 0;
        let found = policy.first_match(&url(&path), &mut steps).is_some();
        assert!(steps < MAX_ROBOTS_STEPS + 20_000, "{name}: {steps}");
        assert_eq!((found, policy.allows(&url(&path))), (allowed, allowed), "{name}");
    }
}

#[test]
fn the_deciding_rule_is_reported() {
    let policy = RobotsPolicy::parse(b"User-agent: *\nDisallow: /x\nAllow: /x/y", "gleaner");
    assert_eq!(
        policy.deciding_rule(&url("/x/y")),
        Some(RobotsRule { allow: true, pattern: "/x/y", line: 3 })
    );
    assert_eq!(policy.deciding_rule(&url("/x")), Some(RobotsRule { allow: false, pattern: "/x", line: 2 }));
    assert_eq!(policy.deciding_rule(&url("/z")), None);
}

#[test]
fn the_line_that_forbids_a_url_has_the_number_that_an_editor_shows() {
    for end in ["\n", "\r\n", "\r"] {
        let file = [
            "# rules",
            "",
            "User-agent: *",
            "Allow: /",
            "Disallow: /x # shut",
            "Disallow: /x",
            "Allow: /x/y",
        ];
        let policy = RobotsPolicy::parse(file.join(end).as_bytes(), "gleaner");
        let line = |path: &str| policy.forbidding_line(&url(path)).map(|line| line.to_string());
        assert_eq!(line("/x").as_deref(), Some("line 5: Disallow: /x"), "{end:?}: the first of two");
        assert_eq!((line("/x/y"), line("/z")), (None, None), "{end:?}");
    }
    let long = format!("User-agent: *\nDisallow: /{}", "*".repeat(50_000));
    let policy = RobotsPolicy::parse(long.as_bytes(), "gleaner");
    let line = policy.forbidding_line(&url("/x")).unwrap();
    assert!(line.rule.starts_with("Disallow: /***") && line.rule.ends_with("*...") && line.rule.len() < 300);
    assert_eq!(RobotsPolicy::unreachable().forbidding_line(&url("/x")), None);
}

mod properties {
    use proptest::prelude::*;

    use super::super::pattern::Rule;

    /// The definition by exhaustive search: slow and obviously correct.
    fn reference_match(pattern: &[u8], path: &[u8]) -> bool {
        match pattern {
            [] => true,
            [b'$'] => path.is_empty(),
            [b'*', rest @ ..] => (0..=path.len()).any(|skip| reference_match(rest, &path[skip..])),
            [byte, rest @ ..] => path.first() == Some(byte) && reference_match(rest, &path[1..]),
        }
    }

    proptest! {
        #[test]
        fn matching_agrees_with_the_reference(pattern in "/[ab*]{0,7}\\$?", path in "/[ab]{0,9}") {
            let rule = Rule::new(true, &pattern, 1).unwrap();
            let expected = reference_match(pattern.as_bytes(), path.as_bytes());
            prop_assert_eq!(rule.matches(&path, &mut 0), expected, "{} {}", pattern, path);
        }

        #[test]
        fn any_bytes_are_a_robots_txt(body in proptest::collection::vec(any::<u8>(), 0..400)) {
            let policy = super::RobotsPolicy::parse(&body, "gleaner");
            let _ = policy.allows(&super::url("/x"));
        }
    }
}

#[test]
fn a_file_in_another_encoding_is_read() {
    let text = "\u{feff}User-agent: *\r\nDisallow: /shut\r\nDisallow: /gr\u{fc}n\r\n";
    let orders: [fn(u16) -> [u8; 2]; 2] = [u16::to_le_bytes, u16::to_be_bytes];
    for order in orders {
        let body: Vec<u8> = text.encode_utf16().flat_map(order).collect();
        let policy = RobotsPolicy::parse(&body, "gleaner");
        for (path, is_allowed) in [("/shut", false), ("/gr\u{fc}n", false), ("/open", true)] {
            assert_eq!(policy.allows(&url(path)), is_allowed, "{path}");
        }
        let long = [&body[..], &order(u16::from(b' ')).repeat(MAX_ROBOTS_BYTES)].concat();
        assert!(!RobotsPolicy::parse(&long, "gleaner").allows(&url("/shut")));
    }
    let latin = RobotsPolicy::parse(b"# \xe4\nUser-agent: *\nDisallow: /gr\xfcn\n", "gleaner");
    assert!(!latin.allows(&url("/gr%FCn/a")) && latin.allows(&url("/gr")));
}

#[test]
fn a_sitemap_may_be_named_by_its_path() {
    let body = b"Sitemap: /maps/all.xml\nSitemap: map.xml\nSitemap: example.com/other.xml\n\
        Sitemap: https://a.example/full.xml\nSitemap: /full.xml\nSitemap: //elsewhere.example/x.xml\n\
        Sitemap: two words\nSitemap: ftp://a.example/x.xml\nSitemap:\nSitemap: /maps/all.xml";
    let policy = RobotsPolicy::parse(body, "gleaner");
    let robots_txt = Url::parse("https://a.example/robots.txt").unwrap();
    let found: Vec<String> = policy.sitemaps_at(&robots_txt).into_iter().map(String::from).collect();
    assert_eq!(
        found,
        [
            "https://a.example/full.xml",
            "https://a.example/maps/all.xml",
            "https://a.example/map.xml",
            "https://example.com/other.xml",
        ]
    );
    let many: String = (0..1000).map(|number| format!("Sitemap: /{number}.xml\n")).collect();
    let many = RobotsPolicy::parse(many.as_bytes(), "gleaner").sitemaps_at(&robots_txt);
    assert_eq!(many.len(), MAX_ROBOTS_SITEMAPS);
}
