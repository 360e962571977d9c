//! Arguments, output and exit codes.

use std::collections::HashSet;
use std::fs;
use std::io::{BufRead, BufReader, Read};
#[cfg(unix)]
use std::process::Command;

use gleaner_testkit::{Canary, Extras, RawServer, Site, SiteSpec, Step};
use serde_json::Value;

use super::support::{LOOPBACK, gleaner, lines_of_json, refuses, run, run_with_input, succeed, text};

const TEA: &str = "<!doctype html><title>Tea</title><nav><a href=/>Home</a></nav>\
    <main><h1>Tea</h1><p>Green or <b>black</b>, see <a href=/water>water</a>.</p></main>";

#[test]
fn demo_crawls_its_site_and_writes_markdown() {
    let place = tempfile::tempdir().unwrap();
    let folder = place.path().join("tea");
    let stderr = succeed(&run(&["demo", "--out", folder.to_str().unwrap(), "--browser", "never"]));

    let index = lines_of_json(&fs::read(folder.join("index.jsonl")).unwrap());
    let files: HashSet<String> = index.iter().map(|row| row["file"].as_str().unwrap().to_owned()).collect();
    let want = [
        "index.md",
        "about.md",
        "board.md",
        "glossary.md",
        "blog_index.md",
        "blog_a-pot-for-the-rain.md",
        "blog_first-flush-notes.md",
        "blog_why-we-weigh-leaves.md",
        "guides_index.md",
        "guides_cold-brew.md",
        "guides_matcha.md",
        "guides_steeping-timer.md",
        "guides_water-and-temperature.md",
        "teas_index.md",
        "teas_fog-ridge-oolong.md",
        "visit_winter-hours.md",
    ];
    assert_eq!(files, want.into_iter().map(str::to_owned).collect());
    assert_eq!(index.len(), want.len(), "a page is listed twice");

    let page = |name: &str| fs::read_to_string(folder.join(name)).unwrap();
    let table = page("guides_water-and-temperature.md");
    assert!(table.contains("# Water and temperature"), "{table}");
    assert!(table.contains("| Oolong | 85 to 95 | 5 |"), "{table}");
    assert!(!table.contains("A letter each season"), "the sidebar is in the main content:\n{table}");
    assert!(page("guides_steeping-timer.md").contains("```python\nimport sys\nimport time\n"));
    assert!(page("guides_cold-brew.md").contains("1. Put the leaf in the jug"));

    for expected in
        ["16 pages", "robots.txt forbids /staff/rota", "/brewing has moved", "gleaner crawl https://"]
    {
        assert!(stderr.contains(expected), "{expected} is missing:\n{stderr}");
    }
    for name in want {
        assert!(stderr.contains(name), "{name} is missing:\n{stderr}");
    }
    assert!(!folder.join("staff_rota.md").exists());
}

#[test]
fn convert_prints_one_format_as_text_and_several_as_json() {
    let url = ["--url", "https://example.com/tea/"];
    let markdown = succeed(&run_with_input(&["convert", "-", url[0], url[1]], TEA.as_bytes()));
    assert_eq!(markdown.trim(), "# Tea\n\nGreen or **black**, see [water](https://example.com/water).");

    let html = succeed(&run_with_input(&["convert", "-", "--formats", "html"], TEA.as_bytes()));
    assert!(html.contains("<h1>Tea</h1>") && !html.contains("Home"), "{html}");

    let all = ["convert", "-", url[0], url[1], "--formats", "markdown,links", "--only-main-content", "false"];
    let document: Value = serde_json::from_str(&succeed(&run_with_input(&all, TEA.as_bytes()))).unwrap();
    assert_eq!(document["links"], serde_json::json!(["https://example.com/", "https://example.com/water"]));
    assert!(document["markdown"].as_str().unwrap().contains("Home"));
    assert_eq!(document["metadata"]["title"], "Tea");
}

