//! What a crawl or a batch tells besides its documents: what failed, what was left out and why, and how far it is.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on ends here")]

mod support;

use std::fs;

use gleaner_testkit::{RawServer, Site, SiteSpec, Step};
use serde_json::json;

use support::{LOOPBACK, lines_of_json, rows, run, run_at_home, run_with_input, succeed, told};

/// A page that is there, so many addresses that are refused, and a line that is no address.
fn list(page: &str, refused: usize) -> String {
    let refused: String = (0..refused).map(|id| format!("http://10.0.0.1/{id}\n")).collect();
    format!("{page}\n{refused}ftp://a.example/\n")
}

#[test]
fn pages_that_failed_are_listed_beside_the_index() {
    let place = tempfile::tempdir().unwrap();
    let server = Site::generate(SiteSpec::pages(2)).serve().unwrap();
    let page = server.url("/p/1");
    let words = ["batch", "-", LOOPBACK[0], LOOPBACK[1], "--out", place.path().to_str().unwrap()];
    let output = run_with_input(&words, list(&page, 12).as_bytes());
    succeed(&output);
    assert_eq!(rows(place.path(), "index.jsonl").len(), 1);
    let failed = rows(place.path(), "failures.jsonl");
    assert_eq!(failed.len(), 13, "{}", told(&output));
    for id in 0..12 {
        let url = format!("http://10.0.0.1/{id}");
        let row = failed.iter().find(|row| row["url"] == url.as_str()).unwrap();
        assert_eq!(row["code"], "SCRAPE_BLOCKED", "{row}");
        assert!(!row["error"].as_str().unwrap().is_empty(), "{row}");
    }
    assert_eq!((&failed[0]["url"], &failed[0]["code"]), (&json!("ftp://a.example/"), &json!("BAD_REQUEST")));
    assert!(told(&output).contains("failures.jsonl those without a document"), "{}", told(&output));

    // What is well now is in no list.
    succeed(&run_with_input(&words, page.as_bytes()));
    assert!(!place.path().join("failures.jsonl").exists());
}

#[test]
fn without_a_folder_a_file_takes_the_failures() {
    let place = tempfile::tempdir().unwrap();
    let file = place.path().join("failed.jsonl");
    let server = Site::generate(SiteSpec::pages(2)).serve().unwrap();
    let list = list(&server.url("/p/1"), 12);
    let words = ["batch", "-", LOOPBACK[0], LOOPBACK[1]];
    let output =
        run_with_input(&[&words[..], &["--failures", file.to_str().unwrap()]].concat(), list.as_bytes());
    assert_eq!(lines_of_json(&output.stdout).len(), 1);
    assert_eq!(rows(place.path(), "failed.jsonl").len(), 13);
    assert!(told(&output).contains("failed.jsonl lists those"), "{}", told(&output));

    let output = run_with_input(&words, list.as_bytes());
    assert!(told(&output).contains("and 2 more (--failures FILE lists all of them)"), "{}", told(&output));
}

#[test]
fn pages_that_robots_txt_forbids_are_listed_too() {
    let place = tempfile::tempdir().unwrap();
    let site =
        Site::generate(SiteSpec { pages: 10, extras: "robots".parse().unwrap(), ..SiteSpec::default() });
    let server = site.serve().unwrap();
    let output = run_at_home(&["crawl", &server.url("/"), "--out", place.path().to_str().unwrap()]);
    succeed(&output);
    let failed = rows(place.path(), "failures.jsonl");
    assert!(!failed.is_empty(), "{}", told(&output));
    for row in &failed {
        assert_eq!((&row["code"], &row["error"]), (&json!("CRAWL_DENIAL"), &json!("robots.txt forbids it")));
        let path = row["url"].as_str().unwrap().replace(&server.base_url(), "");
        assert!(site.truth().path(&path).unwrap().forbidden, "{row}");
    }
}

