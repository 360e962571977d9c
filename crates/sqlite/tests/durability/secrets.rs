//! The folder of the secrets is durable before a job whose secrets it has.

use std::fs;
use std::process::Stdio;

use gleaner_testkit::strace;

use super::child;

#[test]
fn the_name_of_the_new_folder_is_synced_before_it_has_secrets() {
    let Some(mut command) = strace::command() else { return };
    let folder = tempfile::tempdir().unwrap();
    let log = folder.path().join("strace");
    command.args(["-f", "-y", "-qq", "-e", "trace=?mkdir,mkdirat,?rename,renameat,renameat2,fsync"]);
    command.arg("-o").arg(&log);
    child::run(&mut command, folder.path(), 1);
    assert!(command.stdout(Stdio::null()).stderr(Stdio::null()).status().unwrap().success());

    let text = fs::read_to_string(log).unwrap();
    let mut calls =
        text.lines().skip_while(|line| !line.contains("mkdir") || !line.contains("jobs.db-secrets"));
    assert!(calls.next().is_some(), "the folder is created");
    let parent = format!("<{}>", folder.path().canonicalize().unwrap().display());
    let mut before_secrets = calls.take_while(|line| !line.contains("rename"));
    assert!(before_secrets.any(|line| line.contains("fsync(") && line.contains(&parent)), "{text}");
}
