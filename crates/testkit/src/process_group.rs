//! What `/proc` says about processes: which ones of a group run, their memory, time and sockets. On systems
//! other than Linux, every group is empty.

use std::fs;
use std::path::PathBuf;

/// Ticks per second of the times in `/proc/PID/stat`: `USER_HZ`, which is 100 on every Linux.
const TICKS_PER_SECOND: f64 = 100.0;

/// A process group. Its id is that of its first process, if that was started in a group of its own.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct ProcessGroup(u32);

impl ProcessGroup {
    /// The group with this id.
    #[must_use]
    pub fn new(id: u32) -> Self {
        Self(id)
    }

    /// The ids of its processes that have not ended.
    #[must_use]
    pub fn running(self) -> Vec<u32> {
        self.stats().filter(|stat| !stat.is_zombie).map(|stat| stat.id).collect()
    }

    /// The ids of its processes that have ended, and that `parent` started and has not waited for.
    #[must_use]
    pub fn zombies_of(self, parent: u32) -> Vec<u32> {
        let zombies = self.stats().filter(|stat| stat.is_zombie && stat.parent == parent);
        zombies.map(|stat| stat.id).collect()
    }

    /// Its memory in KiB. Shared memory counts once: each process has its share of it (`Pss` in
    /// proc_pid_smaps_rollup(5)). Processes of other users count only for root.
    #[must_use]
    pub fn memory_kib(self) -> u64 {
        self.running().into_iter().filter_map(memory_kib_of).sum()
    }

    /// The CPU time of its processes, and of those that they have waited for, in seconds.
    #[must_use]
    #[expect(clippy::cast_precision_loss, reason = "a time that is only reported")]
    pub fn cpu_seconds(self) -> f64 {
        self.stats().map(|stat| stat.ticks).sum::<u64>() as f64 / TICKS_PER_SECOND
    }

    /// The TCP sockets on which its processes listen. Processes of other users count only for root.
    #[must_use]
    pub fn listening_sockets(self) -> usize {
        self.running().into_iter().map(listening_sockets).sum()
    }

    fn stats(self) -> impl Iterator<Item = Stat> {
        all().filter(move |stat| stat.group == self.0)
    }
}

/// The processes that `parent` started, that have ended, and that it has not waited for.
#[must_use]
pub fn zombies_of(parent: u32) -> usize {
    all().filter(|stat| stat.is_zombie && stat.parent == parent).count()
}

/// The ids of the processes that `parent` started and that have not ended.
#[must_use]
pub fn children_of(parent: u32) -> Vec<u32> {
    all().filter(|stat| !stat.is_zombie && stat.parent == parent).map(|stat| stat.id).collect()
}

/// The process has not ended.
#[cfg(unix)]
pub(crate) fn is_running(process: u32) -> bool {
    Stat::read(process).is_some_and(|stat| !stat.is_zombie)
}

/// The CPU time of a process, and of the children that it has waited for, in seconds.
#[must_use]
#[expect(clippy::cast_precision_loss, reason = "a time that is only reported")]
pub fn cpu_seconds_of(process: u32) -> f64 {
    Stat::read(process).map_or(0.0, |stat| stat.ticks as f64 / TICKS_PER_SECOND)
}

/// The TCP sockets on which a process listens.
#[must_use]
pub fn listening_sockets(process: u32) -> usize {
    let folder = PathBuf::from(format!("/proc/{process}"));
    let tables = ["net/tcp", "net/tcp6"].map(|table| fs::read_to_string(folder.join(table)));
    let tables: String = tables.into_iter().flatten().collect();
    let listening: Vec<PathBuf> = tables
        .lines()
        .filter_map(|line| {
            let fields: Vec<&str> = line.split_whitespace().collect();
            // State 0A is LISTEN.
            let is_listening = fields.get(3) == Some(&"0A");
            fields.get(9).filter(|_| is_listening).map(|inode| format!("socket:[{inode}]").into())
        })
        .collect();
    let files = fs::read_dir(folder.join("fd")).into_iter().flatten().flatten();
    let targets = files.filter_map(|file| fs::read_link(file.path()).ok());
    targets.filter(|target| listening.contains(target)).count()
}

/// A process, as proc_pid_stat(5) describes it.
#[derive(Debug, Clone, Copy)]
struct Stat {
    id: u32,
    is_zombie: bool,
    parent: u32,
    group: u32,
    /// CPU time of the process and of the children that it has waited for.
    ticks: u64,
}

impl Stat {
    fn read(id: u32) -> Option<Self> {
        let text = fs::read_to_string(format!("/proc/{id}/stat")).ok()?;
        // The name of the program may contain anything, also a bracket. Plain fields follow the last bracket.
        let fields: Vec<&str> = text.rsplit_once(')')?.1.split_whitespace().collect();
        Some(Self {
            id,
            is_zombie: matches!(*fields.first()?, "Z" | "X"),
            parent: fields.get(1)?.parse().ok()?,
            group: fields.get(2)?.parse().ok()?,
            ticks: fields.get(11..15)?.iter().filter_map(|field| field.parse::<u64>().ok()).sum(),
        })
    }
}

/// All processes.
fn all() -> impl Iterator<Item = Stat> {
    let entries = fs::read_dir("/proc").into_iter().flatten().flatten();
    entries.filter_map(|entry| Stat::read(entry.file_name().to_str()?.parse().ok()?))
}

/// The memory of a process in KiB, with its share of shared memory.
fn memory_kib_of(process: u32) -> Option<u64> {
    let rollup = fs::read_to_string(format!("/proc/{process}/smaps_rollup")).ok()?;
    let line = rollup.lines().find_map(|line| line.strip_prefix("Pss:"))?;
    line.trim().trim_end_matches(" kB").parse().ok()
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use std::net::TcpListener;
    use std::os::unix::process::CommandExt as _;
    use std::process::Command;

    use super::*;

    #[test]
    fn a_group_shows_its_processes_until_they_are_waited_for() {
        let own = std::process::id();
        let mut child = Command::new("sleep").arg("1000").process_group(0).spawn().unwrap();
        let group = ProcessGroup::new(child.id());
        assert_eq!(group.running(), [child.id()]);
        assert!(children_of(own).contains(&child.id()));
        assert_eq!((group.zombies_of(own), group.listening_sockets()), (vec![], 0));
        child.kill().unwrap();
        while !group.running().is_empty() {
            std::thread::yield_now();
        }
        assert_eq!(group.zombies_of(own), [child.id()]);
        assert!(zombies_of(own) >= 1);
        assert_eq!(group.memory_kib(), 0);
        child.wait().unwrap();
        assert!(group.zombies_of(own).is_empty());
    }

    #[test]
    fn sockets_and_memory_of_this_process_are_seen() {
        let before = listening_sockets(std::process::id());
        let held: Vec<TcpListener> = (0..200).map(|_| TcpListener::bind("127.0.0.1:0").unwrap()).collect();
        // Other tests of this process open and close sockets too, but fewer.
        assert!(listening_sockets(std::process::id()) > before + held.len() / 2);
        assert!(memory_kib_of(std::process::id()).is_some_and(|kib| kib > 100));
    }
}
