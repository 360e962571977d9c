//! Tests that run in a process of their own, to measure its memory.

use std::env;
use std::process::Command;

/// What the child finds where its parent has served something, and behind what it prints its result.
const URL: &str = "GLEANER_TEST_URL";
const RESULT: &str = "CHILD ";

/// The greatest resident memory of this process so far, in bytes; 0 where the system does not say.
#[must_use]
pub fn peak_memory() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:")).unwrap_or_default();
    line.trim().trim_end_matches(" kB").parse::<u64>().unwrap_or(0) * 1024
}

/// What the ignored test `name` prints behind `CHILD` when it runs alone in a process, with `url` for
/// [`url_from_parent`].
///
/// # Panics
/// Where the child prints no such line: it failed.
#[must_use]
#[expect(clippy::expect_used, reason = "code of tests: a broken assumption ends the test")]
pub fn in_a_process(name: &str, url: &str) -> String {
    let mut child = Command::new(env::current_exe().expect("a test is a program"));
    child.args(["--ignored", "--exact", name, "--nocapture"]).env(URL, url);
    let output = child.output().expect("the test can be started again");
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    text.lines().find_map(|line| line.split_once(RESULT)).expect(&text).1.to_owned()
}

/// What [`in_a_process`] gave; `None` where the test was not begun by it.
#[must_use]
#[expect(clippy::disallowed_methods, reason = "the child learns from its parent where to go")]
pub fn url_from_parent() -> Option<String> {
    env::var(URL).ok()
}
