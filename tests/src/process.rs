//! Runs a test in a separate process to measure its memory.

use std::env;
use std::process::Command;

/// The environment variable with the URL for the child, and the prefix of the line with its result.
const URL: &str = "GLEANER_TEST_URL";
const RESULT: &str = "CHILD ";

/// Peak resident memory of this process in bytes, or 0 if the system does not report it.
#[must_use]
pub fn peak_memory() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:")).unwrap_or_default();
    line.trim().trim_end_matches(" kB").parse::<u64>().unwrap_or(0) * 1024
}

/// Runs the ignored test `name` in its own process and returns what it prints after `CHILD`. The child reads
/// `url` by [`url_from_parent`].
///
/// # Panics
/// If the child prints no such line, because it failed.
#[must_use]
#[expect(clippy::expect_used, reason = "test code: a broken assumption ends the test")]
pub fn run_in_process(name: &str, url: &str) -> String {
    let mut child = Command::new(env::current_exe().expect("the path of the test program"));
    child.args(["--ignored", "--exact", name, "--nocapture"]).env(URL, url);
    let output = child.output().expect("the test program starts");
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    text.lines().find_map(|line| line.split_once(RESULT)).expect(&text).1.to_owned()
}

/// The URL passed to [`run_in_process`]; `None` if the test runs in another way.
#[must_use]
#[expect(clippy::disallowed_methods, reason = "the parent passes the URL to its child")]
pub fn url_from_parent() -> Option<String> {
    env::var(URL).ok()
}
