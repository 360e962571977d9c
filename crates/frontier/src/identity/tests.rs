//! Tests of canonical URLs and their keys.

use proptest::prelude::*;
use url::Url;

use super::Identity;

fn canonical(fold: bool, ignore_query: bool, url: &str) -> String {
    Identity::from_options(ignore_query, fold).canonical(&Url::parse(url).unwrap())
}

#[test]
fn spellings_that_are_always_one_page() {
    for (name, one, two) in [
        ("fragment", "https://a.test/x#part", "https://a.test/x"),
        ("text fragment", "https://a.test/x#:~:text=word", "https://a.test/x"),
        ("empty hash routes", "https://a.test/x#/", "https://a.test/x"),
        ("empty hash bang", "https://a.test/x#!", "https://a.test/x"),
        ("case of scheme and host", "HTTPS://A.Test/x", "https://a.test/x"),
        ("default port", "https://a.test:443/x", "https://a.test/x"),
        ("default port of http", "http://a.test:80/x", "http://a.test/x"),
        ("dot segments", "https://a.test/b/../x/./y", "https://a.test/x/y"),
        ("escaped dot segments", "https://a.test/b/%2e%2E/x", "https://a.test/x"),
        ("empty path", "https://a.test", "https://a.test/"),
        ("unreserved escapes", "https://a.test/%7Ejoe", "https://a.test/~joe"),
        ("hex case", "https://a.test/%c3%bc", "https://a.test/%C3%BC"),
        ("raw and escaped letters", "https://a.test/\u{fc}", "https://a.test/%C3%BC"),
        ("raw and escaped brackets", "https://a.test/x?a[]=1", "https://a.test/x?a%5B%5D=1"),
        ("IDN", "https://b\u{fc}cher.test/", "https://xn--bcher-kva.test/"),
        ("user and password", "https://u:p@a.test/x", "https://a.test/x"),
        ("root dot", "https://a.test./x", "https://a.test/x"),
        ("backslashes", "https://a.test\\x\\y", "https://a.test/x/y"),
        ("host written as a number", "http://0x7f.1/", "http://127.0.0.1/"),
    ] {
        for fold in [false, true] {
            assert_eq!(canonical(fold, false, one), canonical(fold, false, two), "{name}");
        }
    }
}

#[test]
fn spellings_that_folding_merges() {
    for (name, one, two) in [
        ("scheme", "http://a.test/x", "https://a.test/x"),
        ("www", "https://www.a.test/x", "https://a.test/x"),
        ("trailing slash", "https://a.test/x/", "https://a.test/x"),
        ("trailing slashes", "https://a.test/x//", "https://a.test/x"),
        ("index file", "https://a.test/x/index.html", "https://a.test/x"),
        ("index file of the root", "https://a.test/index.php", "https://a.test"),
        ("index file and slash", "https://a.test/x/index.php/", "https://a.test/x/"),
        ("default file", "https://a.test/x/Default.aspx", "https://a.test/x"),
        ("index file with a query", "https://a.test/index.php?p=2", "https://a.test/?p=2"),
        ("slash before a query", "https://a.test/x/?p=2", "https://a.test/x?p=2"),
        ("query order", "https://a.test/x?b=2&a=1", "https://a.test/x?a=1&b=2"),
        ("tracking parameters", "https://a.test/x?utm_source=n&gclid=1&UTM_term=z", "https://a.test/x"),
        ("tracking beside others", "https://a.test/x?id=3&fbclid=1", "https://a.test/x?id=3"),
        ("escaped tracking name", "https://a.test/x?%75tm_source=n", "https://a.test/x"),
        ("empty parameters", "https://a.test/x?&&a=1&", "https://a.test/x?a=1"),
        ("empty query", "https://a.test/x?", "https://a.test/x"),
        ("session in the path", "https://a.test/x;jsessionid=0A1B?q=1", "https://a.test/x?q=1"),
        ("session in the query", "https://a.test/x?PHPSESSID=0a1b", "https://a.test/x"),
    ] {
        assert_eq!(canonical(true, false, one), canonical(true, false, two), "{name}");
        assert_ne!(canonical(false, false, one), canonical(false, false, two), "{name}: only with folding");
    }
}

