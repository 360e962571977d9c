//! The power fails: of what was written since the last sync of a file, any part is on the disk, in any order.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Stdio;

use gleaner_sqlite::Reader;
use gleaner_store::journal::Journal as _;
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
        Change::Append { .. } | Change::Sync { .. } | Change::FailedSync { .. } => {}
    }
}

impl DiskFile {
    fn sync(&mut self) {
        for change in std::mem::take(&mut self.pending) {
            apply(&mut self.durable, &change);
        }
    }

    /// The system takes the changes for durable, and never writes them.
    fn fail_sync(&mut self) {
        self.pending.clear();
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

/// The disk of a computer, and what was acknowledged.
#[derive(Debug, Default)]
struct Disk {
    files: BTreeMap<PathBuf, DiskFile>,
    notes: String,
}

impl Disk {
    fn add(&mut self, change: &Change) {
        match change {
            Change::Append { data, .. } => self.notes.push_str(std::str::from_utf8(data).unwrap()),
            Change::Sync { path } => self.files.entry(path.clone()).or_default().sync(),
            Change::FailedSync { path } => self.files.entry(path.clone()).or_default().fail_sync(),
            Change::Write { path, .. } | Change::Truncate { path, .. } | Change::Remove { path } => {
                self.files.entry(path.clone()).or_default().pending.push(change.clone());
            }
        }
    }

    /// The power fails. Opens what is left of the files beside these secrets. Returns the number of documents
    /// that were acknowledged.
    fn verify(&self, secrets: &Path, mut left: impl FnMut(&DiskFile) -> Option<Vec<u8>>) -> u64 {
        let after = tempfile::tempdir().unwrap();
        for (path, disk_file) in &self.files {
            if let Some(content) = left(disk_file) {
                fs::write(after.path().join(path.file_name().unwrap()), content).unwrap();
            }
        }
        copy_secrets(secrets, after.path());
        let acknowledged = child::acknowledged(&self.notes);
        file::verify(&file::path(after.path()), acknowledged);
        acknowledged
    }
}

/// The changes of a child that appends documents, with this injection into its calls.
fn changes(folder: &Path, count: u64, injection: Option<&str>) -> Option<Vec<Change>> {
    let mut command = strace::command()?;
    let log = folder.join("strace");
    command.args(strace::OPTIONS).arg("-o").arg(&log);
    if let Some(injection) = injection {
        command.args(["-e", &format!("inject={injection}")]);
    }
    let path = file::path(folder);
    for suffix in ["", "-wal"] {
        command.arg("-P").arg(format!("{}{suffix}", path.display()));
    }
    command.arg("-P").arg(child::notes(folder));
    child::run(&mut command, folder, count);
    assert!(command.stdout(Stdio::null()).stderr(Stdio::null()).status().unwrap().success());
    Some(strace::changes(&fs::read_to_string(log).unwrap()).unwrap())
}

#[test]
fn power_loss_at_any_moment_loses_nothing_that_was_acknowledged() {
    let folder = tempfile::tempdir().unwrap();
    let Some(changes) = changes(folder.path(), COUNT, None) else { return };
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
    let (mut disk, mut done, mut most) = (Disk::default(), 0, 0);
    for (schedule, moment) in moments.into_iter().enumerate() {
        changes[done..moment].iter().for_each(|change| disk.add(change));
        done = moment;
        println!("schedule {schedule}: after change {moment}");
        most = disk.verify(folder.path(), |file| file.after_power_loss(&mut random)).max(most);
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

#[test]
fn what_a_failed_sync_left_in_memory_is_not_acknowledged() {
    // The sync of a commit, those of the log when its connection is closed, and more attempts.
    for syncs in ["8..9", "10..12", "9..14"] {
        let folder = tempfile::tempdir().unwrap();
        let path = file::path(folder.path());
        // The thread that opens a new file makes more syncs.
        drop(file::open(&path));
        let opened = DiskFile { durable: Some(fs::read(&path).unwrap()), pending: Vec::new() };
        let injection = format!("fsync,fdatasync:error=EIO:when={syncs}");
        let Some(changes) = changes(folder.path(), 20, Some(&injection)) else { return };
        assert!(changes.iter().any(|change| matches!(change, Change::FailedSync { .. })));
        let (mut disk, mut most) = (Disk::default(), 0);
        disk.files.insert(path, opened);
        for change in &changes {
            disk.add(change);
            if matches!(change, Change::Append { .. }) {
                // Nothing is left that no sync made durable.
                most = disk.verify(folder.path(), |file| file.durable.clone());
            }
        }
        assert!(most > 15, "{most} documents were acknowledged");
    }
}

#[tokio::test]
async fn a_log_that_is_left_is_made_durable_before_it_goes_on() {
    let [from, to] = [(); 2].map(|()| tempfile::tempdir().unwrap());
    let (journal, _) = file::open(&file::path(from.path()));
    let ticket = journal.append(vec![file::submit(), file::page(0)]);
    journal.committed().wait_for(|committed| committed.through >= ticket).await.unwrap();
    // As a process leaves it that is killed.
    for name in ["jobs.db", "jobs.db-wal"] {
        fs::copy(from.path().join(name), to.path().join(name)).unwrap();
    }
    copy_secrets(from.path(), to.path());
    let log = to.path().join("jobs.db-wal");
    let left = fs::read(&log).unwrap();
    let Some(changes) = changes(to.path(), 1, None) else { return };
    let mut written = None;
    let is_sync = |change: &&Change| matches!(change, Change::Sync { path } if *path == log);
    let before = changes.iter().take_while(|change| !is_sync(change));
    before.filter(|change| matches!(change, Change::Write { path, .. } if *path == log)).for_each(|change| {
        apply(&mut written, change);
    });
    assert!(written.is_some_and(|written| written == left), "the first sync of the log is of all of it");
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
