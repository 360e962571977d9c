//! The settings of a browser after the builder has checked them.

use std::path::PathBuf;
use std::time::Duration;

/// How processes are started, and when they are replaced.
#[derive(Debug, Clone)]
pub(crate) struct BrowserConfig {
    pub(crate) program: PathBuf,
    /// The user and group of the processes; `None` for those of this process.
    pub(crate) user: Option<(u32, u32)>,
    /// The folder for profile folders; `None` for the system's folder for temporary files.
    pub(crate) profile_folder: Option<PathBuf>,
    pub(crate) sandbox: bool,
    pub(crate) start_timeout: Duration,
    /// Pages at once.
    pub(crate) max_pages: usize,
    /// A process is replaced after this many pages.
    pub(crate) recycle_after_pages: u64,
    /// A process is replaced above this many bytes of memory.
    pub(crate) recycle_above_memory: u64,
}
