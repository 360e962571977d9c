//! Options from a file.

use std::fs;

use gleaner_testkit::{Site, SiteSpec};

use crate::support::{lines_of_json, refuses, run, stderr, succeed, text};

#[test]
fn options_come_from_the_file_and_the_command_line_wins() {
    let place = tempfile::tempdir().unwrap();
    let file = place.path().join("gleaner.toml");
    fs::write(
        &file,
        "allow-private = '127.0.0.0/8'\nquiet = true\nbrowser = 'never'\nformats = ['markdown', 'links']\n\
         [crawl]\nlimit = 3\n[map]\nlimit = 2\nsitemap = 'skip'\n",
    )
    .unwrap();
    let file = file.to_str().unwrap();
    let server = Site::generate(SiteSpec::pages(20)).serve().unwrap();
    let url = server.url("/");

    let crawl = run(&["crawl", &url, "--config", file]);
    succeed(&crawl);
    let pages = lines_of_json(&crawl.stdout);
    assert!(pages.len() == 3 && pages.iter().all(|page| page["links"].is_array()), "{pages:?}");
    assert_eq!(stderr(&crawl), "", "quiet is in the file");

    let crawl = run(&["--config", file, "crawl", "--limit", "5", &url, "--formats", "links"]);
    succeed(&crawl);
    let pages = lines_of_json(&crawl.stdout);
    assert!(pages.len() == 5 && pages.iter().all(|page| page.get("markdown").is_none()), "{pages:?}");

    let map = run(&["map", &url, "--config", file, "-v"]);
    assert_eq!(succeed(&map).lines().count(), 2);
    assert!(stderr(&map).contains("2 URLs"), "-v wins over quiet: {}", stderr(&map));
}

#[test]
fn faults_of_a_file_name_it_and_no_value() {
    let place = tempfile::tempdir().unwrap();
    let path = place.path().join("gleaner.toml");
    let file = path.to_str().unwrap();
    let site = "https://example.com";
    for (content, parts) in [
        ("limt = 3", &["gleaner.toml", "`limt`", "`limit`"][..]),
        ("[crawl]\nlimit = 'hush'", &["gleaner.toml", "`limit` of [crawl]", "a number"]),
        ("[crwl]", &["gleaner.toml", "[crwl]", "[crawl]"]),
        ("limit", &["gleaner.toml", "line 1", "TOML"]),
        // clap and the check of the request refuse these.
        (
            "[crawl]\ndatabase = 'hush'",
            &["--database", "postgresql://", "`database` is from", "gleaner.toml"],
        ),
        ("concurrency = 5000", &["--concurrency", "1..=1024", "`concurrency` is from", "gleaner.toml"]),
        ("[crawl]\nlimit = 0", &["--limit", "at least 1", "options of", "gleaner.toml"]),
    ] {
        fs::write(&path, content).unwrap();
        refuses(&["crawl", site, "--config", file], parts);
        let output = run(&["crawl", site, "--config", file]);
        assert!(!text(&output.stderr).contains("hush"), "{content}: {}", text(&output.stderr));
    }
    refuses(&["crawl", site, "--config", "/no/such/file"], &["--config", "/no/such/file", "TOML"]);
}