#[test]
fn an_empty_text_is_an_error() {
    let empty = "<!doctype html><title>Tea</title><main></main>";
    for (name, page, options, expected) in [
        ("no element matches", TEA, &["--include-tags", ".nothing"][..], "--include-tags"),
        (
            "everything is excluded",
            TEA,
            &["--exclude-tags", "main", "--only-main-content", "false", "--exclude-tags", "nav"],
            "--exclude-tags",
        ),
        ("also in HTML", TEA, &["--include-tags", ".nothing", "--formats", "html"], "--include-tags"),
        ("also with --quiet", TEA, &["--include-tags", ".nothing", "--quiet"], "--include-tags"),
        ("no text", empty, &[], "no text was found"),
    ] {
        let output = run_with_input(&[&["convert", "-"], options].concat(), page.as_bytes());
        assert_eq!(output.status.code(), Some(1), "{name}: {}", text(&output.stdout));
        assert_eq!(text(&output.stdout), "", "{name}");
        let stderr = text(&output.stderr);
        assert!(stderr.contains("no output") && stderr.contains(expected), "{name}: {stderr}");
    }
    // A document of several formats is output even without text.
    let whole = ["convert", "-", "--include-tags", ".nothing", "--formats", "markdown,links"];
    succeed(&run_with_input(&whole, TEA.as_bytes()));

    let server = Site::generate(SiteSpec::pages(2)).serve().unwrap();
    let output = run(&["scrape", &server.url("/"), LOOPBACK[0], LOOPBACK[1], "--include-tags", ".nothing"]);
    assert_eq!((output.status.code(), text(&output.stdout).as_ref()), (Some(1), ""));
    assert!(text(&output.stderr).contains("--include-tags"), "{}", text(&output.stderr));
}

#[test]
fn convert_detects_the_type_of_a_file_by_its_name() {
    let place = tempfile::tempdir().unwrap();
    let file = place.path().join("teas.CSV");
    fs::write(&file, "tea,grams\nwhite,4\n").unwrap();
    let markdown = succeed(&run(&["convert", file.to_str().unwrap()]));
    assert!(markdown.contains("| white | 4 |"), "{markdown}");
}

#[test]
fn crawl_prints_each_page_once_as_a_line_of_json() {
    let site =
        Site::generate(SiteSpec { pages: 60, extras: "robots".parse().unwrap(), ..SiteSpec::default() });
    let server = site.serve().unwrap();
    let output = run(&["crawl", &server.url("/"), LOOPBACK[0], LOOPBACK[1], "--exclude-paths", "^/rules/"]);
    succeed(&output);
    let mut paths: Vec<String> = lines_of_json(&output.stdout)
        .iter()
        .map(|page| page["metadata"]["url"].as_str().unwrap().replace(&server.base_url(), ""))
        .collect();
    paths.sort();
    let mut want: Vec<String> = (1..60).map(|id| format!("/p/{id}")).chain(["/".to_owned()]).collect();
    want.sort();
    assert_eq!(paths, want);
    assert!(text(&output.stderr).starts_with("60 pages in "), "{}", text(&output.stderr));
}

#[test]
fn crawl_obeys_limit_depth_and_patterns() {
    let site = Site::generate(SiteSpec::pages(200));
    let server = site.serve().unwrap();
    let crawl = |options: &[&str]| {
        let url = server.url("/");
        let output = run(&[&["crawl", url.as_str(), LOOPBACK[0], LOOPBACK[1], "--quiet"], options].concat());
        assert_eq!(text(&output.stderr), "", "--quiet is not quiet");
        lines_of_json(&output.stdout)
    };
    assert_eq!(crawl(&["--limit", "7"]).len(), 7);
    assert_eq!(crawl(&["--max-discovery-depth", "0", "--sitemap", "skip"]).len(), 1);
    for page in crawl(&["--include-paths", "^/p/1[0-9]$", "--formats", "links"]) {
        let url = page["metadata"]["url"].as_str().unwrap();
        assert!(url.contains("/p/1") && page["links"].is_array() && page.get("markdown").is_none(), "{page}");
    }
}

