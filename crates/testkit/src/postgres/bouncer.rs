//! Starts a PgBouncer in front of a test database.

use std::fs;
use std::os::unix::process::CommandExt as _;
use std::path::PathBuf;
use std::process::{Child, Stdio};

use super::cleanup::Cleanup;
use super::server::url;
use super::{PgServer, folder, installed, unprivileged, wait_until};
use crate::port::unused_port;
use crate::process_group::listening_sockets;

const PROGRAM: &str = "/usr/sbin/pgbouncer";

/// A PgBouncer in transaction mode before a server. It ends when it is dropped, or with the test program.
#[derive(Debug)]
pub struct Bouncer {
    port: u16,
    child: Child,
    _cleanup: Cleanup,
}

impl Bouncer {
    /// Connects clients to this server, or `None` if PgBouncer is not installed.
    ///
    /// # Panics
    /// If it cannot be started, or with `CI=true` if it is not installed.
    #[must_use]
    pub fn start(server: &PgServer) -> Option<Self> {
        let program = installed(Some(PathBuf::from(PROGRAM)).filter(|path| path.exists()), "pgbouncer")?;
        let (folder, port) = (folder(), unused_port().expect("a free port"));
        let cleanup = Cleanup::start(&folder);
        let settings = format!(
            "[databases]\n* = host=127.0.0.1 port={} user=postgres\n\
             [pgbouncer]\nlisten_addr = 127.0.0.1\nlisten_port = {port}\nunix_socket_dir =\n\
             auth_type = any\npool_mode = transaction\nmax_client_conn = 1000\ndefault_pool_size = 20\n\
             server_login_retry = 1\n",
            server.port()
        );
        let file = folder.join("pgbouncer.ini");
        fs::write(&file, settings).expect("the settings can be written");
        let mut command = unprivileged(&program);
        command.arg("-q").arg(&file).current_dir(&folder).process_group(0);
        command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
        let child = command.spawn().expect("PgBouncer can be started");
        let bouncer = Self { port, child, _cleanup: cleanup };
        let id = bouncer.child.id();
        wait_until(|| listening_sockets(id) > 0, || "PgBouncer did not start".to_owned());
        Some(bouncer)
    }

    /// The URL of a database of the server.
    #[must_use]
    pub fn url(&self, database: &str) -> String {
        url(self.port, database)
    }
}

impl Drop for Bouncer {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
