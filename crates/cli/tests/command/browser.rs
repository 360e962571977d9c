//! Pages in a browser. Tests with an installed Chromium say that they are skipped if there is none; with
//! `CI=true`, that is a failure.

use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::thread;
use std::time::{Duration, Instant};

use gleaner::browser::Browser;
use gleaner_testkit::{HostilePage, PageServer, RawServer, Step, browser};
use serde_json::{Value, json};
use tempfile::TempDir;

use super::support::{
    LOOPBACK, gleaner, lines_of_json, printed, refuses, run, run_on_loopback, stderr, succeed,
};

const PNG: &[u8] = b"\x89PNG\r\n\x1a\n";

/// A page whose script writes its text, and another text after a click.
const SCRIPTED: &str = "<!doctype html><title>Tea</title><div id=app></div><script>
    app.innerHTML = '<main><h1>Tea</h1><p>Green or black, from four gardens.</p><p id=more>More</p></main>';
    more.onclick = () => more.replaceWith('White as well.');
</script>";

fn is_installed() -> bool {
    browser::program(Browser::find()).is_some()
}

fn site() -> (PageServer, String) {
    let server = PageServer::start(vec![HostilePage::html("/tea", SCRIPTED)]).unwrap();
    let url = format!("{}/tea", server.base_url());
    (server, url)
}

