//! The installed Chromium.

#![expect(clippy::expect_used, reason = "test code: a broken assumption ends the test")]

use gleaner_browser::{Browser, ConfigError};

/// The user and group of tests that run as root: every system has them, and they have no rights.
const NOBODY: u32 = 65_534;

/// A browser, or `None` after a note that the test was skipped.
///
/// # Panics
/// With `CI=true`, if no Chromium is installed.
pub(crate) fn chromium() -> Option<Browser> {
    let program = gleaner_testkit::browser::program(Browser::find())?;
    let builder = Browser::builder().program(program);
    let built = match builder.clone().build() {
        Err(ConfigError::RootNeedsUser) => builder.user(NOBODY, NOBODY).build(),
        built => built,
    };
    Some(built.expect("the installed browser can be set up"))
}
