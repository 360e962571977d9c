//! A crawl through as many processes as it takes, and what must be true at its end.

use std::collections::{BTreeMap, BTreeSet};
use std::os::unix::process::ExitStatusExt as _;
use std::process::{Command, Output, Stdio};
use std::time::Duration;

use gleaner::sqlite::Reader;
use gleaner_testkit::{Role, Server, Site, SiteSpec, strace};
use gleaner_tests::fakes::FakeServer;
use tempfile::TempDir;

use super::child::{self, CONCURRENCY, Task};
use super::events;
use super::notes::{Notes, all_notes};

/// Pages of the site.
const PAGES: u32 = 30;
/// Signal of `kill -9`.
const SIGKILL: i32 = 9;

/// How a disturbed process ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Ended {
    /// It was killed.
    Killed,
    /// A call failed, and the file was not opened.
    Refused,
    /// It came to its end although calls failed.
    Survived,
    /// It made too few calls to be disturbed.
    Undisturbed,
}

/// One crawl of one site.
pub(crate) struct Crawl<'r> {
    folder: TempDir,
    server: Server,
    receiver: &'r FakeServer,
    /// The paths of all pages.
    pages: BTreeSet<String>,
    /// Number of documents that the crawl must give.
    documents: usize,
    kills: usize,
}

impl<'r> Crawl<'r> {
    /// A crawl with this number. The receiver has no events of others while it lasts.
    pub(crate) fn new(receiver: &'r FakeServer, number: u64) -> Self {
        let jitter = Duration::from_millis(10);
        let site = Site::generate(SiteSpec { seed: number, jitter, ..SiteSpec::pages(PAGES) });
        let server = site.serve().unwrap();
        let pages: BTreeSet<String> =
            site.truth().paths().filter(|page| page.role == Role::Page).map(|page| page.path).collect();
        // Every third crawl ends at its limit.
        let documents = if number % 3 == 2 { 11 } else { pages.len() };
        let folder = tempfile::tempdir().unwrap();
        let (start, webhook) = (server.url("/"), receiver.url("/hook"));
        Task { start, webhook, limit: documents as u64 }.write(folder.path());
        Self { folder, server, receiver, pages, documents, kills: 0 }
    }

    /// Runs a process that makes its calls under this injection of strace: only those on the file and its
    /// log, or all. `None` without strace.
    pub(crate) fn disturb(&mut self, injection: &str, only_files: bool) -> Option<Ended> {
        let mut command = strace::command()?;
        let log = self.folder.path().join("strace");
        let call = injection.split(':').next().unwrap_or_default();
        command.args(["-f", "-qq", "-e", &format!("trace={call}"), "-e", &format!("inject={injection}")]);
        if only_files {
            let file = child::file(self.folder.path());
            for suffix in ["", "-wal"] {
                command.arg("-P").arg(format!("{}{suffix}", file.display()));
            }
        }
        command.arg("-o").arg(&log);
        child::run(&mut command, self.folder.path());
        let output = command.output().unwrap();
        if output.status.signal() == Some(SIGKILL) {
            self.kills += 1;
            return Some(Ended::Killed);
        }
        let was_injected = std::fs::read_to_string(log).unwrap_or_default().contains("INJECTED");
        Some(match (output.status.success(), was_injected) {
            (true, true) => Ended::Survived,
            (true, false) => Ended::Undisturbed,
            (false, true) if !self.notes().last().is_some_and(|notes| notes.opened) => Ended::Refused,
            (false, _) => panic!("under {injection}: {}", text(&output)),
        })
    }

    /// Runs a process and kills it after this time. No strace slows it down.
    pub(crate) fn kill_after(&mut self, time: Duration) -> Ended {
        let mut command = Command::new("env");
        child::run(&mut command, self.folder.path());
        let mut process = command.stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
        std::thread::sleep(time);
        process.kill().unwrap();
        if process.wait().unwrap().signal() == Some(SIGKILL) {
            self.kills += 1;
            return Ended::Killed;
        }
        Ended::Undisturbed
    }

    /// Runs a process that is not disturbed, and checks everything.
    pub(crate) fn finish(&self) {
        let mut command = Command::new("env");
        child::run(&mut command, self.folder.path());
        let output = command.output().unwrap();
        assert!(output.status.success(), "{}", text(&output));
        self.check();
    }

    /// The most calls of this kind that a thread makes in a whole crawl: those on the file and its log, or
    /// all. `None` without strace.
    pub(crate) fn count_calls(&mut self, call: &str, only_files: bool) -> Option<u64> {
        // No call has this number.
        let ended = self.disturb(&format!("{call}:error=EIO:when=65000"), only_files)?;
        assert_eq!(ended, Ended::Undisturbed);
        self.check();
        let log = std::fs::read_to_string(self.folder.path().join("strace")).unwrap();
        let mut counts: BTreeMap<&str, u64> = BTreeMap::new();
        // Each call once: the second line of an interrupted one has no bracket that opens.
        for line in log.lines().filter(|line| line.contains('(')) {
            let (thread, _) = line.split_once(' ').unwrap();
            *counts.entry(thread).or_default() += 1;
        }
        counts.into_values().max()
    }

    fn notes(&self) -> Vec<Notes> {
        all_notes(self.folder.path())
    }

    /// Checks the crawl at its end, from the notes of its processes and from what the site and the receiver
    /// have seen.
    pub(crate) fn check(&self) {
        let notes = self.notes();
        let last = notes.last().unwrap();
        assert!(last.is_done, "{last:?}");
        let found: BTreeSet<String> = last.documents.iter().cloned().collect();
        assert_eq!(found.len(), last.documents.len(), "no page gives two documents: {last:?}");
        assert!(found.is_subset(&self.pages), "{found:?}");
        assert_eq!(found.len(), self.documents, "all pages, or exactly the limit");
        let count = self.documents;
        assert_eq!(last.end.as_deref(), Some(&*format!("{count} 0 {count} {count}")), "counts and credits");
        for earlier in &notes {
            // A process reads all documents from the first on.
            assert!(last.documents.starts_with(&earlier.documents), "{earlier:?} was told, and now {last:?}");
            assert!(earlier.job.is_none() || earlier.job == last.job, "{earlier:?} and {last:?}");
            assert!(earlier.end.is_none() || earlier.end == last.end, "{earlier:?} and {last:?}");
        }
        self.check_requests();
        events::check(&self.receiver.take_requests(), last, self.kills);
        let reader = Reader::open(child::file(self.folder.path())).unwrap();
        assert_eq!(reader.check().unwrap(), []);
    }

    /// Only pages that were in work when a process was killed are requested again.
    fn check_requests(&self) {
        let log = self.server.log();
        let requests = log.paths().filter(|path| self.pages.contains(*path)).count();
        let allowed = self.documents + self.kills * CONCURRENCY as usize;
        let kills = self.kills;
        assert!(requests <= allowed, "{requests} requests for {} pages, {kills} kills", self.documents);
    }
}

fn text(output: &Output) -> String {
    let [stdout, stderr] = [&output.stdout, &output.stderr].map(|bytes| String::from_utf8_lossy(bytes));
    format!("{}\n{stdout}\n{stderr}", output.status)
}
