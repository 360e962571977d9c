//! Summaries of `--json`, and hints.

use std::fs;
use std::process::Output;

use gleaner_testkit::{ClosedPort, RawServer, Site, SiteSpec, Step};
use serde_json::{Value, json};

use crate::support::{LOOPBACK, lines_of_json, run, run_on_loopback, run_with_input, stderr, succeed, text};

/// Standard error, which is one line of JSON.
fn summary(output: &Output) -> Value {
    let stderr = stderr(output);
    assert_eq!(stderr.lines().count(), 1, "{stderr}");
    serde_json::from_str(&stderr).unwrap()
}

#[test]
fn a_crawl_and_a_batch_report_one_line_of_json() {
    let server = Site::generate(SiteSpec::pages(4)).serve().unwrap();
    let crawl = run_on_loopback(&["crawl", &server.url("/"), "--json", "--limit", "3"]);
    assert_eq!(lines_of_json(&crawl.stdout).len(), 3);
    let report = summary(&crawl);
    assert_eq!((&report["command"], &report["exitCode"]), (&json!("crawl"), &json!(0)));
    assert_eq!(
        (&report["pages"], &report["failed"], &report["failures"]),
        (&json!(3), &json!(0), &json!([]))
    );
    assert!(report["milliseconds"].is_u64() && report["warnings"].is_array(), "{report}");

    let list = format!("{}\nftp://a.example/\nhttp://10.0.0.1/?token=hush\n", server.url("/p/1"));
    let words = ["batch", "-", "--json", LOOPBACK[0], LOOPBACK[1]];
    let report = summary(&run_with_input(&words, list.as_bytes()));
    assert_eq!((&report["pages"], &report["failed"]), (&json!(1), &json!(1)), "{report}");
    assert_eq!(report["failures"][0]["code"], "SCRAPE_BLOCKED", "{report}");
    assert!(report["hint"].as_str().unwrap().contains("--allow-private 10.0.0.0/8"), "{report}");
    assert!(report["notes"][0].as_str().unwrap().starts_with("line 2: "), "{report}");
    assert!(!report.to_string().contains("hush"), "{report}");
}

#[test]
fn a_scrape_and_a_map_report_one_line_of_json() {
    let answer = Step::respond("403 Forbidden", &[("content-type", "text/html")], "<h1>No tea</h1>");
    let server = RawServer::start([Step::ReadRequest, answer]).unwrap();
    let scrape = run_on_loopback(&["scrape", &server.base_url(), "--json", "--browser", "never"]);
    assert_eq!(succeed(&scrape).trim(), "# No tea");
    let report = summary(&scrape);
    assert_eq!((&report["command"], &report["statusCode"]), (&json!("scrape"), &json!(403)), "{report}");
    assert!(report["hint"].as_str().unwrap().contains("--user-agent"), "{report}");

    let server = Site::generate(SiteSpec::pages(4)).serve().unwrap();
    let map = run_on_loopback(&["map", &server.url("/"), "--json", "--quiet"]);
    let report = summary(&map);
    let listed: Value = serde_json::from_slice(&map.stdout).unwrap();
    assert_eq!(report["urls"], listed["links"].as_array().unwrap().len());
    assert_eq!((&listed["success"], &report["command"]), (&json!(true), &json!("map")));
}

#[test]
fn failures_are_part_of_the_summary() {
    for (words, code, part) in [
        (&["scrape", "http://10.0.0.1/", "--json"][..], 1, "--allow-private"),
        (&["crawl", "https://a.example", "--json", "--limit", "0"], 2, "--limit"),
        (&["extract", "http://10.0.0.1/", "--json", "--schema", "/no/such"], 2, "--schema"),
    ] {
        let output = run(words);
        assert_eq!(output.status.code(), Some(code), "{words:?}: {}", stderr(&output));
        assert!(stderr(&output).contains(part), "{words:?}: {}", stderr(&output));
        // clap refuses a file that cannot be read before it is known what the command line asks for.
        if !words.contains(&"--schema") {
            let report = summary(&output);
            assert!(report["exitCode"] == code && report["error"].is_string(), "{report}");
        }
    }
}

#[test]
fn a_checked_file_is_one_object() {
    let place = tempfile::tempdir().unwrap();
    let file = place.path().join("jobs.db");
    let file = file.to_str().unwrap();
    let server = Site::generate(SiteSpec::pages(2)).serve().unwrap();
    let crawl = run_on_loopback(&["crawl", &server.url("/"), "--job", file, "--json"]);
    assert!(summary(&crawl)["job"].is_string(), "{}", stderr(&crawl));
    let checked = run(&["check", file, "--json"]);
    let report: Value = serde_json::from_str(&succeed(&checked)).unwrap();
    assert_eq!(report, json!({ "file": file, "ok": true, "findings": [] }));
    assert_eq!(text(&checked.stderr), "");
}

#[test]
fn a_failed_scrape_says_what_to_try_next() {
    let closed = ClosedPort::take().unwrap();
    let silent = RawServer::start([Step::ReadRequest, Step::Hang]).unwrap();
    let archive = Step::respond("200 OK", &[("content-type", "application/zip")], "PK\u{3}\u{4}");
    let archive = RawServer::start([Step::ReadRequest, archive]).unwrap();
    for (url, options, part) in [
        ("http://no-such-name.invalid/".to_owned(), &[][..], "gleaner doctor"),
        (closed.base_url(), &[], "no server answers there"),
        (silent.base_url(), &["--timeout", "300"], "--timeout MS waits longer"),
        (archive.base_url(), &[], "curl"),
    ] {
        let output = run_on_loopback(&[&["scrape", &url, "--browser", "never"], options].concat());
        let stderr = stderr(&output);
        assert_eq!(output.status.code(), Some(1), "{url}: {stderr}");
        assert_eq!(stderr.lines().filter(|line| line.starts_with("hint: ")).count(), 1, "{url}: {stderr}");
        assert!(stderr.contains(part), "{url}: {stderr}");
    }
}

#[test]
fn an_invisible_character_before_an_address_is_named() {
    for words in [["scrape", "\u{200b}https://a.example/?hush"], ["map", "\u{feff}a.example/?hush"]] {
        let output = run(&words);
        let stderr = stderr(&output);
        assert_eq!(output.status.code(), Some(2), "{stderr}");
        assert!(stderr.contains("character 1 is U+") && !stderr.contains("hush"), "{stderr}");
    }
    let place = tempfile::tempdir().unwrap();
    let list = place.path().join("list.txt");
    fs::write(&list, "# teas\n\u{200b}https://a.example/\n").unwrap();
    let output = run(&["batch", list.to_str().unwrap()]);
    assert!(
        stderr(&output).contains("line 2: character 1 is U+200B (zero-width space)"),
        "{}",
        stderr(&output)
    );
}
