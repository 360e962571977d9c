//! The process that is killed: it appends documents and notes which were acknowledged.

use std::fs::{self, OpenOptions};
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::Command;

use gleaner_store::journal::Journal as _;

use super::file;

/// The folder of the child, and the number of documents that it appends.
const FOLDER: &str = "GLEANER_TEST_FOLDER";
const COUNT: &str = "GLEANER_TEST_COUNT";

/// The file in which the child notes what was acknowledged, one number in a line.
pub(crate) fn notes(folder: &Path) -> PathBuf {
    folder.join("acknowledged")
}

/// The number of documents that the notes of a child acknowledge. The last line may be incomplete.
pub(crate) fn acknowledged(notes: &str) -> u64 {
    let whole = notes.rsplit_once('\n').map_or("", |(whole, _)| whole);
    whole.lines().filter_map(|line| line.parse().ok()).max().unwrap_or(0)
}

/// The number of documents that were acknowledged in this folder.
pub(crate) fn acknowledged_in(folder: &Path) -> u64 {
    acknowledged(&fs::read_to_string(notes(folder)).unwrap_or_default())
}

/// Adds the arguments that run the child to a command that starts programs.
pub(crate) fn run(command: &mut Command, folder: &Path, count: u64) {
    command.arg(std::env::current_exe().unwrap());
    command.args(["--ignored", "--exact", "child::child", "--nocapture", "--test-threads=1"]);
    command.env(FOLDER, folder).env(COUNT, count.to_string());
}

#[test]
#[ignore = "run by other tests, in a process of its own"]
#[expect(clippy::disallowed_methods, reason = "the parent passes the folder to its child")]
fn child() {
    let Ok(folder) = std::env::var(FOLDER) else { return };
    let count: u64 = std::env::var(COUNT).unwrap().parse().unwrap();
    let folder = PathBuf::from(folder);
    let (journal, state) = file::open(&file::path(&folder));
    let mut notes = OpenOptions::new().create(true).append(true).open(notes(&folder)).unwrap();
    let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
    let durable = |ticket: u64| {
        let mut committed = journal.committed();
        runtime.block_on(committed.wait_for(|committed| committed.through >= ticket)).unwrap();
    };
    let first = state.jobs.first().map_or(0, |job| job.documents().unwrap().len() as u64);
    let is_new = state.jobs.is_empty();
    // Its reader holds the log back.
    drop(state);
    if is_new {
        durable(journal.append(vec![file::submit()]));
    }
    for position in first..first + count {
        let mut page = file::page(position);
        // Some share a commit, and most have one of their own.
        page.urgent = position % 4 != 0;
        let ticket = journal.append(vec![page]);
        if position % 4 != 0 {
            durable(ticket);
            notes.write_all(format!("{}\n", position + 1).as_bytes()).unwrap();
        }
    }
}
