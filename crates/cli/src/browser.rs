//! The browser of a command: found, started at need, and ended with the command.

use std::env;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use gleaner::EngineBuilder;
use gleaner::browser::Browser as Chromium;
use tokio::sync::Mutex;

use crate::args::{BrowserArgs, WhichBrowser};
use crate::failure::Failure;

/// Names of Chromium on `PATH`, in order of preference.
const NAMES: [&str; 6] = [
    "chromium-headless-shell",
    "chrome-headless-shell",
    "chromium",
    "chromium-browser",
    "google-chrome-stable",
    "google-chrome",
];

/// The user and the group `nobody`, for the browser of root.
const NOBODY: u32 = 65_534;

/// How long a second Ctrl-C waits for the end of the browser. A browser that does not end by itself is killed
/// after two seconds.
const MAX_END: Duration = Duration::from_secs(3);

/// The browser of a command, if there is one. Clones share it.
#[derive(Debug, Clone, Default)]
pub(crate) struct Browser {
    chromium: Option<Chromium>,
    /// Its program.
    program: Option<PathBuf>,
    /// Held while it is closed, so that a second close waits for the first.
    closing: Arc<Mutex<()>>,
}

impl Browser {
    /// The browser of the arguments. No process is started before the first page.
    ///
    /// # Errors
    /// The named program is not a file.
    pub(crate) fn open(args: &BrowserArgs) -> Result<Self, Failure> {
        let program = match args.which() {
            WhichBrowser::Never => None,
            WhichBrowser::Program(program) => Some(program.to_owned()),
            WhichBrowser::Auto => Chromium::find().ok().or_else(on_path),
        };
        let Some(program) = program else { return Ok(Self::default()) };
        let mut builder = Chromium::builder().program(&program);
        builder = match args.browser_user {
            Some((user, group)) => builder.user(user, group),
            None => builder.user_if_root(NOBODY, NOBODY),
        };
        if args.browser_without_sandbox {
            builder = builder.without_sandbox_pages_may_take_over_the_user();
        }
        let browser = builder.build().map_err(|error| {
            Failure::usage(format!("--browser: {error}; name the program of a Chromium, or auto or never"))
        })?;
        Ok(Self { chromium: Some(browser), program: Some(program), closing: Arc::default() })
    }

    /// Adds the browser to an engine.
    pub(crate) fn add_to(&self, builder: EngineBuilder) -> EngineBuilder {
        match &self.chromium {
            Some(browser) => builder.browser(browser.clone()),
            None => builder,
        }
    }

    /// Whether there is one.
    pub(crate) fn is_some(&self) -> bool {
        self.chromium.is_some()
    }

    /// Its program.
    pub(crate) fn program(&self) -> Option<&Path> {
        self.program.as_deref()
    }

    /// The version of the running browser.
    pub(crate) async fn version(&self) -> Option<String> {
        self.chromium.as_ref()?.version().await
    }

    /// Ends the processes, and removes their profile folder. Without it they would end with this program, but
    /// the folder would remain.
    pub(crate) async fn close(&self) {
        let _closing = self.closing.lock().await;
        if let Some(browser) = &self.chromium {
            browser.close().await;
        }
    }

    /// Like [`close`](Self::close), with a limit of time.
    pub(crate) async fn close_at_once(&self) {
        let _ = tokio::time::timeout(MAX_END, self.close()).await;
    }
}

/// A Chromium in the folders of the variable `PATH`.
#[expect(clippy::disallowed_methods, reason = "a command finds programs like a shell; libraries do not")]
fn on_path() -> Option<PathBuf> {
    let folders = env::var_os("PATH")?;
    NAMES.iter().find_map(|name| {
        env::split_paths(&folders).map(|folder| folder.join(name)).find(|path| path.is_file())
    })
}
