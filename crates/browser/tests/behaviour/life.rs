//! What remains of pages, processes and profile folders, and what follows the end of a process.

mod crash;
mod dropped;
mod host;
mod recycle;

use std::fs::{Permissions, read_dir, set_permissions};
use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;
use std::time::Duration;

use gleaner_testkit::HostilePage;
use rustix::process::{Pid, Signal, kill_process};
use tempfile::TempDir;
use tokio::time::{Instant, sleep};

/// How long a test waits for a fact at most.
const MAX_WAIT: Duration = Duration::from_secs(20);

/// A request that [`running_page`] sends when its scripts run.
const MARK: &str = "/mark";

/// A page of a site whose first page sends [`MARK`].
fn running_page() -> Vec<HostilePage> {
    let page = format!("<!doctype html><p>text</p><script>fetch('{MARK}')</script>");
    vec![HostilePage::html("/", page), HostilePage::new(MARK, "text/plain", "seen")]
}

/// The folder in which the browser of one test makes its profile folders.
struct Profiles(TempDir);

impl Profiles {
    fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        // The user of the browser must be able to enter it.
        set_permissions(folder.path(), Permissions::from_mode(0o711)).unwrap();
        Self(folder)
    }

    fn path(&self) -> &Path {
        self.0.path()
    }

    fn count(&self) -> usize {
        read_dir(self.path()).unwrap().count()
    }
}

/// Waits until a fact is true. `otherwise` says what is wrong if it does not become true.
async fn until(otherwise: &str, fact: impl AsyncFn() -> bool) {
    let end = Instant::now() + MAX_WAIT;
    while !fact().await {
        assert!(Instant::now() < end, "{otherwise}");
        sleep(Duration::from_millis(20)).await;
    }
}

/// Ends a process at once, without its help.
fn kill(process: u32) {
    kill_process(Pid::from_raw(process.cast_signed()).unwrap(), Signal::KILL).unwrap();
}
