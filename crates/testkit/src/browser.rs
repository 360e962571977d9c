//! Tests with an installed browser, which may be missing on the machine of a developer but not in CI.

use std::fmt::Display;
use std::path::PathBuf;
use std::sync::Once;

/// An unprivileged user and group, which every system has, for the browser of tests that run as root.
pub const NOBODY: u32 = 65_534;

/// The program that the search for a browser `found`, or `None` after a line that says that tests are
/// skipped. The caller passes the result of the search, because this crate depends on no other of the
/// workspace.
///
/// # Panics
/// With `CI=true`, if no browser was found.
#[expect(
    clippy::print_stdout,
    clippy::disallowed_methods,
    reason = "tests say that they are skipped; CI skips none"
)]
pub fn program<E: Display>(found: Result<PathBuf, E>) -> Option<PathBuf> {
    static NOTE: Once = Once::new();
    match found {
        Ok(program) => Some(program),
        Err(error) if std::env::var("CI").is_ok_and(|ci| ci == "true") => panic!("{error}"),
        Err(error) => {
            NOTE.call_once(|| println!("SKIPPED: {error}"));
            None
        }
    }
}
