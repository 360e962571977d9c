//! Possible secrets are never printed on standard error.

use gleaner_testkit::{Site, SiteSpec};

use crate::support::{LOOPBACK, rows, run, run_with_input, stderr, text};

#[test]
fn possible_secrets_in_refused_arguments_are_not_repeated() {
    let site = "https://example.com";
    let rows: &[(&[&str], &str)] = &[
        (&["scrape", site, "--header", "Cookie sid=hush"], "--header"),
        (&["scrape", site, "--header=Cookie sid=hush"], "--header"),
        (&["scrape", site, "--header", "X-Key:", "hush"], "in quotes"),
        (&["scrape", site, "--header", "Cookie sid=hush; expires=Thu, 01 Jan 2026 00:00:00 GMT"], "--header"),
        (&["scrape", site, "--header", "X-Key: hush\u{7f}"], "X-Key"),
        (&["scrape", site, "--heder=X-Key: hush"], "--heder"),
        (&["scrape", site, "--proxy-url", "ftp://me:hush@127.0.0.1"], "--proxy-url"),
        (&["scrape", site, "--stealth-proxy-url", "http://me:hush@"], "--stealth-proxy-url"),
        (&["scrape", site, "--model", "m", "--model-url", "hush"], "--model-url"),
        (&["scrape", site, "--model", "m", "--model-key-env", "sk-hush"], "--model-key-env"),
        (&["extract", site, "--prompt", "who", "--search-url", "hush"], "--search-url"),
        (&["crawl", site, "--webhook", "hush"], "--webhook"),
        (&["crawl", site, "--webhook", "https://me:hush@hooks.example/"], "--webhook"),
        (
            &["crawl", site, "--webhook", "https://hooks.example/", "--webhook-secret-env", "hush"],
            "--webhook-secret-env",
        ),
        (&["crawl", site, "--explain", "ftp://me:hush@example.com/?hush"], "--explain"),
        (&["scrape", "https://me:hush@example.com/"], "<URL>"),
        (&["scrape", "https://example.com:x/?token=hush"], "<URL>"),
        (&["scrape", site, "https://example.com/?token=hush"], "https://example.com/?token=…"),
        (&["https://me:hush@example.com/?token=hush"], "https://example.com/?token=…"),
    ];
    for (words, expected) in rows {
        let output = run(words);
        let stderr = stderr(&output);
        assert_eq!(output.status.code(), Some(2), "{words:?}: {stderr}");
        assert!(stderr.contains(expected), "{words:?} does not report {expected:?}: {stderr}");
        assert!(!stderr.contains("hush"), "{words:?}: {stderr}");
    }
    let list = "https://me:hush@example.com/\nhttps://example.com:x/?token=hush\n";
    let output = run_with_input(&["batch", "-"], list.as_bytes());
    assert!(stderr(&output).contains("line 2: ") && !stderr(&output).contains("hush"), "{}", stderr(&output));
}

#[test]
fn urls_are_reported_without_values_of_queries_and_listed_completely() {
    let place = tempfile::tempdir().unwrap();
    let server = Site::generate(SiteSpec::pages(2)).serve().unwrap();
    let (found, refused) = (server.url("/p/1?token=hush"), "http://10.0.0.1/a?token=hush");
    let list = format!("{found}\n{refused}\n");
    for verbosity in [&[] as &[&str], &["-v"], &["-vv"]] {
        let folder = place.path().join(format!("pages{}", verbosity.concat()));
        let words = ["batch", "-", "--out", folder.to_str().unwrap()];
        let output = run_with_input(&[&words[..], verbosity, &LOOPBACK].concat(), list.as_bytes());
        let stderr = text(&output.stderr);
        assert_eq!(output.status.code(), Some(0), "{verbosity:?}: {stderr}");
        assert!(stderr.contains("http://10.0.0.1/a?token=…"), "{verbosity:?}: {stderr}");
        assert!(!stderr.contains("hush"), "{verbosity:?}: {stderr}");
        assert_eq!(rows(&folder, "failures.jsonl")[0]["url"], refused);
        assert_eq!(rows(&folder, "index.jsonl")[0]["url"], found.as_str());
    }
}
