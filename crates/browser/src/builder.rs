//! Configures a browser: program, user, sandbox, and the limits of its processes.

use std::fmt;
use std::num::NonZero;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use crate::browser::Browser;
use crate::config::BrowserConfig;
use crate::find::{BrowserNotFound, behind_wrapper, find};
use crate::pool::Pool;
use crate::process::memory;

/// Pages after which a process is replaced by default: memory that pages leave behind goes with it.
pub const DEFAULT_RECYCLE_AFTER_PAGES: u64 = 500;

/// Bytes of memory above which a process is replaced by default.
pub const DEFAULT_RECYCLE_ABOVE_MEMORY: u64 = 2 * 1024 * 1024 * 1024;

/// Memory that a page may need. Fewer pages are open at once where the machine has less.
const MEMORY_PER_PAGE: u64 = 200 * 1024 * 1024;

/// How long Chromium may take to start by default.
pub const DEFAULT_START_TIMEOUT: Duration = Duration::from_secs(15);

/// Sets up a [`Browser`].
///
/// ```no_run
/// let browser = gleaner_browser::Browser::builder().user_if_root(65534, 65534).build()?;
/// # Ok::<(), gleaner_browser::ConfigError>(())
/// ```
#[derive(Debug, Clone, Default)]
#[must_use]
pub struct BrowserBuilder {
    program: Option<PathBuf>,
    user: Option<(u32, u32)>,
    user_if_root: Option<(u32, u32)>,
    profile_folder: Option<PathBuf>,
    max_pages: Option<NonZero<usize>>,
    recycle_after_pages: Option<NonZero<u64>>,
    recycle_above_memory: Option<NonZero<u64>>,
    start_timeout: Option<Duration>,
    without_sandbox: bool,
}

/// Why a browser cannot be set up.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum ConfigError {
    /// No program was named, and none was found.
    NotFound(BrowserNotFound),
    /// The named program is not a file.
    NoProgram(PathBuf),
    /// This process is root, which Chromium's sandbox refuses, and no other user was named.
    RootNeedsUser,
    /// Another user was named, and this process is not root.
    UserNeedsRoot,
}

impl fmt::Display for ConfigError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NotFound(error) => error.fmt(f),
            Self::NoProgram(path) => write!(f, "the browser {} is not a file", path.display()),
            Self::RootNeedsUser => f.write_str(
                "this process is root, and Chromium's sandbox needs another user: name one with \
                 `user_if_root`, such as 65534 (nobody)",
            ),
            Self::UserNeedsRoot => f.write_str(
                "only root can start the browser as another user: leave `user` out, or use `user_if_root`",
            ),
        }
    }
}

impl std::error::Error for ConfigError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Self::NotFound(error) => Some(error),
            Self::NoProgram(_) | Self::RootNeedsUser | Self::UserNeedsRoot => None,
        }
    }
}

impl BrowserBuilder {
    /// The program of Chromium. Default: one that [`Browser::find`] finds. Debian's wrapper scripts stand for
    /// the programs that they start.
    pub fn program(mut self, program: impl Into<PathBuf>) -> Self {
        self.program = Some(program.into());
        self
    }

    /// The user id and group id of the processes. Default: those of this process. Only root can start
    /// processes of another user.
    pub fn user(mut self, user: u32, group: u32) -> Self {
        self.user = Some((user, group));
        self
    }

    /// As [`user`](Self::user) if this process is root, which Chromium's sandbox refuses; otherwise nothing.
    /// An unprivileged user with no files is best.
    pub fn user_if_root(mut self, user: u32, group: u32) -> Self {
        self.user_if_root = Some((user, group));
        self
    }

    /// The folder in which each process gets a new profile folder. The user of the processes must be able to
    /// enter it. Default: the system's folder for temporary files.
    pub fn profile_folder(mut self, folder: impl Into<PathBuf>) -> Self {
        self.profile_folder = Some(folder.into());
        self
    }

    /// Most pages that are open at once. Default: the number of processor cores and one, or fewer if the
    /// machine or its control group has less than 200 MiB of free memory for each of them.
    pub fn max_pages(mut self, max: NonZero<usize>) -> Self {
        self.max_pages = Some(max);
        self
    }

    /// A process is replaced after this many pages. Default: [`DEFAULT_RECYCLE_AFTER_PAGES`].
    pub fn recycle_after_pages(mut self, pages: NonZero<u64>) -> Self {
        self.recycle_after_pages = Some(pages);
        self
    }

    /// A process whose own memory and that of its children exceeds this many bytes is replaced; pages that
    /// are open finish in it. Only on Linux. Default: [`DEFAULT_RECYCLE_ABOVE_MEMORY`].
    pub fn recycle_above_memory(mut self, bytes: NonZero<u64>) -> Self {
        self.recycle_above_memory = Some(bytes);
        self
    }

    /// How long Chromium may take to start. Default: [`DEFAULT_START_TIMEOUT`].
    pub fn start_timeout(mut self, timeout: Duration) -> Self {
        self.start_timeout = Some(timeout);
        self
    }

    /// Starts Chromium without its sandbox. A page that exploits a fault of Chromium then has all rights of
    /// the user of the processes. For containers that permit no user namespaces, and only there.
    pub fn without_sandbox_pages_may_take_over_the_user(mut self) -> Self {
        self.without_sandbox = true;
        self
    }

    /// The browser. No process is started before the first page.
    ///
    /// # Errors
    /// No Chromium is found; this process is root and no other user is named; or another user is named and
    /// this process is not root.
    pub fn build(self) -> Result<Browser, ConfigError> {
        let program = match self.program {
            Some(program) if program.is_file() => {
                // The process is started in another folder.
                let program = std::path::absolute(&program).unwrap_or(program);
                behind_wrapper(&program).to_owned()
            }
            Some(program) => return Err(ConfigError::NoProgram(program)),
            None => find().map_err(ConfigError::NotFound)?,
        };
        let own = rustix::process::geteuid();
        let user = self.user.or(self.user_if_root.filter(|_| own.is_root()));
        if own.is_root() && user.is_none_or(|(user, _)| user == 0) && !self.without_sandbox {
            return Err(ConfigError::RootNeedsUser);
        }
        if !own.is_root() && user.is_some_and(|(user, _)| user != own.as_raw()) {
            return Err(ConfigError::UserNeedsRoot);
        }
        let memory = self.recycle_above_memory;
        let recycle = self.recycle_after_pages.map_or(DEFAULT_RECYCLE_AFTER_PAGES, NonZero::get);
        let config = BrowserConfig {
            program,
            user,
            profile_folder: self.profile_folder,
            sandbox: !self.without_sandbox,
            start_timeout: self.start_timeout.unwrap_or(DEFAULT_START_TIMEOUT),
            max_pages: self.max_pages.map_or_else(default_pages, NonZero::get),
            recycle_after_pages: recycle,
            recycle_above_memory: memory.map_or(DEFAULT_RECYCLE_ABOVE_MEMORY, NonZero::get),
        };
        Ok(Browser::new(Arc::new(Pool::new(config))))
    }
}

/// More pages than cores and one do not render faster.
fn default_pages() -> usize {
    let by_cores = std::thread::available_parallelism().map_or(1, NonZero::get) + 1;
    let by_memory = memory::available().and_then(|bytes| usize::try_from(bytes / MEMORY_PER_PAGE).ok());
    by_memory.map_or(by_cores, |pages| pages.clamp(1, by_cores))
}
