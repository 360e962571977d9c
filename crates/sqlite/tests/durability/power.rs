//! The power fails: of what was written since the last sync of a file, any part is on the disk, in any order.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Stdio;

use gleaner_sqlite::Reader;
use gleaner_testkit::strace::{self, Change};

use super::{child, file};

/// Documents that the child appends: enough for the log to begin again several times.
const COUNT: u64 = 600;

/// Moments at which the power fails, with what is lost then.
const SCHEDULES: u64 = 200;

/// The size of the parts that a disk writes as a whole.
const SECTOR: usize = 512;

/// Random numbers that are the same in each run.
struct Random(u64);

impl Random {
    fn below(&mut self, bound: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 % bound.max(1) as u64) as usize
    }
}

/// A file on a disk: what is durable, and the changes since.
#[derive(Debug, Clone, Default)]
struct DiskFile {
    durable: Option<Vec<u8>>,
    pending: Vec<Change>,
}

fn apply(content: &mut Option<Vec<u8>>, change: &Change) {
    match change {
        Change::Write { offset, data, .. } => {
            let content = content.get_or_insert_default();
            let start = *offset as usize;
            content.resize(content.len().max(start + data.len()), 0);
            content[start..start + data.len()].copy_from_slice(data);
        }
        Change::Truncate { length, .. } => content.get_or_insert_default().resize(*length as usize, 0),
        Change::Remove { .. } => *content = None,
        Change::Append { .. } | Change::Sync { .. } => {}
    }
}

impl DiskFile {
    fn sync(&mut self) {
        for change in std::mem::take(&mut self.pending) {
            apply(&mut self.durable, &change);
        }
    }

    /// What is left of it if the power fails now.
    fn after_power_loss(&self, random: &mut Random) -> Option<Vec<u8>> {
        let mut content = self.durable.clone();
        let mut left = self.pending.clone();
        while !left.is_empty() {
            let change = left.swap_remove(random.below(left.len()));
            match (random.below(3), change) {
                // It never came to the disk.
                (0, _) => {}
                (1, Change::Write { path, offset, mut data }) => {
                    // Torn: some of its sectors, from the beginning or to the end.
                    let cut = random.below(data.len() / SECTOR + 1) * SECTOR;
                    let (offset, data) = match random.below(2) {
                        0 => {
                            data.truncate(cut);
                            (offset, data)
                        }
                        _ => (offset + cut as u64, data.split_off(cut)),
                    };
                    apply(&mut content, &Change::Write { path, offset, data });
                }
                (_, change) => apply(&mut content, &change),
            }
        }
        content
    }
}

/// The changes of a child that was not disturbed.
fn changes(folder: &Path) -> Option<Vec<Change>> {
    let mut command = strace::command()?;
    let log = folder.join("strace");
    command.args(strace::OPTIONS).arg("-o").arg(&log);
    let path = file::path(folder);
    for suffix in ["", "-wal"] {
        command.arg("-P").arg(format!("{}{suffix}", path.display()));
    }
    command.arg("-P").arg(child::notes(folder));
    child::run(&mut command, folder, COUNT);
    assert!(command.stdout(Stdio::null()).stderr(Stdio::null()).status().unwrap().success());
    Some(strace::changes(&fs::read_to_string(log).unwrap()).unwrap())
}

#[test]
fn power_loss_at_any_moment_loses_nothing_that_was_acknowledged() {
    let folder = tempfile::tempdir().unwrap();
    let Some(changes) = changes(folder.path()) else { return };
    let database = file::path(folder.path());
    let log = PathBuf::from(format!("{}-wal", database.display()));
    let syncs = changes.iter().filter(|change| matches!(change, Change::Sync { .. })).count() as u64;
    assert!(syncs > COUNT / 2, "{syncs} syncs");
    // The log begins again: its header is written more than once.
    let headers = changes
        .iter()
        .filter(|change| matches!(change, Change::Write { path, offset: 0, .. } if *path == log));
    assert!(headers.count() > 1, "the log was copied while the child ran");

    let mut random = Random(0x9e37_79b9_7f4a_7c15);
    let mut moments: Vec<usize> = (0..SCHEDULES).map(|_| random.below(changes.len() + 1)).collect();
    moments.sort_unstable();
    let mut disk: BTreeMap<PathBuf, DiskFile> = BTreeMap::new();
    let (mut notes, mut done, mut most) = (String::new(), 0, 0);
    for (schedule, moment) in moments.into_iter().enumerate() {
        for change in &changes[done..moment] {
            match change {
                Change::Append { data, .. } => notes.push_str(std::str::from_utf8(data).unwrap()),
                Change::Sync { path } => disk.entry(path.clone()).or_default().sync(),
                Change::Write { path, .. } | Change::Truncate { path, .. } | Change::Remove { path } => {
                    disk.entry(path.clone()).or_default().pending.push(change.clone());
                }
            }
        }
        done = moment;
        let after = tempfile::tempdir().unwrap();
        for (path, disk_file) in &disk {
            if let Some(content) = disk_file.after_power_loss(&mut random) {
                fs::write(after.path().join(path.file_name().unwrap()), content).unwrap();
            }
        }
        copy_secrets(folder.path(), after.path());
        let acknowledged = child::acknowledged(&notes);
        most = most.max(acknowledged);
        println!("schedule {schedule}: after change {moment}, {acknowledged} acknowledged");
        file::verify(&file::path(after.path()), acknowledged);
    }
    assert!(most > COUNT / 2, "{most} documents were acknowledged before the last loss");
    let mut left = 0;
    let reader = Reader::open(&database).unwrap();
    reader
        .blocks(file::JOB, 0, |_, _| {
            left += 1;
            Ok(())
        })
        .unwrap();
    assert!(left < COUNT, "blocks were folded meanwhile");
}

/// The secrets are synced before the commit of their job, and this test loses nothing of them.
fn copy_secrets(from: &Path, to: &Path) {
    let [from, to] = [from, to].map(|folder| folder.join("jobs.db-secrets"));
    fs::create_dir(&to).unwrap();
    for entry in fs::read_dir(&from).unwrap() {
        let entry = entry.unwrap();
        fs::copy(entry.path(), to.join(entry.file_name())).unwrap();
    }
}
