//! Finds an installed Chromium.

use std::fmt;
use std::path::{Path, PathBuf};

/// Where packages put the program itself, in order of preference. The headless shell starts five times as
/// fast as the whole browser. Wrapper scripts are not in the list, because they add switches of their own.
const PROGRAMS: &[&str] = &[
    "/usr/lib/chromium/chromium-headless-shell",
    "/usr/lib/chromium/chromium",
    "/usr/lib64/chromium-browser/chromium-browser",
    "/usr/lib/chromium-browser/chromium-browser",
    "/usr/lib/chromium/chrome",
    "/opt/google/chrome/chrome",
    "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
    "/Applications/Chromium.app/Contents/MacOS/Chromium",
];

/// Debian's wrapper scripts, and the programs that they start.
const WRAPPERS: &[(&str, &str)] = &[
    ("/usr/bin/chromium", "/usr/lib/chromium/chromium"),
    ("/usr/bin/chromium-headless-shell", "/usr/lib/chromium/chromium-headless-shell"),
];

/// No Chromium is installed where packages put it.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct BrowserNotFound;

impl fmt::Display for BrowserNotFound {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "no Chromium was found; looked for {}. Install one (Debian: `apt-get install \
             chromium-headless-shell`, or `chromium`), or name its program",
            PROGRAMS.join(", ")
        )
    }
}

impl std::error::Error for BrowserNotFound {}

/// The program of an installed Chromium.
pub(crate) fn find() -> Result<PathBuf, BrowserNotFound> {
    PROGRAMS.iter().map(Path::new).find(|path| path.is_file()).map(Path::to_owned).ok_or(BrowserNotFound)
}

/// The program behind a wrapper script of Debian; other paths stay as they are.
pub(crate) fn behind_wrapper(program: &Path) -> &Path {
    let behind = WRAPPERS.iter().find(|(wrapper, _)| Path::new(wrapper) == program);
    behind.map(|(_, behind)| Path::new(*behind)).filter(|behind| behind.is_file()).unwrap_or(program)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_error_names_the_places_and_the_remedy() {
        let text = BrowserNotFound.to_string();
        assert!(text.contains("/usr/lib/chromium/chromium-headless-shell"), "{text}");
        assert!(text.contains("apt-get install chromium-headless-shell"), "{text}");
    }

    #[test]
    fn other_programs_are_no_wrappers() {
        assert_eq!(behind_wrapper(Path::new("/opt/mine/chrome")), Path::new("/opt/mine/chrome"));
    }
}
