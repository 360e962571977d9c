//! What belongs to a shell: completions, manual pages and colours.

use std::fs;

use gleaner_testkit::{Site, SiteSpec};

use crate::support::{LOOPBACK, gleaner, refuses, run, stderr, succeed, text};

#[test]
fn completions_know_the_commands_and_options_of_each_shell() {
    for shell in ["bash", "elvish", "fish", "powershell", "zsh"] {
        let output = run(&["completions", shell]);
        let script = succeed(&output);
        for part in ["gleaner", "doctor", "max-discovery-depth"] {
            assert!(script.contains(part), "{shell} does not complete {part}");
        }
        assert_eq!(stderr(&output), "", "{shell}");
    }
    let script = succeed(&run(&["completions", "bash"]));
    assert!(script.contains("\"include skip only\""), "bash completes --sitemap with files");
    refuses(&["completions", "cmd"], &["cmd", "bash", "zsh"]);
}

#[test]
fn a_manual_page_is_written_for_each_command() {
    let place = tempfile::tempdir().unwrap();
    let folder = place.path().join("man/man1");
    let output = run(&["man", folder.to_str().unwrap()]);
    succeed(&output);
    assert!(stderr(&output).contains("gleaner.1"), "{}", stderr(&output));
    let page = |name: &str| fs::read_to_string(folder.join(name)).unwrap();
    assert!(page("gleaner.1").contains("crawl"), "{}", page("gleaner.1"));
    let crawl = page("gleaner-crawl.1");
    for part in ["max", "NETWORK", "Crawl a site", "config"] {
        assert!(crawl.contains(part), "{part} is missing:\n{crawl}");
    }
    // Examples are copied, so a line stays a line.
    let examples = crawl.split(".SH EXAMPLES").nth(1).unwrap();
    assert!(examples.lines().any(|line| line.starts_with("gleaner crawl ")), "{examples}");
    assert!(examples.trim_start().starts_with(".nf"), "{examples}");
    for command in ["scrape", "batch", "doctor", "completions", "man", "openapi"] {
        assert!(!page(&format!("gleaner-{command}.1")).is_empty(), "{command}");
    }
    refuses(&["man", "/dev/null/pages"], &["<DIR>", "/dev/null/pages", "writable"]);
}

#[test]
fn nothing_is_coloured_outside_of_a_terminal() {
    let server = Site::generate(SiteSpec::pages(2)).serve().unwrap();
    let crawl = ["crawl", &server.url("/"), LOOPBACK[0], LOOPBACK[1], "-vv"];
    for words in
        [&crawl[..], &["crwl"], &["--help"], &["scrape", "--limit", "2"], &["doctor", "--browser", "never"]]
    {
        let output = gleaner(words).env("TERM", "xterm-256color").output().unwrap();
        for printed in [text(&output.stdout), text(&output.stderr)] {
            assert!(!printed.contains('\u{1b}'), "{words:?}: {printed}");
        }
    }
}
