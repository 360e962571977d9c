//! The end of the program by a signal, and the results that are kept.

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

/// Whether the tests were started with hangups ignored. The program inherits that.
fn hangups_are_ignored() -> bool {
    let status = fs::read_to_string("/proc/self/status").unwrap();
    let mask = status.lines().find_map(|line| line.strip_prefix("SigIgn:")).unwrap();
    u64::from_str_radix(mask.trim(), 16).unwrap() & 1 == 1
}

/// Starts a batch of two refused pages and one that never answers. Returns when the two failures are
/// reported.
fn start_batch(place: &Path, server: &RawServer) -> (Child, BufReader<ChildStderr>, String) {
    let list = place.join("list.txt");
    let refused = "http://10.0.0.1/1?token=hush\nhttp://10.0.0.1/2";
    fs::write(&list, format!("{refused}\n{}/\n", server.base_url())).unwrap();
    let out = place.join("pages");
    let words = ["batch", list.to_str().unwrap(), "--out", out.to_str().unwrap(), "-v"];
    let mut child = gleaner(&[&words[..], &LOOPBACK].concat()).spawn().unwrap();
    let mut lines = BufReader::new(child.stderr.take().unwrap());
    let mut stderr = String::new();
    while stderr.matches("  failed  ").count() < 2 {
        assert_ne!(lines.read_line(&mut stderr).unwrap(), 0, "the program ended: {stderr}");
    }
    (child, lines, stderr)
}

#[test]
fn failures_are_listed_during_the_job_and_signals_stop_it() {
    let server = RawServer::start([Step::ReadRequest, Step::Hang]).unwrap();
    for signal in ["KILL", "TERM", "HUP"] {
        if signal == "HUP" && hangups_are_ignored() {
            continue;
        }
        let place = tempfile::tempdir().unwrap();
        let (mut child, mut lines, mut stderr) = start_batch(place.path(), &server);
        send(signal, &child);
        lines.read_to_string(&mut stderr).unwrap();
        let ended = child.wait().unwrap();
        if signal != "KILL" {
            assert_eq!(ended.code(), Some(130), "{signal}: {stderr}");
            assert!(stderr.contains("stopping: finished pages are kept"), "{signal}: {stderr}");
            assert!(stderr.contains("0 pages in "), "{signal}: {stderr}");
        }
        assert!(!stderr.contains("hush"), "{signal}: {stderr}");
        let listed = rows(&place.path().join("pages"), "failures.jsonl");
        let mut listed: Vec<&str> = listed.iter().filter_map(|row| row["url"].as_str()).collect();
        listed.sort_unstable();
        assert_eq!(listed, ["http://10.0.0.1/1?token=hush", "http://10.0.0.1/2"], "{signal}");
    }
}

#[test]
fn an_ignored_hangup_stays_ignored() {
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
    let mut stderr = String::new();
    child.stderr.take().unwrap().read_to_string(&mut stderr).unwrap();
    assert_eq!(child.wait().unwrap().code(), Some(0), "{stderr}");
    assert_eq!(rest + 1, PAGES as usize, "{stderr}");
}
