//! How the program ends when it is told to by a signal, and what is kept then.

use std::fs;
use std::io::{BufRead as _, BufReader, Read as _};
use std::path::Path;
use std::process::{Child, ChildStderr, Command, Stdio};
use std::time::Duration;

use gleaner_testkit::{RawServer, Site, SiteSpec, Step};
use serde_json::Value;

use crate::support::{LOOPBACK, gleaner, rows};

fn send(signal: &str, child: &Child) {
    let kill = format!("kill -{signal} {}", child.id());
    assert!(Command::new("sh").args(["-c", &kill]).status().unwrap().success());
}

/// Were these tests started with hangups ignored? Then so is the program.
fn hangups_are_ignored() -> bool {
    let status = fs::read_to_string("/proc/self/status").unwrap();
    let mask = status.lines().find_map(|line| line.strip_prefix("SigIgn:")).unwrap();
    u64::from_str_radix(mask.trim(), 16).unwrap() & 1 == 1
}

/// A batch of two pages that are refused and one that never answers; given once the two were told.
fn batch_under_way(place: &Path, server: &RawServer) -> (Child, BufReader<ChildStderr>, String) {
    let list = place.join("list.txt");
    let refused = "http://10.0.0.1/1?token=hush\nhttp://10.0.0.1/2";
    fs::write(&list, format!("{refused}\n{}/\n", server.base_url())).unwrap();
    let out = place.join("pages");
    let words = ["batch", list.to_str().unwrap(), "--out", out.to_str().unwrap(), "-v"];
    let mut child = gleaner(&[&words[..], &LOOPBACK].concat()).spawn().unwrap();
    let mut lines = BufReader::new(child.stderr.take().unwrap());
    let mut told = String::new();
    while told.matches("  failed  ").count() < 2 {
        assert_ne!(lines.read_line(&mut told).unwrap(), 0, "the program ended: {told}");
    }
    (child, lines, told)
}

#[test]
fn what_failed_is_listed_while_the_job_runs_and_signals_end_it_in_good_order() {
    let server = RawServer::start([Step::ReadRequest, Step::Hang]).unwrap();
    for signal in ["KILL", "TERM", "HUP"] {
        if signal == "HUP" && hangups_are_ignored() {
            continue;
        }
        let place = tempfile::tempdir().unwrap();
        let (mut child, mut lines, mut told) = batch_under_way(place.path(), &server);
        send(signal, &child);
        lines.read_to_string(&mut told).unwrap();
        let ended = child.wait().unwrap();
        if signal != "KILL" {
            assert_eq!(ended.code(), Some(130), "{signal}: {told}");
            assert!(told.contains("ending: what is done is kept"), "{signal}: {told}");
            assert!(told.contains("0 pages in "), "{signal}: {told}");
        }
        assert!(!told.contains("hush"), "{signal}: {told}");
        let listed = rows(&place.path().join("pages"), "failures.jsonl");
        let mut listed: Vec<&str> = listed.iter().filter_map(|row| row["url"].as_str()).collect();
        listed.sort_unstable();
        assert_eq!(listed, ["http://10.0.0.1/1?token=hush", "http://10.0.0.1/2"], "{signal}");
    }
}

#[test]
fn a_hangup_that_is_to_be_ignored_is_ignored() {
    const PAGES: u32 = 30;
    let latency = Duration::from_millis(20);
    let server = Site::generate(SiteSpec { latency, ..SiteSpec::pages(PAGES) }).serve().unwrap();
    let nohup = "trap '' HUP; exec \"$0\" \"$@\"";
    let mut child = Command::new("sh")
        .args(["-c", nohup, env!("CARGO_BIN_EXE_gleaner"), "crawl", &server.url("/")])
        .args(LOOPBACK)
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut pages = BufReader::new(child.stdout.take().unwrap()).lines();
    pages.next().unwrap().unwrap();
    send("HUP", &child);
    let rest =
        pages.inspect(|line| drop(serde_json::from_str::<Value>(line.as_ref().unwrap()).unwrap())).count();
    let mut told = String::new();
    child.stderr.take().unwrap().read_to_string(&mut told).unwrap();
    assert_eq!(child.wait().unwrap().code(), Some(0), "{told}");
    assert_eq!(rest + 1, PAGES as usize, "{told}");
}
