use gleaner_browser::{Browser, BrowserBuilder};

/// An unprivileged user and group, which every system has.
const NOBODY: u32 = 65_534;

/// A builder of browsers, or `None` after a note that the test was skipped.
///
/// # Panics
/// With `CI=true`, if no browser is installed.
#[expect(clippy::disallowed_methods, reason = "CI says in its environment that no test may be skipped")]
pub(crate) fn browser_builder() -> Option<BrowserBuilder> {
    match Browser::find() {
        Ok(_) => {}
        Err(error) if std::env::var("CI").is_ok_and(|ci| ci == "true") => panic!("{error}"),
        Err(error) => {
            println!("SKIPPED: {error}");
            return None;
        }
    }
    let is_root = rustix::process::geteuid().is_root();
    let builder = Browser::builder();
    Some(if is_root { builder.user(NOBODY, NOBODY) } else { builder })
}
