//! The process ends at every write, and the medium fails at every write.

use std::fs;
use std::process::{Command, ExitStatus, Stdio};

use gleaner_testkit::strace;
use tempfile::TempDir;

use super::{child, file};

/// Documents that a child appends.
const COUNT: u64 = 8;

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

/// An empty folder, or one with a file that was opened before. `strace` counts the calls of each thread: in a
/// new file the thread that opens it makes most of them, and in an opened one the writer does.
fn folder(is_new: bool) -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    if !is_new {
        drop(file::open(&file::path(folder.path())));
    }
    folder
}

#[test]
fn a_kill_at_any_write_to_a_new_file_loses_nothing() {
    let Some((writes, _)) = kill_everywhere(true) else { return };
    assert!(writes > 30, "{writes} writes");
}

#[test]
fn a_kill_at_any_write_loses_nothing() {
    let Some((writes, documents)) = kill_everywhere(false) else { return };
    assert!(writes > 20 && documents >= COUNT, "{writes} writes, at most {documents} documents");
}

/// Kills children at every write. Returns the number of writes, and the most documents of a killed child.
fn kill_everywhere(is_new: bool) -> Option<(u64, u64)> {
    let (mut index, mut count) = (0, 0);
    loop {
        index += 1;
        let folder = folder(is_new);
        let run = inject(&folder, &format!("pwrite64:signal=SIGKILL:when={index}"))?;
        if !run.was_disturbed {
            assert!(run.status.success() && verify(&folder) == COUNT);
            return Some((index, count));
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
}

/// Lets every `step`-th call fail once, until the child makes fewer calls, in a new file and in an opened one.
fn fail_everywhere(call: &str, error: &str, step: usize) {
    let Some((_, failed)) = fail_at_each(call, error, step, true) else { return };
    assert!(failed > 0, "no opening failed");
    let Some((survived, _)) = fail_at_each(call, error, step, false) else { return };
    assert!(survived > 3, "{survived} errors survived");
}

/// Returns how many children survived their error, and how many could not open the file.
fn fail_at_each(call: &str, error: &str, step: usize, is_new: bool) -> Option<(u64, u64)> {
    let (mut failed_openings, mut survived) = (0, 0);
    for index in (1..).step_by(step) {
        let folder = folder(is_new);
        let injection = format!("{call}:error={error}:when={index}");
        let run = inject(&folder, &injection)?;
        let count = verify(&folder);
        if run.status.success() {
            assert_eq!(count, COUNT, "{injection}");
        } else {
            // The file could not be opened; later errors do not end the process.
            assert_eq!(count, 0, "{injection}");
            failed_openings += 1;
        }
        if !run.was_disturbed {
            return Some((survived, failed_openings));
        }
        survived += u64::from(run.status.success());
    }
    unreachable!("the loop ends with a child that is not disturbed")
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
    fail_everywhere("fsync,fdatasync", "EIO", 1);
}