#[test]
fn crawl_writes_a_folder_with_an_index() {
    let place = tempfile::tempdir().unwrap();
    let site = Site::generate(SiteSpec { pages: 20, extras: "case".parse().unwrap(), ..SiteSpec::default() });
    let server = site.serve().unwrap();
    let folder = place.path().to_str().unwrap();
    let output = run(&["crawl", &server.url("/"), LOOPBACK[0], LOOPBACK[1], "--out", folder]);
    assert_eq!(succeed(&output), "", "pages are in the folder, not on standard output");
    let index = lines_of_json(&fs::read(place.path().join("index.jsonl")).unwrap());
    let names: HashSet<String> =
        index.iter().map(|row| row["file"].as_str().unwrap().to_lowercase()).collect();
    assert!(
        index.len() >= 20 && names.len() == index.len(),
        "{} names for {} pages",
        names.len(),
        index.len()
    );
    for row in &index {
        assert!(place.path().join(row["file"].as_str().unwrap()).metadata().unwrap().len() > 100, "{row}");
        assert_eq!(row["statusCode"], 200, "{row}");
    }
}

#[test]
fn batch_reads_a_list_and_reports_invalid_lines() {
    let server = Site::generate(SiteSpec::pages(5)).serve().unwrap();
    let list = format!("# pages\n{}\n\nftp://example.com/\n{}\n", server.url("/p/1"), server.url("/p/2"));
    let words = ["batch", "-", LOOPBACK[0], LOOPBACK[1]];
    let output = run_with_input(&words, list.as_bytes());
    succeed(&output);
    assert_eq!(lines_of_json(&output.stdout).len(), 2);
    assert!(text(&output.stderr).contains("line 4: "), "{}", text(&output.stderr));

    let strict = run_with_input(&[&words[..], &["--ignore-invalid-urls", "false"]].concat(), list.as_bytes());
    assert_eq!(strict.status.code(), Some(2));
    assert!(strict.stdout.is_empty());
}

#[test]
fn a_list_may_have_a_byte_order_mark_and_a_line_in_another_encoding() {
    let server = Site::generate(SiteSpec::pages(5)).serve().unwrap();
    let (one, two) = (server.url("/p/1"), server.url("/p/2"));
    let list = [&b"\xef\xbb\xbf"[..], one.as_bytes(), &b"\nhttp://example.com/caf\xe9\n"[..], two.as_bytes()];
    let list = list.concat();
    let output = run_with_input(&["batch", "-", LOOPBACK[0], LOOPBACK[1]], &list);
    succeed(&output);
    assert_eq!(lines_of_json(&output.stdout).len(), 2);
    let stderr = text(&output.stderr);
    assert!(stderr.contains("line 2: it is not UTF-8") && !stderr.contains("line 1: "), "{stderr}");
}

#[test]
fn map_lists_urls() {
    let site =
        Site::generate(SiteSpec { pages: 30, extras: "sitemap".parse().unwrap(), ..SiteSpec::default() });
    let server = site.serve().unwrap();
    let words = ["map", &server.url("/"), LOOPBACK[0], LOOPBACK[1]];
    let listed = succeed(&run(&words));
    for id in 1..30 {
        let url = server.url(&format!("/p/{id}"));
        assert_eq!(listed.lines().filter(|line| **line == url).count(), 1, "{url}");
    }
    let json: Value =
        serde_json::from_str(&succeed(&run(&[&words[..], &["--json", "--limit", "3"]].concat()))).unwrap();
    assert_eq!(json["success"], true);
    assert_eq!(json["links"].as_array().unwrap().len(), 3);
    assert!(json["links"][0]["url"].is_string());
}

#[test]
fn scrape_prints_the_page_and_reports_its_error_status() {
    let server = RawServer::start([
        Step::ReadRequest,
        Step::respond("404 Not Found", &[("content-type", "text/html")], "<h1>No tea</h1>"),
    ])
    .unwrap();
    let output = run(&["scrape", &server.base_url(), LOOPBACK[0], LOOPBACK[1], "--header", "X-Cup: blue"]);
    assert_eq!(succeed(&output).trim(), "# No tea");
    assert!(text(&output.stderr).contains("404"), "{}", text(&output.stderr));
    let request = text(server.requests().first().unwrap()).to_lowercase();
    assert!(request.contains("x-cup: blue"), "{request}");
}