#[test]
fn pages_of_an_error_status_are_counted_and_the_help_says_that_they_are_done() {
    let server = Site::generate(SiteSpec::pages(5)).serve().unwrap();
    let output = run_at_home(&["crawl", &server.url("/nope")]);
    assert_eq!(lines_of_json(&output.stdout)[0]["metadata"]["statusCode"], 404);
    let told = told(&output);
    assert_eq!(output.status.code(), Some(0), "{told}");
    assert!(told.contains(", 1 with an error status (404: 1)"), "{told}");
    let help = succeed(&run(&["--help"]));
    let help: Vec<&str> = help.split_whitespace().collect();
    assert!(help.join(" ").contains("A page counts as done whatever its status"), "{help:?}");
}

#[test]
fn a_crawl_of_next_to_nothing_says_why() {
    let server = Site::generate(SiteSpec::pages(40)).serve().unwrap();
    let (start, below) = (server.url("/"), server.url("/p/1"));
    for (name, words, code, said) in [
        (
            "the rest is elsewhere",
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
        ("one page is all that was asked for", vec!["crawl", &below, "--limit", "1"], 0, None),
        ("nor more than the start", vec!["crawl", &below, "--max-discovery-depth", "0"], 0, None),
        ("more than one came", vec!["crawl", &start, "--limit", "3"], 0, None),
    ] {
        let output = run_at_home(&words);
        let told = told(&output);
        assert_eq!(output.status.code(), Some(code), "{name}: {told}");
        match said {
            Some(said) => assert!(told.contains("links left out: ") && told.contains(said), "{name}: {told}"),
            None => assert!(!told.contains("left out"), "{name}: {told}"),
        }
    }
    let page = Step::respond("200 OK", &[("content-type", "text/html")], "<h1>Alone</h1>");
    let alone = RawServer::start([Step::ReadRequest, page]).unwrap();
    let output = run_at_home(&["crawl", &alone.base_url(), "--sitemap", "skip", "--ignore-robots-txt"]);
    assert!(told(&output).contains("no links were found on the start page"), "{}", told(&output));
}

#[test]
fn verbose_tells_each_page_with_its_status() {
    let server = Site::generate(SiteSpec::pages(3)).serve().unwrap();
    let input = format!("{0}/p/1\n{0}/nope\nhttp://10.0.0.1/\n", server.base_url());
    let output = run_with_input(&["batch", "-", LOOPBACK[0], LOOPBACK[1], "-v"], input.as_bytes());
    assert_eq!(lines_of_json(&output.stdout).len(), 2, "results are as they were");
    let told = told(&output);
    for (status, url) in [
        ("200", server.url("/p/1")),
        ("404", server.url("/nope")),
        ("failed", "http://10.0.0.1/: ".to_owned()),
    ] {
        let said = format!(" s  {status}  {url}");
        assert_eq!(told.lines().filter(|line| line.contains(&said)).count(), 1, "{said}: {told}");
    }
}

#[test]
fn more_verbose_tells_retries() {
    let busy = vec![
        Step::ReadRequest,
        Step::respond("503 Busy", &[("retry-after", "0"), ("connection", "close")], ""),
    ];
    let well =
        vec![Step::ReadRequest, Step::respond("200 OK", &[("content-type", "text/html")], "<h1>Tea</h1>")];
    let server = RawServer::start_per_connection([busy, well]).unwrap();
    let output = run_at_home(&["scrape", &server.base_url(), "-vv"]);
    assert_eq!(succeed(&output).trim(), "# Tea");
    assert!(told(&output).contains("tried again"), "{}", told(&output));
}

#[test]
fn a_scrape_into_a_folder_replaces_its_row_of_the_index() {
    let place = tempfile::tempdir().unwrap();
    let server = Site::generate(SiteSpec::pages(3)).serve().unwrap();
    for page in ["/p/1", "/p/2", "/p/1"] {
        succeed(&run_at_home(&["scrape", &server.url(page), "--out", place.path().to_str().unwrap()]));
    }
    let index = rows(place.path(), "index.jsonl");
    let urls: Vec<&str> = index.iter().filter_map(|row| row["url"].as_str()).collect();
    assert_eq!(urls, [server.url("/p/2"), server.url("/p/1")]);
    assert_eq!(fs::read_dir(place.path()).unwrap().count(), 3, "two pages and their index");
}
