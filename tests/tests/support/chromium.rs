//! The installed Chromium.

#![expect(clippy::expect_used, reason = "test code: a broken assumption ends the test")]
#![allow(dead_code, reason = "no test program uses all of it")]

use gleaner_browser::{Browser, BrowserBuilder};
use gleaner_testkit::browser::{NOBODY, program};

/// Sets up a browser, or `None` after a note that the test was skipped.
///
/// # Panics
/// With `CI=true`, if no Chromium is installed.
pub(crate) fn builder() -> Option<BrowserBuilder> {
    Some(Browser::builder().program(program(Browser::find())?).user_if_root(NOBODY, NOBODY))
}

/// A browser, or `None` after a note that the test was skipped.
///
/// # Panics
/// With `CI=true`, if no Chromium is installed.
pub(crate) fn open() -> Option<Browser> {
    builder().map(|builder| builder.build().expect("the installed browser can be set up"))
}