#[test]
fn distinct_pages_are_never_merged() {
    for (name, one, two) in [
        ("letter case of paths", "https://a.test/About", "https://a.test/about"),
        ("letter case of queries", "https://a.test/?q=A", "https://a.test/?q=a"),
        ("letter case of index files", "https://a.test/Index.html", "https://a.test/"),
        ("hash routes", "https://a.test/#/x", "https://a.test/#/y"),
        ("hash route and page", "https://a.test/#!x", "https://a.test/"),
        ("ports", "https://a.test:8443/", "https://a.test/"),
        ("subdomains", "https://b.a.test/", "https://a.test/"),
        ("other numbered host", "https://www2.a.test/", "https://a.test/"),
        ("www of a public suffix", "https://www.co.uk/", "https://co.uk/"),
        ("escaped slash", "https://a.test/x%2Fy", "https://a.test/x/y"),
        ("escaped question mark", "https://a.test/x%3Fy", "https://a.test/x?y"),
        ("escaped ampersand", "https://a.test/?a=1%26b=2", "https://a.test/?a=1&b=2"),
        ("order within one name", "https://a.test/?a=1&a=2", "https://a.test/?a=2&a=1"),
        ("value of a parameter", "https://a.test/?page=1", "https://a.test/?page=2"),
        ("parameter without a value", "https://a.test/?a", "https://a.test/?a="),
        ("file with extension", "https://a.test/x.html", "https://a.test/x"),
        ("index as a word", "https://a.test/index", "https://a.test/"),
        ("index with another extension", "https://a.test/index.xml", "https://a.test/"),
        ("doubled slash inside", "https://a.test/x//y", "https://a.test/x/y"),
        ("twice escaped", "https://a.test/%2541", "https://a.test/A"),
        ("plus and space", "https://a.test/?q=a+b", "https://a.test/?q=a%20b"),
        ("parameter with a tracking prefix only in part", "https://a.test/?utmost=1", "https://a.test/"),
        ("path parameters", "https://a.test/x;v=1", "https://a.test/x;v=2"),
    ] {
        assert_ne!(canonical(true, false, one), canonical(true, false, two), "{name}");
        let identity = Identity::from_options(false, true);
        assert_ne!(
            identity.key(&Url::parse(one).unwrap()),
            identity.key(&Url::parse(two).unwrap()),
            "{name}: keys"
        );
    }
}

#[test]
fn ignored_query() {
    assert_eq!(canonical(false, true, "https://a.test/x?a=1#/r"), "https://a.test/x#/r");
    assert_eq!(canonical(true, true, "http://www.a.test/x/?a=1"), "https://a.test/x");
    assert_eq!(canonical(false, true, "https://a.test/x/"), "https://a.test/x/");
}

#[test]
fn the_seed_changes_only_the_keys() {
    let url = Url::parse("https://a.test/x").unwrap();
    let plain = Identity::from_options(false, false);
    let seeded = plain.clone().with_seed(7);
    assert_ne!(plain.key(&url), seeded.key(&url));
    assert_eq!(plain.canonical(&url), seeded.canonical(&url));
    // Stored crawls keep keys, so this value must never change.
    assert_eq!(plain.key(&url).to_raw(), STORED_KEY);
}

const STORED_KEY: u64 = 16_438_787_933_275_636_986;

fn awkward_url() -> impl Strategy<Value = String> {
    let host = prop::sample::select(vec![
        "a.test",
        "www.a.test",
        "www.www.a.test",
        "a.test.",
        "A.Test:443",
        "a.test:80",
        "a.test:8080",
        "www.co.uk",
        "[::1]",
        "127.1",
        "u:p@a.test",
        "b\u{fc}cher.test",
        "x..",
        "www.a.test.",
    ]);
    let piece = prop::sample::select(vec![
        "/",
        "//",
        "index.html",
        "index.php",
        "Default.aspx",
        "a",
        "B",
        "%",
        "%4",
        "%41",
        "%2e",
        "%2E%2e",
        "%25",
        "..",
        ".",
        ";jsessionid=1",
        ";JSESSIONID=2",
        ";",
        "=",
        "&",
        "?",
        "#",
        "#/",
        "#!",
        "!",
        "utm_source=x",
        "b=2",
        "a=1",
        "a=0",
        "\u{fc}",
        "|",
        "[",
        "]",
        "^",
        "\\",
        " ",
        "'",
        "\"",
        "\t",
        "+",
        "~",
        "%7e",
        "%2f",
        "%3F",
        "*",
        "$",
        "@",
        ":",
    ]);
    (prop::sample::select(vec!["http", "https"]), host, prop::collection::vec(piece, 0..12))
        .prop_map(|(scheme, host, pieces)| format!("{scheme}://{host}/{}", pieces.concat()))
}

proptest! {
    #[test]
    fn canonical_is_its_own_canonical_form(text in awkward_url(), fold: bool, ignore_query: bool) {
        let Ok(url) = Url::parse(&text) else { return Ok(()) };
        let identity = Identity::from_options(ignore_query, fold);
        let once = identity.canonical(&url);
        let parsed = Url::parse(&once);
        prop_assert!(parsed.is_ok(), "{once} does not parse");
        let parsed = parsed.unwrap();
        prop_assert_eq!(parsed.as_str(), &once, "it parses to itself");
        prop_assert_eq!(identity.canonical(&parsed), once, "from {}", text);
    }

    #[test]
    fn the_fast_path_gives_the_same_key(text in awkward_url(), fold: bool, ignore_query: bool) {
        let Ok(url) = Url::parse(&text) else { return Ok(()) };
        let identity = Identity::from_options(ignore_query, fold);
        let slow = identity.hasher.hash(identity.canonical(&url).as_bytes());
        prop_assert_eq!(identity.key(&url).to_raw(), slow, "{}", text);
    }

    #[test]
    fn folding_keeps_equal_urls_equal(one in awkward_url(), two in awkward_url()) {
        let (Ok(one), Ok(two)) = (Url::parse(&one), Url::parse(&two)) else { return Ok(()) };
        let exact = Identity::from_options(false, false);
        let folded = Identity::from_options(false, true);
        if exact.canonical(&one) == exact.canonical(&two) {
            prop_assert_eq!(folded.canonical(&one), folded.canonical(&two));
        }
    }
}