#[test]
fn private_addresses_are_refused_with_a_hint_and_without_a_connection() {
    let canary = Canary::start().unwrap();
    let url = canary.base_url();
    let list = tempfile::NamedTempFile::new().unwrap();
    fs::write(list.path(), &url).unwrap();
    let list = list.path().to_str().unwrap();
    for (name, words) in [
        ("scrape", vec!["scrape", &url]),
        ("crawl", vec!["crawl", &url]),
        ("batch", vec!["batch", list]),
        ("map", vec!["map", &url]),
        ("another range is allowed", vec!["scrape", &url, "--allow-private", "10.0.0.0/8"]),
    ] {
        let output = run(&words);
        let stderr = text(&output.stderr);
        assert_eq!(output.status.code(), Some(1), "{name}: {stderr}");
        assert!(stderr.contains("--allow-private 127.0.0.0/8"), "{name}: {stderr}");
        assert!(output.stdout.is_empty(), "{name}");
    }
    assert_eq!(canary.connections(), 0);
}

/// Wrong usage: the error names the option, the fault and a correction, and the exit code is 2.
#[test]
fn wrong_usage_is_explained() {
    let long = "a".repeat(3000);
    let site = "https://example.com";
    let rows: &[(&[&str], &[&str])] = &[
        (&[], &["Usage"]),
        (&["crwl"], &["crwl", "crawl"]),
        (&["scrape"], &["<URL>"]),
        (&["scrape", "ftp://example.com"], &["<URL>", "http"]),
        (&["scrape", "http://"], &["<URL>"]),
        (&["scrape", site, "--limit", "3"], &["--limit"]),
        (&["scrape", site, "--formats", "markdwn"], &["--formats", "markdwn", "markdown"]),
        (&["scrape", site, "--formats", "markdown,,links"], &["--formats", "markdown,links"]),
        (&["scrape", site, "--formats", "{\"type\":"], &["--formats", "JSON"]),
        (&["scrape", site, "--formats", "json"], &["--formats", "--schema", "--model", "{\"type\":\"json\""]),
        (&["scrape", site, "--formats", r#"{"type":"json","prompt":"who"}"#], &["--model", "--schema"]),
        (&["convert", "Cargo.toml", "--formats", r#"{"type":"json","prompt":"who"}"#], &["--schema"]),
        (&["convert", "Cargo.toml", "--formats", "screenshot"], &["--formats", "local page", "browser"]),
        (&["convert", "-", "--content-type", "zzz"], &["--content-type", "text/html"]),
        (&["scrape", site, "--only-main-content", "maybe"], &["maybe"]),
        (&["scrape", site, "--mobile", "yes"], &["--mobile", "yes", "true", "false"]),
        (&["scrape", site, "--timeout", "soon"], &["--timeout", "soon", "whole number"]),
        (&["scrape", site, "--timeout", "0"], &["--timeout", "1", "300000"]),
        (&["scrape", site, "--timeout", "300001"], &["--timeout", "300000"]),
        (&["scrape", site, "--wait-for", "-5"], &["--wait-for", "-5"]),
        (&["scrape", site, "--wait-for", "9000", "--timeout", "10000"], &["--wait-for", "--timeout", "half"]),
        (&["scrape", site, "--proxy", "fast"], &["--proxy", "fast", "basic"]),
        (&["scrape", site, "--proxy", "stealth"], &["--proxy stealth", "--stealth-proxy-url", "basic"]),
        (
            &["scrape", site, "--proxy", "enhanced", "--proxy-url", "http://127.0.0.1:9"],
            &["--stealth-proxy-url"],
        ),
        (&["scrape", site, "--proxy-url", "ftp://127.0.0.1"], &["--proxy-url", "socks5://host:port"]),
        (&["scrape", site, "--cache", "/dev/null/cache"], &["--cache", "/dev/null/cache", "folder"]),
        (&["scrape", site, "--header", "Host: b.example"], &["--header", "`Host` belongs to the connection"]),
        (&["scrape", site, "--user-agent", ""], &["--user-agent", "empty"]),
        (&["scrape", site, "--concurrency", "-1"], &["--concurrency", "-1", "1..=1024"]),
        (&["crawl", site, "--model", "m", "--budget-tokens", "-3"], &["--budget-tokens", "-3"]),
        (&["crawl", site, "--webhook", "foo"], &["--webhook", "https://hooks.example"]),
        (&["crawl", site, "--failures", "/dev/null/list"], &["--failures", "/dev/null/list", "file"]),
        (&["scrape", site, "--location-country", "Narnia"], &["--location-country", "Narnia"]),
        (&["scrape", site, "--header", "Cookie"], &["--header", "Name: value"]),
        (&["scrape", site, "--header", "A: 1", "--header", "a: 2"], &["--header", "once"]),
        (&["scrape", site, "--header", "Bad Name: 1"], &["--header", "letters, digits and hyphens"]),
        (&["scrape", site, "--allow-private", "localhost"], &["--allow-private", "127.0.0.0/8"]),
        (&["scrape", site, "--concurrency", "0"], &["--concurrency", "1..=1024"]),
        (&["scrape", site, "--user-agent", "a\nb"], &["--user-agent", "line break"]),
        (&["scrape", site, "--quiet", "-v"], &["--quiet", "--verbose"]),
        (&["crawl", site, "--limit", "0"], &["--limit", "1"]),
        (&["crawl", site, "--limit", "many"], &["--limit", "many"]),
        (&["crawl", site, "--max-discovery-depth", "-1"], &["--max-discovery-depth", "-1"]),
        (&["crawl", site, "--include-paths", "("], &["--include-paths", "("]),
        (&["crawl", site, "--exclude-paths", &long], &["--exclude-paths", "2000"]),
        (&["crawl", site, "--sitemap", "none"], &["--sitemap", "none", "include", "skip", "only"]),
        (&["crawl", site, "--delay", "-1"], &["--delay", "-1"]),
        (&["crawl", site, "--delay", "soon"], &["--delay", "seconds"]),
        (&["crawl", site, "--max-concurrency", "0"], &["--max-concurrency", "1"]),
        (&["crawl", site, "--max-depth", "2"], &["--max-depth", "--max-discovery-depth"]),
        (&["crawl", site, "--formats", "markdwn", "--limit", "0"], &["--formats", "--limit"]),
        (&["crawl", "http://127.0.0.1", "--out", "/dev/null/pages"], &["--out", "/dev/null/pages", "folder"]),
        (&["map", site, "--limit", "100001"], &["--limit", "100000"]),
        (&["map", site, "--sitemap", "all"], &["--sitemap", "all", "include"]),
        (&["batch", "/no/such/list"], &["<FILE>", "/no/such/list"]),
        (&["batch", "-"], &["<FILE>", "no valid URL"]),
        (&["convert", "/no/such/page"], &["<FILE>", "/no/such/page"]),
        (&["convert", "-", "--url", "ftp://example.com"], &["--url", "http"]),
        (&["convert", "-", "--formats", "markdwn"], &["--formats", "markdwn"]),
        (&["convert", "Cargo.toml", "--include-tags", "a["], &["--include-tags", "a[", "article"]),
    ];
    for (words, wanted) in rows {
        refuses(words, wanted);
    }
}

#[test]
fn a_closed_standard_output_ends_the_crawl_quietly() {
    let server = Site::generate(SiteSpec::pages(500)).serve().unwrap();
    let mut child = gleaner(&["crawl", &server.url("/"), LOOPBACK[0], LOOPBACK[1]]).spawn().unwrap();
    let mut first = String::new();
    BufReader::new(child.stdout.take().unwrap()).read_line(&mut first).unwrap();
    let mut stderr = String::new();
    child.stderr.take().unwrap().read_to_string(&mut stderr).unwrap();
    assert_eq!(child.wait().unwrap().code(), Some(0), "{stderr}");
    assert_eq!(stderr, "");
    assert!(server.requests() < 500, "the crawl went on without a reader");
}

#[cfg(unix)]
#[test]
fn ctrl_c_stops_a_crawl_and_keeps_finished_pages() {
    const PAGES: u32 = 3000;
    let latency = std::time::Duration::from_millis(20);
    let server = Site::generate(SiteSpec { latency, ..SiteSpec::pages(PAGES) }).serve().unwrap();
    let mut child = gleaner(&["crawl", &server.url("/"), LOOPBACK[0], LOOPBACK[1]]).spawn().unwrap();
    let mut pages = BufReader::new(child.stdout.take().unwrap()).lines();
    let mut printed: Vec<String> = pages.by_ref().take(10).map(Result::unwrap).collect();
    let press = format!("kill -INT {}", child.id());
    assert!(Command::new("sh").args(["-c", &press]).status().unwrap().success());
    printed.extend(pages.map(Result::unwrap));

    let mut stderr = String::new();
    child.stderr.take().unwrap().read_to_string(&mut stderr).unwrap();
    assert_eq!(child.wait().unwrap().code(), Some(130), "{stderr}");
    assert!(printed.len() < PAGES as usize, "the crawl was not ended");
    assert!(
        stderr.contains(&format!("{} pages in ", printed.len())),
        "{} were printed: {stderr}",
        printed.len()
    );
    for line in &printed {
        let page: Value = serde_json::from_str(line).unwrap();
        assert_eq!(page["metadata"]["statusCode"], 200);
    }
}

#[test]
fn verbose_logs_to_standard_error_and_does_not_change_results() {
    let server =
        Site::generate(SiteSpec { extras: Extras::default(), ..SiteSpec::pages(3) }).serve().unwrap();
    let output = run(&["crawl", &server.url("/"), LOOPBACK[0], LOOPBACK[1], "-vv"]);
    succeed(&output);
    assert_eq!(lines_of_json(&output.stdout).len(), 3);
    assert!(text(&output.stderr).contains("gleaner"), "nothing was logged");
}

#[test]
fn help_and_version_go_to_standard_output() {
    for words in [&["--help"][..], &["--version"], &["crawl", "--help"], &["help", "convert"]] {
        let output = run(words);
        assert!(succeed(&output).contains("gleaner"), "{words:?}");
        assert!(output.stderr.is_empty(), "{words:?}");
    }
}

#[test]
fn faults_are_reported_before_any_request() {
    let server = Site::generate(SiteSpec::pages(5)).serve().unwrap();
    let place = tempfile::tempdir().unwrap();
    let file = place.path().join("file");
    fs::write(&file, "in the way").unwrap();
    let out = ["--out", file.to_str().unwrap()];
    let output = run(&["crawl", &server.base_url(), LOOPBACK[0], LOOPBACK[1], out[0], out[1]]);
    assert_eq!(output.status.code(), Some(2), "{}", text(&output.stderr));
    assert_eq!(server.requests(), 0, "pages were fetched that could not be stored");

    for (name, words, input, expected) in [
        ("nothing to convert", &["convert", "-"][..], &b" \n"[..], "nothing to convert"),
        (
            "not a boolean",
            &["scrape", "https://a.example", "--block-ads", "maybe"],
            b"",
            "takes true or false",
        ),
        (
            "an invalid scheme",
            &["batch", "-", "--ignore-invalid-urls", "false"],
            b"ht!tp:/x\n",
            "`ht!tp:` is not a supported scheme",
        ),
        ("nothing to explain", &["crawl", "https://a.example", "--explain", "ftp://x"], b"", "--explain"),
    ] {
        let output = run_with_input(words, input);
        assert_ne!(output.status.code(), Some(0), "{name}");
        assert!(text(&output.stderr).contains(expected), "{name}: {}", text(&output.stderr));
    }
}

#[test]
fn crawl_explains_a_url_that_it_left_out() {
    let server = Site::generate(SiteSpec::pages(20)).serve().unwrap();
    let (start, left_out) = (server.url("/"), server.url("/p/3"));
    let words =
        ["crawl", &start, LOOPBACK[0], LOOPBACK[1], "--exclude-paths", "^/p/3$", "--explain", &left_out];
    let output = run(&words);
    assert_eq!(output.status.code(), Some(0));
    let stderr = text(&output.stderr);
    assert!(
        stderr.contains(&format!("{left_out}: not crawled: a pattern of --exclude-paths matches")),
        "{stderr}"
    );
    assert!(stderr.contains("first found on") && stderr.contains("links that were left out:"), "{stderr}");
}
