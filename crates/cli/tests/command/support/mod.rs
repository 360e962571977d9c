//! Runs of the program.
#![allow(dead_code, reason = "each test program uses a part of this module")]

use std::fs;
use std::io::Write as _;
use std::path::Path;
use std::process::{Command, Output, Stdio};

use serde_json::Value;

pub(crate) const LOOPBACK: [&str; 2] = ["--allow-private", "127.0.0.0/8"];

pub(crate) fn gleaner(words: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_gleaner"));
    command.args(words).stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    command
}

pub(crate) fn run(words: &[&str]) -> Output {
    gleaner(words).output().unwrap()
}

/// Runs the program with loopback addresses allowed.
pub(crate) fn run_on_loopback(words: &[&str]) -> Output {
    run(&[words, &LOOPBACK].concat())
}

pub(crate) fn run_with_input(words: &[&str], input: &[u8]) -> Output {
    let mut child = gleaner(words).stdin(Stdio::piped()).spawn().unwrap();
    // Ignore errors: a program that ends without reading its input closes the pipe.
    let _ = child.stdin.take().unwrap().write_all(input);
    child.wait_with_output().unwrap()
}

pub(crate) fn text(bytes: &[u8]) -> String {
    String::from_utf8(bytes.to_vec()).unwrap()
}

/// Standard error.
pub(crate) fn stderr(output: &Output) -> String {
    text(&output.stderr)
}

/// Asserts success and returns standard output.
pub(crate) fn succeed(output: &Output) -> String {
    assert_eq!(output.status.code(), Some(0), "{}", stderr(output));
    text(&output.stdout)
}

/// Asserts success and returns standard output as JSON.
pub(crate) fn printed(output: &Output) -> Value {
    serde_json::from_str(&succeed(output)).unwrap()
}

pub(crate) fn lines_of_json(bytes: &[u8]) -> Vec<Value> {
    text(bytes).lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

/// The rows of a JSON Lines file; empty if there is none.
pub(crate) fn rows(folder: &Path, name: &str) -> Vec<Value> {
    fs::read(folder.join(name)).map(|bytes| lines_of_json(&bytes)).unwrap_or_default()
}

/// Asserts wrong usage: no standard output, exit code 2, and an error with each of these parts.
pub(crate) fn refuses(words: &[&str], parts: &[&str]) {
    let output = run(words);
    let stderr = stderr(&output);
    assert_eq!(output.status.code(), Some(2), "{words:?}: {stderr}");
    assert!(output.stdout.is_empty(), "{words:?} printed to standard output");
    for part in parts {
        assert!(stderr.contains(part), "{words:?} does not report {part:?}: {stderr}");
    }
    // Names of the library and of JSON fields mean nothing at a shell.
    for word in ["EngineBuilder", "`urls`", "`prompt`", "`schema`"] {
        assert!(!stderr.contains(word), "{words:?} reports {word:?}: {stderr}");
    }
}
