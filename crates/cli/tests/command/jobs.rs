//! Reports of crawls and batches: failures, skipped links with reasons, and progress.

use std::fs;

use gleaner_testkit::{RawServer, Site, SiteSpec, Step};
use serde_json::json;

use super::support::{LOOPBACK, lines_of_json, rows, run, run_on_loopback, run_with_input, stderr, succeed};

/// A list with one existing page, this many refused URLs, and an invalid line.
fn list(page: &str, refused: usize) -> String {
    let refused: String = (0..refused).map(|id| format!("http://10.0.0.1/{id}\n")).collect();
    format!("{page}\n{refused}ftp://a.example/\n")
}

#[test]
fn failed_pages_are_listed_next_to_the_index() {
    let place = tempfile::tempdir().unwrap();
    let server = Site::generate(SiteSpec::pages(2)).serve().unwrap();
    let page = server.url("/p/1");
    let words = ["batch", "-", LOOPBACK[0], LOOPBACK[1], "--out", place.path().to_str().unwrap()];
    let output = run_with_input(&words, list(&page, 12).as_bytes());
    succeed(&output);
    assert_eq!(rows(place.path(), "index.jsonl").len(), 1);
    let failed = rows(place.path(), "failures.jsonl");
    assert_eq!(failed.len(), 13, "{}", stderr(&output));
    for id in 0..12 {
        let url = format!("http://10.0.0.1/{id}");
        let row = failed.iter().find(|row| row["url"] == url.as_str()).unwrap();
        assert_eq!(row["code"], "SCRAPE_BLOCKED", "{row}");
        assert!(!row["error"].as_str().unwrap().is_empty(), "{row}");
    }
    assert_eq!((&failed[0]["url"], &failed[0]["code"]), (&json!("ftp://a.example/"), &json!("BAD_REQUEST")));
    assert!(stderr(&output).contains("failures.jsonl those without a document"), "{}", stderr(&output));

    // After a success, there is no list.
    succeed(&run_with_input(&words, page.as_bytes()));
    assert!(!place.path().join("failures.jsonl").exists());
}

#[test]
fn failures_can_be_listed_in_a_file() {
    let place = tempfile::tempdir().unwrap();
    let file = place.path().join("failed.jsonl");
    let server = Site::generate(SiteSpec::pages(2)).serve().unwrap();
    let list = list(&server.url("/p/1"), 12);
    let words = ["batch", "-", LOOPBACK[0], LOOPBACK[1]];
    let output =
        run_with_input(&[&words[..], &["--failures", file.to_str().unwrap()]].concat(), list.as_bytes());
    assert_eq!(lines_of_json(&output.stdout).len(), 1);
    assert_eq!(rows(place.path(), "failed.jsonl").len(), 13);
    assert!(stderr(&output).contains("failed.jsonl lists those"), "{}", stderr(&output));

    let output = run_with_input(&words, list.as_bytes());
    assert!(
        stderr(&output).contains("and 2 more (--failures FILE lists all of them)"),
        "{}",
        stderr(&output)
    );
}

#[test]
fn pages_that_robots_txt_forbids_are_listed_too() {
    let place = tempfile::tempdir().unwrap();
    let site =
        Site::generate(SiteSpec { pages: 10, extras: "robots".parse().unwrap(), ..SiteSpec::default() });
    let server = site.serve().unwrap();
    let output = run_on_loopback(&["crawl", &server.url("/"), "--out", place.path().to_str().unwrap()]);
    succeed(&output);
    let failed = rows(place.path(), "failures.jsonl");
    assert!(!failed.is_empty(), "{}", stderr(&output));
    for row in &failed {
        assert_eq!(row["code"], "CRAWL_DENIAL");
        let reason = row["error"].as_str().unwrap();
        assert!(reason.starts_with("robots.txt forbids it by line ") && reason.contains(": Disallow: /"));
        let path = row["url"].as_str().unwrap().replace(&server.base_url(), "");
        assert!(site.truth().path(&path).unwrap().forbidden, "{row}");
    }
}

#[test]
fn pages_with_an_error_status_are_counted_as_output() {
    let server = Site::generate(SiteSpec::pages(5)).serve().unwrap();
    let output = run_on_loopback(&["crawl", &server.url("/nope")]);
    assert_eq!(lines_of_json(&output.stdout)[0]["metadata"]["statusCode"], 404);
    let stderr = stderr(&output);
    assert_eq!(output.status.code(), Some(0), "{stderr}");
    assert!(stderr.contains(", 1 with an error status (404: 1)"), "{stderr}");
    let help = succeed(&run(&["--help"]));
    let help: Vec<&str> = help.split_whitespace().collect();
    assert!(help.join(" ").contains("A page with an error status counts as output"), "{help:?}");
}