#[test]
fn wrong_usage_of_the_browser_is_explained() {
    let place = tempfile::tempdir().unwrap();
    let file = |name: &str, text: &str| {
        let path = place.path().join(name);
        fs::write(&path, text).unwrap();
        path.to_str().unwrap().to_owned()
    };
    let site = "https://example.com";
    let good = file("good.json", r##"[{"type":"click","selector":"#more"}]"##);
    let no_json = file("no.json", "click");
    let object = file("object.json", r#"{"type":"scrape"}"#);
    let incomplete = file("incomplete.json", r#"[{"type":"scrape"},{"type":"click"}]"#);
    let install = "apt-get install chromium-headless-shell";
    let rows: &[(&[&str], &[&str])] = &[
        (&["--browser", "/no/such/chromium"], &["--browser", "/no/such/chromium", "auto"]),
        (&["--browser-user", "nobody"], &["--browser-user", "65534:65534"]),
        (&["--browser-user", "0"], &["--browser-user", "root"]),
        (&["--actions", "/no/such/file"], &["--actions", "No such file", "list of actions"]),
        (&["--actions", &no_json], &["--actions", "not JSON"]),
        (&["--actions", &object], &["--actions", "JSON array"]),
        (&["--actions", &incomplete], &["--actions", "[1].selector", "missing"]),
        (&["--actions", &good, "--browser", "never"], &["--actions", "--browser", install]),
        (
            &["--formats", "markdown,screenshot", "--browser", "never"],
            &["`screenshot`", "--browser", install],
        ),
        (&["--formats", "screenshot"], &["--formats screenshot", "--out DIR", "markdown,screenshot"]),
        (&["--formats", r#"{"type":"screenshot","fullPage":true}"#], &["--formats screenshot", "--out DIR"]),
    ];
    for (options, wanted) in rows {
        refuses(&[&["scrape", site], *options].concat(), wanted);
    }
    refuses(&["crawl", site, "--formats", "screenshot", "--browser", "never"], &["--formats", install]);
}

#[test]
fn a_page_that_needs_a_browser_names_the_remedy() {
    let (_server, url) = site();
    let output = run_on_loopback(&["scrape", &url, "--browser", "never"]);
    assert_eq!(output.status.code(), Some(1), "{}", stderr(&output));
    for part in ["JavaScript", "apt-get install chromium-headless-shell", "--browser"] {
        assert!(stderr(&output).contains(part), "{part} is missing: {}", stderr(&output));
    }
}

#[test]
fn a_page_that_a_script_writes_is_rendered_and_pictures_are_files() {
    if !is_installed() {
        return;
    }
    let (_server, url) = site();
    let place = tempfile::tempdir().unwrap();
    let out = place.path().to_str().unwrap();
    assert!(succeed(&run_on_loopback(&["scrape", &url])).contains("Green or black, from four gardens."));

    let output = run_on_loopback(&["scrape", &url, "--formats", "markdown,screenshot", "--out", out]);
    succeed(&output);
    let index = lines_of_json(&fs::read(place.path().join("index.jsonl")).unwrap());
    let (page, picture) = (index[0]["file"].as_str().unwrap(), index[0]["media"][0].as_str().unwrap());
    assert_eq!(page.strip_suffix(".md"), picture.strip_suffix(".png"));
    assert!(fs::read_to_string(place.path().join(page)).unwrap().contains("Green or black"));
    assert!(fs::read(place.path().join(picture)).unwrap().starts_with(PNG));
    let document = fs::read(place.path().join(page.replace(".md", ".json"))).unwrap();
    assert_eq!(serde_json::from_slice::<Value>(&document).unwrap()["screenshot"], picture);
    for file in [page, picture] {
        let written = format!("written to {}", place.path().join(file).display());
        assert!(stderr(&output).contains(&written), "{}", stderr(&output));
    }
}

#[test]
fn results_of_actions_are_printed_as_json() {
    if !is_installed() {
        return;
    }
    let (_server, url) = site();
    let place = tempfile::tempdir().unwrap();
    let file = place.path().join("actions.json");
    let actions = json!([
        { "type": "click", "selector": "#more" },
        { "type": "executeJavascript", "script": "return document.title" },
        { "type": "screenshot" },
    ]);
    fs::write(&file, actions.to_string()).unwrap();
    let words = ["scrape", &url, "--actions", file.to_str().unwrap()];
    let document = printed(&run_on_loopback(&words));
    assert!(document["markdown"].as_str().unwrap().contains("White as well."), "{}", document["markdown"]);
    assert_eq!(document["actions"]["javascriptReturns"][0]["value"], "Tea");
    assert!(document["actions"]["screenshots"][0].as_str().unwrap().starts_with("data:image/png;base64,"));

    // An action without a result leaves the text.
    fs::write(&file, json!([actions[0]]).to_string()).unwrap();
    assert!(succeed(&run_on_loopback(&words)).contains("White as well."));
}

#[test]
fn a_crawl_counts_its_pictures() {
    if !is_installed() {
        return;
    }
    let (_server, url) = site();
    let place = tempfile::tempdir().unwrap();
    let out = place.path().to_str().unwrap();
    let output =
        run_on_loopback(&["crawl", &url, "--limit", "1", "--formats", "markdown,screenshot", "--out", out]);
    succeed(&output);
    assert!(stderr(&output).contains("lists the pages and 1 picture or PDF"), "{}", stderr(&output));
}

#[test]
fn the_demo_renders_its_page_of_scripts() {
    let demo = |options: &[&str]| {
        let place = tempfile::tempdir().unwrap();
        let out = place.path().join("tea");
        let report = succeed(&run(&[&["demo", "--out", out.to_str().unwrap()], options].concat()));
        (report, fs::read_to_string(out.join("board.md")).unwrap())
    };
    let (report, board) = demo(&["--browser", "never"]);
    assert!(report.contains("apt-get install chromium-headless-shell"), "{report}");
    assert_eq!(board.trim(), "");
    if is_installed() {
        let (report, board) = demo(&[]);
        assert!(report.contains("A script writes /board: Chromium rendered it."), "{report}");
        assert!(board.contains("| Weir Mint | picked this morning | £2.40 |"), "{board}");
    }
}

/// A folder for temporary files, which the user of a browser can enter.
fn temporary() -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    fs::set_permissions(folder.path(), fs::Permissions::from_mode(0o755)).unwrap();
    folder
}

/// The number of processes with a profile in `folder`: in their command line, or as their home.
fn processes(folder: &Path) -> usize {
    let (profile, home) =
        (format!("--user-data-dir={}/", folder.display()), format!("HOME={}/", folder.display()));
    let has = |file: PathBuf, part: &str| {
        fs::read(file).is_ok_and(|bytes| String::from_utf8_lossy(&bytes).contains(part))
    };
    let all = fs::read_dir("/proc").unwrap().filter_map(|entry| Some(entry.ok()?.path()));
    all.filter(|path| has(path.join("cmdline"), &profile) || has(path.join("environ"), &home)).count()
}

/// Waits until `is_true`, at most a while.
fn eventually(what: &str, is_true: impl Fn() -> bool) {
    let end = Instant::now() + Duration::from_secs(20);
    while !is_true() {
        assert!(Instant::now() < end, "{what}");
        thread::sleep(Duration::from_millis(20));
    }
}

#[test]
fn nothing_of_the_browser_remains() {
    if !is_installed() {
        return;
    }
    let (_server, url) = site();
    let folder = temporary();
    let output: Output =
        gleaner(&["scrape", &url, LOOPBACK[0], LOOPBACK[1]]).env("TMPDIR", folder.path()).output().unwrap();
    succeed(&output);
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 0, "a profile remains");
    eventually("a process remains", || processes(folder.path()) == 0);
}

#[test]
fn nothing_of_the_browser_remains_after_a_signal() {
    if !is_installed() {
        return;
    }
    for (signals, code) in [(&["INT"][..], Some(130)), (&["INT", "INT"], Some(130)), (&["KILL"], None)] {
        let server = RawServer::start([Step::ReadRequest, Step::Hang]).unwrap();
        let folder = temporary();
        let mut command =
            gleaner(&["scrape", &server.base_url(), LOOPBACK[0], LOOPBACK[1], "--wait-for", "1"]);
        let mut child = command.env("TMPDIR", folder.path()).spawn().unwrap();
        eventually("the browser requests nothing", || !server.requests().is_empty());
        assert_ne!(processes(folder.path()), 0, "{signals:?}: the browser was not found");
        for signal in signals {
            let kill = format!("kill -{signal} {}", child.id());
            // The second signal may come after the end.
            let _ = Command::new("sh").args(["-c", &kill]).output().unwrap();
        }
        assert_eq!(child.wait().unwrap().code(), code, "{signals:?}");
        eventually("a process remains", || processes(folder.path()) == 0);
        if code.is_some() {
            assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 0, "{signals:?}: a profile remains");
        }
    }
}
