//! Starts a PostgreSQL server for tests.

use std::fs::{self, File};
use std::os::unix::process::CommandExt as _;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Mutex, MutexGuard, OnceLock, PoisonError};

use super::cleanup::Cleanup;
use super::{folder, installed, run, signal, unprivileged, wait_until};
use crate::port::unused_port;
use crate::process_group::{children_of, is_running};

/// Where Debian has the programs of each version.
const VERSIONS: &str = "/usr/lib/postgresql";

/// Beside the defaults, which make commits durable.
const SETTINGS: &str = "
listen_addresses = '127.0.0.1'
shared_buffers = '64MB'
max_connections = 250
";

/// A PostgreSQL server on a port of 127.0.0.1, with its data in a temporary folder. It ends when it is
/// dropped, or with the test program.
#[derive(Debug)]
pub struct PgServer {
    programs: PathBuf,
    folder: PathBuf,
    port: u16,
    /// `None` after it was killed or stopped.
    postmaster: Mutex<Option<Child>>,
    databases: AtomicU32,
    _cleanup: Cleanup,
}

impl PgServer {
    /// A new server, or `None` if none is installed.
    ///
    /// # Panics
    /// If it cannot be started, or with `CI=true` if none is installed.
    #[must_use]
    pub fn start() -> Option<Self> {
        let programs = installed(newest(Path::new(VERSIONS)), "postgresql")?;
        let (folder, port) = (folder(), unused_port().expect("a free port"));
        let cleanup = Cleanup::start(&folder);
        let mut initdb = unprivileged(&programs.join("initdb"));
        initdb.args(["--username=postgres", "--auth=trust", "--encoding=UTF8", "--locale=C", "-D"]);
        run(initdb.arg(folder.join("data")).current_dir("/"));
        let settings = folder.join("data/postgresql.auto.conf");
        let text = format!("{SETTINGS}port = {port}\nunix_socket_directories = '{}'\n", folder.display());
        fs::write(&settings, text).expect("the settings can be written");
        let server = Self {
            programs,
            folder,
            port,
            postmaster: Mutex::default(),
            databases: AtomicU32::new(0),
            _cleanup: cleanup,
        };
        server.restart();
        Some(server)
    }

