use gleaner_browser::{Browser, BrowserBuilder};
use gleaner_testkit::browser::program;

/// An unprivileged user and group, which every system has.
const NOBODY: u32 = 65_534;

/// A builder of browsers, or `None` after a note that the test was skipped.
///
/// # Panics
/// With `CI=true`, if no browser is installed.
pub(crate) fn browser_builder() -> Option<BrowserBuilder> {
    Some(Browser::builder().program(program(Browser::find())?).user_if_root(NOBODY, NOBODY))
}
