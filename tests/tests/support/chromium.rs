//! The installed Chromium.

#![expect(
    clippy::panic,
    clippy::print_stdout,
    clippy::disallowed_methods,
    reason = "test code: a skipped test says so, and in CI it fails"
)]

use gleaner_browser::{Browser, ConfigError};

/// The user and group of tests that run as root: every system has them, and they have no rights.
const NOBODY: u32 = 65_534;

/// A browser, or `None` after a note that the test was skipped.
///
/// # Panics
/// With `CI=true`, if no Chromium is installed.
pub(crate) fn chromium() -> Option<Browser> {
    let built = match Browser::builder().build() {
        Err(ConfigError::RootNeedsUser) => Browser::builder().user(NOBODY, NOBODY).build(),
        built => built,
    };
    match built {
        Ok(browser) => Some(browser),
        Err(error) if std::env::var("CI").is_ok_and(|ci| ci == "true") => panic!("{error}"),
        Err(error) => {
            println!("SKIPPED: {error}");
            None
        }
    }
}
