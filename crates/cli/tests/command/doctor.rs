//! What `gleaner doctor` finds. What a machine lacks is different everywhere, so most assertions are about
//! what is broken by purpose.

use std::fs;

use serde_json::Value;

use crate::support::{gleaner, printed, refuses, run, stderr, text};

/// The finding of a check.
fn finding<'a>(report: &'a Value, check: &str) -> &'a Value {
    report["checks"].as_array().unwrap().iter().find(|finding| finding["check"] == check).unwrap()
}

#[test]
fn it_reports_each_check_with_a_remedy() {
    let report = printed(&run(&["doctor", "--json", "--browser", "never", "--host", "localhost"]));
    assert_eq!(report["ok"], true, "{report}");
    for (check, state) in [("pdf", "ok"), ("dns", "ok"), ("browser", "note")] {
        assert_eq!(finding(&report, check)["state"], state, "{report}");
    }
    for finding in report["checks"].as_array().unwrap() {
        assert_eq!(finding["state"] == "ok", finding["remedy"].is_null(), "{finding}");
        assert!(!finding["text"].as_str().unwrap().is_empty(), "{finding}");
    }
    let output = run(&["doctor", "--browser", "never", "--host", "no-such-name.invalid"]);
    let lines = text(&output.stdout);
    assert_eq!(output.status.code(), Some(0), "being offline breaks nothing: {lines}");
    assert!(lines.contains("note     dns          no-such-name.invalid"), "{lines}");
    assert!(lines.contains("\n                      -> "), "{lines}");
}

#[test]
fn proxies_of_the_environment_are_a_note_without_their_values() {
    let mut command = gleaner(&["doctor", "--json", "--browser", "never", "--host", "localhost"]);
    let report = printed(&command.env("HTTPS_PROXY", "http://me:hush@127.0.0.1:9").output().unwrap());
    let proxies = finding(&report, "proxies");
    assert!(
        proxies["state"] == "note" && proxies["text"].as_str().unwrap().contains("HTTPS_PROXY"),
        "{proxies}"
    );
    assert!(!report.to_string().contains("hush"), "{report}");
}

#[test]
fn what_is_broken_decides_the_exit_code() {
    let place = tempfile::tempdir().unwrap();
    let no_browser = place.path().join("chromium");
    fs::write(&no_browser, "not a program").unwrap();
    let no_browser = no_browser.to_str().unwrap();
    let closed = "postgresql://me:hush@127.0.0.1:1/db";
    for (check, words) in [
        ("database", &["--browser", "never", "--database", closed][..]),
        ("browser", &["--browser", "/no/such/chromium"]),
        ("browser", &["--browser", no_browser]),
    ] {
        let output = run(&[&["doctor", "--json", "--host", "localhost"], words].concat());
        assert_eq!(output.status.code(), Some(1), "{words:?}: {}", stderr(&output));
        let report: Value = serde_json::from_slice(&output.stdout).unwrap();
        let found = finding(&report, check);
        assert!(found["state"] == "broken" && found["remedy"].is_string(), "{words:?}: {report}");
        assert!(report["ok"] == false && !report.to_string().contains("hush"), "{report}");
    }
    let mut command = gleaner(&["doctor", "--json", "--browser", "never", "--host", "localhost"]);
    let output = command.env("TMPDIR", "/no/such/folder").output().unwrap();
    let printed = text(&output.stdout);
    assert!(output.status.code() == Some(1) && printed.contains("TMPDIR"), "{printed}");
    refuses(&["doctor", "--database", "mysql://me:hush@db"], &["--database", "postgresql://"]);
}

#[cfg(unix)]
#[test]
fn a_database_without_tables_is_broken_until_it_is_migrated() {
    let Some(server) = gleaner_testkit::PgServer::shared() else { return };
    let url = server.create_database();
    let doctor = ["doctor", "--json", "--browser", "never", "--host", "localhost", "--database", &url];
    let output = run(&doctor);
    assert_eq!(output.status.code(), Some(1), "{}", stderr(&output));
    let report: Value = serde_json::from_slice(&output.stdout).unwrap();
    let remedy = finding(&report, "database")["remedy"].as_str().unwrap();
    assert!(remedy.contains("gleaner migrate"), "{report}");
    assert!(run(&["migrate", "--database", &url]).status.success());
    let report = printed(&run(&doctor));
    let text = finding(&report, "database")["text"].as_str().unwrap();
    assert!(text.starts_with("PostgreSQL "), "{report}");
}

#[cfg(target_os = "linux")]
#[test]
fn an_installed_browser_renders_a_page() {
    use gleaner::browser::Browser;
    use gleaner_testkit::browser;

    let Some(program) = browser::program(Browser::find()) else { return };
    let report = printed(&run(&["doctor", "--json", "--host", "localhost"]));
    let text = finding(&report, "browser")["text"].as_str().unwrap();
    assert!(text.contains("renders pages") && text.contains(program.to_str().unwrap()), "{report}");
    assert!(text.chars().any(|letter| letter.is_ascii_digit()), "the version is missing: {text}");
    assert_eq!(finding(&report, "sandbox")["state"], "ok", "{report}");
}
