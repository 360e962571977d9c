//! Output on a full disk: whole lines and whole files, and an error that names the file.

use std::fs::{self, File};
use std::process::{Command, Output, Stdio};

use gleaner_testkit::{Site, SiteSpec};
use serde_json::Value;

use crate::support::{LOOPBACK, gleaner, rows, run_with_input, stderr};

/// Runs the program with a limit on file sizes, in blocks of 512 or 1,024 bytes. A write fails after a part
/// of it was written.
fn run_with_file_limit(blocks: u32, words: &[&str], out: Stdio) -> Output {
    let limited = format!("ulimit -f {blocks}; trap '' XFSZ; exec \"$0\" \"$@\"");
    Command::new("sh")
        .args(["-c", &limited, env!("CARGO_BIN_EXE_gleaner")])
        .args(words)
        .args(LOOPBACK)
        .stdin(Stdio::null())
        .stdout(out)
        .stderr(Stdio::piped())
        .output()
        .unwrap()
}

#[test]
fn lines_on_standard_output_are_whole() {
    let place = tempfile::tempdir().unwrap();
    let path = place.path().join("pages.jsonl");
    let server = Site::generate(SiteSpec::pages(100)).serve().unwrap();
    let output = run_with_file_limit(200, &["crawl", &server.url("/")], File::create(&path).unwrap().into());
    assert_eq!(output.status.code(), Some(1), "{}", stderr(&output));
    assert!(stderr(&output).contains("cannot write to standard output: "), "{}", stderr(&output));
    let written = rows(place.path(), "pages.jsonl");
    assert!(!written.is_empty());
    assert!(fs::read(&path).unwrap().ends_with(b"\n"), "the last line is cut");
}

#[test]
fn files_of_a_folder_are_whole() {
    let place = tempfile::tempdir().unwrap();
    let folder = place.path().to_str().unwrap();
    let server = Site::generate(SiteSpec::pages(100)).serve().unwrap();
    let output = run_with_file_limit(2, &["crawl", &server.url("/"), "--out", folder], Stdio::piped());
    assert_eq!(output.status.code(), Some(1), "{}", stderr(&output));
    assert!(stderr(&output).contains(&format!("cannot write {folder}")), "{}", stderr(&output));
    let _: Vec<Value> = rows(place.path(), "index.jsonl");
    for file in fs::read_dir(place.path()).unwrap() {
        let path = file.unwrap().path();
        let content = fs::read(&path).unwrap();
        assert!(content.is_empty() || content.ends_with(b"\n"), "{} is cut", path.display());
        assert_ne!(path.extension().and_then(|kind| kind.to_str()), Some("new"), "{}", path.display());
    }
}

#[test]
fn a_full_device_is_named() {
    let full = File::options().write(true).open("/dev/full").unwrap();
    let output = gleaner(&["convert", "Cargo.toml"]).stdout(full).output().unwrap();
    assert_eq!(output.status.code(), Some(1), "{}", stderr(&output));
    assert!(stderr(&output).contains("cannot write to standard output: "), "{}", stderr(&output));

    let output = run_with_input(&["batch", "-", "--failures", "/dev/full"], b"http://10.0.0.1/\n");
    assert_eq!(output.status.code(), Some(1), "{}", stderr(&output));
    assert!(stderr(&output).contains("cannot write /dev/full: "), "{}", stderr(&output));
}