#[test]
fn a_crawl_of_few_pages_says_why() {
    let server = Site::generate(SiteSpec::pages(40)).serve().unwrap();
    let (start, below) = (server.url("/"), server.url("/p/1"));
    for (name, words, code, expected) in [
        (
            "the other pages are outside the start path",
            vec!["crawl", &below],
            0,
            Some("not below the start page (--crawl-entire-domain"),
        ),
        (
            "no pattern matches",
            vec!["crawl", &start, "--include-paths", "^/zzz"],
            1,
            Some("that no --include-paths names"),
        ),
        ("a limit of one page", vec!["crawl", &below, "--limit", "1"], 0, None),
        ("a depth of 0", vec!["crawl", &below, "--max-discovery-depth", "0"], 0, None),
        ("more than one page", vec!["crawl", &start, "--limit", "3"], 0, None),
    ] {
        let output = run_on_loopback(&words);
        let stderr = stderr(&output);
        assert_eq!(output.status.code(), Some(code), "{name}: {stderr}");
        match expected {
            Some(expected) => {
                assert!(stderr.contains("links left out: ") && stderr.contains(expected), "{name}: {stderr}");
            }
            None => assert!(!stderr.contains("left out"), "{name}: {stderr}"),
        }
    }
    let output = run_on_loopback(&["crawl", &below, "--max-discovery-depth", "0"]);
    let note = "note: no links were followed, because of --max-discovery-depth 0";
    assert!(stderr(&output).contains(note), "{}", stderr(&output));
    let page = Step::respond("200 OK", &[("content-type", "text/html")], "<h1>Alone</h1>");
    let alone = RawServer::start([Step::ReadRequest, page]).unwrap();
    let output = run_on_loopback(&["crawl", &alone.base_url(), "--sitemap", "skip", "--ignore-robots-txt"]);
    assert!(stderr(&output).contains("no links were found on the start page"), "{}", stderr(&output));
}

#[test]
fn verbose_reports_each_page_with_its_status() {
    let server = Site::generate(SiteSpec::pages(3)).serve().unwrap();
    let input = format!("{0}/p/1\n{0}/nope\nhttp://10.0.0.1/\n", server.base_url());
    let output = run_with_input(&["batch", "-", LOOPBACK[0], LOOPBACK[1], "-v"], input.as_bytes());
    assert_eq!(lines_of_json(&output.stdout).len(), 2, "results are unchanged");
    let stderr = stderr(&output);
    for (status, url) in [
        ("200", server.url("/p/1")),
        ("404", server.url("/nope")),
        ("failed", "http://10.0.0.1/: ".to_owned()),
    ] {
        let expected = format!(" s  {status}  {url}");
        assert_eq!(stderr.lines().filter(|line| line.contains(&expected)).count(), 1, "{expected}: {stderr}");
    }
}

#[test]
fn more_verbose_reports_retries() {
    let busy = vec![
        Step::ReadRequest,
        Step::respond("503 Busy", &[("retry-after", "0"), ("connection", "close")], ""),
    ];
    let well =
        vec![Step::ReadRequest, Step::respond("200 OK", &[("content-type", "text/html")], "<h1>Tea</h1>")];
    let server = RawServer::start_per_connection([busy, well]).unwrap();
    let output = run_on_loopback(&["scrape", &server.base_url(), "-vv"]);
    assert_eq!(succeed(&output).trim(), "# Tea");
    assert!(stderr(&output).contains("retried after a pause"), "{}", stderr(&output));
}

#[test]
fn a_scrape_into_a_folder_replaces_its_row_of_the_index() {
    let place = tempfile::tempdir().unwrap();
    let server = Site::generate(SiteSpec::pages(3)).serve().unwrap();
    for page in ["/p/1", "/p/2", "/p/1"] {
        succeed(&run_on_loopback(&["scrape", &server.url(page), "--out", place.path().to_str().unwrap()]));
    }
    let index = rows(place.path(), "index.jsonl");
    let urls: Vec<&str> = index.iter().filter_map(|row| row["url"].as_str()).collect();
    assert_eq!(urls, [server.url("/p/2"), server.url("/p/1")]);
    assert_eq!(fs::read_dir(place.path()).unwrap().count(), 3, "two pages and their index");
}