    /// The server of all tests of this program, or `None` if none is installed. It runs until the program
    /// ends: each test makes a database of its own, and none stops it.
    ///
    /// # Panics
    /// As [`start`](Self::start).
    pub fn shared() -> Option<&'static Self> {
        static SHARED: OnceLock<Option<PgServer>> = OnceLock::new();
        SHARED.get_or_init(Self::start).as_ref()
    }

    /// Its port of 127.0.0.1.
    #[must_use]
    pub fn port(&self) -> u16 {
        self.port
    }

    /// The URL of a database. There is always one with the name `postgres`.
    #[must_use]
    pub fn url(&self, database: &str) -> String {
        url(self.port, database)
    }

    /// Makes a new database, and returns its URL.
    ///
    /// # Panics
    /// If the server does not run.
    #[must_use]
    pub fn create_database(&self) -> String {
        let name = format!("test_{}", self.databases.fetch_add(1, Ordering::Relaxed));
        self.query("postgres", &format!("CREATE DATABASE {name}"));
        self.url(&name)
    }

    /// Runs statements in a database, and returns their rows as lines, with `|` between columns.
    ///
    /// # Panics
    /// If a statement fails.
    pub fn query(&self, database: &str, statements: &str) -> String {
        let mut psql = Command::new(self.programs.join("psql"));
        psql.args(["-X", "-q", "-A", "-t", "-v", "ON_ERROR_STOP=1", "-d"]).arg(self.url(database));
        let output = run(psql.args(["-c", statements]).current_dir("/"));
        String::from_utf8(output.stdout).expect("rows are text").trim_end().to_owned()
    }

    /// Ends all its processes at once, as a crash does: what is not on the disk is lost.
    pub fn kill(&self) {
        let mut postmaster = self.postmaster();
        let Some(mut child) = postmaster.take() else { return };
        // While it is stopped, it starts no process and ends none.
        signal("STOP", &[child.id()]);
        let mut processes = children_of(child.id());
        processes.push(child.id());
        signal("KILL", &processes);
        child.wait().expect("a killed process ends");
        wait_until(|| !processes.iter().any(|id| is_running(*id)), || "processes were killed".to_owned());
    }

    /// Ends it as an operator does: open transactions are rolled back.
    pub fn stop(&self) {
        let Some(mut child) = self.postmaster().take() else { return };
        signal("INT", &[child.id()]);
        child.wait().expect("the server ends");
    }

    /// Starts it again on the same port after it was killed or stopped, and waits until it accepts
    /// connections. Does nothing if it runs.
    ///
    /// # Panics
    /// If it cannot be started.
    pub fn restart(&self) {
        let mut postmaster = self.postmaster();
        if postmaster.is_some() {
            return;
        }
        let log = File::options().create(true).append(true).open(self.folder.join("log"));
        let log = log.expect("a log can be written");
        let mut command = unprivileged(&self.programs.join("postgres"));
        command.arg("-D").arg(self.folder.join("data")).current_dir("/").process_group(0);
        command.stdin(Stdio::null()).stdout(log.try_clone().expect("a file can be shared")).stderr(log);
        let mut child = command.spawn().expect("the server can be started");
        let failed = || format!("the server did not start: {}", self.log());
        wait_until(
            || {
                assert!(child.try_wait().is_ok_and(|ended| ended.is_none()), "{}", failed());
                self.is_ready(child.id())
            },
            failed,
        );
        *postmaster = Some(child);
    }

    /// What it has logged.
    #[must_use]
    pub fn log(&self) -> String {
        fs::read_to_string(self.folder.join("log")).unwrap_or_default()
    }

    /// The server says so in a file: its process is in the first line, and its state in the eighth.
    fn is_ready(&self, process: u32) -> bool {
        let text = fs::read_to_string(self.folder.join("data/postmaster.pid")).unwrap_or_default();
        let mut lines = text.lines().map(str::trim);
        lines.next() == Some(process.to_string().as_str()) && lines.nth(6) == Some("ready")
    }

    fn postmaster(&self) -> MutexGuard<'_, Option<Child>> {
        self.postmaster.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for PgServer {
    fn drop(&mut self) {
        self.kill();
    }
}

/// The URL of a database behind a port of 127.0.0.1.
pub(super) fn url(port: u16, database: &str) -> String {
    format!("postgresql://postgres@127.0.0.1:{port}/{database}")
}

/// The folder with the programs of the newest version.
fn newest(versions: &Path) -> Option<PathBuf> {
    let folders = fs::read_dir(versions).into_iter().flatten().flatten();
    let numbered = folders.filter_map(|folder| {
        let version: u32 = folder.file_name().to_str()?.parse().ok()?;
        Some((version, folder.path().join("bin")))
    });
    let complete = numbered.filter(|(_, bin)| bin.join("initdb").exists() && bin.join("postgres").exists());
    complete.max().map(|(_, bin)| bin)
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use super::*;

    #[test]
    fn the_newest_version_is_used() {
        let versions = tempfile::tempdir().unwrap();
        for (version, program) in
            [("9", "postgres"), ("15", "postgres"), ("17", "psql"), ("common", "postgres")]
        {
            let bin = versions.path().join(version).join("bin");
            fs::create_dir_all(&bin).unwrap();
            for file in ["initdb", program] {
                fs::write(bin.join(file), "").unwrap();
            }
        }
        assert_eq!(newest(versions.path()), Some(versions.path().join("15/bin")));
    }

    #[test]
    fn committed_rows_survive_a_kill() {
        let Some(server) = PgServer::start() else { return };
        let url = server.create_database();
        let (_, database) = url.rsplit_once('/').unwrap();
        assert_eq!(server.query(database, "SHOW fsync"), "on");
        assert_eq!(server.query(database, "SHOW synchronous_commit"), "on");
        server.query(database, "CREATE TABLE t (a int); INSERT INTO t VALUES (1)");
        server.kill();
        server.restart();
        assert_eq!(server.query(database, "SELECT a FROM t"), "1");
        assert!(server.log().contains("automatic recovery"));
        server.stop();
        server.restart();
        assert_eq!(server.query(database, "SELECT count(*), max(a) FROM t"), "1|1");
        let folder = server.folder.clone();
        drop(server);
        assert!(!folder.exists());
    }
}
