//! The process ends at every write, and the medium fails at every write.

use std::fs;
use std::process::{Command, ExitStatus, Stdio};

use gleaner_testkit::strace;
use tempfile::TempDir;

use super::{child, file};

/// Documents that a child appends.
const COUNT: u64 = 5;

/// How a child ended.
struct Run {
    status: ExitStatus,
    /// It made enough calls for the injection to happen.
    was_disturbed: bool,
}

/// Runs the child under strace with this injection into its calls on the file and its log.
fn inject(folder: &TempDir, injection: &str) -> Option<Run> {
    let mut command = strace::command()?;
    let (path, log) = (file::path(folder.path()), folder.path().join("strace"));
    let call = injection.split(':').next().unwrap();
    command.args(["-f", "-qq", "-e", &format!("trace={call}"), "-e", &format!("inject={injection}")]);
    for suffix in ["", "-wal"] {
        command.arg("-P").arg(format!("{}{suffix}", path.display()));
    }
    command.arg("-o").arg(&log);
    child::run(&mut command, folder.path(), COUNT);
    let status = quiet(&mut command);
    let was_killed = injection.contains("SIGKILL") && !status.success();
    let was_disturbed = was_killed || fs::read_to_string(log).unwrap().contains("INJECTED");
    Some(Run { status, was_disturbed })
}

fn quiet(command: &mut Command) -> ExitStatus {
    command.stdout(Stdio::null()).stderr(Stdio::null()).status().unwrap()
}

/// Checks the folder of a child that ended. Returns the number of documents.
fn verify(folder: &TempDir) -> u64 {
    let path = file::path(folder.path());
    if path.exists() { file::verify(&path, child::acknowledged_in(folder.path())) } else { 0 }
}

#[test]
fn a_kill_at_any_write_loses_nothing() {
    let (mut index, mut count) = (0, 0);
    loop {
        index += 1;
        let folder = tempfile::tempdir().unwrap();
        let Some(run) = inject(&folder, &format!("pwrite64:signal=SIGKILL:when={index}")) else { return };
        if !run.was_disturbed {
            assert!(run.status.success() && verify(&folder) == COUNT);
            break;
        }
        if index % 3 == 0 {
            // Another kill while the file is recovered, or soon after.
            inject(&folder, &format!("pwrite64:signal=SIGKILL:when={}", index % 7 + 1));
        }
        count = verify(&folder).max(count);
        if index % 3 == 0 {
            // Work goes on in the same file.
            let before = verify(&folder);
            let mut command = Command::new("env");
            child::run(&mut command, folder.path(), COUNT);
            assert!(quiet(&mut command).success());
            assert_eq!(verify(&folder), before + COUNT, "killed at write {index}");
        }
    }
    assert!(index > 30 && count >= COUNT, "{index} writes, at most {count} documents");
}

/// Lets every `step`-th call fail once, until the child makes fewer calls.
fn fail_everywhere(call: &str, error: &str, step: usize) {
    let (mut failed_openings, mut survived) = (0, 0);
    for index in (1..).step_by(step) {
        let folder = tempfile::tempdir().unwrap();
        let injection = format!("{call}:error={error}:when={index}");
        let Some(run) = inject(&folder, &injection) else { return };
        let count = verify(&folder);
        if run.status.success() {
            assert_eq!(count, COUNT, "{injection}");
        } else {
            // The file could not be opened; later errors do not end the process.
            assert_eq!(count, 0, "{injection}");
            failed_openings += 1;
        }
        if !run.was_disturbed {
            break;
        }
        survived += usize::from(run.status.success());
    }
    assert!(survived > 4, "{survived} errors survived, {failed_openings} openings failed");
}

#[test]
fn a_full_disk_at_any_write_loses_nothing() {
    fail_everywhere("pwrite64", "ENOSPC", 3);
}

#[test]
fn an_error_of_the_medium_at_any_write_loses_nothing() {
    fail_everywhere("pwrite64", "EIO", 3);
}

#[test]
fn an_error_of_any_sync_loses_nothing() {
    fail_everywhere("fdatasync", "EIO", 1);
}
