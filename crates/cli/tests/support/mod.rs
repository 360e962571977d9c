//! The program, run as a person or a script runs it.
#![allow(dead_code, reason = "each test program uses a part of it")]

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

/// With loopback open.
pub(crate) fn run_at_home(words: &[&str]) -> Output {
    run(&[words, &LOOPBACK].concat())
}

pub(crate) fn run_with_input(words: &[&str], input: &[u8]) -> Output {
    let mut child = gleaner(words).stdin(Stdio::piped()).spawn().unwrap();
    // A program that ends without reading its input closes the pipe: what it says is looked at, not this.
    let _ = child.stdin.take().unwrap().write_all(input);
    child.wait_with_output().unwrap()
}

pub(crate) fn text(bytes: &[u8]) -> String {
    String::from_utf8(bytes.to_vec()).unwrap()
}

/// What was said on standard error.
pub(crate) fn told(output: &Output) -> String {
    text(&output.stderr)
}

/// Ends well, and gives standard output.
pub(crate) fn succeed(output: &Output) -> String {
    assert_eq!(output.status.code(), Some(0), "{}", told(output));
    text(&output.stdout)
}

/// Ends well, and gives standard output as JSON.
pub(crate) fn printed(output: &Output) -> Value {
    serde_json::from_str(&succeed(output)).unwrap()
}

pub(crate) fn lines_of_json(bytes: &[u8]) -> Vec<Value> {
    text(bytes).lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

/// A file of JSON Lines; empty where there is none.
pub(crate) fn rows(folder: &Path, name: &str) -> Vec<Value> {
    fs::read(folder.join(name)).map(|bytes| lines_of_json(&bytes)).unwrap_or_default()
}

/// Wrong usage: nothing on standard output, exit code 2, and each of these is told.
pub(crate) fn refuses(words: &[&str], wanted: &[&str]) {
    let output = run(words);
    let told = told(&output);
    assert_eq!(output.status.code(), Some(2), "{words:?}: {told}");
    assert!(output.stdout.is_empty(), "{words:?} printed to standard output");
    for part in wanted {
        assert!(told.contains(part), "{words:?} does not tell {part:?}: {told}");
    }
    // What a program calls is no use at a shell.
    for word in ["EngineBuilder", "`urls`", "`prompt`", "`schema`"] {
        assert!(!told.contains(word), "{words:?} tells {word:?}: {told}");
    }
}
