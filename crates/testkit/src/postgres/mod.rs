//! Tests with a PostgreSQL server of their own, with PgBouncer before it, and with connections that break.
//!
//! Without an installed server the tests are skipped, and with `CI=true` they fail.

mod bouncer;
mod cleanup;
mod cut_proxy;
mod server;

use std::collections::BTreeSet;
use std::fs;
use std::os::unix::fs::{MetadataExt as _, chown};
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::sync::Mutex;
use std::time::{Duration, Instant};

pub use bouncer::Bouncer;
pub use cut_proxy::{CutProxy, Moment};
pub use server::PgServer;

use crate::browser::NOBODY;

/// Maximum time for a program to start or to end. A slow machine needs seconds.
const LIMIT: Duration = Duration::from_secs(60);

/// The program that was `found`, or `None` after a line that says that tests are skipped.
///
/// # Panics
/// With `CI=true`, if it was not found.
#[expect(
    clippy::print_stdout,
    clippy::disallowed_methods,
    reason = "tests say that they are skipped; CI skips none"
)]
fn installed(found: Option<PathBuf>, package: &'static str) -> Option<PathBuf> {
    static NAMED: Mutex<BTreeSet<&str>> = Mutex::new(BTreeSet::new());
    if found.is_none() {
        let text = format!("{package} is not installed; on Debian: apt-get install {package}");
        assert!(!std::env::var("CI").is_ok_and(|ci| ci == "true"), "{text}");
        if NAMED.lock().expect("no holder panics").insert(package) {
            println!("SKIPPED: {text}");
        }
    }
    found
}

/// A program as an unprivileged user: PostgreSQL and PgBouncer refuse to run as root.
fn unprivileged(program: &Path) -> Command {
    if !is_root() {
        return Command::new(program);
    }
    let mut command = Command::new("setpriv");
    command.args([format!("--reuid={NOBODY}"), format!("--regid={NOBODY}"), "--clear-groups".to_owned()]);
    command.arg(program);
    command
}

/// A new temporary folder for the programs that run as an unprivileged user. Its path has no links.
fn folder() -> PathBuf {
    let folder = tempfile::Builder::new().prefix("gleaner-postgres-").tempdir().expect("a temporary folder");
    let path = fs::canonicalize(folder.keep()).expect("the folder exists");
    if is_root() {
        chown(&path, Some(NOBODY), Some(NOBODY)).expect("root may give a folder away");
    }
    path
}

fn is_root() -> bool {
    fs::metadata("/proc/self").is_ok_and(|process| process.uid() == 0)
}

/// Sends a signal to these processes. Some may have ended.
fn signal(name: &str, processes: &[u32]) {
    let ids = processes.iter().map(u32::to_string);
    let command = "signal=$1; shift; for id; do kill -s \"$signal\" \"$id\" 2>/dev/null; done; true";
    let status = Command::new("sh").args(["-c", command, "sh", name]).args(ids).status();
    assert!(status.is_ok_and(|status| status.success()), "a shell can send signals");
}

/// Runs a program to its end.
fn run(command: &mut Command) -> Output {
    let output = command.output().unwrap_or_else(|error| panic!("{command:?}: {error}"));
    assert!(output.status.success(), "{command:?}: {}", String::from_utf8_lossy(&output.stderr));
    output
}

/// Waits until `is_done`, and panics with `what` if it takes too long.
fn wait_until(mut is_done: impl FnMut() -> bool, what: impl Fn() -> String) {
    let begin = Instant::now();
    while !is_done() {
        assert!(begin.elapsed() < LIMIT, "{}", what());
        std::thread::sleep(Duration::from_millis(5));
    }
}
