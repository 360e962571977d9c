//! Options that choose the browser program and its user.

use std::path::{Path, PathBuf};

use clap::Args;

use super::value;

/// The browser, which is not part of a request.
#[derive(Debug, Default, Args)]
#[command(next_help_heading = "Browser")]
pub(crate) struct BrowserArgs {
    /// The browser for --actions, screenshots, --wait-for, --mobile and pages that are empty without their
    /// scripts: the program of a Chromium, auto (an installed one, or none) or never [default: auto]
    #[arg(long, value_name = "PATH|auto|never")]
    browser: Option<PathBuf>,

    /// Run the browser as this user and group; only root can choose them [default: 65534:65534 (nobody) for
    /// root, whom the browser's sandbox refuses, else the own user]
    #[arg(long, value_name = "UID[:GID]", value_parser = value::user)]
    pub(crate) browser_user: Option<(u32, u32)>,

    /// Start the browser without its sandbox: a page that exploits a fault of the browser then has all rights
    /// of the browser's user. Only for containers that permit no user namespaces
    #[arg(long)]
    pub(crate) browser_without_sandbox: bool,
}

/// Which browser is used.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum WhichBrowser<'a> {
    /// An installed one, if there is one.
    Auto,
    /// None.
    Never,
    /// This program.
    Program(&'a Path),
}

impl BrowserArgs {
    /// The browser to use.
    pub(crate) fn which(&self) -> WhichBrowser<'_> {
        match self.browser.as_deref() {
            None => WhichBrowser::Auto,
            Some(word) if word.as_os_str() == "auto" => WhichBrowser::Auto,
            Some(word) if word.as_os_str() == "never" => WhichBrowser::Never,
            Some(program) => WhichBrowser::Program(program),
        }
    }
}
