//! The process ends at every write, and the medium fails at every write.

use std::process::{Command, ExitStatus, Stdio};

use gleaner_testkit::strace;
use tempfile::TempDir;

use super::{child, file};

/// Documents that a child appends.
const COUNT: u64 = 10;

/// The child under strace with this injection into the calls on the file and its log.
fn inject(folder: &TempDir, injection: &str) -> Option<ExitStatus> {
    let mut command = strace::command()?;
    let path = file::path(folder.path());
    let call = injection.split(':').next().unwrap();
    command.args(["-f", "-qq", "-o", "/dev/null", "-e", &format!("trace={call}")]);
    command.args(["-e", &format!("inject={injection}")]);
    for suffix in ["", "-wal"] {
        command.arg("-P").arg(format!("{}{suffix}", path.display()));
    }
    child::run(&mut command, folder.path(), COUNT);
    Some(quiet(&mut command))
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
    let (mut index, mut kills) = (0, 0);
    loop {
        index += 1;
        let folder = tempfile::tempdir().unwrap();
        let Some(status) = inject(&folder, &format!("pwrite64:signal=SIGKILL:when={index}")) else { return };
        if status.success() {
            assert_eq!(verify(&folder), COUNT);
            break;
        }
        kills += 1;
        if index % 3 == 0 {
            // Another kill while the file is recovered, or soon after.
            inject(&folder, &format!("pwrite64:signal=SIGKILL:when={}", index % 7 + 1));
        }
        let count = verify(&folder);
        assert!(count <= 2 * COUNT);
        // Work goes on in the same file.
        let mut command = Command::new("env");
        child::run(&mut command, folder.path(), COUNT);
        assert!(quiet(&mut command).success());
        assert_eq!(verify(&folder), count + COUNT, "killed at write {index}");
    }
    assert!(kills > 20, "{kills} writes");
}

/// Lets the call fail once at each index until the child makes fewer calls.
fn fail_everywhere(call: &str, error: &str, least: u64) {
    let mut failed_openings = 0;
    for index in 1.. {
        let folder = tempfile::tempdir().unwrap();
        let injection = format!("{call}:error={error}:when={index}");
        let Some(status) = inject(&folder, &injection) else { return };
        let count = verify(&folder);
        if status.success() {
            assert_eq!(count, COUNT, "{injection}");
        } else {
            // The file could not be opened; later errors do not end the process.
            assert_eq!(count, 0, "{injection}");
            failed_openings += 1;
        }
        // The child makes more calls than this; the last ones close the file.
        if index >= least && status.success() && index > least + 20 {
            break;
        }
    }
    assert!(failed_openings < least, "{failed_openings} openings failed");
}

#[test]
fn a_full_disk_at_any_write_loses_nothing() {
    fail_everywhere("pwrite64", "ENOSPC", 30);
}

#[test]
fn an_error_of_the_medium_at_any_write_loses_nothing() {
    fail_everywhere("pwrite64", "EIO", 30);
}

#[test]
fn an_error_of_any_sync_loses_nothing() {
    fail_everywhere("fdatasync", "EIO", 10);
}
